//! ND-ranges, their division into numbered work-groups, and merging of small groups into larger ones.

use super::tuning::merging::{
    GROUPS_PER_THREAD, HALVING_SLOWDOWN_PERCENT, LONG_SEGMENT_ITEMS, MAX_GROUPS_PER_THREAD, MIN_GROUP_PICOS,
    MIN_ITEMS, PARTS_GROUPS_PER_THREAD, PROBE_GROUPS_PER_THREAD, STRIDED_GROUPS_PER_THREAD,
};
use grus_ir::abi::{GroupContext, enqueue, interchanged};

/// ND-range. Unused dimensions have size 1 and offset 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct NdRange {
    /// Number of dimensions, 1 to 3.
    pub work_dim: u32,
    pub offset: [u64; 3],
    pub global: [u64; 3],
    /// Local size, at least 1 in each dimension. If it does not divide `global`, the last group of that dimension is
    /// smaller (OpenCL 2.0); callers reject this for 1.x programs.
    pub local: [u64; 3],
}

impl NdRange {
    /// Returns the range with its first two dimensions interchanged.
    pub(super) fn interchanged(&self) -> NdRange {
        let NdRange { work_dim, offset, global, local } = *self;
        NdRange {
            work_dim,
            offset: interchanged(offset),
            global: interchanged(global),
            local: interchanged(local),
        }
    }
}

/// Maximum number of work-items per vector.
// Source: `passes::vectorize::MAX_LANES`.
const MAX_LANES: u64 = 64;
/// Maximum number of work-items of a merged group, except for strided loops.
// Source: the largest group, which code relies on.
pub(super) const MAX_MERGED_ITEMS: u64 = enqueue::MAX_WORK_GROUP_SIZE as u64;

/// Maximum number of work-items of a merged group of strided loops that stores nothing per work-item.
// Source: what code relies on.
const MAX_STATELESS_ITEMS: u64 = enqueue::MAX_STATELESS_GROUP_SIZE as u64;

/// ND-range divided into groups.
#[derive(Clone)]
pub(super) struct Grid {
    range: NdRange,
    group_counts: [u64; 3],
}

impl Grid {
    /// Divides a range. With `merging` (the kernel is group-agnostic) its local size is replaced by that of
    /// merged groups, which pay the cost per group less often.
    pub(super) fn new(mut range: NdRange, merging: Option<Merging>) -> Grid {
        if let Some(merging) = merging {
            range.local = merged_local_size(range.global, merging);
        }
        let group_counts = [0, 1, 2].map(|d| group_count(range.global[d], range.local[d]));
        Grid { range, group_counts }
    }

    /// Returns the number of groups.
    pub(super) fn len(&self) -> u64 {
        self.group_counts.iter().product()
    }

    pub(super) fn local(&self) -> [u64; 3] {
        self.range.local
    }

    /// Returns a context whose fields are set except for those that depend on the group.
    pub(super) fn context(
        &self,
        args: *const u8,
        local: *mut u8,
        private: *mut u8,
        private_end: *mut u8,
    ) -> GroupContext {
        GroupContext {
            args,
            local,
            private,
            private_end,
            group_id: [0; 3],
            num_groups: self.group_counts,
            local_size: self.range.local,
            enqueued_local_size: self.range.local,
            global_size: self.range.global,
            global_offset: self.range.offset,
            base: self.range.offset,
            work_dim: self.range.work_dim,
            printf_buffer: std::ptr::null(),
            enqueue_sink: std::ptr::null(),
            item: std::ptr::null(),
        }
    }

    /// Returns the id of group number `index`, x fastest.
    pub(super) fn group(&self, index: u64) -> [u64; 3] {
        if index == 0 {
            return [0; 3];
        }
        let rest = index / self.group_counts[0];
        [index % self.group_counts[0], rest % self.group_counts[1], rest / self.group_counts[1]]
    }

    /// Returns the id of the first group of the row after this group's.
    fn next_row(&self, [_, y, z]: [u64; 3]) -> [u64; 3] {
        if y + 1 < self.group_counts[1] { [0, y + 1, z] } else { [0, 0, z + 1] }
    }

    /// Returns the number of groups from this one to the end of its row, at most `max`, and the id of the group after
    /// them.
    pub(super) fn rest_of_row(&self, group @ [x, y, z]: [u64; 3], max: u64) -> (u64, [u64; 3]) {
        let rest = self.group_counts[0] - x;
        if max < rest { (max, [x + max, y, z]) } else { (rest, self.next_row(group)) }
    }

    /// Sets the fields of the context for a group and those that follow it in its row, `count` groups together, as for
    /// one group of their size.
    pub(super) fn set_groups(&self, group: [u64; 3], count: u64, context: &mut GroupContext) {
        context.group_id = group;
        let [x, y, z] = self.range.local;
        for (d, (id, size)) in group.into_iter().zip([x * count, y, z]).enumerate() {
            let first = id * self.range.local[d];
            context.base[d] = self.range.offset[d] + first;
            // The last group of a dimension may be smaller.
            context.local_size[d] = size.min(self.range.global[d] - first);
        }
    }
}

