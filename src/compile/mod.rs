//! The compilation pipeline: from source and options to an artifact or a build log, and from an artifact to machine
//! code.
//!
//! [`build`], or its halves [`compile`] and [`link()`], reports all errors in a program. Machine code of a kernel
//! is generated at its first launch, from IR that was verified by the build. This module calls the front end,
//! lowering, the passes and code generation, which do not call each other.
//!
//! ```text
//! Source, options
//!   │ grus_clc::analyze_on_current_stack     typed tree, build log
//!   │ lower::lower          IR of one unit, line numbers
//!   ▼
//! CompiledObject ◀──────── compile, load (a binary)
//!   │ link::merge           one module of several units (link)
//!   │ passes::optimize_program
//!   ▼
//! Artifact       ◀──────── build, link, load (a binary)
//!   │ SpecializationKey     known facts of a launch: range, formats, strides, overlap of memory
//!   │ passes::specialize_kernel, passes::form_group_code
//!   ▼
//! ir::group_code::GroupCode
//!   │ codegen               in parallel, if there are many functions
//!   │ jit::place
//!   ▼
//! jit::CompiledKernel       kept by the artifact, for this key
//! ```
//!
//! # Main types
//!
//! - [`Built`]: a result with its log. The error is a [`BuildError`].
//! - [`CompiledObject`]: IR before any pass, and descriptions of kernels; also a library.
//! - [`Artifact`]: IR after the passes over the program, program-scope variables in memory ([`GlobalMemory`]),
//!   properties of kernels ([`KernelInfo`], [`ArgInfo`]), and machine code as it is made.
//! - [`SpecializationKey`]: [`Artifact::compiled_for`] returns code for a key, [`Artifact::compiled`] code for any
//!   launch. [`Artifact::range_facts`] reduces a range to the facts that a kernel's code can use.
//! - Program binaries are written by [`try_save`] and read by [`load`]. They hold IR as text, not machine code.
//!
//! ```ignore
//! let source = Source { name: "k.cl".into(), text: "kernel void k(global int *x) { *x = 1; }".into() };
//! let built = build(&source, &[], "-cl-std=CL2.0");
//! let artifact = built.result.expect("no errors; else built.log has them");
//! assert_eq!(artifact.kernels[0].name, "k");
//! let code = artifact.compiled(0).expect("machine code for any launch");
//! ```
//!
//! # Variants and tiers
//!
//! A kernel has generic code and a limited number of variants, one for each key. Threads that need the same variant run
//! the generic code if it exists, else wait for the thread that compiles it. Bodies that take long to vectorize stay
//! scalar at first. Once launches have taken long, a thread in the background makes code of the next tier. See
//! `specialize.rs` and `tier_up.rs`; `docs/design/specialization.md` has the reasons.
//!
//! # Begin with
//!
//! | Topic | File |
//! |---|---|
//! | order of the stages of a build | `compile_with`, `describe`, `finish` in this file |
//! | code of a kernel for a launch | `artifact.rs` |
//! | facts that code is specialized for | `specialize.rs` |
//! | symbols of several units | `link.rs` |
//! | programs in SPIR-V | `il.rs` |
//! | sizes of sub-groups | `sub_groups.rs` |
//! | environment variables that reach passes and backends | `environment_settings.rs` |
//!
//! # Invariants
//!
//! - [`build`], [`compile`], [`link()`] and [`preprocess`] never panic: `guarded` turns a panic into a failed build with
//!   a log. They run on a stack of their own, since the application's may be small.
//! - This module knows no objects and no error codes of the API. `runtime` maps [`BuildError`] to an error code.
//! - A binary is parsed and verified like any IR text from outside. Binaries of other versions are refused.
//! - While code is generated, no lock is held but that of the slot that the code is for (`code_slot.rs`).

mod artifact;
mod binary;
mod code_slot;
mod debug_lines;
mod enqueued_blocks;
mod environment_settings;
mod error;
mod generate;
mod globals;
mod il;
mod il_support;
mod kernel_facts;
mod link;
mod params;
mod precompilation;
mod requests;
mod select;
mod specialization_profile;
mod specialize;
mod sub_groups;
mod tier_up;

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::lower;
use grus_clc::options::OptionError;
use grus_clc::{Options, TargetInfo, tree};
use grus_ir::abi::Param;
use grus_ir::image::ImageType;
use grus_ir::{FuncId, Module};
use grus_passes as passes;
use grus_passes::scalar::inline::Limits;
use grus_support::diag::SourceMap;
use grus_support::environment::environment;
use grus_support::memory::{self, Building, NoMemory};
use grus_support::stack::{NoStack, on_stack};
use grus_support::{FastMap, timing};

