//! `grus capture`: runs a program with Grus as its only vendor, has the library write one launch of a kernel to a
//! file (`GRUS_CAPTURE`), and compresses that file.

pub mod file;
pub mod manifest;
mod show;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::cli;
use crate::problem::{Result, failed, wrong};
use crate::{child, progress};
use file::{Capture, Depth};

pub use show::{arguments, headline, launches, size_text};

/// File extensions that the library uses for each process: counts of launches, the captured launch, and a captured
/// launch that has not ended.
const LAUNCHES: &str = "launches";
const ARCHIVE: &str = "tar";
const PART: &str = "part";

/// Variables that make programs build from source. Only these programs have such variables.
const NO_CACHES: [(&str, &str); 2] = [("PYOPENCL_NO_CACHE", "1"), ("OPENCV_OPENCL_CACHE_ENABLE", "0")];

/// End of an archive: two empty blocks.
const END: [u8; 1024] = [0; 1024];

/// Captures a launch of the program. Ends this process as the program has ended.
///
/// # Errors
/// If the program cannot be run, if there was no such launch, or if the file cannot be written.
pub fn run(library: Option<&Path>, options: &cli::Capture) -> Result<()> {
    if let Some(folder) = &options.read {
        return finish(options, folder);
    }
    let prepare = |command: &mut Command, folder: &Path| prepare(options, command, folder);
    child::record(library, &options.program.command, "capture", prepare, |folder| finish(options, folder))
}

/// Sets the variables that tell the library which launch to capture, and to which folder.
fn prepare(options: &cli::Capture, command: &mut Command, folder: &Path) {
    let launch = if options.list { 0 } else { options.launch };
    let mut wanted = folder.as_os_str().to_owned();
    wanted.push(format!(":{}:{launch}", options.kernel.as_deref().unwrap_or_default()));
    command.env("GRUS_CAPTURE", wanted);
    // A program that loads cached binaries would not pass its source to the library.
    if !options.keep_caches {
        command.envs(NO_CACHES);
    }
}

/// Files that the library has written to a folder.
struct CaptureOutput {
    /// Captured launches in the order of their writing, followed by those that have not ended.
    archives: Vec<PathBuf>,
    launches: BTreeMap<String, u64>,
}

impl CaptureOutput {
    fn read(folder: &Path) -> Result<CaptureOutput> {
        let entries = fs::read_dir(folder).map_err(|error| wrong(folder, &error))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        let extension =
            |path: &Path| path.extension().map(|extension| extension.to_string_lossy().into_owned());
        paths.sort_by_key(|path| {
            let written = fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
            (extension(path).as_deref() == Some(PART), written, path.clone())
        });
        let mut found = CaptureOutput { archives: Vec::new(), launches: BTreeMap::new() };
        for path in paths {
            match extension(&path).as_deref() {
                Some(ARCHIVE | PART) => found.archives.push(path),
                Some(LAUNCHES) => found.count(&path)?,
                _ => {}
            }
        }
        Ok(found)
    }

    /// Adds the lines of a file, each a number and a name.
    fn count(&mut self, path: &Path) -> Result<()> {
        let text = fs::read(path).map_err(|error| wrong(path, &error))?;
        for line in String::from_utf8_lossy(&text).lines() {
            let pair = line.trim().split_once(' ');
            if let Some((Ok(count), name)) = pair.map(|(count, name)| (count.parse::<u64>(), name)) {
                *self.launches.entry(name.to_owned()).or_default() += count;
            }
        }
        Ok(())
    }
}

/// Creates the output file from the library's files, and prints a description.
fn finish(options: &cli::Capture, folder: &Path) -> Result<()> {
    let found = CaptureOutput::read(folder)?;
    if options.list {
        eprint!("{}", launches(&found.launches));
        return Ok(());
    }
    let Some(archive) = found.archives.first() else {
        let what = match &options.kernel {
            Some(kernel) => format!("launch {} of {kernel}", options.launch),
            None => format!("launch {}", options.launch),
        };
        return failed(format!("{what} never came\n{}", launches(&found.launches).trim_end()));
    };
    let capture = Capture::open(archive, Depth::Description)?;
    let output = options.output();
    let size = compress(archive, output).map_err(|error| wrong(output, &error))?;
    eprint!("grus: {}\n{}", headline(&capture), arguments(&capture));
    if capture.manifest.program.has_binary() {
        eprintln!(
            "grus: the program was made of a binary, maybe from a cache of the application: without its source only this version of \
             the library can run it"
        );
    }
    if capture.outcome.is_none() {
        eprintln!("grus: the program ended during this launch: there are no results to compare with");
    }
    eprintln!("grus: {}: {}", output.display(), size_text(size));
    if found.archives.len() > 1 {
        eprintln!("grus: {} more processes had such a launch", found.archives.len() - 1);
    }
    Ok(())
}

/// Writes an archive compressed. Returns the compressed size. A regular file appears only when it is complete; a
/// device or a pipe is written directly.
fn compress(archive: &Path, output: &Path) -> io::Result<u64> {
    if fs::metadata(output).is_ok_and(|found| !found.is_file()) {
        return write_compressed(archive, File::options().write(true).open(output)?);
    }
    let new = output.with_added_extension(format!("new-{}", std::process::id()));
    let written = File::create_new(&new).and_then(|file| write_compressed(archive, file));
    let written = written.and_then(|size| fs::rename(&new, output).map(|()| size));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

fn write_compressed(archive: &Path, to: File) -> io::Result<u64> {
    let mut from = File::open(archive)?;
    let bar = progress::of_bytes(from.metadata()?.len());
    // Contents are large, and the user waits for a single launch.
    let mut encoder = GzEncoder::new(CountingFile { to, size: 0 }, Compression::fast());
    io::copy(&mut bar.wrap_read(&mut from), &mut encoder)?;
    if archive.extension().is_some_and(|extension| extension == PART) {
        encoder.write_all(&END)?;
    }
    let written = encoder.finish()?;
    bar.finish_and_clear();
    Ok(written.size)
}

/// File that counts the bytes written to it, since a pipe has no size.
struct CountingFile {
    to: File,
    size: u64,
}

impl Write for CountingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let size = self.to.write(bytes)?;
        self.size += size as u64;
        Ok(size)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl cli::Capture {
    /// Returns the path of the output file.
    fn output(&self) -> &Path {
        self.output.as_deref().unwrap_or(Path::new("grus-capture.tar.gz"))
    }
}
