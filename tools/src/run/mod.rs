//! `grus run`: runs a kernel without a host program.

mod content;
mod npy;
mod picture;
mod plan;
pub mod result;
pub mod spec;
pub mod texels;
pub mod timing;
pub mod types;

pub use plan::shown_size;
pub use timing::time;

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::assembly;
use crate::build::{log, shown_log};
use crate::cl::*;
use crate::cli::Run;
use crate::library;
use crate::problem::{Problem, Result, failed, input};
use crate::progress;
use crate::source::File;
use content::Random;
use plan::{Facts, Planned};
use result::Output;
use types::Element;

/// Runs a kernel on Grus and, if requested, on another vendor, and prints, writes or compares its results.
///
/// # Errors
/// If the input is invalid, the program does not build, the kernel faults, or results differ.
pub fn run(library: Option<&Path>, options: &Run) -> Result<()> {
    let request = Request::read(options)?;
    let dump = options.asm.as_ref().map(|_| assembly::Dump::request()).transpose()?;
    let device = library::grus(library)?;
    // The vendor is looked up before anything runs, so that a wrong name is reported at once.
    let other = options.vendor.as_deref().map(library::vendor).transpose()?;
    let file = File::read(&options.file, &options.options)?;
    let mut shared = None;
    let ours = execute(device, &file, &request, &mut shared)?;
    if let (Some(path), Some(dump)) = (&options.asm, dump) {
        assembly::write(path, &dump.latest()?)?;
    }
    let theirs = other.map(|device| execute(device, &file, &request, &mut shared)).transpose()?;
    show(&ours, theirs.as_ref(), &request);
    write(&ours, &request)?;
    let mut wrong = 0;
    for (name, word) in &request.expected {
        wrong += expect(&ours, name, word, &request)?;
    }
    if let Some(theirs) = &theirs {
        wrong += compare(&ours, theirs, options.tolerance);
    }
    if wrong == 0 { Ok(()) } else { Err(Problem::Reported) }
}

/// Parsed options.
struct Request<'o> {
    options: &'o Run,
    range: Range,
    types: Vec<(String, Element)>,
    written: Vec<(String, PathBuf)>,
    expected: Vec<(String, String)>,
}

impl Request<'_> {
    fn read(options: &Run) -> Result<Request<'_>> {
        let global = spec::dimensions("-g", &options.global, false)?;
        if global.iter().try_fold(1usize, |product, &size| product.checked_mul(size)).is_none() {
            return input(format!("-g {}: there are too many work-items", options.global));
        }
        let of = |option: &str, text: &Option<String>, zero| {
            let found = text.as_ref().map(|text| spec::dimensions(option, text, zero)).transpose()?;
            match found.as_ref().filter(|sizes| sizes.len() != global.len()) {
                Some(sizes) => {
                    input(format!("{option} has {} dimensions, -g has {}", sizes.len(), global.len()))
                }
                None => Ok(found),
            }
        };
        let (local, offset) = (of("-l", &options.local, false)?, of("-o", &options.offset, true)?);
        if !options.tolerance.is_finite() || options.tolerance < 0.0 {
            return input("--tolerance takes a number from 0 on");
        }
        let types = pairs("--type", &options.types)?
            .into_iter()
            .map(|(name, text)| match Element::named(&text) {
                Some(element) => Ok((name, element)),
                None => input(format!("--type {name}={text}: there is no such scalar or vector")),
            })
            .collect::<Result<_>>()?;
        Ok(Request {
            options,
            range: Range { offset, global, local },
            types,
            written: pairs("--write", &options.write)?
                .into_iter()
                .map(|(name, file)| (name, file.into()))
                .collect(),
            expected: pairs("--expect", &options.expect)?,
        })
    }

    fn facts(&self) -> Facts<'_> {
        Facts { range: &self.range, seed: self.options.seed, types: &self.types }
    }

    fn items(&self) -> usize {
        self.range.global.iter().product()
    }
}

