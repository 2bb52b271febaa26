//! Temporary folder of this process.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use crate::problem::{Result, wrong};

/// Folder that is deleted on drop.
pub struct Folder(pub PathBuf);

impl Folder {
    /// Creates a folder. Its name contains the purpose.
    ///
    /// # Errors
    /// If the folder cannot be created.
    pub fn new(purpose: &str) -> Result<Folder> {
        // The path is absolute, since the program that receives it may change its working directory.
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
