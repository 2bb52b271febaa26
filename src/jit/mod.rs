//! Machine code in memory: placement, relocation, executable mappings, and their release.

mod contention;
mod dump;
mod error;
mod executable_memory;

use crate::codegen::{
    self, CodegenError, Environment, Location, MachineCode, RelocKind, RelocTarget, ValueLocation,
};
use crate::ir::abi::GroupContext;
use crate::ir::group_code::{ContextSize, First, GroupCode, ItemIds, Steps, Tracked};
use crate::ir::{Attr, Function, Helper, Inst, Op, Value};
use crate::support::target::Choice;
use crate::support::timing;
pub use contention::{ContentionHistory, ProbePlan};
pub use error::Error;
use executable_memory::ExecutableMemory;
use smallvec::{SmallVec, smallvec};
use std::sync::atomic::{AtomicU64, Ordering};

/// Nanoseconds of run time after which a kernel tiers up.
// Source: about the time that compiling a large kernel takes.
const TIER_UP_TIME: u64 = 50_000_000;

/// Group function: runs one work-group.
type GroupEntry = unsafe extern "C" fn(*const GroupContext);

/// Machine code of one kernel, and the facts about it that a launch depends on.
#[derive(Debug)]
pub struct CompiledKernel {
    /// Memory that `entry` points into.
    region: ExecutableMemory,
    entry: GroupEntry,
    /// Bytes of the kernel's own `local` variables; local arguments follow them.
    pub local_size: u64,
    /// True if the kernel does not observe its work-groups, so that they can be coalesced.
    pub is_group_agnostic: bool,
    /// Description of strided loops, through which the groups access memory with the stride of the whole range.
    pub steps: Option<Steps>,
    /// True if the kernel calls printf.
    pub prints: bool,
    /// True if the kernel calls functions of device-side enqueue.
    pub enqueues: bool,
    /// True if the kernel runs with denormals flushed to zero.
    pub flush_denormals: bool,
    /// True if the code was compiled for ranges whose first two dimensions are interchanged.
    pub is_interchanged: bool,
    /// True if the code has non-temporal stores, which need a store fence at the end.
    pub is_nontemporal: bool,
    /// Maximum bytes of stack that a group uses, excluding the frames of runtime functions.
    pub stack_size: u64,
    /// Bytes of spill slots of all functions.
    pub spill_size: u64,
    private_size: u64,
    frame_size: u64,
    context: ContextSize,
    /// Picoseconds per work-item in the last measured launch; 0 if unknown.
    pub item_time: AtomicU64,
    /// History of contention probes, if the kernel has atomic operations on memory that groups share.
    pub contention: Option<ContentionHistory>,
    /// Maximum number of work-items per vector.
    pub lanes: u16,
    /// True if an optimized tier exists, which takes long to compile.
    pub has_optimized_tier: bool,
    /// Run time of all launches in nanoseconds, if an optimized tier exists.
    pub spent: AtomicU64,
    /// Bytes of machine code of all functions.
    pub size: usize,
    /// Pairs of a code offset and the source position from there on, sorted by offset.
    positions: Vec<(u32, u32)>,
    /// Registers and stack slots that hold ids of the running work-items.
    locations: Vec<(ValueLocation, TrackedIds)>,
    /// Vectorized functions.
    callees: Vec<Callee>,
}

/// Vectorized function: one call runs several work-items, and the id of only one of them is stored in the item record.
#[derive(Clone, Copy, Debug)]
struct Callee {
    start: u32,
    end: u32,
    lanes: u16,
    /// True if the lanes are consecutive linear local ids, which may span several rows; false if they are consecutive
    /// in x.
    is_linear: bool,
}

impl CompiledKernel {
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

    /// Returns the source position of the instruction at an offset; 0 if it has none.
    pub fn position(&self, offset: u32) -> u32 {
        let before = self.positions.partition_point(|&(start, _)| start <= offset);
        before.checked_sub(1).map_or(0, |at| self.positions[at].1)
    }