/// Parses words of the form `NAME=VALUE`.
pub fn pairs(option: &str, words: &[String]) -> Result<Vec<(String, String)>> {
    words
        .iter()
        .map(|word| match word.split_once('=') {
            Some((name, value)) if !name.is_empty() && !value.is_empty() => {
                Ok((name.to_owned(), value.to_owned()))
            }
            _ => input(format!("{option} {word}: it takes the name of an argument, as in {option} out=...")),
        })
        .collect()
}

/// Results of a kernel on one device.
struct Execution {
    device: String,
    kernel: String,
    outputs: Vec<Output>,
    /// Time of the first run in nanoseconds.
    first: u64,
    times: Vec<u64>,
    /// Total size of all buffers and images in bytes.
    bytes: usize,
}

/// Builds, runs, reads results, and runs again to measure. The kernel of the first device determines the arguments.
fn execute(
    device: Device,
    file: &File,
    request: &Request<'_>,
    shared: &mut Option<Shared>,
) -> Result<Execution> {
    let session = Session::new(device)?;
    let program = file.program(&session)?;
    let built = program.build(&file.options(&request.options.options))?;
    let text = shown_log(&log::parse(&built.log), built.error.is_some());
    let _ = anstream::stderr().write_all(text.as_bytes());
    if let Some(error) = built.error {
        return if text.is_empty() {
            failed(format!("{}: {error}", device.name()))
        } else {
            Err(Problem::Reported)
        };
    }
    let name = kernel_name(&program, request.options.kernel.as_deref())?;
    let kernel = program.kernel(&name)?;
    let shared = match shared {
        Some(shared) => &*shared,
        None => shared.insert(Shared::new(&kernel, request)?),
    };
    let bound: Vec<Bound<'_>> =
        shared.planned.iter().map(|planned| bind(&session, planned)).collect::<Result<_>>()?;
    for (index, (bound, parameter)) in bound.iter().zip(&shared.parameters).enumerate() {
        set(&kernel, index, bound)
            .map_err(|problem| problem.of(format!("argument {index}, {}", parameter.name)))?;
    }
    let mut range = request.range.clone();
    if range.local.is_none() {
        // A work-group size that the kernel requires takes precedence.
        let required = kernel.resources()?.required_size;
        range.local =
            required.map(|size| size.iter().take(range.global.len()).map(|&size| size as usize).collect());
    }
    let first = session.run(&kernel, &range)?;
    let outputs = shared.outputs(&bound)?;
    let times = measure(&session, &kernel, &range, request.options)?;
    Ok(Execution { device: device.name(), kernel: name, outputs, first, times, bytes: shared.bytes() })
}

/// Returns the name of the requested kernel.
fn kernel_name(program: &Program<'_>, wanted: Option<&str>) -> Result<String> {
    let names = program.kernel_names()?;
    match (wanted, names.as_slice()) {
        (Some(wanted), _) if names.iter().any(|name| name == wanted) => Ok(wanted.to_owned()),
        (_, []) => input("the program has no kernel"),
        (None, [only]) => Ok(only.clone()),
        (Some(wanted), _) => input(format!("the program has no kernel {wanted:?}, but {}", names.join(", "))),
        (None, _) => input(format!("which kernel? -k takes one of {}", names.join(", "))),
    }
}

/// Arguments that all devices receive.
struct Shared {
    parameters: Vec<Parameter>,
    planned: Vec<Planned>,
}

impl Shared {
    fn new(kernel: &Kernel<'_>, request: &Request<'_>) -> Result<Shared> {
        let parameters = kernel.parameters().map_err(|_| {
            Problem::Input(
                "the binary does not say what its arguments are: build it with -cl-kernel-arg-info".into(),
            )
        })?;
        let planned = plan::plan(&parameters, &request.options.arguments, &request.facts())?;
        let named = request.written.iter().map(|(name, _)| name);
        let named = named.chain(request.expected.iter().map(|(name, _)| name)).chain(&request.options.print);
        for name in named {
            match parameters.iter().zip(&planned).find(|(parameter, _)| parameter.name == *name) {
                None => return input(plan::no_such(name, &parameters)),
                Some((_, Planned::Buffer { .. } | Planned::Image { .. })) => {}
                Some(_) => return input(format!("{name} is no buffer and no image")),
            }
        }
        Ok(Shared { parameters, planned })
    }

