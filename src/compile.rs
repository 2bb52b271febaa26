//! Source and options in, artifact or log out.

use std::sync::Arc;

use crate::exec::CompiledKernel;

/// One source text with the name that diagnostics and `#include` use.
#[derive(Clone, Debug)]
pub struct Source {
    pub name: String,
    pub text: String,
}

/// What a successful build is: kernels and program-scope variables.
/// Its machine code and memory go away with the last `Arc`.
#[derive(Debug)]
pub struct Artifact {
    /// Kernels in the order of their definition.
    pub kernels: Vec<Arc<KernelInfo>>,
    /// Bytes of program-scope variables (CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE).
    pub global_variable_size: u64,
}

/// What is known of a kernel before it runs.
#[derive(Clone, Debug, Default)]
pub struct KernelInfo {
    pub name: String,
    pub args: Vec<ArgInfo>,
    pub reqd_work_group_size: Option<[u32; 3]>,
    pub work_group_size_hint: Option<[u32; 3]>,
    pub vec_type_hint: Option<String>,
    /// CL_KERNEL_ATTRIBUTES.
    pub attributes: String,
    /// Bytes of `local` variables declared in the kernel (arguments not counted).
    pub local_mem_size: u64,
    /// Bytes of private memory one work-item needs.
    pub private_mem_size: u64,
}

/// A kernel parameter.
#[derive(Clone, Debug)]
pub struct ArgInfo {
    pub kind: ArgKind,
    pub name: String,
    pub type_name: String,
    pub is_const: bool,
    pub is_restrict: bool,
    pub is_volatile: bool,
    pub is_pipe: bool,
    /// CL_KERNEL_ARG_ACCESS_*.
    pub access: u32,
    /// Offset of the value in the argument block handed to a launch.
    pub offset: u32,
}

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// Bytes copied at clSetKernelArg; takes `size` bytes in the argument block.
    Value { size: u32 },
    /// A buffer or null: 8 bytes, the host address.
    Global,
    /// As `Global`, counts against CL_DEVICE_MAX_CONSTANT_ARGS.
    Constant,
    /// A size only: 8 bytes, filled by the executor, which lays local memory out.
    Local,
    /// Opaque handles (sampler_t, image, queue): kind of a later issue; setting one is an error.
    Opaque,
}

/// A build that succeeded or not, and its log (warnings, errors).
pub struct Built {
    pub result: Result<Arc<Artifact>, BuildError>,
    /// What CL_PROGRAM_BUILD_LOG returns, without the terminating NUL.
    pub log: String,
}

/// Why there is no artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// The options string: CL_INVALID_BUILD_OPTIONS (or compiler/linker's twin).
    Options,
    /// The program: CL_BUILD_PROGRAM_FAILURE (or compile/link's twin).
    Program,
    /// The binary is not ours, of another version, or damaged: CL_INVALID_BINARY.
    Binary,
}

/// A compiled but not linked translation unit (clCompileProgram, clLinkProgram).
pub struct Object;

/// clBuildProgram from source. `headers` are the embedded ones of clCompileProgram, by
/// the name that `#include` uses (empty for a build). Never panics: an internal error
/// becomes a log.
pub fn build(_source: &Source, _headers: &[Source], _options: &str) -> Built {
    Built {
        result: Err(BuildError::Program),
        log: String::from("no compiler yet"),
    }
}

/// The bytes of CL_PROGRAM_BINARIES: versioned, checksummed, of this device.
pub fn save(_artifact: &Artifact) -> Vec<u8> {
    Vec::new()
}

/// An artifact from [`save`]'s bytes; any other bytes are [`BuildError::Binary`].
pub fn load(_bytes: &[u8]) -> Result<Arc<Artifact>, BuildError> {
    Err(BuildError::Binary)
}

impl Artifact {
    /// The machine code of kernel `index`, generated at first use and kept.
    pub fn compiled(&self, _index: usize) -> Result<Arc<CompiledKernel>, String> {
        Err(String::from("no code generator yet"))
    }
}
