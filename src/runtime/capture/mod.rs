//! Capture of one launch of a kernel as a file (GRUS_CAPTURE): the program, the arguments, and all memory that the
//! launch can reach, before and after. `grus capture` sets the variable and `grus replay` runs the file;
//! `docs/capture.md` describes the contents.
//!
//! The memory is read on the thread that runs the launch, just before it runs, so that it contains the results of
//! all earlier commands. When the kernel begins, the file is complete except for the results, so it exists even if
//! the kernel kills the process. Launches are counted in a separate file until one is captured, so that a user who
//! waits for a launch that never happens learns which launches there were.
//!
//! Nothing here makes a call of the application fail: if the file cannot be written, an error is printed on
//! standard error.

mod archive;
mod json;
mod objects;
mod origin;

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::device::Device;
use super::error::Result;
use super::memory::Mem;
use super::object::Object;
use super::program::Program;
use super::queue::Queue;
use crate::compile::{ArgAccess, ArgInfo, ArgKind, Artifact, KernelInfo};
use grus_exec::NdRange;
use grus_support::FastMap;
use grus_support::environment::{Capture as Wanted, environment, warn_invalid};
use grus_support::fork::Global;
use grus_support::process_file::create_file;
use grus_support::sync::Mutex;

use archive::Archive;
use json::Json;
use objects::Objects;
pub(in crate::runtime) use origin::Origin;

/// Version of the file's format.
const FORMAT: u32 = 1;

/// State of the capture in this process: not looked up yet, off (or done), waiting for the launch.
static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;

/// Checks whether launches have to be passed to [`Snapshot::begin`].
#[inline]
pub(super) fn is_on() -> bool {
    match STATE.load(Ordering::Relaxed) {
        OFF => false,
        ON => true,
        _ => look(),
    }
}

#[cold]
fn look() -> bool {
    let is_on = wanted().is_some();
    // A concurrent thread gets the same result.
    STATE.store(if is_on { ON } else { OFF }, Ordering::Relaxed);
    is_on
}

/// Returns the launch that the user has selected.
fn wanted() -> Option<&'static Wanted> {
    environment().capture.as_ref()
}

/// Argument of a launch.
pub(super) enum Argument {
    Value(Vec<u8>),
    /// Pointer that is not a memory object: null, shared virtual memory, or any other memory of the process.
    Pointer(usize),
    Mem(Arc<Object<Mem>>),
    /// Bits of a sampler, see [`grus_ir::image::Sampler::bits`].
    Sampler(u32),
    /// Size of local memory in bytes.
    Local(u64),
    Queue(Arc<Object<Queue>>),
}

/// Launch as it was enqueued.
pub(super) struct Snapshot {
    pub program: Arc<Object<Program>>,
    pub artifact: Arc<Artifact>,
    pub device: Arc<Object<Device>>,
    pub kernel: Arc<KernelInfo>,
    pub arguments: Vec<Argument>,
    /// Addresses that clSetKernelExecInfo has named.
    pub shared: Vec<usize>,
    pub range: NdRange,
    /// True if the application has given a local size.
    pub has_local: bool,
}

/// File of a capture that lacks the results.
pub(super) struct Capture {
    archive: Archive,
    objects: Objects,
    before: ContentsTable,
}

/// Offset in the file and size in bytes of each object's contents; none for an object without contents of its own.
type ContentsTable = Vec<Option<(u64, u64)>>;

impl Snapshot {
    /// Counts the launch before it runs. If it is the selected one, writes its inputs to a new file.
    pub fn begin(&self) -> Option<Capture> {
        let path = counted(&self.kernel.name)?;
        // No other launch is captured after this one.
        STATE.store(OFF, Ordering::Relaxed);
        let mut archive = Archive::create(path).map_err(|error| told(&error)).ok()?;
        match self.write(&mut archive) {
            Ok((objects, before)) => Some(Capture { archive, objects, before }),
            Err(error) => {
                told(&error);
                archive.give_up();
                None
            }
        }
    }