pub use artifact::Artifact;
pub use binary::{VERSION, load, save, save_object, seal, try_save};
pub use error::{CodeError, CompileError};
pub use globals::{GlobalMemory, GlobalsError};
pub use grus_clc::Preprocessed;
pub use grus_clc::options::EXTENSIONS;
pub use grus_ir::abi::{NonTemporal, RangeFacts, SUB_GROUP_SIZES, enqueue, pipe};
pub use il::{
    Il, IlError, IlModule, SpecValues, build_il, compile_il, is_il_swapped, lower_il_only, read_il,
    spec_constants,
};
pub use il_support::{EXTENDED_SETS, IL_EXTENSIONS, IL_VERSIONS, il_capabilities};
pub use kernel_facts::CodeFacts;
pub use link::CompiledObject;
pub use select::{KernelCode, LaunchFacts, SelectedVariant};
pub use specialization_profile::SpecializationProfile;
pub use specialize::SpecializationKey;

use enqueued_blocks::BlockEntry;

/// Source text with the name that diagnostics and `#include` use.
#[derive(Clone, Debug)]
pub struct Source {
    pub name: String,
    pub text: String,
}

/// Options that affect code generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// True for `-cl-opt-disable`.
    pub opt_disable: bool,
    /// True for `-cl-denorms-are-zero`.
    pub flush_denormals: bool,
    /// True for `-g`: errors of device-side enqueue are reported in detail.
    pub debug: bool,
    /// True if all work-groups of a launch must have one size: in OpenCL C 1.x, and with
    /// `-cl-uniform-work-group-size` (API s5.10).
    pub uniform_groups: bool,
    /// True if some of the program was in SPIR-V. Hosts of such programs are written for OpenCL 2.1 or more: launches of no
    /// work-items do nothing, and SYCL asks the device for sizes of work-groups, not the kernel.
    pub has_il: bool,
}

impl Settings {
    fn of(options: &Options) -> Settings {
        Settings {
            opt_disable: options.opt_disable,
            flush_denormals: options.denorms_are_zero,
            debug: options.debug,
            uniform_groups: options.std < 200 || options.uniform_work_group_size,
            has_il: false,
        }
    }
}

/// Program-scope variable in memory.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name in the IR: the name in the source, unless a function has that name.
    pub name: String,
    pub address: usize,
    /// Size in bytes.
    pub size: usize,
    /// True if its contents begin with addresses of other variables.
    pub has_pointers: bool,
}

/// Function of a kernel, and the layout of its argument block.
#[derive(Clone, Debug)]
pub struct KernelEntry {
    pub func: FuncId,
    pub params: Vec<Param>,
    pub name: Arc<str>,
    /// Block data, if this is the body of a block and not a kernel of the program.
    pub block: Option<BlockEntry>,
}

/// Kernel whose memory sizes are not known yet.
#[derive(Clone, Debug)]
struct KernelDescription {
    func: FuncId,
    info: KernelInfo,
    params: Vec<Param>,
    /// Block data, if this is the body of a block and not a kernel of the program.
    block: Option<BlockEntry>,
}

/// Properties of a kernel that queries report.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct KernelInfo {
    pub name: String,
    pub args: Vec<ArgInfo>,
    pub reqd_work_group_size: Option<[u32; 3]>,
    pub work_group_size_hint: Option<[u32; 3]>,
    pub vec_type_hint: Option<String>,
    /// Size that `intel_reqd_sub_group_size` requires, if sub-groups can have that size.
    pub sub_group_size: Option<u16>,
    /// True if the kernel uses sub-group functions.
    pub uses_sub_groups: bool,
    /// CL_KERNEL_ATTRIBUTES.
    pub attributes: String,
    /// True if the kernel was compiled with `-cl-kernel-arg-info`; otherwise clGetKernelArgInfo fails.
    pub has_arg_info: bool,
    /// Size in bytes of `local` variables declared in the kernel (arguments not counted).
    pub local_mem_size: u64,
    /// Size in bytes of the private memory of one work-item.
    pub private_mem_size: u64,
}

