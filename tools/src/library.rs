//! Selection of the library: that of Grus, or that of another vendor that the user names.

use std::env;
use std::path::{Path, PathBuf};

use crate::cl::{CL_DEVICE_NAME, CL_PLATFORM_NAME, CL_PLATFORM_VENDOR, Device, Vendor};
use crate::icd;
use crate::problem::{Problem, Result, input};

/// File name of the library.
const NAME: &str = "libgrus.so";

/// Returns the path of Grus's library: the one that the user names (`--library`, GRUS_LIBRARY), else the one beside
/// this program, in `../lib`, or named by an `.icd` file.
///
/// # Errors
/// Returns the list of the places that were searched.
pub fn find(named: Option<&Path>) -> Result<PathBuf> {
    if let Some(path) = named {
        // A bare name is searched for by the dynamic linker.
        let is_there = path.exists() || path.components().count() == 1;
        return if is_there {
            Ok(path.to_owned())
        } else {
            input(format!("{}: no such library", path.display()))
        };
    }
    let program = env::current_exe().ok().and_then(|path| path.canonicalize().ok());
    let folder = program.as_deref().and_then(Path::parent);
    let near: Vec<PathBuf> =
        folder.map(|folder| vec![folder.join(NAME), folder.join("../lib").join(NAME)]).unwrap_or_default();
    if let Some(found) = near.iter().find(|path| path.exists()) {
        return Ok(found.canonicalize().unwrap_or_else(|_| found.clone()));
    }
    let listed = icd::entries().unwrap_or_default().into_iter().filter_map(|entry| entry.library.ok());
    let is_grus =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(NAME));
    if let Some(found) = listed.into_iter().find(is_grus) {
        return Ok(found);
    }
    let mut places: Vec<String> = near.iter().map(|path| path.display().to_string()).collect();
    places.push(format!("the .icd files of {}", icd::vendors_path().display()));
    input(format!("{NAME} is not in {}: name it with --library", places.join(", ")))
}

/// Returns the device of Grus.
///
/// # Errors
/// If the library is not found or cannot be loaded.
pub fn grus(named: Option<&Path>) -> Result<Device> {
    let path = find(named)?;
    open(&path)?.device()
}

fn open(path: &Path) -> Result<Vendor> {
    Vendor::open(path).map_err(|problem| problem.of(path.display()))
}

/// Returns the device of a vendor that the user names: by a library, an `.icd` file, a vendors folder, or a part of
/// the name of a platform or device of the system's vendors.
///
/// # Errors
/// If there is no such vendor, or its library cannot be loaded.
pub fn vendor(name: &str) -> Result<Device> {
    let path = Path::new(name);
    if path.is_dir() || path.extension().is_some_and(|extension| extension == "icd") {
        let entries = icd::entries_in(path).map_err(Problem::Input)?;
        let entry =
            entries.first().ok_or_else(|| Problem::Input(format!("{name}: there is no .icd file")))?;
        let library =
            entry.library.clone().map_err(|why| Problem::Input(format!("{}: {why}", entry.from)))?;
        return open(&library)?.device();
    }
    if name.contains('/') || name.contains(".so") {
        return open(path)?.device();
    }
    by_platform(name)
}

/// Returns the first device whose name, platform's name or vendor's name contains this text.
fn by_platform(name: &str) -> Result<Device> {
    let wanted = name.to_lowercase();
    let mut seen = Vec::new();
    for entry in icd::entries().map_err(Problem::Input)? {
        let Some(vendor) = entry.library.ok().and_then(|library| Vendor::open(&library).ok()) else {
            continue;
        };
        for &device in &vendor.devices {
            let names = [
                device.platform_text(CL_PLATFORM_NAME),
                device.platform_text(CL_PLATFORM_VENDOR),
                device.text(CL_DEVICE_NAME),
            ];
            if names.iter().any(|name| name.to_lowercase().contains(&wanted)) {
                return Ok(device);
            }
            seen.push(device.name());
        }
    }
    let there =
        if seen.is_empty() { "there is none".into() } else { format!("there is {}", seen.join(", ")) };
    input(format!("no vendor is called {name:?}: {there}"))
}
