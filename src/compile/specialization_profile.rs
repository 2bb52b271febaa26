//! The facts about launches that a kernel's code can be specialized for, which the runtime is asked to gather.

use super::specialize::SpecializationKey;
use grus_exec::NdRange;
use grus_ir::abi::{NonTemporal, RangeFacts, Tier, interchanged};
use grus_ir::analysis::Analyses;
use grus_ir::{Function, Op, Query};
use grus_passes::scalar::register_promotion;
use grus_passes::specialize::nontemporal::BytesOfItem;
use grus_passes::specialize::{private_updates, unit_strides};
use grus_passes::vectorize::loops;
use grus_passes::{Interchange, interchange};
use grus_support::caches;

/// Number of work-items from which on a dimension is long.
// Arbitrary.
const MIN_LONG_DIMENSION: u64 = 8;
/// Number of work-items from which on a row is long. Shorter rows are worth specialized code.
// Arbitrary.
const MIN_LONG_ROW: u64 = 64;

/// Number of work-items in a row from which on a remainder below [`MIN_LONG_ROW`] at its end has negligible cost.
// Arbitrary.
const MIN_ENDLESS_ROW: u64 = 4096;

/// Number of work-items from which on each thread gets a copy of memory that they only update.
// Source: the largest copy has 4,096 numbers of 32 bits (`runtime/kernel.rs`), and an atomic operation takes as long as
// several numbers of it, twice that if threads contend.
const MIN_PRIVATE_UPDATES: u64 = 4096;

/// Properties of launches that specialization of a kernel can make use of.
#[derive(Clone, Copy, Debug)]
pub struct SpecializationProfile {
    /// True if the kernel uses ids or sizes that may not fit in 31 bits.
    ids: bool,
    /// True if the kernel has barriers or sub-groups, so that the state of a group depends on the local size.
    local_size: bool,
    /// True if a kernel without barriers computes ids from group ids and local ids, so that it may be independent
    /// of the work-group size.
    groups: bool,
    /// True if rows are those of a work-group: the kernel uses local or group ids, or has barriers.
    rows: bool,
    /// True if the kernel has loops, so that work-items may take long.
    loops: bool,
    /// Bytes that a work-item writes by stores that may bypass the caches.
    nontemporal: BytesOfItem,
    /// Preference for interchanging the first two dimensions.
    interchange: Interchange,
    /// Bit mask of the parameters that are strides.
    strides: u64,
    /// Bit mask of the parameters that the kernel writes through, if absence of aliasing would help.
    no_alias: u64,
    /// Bit mask of the parameters that the kernel writes through, if it has loops whose iterations may be vectorized.
    written_in_loops: u64,
    /// True if it has loops whose iterations may be vectorized.
    counted_loops: bool,
    /// Bit mask of the parameters whose memory the kernel only updates.
    updated: u64,
}

impl SpecializationProfile {
    pub(super) fn of(func: &Function) -> SpecializationProfile {
        let asks =
            |query: Query| func.instructions().any(|inst| inst.op == Op::WorkItem && inst.query().0 == query);
        let waits = func.instructions().any(|inst| inst.op.is_convergent());
        let groups = !waits && asks(Query::LocalId) && asks(Query::GroupId);
        let rows = [Query::LocalId, Query::GroupId, Query::NumGroups].into_iter().any(asks);
        let loops = Analyses::default().loops(func);
        let interchange = interchange::benefit(func, &loops);
        let counted_loops = loops::has_candidates(func);
        SpecializationProfile {
            loops: loops.ids().next().is_some(),
            counted_loops,
            updated: private_updates::find(func).iter().fold(0, |all, param| all | 1 << param.position),
            written_in_loops: if counted_loops { register_promotion::written_params(func) } else { 0 },
            ids: groups || asks(Query::GlobalId),
            local_size: waits,
            groups,
            rows: rows || waits,
            interchange,
            nontemporal: BytesOfItem::of(func),
            strides: unit_strides::find(func),
            no_alias: if register_promotion::benefits_from_no_alias(func) {
                register_promotion::written_params(func)
            } else {
                0
            },
        }
    }

    /// Returns the facts about a range that the kernel depends on.
    pub fn range_facts(&self, range: &NdRange) -> RangeFacts {
        let NdRange { offset, global, local, .. } = *range;
        let has_few_items = self.counted_loops && RangeFacts::are_few(global);
        let has_many_updates = self.updated != 0 && global.iter().product::<u64>() >= MIN_PRIVATE_UPDATES;
        if !self.ids && !self.rows {
            return RangeFacts { has_few_items, has_many_updates, ..RangeFacts::default() };
        }
        let is_interchanged = self.interchanges(global, local);
        let [offset, global, local] =
            if is_interchanged { [offset, global, local].map(interchanged) } else { [offset, global, local] };
        let facts = RangeFacts::of(offset, global, local);
        let has_short_rows = self.rows && local[0] < MIN_LONG_ROW;
        let has_zero_offset_and_uniform_groups = facts.has_zero_offset_and_uniform_groups && self.groups;
        RangeFacts {
            ids_fit_31: facts.ids_fit_31 && self.ids,
            ids_fit_26: facts.ids_fit_26 && self.ids,
            local_size: facts.local_size.filter(|_| self.local_size || has_short_rows),
            has_zero_offset_and_uniform_groups,
            is_interchanged,
            needs_masked_row_ends: (has_zero_offset_and_uniform_groups || !self.rows)
                && self.needs_masked_row_ends(global),
            nontemporal: if self.is_nontemporal(range.global) {
                NonTemporal::PerItem
            } else {
                NonTemporal::None
            },
            tier: Tier::Quick,
            has_many_updates,
            has_few_items,
        }
    }

