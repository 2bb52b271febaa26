//! Source and options in, artifact or log out.
//!
//! Everything that can be wrong with a program is said by [`build`], or by [`compile`] and
//! [`link()`], which are its halves; machine code of a kernel is made at its first launch, from IR that was verified here.

mod binary;
mod debug_lines;
mod enqueued_blocks;
mod generate;
mod globals;
mod kernel_facts;
mod link;
mod params;
mod specialize;
mod sub_groups;
mod tier_up;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::clc::{self, Options, TargetFacts, tree};
use crate::diag::SourceMap;
use crate::exec::CompiledKernel;
use crate::image::{ArgumentKey, ImageType};
use crate::ir::abi::Param;
use crate::ir::{FuncId, Global, GlobalSpace, Module};
use crate::passes::Forced;
use crate::passes::scalar::inline::Limits;
use crate::passes::scalar::register_promotion;
use crate::passes::workgroup::GroupCode;
use crate::support::memory::{self, Building, NoMemory};
use crate::support::stack::{NoStack, on_stack};
use crate::support::target::Choice;
use crate::support::{FastMap, timing};
use crate::{jit, lower, passes};

pub use crate::clc::Preprocessed;
pub use crate::clc::options::EXTENSIONS;
pub use crate::ir::abi::{NonTemporal, RangeFacts, SUB_GROUP_SIZES, enqueue, pipe};
pub use binary::{VERSION, load, save, save_object, seal, try_save};
pub use globals::{GlobalMemory, NoGlobals};
pub use kernel_facts::CodeFacts;
pub use link::CompiledObject;
pub use specialize::SpecializationKey;

use enqueued_blocks::BlockEntry;
use specialize::Variants;
use tier_up::Ahead;

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
    /// Kernels in the order of their definition. Their entries come before those of blocks.
    pub kernels: Vec<Arc<KernelInfo>>,
    /// Bytes of program-scope variables (CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE).
    pub global_variable_size: u64,
    settings: Settings,
    module: Module,
    entries: Vec<KernelEntry>,
    /// Entries of blocks, by the addresses of their descriptors.
    blocks: FastMap<u64, usize>,
    globals: GlobalMemory,
    compiled: Vec<OnceLock<Generated>>,
    /// For each kernel the code for launches of which something is known.
    variants: Vec<Variants>,
    /// Work-items of its sub-groups, once somebody has asked.
    sub_groups: Vec<OnceLock<u16>>,
    ahead: Ahead,
}

/// Code of a kernel.
type Generated = Result<Arc<CompiledKernel>, NoCode>;

/// Why there is no code of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoCode {
    /// A bug of ours, and what it is.
    Bug(String),
    /// There was not enough memory. There may be later.
    Memory,
    /// The system does not allow it, and what it says.
    Forbidden(String),
}

impl std::fmt::Display for NoCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoCode::Bug(what) | NoCode::Forbidden(what) => f.write_str(what),
            NoCode::Memory => f.write_str(NO_MEMORY),
        }
    }
}

impl From<String> for NoCode {
    fn from(what: String) -> Self {
        NoCode::Bug(what)
    }
}

impl From<jit::Error> for NoCode {
    fn from(error: jit::Error) -> Self {
        match error {
            jit::Error::Bug(what) => NoCode::Bug(what),
            jit::Error::Memory => NoCode::Memory,
            jit::Error::Forbidden(_) => NoCode::Forbidden(error.to_string()),
        }
    }
}

/// What options ask of the code of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// `-cl-opt-disable`.
    pub opt_disable: bool,
    /// `-cl-denorms-are-zero`.
    pub flush_denormals: bool,
    /// `-g`: errors of device-side enqueue are told in detail.
    pub debug: bool,
    /// Work-groups of a launch must have one size: in 1.x, and with `-cl-uniform-work-group-size` (API s5.10).
    pub uniform_groups: bool,
}

