//! File of a captured launch: an archive, compressed or not, or the folder to which it was extracted.
//!
//! The file is untrusted: sizes are compared with the manifest, and the manifest's sizes with the machine's memory,
//! before anything is read, and no name is used as a path.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;

use flate2::read::GzDecoder;
use serde::Deserialize;

use super::manifest::Manifest;
use crate::problem::{Problem, Result, wrong};
use crate::progress;

/// Captured launch.
#[derive(Debug)]
pub struct Capture {
    pub manifest: Manifest,
    /// Contents of sources, headers and binaries by name.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Contents of objects before the launch, by index of the object.
    pub before: BTreeMap<usize, Vec<u8>>,
    /// Contents of objects after the launch, if they differ from those before.
    pub after: BTreeMap<usize, Vec<u8>>,
    /// Outcome; `None` if the process ended during the launch.
    pub outcome: Option<Outcome>,
    /// Size of all contents in bytes.
    pub size: u64,
    /// Manifest and outcome in their textual form.
    pub manifest_text: Vec<u8>,
    pub outcome_text: Option<Vec<u8>>,
}

/// Outcome of the launch.
#[derive(Clone, Debug, Deserialize)]
pub struct Outcome {
    /// True if the launch ended without an error.
    pub ended: bool,
    pub changed: BTreeSet<usize>,
}

/// Maximum number of bytes of a manifest, and of all files of programs.
// Arbitrary.
const MAX_MANIFEST_BYTES: u64 = 64 << 20;
const MAX_FILES_BYTES: u64 = 1 << 30;

/// Maximum number of entries.
// Arbitrary.
const MAX_ENTRIES: usize = 100_000;

/// Selection of the contents to keep.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Only the existence of contents.
    Description,
    All,
}

/// Names of the manifest and the outcome.
pub const MANIFEST: &str = "manifest.json";
pub const OUTCOME: &str = "result.json";

/// Parses the name of an entry with contents: the index of the object, and true for contents after the launch.
fn contents(name: &str) -> Option<(usize, bool)> {
    let (number, rest) = name.strip_prefix("memory/")?.split_once('-')?;
    let is_after = match rest {
        "before.bin" => false,
        "after.bin" => true,
        _ => return None,
    };
    number.parse().ok().map(|number| (number, is_after))
}

/// Returns the name of the entry with an object's contents.
pub fn contents_name(object: usize, is_after: bool) -> String {
    format!("memory/{object}-{}.bin", if is_after { "after" } else { "before" })
}

/// Returns the size of this machine's memory in bytes.
fn machine_memory() -> u64 {
    // SAFETY: the queries have no preconditions.
    let (pages, page) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    u64::try_from(pages).unwrap_or(0).saturating_mul(u64::try_from(page).unwrap_or(0))
}

impl Capture {
    /// Reads a file or a folder.
    ///
    /// # Errors
    /// If it cannot be read, or is malformed.
    pub fn open(path: &Path, depth: Depth) -> Result<Capture> {
        let bad = |what: String| Problem::Input(format!("{}: {what}", path.display()));
        let entries = if path.is_dir() { of_folder(path, depth) } else { of_archive(path, depth) };
        entries.and_then(CaptureReader::finish).map_err(|error| match error {
            ReadError::Malformed(what) => bad(what),
            ReadError::Io(error) if error.kind() == io::ErrorKind::NotFound => bad("no such file".into()),
            ReadError::Io(error) => match error.kind() {
                io::ErrorKind::UnexpectedEof
                | io::ErrorKind::InvalidInput
                | io::ErrorKind::InvalidData
                | io::ErrorKind::Other => bad(format!("the file is damaged: {error}")),
                _ => wrong(path, &error),
            },
        })
    }

    /// Returns an object's contents after the launch; `None` if there are none, or if the launch did not end
    /// without an error.
    pub fn results(&self, object: usize) -> Option<&[u8]> {
        self.outcome.as_ref().filter(|outcome| outcome.ended)?;
        self.after.get(&object).or_else(|| self.before.get(&object)).map(Vec::as_slice)
    }

    /// Checks whether the launch changed an object.
    pub fn is_changed(&self, object: usize) -> bool {
        self.outcome.as_ref().is_some_and(|outcome| outcome.changed.contains(&object))
    }
}

/// Reason why a file cannot be read.
enum ReadError {
    Malformed(String),
    Io(io::Error),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> ReadError {
        ReadError::Io(error)
    }
}

