//! Machine code in memory: placed, patched, made executable, freed.

mod contention;
mod dump;
mod error;
mod executable_memory;

use crate::codegen::{self, Environment, Location, MachineCode, RelocKind, RelocTarget, ValueLocation};
use crate::ir::abi::GroupContext;
use crate::ir::{Attr, Function, Helper, Inst, Op, Value};
use crate::passes::workgroup::{ContextSize, First, GroupCode, ItemIds, Steps, Tracked};
use crate::support::target::Choice;
use crate::support::timing;
pub use contention::{ContentionHistory, ProbePlan};
pub use error::Error;
use executable_memory::ExecutableMemory;
use smallvec::{SmallVec, smallvec};
use std::sync::atomic::{AtomicU64, Ordering};

/// Nanoseconds: about what it takes to make code of a large kernel.
const TIER_UP_TIME: u64 = 50_000_000;

/// A group function.
type GroupEntry = unsafe extern "C" fn(*const GroupContext);

/// Machine code of one kernel and what a launch needs to know of it.
#[derive(Debug)]
pub struct CompiledKernel {
    /// Keeps the code where `entry` points.
    region: ExecutableMemory,
    entry: GroupEntry,
    /// Bytes of `local` variables; arguments follow.
    pub local_size: u64,
    /// Its groups can be coalesced.
    pub is_group_agnostic: bool,
    /// Its groups go through memory side by side.
    pub steps: Option<Steps>,
    /// Calls printf.
    pub prints: bool,
    /// Whether it may enqueue kernels, or asks about queues and events.
    pub enqueues: bool,
    /// Runs with denormals flushed to zero.
    pub flush_denormals: bool,
    /// The first two dimensions of ranges change places when it runs.
    pub is_interchanged: bool,
    /// What it writes may be on its way to memory when it ends, and out of order.
    pub is_nontemporal: bool,
    /// Bytes of the stack that running a group takes at most, without those of our own functions.
    pub stack_size: u64,
    /// Bytes of the stack for values that registers have no room for, of all functions.
    pub spill_size: u64,
    private_size: u64,
    frame_size: u64,
    context: ContextSize,
    /// Picoseconds that a work-item took last, about; 0 if that is not known.
    pub item_time: AtomicU64,
    /// What threads do to each other, if it changes memory of others by atomic operations.
    pub contention: Option<ContentionHistory>,
    /// Work-items that run side by side at most.
    pub lanes: u16,
    /// There may be faster code, which takes long to make.
    pub has_optimized_tier: bool,
    /// Nanoseconds that launches have taken, if there may be faster code.
    pub spent: AtomicU64,
    /// Bytes of the code of all functions.
    pub size: usize,
    /// Code offset to source position, ascending.
    positions: Vec<(u32, u32)>,
    /// Where it is kept which items run.
    locations: Vec<(ValueLocation, Told)>,
    /// Functions that are called for several items.
    callees: Vec<Callee>,
}

/// Code that several items call side by side, of which one is noted.
#[derive(Clone, Copy, Debug)]
struct Callee {
    start: u32,
    end: u32,
    lanes: u16,
    /// They may be of several rows.
    is_number: bool,
}

impl CompiledKernel {
    /// Runs one work-group.
    ///
    /// # Safety
    /// `context` describes the group; its argument block holds what the kernel's
    /// parameters want, and the memory that the kernel reaches through it is valid.
    pub unsafe fn run_group(&self, context: &GroupContext) {
        // SAFETY: the caller vouches for the context; the region keeps the code alive.
        unsafe { (self.entry)(context) }
    }

    /// How far an address is into the code, if it is there.
    pub fn offset_of(&self, address: usize) -> Option<u32> {
        let offset = address.checked_sub(self.region.address())?;
        if offset < self.region.size() { u32::try_from(offset).ok() } else { None }
    }

    /// The source position of what is at an offset; 0 if it has none.
    pub fn position(&self, offset: u32) -> u32 {
        let before = self.positions.partition_point(|&(start, _)| start <= offset);
        before.checked_sub(1).map_or(0, |at| self.positions[at].1)
    }

