//! Programs in an intermediate language, which is SPIR-V: the counterpart of the functions that build from source.
//!
//! A module is read when the program is created ([`read_il`]), which checks its form. Its rules are checked by the
//! build, since they may depend on the values of specialization constants ([`SpecValues`]).

use std::collections::BTreeMap;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use grus_clc::Options;
use grus_ir::abi::Param;
use grus_ir::image::ImageType;
use grus_ir::{FuncId, Function, Linkage};
use grus_spirv::{
    FormError, FunctionRange, HEADER, Id, Import, Kernel, KernelModes, MAGIC, Machine, Opcode, ParamAccess,
    ParamKind, Request, Translated,
};

pub use grus_spirv::Module as IlModule;
pub use grus_spirv::SpecValues;

use super::{
    ArgAccess, ArgInfo, ArgKind, Artifact, BuildError, Built, CompileError, CompiledObject,
    KernelDescription, KernelInfo, Settings, allow_reassociation, compiler_options, enqueued_blocks,
    error_line, executable, facts, guarded, link, panic_text, requests,
};
use grus_support::FastSet;
use grus_support::memory::{self, Building, NoMemory};
use grus_support::timing;

/// SPIR-V module with the values of its specialization constants.
#[derive(Clone, Debug)]
pub struct Il {
    pub module: Arc<IlModule>,
    pub spec: SpecValues,
}

/// Reason why a module is not read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum IlError {
    /// The bytes are no module, or one whose form is invalid.
    #[error(transparent)]
    Form(#[from] Box<FormError>),
    #[error("not enough memory to read this module")]
    Memory,
    /// A panic, with its message.
    #[error("internal error while reading a module: {0}")]
    Panic(String),
}

/// Memory that reading takes at most for each byte of a module, in bytes: its words, a place for each id, and a list
/// with 12 bytes for each target of a decoration, which doubles.
const BYTES_FOR_BYTE: usize = 12;

/// Reads a module and checks its form. Never panics, and takes memory in proportion to the number of bytes.
///
/// # Errors
/// If the form is invalid, or there is not enough memory.
pub fn read_il(bytes: &[u8]) -> Result<Arc<IlModule>, IlError> {
    let _building = Building::enter();
    let read = || {
        memory::expect(bytes.len().saturating_mul(BYTES_FOR_BYTE));
        IlModule::read(bytes)
    };
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(module) => Ok(Arc::new(module?)),
        Err(panic) if panic.is::<NoMemory>() => Err(IlError::Memory),
        Err(panic) => Err(IlError::Panic(panic_text(&*panic))),
    }
}

/// Checks whether the bytes of a module are in the other byte order than the machine's.
pub fn is_il_swapped(bytes: &[u8]) -> bool {
    bytes.get(..4) == Some(&MAGIC.swap_bytes().to_ne_bytes())
}

/// Returns the size in bytes of each specialization constant, by its SpecId. A boolean takes one byte. If several
/// constants have a SpecId, the size is that of the first.
pub fn spec_constants(module: &IlModule) -> BTreeMap<u32, u8> {
    let end =
        module.functions().first().map_or(module.words().len() as u32, |&FunctionRange { start, .. }| start);
    let mut sizes = BTreeMap::new();
    for place in module.instructions(HEADER as u32, end) {
        let (row, words) = module.instruction(place);
        let size = match row.opcode {
            Opcode::SpecConstantTrue | Opcode::SpecConstantFalse => Some(1),
            Opcode::SpecConstant => size_of_number(module, Id(words[1])),
            _ => continue,
        };
        if let Some((spec_id, size)) = module.spec_id(Id(words[2])).zip(size) {
            sizes.entry(spec_id).or_insert(size);
        }
    }
    sizes
}

/// Returns the size in bytes of a type of numbers.
fn size_of_number(module: &IlModule, number_type: Id) -> Option<u8> {
    use grus_spirv::NumberType::{Float, Int};
    match module.number_type(number_type)? {
        // Integers of other widths are as large as the next wider ones.
        Int { width: width @ 1..=64, .. } => Some(width.div_ceil(8).next_power_of_two() as u8),
        Float { width: width @ (16 | 32 | 64), .. } => Some((width / 8) as u8),
        _ => None,
    }
}

