//! One launch of a kernel as a file (GRUS_CAPTURE): the program, the arguments, all memory that it can reach before and after. `grus
//! capture` asks for it, `grus replay` runs it; `docs/capture.md` says what is in the file.
//!
//! What is captured is read where the launch runs, on the thread that runs it, so that it is what the commands before have left. The
//! file is complete but for the results when the kernel begins: if that ends the process, the file is there. Launches are counted in
//! a file of their own as long as none was captured, so that a user who waits for one that never comes learns which there were.
//!
//! Nothing here ever fails for the application: if the file cannot be written, that is told on standard error.

mod archive;
mod json;
mod objects;
mod origin;

use std::fs::{File, OpenOptions};
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
use crate::exec::NdRange;
use crate::support::FastMap;
use crate::support::environment::{Capture as Wanted, environment, warn_invalid};
use crate::support::fork::Global;
use crate::support::sync::Mutex;

use archive::Archive;
use json::Json;
use objects::Objects;
pub(in crate::runtime) use origin::Origin;

/// The version of what is in a file.
const FORMAT: u32 = 1;

/// Whether this process still waits for the launch: unknown, no, yes.
static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;

/// Whether launches are to be shown to [`Snapshot::begin`].
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
    // Who comes at the same time finds the same.
    STATE.store(if is_on { ON } else { OFF }, Ordering::Relaxed);
    is_on
}

/// Returns the launch that the user wants.
fn wanted() -> Option<&'static Wanted> {
    environment().capture.as_ref()
}

/// An argument as a launch has it.
pub(super) enum Argument {
    Value(Vec<u8>),
    /// A pointer that is no memory object: null, or shared virtual memory, or any memory of the process.
    Pointer(usize),
    Mem(Arc<Object<Mem>>),
    /// [`crate::image::Sampler::bits`].
    Sampler(u32),
    /// Bytes of local memory.
    Local(u64),
    Queue(Arc<Object<Queue>>),
}

/// A launch as it was enqueued.
pub(super) struct Snapshot {
    pub program: Arc<Object<Program>>,
    pub artifact: Arc<Artifact>,
    pub device: Arc<Object<Device>>,
    pub kernel: Arc<KernelInfo>,
    pub arguments: Vec<Argument>,
    /// What clSetKernelExecInfo has named.
    pub shared: Vec<usize>,
    pub range: NdRange,
    /// Whether the application has given the size of groups.
    pub has_local: bool,
}

/// A file that lacks the results.
pub(super) struct Capture {
    archive: Archive,
    objects: Objects,
    before: ContentsTable,
}

/// For each object where its contents lie in the file, and how many bytes they are, if it has any.
type ContentsTable = Vec<Option<(u64, u64)>>;

impl Snapshot {
    /// The launch begins. If it is the one that is wanted, what it reads is in the file now.
    pub fn begin(&self) -> Option<Capture> {
        let path = counted(&self.kernel.name)?;
        // No other launch after this one.
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

    /// The manifest. Sources are added to the archive, memory to the objects.
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
        // Its object has a place.
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

/// The program and its arguments.
fn command() -> Vec<String> {
    std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect()
}

impl Capture {
    /// The launch has ended, and all that it has enqueued: adds what it made of the memory.
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

/// Says why there is no file.
fn told(error: &io::Error) {
    eprintln!("grus: the launch is not captured: {error}");
}

/// Launches of this process so far, and the file that tells of them: a line for each kernel.
struct Counts {
    file: File,
    /// Without an extension.
    path: PathBuf,
    end: u64,
    /// For each kernel how many launches there were, and where its line begins.
    kernels: FastMap<String, (u64, u64)>,
    /// Of those that count.
    launches: u64,
}

/// Characters of a count.
const DIGITS: usize = 20;

/// Files of processes of the same number, at most: a process that becomes another program keeps its number.
const MOST: u32 = 1000;

impl Counts {
    fn create(folder: &Path) -> io::Result<Counts> {
        let mut last = io::ErrorKind::AlreadyExists.into();
        for attempt in 0..MOST {
            let path = folder.join(format!("{}-{attempt}", std::process::id()));
            match OpenOptions::new().create_new(true).write(true).open(path.with_extension("launches")) {
                Ok(file) => {
                    return Ok(Counts { file, path, end: 0, kernels: FastMap::default(), launches: 0 });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    /// Counts a launch; its number if launches of this kernel are counted.
    fn count(&mut self, kernel: &str) -> Option<u64> {
        let is_new = !self.kernels.contains_key(kernel);
        let entry = self.kernels.entry(kernel.to_owned()).or_insert((0, self.end));
        entry.0 += 1;
        // What is written is in the file, whatever becomes of the process.
        let written = if is_new {
            let line = format!("{:DIGITS$} {kernel}\n", entry.0);
            self.end += line.len() as u64;
            self.file.write_all_at(line.as_bytes(), entry.1)
        } else {
            self.file.write_all_at(format!("{:DIGITS$}", entry.0).as_bytes(), entry.1)
        };
        // Without room for it, less is told.
        drop(written);
        let wanted = wanted().and_then(|wanted| wanted.kernel.as_ref());
        let counts = wanted.is_none_or(|wanted| wanted == kernel);
        self.launches += u64::from(counts);
        counts.then_some(self.launches)
    }
}

/// Counts a launch. If it is the one that is wanted, where the file of it is to be.
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
