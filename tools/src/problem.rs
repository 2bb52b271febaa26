//! Why a command ends without success: what the user gave is wrong, or what was tried failed.

use std::path::Path;
use std::{fmt, io};

use crate::icd;

/// The result of a step of a command.
pub type Result<T> = std::result::Result<T, Problem>;

/// Why there is none. The text is one line, unless a part of it is a build log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// What was given makes no sense: exit status 2.
    Input(String),
    /// What was tried did not succeed: exit status 1.
    Failed(String),
    /// The same, and everything has been said already.
    Told,
}

impl Problem {
    /// The exit status that scripts see.
    pub fn status(&self) -> u8 {
        match self {
            Problem::Input(_) => 2,
            Problem::Failed(_) | Problem::Told => 1,
        }
    }

    /// The same with what it is about in front.
    pub fn of(self, what: impl fmt::Display) -> Problem {
        match self {
            Problem::Input(text) => Problem::Input(format!("{what}: {text}")),
            Problem::Failed(text) => Problem::Failed(format!("{what}: {text}")),
            Problem::Told => Problem::Told,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Input(text) | Problem::Failed(text) => f.write_str(text),
            Problem::Told => Ok(()),
        }
    }
}

/// Input that makes no sense.
pub fn input<T>(text: impl Into<String>) -> Result<T> {
    Err(Problem::Input(text.into()))
}

/// Something that did not succeed.
pub fn failed<T>(text: impl Into<String>) -> Result<T> {
    Err(Problem::Failed(text.into()))
}

/// A file that cannot be read or written.
pub fn wrong(path: &Path, error: &io::Error) -> Problem {
    Problem::Failed(format!("{}: {}", path.display(), icd::plain(error)))
}
