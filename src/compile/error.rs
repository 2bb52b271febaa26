//! Errors of the pipeline: of compiling without a log, and of generating code. [`super::BuildError`] says what became of a
//! build; the errors behind it are in its log.

use super::{GlobalsError, NO_MEMORY};
use grus_codegen::CodegenError;
use grus_codegen::jit;
use grus_ir::{ParseError, VerifyError};
use grus_passes::GroupCodeError;

/// Reason why source or IR text is not compiled. Kernels are given by their names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// Errors in the program or its options: the text of the log.
    #[error("{0}")]
    Log(String),
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// Invalid IR. If it comes from source, this is a bug of the front end or of lowering.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    #[error("kernel `{0}` has no body")]
    NoBody(String),
    /// Internal error: the IR lacks a kernel of the source.
    #[error("kernel `{0}` was lost")]
    LostKernel(String),
    /// An argument block whose offsets do not fit into 32 bits.
    #[error("the kernel's arguments take too much room")]
    ArgumentsTooLarge,
    #[error(transparent)]
    Globals(#[from] GlobalsError),
}

/// Reason why there is no code of a kernel.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CodeError {
    /// Not enough memory; a later attempt may succeed.
    #[error("{}", NO_MEMORY)]
    Memory,
    /// The passes cannot form the group code.
    #[error(transparent)]
    GroupCode(#[from] GroupCodeError),
    #[error(transparent)]
    Codegen(#[from] CodegenError),
    /// The code cannot be placed, for another reason than memory.
    #[error(transparent)]
    Placement(jit::Error),
    /// A panic, with its message.
    #[error("internal compiler error: {0}")]
    Panic(String),
    #[error("no such kernel")]
    UnknownKernel,
    /// Internal error: a thread that helped to generate code did not do its part.
    #[error("a function was left out")]
    MissingFunction,
}

impl From<jit::Error> for CodeError {
    fn from(error: jit::Error) -> Self {
        match error {
            jit::Error::Memory => CodeError::Memory,
            error => CodeError::Placement(error),
        }
    }
}