    /// The local ids of the item that runs, or of the first and the last of several, when execution is at an offset. `register` and `stack` read registers by
    /// number and the stack by distance from where it was before the call. Allocates nothing.
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
        for &(ref at, Told { by, lanes }) in
            self.locations.iter().filter(|(at, _)| (at.start..at.end).contains(&offset))
        {
            let value = match at.location {
                Location::Register(number) => Some(register(number)),
                Location::Frame(distance) => stack(distance),
            };
            running = running.max(u64::from(lanes));
            match by {
                By::Id(dim) => found[dim] = found[dim].or(value).filter(|&id| id < local_size[dim]),
                By::Number => {
                    let first = value.filter(|&number| number < x * y * z)?;
                    let ids = |number: u64| [number % x, number / x % y, number / x / y];
                    return Some([ids(first), ids((first + running).min(x * y * z) - 1)]);
                }
            }
        }
        let [Some(first), Some(y), Some(z)] = found else { return None };
        Some([[first, y, z], [(first + running).min(x) - 1, y, z]])
    }

    /// Whether launches have taken so long that faster code is worth being made.
    pub fn should_tier_up(&self) -> bool {
        self.has_optimized_tier && self.spent.load(Ordering::Relaxed) > TIER_UP_TIME
    }

    /// Who runs along with an item that was noted, when execution is at an offset: the first and the last. Allocates nothing.
    pub fn beside(&self, offset: u32, noted: [u64; 3], local_size: [u64; 3]) -> [[u64; 3]; 2] {
        let here = |callee: &&Callee| (callee.start..callee.end).contains(&offset);
        let Some(&Callee { lanes, is_number, .. }) = self.callees.iter().find(here) else {
            return [noted; 2];
        };
        let [width, height, depth] = local_size;
        let lanes = u64::from(lanes);
        let [x, y, z] = noted;
        // The first of those side by side is a multiple of how many there are.
        if !is_number {
            let first = x - x % lanes;
            return [[first, y, z], [(first + lanes).min(width) - 1, y, z]];
        }
        let number = (z * height + y) * width + x;
        let first = number - number % lanes;
        let ids = |number: u64| [number % width, number / width % height, number / width / height];
        [ids(first), ids((first + lanes).min(width * height * depth) - 1)]
    }

    /// Whether something is kept for each item of a group.
    pub fn keeps_items(&self) -> bool {
        self.context != ContextSize::default()
    }

    /// Bytes of private memory that a group of `items` work-items needs.
    pub fn private_size(&self, items: u64) -> u64 {
        self.private_size + self.context.bytes(items) + self.frame_size
    }
}

/// File and line of a source position.
pub type SourceLines<'a> = &'a dyn Fn(u32) -> Option<(&'a str, u32)>;

/// Generates the code of one function of a kernel, by the backend of `choice` where that takes it.
///
/// # Errors
/// What [`codegen::compile`] says.
pub fn generate(
    code: &GroupCode,
    index: usize,
    environment: &Environment<'_>,
    choice: Choice,
) -> Result<MachineCode, String> {
    let tracked: Vec<Value> = told(&code.tracked[index]).map(|(value, _)| value).collect();
    codegen::compile(&code.functions[index], &tracked, environment, choice)
}

/// Places the code of a kernel, whose functions have been generated. Profilers are told of it, if they want to know, with the
/// lines of `place`.
///
/// # Errors
/// If functions do not fit together, or no executable memory can be had.
pub fn place(
    code: &GroupCode,
    functions: &[MachineCode],
    place: SourceLines<'_>,
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
                    base + starts
                        .get(index as usize)
                        .ok_or_else(|| Error::Bug("call of no function".into()))?
                }
                RelocTarget::Address(address) => address,
            };
            patch(&mut bytes, base, start + reloc.offset as usize, reloc, target)?;
        }
    }
    region.write(&bytes)?;
    for ((function, &start), func) in functions.iter().zip(&starts).zip(&code.functions) {
        let bytes = &bytes[start..start + function.bytes.len()];
        let positions = &function.positions;
        dump::note(&dump::Placed { name: &func.name, address: base + start, bytes, positions }, place);
    }
    // SAFETY: the region holds the group function at its start, generated with the C
    // calling convention and one pointer parameter.
    let entry = unsafe { std::mem::transmute::<usize, GroupEntry>(base) };
    Ok(CompiledKernel {
        region,
        entry,
        local_size: code.local_size,
        is_group_agnostic: code.is_group_agnostic,
        steps: code.steps.clone(),
        prints: code.functions.iter().any(|func| calls(func, Helper::Printf)),
        enqueues: code.functions.iter().any(|func| calls(func, Helper::Enqueue)),
        flush_denormals: false,
        is_interchanged: false,
        is_nontemporal: false,
        // Functions do not call themselves.
        stack_size: functions.iter().map(|function| function.frame_size).sum(),
        spill_size: functions.iter().map(|function| function.spill_size).sum(),
        private_size: code.private_size,
        frame_size: code.frame_size,
        context: code.context,
        item_time: AtomicU64::new(0),
        contention: code.functions.iter().any(changes_memory_of_others).then(ContentionHistory::default),
        lanes: code.lanes,
        has_optimized_tier: code.has_optimized_tier,
        spent: AtomicU64::new(0),
        size: bytes.len(),
        positions: positions(functions, &starts),
        locations: locations(functions, &starts, &code.tracked),
        callees: callees(functions, &starts, &code.tracked),
    })
}

