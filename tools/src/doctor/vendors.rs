//! Vendors that a loader would try, and a test kernel on each.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Finding, Level, run_probe};
use crate::icd;
use crate::library;
use crate::probe::Probed;

const TOPIC: &str = "vendors";

/// Device that was probed.
#[derive(Debug, Serialize)]
pub struct ProbedDevice {
    /// `.icd` file that names the library; `None` if the user named the library.
    pub icd: Option<String>,
    pub library: PathBuf,
    #[serde(flatten)]
    pub probed: Probed,
}

/// Probes all vendors, and the library that the user names or that belongs to this program.
pub fn examine(named: Option<&Path>, findings: &mut Vec<Finding>) -> Vec<ProbedDevice> {
    let mut seen = Vec::new();
    let vendors_path = icd::vendors_path();
    match icd::entries() {
        Err(why) => findings.push(
            Finding::new(TOPIC, Level::Error, format!("the folder of vendors cannot be read: {why}"))
                .advice(install_advice(named)),
        ),
        Ok(entries) => {
            if entries.is_empty() {
                let text = format!("{}: there is no .icd file", vendors_path.display());
                findings.push(Finding::new(TOPIC, Level::Error, text).advice(install_advice(named)));
            }
            for entry in entries {
                probe_entry(&entry, findings, &mut seen);
            }
        }
    }
    let through_icd =
        seen.iter().any(|device: &ProbedDevice| device.probed.is_grus && device.probed.error.is_none());
    if !through_icd && !findings.iter().any(|finding| finding.level == Level::Error) {
        let text = format!("no .icd file of {} leads to Grus", vendors_path.display());
        findings.push(Finding::new(TOPIC, Level::Error, text).advice(install_advice(named)));
    }
    if let Ok(library) = library::find(named)
        && !seen.iter().any(|device| is_same_file(&device.library, &library))
    {
        probe_library(&library, findings, &mut seen);
    }
    seen
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    a == b || a.canonicalize().ok().zip(b.canonicalize().ok()).is_some_and(|(a, b)| a == b)
}

/// Returns the advice how to make programs find Grus.
fn install_advice(named: Option<&Path>) -> String {
    let library =
        library::find(named).map_or_else(|_| "/PATH/libgrus.so".into(), |path| path.display().to_string());
    let vendors_path = icd::vendors_path();
    let system = format!("echo {library} | sudo tee {}/grus.icd", icd::SYSTEM);
    let all = match vendors_path == Path::new(icd::SYSTEM) {
        true => format!("for all programs: {system}"),
        // Loaders do not read the system's folder while the variable is set.
        false if vendors_path.is_dir() => {
            format!("where OCL_ICD_VENDORS is set: echo {library} > {}/grus.icd", vendors_path.display())
        }
        false => format!("for all programs: unset OCL_ICD_VENDORS, {system}"),
    };
    format!("{all}; for one: grus with -- PROGRAM")
}

/// Probes a vendor that an `.icd` file names.
fn probe_entry(entry: &icd::Entry, findings: &mut Vec<Finding>, seen: &mut Vec<ProbedDevice>) {
    let library = match &entry.library {
        Ok(library) => library,
        Err(why) => {
            let finding = Finding::new(TOPIC, Level::Warning, format!("{}: {why}", entry.from));
            findings.push(finding.advice(about_icd(&entry.from, why)));
            return;
        }
    };
    // A library that does not load is recognized as Grus only by its name.
    let names = [library.file_name(), Path::new(&entry.from).file_name()];
    let is_grus = names.iter().flatten().any(|name| name.to_string_lossy().contains("grus"));
    let bad = if is_grus { Level::Error } else { Level::Warning };
    if let Some((why, advice)) = unusable(library) {
        let text = format!("{}: {}: {why}", entry.from, library.display());
        findings.push(Finding::new(TOPIC, bad, text).advice(advice));
        return;
    }
    match run_probe::<Vec<Probed>>(&["--vendor".as_ref(), library.as_os_str()]) {
        Err(why) => {
            let text = format!("{}: {}: {why}", entry.from, library.display());
            findings.push(Finding::new(TOPIC, bad, text).advice(about_loading(&why)));
        }
        Ok(devices) => {
            if devices.is_empty() {
                let text = format!("{}: {}: it has no device", entry.from, library.display());
                findings.push(Finding::new(TOPIC, bad, text));
            }
            for probed in devices {
                findings.push(of_device(&probed, &entry.from));
                seen.push(ProbedDevice { icd: Some(entry.from.clone()), library: library.clone(), probed });
            }
        }
    }
}