/// Returns the number of groups of `size` work-items that cover `total`, the last one possibly smaller. Avoids the
/// division in the most common case, because divisions show in the time of a small launch.
fn group_count(total: u64, size: u64) -> u64 {
    if total <= size { 1 } else { total.div_ceil(size) }
}

/// Target number of merged groups, and bounds of their size in work-items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Merging {
    groups: u64,
    min_items: u64,
    max_items: u64,
    /// Number of rows that run together.
    rows: u64,
}

impl Merging {
    /// Returns the targets for a range of `items` independent work-items, with vectors of up to `lanes` and about
    /// `item` picoseconds per work-item (0 if unknown). If `may_contend`, threads may contend for cache lines: the
    /// probe compares the times of groups, so the groups of the first launch are short.
    pub(super) fn for_independent_items(
        threads: u64,
        items: u64,
        lanes: u64,
        item: u64,
        may_contend: bool,
    ) -> Merging {
        let Some(min_group_items) = MIN_GROUP_PICOS.checked_div(item) else {
            let (per_thread, min_items) = if may_contend {
                (PROBE_GROUPS_PER_THREAD, lanes.clamp(1, MIN_ITEMS))
            } else {
                (GROUPS_PER_THREAD, MIN_ITEMS)
            };
            return Merging { groups: threads * per_thread, min_items, max_items: MAX_MERGED_ITEMS, rows: 1 };
        };
        let per_thread =
            (items / threads / min_group_items.max(1)).clamp(GROUPS_PER_THREAD, MAX_GROUPS_PER_THREAD);
        let min_items = min_group_items.next_power_of_two().clamp(lanes.min(MIN_ITEMS), MIN_ITEMS);
        Merging { groups: threads * per_thread, min_items, max_items: MAX_MERGED_ITEMS, rows: 1 }
    }

    /// Returns the targets for a range of `items` independent work-items that is run in parts, with about `item`
    /// picoseconds per work-item (0 if unknown): small groups, so that parts can be short. If groups are so small that
    /// this costs time, they follow each other in one call (`LaunchWork::run_groups`).
    pub(super) fn for_parts(threads: u64, items: u64, item: u64) -> Merging {
        let shortest = MIN_GROUP_PICOS.checked_div(item).unwrap_or(1);
        let per_thread =
            (items / threads / shortest.max(1)).clamp(GROUPS_PER_THREAD, PARTS_GROUPS_PER_THREAD);
        Merging { groups: threads * per_thread, min_items: MIN_ITEMS, max_items: MAX_MERGED_ITEMS, rows: 1 }
    }

    /// Returns the targets for a range of `items` work-items with strided loops, whose stride is the whole range.
    /// With `has_item_context`, groups stay small, because they store a context per work-item. `streams` is true if the
    /// loops are bound by memory bandwidth: separate short segments are then so much slower than one long segment that
    /// a few threads together are slower than one thread.
    pub(super) fn for_strided_items(
        threads: u64,
        items: u64,
        has_item_context: bool,
        streams: bool,
    ) -> Merging {
        let halvings = (LONG_SEGMENT_ITEMS / (items / threads).max(1)).max(1).ilog2();
        let is_slower = 100 + HALVING_SLOWDOWN_PERCENT * u64::from(halvings) >= 90 * threads;
        let groups = if streams && is_slower { 1 } else { threads * STRIDED_GROUPS_PER_THREAD };
        Merging {
            groups,
            min_items: MIN_ITEMS,
            max_items: if has_item_context { MAX_MERGED_ITEMS } else { MAX_STATELESS_ITEMS },
            rows: 1,
        }
    }

    /// Returns the targets for code that runs the vectors of so many rows together.
    pub(super) fn with_rows(self, rows: u64) -> Merging {
        Merging { rows, ..self }
    }
}

/// Returns the local size of merged groups: as large as possible in x, but for a few rows that run together, then in y
/// and z if x is short.
fn merged_local_size(global: [u64; 3], merging: Merging) -> [u64; 3] {
    let Merging { groups, min_items, max_items, rows } = merging;
    let total: u64 = global.iter().product();
    let items =
        if total <= min_items * groups { min_items } else { (total / groups).clamp(min_items, max_items) };
    // A multiple of the vector size: all vectors of a row are full except the last.
    let rows = rows.min(global[1]).min(items.div_ceil(MAX_LANES));
    let x = global[0].min((items / rows).next_multiple_of(min_items.min(MAX_LANES)));
    let y = if global[1] == 1 { 1 } else { (items / x).clamp(1, global[1]) };
    let y = if y > rows { y - y % rows } else { y };
    let z = if global[2] == 1 { 1 } else { (items / (x * y)).clamp(1, global[2]) };
    [x, y, z]
}

/// Chooses the local size for a launch without one: divisors of the global size, as large as possible in x, then y and
/// z, with at most `max` and at most 256 work-items.
pub fn choose_local_size(global: [u64; 3], work_dim: u32, max: u64) -> [u64; 3] {
    let mut room = max.clamp(1, 256);
    let mut local = [1; 3];
    for d in 0..work_dim.min(3) as usize {
        local[d] = largest_divisor(global[d], room);
        room /= local[d];
    }
    local
}

