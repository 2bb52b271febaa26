//! Why there is no machine code.

use std::fmt;
use std::io;

/// Why code could not be generated or placed.
#[derive(Debug)]
pub enum Error {
    /// A bug of ours, and what it is.
    Bug(String),
    /// The system has no memory for the code now.
    Memory,
    /// The system does not let memory become executable.
    Forbidden(io::Error),
}

impl Error {
    /// What a system call that failed says.
    pub(super) fn of_system(error: io::Error) -> Error {
        match error.raw_os_error() {
            Some(libc::ENOMEM | libc::EAGAIN) => Error::Memory,
            _ => Error::Forbidden(error),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Bug(what) => f.write_str(what),
            Error::Memory => f.write_str("no memory for machine code"),
            Error::Forbidden(error) => write!(f, "memory cannot be made executable: {error}"),
        }
    }
}

impl From<String> for Error {
    fn from(what: String) -> Error {
        Error::Bug(what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortage_is_not_a_prohibition() {
        let of = |code| Error::of_system(io::Error::from_raw_os_error(code));
        assert!(matches!(of(libc::ENOMEM), Error::Memory));
        assert!(matches!(of(libc::EACCES), Error::Forbidden(_)));
    }
}
