//! `grus build`: builds kernels as a host program would, and prints the log where compilers print theirs.

mod dependencies;
mod human;
mod kernels;
pub mod log;
mod machine;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::ProgressBar;

pub use human::full as shown_log;
pub use kernels::declaration;

use crate::assembly::Dump;
use crate::cl::{Program, Session};
use crate::cli::{Build, Emit, Format};
use crate::icd;
use crate::library;
use crate::problem::{Problem, Result, failed, input};
use crate::progress;
use crate::run::spec::dimensions;
use crate::source::{File, Source};
use kernels::{CodeRequest, KernelDescription};
use log::Log;

/// Queries of Grus beyond those of the specification (docs/grus.md).
const PREPROCESSED: u32 = 0x4752_0001;
const INCLUDED_FILES: u32 = 0x4752_0002;
const IR: u32 = 0x4752_0003;

/// Outcome of a file.
pub struct Outcome {
    pub file: String,
    /// Name of the error code, if there is one.
    pub error: Option<String>,
    pub log: Log,
    pub milliseconds: f64,
    /// Kernels; `None` for a program that was only compiled.
    pub kernels: Option<Vec<KernelDescription>>,
    lines: usize,
}

/// Builds all files.
///
/// # Errors
/// [`Problem::Reported`] if a program does not build; its log has been printed.
pub fn run(library: Option<&Path>, options: &Build) -> Result<()> {
    check(options)?;
    let local = options.local.as_ref().map(|local| dimensions("--local", local, false)).transpose()?;
    // The variable must be set before the library is loaded.
    let dump = (options.emit == Some(Emit::Asm)).then(Dump::request).transpose()?;
    let device = match &options.vendor {
        Some(name) => library::vendor(name)?,
        None => library::grus(library)?,
    };
    let needs_grus = options.wants_dependencies() || options.emit.is_some_and(|kind| kind != Emit::Binary);
    if needs_grus && !device.is_grus() {
        let name = device.name();
        return input(format!("{name}: only Grus gives preprocessed text, IR, assembly and dependencies"));
    }
    let makes_code = device.is_grus() && (options.kernels || dump.is_some());
    let code = if makes_code { CodeRequest::Code(local.as_deref()) } else { CodeRequest::None };
    let request = BuildRequest { options, code, dump };
    // All files are read first, so that an unreadable file is reported before any result is written.
    let files: Vec<File> =
        options.files.iter().map(|path| File::read(path, &options.options)).collect::<Result<_>>()?;
    let session = Session::new(device)?;
    let mut outcomes = Vec::new();
    let mut units = Vec::new();
    let progress = progress(options);
    for file in &files {
        progress.set_message(file.name.clone());
        let (program, outcome) = build_one(&session, file, &request)?;
        report(&outcome, options, &progress);
        let is_built = outcome.error.is_none();
        outcomes.push(outcome);
        write_dependencies(&program, file, options)?;
        if options.link {
            units.push(program);
        } else if is_built || options.emit == Some(Emit::Preprocessed) {
            emit(&program, &file.name, &request)?;
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    if options.link && outcomes.iter().all(|outcome| outcome.error.is_none()) {
        outcomes.push(link(&units, &request)?);
    }
    summary(&outcomes, options)?;
    if outcomes.iter().any(|outcome| outcome.error.is_some()) { Err(Problem::Reported) } else { Ok(()) }
}

/// Request for a program.
struct BuildRequest<'o> {
    options: &'o Build,
    /// Request for machine code.
    code: CodeRequest<'o>,
    /// Dump from which assembly is read.
    dump: Option<Dump>,
}

/// Reports options that exclude each other.
fn check(options: &Build) -> Result<()> {
    let results = if options.link { 1 } else { options.files.len() };
    if options.output.is_some() && options.emit.is_none() {
        return input("--output without --emit: what is to be written?");
    }
    if options.output.is_some() && results > 1 {
        return input("--output names one file, but there are several results");
    }
    if options.dependency_file.is_some() && options.files.len() > 1 {
        return input("-MF names one file, but there are several sources");
    }
    let to_stdout =
        options.output.as_deref().map_or(options.emit.is_some_and(Emit::is_text), |path| path == "-");
    if to_stdout && matches!(options.format, Format::Json | Format::Sarif) {
        return input("--format and --emit would both be written to standard output: give --output");
    }
    if options.compile && options.emit == Some(Emit::Asm) {
        return input("what is only compiled has no machine code yet: --emit=asm goes without -c");
    }
    if options.local.is_some() && options.emit != Some(Emit::Asm) && !options.kernels {
        return input(
            "--local is the size of groups that code is made for: it goes with --kernels or --emit=asm",
        );
    }
    if options.link && options.emit == Some(Emit::Preprocessed) {
        return input("what is linked is not text: --emit=preprocessed goes without --link");
    }
    Ok(())
}

/// Creates a progress bar on terminals, if there is more than one file.
fn progress(options: &Build) -> ProgressBar {
    let count = options.files.len();
    if count < 2 { ProgressBar::hidden() } else { progress::of_files(count as u64) }
}

/// Builds or compiles one file.
fn build_one<'s>(
    session: &'s Session,
    file: &File,
    request: &BuildRequest<'_>,
) -> Result<(Program<'s>, Outcome)> {
    let options = request.options;
    let program = file.program(session)?;
    let text = file.options(&options.options);
    let began = Instant::now();
    let only_compile = (options.compile || options.link) && !matches!(file.source, Source::Binary(_));
    let built = if only_compile { program.compile(&text)? } else { program.build(&text)? };
    let milliseconds = began.elapsed().as_secs_f64() * 1e3;
    let kernels = (built.error.is_none() && !only_compile)
        .then(|| kernels::describe(&program, request.code))
        .transpose()?;
    let log = log::parse(&built.log);
    let outcome = Outcome {
        file: file.name.clone(),
        error: built.error,
        log,
        milliseconds,
        kernels,
        lines: file.lines(),
    };
    Ok((program, outcome))
}