    fn bytes(&self) -> usize {
        let size = |planned: &Planned| match planned {
            Planned::Buffer { bytes, .. } | Planned::Image { bytes, .. } => bytes.len(),
            _ => 0,
        };
        self.planned.iter().map(size).sum()
    }

    /// Reads all buffers and images.
    fn outputs(&self, bound: &[Bound<'_>]) -> Result<Vec<Output>> {
        let mut outputs = Vec::new();
        for ((parameter, planned), bound) in self.parameters.iter().zip(&self.planned).zip(bound) {
            let name = parameter.name.clone();
            let is_read = parameter.qualifiers.contains(&"const") || parameter.space == Space::Constant;
            let is_written = !is_read && parameter.access != Some("read_only");
            match (planned, bound) {
                (Planned::Buffer { element, size, bytes }, Bound::Buffer(buffer)) => {
                    let mut read = buffer.read()?;
                    read.truncate(bytes.len());
                    outputs.push(Output {
                        name,
                        element: *element,
                        format: None,
                        size: size.clone(),
                        bytes: read,
                        is_written,
                    });
                }
                (Planned::Image { format, size, .. }, Bound::Image(image)) => {
                    let (element, bytes) = (format.element(), image.read(format.size())?);
                    outputs.push(Output {
                        name,
                        element,
                        format: Some(*format),
                        size: size.clone(),
                        bytes,
                        is_written,
                    });
                }
                _ => {}
            }
        }
        Ok(outputs)
    }
}

/// Argument on a device.
enum Bound<'s> {
    Buffer(Buffer<'s>),
    Image(Image<'s>),
    Sampler(Sampler<'s>),
    Value(Vec<u8>),
    Local(usize),
    Null,
}

fn bind<'s>(session: &'s Session, planned: &Planned) -> Result<Bound<'s>> {
    Ok(match planned {
        Planned::Buffer { bytes, .. } => {
            let buffer = session.buffer(bytes.len())?;
            buffer.write(bytes)?;
            Bound::Buffer(buffer)
        }
        Planned::Image { format, desc, bytes, .. } => {
            let image = session.image(format.of_api, *desc)?;
            image.write(bytes, format.size())?;
            Bound::Image(image)
        }
        Planned::Sampler { normalized, addressing, filter } => {
            Bound::Sampler(session.sampler(*normalized, *addressing, *filter)?)
        }
        Planned::Value(bytes) => Bound::Value(bytes.clone()),
        Planned::Local(size) => Bound::Local(*size),
        Planned::Null => Bound::Null,
    })
}

fn set(kernel: &Kernel<'_>, index: usize, bound: &Bound<'_>) -> Result<()> {
    let result = match bound {
        Bound::Buffer(buffer) => kernel.set_buffer(index, buffer),
        Bound::Image(image) => kernel.set_image(index, image),
        Bound::Sampler(sampler) => kernel.set_sampler(index, sampler),
        Bound::Value(bytes) => kernel.set_bytes(index, bytes),
        Bound::Local(size) => kernel.set_local(index, *size),
        Bound::Null => kernel.set_null(index),
    };
    // A mismatch is a mistake of the user's input.
    result.map_err(|problem| Problem::Input(problem.to_string()))
}

/// Returns the nanoseconds of the requested runs, after those for warming up.
fn measure(session: &Session, kernel: &Kernel<'_>, range: &Range, options: &Run) -> Result<Vec<u64>> {
    let Some(count) = options.repeat else { return Ok(Vec::new()) };
    let bar = progress::of_runs(u64::from(count + options.warmup));
    let mut times = Vec::new();
    for index in 0..count + options.warmup {
        let time = session.run(kernel, range)?;
        if index >= options.warmup {
            times.push(time);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(times)
}

/// Prints results and times.
fn show(ours: &Execution, theirs: Option<&Execution>, request: &Request<'_>) {
    let options = request.options;
    if !options.quiet {
        // Buffers that the kernel only reads are not printed by default.
        let is_selected = |output: &&Output| match options.print.is_empty() {
            true => output.is_written,
            false => options.print.contains(&output.name),
        };
        let most = if options.print.is_empty() {
            options.elements.unwrap_or(8)
        } else {
            options.elements.unwrap_or(0)
        };
        for output in ours.outputs.iter().filter(is_selected) {
            say!("{}", output.shown(most));
        }
    }
    if options.repeat.is_some() {
        for execution in [Some(ours), theirs].into_iter().flatten() {
            let times = timing::shown(&execution.times, request.items(), execution.bytes);
            say!(
                "{} on {}: {times}; the first {}",
                execution.kernel,
                execution.device,
                timing::time(execution.first as f64)
            );
        }
    }
}

fn write(execution: &Execution, request: &Request<'_>) -> Result<()> {
    for (name, path) in &request.written {
        let output = execution.outputs.iter().find(|output| output.name == *name);
        output.ok_or_else(|| Problem::Input(format!("{name} is no result")))?.write(path)?;
    }
    Ok(())
}

/// Compares a result with its expectation. Returns the number of differing elements.
fn expect(execution: &Execution, name: &str, word: &str, request: &Request<'_>) -> Result<usize> {
    let output = execution.outputs.iter().find(|output| output.name == name);
    let output = output.ok_or_else(|| Problem::Input(format!("{name} is no result")))?;
    let wanted = expected(output, word, request).map_err(|problem| problem.of(format!("--expect {name}")))?;
    if wanted.len() != output.bytes.len() {
        let (has, should) = (output.bytes.len(), wanted.len());
        return input(format!("--expect {name}: it has {has} bytes, what is expected {should}"));
    }
    Ok(report_differences(&output.differences(&wanted, request.options.tolerance), name, "what is expected"))
}

/// Returns the bytes of an expectation, by default as many as the result has.
fn expected(output: &Output, word: &str, request: &Request<'_>) -> Result<Vec<u8>> {
    let mut spec = spec::parse(word)?;
    let random = &mut Random::new(request.options.seed, 0);
    let is_file = matches!(spec.content, spec::Content::File(_));
    if let Some(format) = &output.format {
        let target = content::Target::Texels(format);
        return match &spec.content {
            spec::Content::File(path) => Ok(content::load(path, &target)?.bytes),
            content => content::generate(content, &target, output.bytes.len() / format.size(), random),
        };
    }
    if spec.size.is_none() && !is_file {
        spec.size = Some(output.size.clone());
    }
    match plan::buffer(&spec, output.element, &request.facts(), random)? {
        Planned::Buffer { bytes, .. } => Ok(bytes),
        _ => failed("an expectation is a buffer"),
    }
}

/// Compares the results of two devices. Returns the number of differing elements.
fn compare(ours: &Execution, theirs: &Execution, tolerance: f64) -> usize {
    let pairs = ours.outputs.iter().zip(&theirs.outputs).filter(|(a, _)| a.is_written);
    pairs.map(|(a, b)| report_differences(&a.differences(&b.bytes, tolerance), &a.name, &theirs.device)).sum()
}

/// Prints the differences between a result and another one. Returns their number.
pub fn report_differences(found: &result::Differences, name: &str, other: &str) -> usize {
    found.first.iter().for_each(|line| eprintln!("{line}"));
    if found.count > 0 {
        let plural = if found.count == 1 { "differs" } else { "differ" };
        eprintln!("{name}: {} {plural} from {other}, by {:.3e} at most", found.count, found.worst);
    } else {
        say!("{name}: as {other} (largest difference {:.3e})", found.worst);
    }
    found.count
}