/// Kernel parameter.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ArgInfo {
    pub kind: ArgKind,
    pub name: String,
    pub type_name: String,
    pub is_const: bool,
    pub is_restrict: bool,
    pub is_volatile: bool,
    pub is_pipe: bool,
    pub access: ArgAccess,
    /// Offset of the value in the argument block of a launch.
    pub offset: u32,
}

/// Access qualifier of an image or a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArgAccess {
    ReadOnly,
    WriteOnly,
    ReadWrite,
    /// Neither an image nor a pipe.
    None,
}

/// Passing of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArgKind {
    /// Bytes copied by clSetKernelArg; `size` bytes in the argument block.
    Value { size: u32 },
    /// A buffer or null: 8 bytes, the host address.
    Global,
    /// A `Global` that counts against CL_DEVICE_MAX_CONSTANT_ARGS.
    Constant,
    /// Local memory, of which only the size is set: 8 bytes, the offset in local memory, which the executor fills in.
    Local,
    /// An image: 8 bytes, the address of an [`grus_ir::image::Descriptor`].
    Image(ImageType),
    /// A sampler: 4 bytes, [`grus_ir::image::Sampler::bits`].
    Sampler,
    /// A pipe of packets of this size and alignment: 8 bytes, the address of its header ([`grus_ir::abi::pipe`]).
    Pipe { size: u32, align: u32 },
    /// A queue on the device: 8 bytes, a number that identifies it.
    Queue,
}

impl ArgKind {
    /// Checks whether code is specialized for the argument: an image or a sampler.
    pub fn is_of_images(&self) -> bool {
        matches!(self, ArgKind::Image(_) | ArgKind::Sampler)
    }
}

/// Result of a build (or compilation, or link), with its log of warnings and errors.
#[derive(Debug)]
pub struct Built<T = Arc<Artifact>> {
    pub result: Result<T, BuildError>,
    /// Text of CL_PROGRAM_BUILD_LOG, without the terminating NUL.
    pub log: String,
}

impl<T> Built<T> {
    /// Converts the result and keeps the log.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Built<U> {
        Built { result: self.result.map(f), log: self.log }
    }
}

/// Reason why there is no artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// Invalid options: CL_INVALID_BUILD_OPTIONS, CL_INVALID_COMPILER_OPTIONS or CL_INVALID_LINKER_OPTIONS.
    Options,
    /// Errors in the program: CL_BUILD_PROGRAM_FAILURE, CL_COMPILE_PROGRAM_FAILURE or CL_LINK_PROGRAM_FAILURE.
    Program,
    /// The binary is invalid, damaged or of another version: CL_INVALID_BINARY.
    Binary,
    /// Not enough memory: CL_OUT_OF_HOST_MEMORY.
    Memory,
}

impl From<GlobalsError> for BuildError {
    fn from(why: GlobalsError) -> Self {
        match why {
            GlobalsError::TooLarge => BuildError::Program,
            GlobalsError::Memory => BuildError::Memory,
        }
    }
}

/// Builds a program from source (clBuildProgram). `headers` are the embedded ones, by the name that `#include`
/// uses. Never panics: an internal error is reported in the log.
pub fn build(source: &Source, headers: &[Source], options: &str) -> Built {
    guarded(|| {
        let compiled = compile_with(source, headers, options, false);
        let mut log = compiled.log;
        let result = compiled.result.and_then(|object| executable(object, &mut log));
        Built { result, log }
    })
}

/// Compiles a unit, which may use symbols of other units (clCompileProgram). Never panics.
pub fn compile(source: &Source, headers: &[Source], options: &str) -> Built<Arc<CompiledObject>> {
    guarded(|| {
        let compiled = compile_with(source, headers, options, true);
        Built { result: compiled.result.map(Arc::new), log: compiled.log }
    })
}

