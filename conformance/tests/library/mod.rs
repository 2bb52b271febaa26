//! Finds or builds the library under test, for tests that use it as clients.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the folder with the build results of this profile, two levels above the test executable.
pub fn profile_folder() -> PathBuf {
    let executable = std::env::current_exe().expect("a running test has a path");
    executable.ancestors().nth(2).expect("target/profile/deps/test").to_owned()
}

/// Returns the path of the library under test: the value of `GRUS_LIBRARY`, or else a library that is built now.
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

/// Makes a vendors folder of this name that lists only this library, and returns its path.
pub fn vendors(name: &str, library: &Path) -> PathBuf {
    let vendors = profile_folder().join(name);
    std::fs::create_dir_all(&vendors).expect("a folder can be made");
    let line = format!("{}\n", library.display());
    // The file is replaced by a rename: a loader that reads it during a write would find no platform.
    let written = vendors.join(format!("{}.new", std::process::id()));
    std::fs::write(&written, line).expect("a file can be written");
    std::fs::rename(written, vendors.join("grus.icd")).expect("a file can be replaced");
    vendors
}