/// Probes the library of this program, if no `.icd` file names it.
fn probe_library(library: &Path, findings: &mut Vec<Finding>, seen: &mut Vec<ProbedDevice>) {
    if let Some((why, advice)) = unusable(library) {
        let text = format!("{}: {why}", library.display());
        // The same problem may have been reported for an `.icd` file that names the library.
        if !findings.iter().any(|finding| finding.text.ends_with(&text)) {
            findings.push(Finding::new(TOPIC, Level::Error, text).advice(advice));
        }
        return;
    }
    match run_probe::<Vec<Probed>>(&["--vendor".as_ref(), library.as_os_str()]) {
        Err(why) => findings.push(
            Finding::new(TOPIC, Level::Error, format!("{}: {why}", library.display()))
                .advice(about_loading(&why)),
        ),
        Ok(devices) => {
            for probed in devices {
                findings.push(of_device(&probed, &format!("{} (not known to loaders)", library.display())));
                seen.push(ProbedDevice { icd: None, library: library.to_owned(), probed });
            }
        }
    }
}

fn of_device(probed: &Probed, from: &str) -> Finding {
    let name = format!("{} ({}), {}", probed.platform, probed.device, from);
    match (&probed.error, probed.first_result_ms) {
        (None, Some(time)) => Finding::new(
            TOPIC,
            Level::Ok,
            format!("{name}: a kernel runs and is right, {time:.1} ms after its source"),
        ),
        (error, _) => {
            let level = if probed.is_grus { Level::Error } else { Level::Warning };
            let error = error.as_deref().unwrap_or("nothing is known");
            let finding = Finding::new(TOPIC, level, format!("{name}: {error}"));
            let whose = if probed.is_grus { "please report it as a bug of Grus" } else { "ask its vendor" };
            finding.advice(whose)
        }
    }
}

/// Returns the advice for an `.icd` file that names no library.
fn about_icd(file: &str, why: &str) -> String {
    if why.starts_with("permission denied") {
        return format!("chmod a+r {file}, and a+x the folders above it");
    }
    "the first line of an .icd file is the path of a library; correct or remove it".into()
}

/// Returns the reason why a library cannot even be opened, with advice; `None` if it can be tried.
fn unusable(library: &Path) -> Option<(String, String)> {
    if library.components().count() == 1 {
        // The dynamic linker searches for a bare name; the probe shows whether it finds the library.
        return None;
    }
    if library.is_relative() {
        let advice = "a path in an .icd file must begin with /, or have no / at all";
        return Some(("it is looked for from each program's current folder".into(), advice.into()));
    }
    let error = File::open(library).err()?;
    let advice = match error.kind() {
        std::io::ErrorKind::NotFound => "install the library there, correct the .icd file, or remove it",
        std::io::ErrorKind::PermissionDenied => "chmod a+r the library, and a+x the folders above it",
        _ => "look at the file",
    };
    Some((icd::plain(&error), advice.into()))
}

/// Returns the advice for a message of the dynamic linker.
fn about_loading(why: &str) -> String {
    let missing = why.contains("cannot open shared object file");
    let advice = match why {
        _ if missing && !why.starts_with('/') => {
            "a library that it needs is not found: install it, or name its folder in LD_LIBRARY_PATH"
        }
        _ if why.contains("ELF class") || why.contains("invalid ELF") || why.contains("file too short") => {
            "the file is no library for this machine: install one that is"
        }
        _ if why.contains("GLIBC_") => "it was built for a newer C library: build it on this system",
        _ if why.contains("noexec") || why.contains("failed to map segment") => {
            "the file system may be mounted noexec: install the library elsewhere"
        }
        _ if why.starts_with("it crashes") || why.starts_with("it does not answer") => {
            "remove its .icd file, or set OCL_ICD_VENDORS to a folder without it"
        }
        _ => "correct or remove the .icd file",
    };
    advice.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_fits_the_complaint() {
        assert!(
            about_loading("libtbb.so.12: cannot open shared object file: No such file")
                .contains("LD_LIBRARY_PATH")
        );
        assert!(about_loading("x: wrong ELF class: ELFCLASS32").contains("this machine"));
        assert!(about_loading("x: version `GLIBC_2.99' not found").contains("C library"));
        assert!(about_loading("it crashes: signal 11").contains("remove"));
    }

    #[test]
    fn files_that_name_no_library() {
        assert!(about_icd("/a/b.icd", "permission denied").starts_with("chmod a+r /a/b.icd"));
        assert!(about_icd("/a/b.icd", "it is empty: it should name a library").contains("first line"));
    }

    #[test]
    fn a_library_is_reported_once() {
        let library = Path::new("/nowhere/libgrus.so");
        let told = |before: &str| {
            let mut findings = vec![Finding::new(TOPIC, Level::Error, before)];
            probe_library(library, &mut findings, &mut Vec::new());
            findings.len()
        };
        assert_eq!(told("a.icd: /nowhere/libgrus.so: no such file or directory"), 1);
        assert_eq!(told("another"), 2);
    }

    #[test]
    fn libraries_that_cannot_be_opened() {
        assert!(unusable(Path::new("libsome.so")).is_none());
        assert!(unusable(Path::new("lib/some.so")).is_some_and(|(why, _)| why.contains("current folder")));
        assert!(unusable(Path::new("/nowhere/some.so")).is_some_and(|(why, _)| why.contains("no such file")));
    }
}