    fn write(&self, archive: &mut Archive) -> io::Result<(Objects, ContentsTable)> {
        let mut objects = Objects::default();
        let described = self.describe(archive, &mut objects)?;
        archive.text("manifest.json", described.as_bytes())?;
        let mut before = Vec::new();
        for index in 0..objects.len() {
            let Some(size) = objects.size(index) else {
                before.push(None);
                continue;
            };
            let name = format!("memory/{index}-before.bin");
            let place = archive.entry(&name, size, |to| objects.copy(index, to))?;
            before.push(Some((place, size)));
        }
        Ok((objects, before))
    }

    /// Returns the manifest. Adds sources to the archive and memory to `objects`.
    fn describe(&self, archive: &mut Archive, objects: &mut Objects) -> io::Result<String> {
        let mems = self.arguments.iter().filter_map(|argument| match argument {
            Argument::Mem(mem) => Some(mem),
            _ => None,
        });
        let context = self.program.context();
        let mut numbers = objects.add_all(&mems.collect::<Vec<_>>()).into_iter();
        let places: Vec<_> = self
            .arguments
            .iter()
            .map(|argument| match argument {
                Argument::Mem(_) => numbers.next().map(|number| (number, 0)),
                Argument::Pointer(address) => objects.add_shared(context, *address),
                _ => None,
            })
            .collect();
        objects.add_variables(self.artifact.variables());
        for &address in &self.shared {
            objects.add_shared(context, address);
        }
        objects.follow_pointers(context)?;
        let default_queue = context.default_queue(&self.device);
        let mut result = Ok(());
        let text = Json::of_object(|json| {
            json.number("format", FORMAT);
            json.text("library", super::platform::DRIVER_VERSION);
            json.texts("command", command().iter().map(String::as_str));
            json.text("kernel", &self.kernel.name);
            json.number("launch", wanted().map_or(0, |wanted| wanted.launch));
            json.number("dimensions", self.range.work_dim);
            json.numbers("global", self.range.global);
            json.numbers("local", self.range.local);
            json.numbers("offset", self.range.offset);
            json.number("has_local", self.has_local);
            if let Some(size) = default_queue.and_then(|queue| queue.size().ok()) {
                json.number("default_queue", size);
            }
            json.member("program", |json| {
                result = Origin::of(&self.program, &self.device).write("program/0", archive, json);
            });
            let arguments = self.arguments.iter().zip(&self.kernel.args).zip(places);
            json.objects("arguments", arguments, |json, ((argument, info), place)| {
                describe_argument(json, argument, info, place);
            });
            objects.describe(json);
        });
        result.map(|()| text)
    }
}

fn describe_argument(json: &mut Json, argument: &Argument, info: &ArgInfo, place: Option<(usize, usize)>) {
    json.text("name", &info.name);
    json.text("type", &info.type_name);
    let is_read = info.is_const || info.kind == ArgKind::Constant || info.access == ArgAccess::ReadOnly;
    json.number("is_read_only", is_read);
    if let Some((object, offset)) = place {
        json.text("kind", if matches!(argument, Argument::Mem(_)) { "object" } else { "shared" });
        json.number("object", object);
        json.number("offset", offset);
        return;
    }
    match argument {
        Argument::Value(bytes) => {
            json.text("kind", "value");
            json.numbers("bytes", bytes);
        }
        Argument::Pointer(0) => json.text("kind", "null"),
        Argument::Pointer(address) => {
            json.text("kind", "pointer");
            json.number("address", address);
        }
        // A memory object always has an offset, which is handled above.
        Argument::Mem(_) => {}
        Argument::Sampler(bits) => {
            json.text("kind", "sampler");
            let settings = super::sampler::Settings::of_bits(*bits);
            json.number("normalized", settings.normalized_coords != 0);
            json.number("addressing", settings.addressing_mode);
            json.number("filter", settings.filter_mode);
        }
        Argument::Local(size) => {
            json.text("kind", "local");
            json.number("size", size);
        }
        Argument::Queue(queue) => {
            json.text("kind", "queue");
            json.number("size", queue.size().unwrap_or(0));
        }
    }
}