/// Preprocesses a program and returns the text with the included files, as [`build`] and [`compile`] would read
/// them. The log has only messages of the preprocessor. Never panics.
pub fn preprocess(source: &Source, headers: &[Source], options: &str) -> Built<Preprocessed> {
    guarded(|| {
        let options = match compiler_options(options) {
            Ok(options) => options,
            Err(error) => {
                return Built { result: Err(BuildError::Options), log: error_line(error) };
            }
        };
        let read = grus_clc::preprocessed((&source.name, &source.text), &texts(headers), &options, &facts());
        Built { log: read.log.clone(), result: Ok(read) }
    })
}

/// Output of a compilation or link.
#[derive(Clone, Debug)]
pub enum BuildOutput {
    /// A compiled object or a library.
    Object(Arc<CompiledObject>),
    Executable(Arc<Artifact>),
}

impl BuildOutput {
    /// Returns the IR as text: after the passes over the whole program for an executable, as lowered for an object.
    pub fn ir(&self) -> String {
        match self {
            BuildOutput::Object(object) => object.module().to_string(),
            BuildOutput::Executable(artifact) => artifact.module().to_string(),
        }
    }
}

/// Parses the options of [`link()`], and returns `true` if they ask for a library.
///
/// # Errors
/// If the options are invalid.
pub fn link_makes_library(options: &str) -> Result<bool, OptionError> {
    Options::parse_link(options).map(|options| options.create_library)
}

/// Checks whether options require uniform work-groups. Used for a build from a binary, which was compiled with
/// other options.
///
/// # Errors
/// If the options are invalid.
pub fn asks_for_uniform_groups(options: &str) -> Result<bool, OptionError> {
    Options::parse(options).map(|options| options.uniform_work_group_size)
}

/// Returns the properties of the device that the front end needs.
fn facts() -> TargetInfo {
    use grus_codegen::{has_fma, has_half_fma};
    let half_fma = has_half_fma(environment().backend);
    TargetInfo { fma: has_fma(), half_fma, ..TargetInfo::default() }
}

/// Links compiled objects and libraries into one program (clLinkProgram). Never panics.
pub fn link(objects: &[Arc<CompiledObject>], options: &str) -> Built<BuildOutput> {
    guarded(|| {
        let options = match Options::parse_link(options) {
            Ok(options) => options,
            Err(error) => {
                return Built { result: Err(BuildError::Options), log: error_line(error) };
            }
        };
        let mut log = String::new();
        let is_library = options.create_library;
        let merged = link::merge(objects.iter().map(|o| &**o), is_library).map(|mut object| {
            object.settings.flush_denormals |= options.denorms_are_zero;
            object
        });
        let result = match merged {
            Ok(object) if is_library => Ok(BuildOutput::Object(Arc::new(object))),
            Ok(object) => executable(object, &mut log).map(BuildOutput::Executable),
            Err(errors) => {
                log.extend(errors.iter().map(error_line));
                Err(BuildError::Program)
            }
        };
        Built { result, log }
    })
}

fn error_line(message: impl Display) -> String {
    format!("error: {message}\n")
}

/// Runs `work` on a separate, large stack; a panic becomes a failed build with a log.
fn guarded<T>(work: impl FnOnce() -> Built<T>) -> Built<T> {
    let _building = Building::enter();
    match on_stack(grus_clc::STACK_SIZE, || catch_unwind(AssertUnwindSafe(work))) {
        Ok(Ok(built)) => built,
        Ok(Err(panic)) if panic.is::<NoMemory>() => no_memory(NO_MEMORY),
        Ok(Err(panic)) => {
            let what = panic_text(&*panic);
            let log =
                format!("internal compiler error: {what}\nPlease report this with the program's source.\n");
            Built { result: Err(BuildError::Program), log }
        }
        Err(NoStack) => no_memory(NO_STACK),
    }
}

/// Returns the result of a build that ran out of memory.
fn no_memory<T>(message: &str) -> Built<T> {
    Built { result: Err(BuildError::Memory), log: error_line(message) }
}

/// Log messages of a build that ran out of memory.
const NO_STACK: &str = "no memory for a stack to compile on";
const NO_MEMORY: &str = "not enough memory to compile this program";

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_else(|| "unknown".into())
}

/// Estimated memory of the front end: for the smallest program, and for each character that is not in a comment, in
/// bytes.
// Arbitrary.
const MIN_FRONT_END_BYTES: usize = 4 << 20;
const BYTES_FOR_CHARACTER: usize = 200;

