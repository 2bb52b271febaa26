//! Code of a kernel for launches of which something is known.
//!
//! The code that takes all launches can always be made, at first use. Beside it stand variants for what a launch says of
//! images, samplers and its range, as far as the kernel depends on it; a bounded number of them, shared by all launches. While
//! one thread makes a variant no lock is held: launches that want another go on, those that want the same take the code that
//! takes all, if there is any, and else wait for what they would have to do themselves.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::{Artifact, Generated};
use crate::image::ArgumentKey;
use crate::ir::abi::{NonTemporal, RangeFacts, interchanged};
use crate::ir::analysis::Analyses;
use crate::ir::{Function, Op, Query};
use crate::passes::scalar::register_promotion;
use crate::passes::specialize::{nontemporal, unit_strides};
use crate::passes::{Forced, Interchange, interchange};
use crate::support::caches;
use crate::support::sync::Mutex;

/// What a launch says that code can be made for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpecializationKey {
    /// Of each image and sampler among the arguments, in order.
    pub images: SmallVec<[ArgumentKey; 4]>,
    /// Of its range.
    pub range: RangeFacts,
    /// Which of its arguments are strides that are one, a bit for each position.
    pub unit_strides: u64,
    /// Nothing that the kernel writes to is in the memory of another argument, too.
    pub no_alias: bool,
    /// What is not to be chosen.
    pub forced: Forced,
}

impl SpecializationKey {
    /// Whether the kernel is another for it, before any code is made.
    pub(super) fn changes_kernel(&self) -> bool {
        let RangeFacts { local_size, is_plain, is_interchanged, nontemporal, .. } = self.range;
        let of_range =
            local_size.is_some() || is_plain || is_interchanged || nontemporal != NonTemporal::None;
        of_range || !self.images.is_empty() || self.unit_strides != 0 || self.no_alias
    }
}

/// Variants that a kernel has at most; so many of them may differ in nothing but the size of groups.
const MOST: usize = 16;
const MOST_SIZES: usize = 6;

/// The variants of a kernel.
#[derive(Debug, Default)]
pub struct Variants {
    /// What of a range the kernel depends on.
    profile: OnceLock<SpecializationProfile>,
    /// Launches have taken long.
    hot: AtomicU8,
    list: Mutex<Vec<Arc<Variant>>>,
}

/// What code of a kernel could be better for.
#[derive(Clone, Copy, Debug)]
struct SpecializationProfile {
    /// It asks for ids that may be large.
    ids: bool,
    /// It has barriers, so that what the group keeps depends on its size, or sub-groups, which do.
    local_size: bool,
    /// Without barriers it puts ids together from those of groups and inside of groups: groups may be of no matter to it.
    groups: bool,
    /// Rows are as long as its groups: it asks for what is inside of them.
    rows: bool,
    /// Items may take long, since they go through loops.
    loops: bool,
    /// Bytes that an item writes by stores that could go past the caches.
    nontemporal: u64,
    /// Whether it is better with its first two dimensions interchanged.
    interchange: Interchange,
    /// Parameters that are strides, a bit for each position.
    strides: u64,
    /// Parameters that it is of use to know to be in memory that no other has: what the kernel writes to, a bit for each.
    apart: u64,
}

/// Items side by side from which on a dimension is long, and rows shorter than that are worth code of their own.
const LONG: u64 = 8;
const SHORT: u64 = 64;

/// Items of a row of which it is no matter what fewer than [`SHORT`] at its end take.
const ENDLESS: u64 = 4096;

/// What is known of the time that launches take: nothing; they have taken long, and code for that is made; it is there.
const UNKNOWN: u8 = 0;
const WARMING: u8 = 1;
const HOT: u8 = 2;

/// Code for one key.
#[derive(Debug)]
pub struct Variant {
    pub key: SpecializationKey,
    /// Somebody makes the code, or has made it.
    begun: AtomicBool,
    pub code: OnceLock<Generated>,
}

impl SpecializationProfile {
    fn of(func: &Function) -> SpecializationProfile {
        let asks =
            |query: Query| func.instructions().any(|inst| inst.op == Op::WorkItem && inst.query().0 == query);
        let waits = func.instructions().any(|inst| inst.op.is_convergent());
        let groups = !waits && asks(Query::LocalId) && asks(Query::GroupId);
        let rows = [Query::LocalId, Query::GroupId, Query::NumGroups].into_iter().any(asks);
        let loops = Analyses::default().loops(func);
        let interchange = interchange::wanted(func, &loops);
        SpecializationProfile {
            loops: loops.ids().next().is_some(),
            ids: groups || asks(Query::GlobalId),
            local_size: waits,
            groups,
            rows: rows || waits,
            interchange,
            nontemporal: nontemporal::bytes_of_item(func),
            strides: unit_strides::find(func),
            apart: if register_promotion::wants_no_alias(func) {
                register_promotion::written_params(func)
            } else {
                0
            },
        }
    }

