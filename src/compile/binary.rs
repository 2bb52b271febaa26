//! Program binaries: a header (magic and checksum), then a payload with the version, the kernels, and the IR as
//! text: optimized for an executable, as lowered for a compiled object or a library. Bytes without a valid header
//! are refused before the payload is read. The payload is then parsed and verified like any IR text from outside.

use std::hash::Hasher;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::artifact::guarded_code;
use super::enqueued_blocks::BlockEntry;
use super::{
    Artifact, BuildError, BuildOutput, CodeError, CompiledObject, GlobalsError, KernelDescription,
    KernelInfo, Settings, entries_of,
};
use grus_ir::abi::Param;
use grus_ir::{FuncId, Function, LineTable, Module, Type, parse_module, verify_module};
use grus_support::{Id, memory};

const MAGIC: &[u8; 8] = b"GrusIR\r\n";

/// Version in binaries: that of the library and a fingerprint of its sources. Binaries of another version are
/// refused, since their IR may have another meaning.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("GRUS_FINGERPRINT"));

const HEADER: usize = MAGIC.len() + 8;

#[derive(Serialize, Deserialize)]
struct Saved {
    version: String,
    kind: BinaryKind,
    settings: Settings,
    kernels: Vec<SavedKernel>,
    ir: String,
    lines: LineTable,
}

/// Kind of a program binary.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum BinaryKind {
    Compiled,
    Library,
    Executable,
}

#[derive(Serialize, Deserialize)]
struct SavedKernel {
    info: KernelInfo,
    func: u32,
    params: Vec<(u8, u32)>,
    block: Option<BlockEntry>,
}

/// Estimated memory to serialize one instruction, in bytes.
// Arbitrary.
const BYTES_FOR_INSTRUCTION: usize = 200;

/// Serializes the output of a build with [`save`] or [`save_object`], if there is enough memory.
///
/// # Errors
/// [`CodeError::Memory`] if there is not enough memory.
pub fn try_save(code: &BuildOutput) -> Result<Vec<u8>, CodeError> {
    let module = match code {
        BuildOutput::Executable(artifact) => artifact.module(),
        BuildOutput::Object(object) => &object.module,
    };
    let size: usize = module.funcs.values().map(Function::size).sum();
    let data: usize = module.globals.values().map(|global| global.init.len()).sum();
    guarded_code(|| {
        // Contents of variables are written as two digits per byte, and copied a few times.
        memory::expect(size * BYTES_FOR_INSTRUCTION + data * 10);
        Ok(match code {
            BuildOutput::Executable(artifact) => save(artifact),
            BuildOutput::Object(object) => save_object(object),
        })
    })
}

/// Returns the bytes of CL_PROGRAM_BINARIES for an executable.
pub fn save(artifact: &Artifact) -> Vec<u8> {
    let kernels = artifact.entries().iter().enumerate().map(|(i, entry)| {
        let block = || KernelInfo { name: entry.name.to_string(), ..KernelInfo::default() };
        let info = artifact.kernels.get(i).map_or_else(block, |info| KernelInfo::clone(info));
        save_kernel(info, entry.func, &entry.params, entry.block)
    });
    write(Saved {
        version: VERSION.into(),
        kind: BinaryKind::Executable,
        settings: artifact.settings,
        kernels: kernels.collect(),
        ir: format!("{:#}", artifact.module()),
        lines: artifact.module().lines.clone(),
    })
}

/// Returns the bytes of CL_PROGRAM_BINARIES for a compiled object or a library.
pub fn save_object(object: &CompiledObject) -> Vec<u8> {
    write(Saved {
        version: VERSION.into(),
        kind: if object.is_library { BinaryKind::Library } else { BinaryKind::Compiled },
        settings: object.settings,
        kernels: object
            .kernels
            .iter()
            .map(|k| save_kernel(k.info.clone(), k.func, &k.params, k.block))
            .collect(),
        ir: format!("{:#}", object.module),
        lines: object.module.lines.clone(),
    })
}