impl Settings {
    fn of(options: &Options) -> Settings {
        Settings {
            opt_disable: options.opt_disable,
            flush_denormals: options.denorms_are_zero,
            debug: options.debug,
            uniform_groups: options.std < 200 || options.uniform_work_group_size,
        }
    }
}

/// A variable of a program in memory.
#[derive(Clone, Debug)]
pub struct Variable {
    /// As the IR calls it: its name in the source, unless it is that of a function.
    pub name: String,
    pub address: usize,
    /// In bytes.
    pub size: usize,
    /// Whether it begins with addresses of others.
    pub has_pointers: bool,
}

/// A kernel's function, and where its parameters lie in the argument block.
#[derive(Clone, Debug)]
pub struct KernelEntry {
    pub func: FuncId,
    pub params: Vec<Param>,
    pub name: Arc<str>,
    /// If it is no kernel of the program but the body of a block.
    pub block: Option<BlockEntry>,
}

/// A kernel before its memory is known.
#[derive(Clone, Debug)]
struct Described {
    func: FuncId,
    info: KernelInfo,
    params: Vec<Param>,
    /// If it is no kernel of the program but the body of a block.
    block: Option<BlockEntry>,
}

/// What is known of a kernel before it runs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct KernelInfo {
    pub name: String,
    pub args: Vec<ArgInfo>,
    pub reqd_work_group_size: Option<[u32; 3]>,
    pub work_group_size_hint: Option<[u32; 3]>,
    pub vec_type_hint: Option<String>,
    /// What `intel_reqd_sub_group_size` asks for, if that is a size that sub-groups can have.
    pub sub_group_size: Option<u16>,
    /// The kernel does something that concerns sub-groups.
    pub uses_sub_groups: bool,
    /// CL_KERNEL_ATTRIBUTES.
    pub attributes: String,
    /// Whether the kernel was compiled with `-cl-kernel-arg-info`: else nobody may ask what its parameters are.
    pub has_arg_info: bool,
    /// Bytes of `local` variables declared in the kernel (arguments not counted).
    pub local_mem_size: u64,
    /// Bytes of private memory one work-item needs.
    pub private_mem_size: u64,
}

/// A kernel parameter.
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
    /// Offset of the value in the argument block handed to a launch.
    pub offset: u32,
}

/// What a kernel may do with an image or a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArgAccess {
    ReadOnly,
    WriteOnly,
    ReadWrite,
    /// It is neither an image nor a pipe.
    None,
}

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArgKind {
    /// Bytes copied at clSetKernelArg; takes `size` bytes in the argument block.
    Value { size: u32 },
    /// A buffer or null: 8 bytes, the host address.
    Global,
    /// As `Global`, counts against CL_DEVICE_MAX_CONSTANT_ARGS.
    Constant,
    /// A size only: 8 bytes, filled by the executor, which lays local memory out.
    Local,
    /// An image: 8 bytes, the address of an [`crate::image::Descriptor`].
    Image(ImageType),
    /// A sampler: 4 bytes, [`crate::image::Sampler::bits`].
    Sampler,
    /// A pipe of packets of this type: 8 bytes, the address of its header ([`crate::ir::abi::pipe`]).
    Pipe { size: u32, align: u32 },
    /// A queue on the device: 8 bytes, a number that names it.
    Queue,
}

impl ArgKind {
    /// Whether code is made for what a launch gives: images and samplers.
    pub fn is_of_images(&self) -> bool {
        matches!(self, ArgKind::Image(_) | ArgKind::Sampler)
    }
}

/// A build (or compilation, or link) that succeeded or not, and its log (warnings, errors).
#[derive(Debug)]
pub struct Built<T = Arc<Artifact>> {
    pub result: Result<T, BuildError>,
    /// What CL_PROGRAM_BUILD_LOG returns, without the terminating NUL.
    pub log: String,
}

impl<T> Built<T> {
    /// The same with another kind of result.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Built<U> {
        Built { result: self.result.map(f), log: self.log }
    }
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
    /// There is not enough memory: CL_OUT_OF_HOST_MEMORY.
    Memory,
}