    /// Whether the kernel is to run interchanged over such a range.
    fn interchanges(&self, global: [u64; 3], local: [u64; 3]) -> bool {
        let [row, column, _] = if self.rows { local } else { global };
        let is_long = column >= LONG;
        match self.interchange {
            Interchange::No => false,
            Interchange::Indifferent => is_long && row < LONG && row < column,
            Interchange::Better => is_long,
        }
    }

    /// Whether items write more than caches keep.
    fn is_nontemporal(&self, global: [u64; 3]) -> bool {
        let items = || global.iter().fold(1, |all: u64, &size| all.saturating_mul(size));
        self.nontemporal > 0 && caches::overflow(items().saturating_mul(self.nontemporal))
    }

    /// Whether many items are at the ends of rows, if groups are made of them that fill lanes: a good part of all, or some that
    /// others wait for.
    fn has_row_ends(&self, global: [u64; 3]) -> bool {
        let [row, columns, planes] = global;
        let is_part = columns.max(planes) > 1 && row > 1 || self.loops && row >= LONG;
        is_part && row < ENDLESS && !row.is_multiple_of(SHORT)
    }
}

impl Variants {
    /// What of these facts the kernel, which `func` is, depends on.
    pub fn facts(&self, func: &Function, offset: [u64; 3], global: [u64; 3], local: [u64; 3]) -> RangeFacts {
        let profile = self.profile.get_or_init(|| SpecializationProfile::of(func));
        let is_tiered_up = self.hot.load(Ordering::Acquire) == HOT;
        if !profile.ids && !profile.rows {
            return RangeFacts { is_tiered_up, ..RangeFacts::default() };
        }
        let is_interchanged = profile.interchanges(global, local);
        let [offset, global, local] =
            if is_interchanged { [offset, global, local].map(interchanged) } else { [offset, global, local] };
        let facts = RangeFacts::of(offset, global, local);
        let has_short_rows = profile.rows && local[0] < SHORT;
        let is_plain = facts.is_plain && profile.groups;
        RangeFacts {
            ids_fit_31: facts.ids_fit_31 && profile.ids,
            local_size: facts.local_size.filter(|_| profile.local_size || has_short_rows),
            is_plain,
            is_interchanged,
            has_row_ends: (is_plain || !profile.rows) && profile.has_row_ends(global),
            nontemporal: if profile.is_nontemporal(global) {
                NonTemporal::OfItems
            } else {
                NonTemporal::None
            },
            is_tiered_up,
        }
    }

    /// The parameters of the kernel, which `func` is, that are strides, a bit for each position.
    pub fn strides(&self, func: &Function) -> u64 {
        self.profile.get_or_init(|| SpecializationProfile::of(func)).strides
    }

    /// The parameters of the kernel, which `func` is, whose memory should be no other's, a bit for each position.
    pub fn apart(&self, func: &Function) -> u64 {
        self.profile.get_or_init(|| SpecializationProfile::of(func)).apart
    }

