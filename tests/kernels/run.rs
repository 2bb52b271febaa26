//! Kernels in OpenCL C with what they compute: interpreted before any pass, and as
//! machine code after all of them.

use std::fs;
use std::path::{Path, PathBuf};

use grus_core::compile::{self, Code, Source};

fn fixtures(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("the folder is there").flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            fixtures(&path, found);
        } else if path.extension().is_some_and(|e| e == "cl") {
            found.push(path);
        }
    }
}

fn check(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).expect("readable");
    let fixture = crate::harness::directive::parse(&text, "//")?;
    if fixture.runs.is_empty() {
        return Err("runs nothing".into());
    }
    let source = Source { name: path.display().to_string(), text };
    let built = compile::build(&source, &[], &fixture.options);
    let artifact = built.result.map_err(|_| built.log)?;
    let oracle = compile::lower_only(&source, &fixture.options)?;
    crate::harness::check(&fixture, &oracle, &artifact)?;
    // A program that went through a binary computes the same.
    let loaded =
        compile::load(&compile::save(&artifact)).map_err(|e| format!("its binary does not load: {e:?}"))?;
    let Code::Executable(loaded) = loaded else { return Err("its binary is of another kind".into()) };
    crate::harness::check(&fixture, &oracle, &loaded).map_err(|e| format!("from a binary: {e}"))?;
    // And so does one in which calls stay calls.
    let built = compile::build(&source, &[], &format!("{} -cl-opt-disable", fixture.options));
    let calling = built.result.map_err(|_| built.log)?;
    crate::harness::check(&fixture, &oracle, &calling).map_err(|e| format!("with -cl-opt-disable: {e}"))
}

#[test]
fn kernels_compute_what_they_should() {
    let mut paths = Vec::new();
    fixtures(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run"), &mut paths);
    assert!(paths.len() > 20, "fixtures are missing");
    let failed: Vec<String> =
        paths.iter().filter_map(|p| check(p).err().map(|e| format!("{}: {e}", p.display()))).collect();
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), paths.len(), failed.join("\n"));
}
