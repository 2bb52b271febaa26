//! Errors of placement.

use std::io;
use std::sync::Arc;

use crate::RelocKind;

/// Reason why code could not be placed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// Internal error: a relocation refers to a function that the kernel does not have.
    #[error("call of no function")]
    UnknownFunction,
    /// Internal error: the target of a relocation is too far away.
    #[error("relocation {0:?} does not reach")]
    OutOfRange(RelocKind),
    /// Mapping of memory at the address that stands for none.
    #[error("memory was mapped at address 0")]
    NullMapping,
    /// Shortage of memory for the code, possibly temporary.
    #[error("no memory for machine code")]
    Memory,
    /// Refusal of the system to make memory executable.
    #[error("memory cannot be made executable: {0}")]
    Forbidden(#[source] Arc<io::Error>),
}

impl Error {
    /// Converts the error of a failed system call.
    pub(super) fn from_system(error: io::Error) -> Error {
        match error.raw_os_error() {
            Some(libc::ENOMEM | libc::EAGAIN) => Error::Memory,
            _ => Error::Forbidden(error.into()),
        }
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