    /// Returns the local ids of the first and the last work-item that run (of one, twice) when execution is at an
    /// offset; `None` if they are not known there. `register` reads a register by its number, `stack` reads a word at a
    /// distance from the stack pointer before the call. Runs in a signal handler: allocates nothing.
    pub fn local_ids(
        &self,
        offset: u32,
        register: impl Fn(u8) -> u64,
        stack: impl Fn(i64) -> Option<u64>,
        local_size: [u64; 3],
    ) -> Option<[[u64; 3]; 2]> {
        let mut found = local_size.map(|size| (size == 1).then_some(0));
        let [x, y, z] = local_size;
        let mut running = 1;
        for &(ref at, TrackedIds { id, lanes }) in
            self.locations.iter().filter(|(at, _)| (at.start..at.end).contains(&offset))
        {
            let value = match at.location {
                Location::Register(number) => Some(register(number)),
                Location::Frame(distance) => stack(distance),
            };
            running = running.max(u64::from(lanes));
            match id {
                TrackedId::LocalId(dim) => {
                    found[dim] = found[dim].or(value).filter(|&id| id < local_size[dim])
                }
                TrackedId::LinearId => {
                    let first = value.filter(|&number| number < x * y * z)?;
                    let ids = |number: u64| [number % x, number / x % y, number / x / y];
                    return Some([ids(first), ids((first + running).min(x * y * z) - 1)]);
                }
            }
        }
        let [Some(first), Some(y), Some(z)] = found else { return None };
        Some([[first, y, z], [(first + running).min(x) - 1, y, z]])
    }

    /// Checks whether the run time of all launches justifies compiling the optimized tier.
    pub fn should_tier_up(&self) -> bool {
        self.has_optimized_tier && self.spent.load(Ordering::Relaxed) > TIER_UP_TIME
    }

    /// Returns the first and the last work-item of the vector that contains the stored one, when execution is at an
    /// offset. Runs in a signal handler: allocates nothing.
    pub fn active_range(&self, offset: u32, stored: [u64; 3], local_size: [u64; 3]) -> [[u64; 3]; 2] {
        let here = |callee: &&Callee| (callee.start..callee.end).contains(&offset);
        let Some(&Callee { lanes, is_linear, .. }) = self.callees.iter().find(here) else {
            return [stored; 2];
        };
        let [width, height, depth] = local_size;
        let lanes = u64::from(lanes);
        let [x, y, z] = stored;
        // The first id of a vector is a multiple of the number of lanes.
        if !is_linear {
            let first = x - x % lanes;
            return [[first, y, z], [(first + lanes).min(width) - 1, y, z]];
        }
        let number = (z * height + y) * width + x;
        let first = number - number % lanes;
        let ids = |number: u64| [number % width, number / width % height, number / width / height];
        [ids(first), ids((first + lanes).min(width * height * depth) - 1)]
    }

    /// Checks whether the group stores a context for each work-item.
    pub fn has_item_context(&self) -> bool {
        self.context != ContextSize::default()
    }

    /// Returns the bytes of private memory that a group of `items` work-items needs.
    pub fn private_size(&self, items: u64) -> u64 {
        self.private_size + self.context.bytes(items) + self.frame_size
    }
}

/// Function that returns file and line of a source position.
pub type SourceLines<'a> = &'a dyn Fn(u32) -> Option<(&'a str, u32)>;

/// Generates the code of one function of a kernel, with the backend of `choice` unless the function is small and
/// scalar.
///
/// # Errors
/// Returns the error of [`codegen::compile`].
pub fn generate(
    code: &GroupCode,
    index: usize,
    environment: &Environment<'_>,
    choice: Choice,
) -> Result<MachineCode, CodegenError> {
    let tracked: Vec<Value> = tracked_values(&code.tracked[index]).map(|(value, _)| value).collect();
    codegen::compile(&code.functions[index], &tracked, environment, choice)
}

/// Links the generated functions of a kernel and copies them to executable memory. If GRUS_JITDUMP is set, records them
/// for profilers, with lines from `line_of`.
///
/// # Errors
/// Fails if a relocation is invalid, or if no executable memory is available.
pub fn place(
    code: &GroupCode,
    functions: &[MachineCode],
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
        local_size: code.local_size,
        is_group_agnostic: code.is_group_agnostic,
        steps: code.steps.clone(),
        prints: code.functions.iter().any(|func| calls_helper(func, Helper::Printf)),
        enqueues: code.functions.iter().any(|func| calls_helper(func, Helper::Enqueue)),
        flush_denormals: false,
        is_interchanged: false,
        is_nontemporal: false,
        // Without recursion, no call chain is deeper than the sum of all frames.
        stack_size: functions.iter().map(|function| function.frame_size).sum(),
        spill_size: functions.iter().map(|function| function.spill_size).sum(),
        private_size: code.private_size,
        frame_size: code.frame_size,
        context: code.context,
        item_time: AtomicU64::new(0),
        contention: code.functions.iter().any(has_global_atomics).then(ContentionHistory::default),
        lanes: code.lanes,
        has_optimized_tier: code.has_optimized_tier,
        spent: AtomicU64::new(0),
        size: bytes.len(),
        positions: positions(functions, &starts),
        locations: locations(functions, &starts, &code.tracked),
        callees: callees(functions, &starts, &code.tracked),
    })
}

