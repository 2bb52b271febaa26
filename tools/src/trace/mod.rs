//! `grus trace`: runs a program with Grus as its only vendor, has the library record its calls and commands
//! (`GRUS_TRACE`), and converts the recording to a timeline or a summary.

#[allow(dead_code, reason = "the library's own; it needs other parts of it")]
#[path = "../../../src/support/trace/format.rs"]
mod format;
mod kinds;
mod recording;
mod summary;
#[cfg(test)]
mod tests;
mod timeline;

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::child;
use crate::cli::{Plain, Trace};
use crate::problem::{Problem, Result, failed, input, wrong};
use crate::progress;
use recording::Recording;
use summary::Summary;

/// Extension of recordings.
const EXTENSION: &str = "grusrec";

/// Records the program, or reads existing recordings. Ends this process as the program has ended, if one was run.
///
/// # Errors
/// If the program cannot be run, if there is no readable recording, or if the result cannot be written.
pub fn run(library: Option<&Path>, options: &Trace) -> Result<()> {
    // The output file is created before the program runs, so that an invalid path is reported at once.
    let mut output = options.output().map(create).transpose()?;
    let mut summary = options.summary_file.as_deref().map(create).transpose()?;
    if let Some(folder) = &options.read {
        let recordings = read(folder)?;
        if recordings.is_empty() {
            return input(format!("{}: there is no recording", folder.display()));
        }
        return write_results(options, &recordings, output.as_mut(), summary.as_mut());
    }
    let prepare = |command: &mut Command, folder: &Path| {
        command.env("GRUS_TRACE", folder);
    };
    child::record(library, &options.program.command, "trace", prepare, |folder| {
        let recordings = read(folder)?;
        if recordings.is_empty() {
            eprintln!("grus: nothing is recorded: the program has not used OpenCL, or not by this library");
        }
        write_results(options, &recordings, output.as_mut(), summary.as_mut())
    })
}

fn create(path: &Path) -> Result<(PathBuf, File)> {
    let file = File::create(path).map_err(|error| wrong(path, &error))?;
    Ok((path.to_owned(), file))
}

/// Returns the recordings of a folder, in the order of their process ids.
fn read(folder: &Path) -> Result<Vec<Recording>> {
    let entries = fs::read_dir(folder).map_err(|error| wrong(folder, &error))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
    paths.sort();
    let mut recordings = Vec::new();
    for path in paths {
        let bytes = fs::read(&path).map_err(|error| wrong(&path, &error))?;
        let recording =
            Recording::read(&bytes).map_err(|why| Problem::Failed(format!("{}: {why}", path.display())))?;
        // A process that ended before its first call leaves an empty recording.
        if !recording.threads.is_empty() {
            recordings.push(recording);
        }
    }
    Ok(recordings)
}

/// Writes the timeline and the summary, if requested.
fn write_results(
    options: &Trace,
    recordings: &[Recording],
    output: Option<&mut (PathBuf, File)>,
    summary: Option<&mut (PathBuf, File)>,
) -> Result<()> {
    if let Some((path, file)) = output {
        let bar = progress::of_writing(path);
        let written = timeline::write(recordings, BufWriter::new(bar.wrap_write(file)));
        bar.finish_and_clear();
        let count = written.map_err(|error| wrong(path, &error))?;
        if !options.wants_summary() {
            eprintln!("grus: {}: {count} events; Perfetto (ui.perfetto.dev) opens it", path.display());
        }
    }
    if !options.wants_summary() {
        return Ok(());
    }
    let made = Summary::of(recordings);
    let text = match options.format {
        Plain::Human => made.table(),
        Plain::Json => match serde_json::to_string(&made) {
            Ok(text) => text + "\n",
            Err(error) => return failed(error.to_string()),
        },
    };
    match summary {
        Some((path, file)) => {
            io::Write::write_all(file, text.as_bytes()).map_err(|error| wrong(path, &error))
        }
        None => {
            eprint!("{text}");
            Ok(())
        }
    }
}