/// Builds a program from a module (clBuildProgram). Options of the language have no effect. Never panics: an
/// internal error is reported in the log.
pub fn build_il(il: &Il, options: &str) -> Built<Arc<Artifact>> {
    guarded(|| {
        let compiled = translate(il, options, false);
        let mut log = compiled.log;
        let result = compiled.result.and_then(|object| executable(object, &mut log));
        Built { result, log }
    })
}

/// Compiles a module as a unit, which may use symbols of other units (clCompileProgram). Never panics.
pub fn compile_il(il: &Il, options: &str) -> Built<Arc<CompiledObject>> {
    guarded(|| translate(il, options, true).map(Arc::new))
}

/// Translates a module to IR without any pass, for the interpreter.
///
/// # Errors
/// The build log of an invalid module.
pub fn lower_il_only(il: &Il) -> Result<grus_ir::Module, CompileError> {
    let built = guarded(|| translate(il, "", false));
    built.result.map(|object| object.module).map_err(|_| CompileError::Log(built.log))
}

/// Estimated memory of the translation: for the smallest module, and for each word, in bytes.
// Source: measured with the modules of dpnp; twice the average.
const MIN_TRANSLATION_BYTES: usize = 1 << 20;
const BYTES_FOR_WORD: usize = 80;

/// Translates a module to IR. With `is_unit`, undefined symbols are left to the linker.
fn translate(il: &Il, options: &str, is_unit: bool) -> Built<CompiledObject> {
    let options = match compiler_options(options) {
        Ok(options) => options,
        Err(error) => return Built { result: Err(BuildError::Options), log: error_line(error) },
    };
    memory::expect(MIN_TRANSLATION_BYTES + il.module.words().len() * BYTES_FOR_WORD);
    let timed = timing::span("front end", || format!("words: {}", il.module.words().len()));
    let facts = facts();
    let machine = Machine { fma: facts.fma, half_fma: facts.half_fma };
    let translated = grus_spirv::translate(&il.module, &il.spec, machine);
    drop(timed);
    let result = translated.map_err(|messages| messages.to_string()).and_then(|translated| {
        let object = describe(translated, &options)?;
        if is_unit { Ok(object) } else { link::checked(object).map_err(|errors| lines(&errors)) }
    });
    match result {
        Ok(object) => Built { result: Ok(object), log: String::new() },
        Err(log) => Built { result: Err(BuildError::Program), log },
    }
}

/// Returns a log of errors.
fn lines(errors: &[impl Display]) -> String {
    errors.iter().map(error_line).collect()
}

/// Makes a compiled object of a translated module. The functions of the builtin library that it requests are added.
///
/// # Errors
/// A log.
fn describe(translated: Translated, options: &Options) -> Result<CompiledObject, String> {
    memory::check();
    let Translated { mut module, kernels, requests, imports, enqueued } = translated;
    grus_ir::verify_module(&module).map_err(error_line)?;
    fulfill(&mut module, requests, &imports, options)?;
    let mut settings = Settings::of(options);
    settings.uniform_groups = options.uniform_work_group_size;
    settings.has_il = true;
    settings.flush_denormals |=
        !kernels.is_empty() && kernels.iter().all(|kernel| kernel.modes.flushes_denormals);
    let kernels: Result<Vec<_>, _> = kernels.into_iter().map(kernel_of).collect();
    let mut kernels = kernels.map_err(error_line)?;
    kernels.extend(enqueued.iter().map(enqueued_blocks::describe_function));
    allow_reassociation(&mut module, &kernels, options);
    Ok(CompiledObject { is_library: false, settings, module, kernels })
}