/// Checks whether a function has atomic operations on memory that other groups may access.
fn has_global_atomics(func: &Function) -> bool {
    let is_update =
        |inst: &Inst| matches!(inst.op, Op::AtomicRmw | Op::AtomicCas | Op::LaneRmw | Op::LaneCas);
    func.instructions().any(|inst| is_update(inst) && !func.is_of_group(inst))
}

/// Meaning of a tracked value: an id of the running work-items.
#[derive(Clone, Copy, Debug)]
struct TrackedIds {
    id: TrackedId,
    /// Number of work-items that run, with consecutive ids.
    lanes: u16,
}

/// Kind of id that a tracked value holds for the first running work-item.
#[derive(Clone, Copy, Debug)]
enum TrackedId {
    /// Local id of this dimension.
    LocalId(usize),
    /// Linear local id, x fastest.
    LinearId,
}

/// Returns the tracked values of a function with their meanings.
fn tracked_values(tracked: &Tracked) -> impl Iterator<Item = (Value, TrackedIds)> + '_ {
    tracked.iter().flat_map(|&ItemIds { first, lanes, .. }| {
        let with_lanes = move |(value, id): (Value, TrackedId)| (value, TrackedIds { id, lanes });
        let values: SmallVec<[(Value, TrackedId); 3]> = match first {
            First::Ids(ids) => {
                ids.into_iter().enumerate().map(|(dim, id)| (id, TrackedId::LocalId(dim))).collect()
            }
            First::Number(number) => smallvec![(number, TrackedId::LinearId)],
            First::InMemory { .. } => smallvec![],
        };
        values.into_iter().map(with_lanes)
    })
}

/// Returns the locations of tracked values in all functions.
fn locations(
    functions: &[codegen::MachineCode],
    starts: &[usize],
    tracked: &[Tracked],
) -> Vec<(ValueLocation, TrackedIds)> {
    let of = |((function, &start), tracked): ((&codegen::MachineCode, &usize), &Tracked)| {
        let start = start as u32;
        let all: Vec<TrackedIds> = tracked_values(tracked).map(|(_, ids)| ids).collect();
        let moved = |at: &ValueLocation| {
            (ValueLocation { start: at.start + start, end: at.end + start, ..*at }, all[at.index as usize])
        };
        function.locations.iter().map(moved).collect::<Vec<_>>()
    };
    functions.iter().zip(starts).zip(tracked).flat_map(of).collect()
}

/// Returns the vectorized functions.
fn callees(functions: &[codegen::MachineCode], starts: &[usize], tracked: &[Tracked]) -> Vec<Callee> {
    let of = |((function, &start), tracked): ((&codegen::MachineCode, &usize), &Tracked)| {
        let end = (start + function.bytes.len()) as u32;
        let callee = |ids: &ItemIds| match ids.first {
            First::InMemory { is_number } => {
                Some(Callee { start: start as u32, end, lanes: ids.lanes, is_linear: is_number })
            }
            First::Ids(_) | First::Number(_) => None,
        };
        tracked.iter().find_map(callee)
    };
    functions.iter().zip(starts).zip(tracked).filter_map(of).collect()
}

/// Returns the source positions of all functions, with an entry of position 0 at each function's start.
fn positions(functions: &[codegen::MachineCode], starts: &[usize]) -> Vec<(u32, u32)> {
    let mut all = Vec::new();
    for (function, &start) in functions.iter().zip(starts) {
        let start = start as u32;
        all.push((start, 0));
        all.extend(function.positions.iter().map(|&(at, position)| (start + at, position)));
    }
    all
}

fn calls_helper(func: &Function, helper: Helper) -> bool {
    func.instructions().any(|inst| inst.attr == Attr::Helper(helper))
}

/// Applies a relocation at offset `at` of code that will run at address `base`.
fn apply_relocation(
    bytes: &mut [u8],
    base: usize,
    at: usize,
    reloc: &codegen::Relocation,
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
