//! Test that every workload of the suite computes the right results on this workspace's library, through the ICD
//! loader with a vendors folder that names no other library.
//!
//! If `GRUS_LIBRARY` is set, it names the library to test; otherwise it is built first.

#[path = "../../conformance/tests/library/mod.rs"]
mod library;

use std::process::Command;

use library::{library, vendors};

/// Tests to run before a change lands (`docs/adding.md`).
mod second_tier {
    use super::*;

    #[test]
    #[ignore = "second tier"]
    fn every_workload_is_right() {
        let vendors = vendors("suite-vendors", &library());
        let suite = |args: &[&str]| {
            let mut suite = Command::new(env!("CARGO_BIN_EXE_suite"));
            suite.args(args).env("OCL_ICD_VENDORS", &vendors).output().expect("the suite runs")
        };
        // A workload that does not answer within the limit is late, which counts as not right.
        let late = suite(&["--check", "--limit", "0", "launch-batch"]);
        assert!(!late.status.success() && String::from_utf8_lossy(&late.stdout).contains("Late"));
        let output = suite(&["--check", "--of", "Grus"]);
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "\n{}{report}", String::from_utf8_lossy(&output.stderr));
        let names = String::from_utf8_lossy(&suite(&["--list"]).stdout).lines().count();
        assert!(names > 25, "{names} workloads are listed");
        assert_eq!(
            report.lines().filter(|line| line.contains("Grus ") && line.ends_with(" ms")).count(),
            names
        );
    }
}
