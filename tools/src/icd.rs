//! Search for vendors as an ICD loader does it: in folders of `.icd` files, each of which names a vendor's library.
//!
//! OCL_ICD_VENDORS names a folder that replaces the system's; ocl-icd also accepts an `.icd` file or a library
//! there. OCL_ICD_FILENAMES is a list of further libraries, which Khronos's loader accepts.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Folder that loaders read by default.
pub const SYSTEM: &str = "/etc/OpenCL/vendors";

/// Vendor that a loader would try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Source of the entry: the path of an `.icd` file, or a variable's name.
    pub from: String,
    /// Library, or the reason why the file names none.
    pub library: Result<PathBuf, String>,
}

/// Returns the folder (or file) that loaders read.
pub fn vendors_path() -> PathBuf {
    let set = env::var_os("OCL_ICD_VENDORS").filter(|value| !value.is_empty());
    set.map_or_else(|| SYSTEM.into(), PathBuf::from)
}

/// Returns all vendors in the order of their names. The error is the reason why the folder cannot be read.
pub fn entries() -> Result<Vec<Entry>, String> {
    let mut found = entries_in(&vendors_path())?;
    let more = env::var_os("OCL_ICD_FILENAMES").unwrap_or_default();
    found.extend(
        env::split_paths(&more)
            .filter(|path| !path.as_os_str().is_empty())
            .map(|library| Entry { from: "OCL_ICD_FILENAMES".into(), library: Ok(library) }),
    );
    Ok(found)
}

/// Returns the vendors that a loader finds in a folder, an `.icd` file or a library.
pub fn entries_in(vendors_path: &Path) -> Result<Vec<Entry>, String> {
    if is_icd(vendors_path) {
        return Ok(vec![entry(vendors_path)]);
    }
    if !vendors_path.is_dir() && vendors_path.exists() {
        return Ok(vec![Entry { from: "OCL_ICD_VENDORS".into(), library: Ok(vendors_path.to_owned()) }]);
    }
    let read =
        fs::read_dir(vendors_path).map_err(|e| format!("{}: {}", vendors_path.display(), plain(&e)))?;
    let mut files: Vec<PathBuf> = read.flatten().map(|entry| entry.path()).filter(|p| is_icd(p)).collect();
    files.sort();
    Ok(files.iter().map(|file| entry(file)).collect())
}

fn is_icd(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "icd")
}

/// Parses an `.icd` file: the name of a library on the first line.
fn entry(file: &Path) -> Entry {
    let library = match fs::read_to_string(file) {
        Err(error) => Err(plain(&error)),
        Ok(text) => match text.lines().next().map(str::trim) {
            None | Some("") => Err("it is empty: it should name a library".into()),
            Some(line) => Ok(line.into()),
        },
    };
    Entry { from: file.display().to_string(), library }
}

/// Returns the system's error message without its number.
pub fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    let mut text = text[..end].to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_name_libraries() {
        let folder = env::temp_dir().join(format!("grus-icd-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("b.icd"), "  /lib/b.so \nmore\n").expect("a file");
        fs::write(folder.join("a.icd"), "\n").expect("a file");
        fs::write(folder.join("c.txt"), "/lib/c.so").expect("a file");
        let found = entries_in(&folder).expect("readable");
        assert_eq!(found.len(), 2);
        assert!(found[0].library.is_err() && found[0].from.ends_with("a.icd"));
        assert_eq!(found[1].library, Ok("/lib/b.so".into()));
        assert_eq!(entries_in(&folder.join("b.icd")).expect("a file").len(), 1);
        fs::remove_dir_all(&folder).expect("removed");
        assert!(entries_in(&folder).expect_err("gone").contains("no such file"));
    }
}