/// Compiles source text to IR. With `is_unit`, undefined symbols are left to the linker.
fn compile_with(source: &Source, headers: &[Source], options: &str, is_unit: bool) -> Built<CompiledObject> {
    let mut options = match compiler_options(options) {
        Ok(options) => options,
        Err(error) => return Built { result: Err(BuildError::Options), log: error_line(error) },
    };
    options.allow_unresolved = is_unit;
    let headers = texts(headers);
    let length: usize = headers.iter().map(|(_, text)| text.len()).sum::<usize>() + source.text.len();
    memory::expect(MIN_FRONT_END_BYTES + length * BYTES_FOR_CHARACTER);
    let timed = timing::span("front end", || source.name.clone());
    let analysis =
        grus_clc::analyze_on_current_stack((&source.name, &source.text), &headers, &options, &facts());
    drop(timed);
    let mut log = analysis.log;
    let Some(unit) = analysis.unit else {
        return Built { result: Err(BuildError::Program), log };
    };
    let wanted = if is_unit { lower::LoweredFunctions::All } else { lower::LoweredFunctions::Reachable };
    let result = describe(&unit, wanted, &options, &analysis.map).map_err(|message| {
        log += &error_line(&message);
        BuildError::Program
    });
    Built { result, log }
}

/// Parses options of clBuildProgram and clCompileProgram.
fn compiler_options(text: &str) -> Result<Options, OptionError> {
    match Options::parse(text)? {
        options if options.create_library => Err(OptionError::LinkerOnly { option: "-create-library" }),
        options => Ok(options),
    }
}

/// Returns the headers as pairs of name and text.
fn texts(headers: &[Source]) -> Vec<(&str, &str)> {
    headers.iter().map(|header| (header.name.as_str(), header.text.as_str())).collect()
}

/// Lowers a typed tree to a compiled object.
fn describe(
    unit: &tree::Unit,
    wanted: lower::LoweredFunctions,
    options: &Options,
    map: &SourceMap,
) -> Result<CompiledObject, CompileError> {
    memory::check();
    let timed = timing::span("lowering", || format!("functions: {}", unit.functions.len()));
    let lower::Lowered { mut module, bodies } = lower::lower(unit, wanted);
    grus_ir::verify_module(&module)?;
    debug_lines::number(&mut module, map);
    drop(timed);
    let named = module.funcs.iter().filter(|(_, f)| f.is_kernel).map(|(id, f)| (f.name.as_str(), id));
    let kernel_funcs: FastMap<&str, FuncId> = named.collect();
    let mut kernels = Vec::new();
    for (_, function) in unit.functions.iter() {
        let Some(attributes) = &function.kernel else { continue };
        if !matches!(function.body, tree::FunctionBody::Block(_)) {
            continue;
        }
        let func = kernel_funcs.get(function.name.as_str());
        let func = *func.ok_or_else(|| CompileError::LostKernel(function.name.clone()))?;
        let (info, params) = params::describe(unit, function, attributes, options)?;
        kernels.push(KernelDescription { func, info, params, block: None });
    }
    kernels.extend(enqueued_blocks::describe(unit, &bodies));
    allow_reassociation(&mut module, &kernels, options);
    Ok(CompiledObject { is_library: false, settings: Settings::of(options), module, kernels })
}

/// Notes on kernels whether the options permit sums in another order.
fn allow_reassociation(module: &mut Module, kernels: &[KernelDescription], options: &Options) {
    for kernel in kernels.iter().filter(|_| options.unsafe_math) {
        module.funcs[kernel.func].may_reassociate = true;
    }
}

/// Makes the executable of an object in which nothing is undefined.
fn executable(object: CompiledObject, log: &mut String) -> Result<Arc<Artifact>, BuildError> {
    let artifact = finish(object).map_err(|why| {
        *log += &error_line(why);
        BuildError::from(why)
    })?;
    let refused = artifact.refused_sub_groups();
    if refused.is_empty() {
        return Ok(Arc::new(artifact));
    }
    log.extend(refused.iter().map(error_line));
    Err(BuildError::Program)
}

