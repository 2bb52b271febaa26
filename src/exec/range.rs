//! ND-ranges as numbered groups.

use super::NdRange;
use crate::ir::abi::GroupContext;

/// Items that a group of a regrouped range has at most.
const ROW: u64 = 4096;

/// Pieces for each thread that a regrouped range is cut into, so that a late thread
/// finds work.
const PIECES: u64 = 8;

/// A range cut into groups.
#[derive(Clone)]
pub(super) struct Grid {
    range: NdRange,
    groups: [u64; 3],
}

impl Grid {
    /// `flat` ranges are regrouped: rows of x, not smaller than the application's groups.
    pub(super) fn new(mut range: NdRange, flat: bool, threads: u64) -> Grid {
        if flat {
            range.local = regroup(range.global, threads);
        }
        let groups = [0, 1, 2].map(|d| range.global[d].div_ceil(range.local[d]));
        Grid { range, groups }
    }

    /// Number of groups.
    pub(super) fn len(&self) -> u64 {
        self.groups.iter().product()
    }

    pub(super) fn local(&self) -> [u64; 3] {
        self.range.local
    }

    /// A context with all that does not change from group to group.
    pub(super) fn context(
        &self,
        args: *const u8,
        local: *mut u8,
        private: *mut u8,
        end: *mut u8,
    ) -> GroupContext {
        GroupContext {
            args,
            local,
            private,
            end,
            group_id: [0; 3],
            num_groups: self.groups,
            local_size: self.range.local,
            enqueued_local_size: self.range.local,
            global_size: self.range.global,
            global_offset: self.range.offset,
            base: self.range.offset,
            work_dim: self.range.work_dim,
            printed: std::ptr::null(),
            item: std::ptr::null(),
        }
    }

    /// Points the context at group `index`.
    pub(super) fn enter(&self, index: u64, context: &mut GroupContext) {
        let x = index % self.groups[0];
        let rest = index / self.groups[0];
        context.group_id = [x, rest % self.groups[1], rest / self.groups[1]];
        for d in 0..3 {
            let first = context.group_id[d] * self.range.local[d];
            context.base[d] = self.range.offset[d] + first;
            // Groups at the edge may be smaller.
            context.local_size[d] = self.range.local[d].min(self.range.global[d] - first);
        }
    }
}

/// Rows of x; several of them where x is short.
fn regroup(global: [u64; 3], threads: u64) -> [u64; 3] {
    let total: u64 = global.iter().product();
    let wanted = (total / (threads * PIECES)).clamp(64, ROW);
    let x = global[0].min(wanted);
    let y = (wanted / x).clamp(1, global[1]);
    let z = (wanted / (x * y)).clamp(1, global[2]);
    [x, y, z]
}

/// A work-group size for a range the application left to us: divisors of the global
/// size, x first, at most 256 items and at most `max`.
pub fn choose_local_size(global: [u64; 3], work_dim: u32, max: u64) -> [u64; 3] {
    let mut room = max.clamp(1, 256);
    let mut local = [1; 3];
    for d in 0..work_dim.min(3) as usize {
        local[d] = largest_divisor(global[d], room);
        room /= local[d];
    }
    local
}

fn largest_divisor(n: u64, most: u64) -> u64 {
    (1..=most.min(n.max(1))).rev().find(|d| n.is_multiple_of(*d)).unwrap_or(1)
}
