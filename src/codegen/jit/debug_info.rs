//! Debug information of machine code: source positions, and the work-items that run at an offset. Reports of faults use
//! it.

use smallvec::{SmallVec, smallvec};

use crate::{Location, MachineCode, ValueLocation};
use grus_ir::Value;
use grus_ir::group_code::{FirstItem, ItemIds, Tracked};

/// Debug information of the code of one kernel, by offset in it.
#[derive(Debug)]
pub struct DebugInfo {
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

impl DebugInfo {
    /// Collects the debug information of functions, each of which starts at one of the offsets `starts`.
    pub(super) fn new(functions: &[MachineCode], starts: &[usize], tracked: &[Tracked]) -> DebugInfo {
        DebugInfo {
            positions: positions(functions, starts),
            locations: locations(functions, starts, tracked),
            callees: callees(functions, starts, tracked),
        }
    }

    /// Returns the source position of the instruction at an offset; 0 if it has none.
    pub fn position(&self, offset: u32) -> u32 {
        let before = self.positions.partition_point(|&(start, _)| start <= offset);
        before.checked_sub(1).map_or(0, |at| self.positions[at].1)
    }

    /// Returns the local ids of the first and the last work-item that run (of one, twice) when execution is at an
    /// offset, in each dimension; `None` if they are not known there. `register` reads a register by its number,
    /// `stack` reads a word at a distance from the stack pointer before the call. Runs in a signal handler: allocates
    /// nothing.
    pub fn local_ids(
        &self,
        offset: u32,
        register: impl Fn(u8) -> u64,
        stack: impl Fn(i64) -> Option<u64>,
        local_size: [u64; 3],
    ) -> Option<[[u64; 3]; 2]> {
        let mut found = local_size.map(|size| (size == 1).then_some(0));
        let [x, y, z] = local_size;
        let (mut running, mut running_rows) = (1, 1);
        for &(ref at, TrackedIds { id, lanes, rows }) in
            self.locations.iter().filter(|(at, _)| (at.start..at.end).contains(&offset))
        {
            let value = match at.location {
                Location::Register(number) => Some(register(number)),
                Location::Frame(distance) => stack(distance),
            };
            running = running.max(u64::from(lanes));
            running_rows = running_rows.max(u64::from(rows));
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
        let [Some(first), Some(row), Some(plane)] = found else { return None };
        let last = (first + running).min(x) - 1;
        Some([[first, row, plane], [last, (row + running_rows).min(y) - 1, plane]])
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
}

/// Meaning of a tracked value: an id of the running work-items.
#[derive(Clone, Copy, Debug)]
struct TrackedIds {
    id: TrackedId,
    /// Number of work-items that run, with consecutive ids.
    lanes: u16,
    /// Number of consecutive rows in which they run.
    rows: u16,
}

/// Kind of id that a tracked value holds for the first running work-item.
#[derive(Clone, Copy, Debug)]
enum TrackedId {
    /// Local id of this dimension.
    LocalId(usize),
    /// Linear local id, x fastest.
    LinearId,
}

/// Returns the tracked values of a function, in the order of the indices of their locations.
pub(super) fn tracked_values(tracked: &Tracked) -> Vec<Value> {
    with_meanings(tracked).map(|(value, _)| value).collect()
}

/// Returns the tracked values of a function with their meanings.
fn with_meanings(tracked: &Tracked) -> impl Iterator<Item = (Value, TrackedIds)> + '_ {
    tracked.iter().flat_map(|&ItemIds { first, lanes, rows, .. }| {
        let with_lanes = move |(value, id): (Value, TrackedId)| (value, TrackedIds { id, lanes, rows });
        let values: SmallVec<[(Value, TrackedId); 3]> = match first {
            FirstItem::LocalIds(ids) => {
                ids.into_iter().enumerate().map(|(dim, id)| (id, TrackedId::LocalId(dim))).collect()
            }
            FirstItem::LinearId(number) => smallvec![(number, TrackedId::LinearId)],
            FirstItem::InMemory { .. } => smallvec![],
        };
        values.into_iter().map(with_lanes)
    })
}

/// Returns the locations of tracked values in all functions.
fn locations(
    functions: &[MachineCode],
    starts: &[usize],
    tracked: &[Tracked],
) -> Vec<(ValueLocation, TrackedIds)> {
    let of = |((function, &start), tracked): ((&MachineCode, &usize), &Tracked)| {
        let start = start as u32;
        let all: Vec<TrackedIds> = with_meanings(tracked).map(|(_, ids)| ids).collect();
        let moved = |at: &ValueLocation| {
            (ValueLocation { start: at.start + start, end: at.end + start, ..*at }, all[at.index as usize])
        };
        function.locations.iter().map(moved).collect::<Vec<_>>()
    };
    functions.iter().zip(starts).zip(tracked).flat_map(of).collect()
}

/// Returns the vectorized functions.
fn callees(functions: &[MachineCode], starts: &[usize], tracked: &[Tracked]) -> Vec<Callee> {
    let of = |((function, &start), tracked): ((&MachineCode, &usize), &Tracked)| {
        let end = (start + function.bytes.len()) as u32;
        let callee = |ids: &ItemIds| match ids.first {
            FirstItem::InMemory { is_linear } => {
                Some(Callee { start: start as u32, end, lanes: ids.lanes, is_linear })
            }
            FirstItem::LocalIds(_) | FirstItem::LinearId(_) => None,
        };
        tracked.iter().find_map(callee)
    };
    functions.iter().zip(starts).zip(tracked).filter_map(of).collect()
}

/// Returns the source positions of all functions, with an entry of position 0 at each function's start.
fn positions(functions: &[MachineCode], starts: &[usize]) -> Vec<(u32, u32)> {
    let mut all = Vec::new();
    for (function, &start) in functions.iter().zip(starts) {
        let start = start as u32;
        all.push((start, 0));
        all.extend(function.positions.iter().map(|&(at, position)| (start + at, position)));
    }
    all
}