/// Lowers a program to IR without any pass, for the interpreter.
///
/// # Errors
/// The build log of an invalid program.
pub fn lower_only(source: &Source, options: &str) -> Result<Module, CompileError> {
    let options = Options::parse(options).map_err(|what| CompileError::Log(what.to_string()))?;
    let analysis = grus_clc::analyze((&source.name, &source.text), &[], &options, &facts());
    let unit = analysis.unit.ok_or(CompileError::Log(analysis.log))?;
    let mut module = lower::lower(&unit, lower::LoweredFunctions::Reachable).module;
    passes::closures::define_closure_switches(&mut module);
    Ok(module)
}

/// Builds an artifact from IR text, as [`build`] does after lowering. Parameters follow each other in the argument
/// block, each aligned to its size.
///
/// # Errors
/// If the text is not valid IR.
pub fn build_ir(text: &str) -> Result<Artifact, CompileError> {
    let mut module = grus_ir::parse_module(text)?;
    grus_ir::verify_module(&module)?;
    if let Some(missing) = module.funcs.values().find(|f| f.is_kernel && !f.is_defined()) {
        return Err(CompileError::NoBody(missing.name.clone()));
    }
    let kernels: Vec<FuncId> = module.funcs.iter().filter(|(_, f)| f.is_kernel).map(|(id, _)| id).collect();
    passes::optimize_program(&mut module, &kernels, Limits::NORMAL, environment_settings::debugging());
    let (mut kernels, mut entries) = (Vec::new(), Vec::new());
    for (id, func) in module.funcs.iter().filter(|(_, f)| f.is_kernel) {
        let types: Vec<_> = func.params().iter().map(|&p| func.ty(p)).collect();
        let (args, params) = params::of_types(&types);
        kernels.push(Arc::new(KernelInfo { name: func.name.clone(), args, ..KernelInfo::default() }));
        entries.push(KernelEntry { func: id, params, name: func.name.as_str().into(), block: None });
    }
    Ok(Artifact::new(module, Settings::default(), kernels, entries)?)
}

/// Returns the layout of the argument block for parameters of these types, as [`build_ir`] uses it.
pub fn params_of_types(types: &[grus_ir::Type]) -> Vec<Param> {
    params::of_types(types).1
}

/// Runs the passes over the whole program, and allocates its variables.
fn finish(object: CompiledObject) -> Result<Artifact, GlobalsError> {
    let (limits, settings) = (object.limits(), object.settings);
    let (mut module, mut described) = (object.module, object.kernels);
    enqueued_blocks::retain_enqueued(&module, &mut described);
    let _timed = timing::span("scalar passes", || format!("kernels: {}", described.len()));
    let descriptors = passes::closures::define_closure_switches(&mut module);
    let roots: Vec<FuncId> = described.iter().map(|k| k.func).collect();
    passes::optimize_program(&mut module, &roots, limits, environment_settings::debugging());
    passes::unroll_closures(&mut module, &roots, &descriptors, environment_settings::debugging());
    let sub_group_users = passes::sub_group_users(&module);
    for kernel in &mut described {
        (kernel.info.local_mem_size, kernel.info.private_mem_size) =
            params::memory_sizes(&module, kernel.func);
        kernel.info.uses_sub_groups = sub_group_users[kernel.func];
    }
    let (kernels, entries) = entries_of(described);
    Artifact::new(module, settings, kernels, entries)
}

/// Returns the kernels and entries of an executable, kernels first.
fn entries_of(mut described: Vec<KernelDescription>) -> (Vec<Arc<KernelInfo>>, Vec<KernelEntry>) {
    described.sort_by_key(|kernel| kernel.block.is_some());
    let (mut kernels, mut entries) = (Vec::new(), Vec::new());
    for KernelDescription { func, info, params, block } in described {
        entries.push(KernelEntry { func, params, name: info.name.as_str().into(), block });
        if block.is_none() {
            kernels.push(Arc::new(info));
        }
    }
    (kernels, entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_in_the_documentation_runs() {
        let source = Source { name: "k.cl".into(), text: "kernel void k(global int *x) { *x = 1; }".into() };
        let built = build(&source, &[], "-cl-std=CL2.0");
        let artifact = built.result.expect("no errors");
        assert_eq!(artifact.kernels[0].name, "k");
        artifact.compiled(0).expect("machine code");
    }
}
