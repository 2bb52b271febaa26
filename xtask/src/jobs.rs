//! Divides the tests of a tier into jobs. A job is one process that runs its tests on one thread.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::build::{BuildOutput, Executable};

/// Some of the tests of an executable.
pub struct Job {
    /// Name that is shared by jobs with one common summary: the executable, and a note on how it is run.
    pub group: String,
    /// Number of the job within its group, from 1, and number of jobs of the group.
    pub part: (usize, usize),
    pub program: PathBuf,
    pub folder: PathBuf,
    pub arguments: Vec<String>,
    pub environment: Vec<(String, String)>,
}

impl Job {
    /// Returns the name for tables.
    pub fn name(&self) -> String {
        match self.part {
            (_, 1) => self.group.clone(),
            (part, of) => format!("{} {part}/{of}", self.group),
        }
    }
}

/// Settings with which an executable is run.
struct RunMode<'a> {
    /// Text that is appended to the executable's name.
    note: &'a str,
    filters: &'a [&'a str],
    environment: &'a [(&'a str, &'a str)],
    /// True if only the tests that are marked `#[ignore]` are run.
    ignored: bool,
}

const DEFAULT_MODE: RunMode<'_> = RunMode { note: "", filters: &[], environment: &[], ignored: false };

/// Maximum number of jobs per executable, and minimum number of tests for more than one job.
// Arbitrary.
const MAX_JOBS: usize = 16;
const MIN_TESTS_TO_SPLIT: usize = 4;

/// Name of the test executable that has no libtest harness. It divides its tests itself (`GRUS_TEST_PART`).
const FIXTURES: &str = "grus fixtures";

/// Returns the jobs of a tier.
///
/// # Errors
/// If a test executable is missing or does not list its tests.
pub fn of(output: &BuildOutput, tier: &str) -> Result<Vec<Job>, String> {
    let mut jobs = Vec::new();
    let mut add = |name: &str, mode: &RunMode<'_>| -> Result<(), String> {
        let found: Vec<_> = output.tests.iter().filter(|test| name.is_empty() || test.name == name).collect();
        if found.is_empty() {
            return Err(format!("there is no test executable {name}"));
        }
        for test in found {
            jobs.extend(split(test, mode, &output.library)?);
        }
        Ok(())
    };
    let avx2: &[_] = &[("GRUS_BACKEND", "avx2")];
    match tier {
        "first" => add("", &DEFAULT_MODE)?,
        "second" => {
            let second = RunMode { filters: &["second_tier::"], ignored: true, ..DEFAULT_MODE };
            add("grus-conformance suite", &second)?;
            let by_code = ["second_tier::functions", "second_tier::vectors", "second_tier::random"];
            let by_code = RunMode { note: " with AVX2", filters: &by_code, environment: avx2, ..second };
            add("grus-conformance suite", &by_code)?;
            add("grus-bench suite", &second)?;
            let seeds = [("GRUS_RANDOM", "3..7")];
            let random = RunMode {
                note: " of other seeds",
                filters: &["random"],
                environment: &seeds,
                ..DEFAULT_MODE
            };
            add(FIXTURES, &random)?;
            // Scenarios of three threads take a minute with two preemptions.
            let preemptions = [("LOOM_MAX_PREEMPTIONS", "2")];
            let threads = RunMode { note: " of three threads", environment: &preemptions, ..DEFAULT_MODE };
            add("grus-model tree", &RunMode { filters: &["children_run_once"], ..threads })?;
            // Few registers force many values to be spilled.
            let withheld = [("GRUS_TEST", "withhold=9")];
            let lanes = ["run/lanes"];
            let lanes = RunMode {
                note: " with few registers",
                filters: &lanes,
                environment: &withheld,
                ..DEFAULT_MODE
            };
            add(FIXTURES, &lanes)?;
        }
        _ => {
            let nightly = RunMode { filters: &["nightly::"], ignored: true, ..DEFAULT_MODE };
            add("grus-conformance suite", &nightly)?;
            add("grus-conformance suite", &RunMode { note: " with AVX2", environment: avx2, ..nightly })?;
            for name in [FIXTURES, "grus it"] {
                let full = [("GRUS_TEST_FULL", "1")];
                add(name, &RunMode { note: " in full", environment: &full, ..DEFAULT_MODE })?;
            }
            let seeds = [("GRUS_RANDOM", "1..201"), ("GRUS_RANDOM_SMALL", "121..3001")];
            let random =
                RunMode { note: " of many seeds", filters: &["random"], environment: &seeds, ..DEFAULT_MODE };
            add(FIXTURES, &random)?;
        }
    }
    Ok(jobs)
}

/// Returns the jobs for the tests that an executable runs with these settings.
fn split(test: &Executable, mode: &RunMode<'_>, library: &Path) -> Result<Vec<Job>, String> {
    let group = format!("{}{}", test.name, mode.note);
    let mut environment = vec![("GRUS_LIBRARY".to_owned(), library.display().to_string())];
    environment.extend(mode.environment.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())));
    let job = |part, own: Vec<String>, added: Option<(String, String)>| {
        let mut arguments = vec!["--test-threads=1".to_owned()];
        arguments.extend(mode.ignored.then(|| "--ignored".to_owned()));
        arguments.extend(own);
        let environment = environment.iter().cloned().chain(added).collect();
        let (program, folder) = (test.path.clone(), test.folder.clone());
        Job { group: group.clone(), part, program, folder, arguments, environment }
    };
    if test.name == FIXTURES {
        let filters: Vec<String> = mode.filters.iter().map(|&filter| filter.to_owned()).collect();
        let part = |at: usize| ("GRUS_TEST_PART".to_owned(), format!("{at}/{MAX_JOBS}"));
        return Ok((1..=MAX_JOBS).map(|at| job((at, MAX_JOBS), filters.clone(), Some(part(at)))).collect());
    }
    let names = list(test, mode)?;
    let parts = if names.len() < MIN_TESTS_TO_SPLIT { 1 } else { names.len().min(MAX_JOBS) };
    let part = |at: usize| {
        let own = names.iter().skip(at).step_by(parts).cloned();
        job((at + 1, parts), [String::from("--exact")].into_iter().chain(own).collect(), None)
    };
    let is_empty = names.is_empty();
    Ok((0..parts).filter(|_| !is_empty).map(part).collect())
}

/// Returns the names of an executable's tests that match the settings.
fn list(test: &Executable, mode: &RunMode<'_>) -> Result<Vec<String>, String> {
    let mut command = Command::new(&test.path);
    command.args(["--list", "--format=terse"]).args(mode.filters).current_dir(&test.folder);
    let output = command.output().map_err(|why| format!("{}: {why}", test.name))?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}