/// Adds the functions of the builtin library that a module requests. Imported functions that the library does not have
/// are left to the linker.
///
/// # Errors
/// A log.
fn fulfill(
    module: &mut grus_ir::Module,
    mut requests: Vec<(FuncId, Request)>,
    imports: &[Import],
    options: &Options,
) -> Result<(), String> {
    let wanted = |requests: &[(FuncId, Request)]| -> Vec<Request> {
        requests.iter().map(|(_, request)| request.clone()).collect()
    };
    let requested = match requests::lower_requests(&wanted(&requests), options) {
        Ok(requested) => requested,
        Err(mut errors) => {
            let unknown: FastSet<FuncId> = errors.iter().map(|error| requests[error.index].0).collect();
            let imported: FastSet<FuncId> = imports.iter().map(|import| import.request).collect();
            errors.retain(|error| !imported.contains(&requests[error.index].0));
            if !errors.is_empty() {
                return Err(lines(&errors));
            }
            for import in imports.iter().filter(|import| unknown.contains(&import.request)) {
                let func = &mut module.funcs[import.func];
                *func = Function::new(std::mem::take(&mut func.name), func.ret);
                func.linkage = Linkage::EXTERNAL;
                // Nothing calls it any more.
                module.funcs[import.request].linkage = Linkage::Internal;
            }
            requests.retain(|(func, _)| !unknown.contains(func));
            requests::lower_requests(&wanted(&requests), options).map_err(|errors| lines(&errors))?
        }
    };
    let funcs: Vec<_> = requests.iter().enumerate().map(|(index, &(func, _))| (func, index)).collect();
    requests::resolve_requests(module, &funcs, &requested).map_err(error_line)
}

/// Describes a kernel as the API reports it, with the layout of its argument block.
fn kernel_of(kernel: Kernel) -> Result<KernelDescription, CompileError> {
    let (mut args, mut params, mut end) = (Vec::new(), Vec::new(), 0u64);
    for param in kernel.params {
        let (kind, size, align) = kind_of(param.kind);
        let offset = end.next_multiple_of(align.max(1));
        end = offset + size;
        let offset = u32::try_from(offset).map_err(|_| CompileError::ArgumentsTooLarge)?;
        params.push(match param.kind {
            ParamKind::Local => Param::Local(offset),
            ParamKind::Struct { .. } => Param::Struct(offset),
            _ => Param::Value(offset),
        });
        args.push(ArgInfo {
            kind,
            name: param.name,
            type_name: param.type_name,
            is_const: param.is_const,
            is_restrict: param.is_restrict,
            is_volatile: param.is_volatile,
            is_pipe: matches!(kind, ArgKind::Pipe { .. }),
            access: match param.access {
                ParamAccess::None => ArgAccess::None,
                ParamAccess::ReadOnly => ArgAccess::ReadOnly,
                ParamAccess::WriteOnly => ArgAccess::WriteOnly,
                ParamAccess::ReadWrite => ArgAccess::ReadWrite,
            },
            offset,
        });
    }
    let modes = kernel.modes;
    let attributes = attributes(&modes);
    let info = KernelInfo {
        name: kernel.name,
        args,
        reqd_work_group_size: modes.local_size,
        work_group_size_hint: modes.local_size_hint,
        vec_type_hint: modes.vec_type_hint,
        sub_group_size: modes.sub_group_size,
        attributes,
        has_arg_info: true,
        ..KernelInfo::default()
    };
    Ok(KernelDescription { func: kernel.func, info, params, block: None })
}

/// Returns how a parameter is passed, and its size and alignment in the argument block.
fn kind_of(kind: ParamKind) -> (ArgKind, u64, u64) {
    match kind {
        ParamKind::Value { size, align } | ParamKind::Struct { size, align } => {
            (ArgKind::Value { size }, size.into(), align.into())
        }
        ParamKind::Global => (ArgKind::Global, 8, 8),
        ParamKind::Constant => (ArgKind::Constant, 8, 8),
        ParamKind::Local => (ArgKind::Local, 8, 8),
        ParamKind::Image(name) => {
            let image = ImageType::from_name(name).expect("the translator has the names of OpenCL C");
            (ArgKind::Image(image), 8, 8)
        }
        ParamKind::Sampler => (ArgKind::Sampler, 4, 4),
        ParamKind::Pipe { size, align } => (ArgKind::Pipe { size, align }, 8, 8),
        ParamKind::Queue => (ArgKind::Queue, 8, 8),
    }
}

