//! ND-ranges as numbered groups.

use super::NdRange;
use crate::ir::abi::GroupContext;

/// Items that a coalesced group has at most.
const MOST: u64 = 4096;

/// Items that it has at least, if there are as many.
const LEAST: u64 = 64;

/// Coalesced groups for each thread, so that a late thread finds work.
pub(super) const PIECES: u64 = 8;

/// The same for groups that go through memory together, in steps of the whole range: what one of them reads in a turn should
/// be long.
pub(super) const FEW_PIECES: u64 = 1;

/// A range cut into groups.
#[derive(Clone)]
pub(super) struct Grid {
    range: NdRange,
    groups: [u64; 3],
}

impl Grid {
    /// If the kernel is group-agnostic, groups are coalesced into about so many pieces, whatever their size is: what they
    /// cost is paid less often.
    pub(super) fn new(mut range: NdRange, shares: Option<u64>) -> Grid {
        if let Some(shares) = shares {
            range.local = coalesced(range.global, shares);
        }
        let groups = [0, 1, 2].map(|d| pieces(range.global[d], range.local[d]));
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
            parent: std::ptr::null(),
            item: std::ptr::null(),
        }
    }

    /// The id of group `index`.
    pub(super) fn group(&self, index: u64) -> [u64; 3] {
        if index == 0 {
            return [0; 3];
        }
        let rest = index / self.groups[0];
        [index % self.groups[0], rest % self.groups[1], rest / self.groups[1]]
    }

    /// The id of the group that follows.
    pub(super) fn after(&self, [x, y, z]: [u64; 3]) -> [u64; 3] {
        if x + 1 < self.groups[0] {
            [x + 1, y, z]
        } else if y + 1 < self.groups[1] {
            [0, y + 1, z]
        } else {
            [0, 0, z + 1]
        }
    }

    /// Points the context at a group.
    pub(super) fn enter(&self, group: [u64; 3], context: &mut GroupContext) {
        context.group_id = group;
        for (d, id) in group.into_iter().enumerate() {
            let first = id * self.range.local[d];
            context.base[d] = self.range.offset[d] + first;
            // Groups at the edge may be smaller.
            context.local_size[d] = self.range.local[d].min(self.range.global[d] - first);
        }
    }
}

// A small launch takes less time than a few divisions: where the result is plain to see, there is none.

/// Pieces of this size that make up `total`, the last one perhaps smaller.
fn pieces(total: u64, size: u64) -> u64 {
    if total <= size { 1 } else { total.div_ceil(size) }
}

/// The size of groups that a range is cut into if nobody asks for them: x first, further dimensions where it is short.
fn coalesced(global: [u64; 3], shares: u64) -> [u64; 3] {
    let total: u64 = global.iter().product();
    let wanted = if total <= LEAST * shares { LEAST } else { (total / shares).clamp(LEAST, MOST) };
    let x = global[0].min(wanted);
    let y = if global[1] == 1 { 1 } else { (wanted / x).clamp(1, global[1]) };
    let z = if global[2] == 1 { 1 } else { (wanted / (x * y)).clamp(1, global[2]) };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_follow_each_other_in_the_order_of_their_numbers() {
        for (global, local) in [([7, 5, 3], [2, 5, 1]), ([1, 1, 9], [1, 1, 4]), ([6, 1, 2], [2, 1, 1])] {
            let grid = Grid::new(NdRange { work_dim: 3, offset: [0; 3], global, local }, None);
            let mut group = grid.group(0);
            for index in 0..grid.len() {
                assert_eq!(grid.group(index), group);
                group = grid.after(group);
            }
        }
    }

    #[test]
    fn coalesced_groups_are_not_larger_than_the_range() {
        for global in [[1, 1, 1], [64, 1, 1], [3, 100, 1], [1, 1, 1000], [5, 5, 5], [1 << 20, 3, 2]] {
            let local = coalesced(global, 2 * PIECES);
            assert!((0..3).all(|d| (1..=global[d]).contains(&local[d])), "{local:?}");
            assert!(local.iter().product::<u64>() <= MOST, "{local:?}");
        }
        assert_eq!(coalesced([64, 1, 1], 2 * PIECES), [64, 1, 1]);
        assert_eq!(coalesced([8, 64, 1], 2 * PIECES), [8, 8, 1]);
        assert_eq!(coalesced([1 << 20, 1, 1], 2 * PIECES), [4096, 1, 1]);
    }
}