/// Links compiled programs.
fn link(units: &[Program<'_>], request: &BuildRequest<'_>) -> Result<Outcome> {
    let options = request.options;
    let began = Instant::now();
    let wanted: Vec<&str> =
        options.options.option.iter().map(String::as_str).filter(|o| *o == "-create-library").collect();
    let (program, built) = Program::link(units, &wanted.join(" "))?;
    let milliseconds = began.elapsed().as_secs_f64() * 1e3;
    let file =
        options.output.as_ref().map_or_else(|| "(linked)".to_owned(), |path| path.display().to_string());
    let is_program = built.error.is_none() && wanted.is_empty();
    let kernels = program.as_ref().filter(|_| is_program);
    let kernels = kernels.map(|program| kernels::describe(program, request.code)).transpose()?;
    let log = log::parse(&built.log);
    let outcome = Outcome { file, error: built.error, log, milliseconds, kernels, lines: 0 };
    report(&outcome, options, &ProgressBar::hidden());
    if let Some(program) = program.filter(|_| outcome.error.is_none()) {
        emit(&program, "linked", request)?;
    }
    Ok(outcome)
}

/// Prints the log in the formats for people and editors.
fn report(outcome: &Outcome, options: &Build, progress: &ProgressBar) {
    let mut text = match options.format {
        Format::Human => human::full(&outcome.log, outcome.error.is_some()),
        Format::Gcc => human::lines(&outcome.log),
        Format::Json | Format::Sarif => String::new(),
    };
    let says_nothing = outcome.log.messages.is_empty() && outcome.log.rest.is_empty();
    if let Some(error) = outcome.error.as_ref().filter(|_| says_nothing && !options.format.is_document()) {
        text += &format!("{}: error: {error}, and the log is empty\n", outcome.file);
    }
    // Errors of the terminal are ignored, since there is no place to report them.
    progress.suspend(|| {
        let _ = anstream::stderr().write_all(text.as_bytes());
    });
}

/// Prints the results of all files at the end.
fn summary(outcomes: &[Outcome], options: &Build) -> Result<()> {
    let document = match options.format {
        Format::Json => Some(machine::json(outcomes)),
        Format::Sarif => Some(machine::sarif(outcomes)),
        Format::Human | Format::Gcc => None,
    };
    if let Some(document) = document {
        let text = serde_json::to_string_pretty(&document).map_err(|e| Problem::Failed(e.to_string()))?;
        return write_out("-", (text + "\n").as_bytes());
    }
    if options.kernels {
        for outcome in outcomes {
            if let Some(kernels) = &outcome.kernels {
                if outcomes.len() > 1 {
                    say!("{}:", outcome.file);
                }
                crate::out::text(format_args!("{}", kernels::table(kernels)));
            }
        }
    }
    if options.time {
        outcomes.iter().for_each(tell_time);
    }
    Ok(())
}

fn tell_time(outcome: &Outcome) {
    let lines = match outcome.lines {
        0 => String::new(),
        lines => format!(", {lines} lines"),
    };
    eprintln!("{}: {:.2} ms{lines}", outcome.file, outcome.milliseconds);
}

/// Writes the output that `--emit` selects.
fn emit(program: &Program<'_>, name: &str, request: &BuildRequest<'_>) -> Result<()> {
    let Some(kind) = request.options.emit else { return Ok(()) };
    let bytes = match kind {
        Emit::Binary => program.to_binary()?,
        Emit::Preprocessed => without_end(program.build_info(PREPROCESSED)?),
        Emit::Ir => without_end(program.build_info(IR)?),
        Emit::Asm => request.dump.as_ref().map(Dump::latest).transpose()?.unwrap_or_default().into_bytes(),
    };
    if bytes.is_empty() {
        return failed(format!("{name}: there is nothing to write"));
    }
    let target = target(name, request.options);
    write_out(&target.display().to_string(), &bytes)
}

/// Removes the terminating zero byte from a text.
fn without_end(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.last() == Some(&0) {
        bytes.pop();
    }
    bytes
}

/// Returns the file to which a result is written; texts are written to standard output by default.
fn target(name: &str, options: &Build) -> PathBuf {
    if let Some(path) = &options.output {
        return path.clone();
    }
    match options.emit {
        Some(kind) if kind.is_text() => "-".into(),
        _ => sibling_path(name, "clbin"),
    }
}

/// Returns a file in the current folder, as compilers choose it.
fn sibling_path(name: &str, extension: &str) -> PathBuf {
    let stem = if name == "-" { None } else { Path::new(name).file_stem() };
    PathBuf::from(stem.unwrap_or("stdin".as_ref())).with_extension(extension)
}

fn write_out(path: &str, bytes: &[u8]) -> Result<()> {
    let written = if path == "-" { std::io::stdout().write_all(bytes) } else { fs::write(path, bytes) };
    written.map_err(|error| Problem::Failed(format!("{path}: {}", icd::plain(&error))))
}

fn write_dependencies(program: &Program<'_>, file: &File, options: &Build) -> Result<()> {
    if !options.wants_dependencies() || matches!(file.source, Source::Binary(_)) {
        return Ok(());
    }
    let target = options.output.clone().unwrap_or_else(|| sibling_path(&file.name, "clbin"));
    let headers = program.build_info(INCLUDED_FILES)?;
    let headers =
        String::from_utf8_lossy(&without_end(headers)).lines().map(str::to_owned).collect::<Vec<_>>();
    let text = dependencies::rule(&target, Path::new(&file.name), &headers);
    let place = options.dependency_file.clone().unwrap_or_else(|| target.with_extension("d"));
    write_out(&place.display().to_string(), text.as_bytes())
}
