//! Runs the conformance suite against this workspace's vendor library: directly, and through the ICD loader with a
//! vendors folder that lists only this library.
//!
//! `GRUS_LIBRARY` names the library to test. Without it, the library is built first.
//!
//! Ignored tests belong to later tiers (`docs/adding.md`). The module of a test names its tier.

mod library;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use library::{library, profile_folder, vendors};

/// Runs the suite and panics with its output if a test fails.
fn run(configure: impl FnOnce(&mut Command, &Path)) {
    let mut suite = Command::new(env!("CARGO_BIN_EXE_grus-conformance"));
    configure(&mut suite, &library());
    let output = suite.output().expect("the suite runs");
    let report = [output.stderr, output.stdout].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "\n{}{}", report[0], report[1]);
}

/// Makes the ICD loader find this library and no other.
fn with_loader(suite: &mut Command, library: &Path) {
    // The file is written once: a loader that reads it during another write would find no platform.
    static VENDORS: OnceLock<PathBuf> = OnceLock::new();
    suite.env("OCL_ICD_VENDORS", VENDORS.get_or_init(|| vendors("vendors", library)));
}

/// Suites that together take as long as the rest and therefore run in the second tier: the accuracy of math
/// functions, and memory limits that decrease step by step.
const ACCURACY: &str = "test_bruteforce/";
const SHORTAGE: &str = "test_shortage/";

#[test]
fn through_the_loader() {
    run(|suite, library| {
        with_loader(suite, library);
        suite.args(["--skip", ACCURACY, "--skip", SHORTAGE]);
    });
}

/// Checks that a panic inside the library makes an event fail and does not end the process. Only debug builds can
/// be made to panic.
#[test]
#[cfg(debug_assertions)]
fn with_bugs_inside() {
    for place in ["helpers", "enqueue", "children", "groups", "queue"] {
        run(|suite, library| {
            with_loader(suite, library);
            suite.env("GRUS_TEST", format!("panic={place}")).arg("bugs_of_the_library");
        });
    }
}

/// Runs tests with the environment variables that programs written for GPUs may need.
#[test]
fn with_variables_for_programs_of_gpus() {
    for size in ["2", "16", "32", "64"] {
        run(|suite, library| {
            with_loader(suite, library);
            suite.env("GRUS_SUB_GROUP_SIZE", size).env("GRUS_LANES", "4").arg("sub_groups");
        });
    }
    for test in ["launches_of_no_items", "negative_nd_range", "negative_suggested_local_size"] {
        run(|suite, library| {
            with_loader(suite, library);
            suite.env("GRUS_EMPTY_LAUNCHES", "1").arg(test);
        });
    }
}

/// Runs tests of local memory with smaller and larger values of `GRUS_LOCAL_MEM_SIZE`.
#[test]
fn with_local_memory_of_a_chosen_size() {
    for size in ["32768", "49152", "4194304"] {
        run(|suite, library| {
            with_loader(suite, library);
            suite.env("GRUS_LOCAL_MEM_SIZE", size).arg("local");
        });
    }
}

/// Tests that run before a change is merged.
mod second_tier {
    use super::{ACCURACY, SHORTAGE, run, with_loader};

    /// Suites whose kernels compute a lot, so that faults of another backend or another floating-point mode would
    /// show.
    const OF_CODE: [&str; 10] = [
        "test_basic/",
        "test_compiler/",
        "test_device_execution/",
        "test_image_streams/",
        "test_non_uniform_work_group/",
        "test_pipes/",
        "test_subgroups/",
        "test_svm/",
        "test_usm/",
        "test_host/",
    ];

    #[test]
    #[ignore = "second tier"]
    fn functions_are_accurate() {
        run(|suite, library| {
            with_loader(suite, library);
            suite.arg(ACCURACY);
        });
    }

    #[test]
    #[ignore = "second tier"]
    fn memory_runs_out() {
        run(|suite, library| {
            with_loader(suite, library);
            suite.arg(SHORTAGE);
        });
    }

    /// Runs the suites [`OF_CODE`] with code for AVX2, which is the widest vector extension of most machines.
    #[test]
    #[ignore = "second tier"]
    fn code_for_avx2() {
        run(|suite, library| {
            with_loader(suite, library);
            suite.env("GRUS_BACKEND", "avx2").args(OF_CODE);
        });
    }

    /// Runs the suites [`OF_CODE`] while the calling thread rounds down, flushes denormals to zero and has
    /// floating-point traps enabled.
    #[test]
    #[cfg(target_arch = "x86_64")]
    #[ignore = "second tier"]
    fn code_from_a_host_in_an_odd_floating_point_mode() {
        run(|suite, library| {
            with_loader(suite, library);
            suite.args(["--float-mode", "odd"]).args(OF_CODE);
        });
    }

    #[test]
    #[ignore = "second tier"]
    fn vectors_compute_what_scalars_do() {
        run(|suite, library| {
            with_loader(suite, library);
            suite.args(["--accuracy", "--light", "--same-lanes", "--seed", "2"]);
        });
    }

    #[test]
    #[ignore = "second tier"]
    fn random_programs() {
        run(|suite, library| {
            with_loader(suite, library);
            suite.args(["--random", "6", "--disputed"]);
        });
    }
}

/// Tests that take too long for the other tiers.
mod nightly {
    use super::*;

    #[test]
    #[ignore = "nightly"]
    fn the_vendor_library_alone() {
        run(|suite, library| {
            suite.arg("--vendor").arg(library);
        });
    }

    #[test]
    #[ignore = "nightly"]
    fn through_the_loader_with_all_load() {
        run(|suite, library| {
            with_loader(suite, library);
            suite.env("GRUS_LOAD", "10000");
        });
    }

    /// Runs all tests while the calling thread rounds down, flushes denormals to zero and has floating-point traps
    /// enabled.
    #[test]
    #[cfg(target_arch = "x86_64")]
    #[ignore = "nightly"]
    fn from_a_host_in_an_odd_floating_point_mode() {
        run(|suite, library| {
            with_loader(suite, library);
            suite.args(["--float-mode", "odd"]);
        });
    }

    /// Compiles `starve.c`, which makes allocations of the library fail, and returns the path of the shared object.
    fn starving() -> PathBuf {
        let folder = profile_folder();
        let built = folder.join("starve.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/starve.c");
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&built).arg(source);
        assert!(cc.status().expect("a C compiler runs").success(), "starve.c does not compile");
        built
    }

    /// Checks that nothing crashes or hangs if the library gets no memory in one of twelve calls.
    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[ignore = "nightly"]
    fn calls_without_memory() {
        run(|suite, library| {
            with_loader(suite, library);
            suite.env("LD_PRELOAD", starving()).args(["--starve", "1"]);
        });
    }

    #[test]
    #[ignore = "nightly"]
    fn many_random_programs() {
        run(|suite, library| {
            with_loader(suite, library);
            suite.args(["--random", "60", "--disputed", "--seed", "100"]);
        });
    }
}
