//! Drives the Khronos CTS: its executables in a folder, each sub-test's verdict read from what they print.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::report::{TestResult, Verdict, progress};
use crate::run::{Ended, Options, limited, wanted};

/// Runs every executable of the folder (and its sub-folders) that is asked for.
pub fn all(folder: &Path, options: &Options) -> Vec<TestResult> {
    let mut executables = Vec::new();
    find(folder, &mut executables);
    executables.sort();
    let mut results = Vec::new();
    for executable in executables {
        let suite = file_name(&executable);
        let subtests = list(&executable, options);
        // A filter names executables, or sub-tests of one of them.
        let chosen: Vec<_> =
            subtests.iter().filter(|t| wanted(&format!("{suite}/{t}"), &options.filters)).collect();
        for test in chosen {
            let result = run(&executable, &suite, test, options);
            progress(&result);
            results.push(result);
        }
    }
    results
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Files named `test_*` that can be executed.
fn find(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, found);
        } else if file_name(&path).starts_with("test_") && path.extension().is_none() {
            found.push(path);
        }
    }
}

fn command(executable: &Path) -> Command {
    let mut command = Command::new(executable);
    // They look for their data next to themselves.
    command.current_dir(executable.parent().unwrap_or(Path::new(".")));
    command
}

/// The sub-tests an executable lists when asked for help: the indented words at the end.
fn list(executable: &Path, options: &Options) -> Vec<String> {
    let mut command = command(executable);
    command.arg("--help");
    let (ended, _) = limited(command, options.timeout);
    let (Ended::With(_, text) | Ended::Late(text)) = ended;
    let mut names: Vec<String> = Vec::new();
    let mut listing = false;
    for line in text.lines() {
        if line.contains("Test names") {
            listing = true;
        } else if listing && line.starts_with(['\t', ' ']) {
            names.extend(line.split_whitespace().next().map(str::to_owned));
        }
    }
    names
}

fn run(executable: &Path, suite: &str, test: &str, options: &Options) -> TestResult {
    let mut command = command(executable);
    command.arg(test);
    let (ended, milliseconds) = limited(command, options.timeout);
    let (verdict, text) = match ended {
        Ended::With(code, text) => (verdict(code, &text, test), text),
        Ended::Late(text) => (Verdict::Timeout, text),
    };
    let tail = text.lines().rev().take(12).collect::<Vec<_>>();
    TestResult {
        suite: suite.to_owned(),
        test: test.to_owned(),
        verdict,
        milliseconds,
        detail: tail.into_iter().rev().collect::<Vec<_>>().join("\n"),
    }
}

/// `name passed`, `name FAILED` or `name skipped` on a line of its own; else the exit code decides.
fn verdict(code: Option<i32>, text: &str, test: &str) -> Verdict {
    let said = text.lines().rev().find_map(|line| {
        let mut words = line.split_whitespace();
        if words.next() != Some(test) {
            return None;
        }
        match words.next()?.to_ascii_lowercase().trim_end_matches(['.', '!']) {
            "passed" => Some(Verdict::Pass),
            "failed" => Some(Verdict::Fail),
            "skipped" => Some(Verdict::Skip),
            _ => None,
        }
    });
    match (said, code) {
        (_, None) => Verdict::Crash,
        (Some(verdict), _) => verdict,
        (None, Some(0)) => Verdict::Pass,
        (None, Some(_)) => Verdict::Fail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_read_from_the_output() {
        assert_eq!(verdict(Some(0), "x\nbarrier passed\nPASSED 1 of 1 tests.", "barrier"), Verdict::Pass);
        assert_eq!(verdict(Some(1), "barrier FAILED\n", "barrier"), Verdict::Fail);
        assert_eq!(verdict(Some(0), "barrier skipped\n", "barrier"), Verdict::Skip);
        assert_eq!(verdict(None, "", "barrier"), Verdict::Crash);
        assert_eq!(verdict(Some(3), "", "barrier"), Verdict::Fail);
    }
}
