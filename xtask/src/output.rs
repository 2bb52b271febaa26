//! Parses the output of test executables and adds up their results, as if each executable had run in one process.

/// Test counts of a `test result:` line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub passed: usize,
    pub failed: usize,
    pub ignored: usize,
}

impl Counts {
    /// Adds the counts that a job has printed. Returns `false` if the text has no `test result:` line.
    pub fn add(&mut self, text: &str) -> bool {
        let mut is_there = false;
        for line in text.lines().filter_map(|line| line.strip_prefix("test result: ")) {
            is_there = true;
            self.passed += number_before(line, " passed");
            self.failed += number_before(line, " failed");
            self.ignored += number_before(line, " ignored");
        }
        is_there
    }
}

/// Returns the number in front of a word, or 0 if there is none.
fn number_before(line: &str, word: &str) -> usize {
    let before = line.split(word).next().unwrap_or_default();
    before.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Returns the lines that report the result of one test each.
pub fn verdicts(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| line.starts_with("test ") && line.contains(" ... "))
}
