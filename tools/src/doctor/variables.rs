//! Environment variables that change which libraries programs find and how Grus behaves.

use std::env;
use std::path::Path;

use super::{Finding, Level};

const TOPIC: &str = "environment";

/// Documentation of the variables that Grus reads.
const TABLE: &str = include_str!("../../../docs/environment.md");

/// Prefixes of environment variables that concern OpenCL.
const PREFIXES: [&str; 8] =
    ["GRUS_", "OCL_", "OPENCL_", "OPEN_CL_", "CL_", "POCL_", "PYOPENCL_", "CUDA_VISIBLE_DEVICES"];

/// Reports the variables that are set.
pub fn examine(findings: &mut Vec<Finding>) {
    let mut set: Vec<(String, String)> = env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
        .filter(|(name, _)| PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
        .collect();
    set.sort();
    if set.is_empty() {
        findings.push(Finding::new(
            TOPIC,
            Level::Ok,
            "no variable changes what programs find or what Grus does",
        ));
    }
    findings.extend(set.iter().map(|(name, value)| about(name, value)));
}

/// Returns the names of the documented variables.
fn known() -> impl Iterator<Item = &'static str> {
    TABLE.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next())
}

fn about(name: &str, value: &str) -> Finding {
    let text = format!("{name}={value}");
    let note = Finding::new(TOPIC, Level::Note, text.clone());
    match name {
        "OCL_ICD_VENDORS" if !Path::new(value).exists() => Finding::new(TOPIC, Level::Error, text)
            .advice("there is no such folder, so no loader finds anything: correct or unset it"),
        "OCL_ICD_VENDORS" => note.advice("loaders look there instead of in /etc/OpenCL/vendors"),
        "OCL_ICD_FILENAMES" => {
            note.advice("further libraries for Khronos's loader; ocl-icd does not read it")
        }
        "GRUS_LIBRARY" => note.advice("the library that this program uses"),
        _ if name.starts_with("GRUS_") && !known().any(|known| known == name) => {
            Finding::new(TOPIC, Level::Warning, text)
                .advice("Grus reads no variable of this name: see docs/environment.md")
        }
        _ if name.starts_with("GRUS_") => note.advice("see docs/environment.md"),
        _ => note,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read() {
        let known: Vec<&str> = known().collect();
        assert!(known.contains(&"GRUS_TIMING") && known.contains(&"GRUS_BACKEND") && known.len() > 10);
    }

    #[test]
    fn misspelt_variables_are_reported() {
        assert_eq!(about("GRUS_TIMNG", "1").level, Level::Warning);
        assert_eq!(about("GRUS_TIMING", "1").level, Level::Note);
        assert_eq!(about("OCL_ICD_VENDORS", "/no/such/folder").level, Level::Error);
        assert_eq!(about("POCL_DEBUG", "1").level, Level::Note);
    }
}