    /// Returns a bit mask of the parameters that are strides.
    pub(super) fn strides(&self) -> u64 {
        self.strides
    }

    /// Returns a bit mask of the parameters that are strides with the value one; `is_one` tells so of an argument.
    pub fn unit_strides(&self, is_one: impl Fn(usize) -> bool) -> u64 {
        let strides = self.strides;
        let of = |at: &usize| strides >> at & 1 == 1 && is_one(*at);
        (0..u64::BITS as usize - strides.leading_zeros() as usize).filter(of).fold(0, |all, at| all | 1 << at)
    }

    /// Returns a bit mask of the parameters whose memory launches should test for overlap with other arguments: absence
    /// of overlap helps, and is nearly always the case.
    pub fn no_alias_params(&self, range: RangeFacts) -> u64 {
        let vectorizes_loops = range.has_few_items || range.has_small_groups();
        self.no_alias | if vectorizes_loops { self.written_in_loops } else { 0 }
    }

    /// Returns a bit mask of the parameters whose memory the kernel only updates, if a launch has enough work-items for
    /// copies of it.
    pub fn updated_params(&self, range: RangeFacts) -> u64 {
        if range.has_many_updates { self.updated } else { 0 }
    }

    /// Returns the probable key of launches over a range, for a kernel without images, samplers and strides: its
    /// buffers do not overlap.
    pub(super) fn likely_key(&self, range: &NdRange) -> SpecializationKey {
        let range = self.range_facts(range);
        let no_alias = self.no_alias_params(range) != 0;
        SpecializationKey { range, no_alias, ..SpecializationKey::default() }
    }

    /// Checks whether the kernel should run interchanged over such a range.
    fn interchanges(&self, global: [u64; 3], local: [u64; 3]) -> bool {
        let [row, column, _] = if self.rows { local } else { global };
        let is_long = column >= MIN_LONG_DIMENSION;
        match self.interchange {
            Interchange::No => false,
            Interchange::Indifferent => is_long && row < MIN_LONG_DIMENSION && row < column,
            Interchange::Better => is_long,
        }
    }

    /// Checks whether all work-items together write more than the caches hold.
    fn is_nontemporal(&self, global: [u64; 3]) -> bool {
        caches::exceeds_largest(self.nontemporal.of_range(global))
    }

    /// Checks whether many work-items are in the remainders of rows, past the last full vector: a considerable
    /// share of all, or some that the remaining ones wait for.
    fn needs_masked_row_ends(&self, global: [u64; 3]) -> bool {
        let [row, rows, planes] = global;
        let is_part = rows.max(planes) > 1 && row > 1 || self.loops && row >= MIN_LONG_DIMENSION;
        is_part && row < MIN_ENDLESS_ROW && !row.is_multiple_of(MIN_LONG_ROW)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Source, build};
    use super::SpecializationProfile;

    fn profile(body: &str) -> SpecializationProfile {
        let text = format!("kernel void k(global float *p, int n, long step, int inc) {{ {body} }}");
        let source = Source { name: "k.cl".into(), text };
        let artifact = build(&source, &[], "").result.expect("it builds");
        *artifact.specialization_profile(0)
    }

    fn strides(body: &str) -> u64 {
        profile(body).strides()
    }

    fn written(body: &str) -> u64 {
        profile(body).nontemporal.of_range([100, 10, 2])
    }

    #[test]
    fn memory_that_several_work_items_write_counts_once() {
        assert_eq!(written("p[get_global_id(0)] = 1;"), 400);
        assert_eq!(written("p[get_global_id(1)] = n;"), 40);
        assert_eq!(written("p[get_global_id(1) * n + get_global_id(0)] = 1;"), 4000);
        let turn = "size_t at = get_global_id(0); if (n > 5) at += get_group_id(2) * 100; p[at] = 1;";
        assert_eq!(written(turn), 800);
        assert_eq!(written("p[n] = get_global_id(0);"), 4);
    }

    #[test]
    fn factors_of_ids_are_strides() {
        assert_eq!(strides("p[get_global_id(0) * inc] = 1;"), 0b1000);
        assert_eq!(strides("p[n + (get_group_id(0) * 64 + get_local_id(0)) * step] = n;"), 0b100);
        let turns = "for (int i = get_global_id(0); i < n; i += get_global_size(0)) p[i * inc] = i * step;";
        assert_eq!(strides(turns), 0b1100);
    }

    #[test]
    fn other_factors_are_none() {
        assert_eq!(strides("p[get_global_id(0)] = n * 7 + n * inc;"), 0);
        assert_eq!(strides("p[get_global_id(0)] = (int)p[get_global_id(0)] * inc;"), 0);
        assert_eq!(strides("p[get_global_id(0) + step] *= inc;"), 0);
    }
}