/// Returns CL_KERNEL_ATTRIBUTES: the execution modes as OpenCL C writes them.
fn attributes(modes: &KernelModes) -> String {
    let sizes = |name: &str, [x, y, z]: [u32; 3]| format!("{name}({x},{y},{z})");
    let all = [
        modes.vec_type_hint.as_ref().map(|hint| format!("vec_type_hint({hint})")),
        modes.local_size_hint.map(|size| sizes("work_group_size_hint", size)),
        modes.local_size.map(|size| sizes("reqd_work_group_size", size)),
        modes.sub_group_size.map(|size| format!("intel_reqd_sub_group_size({size})")),
    ];
    let all: Vec<String> = all.into_iter().flatten().collect();
    all.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(text: &str) -> Vec<u8> {
        let head = "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int8\n\
            OpCapability Int64\nOpCapability Float16\nOpMemoryModel Physical64 OpenCL\n";
        grus_assembler::assemble(&format!("{head}{text}")).expect("no mistakes")
    }

    fn sizes(text: &str) -> Vec<(u32, u8)> {
        let module = read_il(&module(text)).expect("a valid form");
        spec_constants(&module).into_iter().collect()
    }

    const TYPES: &str = "%bool = OpTypeBool\n%char = OpTypeInt 8 0\n%uint = OpTypeInt 32 0\n\
        %ulong = OpTypeInt 64 0\n%half = OpTypeFloat 16\n";

    #[test]
    fn constants_have_the_sizes_of_their_types() {
        let text = format!(
            "OpDecorate %a SpecId 0\nOpDecorate %b SpecId 1\nOpDecorate %c SpecId 2\nOpDecorate %d SpecId 7\n\
             OpDecorate %e SpecId 4294967295\nOpDecorate %f SpecId 5\nOpDecorate %e Restrict\n{TYPES}\
             %a = OpSpecConstantTrue %bool\n%b = OpSpecConstantFalse %bool\n%c = OpSpecConstant %char 1\n\
             %d = OpSpecConstant %uint 2\n%e = OpSpecConstant %ulong 3\n%f = OpSpecConstant %half 0x1p+0\n\
             %g = OpSpecConstant %uint 4\n"
        );
        assert_eq!(sizes(&text), [(0, 1), (1, 1), (2, 1), (5, 2), (7, 4), (u32::MAX, 8)]);
    }

    #[test]
    fn groups_and_shared_numbers() {
        let text = format!(
            "OpDecorate %group SpecId 3\n%group = OpDecorationGroup\nOpGroupDecorate %group %a %b\n\
             OpDecorate %c SpecId 9\n{TYPES}%a = OpSpecConstant %uint 2\n%b = OpSpecConstant %ulong 3\n\
             %c = OpConstant %uint 3\n"
        );
        assert_eq!(sizes(&text), [(3, 4)]);
    }

    #[test]
    fn bytes_that_are_no_module() {
        let good = module("");
        assert!(!is_il_swapped(&good));
        for bad in
            [&[][..], &good[..good.len() - 1], &good[..good.len() - 4], &good[4..], b"kernel void k() {}"]
        {
            assert!(matches!(read_il(bad), Err(IlError::Form(_))));
        }
        let swapped: Vec<u8> = good.chunks_exact(4).flat_map(|word| word.iter().rev().copied()).collect();
        assert!(is_il_swapped(&swapped));
        assert_eq!(read_il(&swapped).expect("a module").words(), read_il(&good).expect("a module").words());
    }

    #[test]
    fn options_are_checked_first() {
        let il = Il { module: read_il(&module("")).expect("a module"), spec: SpecValues::default() };
        for options in ["-no-such-option", "-create-library"] {
            assert_eq!(build_il(&il, options).result.err(), Some(BuildError::Options));
            assert_eq!(compile_il(&il, options).result.err(), Some(BuildError::Options));
        }
    }

    #[test]
    fn the_last_value_counts() {
        let mut values = SpecValues::default();
        for (spec_id, value) in [(7, 1), (0, 2), (7, 3)] {
            values.set(spec_id, value);
        }
        assert_eq!(values.iter().collect::<Vec<_>>(), [(0, 2), (7, 3)]);
        assert_eq!((values.get(7), values.get(1)), (Some(3), None));
    }
}