impl From<NoGlobals> for BuildError {
    fn from(why: NoGlobals) -> Self {
        match why {
            NoGlobals::TooLarge => BuildError::Program,
            NoGlobals::Memory => BuildError::Memory,
        }
    }
}

/// clBuildProgram from source. `headers` are embedded ones, by the name that `#include`
/// uses. Never panics: an internal error becomes a log.
pub fn build(source: &Source, headers: &[Source], options: &str) -> Built {
    guarded(|| {
        let compiled = compile_with(source, headers, options, false);
        let mut log = compiled.log;
        let result = compiled.result.and_then(|object| executable(object, &mut log));
        Built { result, log }
    })
}

/// clCompileProgram: a unit that may use what others define. Never panics.
pub fn compile(source: &Source, headers: &[Source], options: &str) -> Built<Arc<CompiledObject>> {
    guarded(|| {
        let compiled = compile_with(source, headers, options, true);
        Built { result: compiled.result.map(Arc::new), log: compiled.log }
    })
}

/// A program's text after preprocessing, and the files that it includes: what [`build`] and [`compile`] would read. The
/// log is that of preprocessing. Never panics.
pub fn preprocess(source: &Source, headers: &[Source], options: &str) -> Built<Preprocessed> {
    guarded(|| {
        let options = match compiler_options(options) {
            Ok(options) => options,
            Err(what) => return Built { result: Err(BuildError::Options), log: error_line(&what) },
        };
        let read = clc::preprocessed((&source.name, &source.text), &texts(headers), &options, &facts());
        Built { log: read.log.clone(), result: Ok(read) }
    })
}

/// What can be linked or run, of any kind.
#[derive(Clone, Debug)]
pub enum BuildOutput {
    /// A compiled object or a library.
    Object(Arc<CompiledObject>),
    Executable(Arc<Artifact>),
}

impl BuildOutput {
    /// The IR as text: of an executable as the passes over the whole program leave it, of an object as it was lowered.
    pub fn ir(&self) -> String {
        match self {
            BuildOutput::Object(object) => object.module().to_string(),
            BuildOutput::Executable(artifact) => artifact.module().to_string(),
        }
    }
}

/// Whether these are options for [`link()`]; if so, whether they ask for a library.
///
/// # Errors
/// A sentence for the log.
pub fn link_makes_library(options: &str) -> Result<bool, String> {
    Options::parse_link(options).map(|options| options.create_library)
}

/// What the options of a build that begins with a binary ask for, which was compiled with others: whether work-groups must
/// have one size.
///
/// # Errors
/// A line for the log if these are no options.
pub fn asks_for_uniform_groups(options: &str) -> Result<bool, String> {
    Options::parse(options).map(|options| options.uniform_work_group_size).map_err(|what| error_line(&what))
}

/// The device as the front end sees it.
fn facts() -> TargetFacts {
    use crate::codegen::{has_fma, has_half_fma};
    TargetFacts { fma: has_fma(), half_fma: has_half_fma(), ..TargetFacts::default() }
}

/// clLinkProgram: compiled objects and libraries as one program. Never panics.
pub fn link(objects: &[Arc<CompiledObject>], options: &str) -> Built<BuildOutput> {
    guarded(|| {
        let options = match Options::parse_link(options) {
            Ok(options) => options,
            Err(what) => return Built { result: Err(BuildError::Options), log: error_line(&what) },
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
                log.extend(errors.iter().map(|e| error_line(e)));
                Err(BuildError::Program)
            }
        };
        Built { result, log }
    })
}

fn error_line(message: &str) -> String {
    format!("error: {message}\n")
}

