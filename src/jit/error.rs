//! Errors of code generation and placement.

use std::fmt;
use std::io;

/// Reason for which code could not be generated or placed.
#[derive(Debug)]
pub enum Error {
    /// Internal error, with its description.
    Bug(String),
    /// Shortage of memory for the code, possibly temporary.
    Memory,
    /// Refusal of the system to make memory executable.
    Forbidden(io::Error),
}

impl Error {
    /// Converts the error of a failed system call.
    pub(super) fn from_system(error: io::Error) -> Error {
        match error.raw_os_error() {
            Some(libc::ENOMEM | libc::EAGAIN) => Error::Memory,
            _ => Error::Forbidden(error),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Bug(message) => f.write_str(message),
            Error::Memory => f.write_str("no memory for machine code"),
            Error::Forbidden(error) => write!(f, "memory cannot be made executable: {error}"),
        }
    }
}

impl From<String> for Error {
    fn from(message: String) -> Error {
        Error::Bug(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortage_is_not_a_prohibition() {
        let error = |code| Error::from_system(io::Error::from_raw_os_error(code));
        assert!(matches!(error(libc::ENOMEM), Error::Memory));
        assert!(matches!(error(libc::EACCES), Error::Forbidden(_)));
    }
}
