//! `grus replay`: runs a captured launch again, on Grus and on other vendors, and compares the results with those
//! captured.

mod compare;
mod memory;
mod pipes;
mod program;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::capture::file::{Capture, Depth, MANIFEST, OUTCOME, contents_name};
use crate::capture::manifest::{Manifest, Object};
use crate::capture::{arguments, headline};
use crate::cl::{Device, Kernel, Range, Session};
use crate::cli::Replay;
use crate::problem::{Problem, Result, input, wrong};
use crate::run::types::Element;
use crate::run::{self, spec, timing};
use crate::{library, progress};
use memory::Memory;
use program::{BuiltProgram, Changes};

/// Runs a captured launch, or describes its file.
///
/// # Errors
/// If the input is invalid, the program does not build, the kernel faults, or results differ.
pub fn run(library: Option<&Path>, options: &Replay) -> Result<()> {
    let depth = if options.show { Depth::Description } else { Depth::All };
    let capture = Capture::open(&options.file, depth)?;
    if options.show {
        say!("{}", headline(&capture));
        say!("of {}, with Grus {}", capture.manifest.command.join(" "), capture.manifest.library);
        crate::out::text(format_args!("{}", arguments(&capture)));
        return Ok(());
    }
    if let Some(folder) = &options.extract {
        return extract(&capture, &options.file, folder);
    }
    let request = Request::read(options, &capture)?;
    let mut devices = Vec::new();
    if !options.without_grus {
        devices.push(library::grus(library)?);
    }
    // Vendors are looked up before anything runs, so that a wrong name is reported at once.
    for vendor in &options.vendor {
        devices.push(library::vendor(vendor)?);
    }
    if devices.is_empty() {
        return input("--without-grus: name another vendor with --vendor");
    }
    if capture.outcome.as_ref().is_none_or(|outcome| !outcome.ended) && !options.no_compare {
        eprintln!(
            "grus: the launch had not ended well when it was captured: there is nothing to compare with"
        );
    }
    let (mut differ, mut failures) = (0, 0);
    let is_only = devices.len() == 1;
    for device in devices {
        match replay(device, &capture, &request) {
            Ok(found) => differ += found,
            Err(problem) if is_only => return Err(problem.of(device.name())),
            // A failure of one device does not stop the others.
            Err(problem) => {
                failures += 1;
                crate::report(&problem.of(device.name()));
            }
        }
    }
    if differ + failures == 0 { Ok(()) } else { Err(Problem::Reported) }
}

/// Parsed options.
struct Request<'o> {
    options: &'o Replay,
    changes: Changes,
    types: Vec<(String, Element)>,
    range: Range,
}

impl Request<'_> {
    fn read<'o>(options: &'o Replay, capture: &Capture) -> Result<Request<'o>> {
        if !options.tolerance.is_finite() || options.tolerance < 0.0 {
            return input("--tolerance takes a number from 0 on");
        }
        let text = |path: &std::path::PathBuf| match fs::read(path) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) => Err(Problem::Input(wrong(path, &error).to_string())),
        };
        let sources = options.source.iter().map(text).collect::<Result<_>>()?;
        let types = run::pairs("--type", &options.types)?
            .into_iter()
            .map(|(name, text)| match Element::named(&text) {
                Some(_) if !capture.manifest.arguments.iter().any(|argument| argument.name == name) => {
                    input(format!("--type {name}: the kernel has no such argument"))
                }
                Some(element) => Ok((name, element)),
                None => input(format!("--type {name}={text}: there is no such scalar or vector")),
            })
            .collect::<Result<_>>()?;
        let changes = Changes { sources, options: options.set_options.clone() };
        Ok(Request { options, changes, types, range: range(options, &capture.manifest)? })
    }
}

/// Returns the captured range, with the requested work-group size.
fn range(options: &Replay, manifest: &Manifest) -> Result<Range> {
    let used = |sizes: [usize; 3]| sizes[..manifest.dimensions].to_vec();
    let local = match options.local.as_deref() {
        None => manifest.has_local.then(|| used(manifest.local)),
        Some("any") => None,
        Some(text) => {
            let local = spec::dimensions("-l", text, false)?;
            if local.len() != manifest.dimensions {
                return input(format!(
                    "-l has {} dimensions, the launch {}",
                    local.len(),
                    manifest.dimensions
                ));
            }
            Some(local)
        }
    };
    Ok(Range { offset: Some(used(manifest.offset)), global: used(manifest.global), local })
}

/// Runs the launch on a device. Returns the number of differing elements.
fn replay(device: Device, capture: &Capture, request: &Request<'_>) -> Result<usize> {
    let session = Session::new(device)?;
    let mut launch = Launch::new(&session, capture, request)?;
    launch.restore()?;
    let first = session.run(&launch.kernel, &request.range)?;
    let differ = if request.options.no_compare { 0 } else { launch.compare()? };
    let name = format!("{} on {}", capture.manifest.kernel, session.name());
    match request.options.repeat {
        None => say!("{name}: {}", timing::time(first as f64)),
        Some(count) => {
            let times = launch.measure(count)?;
            let items = request.range.global.iter().product();
            let bytes = capture.before.values().map(Vec::len).sum();
            say!("{name}: {}; the first {}", timing::shown(&times, items, bytes), timing::time(first as f64));
        }
    }
    Ok(differ)
}