/// Does `work` on a stack of its own; a panic in it is a failure with a log.
fn guarded<T>(work: impl FnOnce() -> Built<T>) -> Built<T> {
    let _building = Building::enter();
    match on_stack(clc::STACK, || catch_unwind(AssertUnwindSafe(work))) {
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

/// A build that had to end.
fn no_memory<T>(message: &str) -> Built<T> {
    Built { result: Err(BuildError::Memory), log: error_line(message) }
}

/// What a log says then.
const NO_STACK: &str = "no memory for a stack to compile on";
const NO_MEMORY: &str = "not enough memory to compile this program";

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_else(|| "unknown".into())
}

/// What the smallest program takes, and what each character of a text takes, if it is no comment, until it is lowered.
const LEAST_ROOM: usize = 4 << 20;
const BYTES_FOR_CHARACTER: usize = 200;

/// From text to IR. With `is_unit`, what is not defined here is left to the linker.
fn compile_with(source: &Source, headers: &[Source], options: &str, is_unit: bool) -> Built<CompiledObject> {
    let mut options = match compiler_options(options) {
        Ok(options) => options,
        Err(what) => return Built { result: Err(BuildError::Options), log: error_line(&what) },
    };
    options.allow_unresolved = is_unit;
    let headers = texts(headers);
    let length: usize = headers.iter().map(|(_, text)| text.len()).sum::<usize>() + source.text.len();
    memory::expect(LEAST_ROOM + length * BYTES_FOR_CHARACTER);
    let timed = timing::span("front end", || source.name.clone());
    let analysis = clc::analyse_here((&source.name, &source.text), &headers, &options, &facts());
    drop(timed);
    let mut log = analysis.log;
    let Some(unit) = analysis.unit else {
        return Built { result: Err(BuildError::Program), log };
    };
    let wanted = if is_unit { lower::Wanted::All } else { lower::Wanted::Reached };
    let result = describe(&unit, wanted, &options, &analysis.map).map_err(|message| {
        log += &error_line(&message);
        BuildError::Program
    });
    Built { result, log }
}

/// Those of clBuildProgram and clCompileProgram, or a sentence for the log.
fn compiler_options(text: &str) -> Result<Options, String> {
    match Options::parse(text)? {
        options if options.create_library => Err("'-create-library' is an option of the linker".into()),
        options => Ok(options),
    }
}

/// Names and texts.
fn texts(headers: &[Source]) -> Vec<(&str, &str)> {
    headers.iter().map(|header| (header.name.as_str(), header.text.as_str())).collect()
}

/// The object of a typed tree.
fn describe(
    unit: &tree::Unit,
    wanted: lower::Wanted,
    options: &Options,
    map: &SourceMap,
) -> Result<CompiledObject, String> {
    memory::check();
    let timed = timing::span("lowering", || format!("functions: {}", unit.functions.len()));
    let lower::Lowered { mut module, bodies } = lower::lower(unit, wanted);
    crate::ir::verify_module(&module)?;
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
        let func = *func.ok_or_else(|| format!("kernel `{}` was lost", function.name))?;
        let (info, params) = params::describe(unit, function, attributes, options)?;
        kernels.push(Described { func, info, params, block: None });
    }
    kernels.extend(enqueued_blocks::describe(unit, &bodies));
    Ok(CompiledObject { is_library: false, settings: Settings::of(options), module, kernels })
}

/// The executable of an object in which nothing is undefined.
fn executable(object: CompiledObject, log: &mut String) -> Result<Arc<Artifact>, BuildError> {
    let artifact = finish(object).map_err(|why| {
        *log += &error_line(&why.to_string());
        BuildError::from(why)
    })?;
    let refused = artifact.refused_sub_groups();
    if refused.is_empty() {
        return Ok(Arc::new(artifact));
    }
    log.extend(refused.iter().map(|why| error_line(why)));
    Err(BuildError::Program)
}

/// The IR of a program before any pass, for the interpreter; or the log.
///
/// # Errors
/// The build log of a program that is wrong.
pub fn lower_only(source: &Source, options: &str) -> Result<Module, String> {
    let options = Options::parse(options)?;
    let analysis = clc::analyse((&source.name, &source.text), &[], &options, &facts());
    let unit = analysis.unit.ok_or(analysis.log)?;
    let mut module = lower::lower(&unit, lower::Wanted::Reached).module;
    passes::closures::define_closure_switches(&mut module);
    Ok(module)
}