fn largest_divisor(n: u64, max: u64) -> u64 {
    (1..=max.min(n.max(1))).rev().find(|d| n.is_multiple_of(*d)).unwrap_or(1)
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
                group = grid.rest_of_row(group, 1).1;
            }
        }
    }

    #[test]
    fn rows_of_groups_cover_the_range() {
        use std::ptr::{null, null_mut};
        let range = NdRange { work_dim: 3, offset: [7, 0, 0], global: [100, 3, 2], local: [16, 2, 1] };
        let grid = Grid::new(range, None);
        for max in 1..=30 {
            let mut context = grid.context(null(), null_mut(), null_mut(), null_mut());
            let (mut group, mut done, mut items) = ([0; 3], 0, 0);
            while done < grid.len() {
                assert_eq!(group, grid.group(done));
                let (count, next) = grid.rest_of_row(group, max.min(grid.len() - done));
                grid.set_groups(group, count, &mut context);
                assert_eq!(context.base[0], 7 + 16 * group[0]);
                items += context.local_size.iter().product::<u64>();
                (group, done) = (next, done + count);
            }
            assert_eq!((done, items), (grid.len(), 600));
        }
    }

    #[test]
    fn merged_groups_are_not_larger_than_the_range() {
        for global in [[1, 1, 1], [64, 1, 1], [3, 100, 1], [1, 1, 1000], [5, 5, 5], [1 << 20, 3, 2]] {
            let local = merged_local_size(global, Merging::for_independent_items(2, 1 << 20, 64, 0, false));
            assert!((0..3).all(|d| (1..=global[d]).contains(&local[d])), "{local:?}");
            assert!(local.iter().product::<u64>() <= MAX_MERGED_ITEMS, "{local:?}");
        }
        let merging = Merging::for_independent_items(2, 1 << 20, 64, 0, false);
        assert_eq!(merged_local_size([64, 1, 1], merging), [64, 1, 1]);
        assert_eq!(merged_local_size([8, 64, 1], merging), [8, 8, 1]);
        assert_eq!(merged_local_size([1 << 20, 1, 1], merging), [4096, 1, 1]);
        let together = merging.with_rows(4);
        assert_eq!(merged_local_size([1 << 14, 64, 1], together), [1024, 4, 1]);
        assert_eq!(merged_local_size([300, 3000, 1], together), [300, 12, 1]);
        assert_eq!(merged_local_size([1 << 20, 1, 1], together), [4096, 1, 1]);
    }

    #[test]
    fn groups_are_as_large_as_their_items_are_short() {
        let size = |items: u64, lanes: u64, item: u64| {
            merged_local_size([items, 1, 1], Merging::for_independent_items(2, items, lanes, item, false))[0]
        };
        // Work-items of microseconds: a few per group, but no fewer than lanes.
        assert_eq!([1, 16, 64].map(|lanes| size(2048, lanes, 3_000_000)), [32, 32, 64]);
        assert_eq!([1, 16, 64].map(|lanes| size(128, lanes, 30_000_000)), [2, 16, 64]);
        // Work-items of a nanosecond: many per group, but still several groups per thread.
        assert_eq!(size(1 << 20, 16, 1000), 4096);
        assert_eq!(size(1 << 14, 16, 1000), 1024);
        // Ranges that are run in parts have small groups, unless work-items are short.
        let of_parts = |items, item| merged_local_size([items, 1, 1], Merging::for_parts(2, items, item))[0];
        assert_eq!([0, 1000, 100_000_000].map(|item| of_parts(1 << 20, item)), [1024, 4096, 1024]);
        assert_eq!(of_parts(1 << 14, 100_000_000), 64);
        // The first launch of a kernel that may contend has small groups.
        let first = |lanes| {
            merged_local_size([1024, 1, 1], Merging::for_independent_items(2, 1024, lanes, 0, true))[0]
        };
        assert_eq!([0, 1, 16, 64].map(first), [4, 4, 16, 64]);
        assert_eq!(size(1024, 1, 0), 64);
    }

    #[test]
    fn few_threads_do_not_share_short_strides() {
        let size = |threads: u64, items: u64, has_item_context: bool, streams: bool| {
            merged_local_size(
                [items, 1, 1],
                Merging::for_strided_items(threads, items, has_item_context, streams),
            )[0]
        };
        assert_eq!(
            [128, 8192, 65_536, 1 << 20].map(|items| size(2, items, false, true)),
            [128, 8192, 32_768, MAX_STATELESS_ITEMS]
        );
        assert_eq!([128, 8192, 65_536].map(|items| size(2, items, false, false)), [64, 4096, 32_768]);
        // Contexts of work-items should fit into a cache; many threads are faster in spite of short segments.
        assert_eq!(size(2, 65_536, true, true), MAX_MERGED_ITEMS);
        assert_eq!(size(16, 8192, false, true), 512);
    }
}
