//! Machine code in memory: placement, relocation, executable mappings, and their release.

mod debug_info;
mod dump;
mod error;
mod executable_memory;

use crate::{CodegenError, Environment, MachineCode, RelocKind, RelocTarget};
pub use debug_info::DebugInfo;
pub use error::Error;
use executable_memory::ExecutableMemory;
use grus_ir::abi::{GroupContext, Tier};
use grus_ir::group_code::{ContextSize, GroupCode, PrivateUpdate, StridedAccess};
use grus_ir::{Attr, Function, Helper, Inst, Op};
use grus_support::target::BackendChoice;
use grus_support::timing;

/// Group function: runs one work-group.
type GroupEntry = unsafe extern "C" fn(*const GroupContext);

/// Machine code of one kernel, and the facts about it that a launch depends on. Nothing in it changes after
/// [`place`].
#[derive(Debug)]
pub struct CompiledKernel {
    /// Memory that `entry` points into.
    region: ExecutableMemory,
    entry: GroupEntry,
    /// Bytes of machine code of all functions.
    pub size: usize,
    pub traits: KernelTraits,
    pub mode: CodeMode,
    pub footprint: MemoryFootprint,
    pub debug_info: DebugInfo,
}

/// Properties of a kernel that decide how its ranges are divided and run.
#[derive(Debug)]
pub struct KernelTraits {
    /// True if the kernel does not observe its work-groups, so that they can be merged.
    pub is_group_agnostic: bool,
    /// Description of strided loops, through which the groups access memory with the stride of the whole range.
    pub strided_access: Option<StridedAccess>,
    /// True if the kernel calls printf.
    pub prints: bool,
    /// True if the kernel calls functions of device-side enqueue.
    pub enqueues: bool,
    /// True if the kernel has atomic operations on memory that groups share.
    pub has_global_atomics: bool,
    /// Maximum number of work-items per vector.
    pub lanes: u16,
    /// Maximum number of rows whose vectors run together.
    pub rows: u16,
    /// Next compilation tier whose code may be faster.
    pub next_tier: Option<Tier>,
    /// Arguments whose memory must be a copy of the thread's own.
    pub private_updates: Vec<PrivateUpdate>,
}

/// Choices of the compiler that the executor follows when it runs the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CodeMode {
    /// True if the kernel runs with denormals flushed to zero.
    pub flush_denormals: bool,
    /// True if the code was compiled for ranges whose first two dimensions are interchanged.
    pub is_interchanged: bool,
    /// True if the code has non-temporal stores, which need a store fence at the end.
    pub is_nontemporal: bool,
}

/// Memory that a work-group needs.
#[derive(Debug)]
pub struct MemoryFootprint {
    /// Bytes of the kernel's own `local` variables; local arguments follow them.
    pub local_size: u64,
    /// Maximum bytes of stack that a group uses, excluding the frames of runtime functions.
    pub stack_size: u64,
    /// Bytes of spill slots of all functions.
    pub spill_size: u64,
    private_size: u64,
    frame_size: u64,
    context_size: ContextSize,
}

impl MemoryFootprint {
    /// Checks whether the group stores a context for each work-item.
    pub fn has_item_context(&self) -> bool {
        self.context_size != ContextSize::default()
    }

    /// Returns the bytes of private memory that a group of `items` work-items needs.
    pub fn private_size(&self, items: u64) -> u64 {
        self.private_size + self.context_size.bytes(items) + self.frame_size
    }
}

impl CompiledKernel {
    /// Checks whether other code of the same kernel can run launches that were prepared and divided for this code.
    pub fn runs_same_launches(&self, other: &CompiledKernel) -> bool {
        let facts = |code: &CompiledKernel| {
            (
                code.traits.is_group_agnostic,
                code.footprint.local_size,
                code.footprint.has_item_context(),
                code.mode,
            )
        };
        facts(self) == facts(other)
            && self.traits.strided_access == other.traits.strided_access
            && self.traits.private_updates == other.traits.private_updates
    }

    /// Runs one work-group.
    ///
    /// # Safety
    /// `context` describes the group; its argument block holds the kernel's arguments, and all memory that the kernel
    /// accesses through them is valid.
    pub unsafe fn run_group(&self, context: &GroupContext) {
        // SAFETY: the caller guarantees the context; the region keeps the code alive.
        unsafe { (self.entry)(context) }
    }

    /// Returns the offset of an address in the code; `None` if it is outside.
    pub fn offset_of(&self, address: usize) -> Option<u32> {
        let offset = address.checked_sub(self.region.address())?;
        if offset < self.region.size() { u32::try_from(offset).ok() } else { None }
    }
}

