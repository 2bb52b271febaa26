//! `cargo xtask test` builds the workspace once and runs the tests of all its test executables from one queue, so
//! that all processors stay busy until the end. `docs/adding.md` lists the tests of each tier.
//!
//! ```text
//! cargo xtask test                 the first tier: every test that is not ignored
//! cargo xtask test second          the second tier, with the tests of code generation repeated for AVX2
//! cargo xtask test nightly         the third tier: all remaining tests, with all forms and sizes
//! cargo xtask check                formatting, the rules in tests/tidy.rs, cargo check; needs no built library
//! ```

mod build;
mod jobs;
mod output;
mod queue;
mod steps;

use std::process::{Command, ExitCode};

use steps::Steps;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["check"] => check(),
        ["test"] => test("first"),
        ["test", tier @ ("first" | "second" | "nightly")] => test(tier),
        _ => {
            eprintln!("usage: cargo xtask check | cargo xtask test [first | second | nightly]");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the checks that need no built library.
fn check() -> Result<(), String> {
    let mut steps = Steps::begin();
    for words in [&["test", "--quiet", "--package", "xtask"][..], &["check", "--workspace", "--all-targets"]]
    {
        steps.run(&format!("cargo {}", words.join(" ")), || run(Command::new("cargo").args(words)))?;
    }
    Ok(())
}

/// Builds the workspace and runs the tests of a tier.
fn test(tier: &str) -> Result<(), String> {
    let mut steps = Steps::begin();
    let built = steps.run("build", build::build)?;
    let jobs = jobs::of(&built, tier)?;
    let results = steps.run("tests", || queue::run(jobs))?;
    steps.report(&results.times);
    if results.failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", results.failed.join(", "))) }
}

/// Runs a command.
///
/// # Errors
/// If the command cannot be started or does not succeed.
fn run(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(why) => Err(format!("{command:?}: {why}")),
    }
}