fn save_kernel(info: KernelInfo, func: FuncId, params: &[Param], block: Option<BlockEntry>) -> SavedKernel {
    SavedKernel { info, func: func.0, params: params.iter().map(|p| encode(*p)).collect(), block }
}

fn write(saved: Saved) -> Vec<u8> {
    seal(&postcard::to_allocvec(&saved).expect("strings and numbers can be encoded"))
}

/// Adds a header with a valid checksum to a payload. Fuzzing uses it to get past the checksum.
pub fn seal(payload: &[u8]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(checksum(payload).to_le_bytes());
    bytes.extend(payload);
    bytes
}

/// Restores the output of a build from the bytes of [`save`] or [`save_object`].
///
/// # Errors
/// [`BuildError::Binary`] for any other bytes, [`BuildError::Memory`] if there is not enough memory.
pub fn load(bytes: &[u8]) -> Result<BuildOutput, BuildError> {
    let read = || match read(bytes) {
        Ok(Some(code)) => Ok(Some(code)),
        Ok(None) | Err(GlobalsError::TooLarge) => Ok(None),
        Err(GlobalsError::Memory) => Err(CodeError::Memory),
    };
    match guarded_code(read) {
        Ok(Some(code)) => Ok(code),
        Err(CodeError::Memory) => Err(BuildError::Memory),
        Ok(None) | Err(_) => Err(BuildError::Binary),
    }
}

/// Estimated memory to read a binary, as a multiple of its size.
// Arbitrary.
const READ_MEMORY_FACTOR: usize = 12;

/// Reads a binary; `None` if it is not a valid one of this version.
fn read(bytes: &[u8]) -> Result<Option<BuildOutput>, GlobalsError> {
    let Some((kind, settings, module, kernels)) = read_parts(bytes) else { return Ok(None) };
    if kind != BinaryKind::Executable {
        let object = CompiledObject { is_library: kind == BinaryKind::Library, settings, module, kernels };
        return Ok(Some(BuildOutput::Object(Arc::new(object))));
    }
    let (infos, entries) = entries_of(kernels);
    let artifact = Artifact::new(module, settings, infos, entries)?;
    Ok(Some(BuildOutput::Executable(Arc::new(artifact))))
}

fn read_parts(bytes: &[u8]) -> Option<(BinaryKind, Settings, Module, Vec<KernelDescription>)> {
    let (header, payload) = bytes.split_at_checked(HEADER)?;
    let sum = header.strip_prefix(MAGIC)?;
    if checksum(payload).to_le_bytes() != sum {
        return None;
    }
    memory::expect(payload.len().saturating_mul(READ_MEMORY_FACTOR));
    let saved: Saved = postcard::from_bytes(payload).ok()?;
    if saved.version != VERSION {
        return None;
    }
    let mut module = parse_module(&saved.ir).ok()?;
    verify_module(&module).ok()?;
    module.lines = saved.lines;
    let kernels = saved.kernels.into_iter().map(|k| read_kernel(k, &module)).collect::<Option<Vec<_>>>()?;
    Some((saved.kind, saved.settings, module, kernels))
}

fn read_kernel(kernel: SavedKernel, module: &Module) -> Option<KernelDescription> {
    let func = FuncId::new(kernel.func as usize);
    let params: Vec<Param> = kernel.params.iter().map(|&p| decode(p)).collect::<Option<_>>()?;
    let function = module.funcs.get(func)?;
    let fits = function.is_defined()
        && function.params().len() == params.len()
        && function.ret == Type::VOID
        && function.is_kernel == kernel.block.is_none()
        && kernel.block.is_none_or(|block| block.fits(module, &params));
    fits.then_some(KernelDescription { func, info: kernel.info, params, block: kernel.block })
}

fn encode(param: Param) -> (u8, u32) {
    match param {
        Param::Value(at) => (0, at),
        Param::Struct(at) => (1, at),
        Param::Local(at) => (2, at),
    }
}

fn decode((kind, at): (u8, u32)) -> Option<Param> {
    match kind {
        0 => Some(Param::Value(at)),
        1 => Some(Param::Struct(at)),
        2 => Some(Param::Local(at)),
        _ => None,
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