/// Function that returns file and line of a source position.
pub type SourceLines<'a> = &'a dyn Fn(u32) -> Option<(&'a str, u32)>;

/// Generates the code of one function of a kernel, with the backend of `choice` unless the function is small and
/// scalar.
///
/// # Errors
/// Returns the error of [`codegen::compile`](crate::compile).
pub fn generate(
    code: &GroupCode,
    index: usize,
    environment: &Environment<'_>,
    choice: BackendChoice,
) -> Result<MachineCode, CodegenError> {
    let tracked = debug_info::tracked_values(&code.tracked[index]);
    crate::compile(&code.functions[index], &tracked, environment, choice)
}

/// Links the generated functions of a kernel, whose code is to run in `mode`, and copies them to executable memory. If
/// GRUS_JITDUMP is set, records them for profilers, with lines from `line_of`.
///
/// # Errors
/// Fails if a relocation is invalid, or if no executable memory is available.
pub fn place(
    code: &GroupCode,
    functions: &[MachineCode],
    mode: CodeMode,
    line_of: SourceLines<'_>,
) -> Result<CompiledKernel, Error> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut starts = Vec::new();
    for function in functions {
        let start = bytes.len().next_multiple_of(function.alignment.max(16) as usize);
        bytes.resize(start, 0);
        bytes.extend(&function.bytes);
        starts.push(start);
    }
    timing::note("code", || format!("{} bytes of machine code, functions: {}", bytes.len(), functions.len()));
    let mut region = ExecutableMemory::new(bytes.len())?;
    let base = region.address();
    for (function, &start) in functions.iter().zip(&starts) {
        for reloc in &function.relocs {
            let target = match reloc.target {
                RelocTarget::Function(index) => {
                    base + starts.get(index as usize).ok_or(Error::UnknownFunction)?
                }
                RelocTarget::Address(address) => address,
            };
            apply_relocation(&mut bytes, base, start + reloc.offset as usize, reloc, target)?;
        }
    }
    region.write(&bytes)?;
    for ((function, &start), func) in functions.iter().zip(&starts).zip(&code.functions) {
        let bytes = &bytes[start..start + function.bytes.len()];
        let positions = &function.positions;
        dump::record_function(
            &dump::LoadedFunction { name: &func.name, address: base + start, bytes, positions },
            line_of,
        );
    }
    // SAFETY: the group function is at the start of the region. It was generated with the C calling convention and one
    // pointer parameter.
    let entry = unsafe { std::mem::transmute::<usize, GroupEntry>(base) };
    Ok(CompiledKernel {
        region,
        entry,
        size: bytes.len(),
        traits: KernelTraits {
            is_group_agnostic: code.is_group_agnostic,
            strided_access: code.strided_access.clone(),
            prints: code.functions.iter().any(|func| calls_helper(func, Helper::Printf)),
            enqueues: code.functions.iter().any(|func| calls_helper(func, Helper::Enqueue)),
            has_global_atomics: code.functions.iter().any(has_global_atomics),
            lanes: code.lanes,
            rows: code.rows,
            next_tier: code.next_tier,
            private_updates: code.private_updates.clone(),
        },
        mode,
        footprint: MemoryFootprint {
            local_size: code.local_size,
            // Without recursion, no call chain is deeper than the sum of all frames.
            stack_size: functions.iter().map(|function| function.frame_size).sum(),
            spill_size: functions.iter().map(|function| function.spill_size).sum(),
            private_size: code.private_size,
            frame_size: code.frame_size,
            context_size: code.context_size,
        },
        debug_info: DebugInfo::new(functions, &starts, &code.tracked),
    })
}

/// Checks whether a function has atomic operations on memory that other groups may access.
fn has_global_atomics(func: &Function) -> bool {
    let is_update =
        |inst: &Inst| matches!(inst.op, Op::AtomicRmw | Op::AtomicCas | Op::LaneRmw | Op::LaneCas);
    func.instructions().any(|inst| is_update(inst) && !func.is_of_group(inst))
}

fn calls_helper(func: &Function, helper: Helper) -> bool {
    func.instructions().any(|inst| inst.attr == Attr::Helper(helper))
}

/// Applies a relocation at offset `at` of code that will run at address `base`.
fn apply_relocation(
    bytes: &mut [u8],
    base: usize,
    at: usize,
    reloc: &crate::Relocation,
    target: usize,
) -> Result<(), Error> {
    let value = (target as i64).wrapping_add(reloc.addend);
    let distance = value.wrapping_sub((base + at) as i64);
    match reloc.kind {
        RelocKind::Absolute => bytes[at..at + 8].copy_from_slice(&value.to_le_bytes()),
        RelocKind::Relative => {
            let near = i32::try_from(distance).map_err(|_| Error::OutOfRange(reloc.kind))?;
            bytes[at..at + 4].copy_from_slice(&near.to_le_bytes());
        }
        RelocKind::ArmCall => {
            let words = distance >> 2;
            if !(-(1 << 25)..1 << 25).contains(&words) {
                return Err(Error::OutOfRange(reloc.kind));
            }
            let word = u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
            let word = (word & 0xfc00_0000) | (words as u32 & 0x03ff_ffff);
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
    }
    Ok(())
}
