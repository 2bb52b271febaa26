//! Tests of the commands of `grus` as users run them, with this workspace's library.
//!
//! If `GRUS_LIBRARY` is set, it names the library to test; otherwise it is built first.

#[path = "../../../conformance/tests/library/mod.rs"]
mod library;

#[macro_use]
mod client;
mod build;
mod capture;
mod dis;
mod doctor;
mod il;
mod many;
mod run;
mod terminal;
mod trace;
mod with;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Returns the library, which is built once.
fn the_library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| library::library().canonicalize().expect("the library is there"))
}

/// Output and exit status of a command.
struct Said {
    status: Option<i32>,
    signal: Option<i32>,
    out: String,
    err: String,
}

impl Said {
    /// Panics with the output unless this was the exit status.
    #[track_caller]
    fn status(self, expected: i32) -> Said {
        assert_eq!(self.status, Some(expected), "\n{}{}", self.out, self.err);
        self
    }
}

/// Returns an empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = library::profile_folder().join("grus-tests").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// Returns the command in a folder, without environment variables that concern OpenCL.
fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_grus"));
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if ["GRUS_", "OCL_", "OPENCL_", "CLICOLOR"].iter().any(|prefix| name.starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command.env("GRUS_LIBRARY", the_library()).env("NO_COLOR", "1").current_dir(folder).stdin(Stdio::null());
    command
}

fn said(command: &mut Command) -> Said {
    let output = command.output().expect("grus runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Said {
        status: output.status.code(),
        signal: output.status.signal(),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}

/// Runs the command with these words.
fn grus<W: AsRef<OsStr>>(folder: &Path, words: &[W]) -> Said {
    said(command(folder).args(words))
}

/// Writes a file.
fn put(folder: &Path, name: &str, text: impl AsRef<[u8]>) {
    fs::write(folder.join(name), text).expect("a file can be written");
}

#[test]
fn every_command_has_help_with_examples() {
    let folder = folder("help");
    let help = grus(&folder, &["--help"]).status(0).out;
    for name in
        ["doctor", "with", "trace", "build", "run", "capture", "replay", "dis", "manual", "completions"]
    {
        assert!(help.contains(&format!("  {name} ")), "{help}");
        let help = grus(&folder, &[name, "--help"]).status(0).out;
        assert!(help.contains("Example") && help.contains(&format!("grus {name}")), "{help}");
    }
    assert!(!help.contains("probe"));
    grus::<&str>(&folder, &[]).status(2);
    grus(&folder, &["biuld"]).status(2);
    assert!(grus(&folder, &["--version"]).status(0).out.starts_with("grus "));
}

#[test]
fn manual_pages_and_completions() {
    let folder = folder("generated");
    grus(&folder, &["manual", "man"]).status(0);
    let page = fs::read_to_string(folder.join("man/grus-run.1")).expect("a page");
    assert!(page.contains(".TH grus-run 1") && page.contains("saxpy"), "{page}");
    assert!(!folder.join("man/grus-probe.1").exists());
    for shell in ["bash", "zsh", "fish"] {
        assert!(grus(&folder, &["completions", shell]).status(0).out.contains("doctor"), "{shell}");
    }
    grus(&folder, &["manual", "/proc/none"]).status(1);
    grus(&folder, &["completions", "cmd"]).status(2);
}

#[test]
fn a_disk_that_is_full() {
    let folder = folder("full");
    put(&folder, "a.cl", "kernel void a(global int *x) { x[0] = 1; }");
    let module = grus_assembler::assemble("OpMemoryModel Physical64 OpenCL\n").expect("SPIR-V");
    put(&folder, "a.spv", module);
    for words in [
        &["run", "a.cl", "-g", "1", "zeros"][..],
        &["build", "a.cl", "--kernels"],
        &["build", "a.cl", "--format=json"],
        &["build", "a.cl", "--emit=ir"],
        &["dis", "a.spv"],
        &["completions", "zsh"],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a device that is full");
        let output = command(&folder).args(words).stdout(full).output().expect("grus runs");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {err}");
        assert!(err.starts_with("grus: error: ") && err.ends_with("no space left on device\n"), "{err}");
    }
}

#[test]
fn a_library_that_is_not_there() {
    let folder = folder("no-library");
    put(&folder, "a.cl", "kernel void a() {}");
    let said = grus(&folder, &["build", "--library", "/nowhere/libgrus.so", "a.cl"]).status(2);
    assert_eq!(said.err, "grus: error: /nowhere/libgrus.so: no such library\n");
    put(&folder, "libgrus.so", "no library");
    let said = grus(&folder, &["build", "--library", "./libgrus.so", "a.cl"]).status(1);
    assert!(
        said.err.starts_with("grus: error: ./libgrus.so: ") && said.err.lines().count() == 1,
        "{}",
        said.err
    );
    // The library is found by an `.icd` file.
    let vendors = library::vendors("grus-tests/no-library/vendors", the_library());
    let mut command = command(&folder);
    command.env_remove("GRUS_LIBRARY").env("OCL_ICD_VENDORS", vendors).args(["build", "a.cl"]);
    assert_eq!(said_of(&mut command), (Some(0), String::new()));
}

fn said_of(command: &mut Command) -> (Option<i32>, String) {
    let said = said(command);
    (said.status, said.err)
}
