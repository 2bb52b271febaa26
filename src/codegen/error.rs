//! Errors of code generation. All of them are internal errors, except that a machine may be unknown to Cranelift and a
//! function may exceed a limit of a backend.

use std::error::Error;
use std::sync::Arc;

use cranelift_codegen::FinalizedRelocTarget;
use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::ir::LibCall;

use grus_ir::Op;

/// Reason why a function has no machine code. Functions are given by their names.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CodegenError {
    /// Cranelift cannot generate code for this machine, with its reason.
    #[error(transparent)]
    Host(Arc<dyn Error + Send + Sync>),
    /// An op that a pass or legalization should have removed.
    #[error("{} is left after the passes", .0.name())]
    Unsupported(Op),
    #[error("terminator inside a block")]
    Terminator,
    /// Cranelift refuses the function.
    #[error("{function}: {error:?}")]
    Cranelift {
        function: String,
        #[source]
        error: Arc<cranelift_codegen::CodegenError>,
    },
    #[error("nothing was compiled")]
    Nothing,
    /// Cranelift emitted a relocation of a kind that is not applied.
    #[error("{function}: relocation {kind:?}")]
    Relocation { function: String, kind: Reloc },
    /// Cranelift emitted a relocation that refers to neither a function of the kernel nor one of the library.
    #[error("{function}: relocation against {target:?}")]
    RelocationTarget { function: String, target: FinalizedRelocTarget },
    /// Cranelift calls a library function that does not exist.
    #[error("library call {0} is not provided")]
    LibCall(LibCall),
    /// The x64 backend refuses the function.
    #[cfg(target_arch = "x86_64")]
    #[error("{function}: {bug}")]
    X64 {
        function: String,
        #[source]
        bug: super::x64::CodegenBug,
    },
    /// A processor that [`compile_for`](super::compile_for) does not know.
    #[cfg(target_arch = "x86_64")]
    #[error("no target `{0}`")]
    UnknownTarget(String),
}
