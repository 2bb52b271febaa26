//! Every workload of the suite gives the right results on this workspace's library, through the ICD loader with a vendors
//! folder that names nothing else.
//!
//! `GRUS_LIBRARY` names the library to test; without it, it is built first.

use std::path::PathBuf;
use std::process::Command;

/// The folder of this profile's results: two levels above a test's executable.
fn profile_folder() -> PathBuf {
    let executable = std::env::current_exe().expect("a running test has a path");
    executable.ancestors().nth(2).expect("target/profile/deps/test").to_owned()
}

/// The library under test.
fn library() -> PathBuf {
    if let Some(path) = std::env::var_os("GRUS_LIBRARY") {
        return path.into();
    }
    let folder = profile_folder();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--package", "grus-icd"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    if folder.ends_with("release") {
        cargo.arg("--release");
    }
    assert!(cargo.status().expect("cargo runs").success(), "the ICD does not build");
    let library = folder.join("libgrus.so");
    assert!(library.exists(), "{} is not there", library.display());
    library
}

#[test]
fn every_workload_is_right() {
    let vendors = profile_folder().join("suite-vendors");
    std::fs::create_dir_all(&vendors).expect("a folder can be made");
    std::fs::write(vendors.join("grus.icd"), format!("{}\n", library().display()))
        .expect("a file can be written");
    let suite = |args: &[&str]| {
        let mut suite = Command::new(env!("CARGO_BIN_EXE_suite"));
        suite.args(args).env("OCL_ICD_VENDORS", &vendors).output().expect("the suite runs")
    };
    // What does not answer at once is late, and that is not right.
    let late = suite(&["--check", "--limit", "0", "launch-batch"]);
    assert!(!late.status.success() && String::from_utf8_lossy(&late.stdout).contains("Late"));
    let output = suite(&["--check", "--of", "Grus"]);
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "\n{}{report}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8_lossy(&suite(&["--list"]).stdout).lines().count();
    assert!(names > 25, "{names} workloads are listed");
    assert_eq!(report.lines().filter(|line| line.contains("Grus ") && line.ends_with(" ms")).count(), names);
}