/// Returns the program's name and its arguments.
fn command() -> Vec<String> {
    std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect()
}

impl Capture {
    /// Adds the results after the end of the launch and of everything that it has enqueued.
    pub fn end(mut self, result: &Result<()>) {
        match self.write_results(result) {
            Ok(()) => {
                if let Err(error) = self.archive.finish() {
                    told(&error);
                }
            }
            Err(error) => {
                told(&error);
                self.archive.give_up();
            }
        }
    }

    fn write_results(&mut self, result: &Result<()>) -> io::Result<()> {
        let mut changed = Vec::new();
        for (index, before) in self.before.iter().enumerate().filter(|_| result.is_ok()) {
            let (Some((place, old)), Some(size)) = (*before, self.objects.size(index)) else { continue };
            let same = size == old
                && self.objects.is_as(index, |from, bytes| self.archive.read(place + from, bytes))?;
            if !same {
                let name = format!("memory/{index}-after.bin");
                self.archive.entry(&name, size, |to| self.objects.copy(index, to))?;
                changed.push(index);
            }
        }
        let text = Json::of_object(|json| {
            json.number("ended", result.is_ok());
            json.numbers("changed", changed);
        });
        self.archive.text("result.json", text.as_bytes())
    }
}

/// Prints the reason why there is no file.
fn told(error: &io::Error) {
    eprintln!("grus: the launch is not captured: {error}");
}

/// Counts of the launches of this process, and the file that lists them with one line per kernel.
struct Counts {
    file: File,
    path: PathBuf,
    end: u64,
    /// Number of launches of each kernel, and the offset of its line.
    kernels: FastMap<String, (u64, u64)>,
    /// Number of launches of the selected kernel, or of all kernels if none is selected.
    launches: u64,
}

/// Number of characters of a count.
// Source: decimal digits of the largest `u64`.
const DIGITS: usize = 20;

impl Counts {
    fn create(folder: &Path) -> io::Result<Counts> {
        let (file, path) = create_file(folder, "launches")?;
        Ok(Counts { file, path, end: 0, kernels: FastMap::default(), launches: 0 })
    }

    /// Counts a launch. Returns its number if launches of this kernel are counted.
    fn count(&mut self, kernel: &str) -> Option<u64> {
        let is_new = !self.kernels.contains_key(kernel);
        let entry = self.kernels.entry(kernel.to_owned()).or_insert((0, self.end));
        entry.0 += 1;
        // The file is written at once, so that it survives the process.
        let written = if is_new {
            let line = format!("{:DIGITS$} {kernel}\n", entry.0);
            self.end += line.len() as u64;
            self.file.write_all_at(line.as_bytes(), entry.1)
        } else {
            self.file.write_all_at(format!("{:DIGITS$}", entry.0).as_bytes(), entry.1)
        };
        // If the disk is full, the list is incomplete.
        drop(written);
        let wanted = wanted().and_then(|wanted| wanted.kernel.as_ref());
        let counts = wanted.is_none_or(|wanted| wanted == kernel);
        self.launches += u64::from(counts);
        counts.then_some(self.launches)
    }
}

/// Counts a launch. Returns the path of the capture file if the launch is the selected one.
fn counted(kernel: &str) -> Option<PathBuf> {
    static COUNTS: Global<Option<Mutex<Counts>>> = Global::of_threads();
    let make = || {
        let folder = &wanted()?.folder;
        let made = Counts::create(Path::new(folder));
        if made.is_err() {
            warn_invalid("GRUS_CAPTURE", "a folder where files can be made", folder);
            STATE.store(OFF, Ordering::Relaxed);
        }
        made.ok().map(Mutex::new)
    };
    let mut counts = COUNTS.get(make).as_ref()?.lock();
    let is_it = counts.count(kernel) == wanted().map(|wanted| wanted.launch);
    is_it.then(|| counts.path.with_extension("tar"))
}
