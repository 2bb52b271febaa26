//! The library under test, for tests that are clients of it: `GRUS_LIBRARY` names it; without that it is built.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of this profile's results: two levels above a test's executable.
pub fn profile_folder() -> PathBuf {
    let executable = std::env::current_exe().expect("a running test has a path");
    executable.ancestors().nth(2).expect("target/profile/deps/test").to_owned()
}

/// The library under test.
pub fn library() -> PathBuf {
    if let Some(path) = std::env::var_os("GRUS_LIBRARY") {
        return path.into();
    }
    let folder = profile_folder();
    let mut cargo = Command::new(env!("CARGO"));
    // With the features that the workspace's tests are built with: nothing is compiled again for it.
    let targets = ["--lib", "--bins", "--tests", "--examples"];
    cargo.args(["build", "--quiet", "--workspace"]).args(targets).current_dir(env!("CARGO_MANIFEST_DIR"));
    if folder.ends_with("release") {
        cargo.arg("--release");
    }
    assert!(cargo.status().expect("cargo runs").success(), "the ICD does not build");
    let library = folder.join("libgrus.so");
    assert!(library.exists(), "{} is not there", library.display());
    library
}

/// A vendors folder of this name that has this library and no other.
pub fn vendors(name: &str, library: &Path) -> PathBuf {
    let vendors = profile_folder().join(name);
    std::fs::create_dir_all(&vendors).expect("a folder can be made");
    let line = format!("{}\n", library.display());
    // In one step: a loader that reads it while another test writes it finds no platform.
    let written = vendors.join(format!("{}.new", std::process::id()));
    std::fs::write(&written, line).expect("a file can be written");
    std::fs::rename(written, vendors.join("grus.icd")).expect("a file can be replaced");
    vendors
}
