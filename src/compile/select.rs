//! Selection of code for a launch.
//!
//! The runtime gathers the facts that the kernel's [`SpecializationProfile`] asks for, and gets code that is valid for
//! the launch ([`Artifact::select`]). It keeps that code, and asks again for launches that the code does not serve.

use std::sync::Arc;

use smallvec::SmallVec;

use super::specialization_profile::SpecializationProfile;
use super::specialize::SpecializationKey;
use super::{Artifact, CodeError};
use grus_exec::{ArgBlock, NdRange, ProfiledKernel};
use grus_ir::abi::{NonTemporal, RangeFacts};
use grus_ir::image::ArgumentKey;
use grus_passes::Forced;
use grus_support::caches;

/// Facts about a launch that code can be specialized for.
#[derive(Clone, Debug)]
pub struct LaunchFacts<'a> {
    pub range: &'a NdRange,
    /// Facts about the range: [`SpecializationProfile::range_facts`], with what the code of the last launch adds
    /// ([`SelectedVariant::with_iterations`]).
    pub range_facts: RangeFacts,
    /// Keys of the image and sampler arguments, in order.
    pub images: SmallVec<[ArgumentKey; 4]>,
    /// Strides with the value one: [`SpecializationProfile::unit_strides`].
    pub unit_strides: u64,
    /// True if there are [`SpecializationProfile::no_alias_params`], and their memory overlaps that of no other
    /// argument.
    pub no_alias: bool,
    /// True if there are [`SpecializationProfile::updated_params`], and each thread can have a copy of their memory.
    pub private_updates: bool,
}

impl LaunchFacts<'_> {
    fn into_key(self) -> SpecializationKey {
        let LaunchFacts { range: _, range_facts, images, unit_strides, no_alias, private_updates } = self;
        let forced = Forced::default();
        SpecializationKey { images, range: range_facts, unit_strides, no_alias, private_updates, forced }
    }
}

/// Code of a kernel.
#[derive(Clone)]
pub struct KernelCode {
    /// Program with its variables. `index` is the kernel's position in it.
    pub program: Arc<Artifact>,
    pub index: usize,
    pub kernel: Arc<ProfiledKernel>,
}

/// Code that was selected for a launch, and serves later launches with the same facts.
#[derive(Clone)]
pub struct SelectedVariant {
    key: SpecializationKey,
    pub code: KernelCode,
}

impl SelectedVariant {
    /// Returns the facts about a range, with non-temporal stores if the iterations of a grid-stride loop write more
    /// than the caches hold. Only code of the kernel knows the loop.
    pub fn with_iterations(&self, range: RangeFacts, args: &ArgBlock) -> RangeFacts {
        let steps = self.code.kernel.traits().strided_access.as_ref();
        let Some((iterations, bytes)) = steps.and_then(|steps| steps.nontemporal) else { return range };
        let count = iterations.count(|place, bytes| args.word(place, bytes)).unwrap_or(0);
        let is_much = caches::exceeds_largest(count.saturating_mul(bytes));
        if is_much { RangeFacts { nontemporal: NonTemporal::PerIteration, ..range } } else { range }
    }

    /// Checks whether the code serves a launch with these facts about the range, if the arguments are those of the
    /// launch for which it was selected.
    pub fn serves_range(&self, range: RangeFacts) -> bool {
        self.key.range == range
    }

    /// Checks whether the code serves a launch with these facts.
    pub fn serves(&self, facts: &LaunchFacts<'_>) -> bool {
        let SpecializationKey { images, range, unit_strides, no_alias, private_updates, forced: _ } =
            &self.key;
        *images == facts.images
            && *range == facts.range_facts
            && *unit_strides == facts.unit_strides
            && *no_alias == facts.no_alias
            && *private_updates == facts.private_updates
    }
}

impl Artifact {
    /// Returns the facts about launches of kernel `index` that its code can be specialized for.
    pub fn specialization_profile(&self, index: usize) -> &SpecializationProfile {
        self.variants[index].profile(&self.module.funcs[self.entries[index].func])
    }

    /// Returns code of kernel `index` for a launch: an existing variant or a new one, or the generic code. Precompiles
    /// siblings of a kernel that is launched for the first time.
    ///
    /// # Errors
    /// If code generation fails.
    pub fn select(
        self: &Arc<Self>,
        index: usize,
        facts: LaunchFacts<'_>,
    ) -> Result<SelectedVariant, CodeError> {
        self.precompile_siblings(index, facts.range);
        let key = facts.into_key();
        let kernel = self.compiled_for(index, &key)?;
        self.try_tiers(index, &key, &kernel);
        Ok(SelectedVariant { key, code: KernelCode { program: Arc::clone(self), index, kernel } })
    }
}
