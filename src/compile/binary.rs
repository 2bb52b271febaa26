//! Program binaries: a header of magic, version and checksum, then the kernels and the
//! optimised IR as text. Any other bytes are refused before anything is made of them;
//! what gets through is parsed and verified like any text from outside.

use std::hash::Hasher;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Artifact, BuildError, Entry, KernelInfo};
use crate::ir::abi::Param;
use crate::ir::{FuncId, Type, parse_module, verify_module};
use crate::support::Id;

const MAGIC: &[u8; 8] = b"GrusIR\r\n";

/// Binaries of another version of the library are refused.
const VERSION: &str = env!("CARGO_PKG_VERSION");

const HEADER: usize = MAGIC.len() + 8;

#[derive(Serialize, Deserialize)]
struct Saved {
    version: String,
    kernels: Vec<SavedKernel>,
    ir: String,
}

#[derive(Serialize, Deserialize)]
struct SavedKernel {
    info: KernelInfo,
    func: u32,
    params: Vec<(u8, u32)>,
}

/// The bytes of CL_PROGRAM_BINARIES: versioned, checksummed.
pub fn save(artifact: &Artifact) -> Vec<u8> {
    let kernels = artifact.kernels.iter().zip(artifact.entries()).map(|(info, entry)| SavedKernel {
        info: KernelInfo::clone(info),
        func: entry.func.0,
        params: entry.params.iter().map(|p| encode(*p)).collect(),
    });
    let saved =
        Saved { version: VERSION.into(), kernels: kernels.collect(), ir: artifact.module().to_string() };
    let payload = postcard::to_allocvec(&saved).expect("strings and numbers can be encoded");
    let mut bytes = MAGIC.to_vec();
    bytes.extend(checksum(&payload).to_le_bytes());
    bytes.extend(payload);
    bytes
}

/// An artifact from [`save`]'s bytes.
///
/// # Errors
/// [`BuildError::Binary`] for any other bytes.
pub fn load(bytes: &[u8]) -> Result<Arc<Artifact>, BuildError> {
    std::panic::catch_unwind(|| read(bytes)).ok().flatten().map(Arc::new).ok_or(BuildError::Binary)
}

fn read(bytes: &[u8]) -> Option<Artifact> {
    let (header, payload) = bytes.split_at_checked(HEADER)?;
    let sum = header.strip_prefix(MAGIC)?;
    if checksum(payload).to_le_bytes() != sum {
        return None;
    }
    let saved: Saved = postcard::from_bytes(payload).ok()?;
    if saved.version != VERSION {
        return None;
    }
    let module = parse_module(&saved.ir).ok()?;
    verify_module(&module).ok()?;
    let mut kernels = Vec::new();
    let mut entries = Vec::new();
    for kernel in saved.kernels {
        let func = FuncId::new(kernel.func as usize);
        let params: Vec<Param> = kernel.params.iter().map(|&p| decode(p)).collect::<Option<_>>()?;
        let function = module.funcs.get(func)?;
        if function.params().len() != params.len() || function.ret != Type::VOID || !function.is_kernel {
            return None;
        }
        kernels.push(Arc::new(kernel.info));
        entries.push(Entry { func, params });
    }
    Artifact::new(module, kernels, entries).ok()
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
