//! Runs the Khronos CTS: the executables in a folder. The verdict of each sub-test is derived from their output.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::report::{TestResult, Verdict, progress};
use crate::run::{Options, ProcessEnd, is_selected, run_limited};

/// Runs every selected executable of the folder and its sub-folders. An executable that lists no sub-tests fails.
pub fn all(folder: &Path, options: &Options) -> Vec<TestResult> {
    let mut executables = Vec::new();
    find(folder, &mut executables);
    executables.sort();
    let mut results = Vec::new();
    for executable in executables {
        let suite = file_name(&executable);
        let subtests = match list(&executable, options) {
            Ok(subtests) => subtests,
            Err(failed) if is_selected(&format!("{suite}/"), &options.filters) => {
                progress(&failed);
                results.push(failed);
                continue;
            }
            Err(_) => continue,
        };
        // A filter selects executables, or sub-tests of an executable.
        let chosen: Vec<_> =
            subtests.iter().filter(|t| is_selected(&format!("{suite}/{t}"), &options.filters)).collect();
        for test in chosen {
            let result = run(&executable, &suite, (test, subtests.len() == 1), options);
            progress(&result);
            results.push(result);
        }
    }
    results
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Finds executable files named `test_*`.
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
    // The executables look for their data in their own folder.
    command.current_dir(executable.parent().unwrap_or(Path::new(".")));
    command
}

/// Returns the names of an executable's sub-tests, which it prints on lines that begin with a tab, or a result that
/// says why it printed none.
fn list(executable: &Path, options: &Options) -> Result<Vec<String>, TestResult> {
    let mut command = command(executable);
    command.arg("--list");
    let (ended, milliseconds) = run_limited(command, options.timeout);
    let (verdict, text) = match ended {
        ProcessEnd::Exited(Some(_), text) => (Verdict::Fail, text),
        ProcessEnd::Exited(None, text) => (Verdict::Crash, text),
        ProcessEnd::TimedOut(text) => (Verdict::Timeout, text),
    };
    let names = text.lines().filter_map(|line| line.strip_prefix('\t'));
    let names: Vec<_> = names.map(|name| name.trim().to_owned()).collect();
    if !names.is_empty() {
        return Ok(names);
    }
    Err(TestResult {
        suite: file_name(executable),
        test: "--list".into(),
        verdict,
        milliseconds,
        detail: text,
    })
}

/// Runs one sub-test. The only sub-test of an executable is not passed by name, because such an executable may
/// interpret arguments differently.
fn run(executable: &Path, suite: &str, (test, only): (&str, bool), options: &Options) -> TestResult {
    let mut command = command(executable);
    if !only {
        command.arg(test);
    }
    command.args(&options.with);
    let (ended, milliseconds) = run_limited(command, options.timeout);
    let (verdict, text) = match ended {
        ProcessEnd::Exited(code, text) => (verdict(code, &text, test), text),
        ProcessEnd::TimedOut(text) => (Verdict::Timeout, text),
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

/// Derives the verdict of a sub-test from the exit code and the output. The verdict is in a line that ends with
/// `name passed`, `name FAILED` or `name test not supported`, or that begins with `name skipped`. Without such a
/// line the sub-test has not run, unless the executable reports that it does not support the device. A passed
/// sub-test must also exit successfully.
fn verdict(code: Option<i32>, text: &str, test: &str) -> Verdict {
    let said = text.lines().rev().find_map(|line| {
        let line = line.trim_end().trim_end_matches(['.', '!']);
        let is_whole = |before: &str| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let says = |what: &str| {
            let before = line.strip_suffix(what).and_then(|rest| rest.strip_suffix(test));
            before.is_some_and(is_whole)
        };
        let verdicts =
            [(" passed", Verdict::Pass), (" FAILED", Verdict::Fail), (" test not supported", Verdict::Skip)];
        let too_new = line.strip_prefix(test).is_some_and(|rest| rest.starts_with(" skipped"));
        let none_ran = line.starts_with("SKIPPED ") && line.ends_with(" tests");
        let verdict = verdicts.into_iter().find(|(what, _)| says(what)).map(|(_, verdict)| verdict);
        verdict.or((too_new || none_ran).then_some(Verdict::Skip))
    });
    match (said, code) {
        (_, None) => Verdict::Crash,
        (Some(Verdict::Pass), Some(0)) => Verdict::Pass,
        (Some(Verdict::Skip), Some(_)) => Verdict::Skip,
        _ => Verdict::Fail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_read_from_the_output() {
        assert_eq!(verdict(Some(0), "x\nbarrier passed\nPASSED 1 of 1 tests.", "barrier"), Verdict::Pass);
        assert_eq!(verdict(Some(1), "barrier FAILED\n", "barrier"), Verdict::Fail);
        assert_eq!(
            verdict(Some(0), "barrier skipped (requires at least version OpenCL 3.0)\n", "barrier"),
            Verdict::Skip
        );
        assert_eq!(verdict(None, "", "barrier"), Verdict::Crash);
        assert_eq!(verdict(Some(3), "", "barrier"), Verdict::Fail);
        assert_eq!(verdict(Some(0), "Testing...barrier passed\nPASSED test.", "barrier"), Verdict::Pass);
        assert_eq!(verdict(Some(0), "work_group_barrier passed\n", "barrier"), Verdict::Fail);
        assert_eq!(verdict(Some(0), "barrier test not supported\nPASSED test.", "barrier"), Verdict::Skip);
        assert_eq!(
            verdict(Some(0), "Test skipped while initialization\nSKIPPED 2 of 2 tests.", "x"),
            Verdict::Skip
        );
        assert_eq!(verdict(Some(0), "ERROR: no barrier, skipping\n", "barrier"), Verdict::Fail);
        assert_eq!(verdict(Some(1), "barrier passed\n", "barrier"), Verdict::Fail);
    }
}