fn malformed<T>(what: impl Into<String>) -> std::result::Result<T, ReadError> {
    Err(ReadError::Malformed(what.into()))
}

/// Entries that have been read so far.
struct CaptureReader {
    depth: Depth,
    manifest: Option<Manifest>,
    files: BTreeMap<String, Vec<u8>>,
    /// Total size of the files in bytes.
    files_size: u64,
    before: BTreeMap<usize, Vec<u8>>,
    after: BTreeMap<usize, Vec<u8>>,
    outcome: Option<Outcome>,
    size: u64,
    manifest_text: Vec<u8>,
    outcome_text: Option<Vec<u8>>,
}

impl CaptureReader {
    fn new(depth: Depth) -> CaptureReader {
        CaptureReader {
            depth,
            manifest: None,
            files: BTreeMap::new(),
            files_size: 0,
            before: BTreeMap::new(),
            after: BTreeMap::new(),
            outcome: None,
            size: 0,
            manifest_text: Vec::new(),
            outcome_text: None,
        }
    }

    /// Reads an entry of this size. Entries that do not belong to a captured launch are skipped.
    fn read_entry(
        &mut self,
        name: &str,
        size: u64,
        mut from: impl Read,
    ) -> std::result::Result<(), ReadError> {
        if name == MANIFEST {
            let text = read_bounded(&mut from, size, MAX_MANIFEST_BYTES, name)?;
            self.manifest = Some(Manifest::parse(&text, machine_memory()).map_err(ReadError::Malformed)?);
            self.manifest_text = text;
        } else if name == OUTCOME {
            let text = read_bounded(&mut from, size, MAX_MANIFEST_BYTES, name)?;
            let outcome = serde_json::from_slice(&text);
            self.outcome = Some(
                outcome
                    .map_err(|error| ReadError::Malformed(format!("{OUTCOME} makes no sense: {error}")))?,
            );
            self.outcome_text = Some(text);
        } else if name.starts_with("program/") {
            let bytes = read_bounded(&mut from, size, MAX_FILES_BYTES - self.files_size, name)?;
            self.files_size += size;
            self.files.insert(name.to_owned(), bytes);
        } else if let Some((object, is_after)) = contents(name) {
            self.check_contents(name, object, size)?;
            self.size += size;
            let contents_bytes = match self.depth {
                Depth::All => read_bounded(&mut from, size, size, name)?,
                Depth::Description => {
                    if io::copy(&mut from.take(size), &mut io::sink())? != size {
                        return Err(ReadError::Io(io::ErrorKind::UnexpectedEof.into()));
                    }
                    Vec::new()
                }
            };
            let list = if is_after { &mut self.after } else { &mut self.before };
            list.insert(object, contents_bytes);
        }
        Ok(())
    }

    /// Checks whether an object's contents may have this size.
    fn check_contents(&self, name: &str, object: usize, size: u64) -> std::result::Result<(), ReadError> {
        let Some(manifest) = &self.manifest else {
            return malformed(format!("{name} comes before {MANIFEST}"));
        };
        let found = manifest.objects.get(object);
        let max_size = found.and_then(|object| object.size()).map_or(0, |size| size as u64);
        let is_pipe = matches!(found, Some(super::manifest::Object::Pipe { .. }));
        if size != max_size && !(is_pipe && size < max_size) || max_size == 0 {
            return malformed(format!("{name} has {size} bytes, the manifest says {max_size}"));
        }
        Ok(())
    }

    /// Returns the capture, if no entry is missing.
    fn finish(self) -> std::result::Result<Capture, ReadError> {
        let Some(manifest) = self.manifest else {
            return malformed("it is no captured launch: it has no manifest");
        };
        if let Some(file) = manifest.program.files().into_iter().find(|file| !self.files.contains_key(*file))
        {
            return malformed(format!("the file is damaged: {file} is missing"));
        }
        let missing =
            |object: &usize| manifest.objects[*object].size().is_some() && !self.before.contains_key(object);
        if let Some(object) = (0..manifest.objects.len()).find(missing) {
            return malformed(format!("the file is damaged: {} is missing", contents_name(object, false)));
        }
        let changed = self.outcome.iter().flat_map(|outcome| &outcome.changed);
        if let Some(object) = changed.into_iter().find(|object| !self.after.contains_key(object)) {
            return malformed(format!("the file is damaged: {} is missing", contents_name(*object, true)));
        }
        let CaptureReader { files, before, after, outcome, size, manifest_text, outcome_text, .. } = self;
        Ok(Capture { manifest, files, before, after, outcome, size, manifest_text, outcome_text })
    }
}

