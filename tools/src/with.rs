//! `grus with`: runs a program with Grus as the only OpenCL vendor.
//!
//! The program replaces this process, so that its exit status, signals and terminal are its own. To find Grus it
//! needs a folder with an `.icd` file, which has to outlive this process; there is one folder for each user and
//! library, in the user's cache or, if that cannot be used, among the temporary files.

use std::env;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

use crate::icd;
use crate::library;
use crate::problem::{Problem, Result, failed};

/// Replaces this process by the program. Returns only if the program cannot be run.
///
/// # Errors
/// If the library is not found, or the folder cannot be created.
pub fn run(named: Option<&Path>, words: &[OsString]) -> Result<()> {
    let error = command(named, words)?.exec();
    end_without(&words[0], &error)
}

/// Returns the command of a program that finds only Grus.
///
/// # Errors
/// If the library is not found, or the folder cannot be created.
pub fn command(named: Option<&Path>, words: &[OsString]) -> Result<Command> {
    let library = library::find(named)?;
    let library = library.canonicalize().unwrap_or(library);
    let vendors = vendors(&library)?;
    let (program, arguments) = words.split_first().ok_or_else(|| Problem::Input("which program?".into()))?;
    let mut command = Command::new(program);
    // Khronos's loader also loads the libraries of the second variable, and loads Grus once although both name it.
    command.args(arguments).env("OCL_ICD_VENDORS", &vendors).env("OCL_ICD_FILENAMES", &library);
    Ok(command)
}

/// Prints the reason why the program cannot be run, and exits with the status of shells: 127 if the program does
/// not exist, 126 if it may not be run.
pub fn end_without(program: &OsString, error: &io::Error) -> ! {
    let status = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
    eprintln!("grus: error: {}: {}", program.to_string_lossy(), icd::plain(error));
    process::exit(status)
}

/// Returns a folder whose only `.icd` file names this library.
fn vendors(library: &Path) -> Result<PathBuf> {
    // A loader reads only the first line.
    if library.as_os_str().as_bytes().contains(&b'\n') {
        return failed(format!("{}: no .icd file can name a path of two lines", library.display()));
    }
    let name = format!("vendors-{:016x}", hash(library.as_os_str().as_bytes()));
    let mut why = None;
    for base in bases() {
        match prepare(&base, &base.join(&name), library) {
            Ok(folder) => return Ok(folder),
            Err(error) => why = why.or(Some(format!("{}: {}", base.display(), icd::plain(&error)))),
        }
    }
    failed(format!("there is no place for an .icd file: {}", why.unwrap_or_default()))
}

/// Returns the possible parents of the folder, in order of preference.
fn bases() -> Vec<PathBuf> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    // SAFETY: the call has no preconditions.
    let user = unsafe { libc::geteuid() };
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    let cache = cache.map(|folder| folder.join("grus"));
    cache.into_iter().chain([env::temp_dir().join(format!("grus-{user}"))]).collect()
}

/// Creates the folder if necessary, and writes its file unless it has the right contents.
fn prepare(base: &Path, folder: &Path, library: &Path) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(base)?;
    // A folder of another user among the temporary files could later name another library.
    // SAFETY: the call has no preconditions.
    let user = unsafe { libc::geteuid() };
    let found = fs::symlink_metadata(base)?;
    if found.uid() != user || found.mode() & 0o022 != 0 || !found.is_dir() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the folder is not this user's alone"));
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let file = folder.join("grus.icd");
    let mut line = library.as_os_str().as_bytes().to_vec();
    line.push(b'\n');
    if fs::read(&file).ok().as_deref() != Some(&line) {
        // The file is replaced atomically, since another program may be reading it.
        let new = folder.join(format!("new-{}", process::id()));
        fs::write(&new, &line)?;
        fs::rename(&new, &file)?;
    }
    Ok(folder.to_owned())
}

/// Computes the FNV-1a hash.
fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_once_and_kept_right() {
        let base = env::temp_dir().join(format!("grus-with-{}", process::id()));
        let folder = base.join("vendors");
        let read = || fs::read_to_string(folder.join("grus.icd")).expect("the file");
        prepare(&base, &folder, Path::new("/a/libgrus.so")).expect("made");
        assert_eq!(read(), "/a/libgrus.so\n");
        prepare(&base, &folder, Path::new("/b/libgrus.so")).expect("made");
        assert_eq!(read(), "/b/libgrus.so\n");
        fs::set_permissions(&base, std::os::unix::fs::PermissionsExt::from_mode(0o777)).expect("changed");
        assert!(prepare(&base, &folder, Path::new("/a/libgrus.so")).is_err());
        fs::remove_dir_all(&base).expect("removed");
    }
}
