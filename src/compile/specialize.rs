//! Specialized variants of a kernel's code.
//!
//! The generic code is valid for every launch and is generated at first use. In addition there are variants that
//! are specialized for images, samplers and the range of a launch, as far as the kernel depends on them. Their
//! number is bounded, and all launches share them. No lock is held while a thread generates a variant: launches
//! with other keys proceed, and launches with the same key run the generic code if it exists, and otherwise wait.
//!
//! Launches of a variant may try code of further tiers for the same key (`tier_up`).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::code_slot::CodeSlot;
use super::specialization_profile::SpecializationProfile;
use grus_ir::Function;
use grus_ir::abi::{NonTemporal, RangeFacts};
use grus_ir::image::ArgumentKey;
use grus_passes::Forced;
use grus_support::sync::Mutex;

/// Specialization key: the facts about a launch that code can be specialized for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpecializationKey {
    /// Keys of the image and sampler arguments, in order.
    pub images: SmallVec<[ArgumentKey; 4]>,
    /// Facts about the range.
    pub range: RangeFacts,
    /// Bit mask of the parameters that are strides and have the value one.
    pub unit_strides: u64,
    /// True if no memory that the kernel writes overlaps the memory of another argument.
    pub no_alias: bool,
    /// True if each thread updates memory that the kernel does nothing else to in a copy of its own
    /// (`passes::specialize::private_updates`).
    pub private_updates: bool,
    /// Choices that a test has forced.
    pub forced: Forced,
}

impl SpecializationKey {
    /// Checks whether the kernel's IR is changed for this key, before the passes that form the code of work-groups.
    pub(super) fn changes_kernel(&self) -> bool {
        let RangeFacts {
            local_size, has_zero_offset_and_uniform_groups, is_interchanged, nontemporal, ..
        } = self.range;
        let of_range = local_size.is_some()
            || has_zero_offset_and_uniform_groups
            || is_interchanged
            || nontemporal != NonTemporal::None;
        of_range || !self.images.is_empty() || self.unit_strides != 0 || self.no_alias || self.private_updates
    }

    /// Checks whether a test has forced choices. Such a variant is generated even if the limits are reached.
    fn is_forced(&self) -> bool {
        self.forced != Forced::default()
    }
}

/// Maximum number of variants of a kernel.
// Arbitrary.
const MAX_VARIANTS: usize = 16;
/// Maximum number of variants that are specialized for a local size.
// Arbitrary.
const MAX_LOCAL_SIZE_VARIANTS: usize = 6;

/// Variants of a kernel.
#[derive(Debug, Default)]
pub struct Variants {
    /// Properties of launches that the kernel depends on.
    profile: OnceLock<SpecializationProfile>,
    list: Mutex<List>,
}

/// Code for one key.
#[derive(Debug)]
pub struct Variant {
    pub key: SpecializationKey,
    /// True if a thread generates the code, or has done so.
    begun: AtomicBool,
    pub code: CodeSlot,
}

impl Variants {
    /// Returns the properties of launches that specialization of the kernel `func` can make use of.
    pub fn profile(&self, func: &Function) -> &SpecializationProfile {
        self.profile.get_or_init(|| SpecializationProfile::of(func))
    }

    /// Returns the variant that launches with this key use, if there is one.
    pub fn get(&self, key: &SpecializationKey) -> Option<Arc<Variant>> {
        self.list.lock().lookup(&mut key.clone())
    }

    /// Returns the variant for a key, and `true` if the caller is to generate its code; `None` if the limit is
    /// reached.
    pub fn find(&self, key: &SpecializationKey) -> Option<(Arc<Variant>, bool)> {
        let mut list = self.list.lock();
        let mut key = key.clone();
        if let Some(found) = list.lookup(&mut key) {
            let is_first = !found.begun.swap(true, Ordering::Relaxed);
            return Some((found, is_first));
        }
        if key == SpecializationKey::default() || list.0.len() >= MAX_VARIANTS && !key.is_forced() {
            return None;
        }
        let begun = AtomicBool::new(true);
        let variant = Arc::new(Variant { key, begun, code: CodeSlot::default() });
        list.0.push(Arc::clone(&variant));
        Some((variant, true))
    }
}

/// Existing variants.
#[derive(Debug, Default)]
struct List(Vec<Arc<Variant>>);

impl List {
    /// Returns the variant for a key, if there is one. If the number of local sizes has reached its limit, the key becomes
    /// the one for any local size.
    fn lookup(&self, key: &mut SpecializationKey) -> Option<Arc<Variant>> {
        loop {
            if let Some(found) = self.0.iter().find(|variant| variant.key == *key) {
                return Some(Arc::clone(found));
            }
            let sizes = self.0.iter().filter(|variant| variant.key.range.local_size.is_some()).count();
            if key.is_forced() || key.range.local_size.is_none() || sizes < MAX_LOCAL_SIZE_VARIANTS {
                return None;
            }
            key.range.local_size = None;
        }
    }
}

impl Variant {
    /// Allows another attempt after memory ran out.
    pub fn give_up(&self) {
        self.begun.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds variants up to the limit.
    fn fill(variants: &Variants) {
        for bits in 0..MAX_VARIANTS as u32 {
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
        // The state is that of a variant which another thread is generating.
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
        for size in 1..=MAX_LOCAL_SIZE_VARIANTS as u32 {
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
}