/// Whether a function has atomic operations on what other groups may be at.
fn changes_memory_of_others(func: &Function) -> bool {
    let is_update =
        |inst: &Inst| matches!(inst.op, Op::AtomicRmw | Op::AtomicCas | Op::LaneRmw | Op::LaneCas);
    func.instructions().any(|inst| is_update(inst) && !func.is_of_group(inst))
}

/// What a tracked value tells of the items that run.
#[derive(Clone, Copy, Debug)]
struct Told {
    by: By,
    /// How many run side by side.
    lanes: u16,
}

/// How it says which the first one is.
#[derive(Clone, Copy, Debug)]
enum By {
    /// A local id.
    Id(usize),
    /// The number in the group, x fastest.
    Number,
}

/// The tracked values of a function.
fn told(tracked: &Tracked) -> impl Iterator<Item = (Value, Told)> + '_ {
    tracked.iter().flat_map(|&ItemIds { first, lanes, .. }| {
        let told = move |(value, by): (Value, By)| (value, Told { by, lanes });
        let values: SmallVec<[(Value, By); 3]> = match first {
            First::Ids(ids) => ids.into_iter().enumerate().map(|(dim, id)| (id, By::Id(dim))).collect(),
            First::Number(number) => smallvec![(number, By::Number)],
            First::Noted { .. } => smallvec![],
        };
        values.into_iter().map(told)
    })
}

/// Where tracked values are, in all functions.
fn locations(
    functions: &[codegen::MachineCode],
    starts: &[usize],
    tracked: &[Tracked],
) -> Vec<(ValueLocation, Told)> {
    let of = |((function, &start), tracked): ((&codegen::MachineCode, &usize), &Tracked)| {
        let start = start as u32;
        let all: Vec<Told> = told(tracked).map(|(_, told)| told).collect();
        let moved = |at: &ValueLocation| {
            (ValueLocation { start: at.start + start, end: at.end + start, ..*at }, all[at.index as usize])
        };
        function.locations.iter().map(moved).collect::<Vec<_>>()
    };
    functions.iter().zip(starts).zip(tracked).flat_map(of).collect()
}

/// Functions that are called for several items.
fn callees(functions: &[codegen::MachineCode], starts: &[usize], tracked: &[Tracked]) -> Vec<Callee> {
    let of = |((function, &start), tracked): ((&codegen::MachineCode, &usize), &Tracked)| {
        let end = (start + function.bytes.len()) as u32;
        let callee = |ids: &ItemIds| match ids.first {
            First::Noted { is_number } => {
                Some(Callee { start: start as u32, end, lanes: ids.lanes, is_number })
            }
            First::Ids(_) | First::Number(_) => None,
        };
        tracked.iter().find_map(callee)
    };
    functions.iter().zip(starts).zip(tracked).filter_map(of).collect()
}

/// The positions of all functions. Where one ends the next has not begun: padding has no position.
fn positions(functions: &[codegen::MachineCode], starts: &[usize]) -> Vec<(u32, u32)> {
    let mut all = Vec::new();
    for (function, &start) in functions.iter().zip(starts) {
        let start = start as u32;
        all.push((start, 0));
        all.extend(function.positions.iter().map(|&(at, position)| (start + at, position)));
    }
    all
}

fn calls(func: &Function, helper: Helper) -> bool {
    func.instructions().any(|inst| inst.attr == Attr::Helper(helper))
}

/// Fills one hole of the code that will stand at `base`.
fn patch(
    bytes: &mut [u8],
    base: usize,
    at: usize,
    reloc: &codegen::Relocation,
    target: usize,
) -> Result<(), String> {
    let value = (target as i64).wrapping_add(reloc.addend);
    let distance = value.wrapping_sub((base + at) as i64);
    let far = || format!("relocation {:?} does not reach", reloc.kind);
    match reloc.kind {
        RelocKind::Absolute => bytes[at..at + 8].copy_from_slice(&value.to_le_bytes()),
        RelocKind::Relative => {
            let near = i32::try_from(distance).map_err(|_| far())?;
            bytes[at..at + 4].copy_from_slice(&near.to_le_bytes());
        }
        RelocKind::ArmCall => {
            let words = distance >> 2;
            if !(-(1 << 25)..1 << 25).contains(&words) {
                return Err(far());
            }
            let word = u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
            let word = (word & 0xfc00_0000) | (words as u32 & 0x03ff_ffff);
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
    }
    Ok(())
}
