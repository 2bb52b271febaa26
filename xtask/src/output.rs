//! Reads what test executables print, and sums it up as if they had run in one piece.

/// The counts of a `test result:` line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub passed: usize,
    pub failed: usize,
    pub ignored: usize,
}

impl Counts {
    /// Adds what a part has printed; `false` if it has printed no result.
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

/// The number in front of a word.
fn number_before(line: &str, word: &str) -> usize {
    let before = line.split(word).next().unwrap_or_default();
    before.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// The lines that say how each test went.
pub fn verdicts(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| line.starts_with("test ") && line.contains(" ... "))
}