/// Captured launch on a device.
struct Launch<'s, 'c> {
    session: &'s Session,
    capture: &'c Capture,
    request: &'c Request<'c>,
    program: BuiltProgram<'s>,
    kernel: Kernel<'s>,
    memory: Memory<'s, 'c>,
}

impl<'s, 'c> Launch<'s, 'c> {
    fn new(session: &'s Session, capture: &'c Capture, request: &'c Request<'c>) -> Result<Launch<'s, 'c>> {
        let program = program::build(session, capture, &request.changes)?;
        let kernel = program.program.kernel(&capture.manifest.kernel)?;
        let memory = Memory::new(session, capture)?;
        Ok(Launch { session, capture, request, program, kernel, memory })
    }

    /// Restores all memory to its state before the launch.
    fn restore(&mut self) -> Result<()> {
        self.memory.restore()?;
        self.program.restore(self.session, self.capture)?;
        self.memory.set(&self.kernel)
    }

    /// Compares the results with those captured. Returns the number of differing elements.
    fn compare(&self) -> Result<usize> {
        let manifest = &self.capture.manifest;
        let variables = self.program.read(self.session)?;
        let (mut differ, mut unknown, mut same) = (0, BTreeSet::new(), 0);
        for object in 0..manifest.objects.len() {
            let Some(expected) = self.capture.results(object) else { continue };
            let of_program = variables.iter().find(|(variable, _)| *variable == object);
            let found = of_program.map(|(_, bytes)| bytes.clone());
            let Some(found) = found.map_or_else(|| self.memory.read(object), |found| Ok(Some(found)))? else {
                unknown.insert(manifest.name(object));
                continue;
            };
            let is_changed = self.capture.is_changed(object);
            if !is_changed && found == expected {
                same += 1;
                continue;
            }
            differ += self.report(object, found, expected);
        }
        if same > 0 {
            let (were, objects) = if same == 1 { ("was", "object that") } else { ("were", "objects that") };
            say!("{same} {objects} {were} only read: unchanged");
        }
        if !unknown.is_empty() {
            let names: Vec<&str> = unknown.iter().map(String::as_str).collect();
            eprintln!(
                "grus: variables of the program began with their initial values, and are not compared: {}",
                names.join(", ")
            );
        }
        Ok(differ)
    }

    /// Prints the differences of an object. Returns their number.
    fn report(&self, object: usize, found: Vec<u8>, expected: &[u8]) -> usize {
        let (found_size, size) = (found.len(), expected.len());
        let output = compare::output(self.capture, object, found, &self.request.types);
        if found_size != size {
            eprintln!("{}: {found_size} bytes, {size} when it was captured", output.name);
            return 1;
        }
        run::report_differences(
            &output.differences(expected, self.request.options.tolerance),
            &output.name,
            "captured",
        )
    }

    /// Returns the nanoseconds of `count` launches, each of which starts from the captured memory.
    fn measure(&mut self, count: u32) -> Result<Vec<u64>> {
        let warmup = self.request.options.warmup;
        let bar = progress::of_runs(u64::from(count) + u64::from(warmup));
        let mut times = Vec::new();
        for index in 0..u64::from(count) + u64::from(warmup) {
            self.restore()?;
            let time = self.session.run(&self.kernel, &self.request.range)?;
            if index >= u64::from(warmup) {
                times.push(time);
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(times)
    }
}

/// Writes the contents of a file to a folder, which can be replayed like the file.
fn extract(capture: &Capture, file: &Path, folder: &Path) -> Result<()> {
    if file.is_dir() {
        return input(format!("{}: it is extracted already", file.display()));
    }
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::write(&path, bytes)).map_err(|error| wrong(&path, &error))
    };
    put(MANIFEST, &capture.manifest_text)?;
    if let Some(text) = &capture.outcome_text {
        put(OUTCOME, text)?;
    }
    for (name, bytes) in
        capture.manifest.program.files().iter().filter_map(|name| capture.files.get_key_value(*name))
    {
        put(name, bytes)?;
    }
    for (list, is_after) in [(&capture.before, false), (&capture.after, true)] {
        for (object, bytes) in list {
            put(&contents_name(*object, is_after), bytes)?;
        }
    }
    let sources = program::source_files(&capture.manifest.program);
    let named: Vec<String> = sources.iter().map(|file| folder.join(file).display().to_string()).collect();
    let named = if named.is_empty() { "a binary".into() } else { named.join(", ") };
    say!("{}: {named}; `grus replay {}` runs it", folder.display(), folder.display());
    let is_variable = |object: &Object| matches!(object, Object::Variable { .. });
    if capture.manifest.objects.iter().any(is_variable) && sources.len() != 1 {
        eprintln!("grus: the program has variables, which only a program of one source is given");
    }
    Ok(())
}
