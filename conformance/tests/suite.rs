//! Runs the whole suite against this workspace's vendor library: alone, and through the ICD loader with a vendors folder
//! that names nothing else.
//!
//! `GRUS_LIBRARY` names the library to test; without it, it is built first.
//!
//! What is ignored here belongs to later tiers (`docs/adding.md`), which its module names.

mod library;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use library::{library, profile_folder, vendors};

/// Runs the suite and fails with its report.
fn run(configure: impl FnOnce(&mut Command, &Path)) {
    let mut suite = Command::new(env!("CARGO_BIN_EXE_grus-conformance"));
    configure(&mut suite, &library());
    let output = suite.output().expect("the suite runs");
    let report = [output.stderr, output.stdout].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "\n{}{}", report[0], report[1]);
}

/// Lets the loader find this library and no other.
fn with_loader(suite: &mut Command, library: &Path) {
    // Written once: a loader that reads it while another test writes it finds no platform.
    static VENDORS: OnceLock<PathBuf> = OnceLock::new();
    suite.env("OCL_ICD_VENDORS", VENDORS.get_or_init(|| vendors("vendors", library)));
}

/// Suites that take as long as all others together, which the second tier runs: errors of mathematical functions, and limits
/// of memory that fall step by step.
const ACCURACY: &str = "test_bruteforce/";
const SHORTAGE: &str = "test_shortage/";

#[test]
fn through_the_loader() {
    run(|suite, library| {
        with_loader(suite, library);
        suite.args(["--skip", ACCURACY, "--skip", SHORTAGE]);
    });
}

/// Where it has a bug on purpose, the library fails an event and goes on. Only debug builds can have one.
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

/// With the variables that programs for GPUs may need.
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

/// The user may ask for less local memory, and for more.
#[test]
fn with_local_memory_of_a_chosen_size() {
    for size in ["32768", "49152", "4194304"] {
        run(|suite, library| {
            with_loader(suite, library);
            suite.env("GRUS_LOCAL_MEM_SIZE", size).arg("local");
        });
    }
}

/// Before a change lands.
mod second_tier {
    use super::{ACCURACY, SHORTAGE, run, with_loader};

    /// Suites in which kernels compute much: code of another backend, or in another floating-point mode, may be wrong there.
    const OF_CODE: [&str; 9] = [
        "test_basic/",
        "test_compiler/",
        "test_device_execution/",
        "test_image_streams/",
        "test_non_uniform_work_group/",
        "test_pipes/",
        "test_subgroups/",
        "test_svm/",
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

    /// Most machines have AVX2 and no more: as if this one were such.
    #[test]
    #[ignore = "second tier"]
    fn code_for_avx2() {
        run(|suite, library| {
            with_loader(suite, library);
            suite.env("GRUS_BACKEND", "avx2").args(OF_CODE);
        });
    }

    /// All calls are made while the host rounds down, flushes and traps.
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

/// The rest, with all that is too long to wait for.
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

    /// All calls are made while the host rounds down, flushes and traps.
    #[test]
    #[cfg(target_arch = "x86_64")]
    #[ignore = "nightly"]
    fn from_a_host_in_an_odd_floating_point_mode() {
        run(|suite, library| {
            with_loader(suite, library);
            suite.args(["--float-mode", "odd"]);
        });
    }

    /// What fails the library's allocations, compiled.
    fn starving() -> PathBuf {
        let folder = profile_folder();
        let built = folder.join("starve.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/starve.c");
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&built).arg(source);
        assert!(cc.status().expect("a C compiler runs").success(), "starve.c does not compile");
        built
    }

    /// In one of twelve calls the library gets no memory: nothing crashes or hangs.
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