/// Reads all bytes of an entry; fails if there are more than `max_size` or fewer than `size`.
fn read_bounded(
    from: &mut impl Read,
    size: u64,
    max_size: u64,
    name: &str,
) -> std::result::Result<Vec<u8>, ReadError> {
    if size > max_size {
        return malformed(format!("{name} is too large"));
    }
    let mut bytes = Vec::new();
    from.take(size).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == size {
        Ok(bytes)
    } else {
        Err(ReadError::Io(io::ErrorKind::UnexpectedEof.into()))
    }
}

fn of_archive(path: &Path, depth: Depth) -> std::result::Result<CaptureReader, ReadError> {
    let mut file = File::open(path)?;
    let mut magic = [0; 2];
    let read = file.read(&mut magic)?;
    file.rewind()?;
    let bar = progress::of_bytes(file.metadata()?.len());
    let file = bar.wrap_read(BufReader::with_capacity(1 << 20, file));
    let entries = if magic[..read] == [0x1f, 0x8b] {
        of_tar(GzDecoder::new(BufReader::with_capacity(1 << 20, file)), depth)
    } else {
        of_tar(file, depth)
    };
    bar.finish_and_clear();
    entries
}

/// Maximum number of bytes after the end of an archive, which are skipped.
// Arbitrary.
const MAX_TRAILING_BYTES: u64 = 16 << 20;

fn of_tar(mut reader: impl Read, depth: Depth) -> std::result::Result<CaptureReader, ReadError> {
    let mut entries = CaptureReader::new(depth);
    let mut archive = tar::Archive::new(&mut reader);
    let foreign = |error: io::Error, first: bool| match error.kind() {
        // The archive reader reports any other file as this kind of error.
        io::ErrorKind::Other if first => ReadError::Malformed("it is no captured launch".into()),
        _ => ReadError::Io(error),
    };
    // Raw entries: the reader would read long names of other entries without a limit, and those of captures are
    // short.
    for (index, entry) in archive.entries()?.raw(true).enumerate() {
        let mut entry = entry.map_err(|error| foreign(error, index == 0))?;
        if index >= MAX_ENTRIES {
            return malformed("it has too many entries");
        }
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let size = entry.header().entry_size()?;
        if entry.header().entry_type().is_file() {
            entries.read_entry(name.strip_prefix("./").unwrap_or(&name), size, &mut entry)?;
        }
    }
    // The checksum of the compressed data follows the archive, so the input is read to its end.
    io::copy(&mut reader.take(MAX_TRAILING_BYTES), &mut io::sink())?;
    Ok(entries)
}

fn of_folder(path: &Path, depth: Depth) -> std::result::Result<CaptureReader, ReadError> {
    let mut entries = CaptureReader::new(depth);
    let mut names = vec![MANIFEST.to_owned()];
    for folder in ["program", "memory"] {
        let found = fs::read_dir(path.join(folder)).into_iter().flatten().flatten();
        let mut found: Vec<String> =
            found.map(|entry| format!("{folder}/{}", entry.file_name().to_string_lossy())).collect();
        found.sort();
        names.extend(found);
    }
    names.extend(path.join(OUTCOME).exists().then(|| OUTCOME.to_owned()));
    for name in names {
        let file = match File::open(path.join(&name)) {
            Err(error) if name == MANIFEST && error.kind() == io::ErrorKind::NotFound => {
                return malformed("it is no captured launch: it has no manifest");
            }
            file => file?,
        };
        let metadata = file.metadata()?;
        if metadata.is_file() {
            entries.read_entry(&name, metadata.len(), file)?;
        }
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_has_a_limited_number_of_entries() {
        let mut header = tar::Header::new_gnu();
        header.set_path("other").expect("a short name");
        header.set_entry_type(tar::EntryType::Directory);
        header.set_size(0);
        header.set_cksum();
        // Two blocks of zeros end an archive.
        let archive = |entries: usize| [header.as_bytes().repeat(entries), vec![0; 1024]].concat();
        assert!(of_tar(&archive(MAX_ENTRIES)[..], Depth::Description).is_ok());
        let refused = of_tar(&archive(MAX_ENTRIES + 1)[..], Depth::Description).err();
        assert!(matches!(refused, Some(ReadError::Malformed(what)) if what == "it has too many entries"));
    }
}
