//! Output of results: one JSON line for each test, and a table at the end.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use crate::run::is_selected;

/// Outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Pass,
    Fail,
    Skip,
    Crash,
    Timeout,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Skip => "skip",
            Self::Crash => "crash",
            Self::Timeout => "timeout",
        }
    }
}

/// Result of one test.
#[derive(Clone, Debug)]
pub struct TestResult {
    /// CTS executable to which the test belongs.
    pub suite: String,
    pub test: String,
    pub verdict: Verdict,
    pub milliseconds: u128,
    pub detail: String,
}

impl TestResult {
    /// Returns the result as one line of JSON.
    fn json(&self) -> String {
        format!(
            r#"{{"suite":"{}","test":"{}","result":"{}","ms":{},"detail":"{}"}}"#,
            escape(&self.suite),
            escape(&self.test),
            self.verdict.name(),
            self.milliseconds,
            escape(&self.detail)
        )
    }
}

fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' => escaped.extend(['\\', c]),
            '\n' => escaped.push_str("\\n"),
            c if c.is_control() => {
                let _ = write!(escaped, "\\u{:04x}", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    escaped
}

/// Reports a result as soon as the test has ended.
pub fn progress(result: &TestResult) {
    if result.verdict != Verdict::Pass {
        let detail = match result.verdict {
            // Print all details, because a crash may be hard to reproduce.
            Verdict::Crash => &result.detail,
            _ => result.detail.lines().next_back().unwrap_or(""),
        };
        eprintln!("{:<7} {}/{}: {detail}", result.verdict.name(), result.suite, result.test);
    }
}

/// Writes the results and returns success if no test has failed and at least one has run for each filter.
pub fn finish(results: &[TestResult], filters: &[String], json: Option<&Path>) -> ExitCode {
    let lines: String = results.iter().map(|result| result.json() + "\n").collect();
    if let Some(path) = json
        && let Err(error) = std::fs::write(path, lines)
    {
        eprintln!("{}: {error}", path.display());
        return ExitCode::from(2);
    }
    println!("{}", table(results));
    let bad = |r: &TestResult| !matches!(r.verdict, Verdict::Pass | Verdict::Skip);
    let missing = missing(results, filters);
    for filter in &missing {
        eprintln!("no test has `{filter}` in its name");
    }
    let is_well = !results.is_empty() && missing.is_empty() && !results.iter().any(bad);
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the filters that match no test that has run, because of a misspelt name or a missing executable.
fn missing<'a>(results: &[TestResult], filters: &'a [String]) -> Vec<&'a str> {
    let has_run = |filter: &String| {
        results.iter().any(|r| is_selected(&format!("{}/{}", r.suite, r.test), std::slice::from_ref(filter)))
    };
    filters.iter().filter(|filter| !has_run(filter)).map(String::as_str).collect()
}

/// Returns a table with a row for each suite.
fn table(results: &[TestResult]) -> String {
    const ALL: [Verdict; 5] = [Verdict::Pass, Verdict::Fail, Verdict::Skip, Verdict::Crash, Verdict::Timeout];
    let mut rows: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
    let mut total = [0; 5];
    for result in results {
        let row = rows.entry(&result.suite).or_default();
        let column = ALL.iter().position(|&v| v == result.verdict).unwrap_or(0);
        row[column] += 1;
        total[column] += 1;
    }
    let mut table = format!("{:<28}", "suite");
    for verdict in ALL {
        let _ = write!(table, "{:>9}", verdict.name());
    }
    for (suite, counts) in rows.into_iter().chain([("total", total)]) {
        let _ = write!(table, "\n{suite:<28}");
        for count in counts {
            let _ = write!(table, "{count:>9}");
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matches_nothing_is_no_success() {
        let passed = |suite: &str, test: &str| TestResult {
            suite: suite.to_owned(),
            test: test.to_owned(),
            verdict: Verdict::Pass,
            milliseconds: 0,
            detail: String::new(),
        };
        let results = [passed("test_basic", "barrier"), passed("test_select", "select_int")];
        let filters = ["test_basic/", "select", "test_multiples"].map(str::to_owned);
        assert_eq!(missing(&results, &filters), ["test_multiples"]);
        assert_eq!(finish(&results, &filters, None), ExitCode::FAILURE);
        assert_eq!(finish(&results, &filters[..2], None), ExitCode::SUCCESS);
        assert_eq!(finish(&[], &[], None), ExitCode::FAILURE);
    }
}
