//! ND-ranges as numbered groups.

use super::NdRange;
use crate::ir::abi::GroupContext;

/// Items that run side by side at most.
const LANES: u64 = 64;
/// Items that a coalesced group has at most.
const MOST: u64 = 4096;

/// Items that it has at least, if there are as many.
const LEAST: u64 = 64;

/// Coalesced groups for each thread, so that a late thread finds work.
pub(super) const PIECES: u64 = 8;

/// The same for groups that go through memory together, in steps of the whole range: what one of them reads in a turn should
/// be long.
const FEW_PIECES: u64 = 1;

/// Items that such a group has at most if nothing is kept for each of them.
const MOST_FREE: u64 = 1 << 16;

/// Neighbours that read enough together: with half of them what is read takes `SLOWER` percent of that time more.
const LONG: u64 = 1 << 15;
const SLOWER: u64 = 40;

/// A range cut into groups.
#[derive(Clone)]
pub(super) struct Grid {
    range: NdRange,
    groups: [u64; 3],
}

impl Grid {
    /// If the kernel is group-agnostic, groups are coalesced, whatever their size is: what they cost is paid less often.
    pub(super) fn new(mut range: NdRange, wanted: Option<Coalescing>) -> Grid {
        if let Some(wanted) = wanted {
            range.local = coalesced(range.global, wanted);
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

/// Picoseconds that a piece takes at least, if it is known how long an item takes and there are that many.
const WORTH: u64 = 20_000_000;

/// Pieces for each thread at most: with more of them threads end closer to each other, and the last one to begin misses less.
const MANY_PIECES: u64 = 32;

/// The same where it is to be found out soon whether threads are in each other's way.
const SHORT_PIECES: u64 = 128;

/// Into how many groups a range is coalesced, about, and how many items they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Coalescing {
    count: u64,
    least: u64,
    most: u64,
}

impl Coalescing {
    /// For groups that do not know of each other, of so many items, of which up to `lanes` run side by side and one takes
    /// about `item` picoseconds, 0 if that is not known. `meets` says that threads may be in each other's way: how long a piece
    /// takes tells it, so the first ones are short.
    pub(super) fn of_items(threads: u64, items: u64, lanes: u64, item: u64, meets: bool) -> Coalescing {
        let Some(worth) = WORTH.checked_div(item) else {
            let (pieces, least) = if meets { (SHORT_PIECES, lanes.clamp(1, LEAST)) } else { (PIECES, LEAST) };
            return Coalescing { count: threads * pieces, least, most: MOST };
        };
        let pieces = (items / threads / worth.max(1)).clamp(PIECES, MANY_PIECES);
        let least = worth.next_power_of_two().clamp(lanes.min(LEAST), LEAST);
        Coalescing { count: threads * pieces, least, most: MOST }
    }

    /// For groups that go through memory in steps of the whole range, which has so many items; what they keep for each item
    /// should stay small. `streams` says that they do little else: short pieces of memory, each in a place of its own, take
    /// so much longer than one long piece that few threads are not worth it.
    pub(super) fn of_steps(threads: u64, items: u64, keeps_items: bool, streams: bool) -> Coalescing {
        let halvings = (LONG / (items / threads).max(1)).max(1).ilog2();
        let is_slower = 100 + SLOWER * u64::from(halvings) >= 90 * threads;
        let count = if streams && is_slower { 1 } else { threads * FEW_PIECES };
        Coalescing { count, least: LEAST, most: if keeps_items { MOST } else { MOST_FREE } }
    }
}

/// The size of groups that a range is cut into if nobody asks for them: x first, further dimensions where it is short.
fn coalesced(global: [u64; 3], Coalescing { count, least, most }: Coalescing) -> [u64; 3] {
    let total: u64 = global.iter().product();
    let wanted = if total <= least * count { least } else { (total / count).clamp(least, most) };
    // Pieces of a row are full but for the last.
    let x = global[0].min(wanted.next_multiple_of(least.min(LANES)));
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
            let local = coalesced(global, Coalescing::of_items(2, 1 << 20, 64, 0, false));
            assert!((0..3).all(|d| (1..=global[d]).contains(&local[d])), "{local:?}");
            assert!(local.iter().product::<u64>() <= MOST, "{local:?}");
        }
        let pieces = Coalescing::of_items(2, 1 << 20, 64, 0, false);
        assert_eq!(coalesced([64, 1, 1], pieces), [64, 1, 1]);
        assert_eq!(coalesced([8, 64, 1], pieces), [8, 8, 1]);
        assert_eq!(coalesced([1 << 20, 1, 1], pieces), [4096, 1, 1]);
    }

    #[test]
    fn pieces_are_as_long_as_they_are_worth() {
        let size = |items: u64, lanes: u64, item: u64| {
            coalesced([items, 1, 1], Coalescing::of_items(2, items, lanes, item, false))[0]
        };
        // Microseconds for each item: a few, but no fewer than run side by side.
        assert_eq!([1, 16, 64].map(|lanes| size(2048, lanes, 3_000_000)), [32, 32, 64]);
        assert_eq!([1, 16, 64].map(|lanes| size(128, lanes, 30_000_000)), [2, 16, 64]);
        // A nanosecond: many, but still some for each thread.
        assert_eq!(size(1 << 20, 16, 1000), 4096);
        assert_eq!(size(1 << 14, 16, 1000), 1024);
        // Where threads may be in each other's way, the first launch has short ones too.
        let first = |lanes| coalesced([1024, 1, 1], Coalescing::of_items(2, 1024, lanes, 0, true))[0];
        assert_eq!([0, 1, 16, 64].map(first), [4, 4, 16, 64]);
        assert_eq!(size(1024, 1, 0), 64);
    }

    #[test]
    fn few_threads_do_not_share_short_steps() {
        let size = |threads: u64, items: u64, keeps_items: bool, streams: bool| {
            coalesced([items, 1, 1], Coalescing::of_steps(threads, items, keeps_items, streams))[0]
        };
        assert_eq!(
            [128, 8192, 65_536, 1 << 20].map(|items| size(2, items, false, true)),
            [128, 8192, 32_768, MOST_FREE]
        );
        assert_eq!([128, 8192, 65_536].map(|items| size(2, items, false, false)), [64, 4096, 32_768]);
        // What is kept for each item should fit into a cache, and many threads are faster whatever it costs.
        assert_eq!(size(2, 65_536, true, true), MOST);
        assert_eq!(size(16, 8192, false, true), 512);
    }
}