/// An artifact from IR text: what [`build`] makes after lowering. Parameters lie in the
/// argument block one after the other, each aligned to its size.
///
/// # Errors
/// If the text is not valid IR.
pub fn build_ir(text: &str) -> Result<Artifact, String> {
    let mut module = crate::ir::parse_module(text).map_err(|e| format!("line {}: {}", e.line, e.message))?;
    crate::ir::verify_module(&module)?;
    if let Some(missing) = module.funcs.values().find(|f| f.is_kernel && !f.is_defined()) {
        return Err(format!("kernel `{}` has no body", missing.name));
    }
    let kernels: Vec<FuncId> = module.funcs.iter().filter(|(_, f)| f.is_kernel).map(|(id, _)| id).collect();
    passes::program(&mut module, &kernels, Limits::NORMAL);
    let (mut kernels, mut entries) = (Vec::new(), Vec::new());
    for (id, func) in module.funcs.iter().filter(|(_, f)| f.is_kernel) {
        let types: Vec<_> = func.params().iter().map(|&p| func.ty(p)).collect();
        let (args, params) = params::of_types(&types);
        kernels.push(Arc::new(KernelInfo { name: func.name.clone(), args, ..KernelInfo::default() }));
        entries.push(KernelEntry { func: id, params, name: func.name.as_str().into(), block: None });
    }
    Artifact::new(module, Settings::default(), kernels, entries).map_err(|why| why.to_string())
}

/// Where parameters of these types lie in the argument block of [`build_ir`].
pub fn params_of_types(types: &[crate::ir::Type]) -> Vec<Param> {
    params::of_types(types).1
}

/// From an object to an artifact.
fn finish(object: CompiledObject) -> Result<Artifact, NoGlobals> {
    let (limits, settings) = (object.limits(), object.settings);
    let (mut module, mut described) = (object.module, object.kernels);
    enqueued_blocks::retain_enqueued(&module, &mut described);
    let _timed = timing::span("scalar passes", || format!("kernels: {}", described.len()));
    let descriptors = passes::closures::define_closure_switches(&mut module);
    let roots: Vec<FuncId> = described.iter().map(|k| k.func).collect();
    passes::program(&mut module, &roots, limits);
    passes::unroll_closures(&mut module, &roots, &descriptors);
    for kernel in &mut described {
        (kernel.info.local_mem_size, kernel.info.private_mem_size) =
            params::memory_sizes(&module, kernel.func);
        kernel.info.uses_sub_groups = passes::asks_for_sub_groups(&module.funcs[kernel.func]);
    }
    let (kernels, entries) = entries_of(described);
    Artifact::new(module, settings, kernels, entries)
}

/// Kernels and entries of an executable.
fn entries_of(mut described: Vec<Described>) -> (Vec<Arc<KernelInfo>>, Vec<KernelEntry>) {
    described.sort_by_key(|kernel| kernel.block.is_some());
    let (mut kernels, mut entries) = (Vec::new(), Vec::new());
    for Described { func, info, params, block } in described {
        entries.push(KernelEntry { func, params, name: info.name.as_str().into(), block });
        if block.is_none() {
            kernels.push(Arc::new(info));
        }
    }
    (kernels, entries)
}

/// Makes code on a stack of its own; a panic on the way is an error.
fn guarded_code<T>(work: impl FnOnce() -> Result<T, NoCode>) -> Result<T, NoCode> {
    let _building = Building::enter();
    let caught = on_stack(clc::STACK, || catch_unwind(AssertUnwindSafe(work)));
    match caught.map_err(|NoStack| NoCode::Memory)? {
        Ok(result) => result,
        Err(panic) if panic.is::<NoMemory>() => Err(NoCode::Memory),
        Err(panic) => Err(NoCode::Bug(format!("internal compiler error: {}", panic_text(&*panic)))),
    }
}