    /// Launches have taken long. Whether the caller is the first to say so, who is to make code for that.
    pub fn begin_tier_up(&self) -> bool {
        self.hot.compare_exchange(UNKNOWN, WARMING, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// There is code for launches that take long: from now on they ask for it.
    pub fn finish_tier_up(&self) {
        self.hot.store(HOT, Ordering::Release);
    }

    /// The variant for a key, to be made by the caller if it is `true`; none if there are enough already.
    pub fn find(&self, key: &SpecializationKey) -> Option<(Arc<Variant>, bool)> {
        let mut list = self.list.lock();
        // What tests ask for is made, however much there is.
        let is_asked = key.forced != Forced::default();
        // Past some sizes of groups launches share what is made for any.
        let mut key = key.clone();
        loop {
            if let Some(found) = list.iter().find(|variant| variant.key == key) {
                let is_first = !found.begun.swap(true, Ordering::Relaxed);
                return Some((Arc::clone(found), is_first));
            }
            let sizes = list.iter().filter(|variant| variant.key.range.local_size.is_some()).count();
            if is_asked || key.range.local_size.is_none() || sizes < MOST_SIZES {
                break;
            }
            key.range.local_size = None;
        }
        if list.len() >= MOST && !is_asked {
            // What was made before is better than what takes all launches.
            key.range.is_tiered_up = false;
            let made = list.iter().find(|variant| variant.key == key && variant.code.get().is_some());
            return made.map(|variant| (Arc::clone(variant), false));
        }
        if key == SpecializationKey::default() {
            return None;
        }
        let variant = Arc::new(Variant { key, begun: AtomicBool::new(true), code: OnceLock::new() });
        list.push(Arc::clone(&variant));
        Some((variant, true))
    }
}

impl Variant {
    /// There was no memory: the next one may try.
    pub fn give_up(&self) {
        self.begun.store(false, Ordering::Relaxed);
    }
}

impl Artifact {
    /// Which parameters of a kernel are strides that are one, a bit for each position; `is_one` says which arguments are.
    pub fn unit_strides(&self, index: usize, is_one: impl Fn(usize) -> bool) -> u64 {
        let strides = self.strides(index);
        let of = |at: &usize| strides >> at & 1 == 1 && is_one(*at);
        (0..u64::BITS as usize - strides.leading_zeros() as usize).filter(of).fold(0, |all, at| all | 1 << at)
    }

    /// The parameters of a kernel that launches should say to be in memory that no other is in, a bit for each position: it is of
    /// use, and nearly always so.
    pub fn wants_no_alias(&self, index: usize) -> u64 {
        let func = |index: usize| &self.module.funcs[self.entries[index].func];
        self.variants.get(index).map_or(0, |variants| variants.apart(func(index)))
    }

    /// The key of launches over such a range of a kernel without images, samplers and strides: their buffers are apart.
    pub(super) fn likely_key(&self, index: usize, range: RangeFacts) -> SpecializationKey {
        SpecializationKey { range, no_alias: self.wants_no_alias(index) != 0, ..SpecializationKey::default() }
    }

    /// Which parameters of a kernel are strides.
    pub(super) fn strides(&self, index: usize) -> u64 {
        let func = |index: usize| &self.module.funcs[self.entries[index].func];
        self.variants.get(index).map_or(0, |variants| variants.strides(func(index)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(size: u32) -> SpecializationKey {
        let local_size = (size > 0).then_some([size, 1, 1]);
        let range = RangeFacts { ids_fit_31: true, local_size, ..RangeFacts::default() };
        SpecializationKey { range, ..SpecializationKey::default() }
    }

    #[test]
    fn one_makes_a_variant_and_others_find_it() {
        let variants = Variants::default();
        let (first, is_mine) = variants.find(&key(64)).expect("there are none yet");
        assert!(is_mine);
        let (second, is_mine) = variants.find(&key(64)).expect("it is there");
        assert!(!is_mine && Arc::ptr_eq(&first, &second));
        first.give_up();
        assert!(variants.find(&key(64)).expect("it is there").1);
    }

    #[test]
    fn nobody_waits_for_a_variant_if_there_is_code_that_takes_all() {
        let text = "kernel void k(global int *p) { p[get_global_id(0)] = 1; }";
        let source = super::super::Source { name: "k.cl".into(), text: text.into() };
        let artifact = super::super::build(&source, &[], "").result.expect("it builds");
        let generic = artifact.compiled(0).expect("code");
        let (variant, _) = artifact.variants[0].find(&key(0)).expect("there are none yet");
        // As if another thread made it.
        let found = artifact.compiled_for(0, &key(0)).expect("code");
        assert!(Arc::ptr_eq(&found, &generic));
        variant.give_up();
        let made = artifact.compiled_for(0, &key(0)).expect("code");
        assert!(!Arc::ptr_eq(&made, &generic));
        assert!(Arc::ptr_eq(&made, &artifact.compiled_for(0, &key(0)).expect("code")));
    }

    #[test]
    fn sizes_of_groups_past_some_share_a_variant() {
        let variants = Variants::default();
        for size in 1..=MOST_SIZES as u32 {
            assert_eq!(variants.find(&key(size)).expect("few").0.key, key(size));
        }
        assert_eq!(variants.find(&key(999)).expect("one for all sizes").0.key, key(0));
        assert_eq!(variants.find(&key(1)).expect("kept").0.key, key(1));
    }

    #[test]
    fn their_number_is_bounded() {
        let variants = Variants::default();
        for bits in 0..MOST as u32 {
            let images = SmallVec::from_elem(ArgumentKey::Sampler(bits), 1);
            assert!(variants.find(&SpecializationKey { images, ..key(0) }).is_some());
        }
        assert!(variants.find(&key(0)).is_none());
        assert!(Variants::default().find(&SpecializationKey::default()).is_none());
    }

    fn strides(body: &str) -> u64 {
        let text = format!("kernel void k(global float *p, int n, long step, int inc) {{ {body} }}");
        let source = super::super::Source { name: "k.cl".into(), text };
        let artifact = super::super::build(&source, &[], "").result.expect("it builds");
        artifact.strides(0)
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
