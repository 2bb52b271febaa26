//! New files of a process.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Maximum number of files of processes with the same process id: a process keeps its id when it executes another
/// program.
// Arbitrary.
const MAX_FILES: u32 = 1000;

/// Creates a file for reading and writing in this folder, and returns it with its path. The name consists of the process
/// id, the first number that gives a new name, and the extension.
///
/// # Errors
/// If the folder does not permit new files, or has all numbers of this process.
pub fn create_file(folder: &Path, extension: &str) -> io::Result<(File, PathBuf)> {
    let process = std::process::id();
    let mut last = io::ErrorKind::AlreadyExists.into();
    for attempt in 0..MAX_FILES {
        let path = folder.join(format!("{process}-{attempt}.{extension}"));
        match OpenOptions::new().create_new(true).read(true).write(true).open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}