impl Artifact {
    fn new(
        module: Module,
        settings: Settings,
        kernels: Vec<Arc<KernelInfo>>,
        entries: Vec<KernelEntry>,
    ) -> Result<Artifact, NoGlobals> {
        let globals = GlobalMemory::new(&module)?;
        let blocks = enqueued_blocks::by_descriptor(&entries, &globals);
        let compiled = entries.iter().map(|_| OnceLock::new()).collect();
        let variants = entries.iter().map(|_| Variants::default()).collect();
        let sub_groups = entries.iter().map(|_| OnceLock::new()).collect();
        let ahead = Ahead::new(&kernels);
        let global_variable_size = globals.variable_size();
        Ok(Artifact {
            kernels,
            global_variable_size,
            settings,
            module,
            entries,
            blocks,
            globals,
            compiled,
            variants,
            sub_groups,
            ahead,
        })
    }

    /// The machine code of kernel `index`, generated at first use and kept.
    ///
    /// # Errors
    /// If code generation fails.
    pub fn compiled(&self, index: usize) -> Result<Arc<CompiledKernel>, NoCode> {
        self.code(index).cloned()
    }

    /// The same without a claim to it.
    fn code(&self, index: usize) -> Result<&Arc<CompiledKernel>, NoCode> {
        let slot = self.compiled.get(index).ok_or_else(|| NoCode::Bug("no such kernel".into()))?;
        self.once(slot, index, &SpecializationKey::default())
    }

