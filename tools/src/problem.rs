//! Failures of commands: invalid input, or a failed operation.

use std::path::Path;
use std::{fmt, io};

use crate::icd;

/// Result of a step of a command.
pub type Result<T> = std::result::Result<T, Problem>;

/// Reason of a failure. The text is one line, unless it contains a build log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Invalid input: exit status 2.
    Input(String),
    /// Failed operation: exit status 1.
    Failed(String),
    /// Failed operation whose reason has been printed already: exit status 1.
    Reported,
}

impl Problem {
    /// Returns the exit status.
    pub fn status(&self) -> u8 {
        match self {
            Problem::Input(_) => 2,
            Problem::Failed(_) | Problem::Reported => 1,
        }
    }

    /// Adds the subject of the problem in front of the text.
    pub fn of(self, what: impl fmt::Display) -> Problem {
        match self {
            Problem::Input(text) => Problem::Input(format!("{what}: {text}")),
            Problem::Failed(text) => Problem::Failed(format!("{what}: {text}")),
            Problem::Reported => Problem::Reported,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Input(text) | Problem::Failed(text) => f.write_str(text),
            Problem::Reported => Ok(()),
        }
    }
}

/// Returns an error for invalid input.
pub fn input<T>(text: impl Into<String>) -> Result<T> {
    Err(Problem::Input(text.into()))
}

/// Returns an error for a failed operation.
pub fn failed<T>(text: impl Into<String>) -> Result<T> {
    Err(Problem::Failed(text.into()))
}

/// Returns the problem of a file that cannot be read or written.
pub fn wrong(path: &Path, error: &io::Error) -> Problem {
    Problem::Failed(format!("{}: {}", path.display(), icd::plain(error)))
}
