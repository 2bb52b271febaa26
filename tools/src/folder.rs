//! A folder of this process's own among the temporary files.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use crate::problem::{Result, wrong};

/// A folder that goes when this does.
pub struct Folder(pub PathBuf);

impl Folder {
    /// A new one. Its name tells what for.
    ///
    /// # Errors
    /// If there is no place for it.
    pub fn new(purpose: &str) -> Result<Folder> {
        // A program that is told of it may change its own folder.
        let base = std::path::absolute(std::env::temp_dir()).unwrap_or_else(|_| std::env::temp_dir());
        let mut last = io::ErrorKind::AlreadyExists.into();
        for attempt in 0..100 {
            let path = base.join(format!("grus-{purpose}-{}-{attempt}", std::process::id()));
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Folder(path)),
                Err(error) => last = error,
            }
        }
        Err(wrong(&base, &last))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