    /// Code that is made at first use, and kept unless there was no memory for it.
    fn once<'s>(
        &self,
        slot: &'s OnceLock<Generated>,
        index: usize,
        key: &SpecializationKey,
    ) -> Result<&'s Arc<CompiledKernel>, NoCode> {
        if let Some(kept) = slot.get() {
            return kept.as_ref().map_err(NoCode::clone);
        }
        guarded_code(|| {
            let generate = || match guarded_code(|| self.generate(index, key)) {
                // Not to be kept: the slot stays empty.
                Err(NoCode::Memory) => std::panic::resume_unwind(Box::new(NoMemory)),
                generated => generated,
            };
            slot.get_or_init(generate).as_ref().map_err(NoCode::clone)
        })
    }

    /// What code of a kernel can be made for of a range of this offset and size in groups of this size.
    pub fn range_facts(
        &self,
        index: usize,
        offset: [u64; 3],
        global: [u64; 3],
        local: [u64; 3],
    ) -> RangeFacts {
        let Some(variants) = self.variants.get(index) else { return RangeFacts::default() };
        variants.facts(&self.module.funcs[self.entries[index].func], offset, global, local)
    }

    /// The code of a kernel for launches with this key, or one that takes all.
    ///
    /// # Errors
    /// If code generation fails.
    pub fn compiled_for(&self, index: usize, key: &SpecializationKey) -> Result<Arc<CompiledKernel>, NoCode> {
        let found = self.variants.get(index).and_then(|variants| variants.find(key));
        let Some((variant, is_mine)) = found else { return self.compiled(index) };
        if let Some(code) = variant.code.get() {
            return code.clone();
        }
        // Another thread is at it.
        if !is_mine && let Some(Ok(code)) = self.compiled.get(index).and_then(OnceLock::get) {
            return Ok(Arc::clone(code));
        }
        let code = self.once(&variant.code, index, &variant.key).cloned();
        if matches!(code, Err(NoCode::Memory)) {
            variant.give_up();
        }
        code
    }

    /// The code of a kernel for a key.
    fn generate(&self, index: usize, key: &SpecializationKey) -> Generated {
        let code = Arc::new(self.group_code(index, key)?);
        self.place_code(index, key, &code)
    }

    /// Makes machine code of what [`Artifact::group_code`] has returned for this key. Nobody keeps it: for tests, which look at
    /// both.
    ///
    /// # Errors
    /// If code generation fails.
    pub fn machine_code(
        &self,
        index: usize,
        key: &SpecializationKey,
        code: &Arc<GroupCode>,
    ) -> Result<Arc<CompiledKernel>, NoCode> {
        guarded_code(|| self.place_code(index, key, code))
    }

    /// Makes machine code and places it in executable memory.
    fn place_code(&self, index: usize, key: &SpecializationKey, code: &Arc<GroupCode>) -> Generated {
        let name = || self.entries[index].name.to_string();
        let _timed = timing::span("code generation", name);
        let functions = generate::functions(code, self.globals.addresses(), self.choice(key.forced))?;
        let mut kernel = jit::place(code, &functions, &|loc| self.place(loc))?;
        kernel.flush_denormals = self.settings.flush_denormals;
        kernel.is_interchanged = key.range.is_interchanged;
        kernel.is_nontemporal = key.range.nontemporal != NonTemporal::None;
        Ok(Arc::new(kernel))
    }

    /// Who makes the code.
    fn choice(&self, forced: Forced) -> Choice {
        Choice::of(forced.backend, self.settings.opt_disable)
    }

    /// What the passes make of a kernel for a key.
    ///
    /// # Errors
    /// If a function is called that has no body, or calls itself.
    pub fn group_code(&self, index: usize, key: &SpecializationKey) -> Result<GroupCode, String> {
        let func = &self.module.funcs[self.entries[index].func];
        if !passes::asks_for_sub_groups(func) {
            let lanes = if self.settings.opt_disable { Some(1) } else { key.forced.lanes };
            return self.formed(index, key, Forced { lanes, ..key.forced });
        }
        // All code of a kernel has one size, whatever is known of a launch.
        let lanes = match key.forced.lanes {
            Some(lanes) => lanes,
            None => self.sub_group_size(index).map_err(|why| why.to_string())?,
        };
        let forced = Forced { lanes: Some(lanes), ..key.forced };
        self.formed(index, key, forced).or_else(|_| self.formed(index, &SpecializationKey::default(), forced))
    }

    /// The code of a kernel for a key.
    fn formed(&self, index: usize, key: &SpecializationKey, forced: Forced) -> Result<GroupCode, String> {
        let forced = Forced { backend: Some(self.choice(forced).backend), ..forced };
        let entry = &self.entries[index];
        let _timed = timing::span("group passes", || entry.name.to_string());
        let func = &self.module.funcs[entry.func];
        if !key.changes_kernel() {
            return passes::kernel(&self.module, func, &entry.params, key.range, forced);
        }
        let mut known: Vec<(usize, ArgumentKey)> = Vec::new();
        if !key.images.is_empty() {
            let args = self.kernels[index].args.iter().enumerate();
            let places = args.filter(|(_, arg)| arg.kind.is_of_images());
            known.extend(places.map(|(place, _)| place).zip(key.images.iter().copied()));
        }
        let mut func = func.clone();
        if key.no_alias {
            register_promotion::set_apart(&mut func, self.wants_no_alias(index));
        }
        passes::variant(&mut func, entry.func, &self.module, &known, key.range, key.unit_strides);
        passes::kernel(&self.module, &func, &entry.params, key.range, forced)
    }

    /// The variables that kernels can write.
    pub fn variables(&self) -> Vec<Variable> {
        let globals = self.module.globals.iter();
        let written = globals.filter(|(_, global)| global.space == GlobalSpace::Global && global.is_defined);
        let variable = |(id, global): (_, &Global)| Variable {
            name: global.name.clone(),
            address: self.globals.addresses()[id] as usize,
            size: global.size as usize,
            has_pointers: !global.relocs.is_empty(),
        };
        written.map(variable).collect()
    }

    /// Whether work-groups of a launch must have one size.
    pub fn wants_uniform_groups(&self) -> bool {
        self.settings.uniform_groups
    }

    /// File and line of a position in a report of a fault.
    pub fn place(&self, loc: u32) -> Option<(&str, u32)> {
        self.module.lines.get(loc)
    }

    /// The optimised IR.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The kernels' functions, in the order of `kernels`.
    pub fn entries(&self) -> &[KernelEntry] {
        &self.entries
    }
}
