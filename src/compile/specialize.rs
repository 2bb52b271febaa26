//! Code of a kernel for launches of which something is known.
//!
//! The code that takes all launches can always be made, at first use. Beside it stand variants for what a launch says of
//! images, samplers and its range, as far as the kernel depends on it; a bounded number of them, shared by all launches. While
//! one thread makes a variant no lock is held: launches that want another go on, those that want the same take the code that
//! takes all, if there is any, and else wait for what they would have to do themselves.
//!
//! Code that leaves large bodies as they are is made quickly. Once launches have taken long in it a thread in the background makes
//! better code for the same key (tier-up), which launches with that key run as soon as it is there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::code_slot::CodeSlot;
use super::{Artifact, NoCode};
use crate::exec::CompiledKernel;
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

    /// Returns whether tests ask for it: that is made, however much there is.
    fn is_asked(&self) -> bool {
        self.forced != Forced::default()
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
    /// Set once there is a tier-up for launches with some key: those with others will take long, too.
    is_tiered_up: AtomicBool,
    /// The tier-up of the code that takes all launches.
    general: Arc<TierUp>,
    list: Mutex<List>,
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

/// Code for one key.
#[derive(Debug)]
pub struct Variant {
    pub key: SpecializationKey,
    /// Somebody makes the code, or has made it.
    begun: AtomicBool,
    pub code: CodeSlot,
    tier_up: Arc<TierUp>,
}

/// Code that launches run instead of other code for the same key, once they have taken long in that.
#[derive(Debug, Default)]
pub struct TierUp {
    /// A thread makes it, or has made it.
    begun: AtomicBool,
    code: CodeSlot,
}

/// The attempt of a thread to make a [`TierUp`]. If it ends without an outcome, for want of memory or of a thread, another may
/// follow.
pub struct Attempt(Arc<TierUp>);

impl TierUp {
    /// Returns the code if it has been made.
    pub fn code(&self) -> Option<&Arc<CompiledKernel>> {
        self.code.get()?.as_ref().ok()
    }

    /// Begins an attempt, unless there is one or was one that had an outcome.
    pub fn attempt(self: &Arc<Self>) -> Option<Attempt> {
        let is_first = !self.begun.swap(true, Ordering::Relaxed);
        is_first.then(|| Attempt(Arc::clone(self)))
    }
}

impl Attempt {
    /// Puts the code there; returns whether there is some now.
    pub fn make(&self, make: impl FnOnce() -> Result<Arc<CompiledKernel>, NoCode>) -> bool {
        self.0.code.get_or_make(make).is_ok()
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if self.0.code.get().is_none() {
            self.0.begun.store(false, Ordering::Relaxed);
        }
    }
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
        if !profile.ids && !profile.rows {
            return RangeFacts::default();
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
            is_tiered_up: false,
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

    /// Returns whether launches with some key have taken so long that there is a tier-up.
    pub fn is_tiered_up(&self) -> bool {
        self.is_tiered_up.load(Ordering::Relaxed)
    }

    /// Notes that there is a tier-up.
    pub fn finish_tier_up(&self) {
        self.is_tiered_up.store(true, Ordering::Relaxed);
    }

    /// Returns the tier-up of a variant, or of the code that takes all launches.
    pub fn tier_up<'v>(&'v self, variant: Option<&'v Variant>) -> &'v Arc<TierUp> {
        variant.map_or(&self.general, |variant| &variant.tier_up)
    }

    /// Returns the variant that launches with this key use, if there is one.
    pub fn get(&self, key: &SpecializationKey) -> Option<Arc<Variant>> {
        self.list.lock().lookup(&mut key.clone())
    }

    /// The variant for a key, to be made by the caller if it is `true`; none if there are enough already.
    pub fn find(&self, key: &SpecializationKey) -> Option<(Arc<Variant>, bool)> {
        let mut list = self.list.lock();
        let mut key = key.clone();
        if let Some(found) = list.lookup(&mut key) {
            let is_first = !found.begun.swap(true, Ordering::Relaxed);
            return Some((found, is_first));
        }
        if key == SpecializationKey::default() || list.0.len() >= MOST && !key.is_asked() {
            return None;
        }
        let begun = AtomicBool::new(true);
        let variant = Arc::new(Variant { key, begun, code: CodeSlot::default(), tier_up: Arc::default() });
        list.0.push(Arc::clone(&variant));
        Some((variant, true))
    }
}

/// The variants there are.
#[derive(Debug, Default)]
struct List(Vec<Arc<Variant>>);

impl List {
    /// Returns the variant for a key, if there is one. The key becomes that of the variant: past some sizes of groups launches share
    /// what is made for any.
    fn lookup(&self, key: &mut SpecializationKey) -> Option<Arc<Variant>> {
        loop {
            if let Some(found) = self.0.iter().find(|variant| variant.key == *key) {
                return Some(Arc::clone(found));
            }
            let sizes = self.0.iter().filter(|variant| variant.key.range.local_size.is_some()).count();
            if key.is_asked() || key.range.local_size.is_none() || sizes < MOST_SIZES {
                return None;
            }
            key.range.local_size = None;
        }
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
pub(super) mod tests {
    use super::*;

    /// Makes as many variants as there may be.
    pub(in crate::compile) fn fill(variants: &Variants) {
        for bits in 0..MOST as u32 {
            let images = SmallVec::from_elem(ArgumentKey::Sampler(bits), 1);
            assert!(variants.find(&SpecializationKey { images, ..key(0) }).is_some());
        }
    }

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
        fill(&variants);
        assert!(variants.find(&key(0)).is_none());
        assert!(Variants::default().find(&SpecializationKey::default()).is_none());
    }

    #[test]
    fn an_attempt_without_an_outcome_is_followed_by_another() {
        let tier_up = Arc::<TierUp>::default();
        let first = tier_up.attempt().expect("there was none");
        assert!(tier_up.attempt().is_none());
        assert!(!first.make(|| Err(NoCode::Memory)));
        drop(first);
        // As if no thread had come to it.
        drop(tier_up.attempt().expect("there was no memory"));
        let last = tier_up.attempt().expect("there was no thread");
        assert!(!last.make(|| Err(NoCode::Bug("a bug".into()))));
        drop(last);
        assert!(tier_up.attempt().is_none() && tier_up.code().is_none());
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
