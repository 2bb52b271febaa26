//! Execution of tests: each in a child process with a time limit, several in parallel.

use std::io::Read;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::check::{Failure, Outcome};
use crate::context::{Ctx, Target};
use crate::float_mode;
use crate::report::{TestResult, Verdict, progress};
use crate::starve;
use crate::tests::{self, Test};

/// Options of a run.
pub struct Options {
    pub target: Target,
    /// Substrings of test names. A test runs if its name contains one of them, or if there are none.
    pub filters: Vec<String>,
    /// Parts of names; a test that has one of them does not run.
    pub skipped: Vec<String>,
    pub json: Option<std::path::PathBuf>,
    pub jobs: usize,
    pub timeout: Duration,
    /// Additional arguments for executables of the CTS.
    pub with: Vec<String>,
    /// Floating-point mode in which all calls are made (`crate::float_mode`).
    pub float_mode: Option<String>,
    /// Seed for calls whose allocations fail at random (`starve`). A failed test then counts as passed.
    pub starve: Option<u32>,
}

/// Exit codes of a child process.
const FAILED: u8 = 1;
const SKIPPED: u8 = 77;

impl std::fmt::Display for Test {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.suite, self.name)
    }
}

/// Checks whether the filters select a name.
pub fn is_selected(name: &str, filters: &[String]) -> bool {
    filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()))
}

/// Returns the selected tests.
pub fn selected(options: &Options) -> Vec<&'static Test> {
    let is_skipped = |name: &str| options.skipped.iter().any(|part| name.contains(part.as_str()));
    let is_match = |name: &str| is_selected(name, &options.filters) && !is_skipped(name);
    tests::all().filter(|test| is_match(&test.to_string())).collect()
}

/// Runs one test in a child process.
pub fn run_one(options: &Options, name: &str) -> ExitCode {
    let Some(test) = tests::all().find(|test| test.to_string() == name) else {
        eprintln!("no test {name}");
        return ExitCode::from(FAILED);
    };
    if let Some(mode) = options.float_mode.as_deref().and_then(float_mode::mode) {
        float_mode::set_mode(mode);
    }
    let run = || -> Outcome {
        let cx = Ctx::new(&options.target)?;
        if let Some(seed) = options.starve {
            // Each test has its own sequence of random numbers.
            let name: u64 = name.bytes().fold(0, |sum, byte| sum * 31 % 1_000_003 + u64::from(byte));
            starve::begin(u64::from(seed) << 20 ^ name).map_err(Failure::Skipped)?;
        }
        let result = (test.run)(&cx);
        if starve::is_on() {
            eprintln!("allocations refused: {}", starve::refused());
            return Ok(());
        }
        result?;
        match float_mode::changed() {
            0 => Ok(()),
            calls => Err(Failure::Failed(format!("calls that changed the floating-point mode: {calls}"))),
        }
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Skipped(why)) => {
            eprintln!("{why}");
            ExitCode::from(SKIPPED)
        }
        Err(Failure::Failed(why)) => {
            eprintln!("{why}");
            ExitCode::from(FAILED)
        }
    }
}

/// Runs all selected tests and returns the results in the order of their names.
pub fn run_all(options: &Options) -> Vec<TestResult> {
    let tests = selected(options);
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                while let Some(test) = tests.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = in_child(test, options);
                    progress(&result);
                    results.lock().expect("no thread panics with the lock").push(result);
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no thread panics with the lock");
    results.sort_by(|a, b| (&a.suite, &a.test).cmp(&(&b.suite, &b.test)));
    results
}

fn in_child(test: &Test, options: &Options) -> TestResult {
    let mut command = Command::new(std::env::current_exe().unwrap_or_default());
    let library = if options.target.vendor { "--vendor" } else { "--lib" };
    command.arg(library).arg(&options.target.library);
    command.args(["--platform", &options.target.platform, "--one", &test.to_string()]);
    if let Some(seed) = options.starve {
        command.args(["--starve", &seed.to_string()]);
    }
    if let Some(mode) = &options.float_mode {
        command.args(["--float-mode", mode]);
    }
    let (output, milliseconds) = run_limited(command, options.timeout);
    let (verdict, detail) = match output {
        ProcessEnd::Exited(Some(0), text) => (Verdict::Pass, text),
        ProcessEnd::Exited(Some(code), text) if code == i32::from(FAILED) => (Verdict::Fail, text),
        ProcessEnd::Exited(Some(code), text) if code == i32::from(SKIPPED) => (Verdict::Skip, text),
        ProcessEnd::Exited(_, text) => (Verdict::Crash, text),
        ProcessEnd::TimedOut(text) => (Verdict::Timeout, text),
    };
    TestResult { suite: test.suite.to_owned(), test: test.name.to_owned(), verdict, milliseconds, detail }
}

/// End of a process, with its output.
pub enum ProcessEnd {
    /// The process ended with an exit code, or by a signal (`None`).
    Exited(Option<i32>, String),
    /// The process was killed at the time limit.
    TimedOut(String),
}

/// Runs a command for at most `timeout`. Returns the end of the process and its duration in milliseconds.
pub fn run_limited(mut command: Command, timeout: Duration) -> (ProcessEnd, u128) {
    let start = Instant::now();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return (ProcessEnd::Exited(None, error.to_string()), 0),
    };
    let out = collect(child.stdout.take());
    let err = collect(child.stderr.take());
    let status = wait(&mut child, start + timeout);
    let text = |reader: std::thread::JoinHandle<String>| reader.join().unwrap_or_default();
    let output = (text(out) + &text(err)).trim_end().to_owned();
    let end = match status {
        Some(status) => ProcessEnd::Exited(status.code(), output),
        None => ProcessEnd::TimedOut(output),
    };
    (end, start.elapsed().as_millis())
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn wait(child: &mut Child, end: Instant) -> Option<std::process::ExitStatus> {
    let mut pause = Duration::from_micros(200);
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() >= end {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}
