//! Tier-up: compilation of a kernel's further tiers, once its launches have taken long. `exec::tier_trial` decides when,
//! and which code is kept.

use std::sync::{Arc, Weak};

use super::Artifact;
use super::artifact::guarded_code;
use super::specialize::SpecializationKey;
use grus_exec::{ProfiledKernel, TierCompiler};
use grus_ir::abi::{RangeFacts, Tier};
use grus_support::memory;

/// Compiler of further tiers of a kernel for one key.
#[derive(Debug)]
struct KeyCompiler {
    artifact: Weak<Artifact>,
    /// Index of the kernel.
    index: usize,
    key: SpecializationKey,
}

impl TierCompiler for KeyCompiler {
    fn compile(&self, tier: Tier, kernel: &Arc<ProfiledKernel>) -> bool {
        let Some(artifact) = self.artifact.upgrade().filter(|_| memory::is_plentiful()) else { return false };
        let key = SpecializationKey { range: RangeFacts { tier, ..self.key.range }, ..self.key.clone() };
        let (index, kernel) = (self.index, Arc::clone(kernel));
        let work = move |artifact: &Arc<Artifact>| {
            // Without better code, launches go on with what they have.
            let code = guarded_code(|| artifact.generate(index, &key)).ok();
            if let Some(trial) = kernel.trial() {
                trial.enter(&kernel, code);
            }
        };
        if grus_exec::other_threads() == 0 {
            work(&artifact)
        } else {
            artifact.in_background(work)
        }
        true
    }
}

impl Artifact {
    /// Lets launches of `kernel`, which [`Artifact::compiled_for`] has returned for kernel `index` and this key, try the
    /// code of further tiers.
    pub(super) fn try_tiers(
        self: &Arc<Self>,
        index: usize,
        key: &SpecializationKey,
        kernel: &Arc<ProfiledKernel>,
    ) {
        kernel.try_tiers(|| {
            let is_variant = |made: &Arc<ProfiledKernel>| Arc::ptr_eq(made, kernel);
            // Launches without a variant run the generic code.
            let variant = self.variants[index].get(key);
            let variant = variant.filter(|variant| {
                variant.code.get().and_then(|made| made.as_ref().ok()).is_some_and(is_variant)
            });
            let key = variant.map_or_else(SpecializationKey::default, |variant| variant.key.clone());
            Box::new(KeyCompiler { artifact: Arc::downgrade(self), index, key })
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Source, build};
    use super::*;
    use grus_passes::Forced;
    use grus_support::target::Backend;

    /// Returns the number of lanes in each tier of the code for 4096 work-items in groups of 64, as long as the code
    /// says that there is a next one.
    fn lanes(text: String, backend: Backend) -> Vec<(Tier, u16)> {
        let source = Source { name: "k.cl".into(), text };
        let artifact = build(&source, &[], "").result.expect("it builds");
        let mut range = artifact.range_facts(0, [0; 3], [4096, 1, 1], [64, 1, 1]);
        let forced = Forced { backend: Some(backend), ..Forced::default() };
        let mut lanes = Vec::new();
        loop {
            let key = SpecializationKey { range, forced, ..SpecializationKey::default() };
            let kernel = artifact.generate(0, &key).expect("code");
            lanes.push((range.tier, kernel.traits().lanes));
            let Some(tier) = kernel.traits().next_tier else { return lanes };
            assert!(tier > range.tier);
            range.tier = tier;
        }
    }

    #[test]
    fn large_kernels_that_take_long_get_lanes() {
        let calls: String = (1..12).map(|i| format!("v += lgamma(v * {i}.5f);\n")).collect();
        let text = format!(
            "kernel void k(global float *p) {{ float v = p[get_global_id(0)]; {calls} p[get_global_id(0)] = v; }}"
        );
        if Backend::Avx2.is_supported() {
            let lanes = lanes(text, Backend::Avx2);
            assert!(matches!(lanes[..], [(Tier::Quick, 1), (Tier::Optimized, 2..), ..]), "{lanes:?}");
        }
    }

    #[test]
    fn half_of_the_lanes_is_tried_where_vectors_are_much_faster() {
        let text = "kernel void k(global float *p) { size_t i = get_global_id(0); p[i] = sqrt(p[i] + 1); }";
        if Backend::Avx2.is_supported() {
            let lanes = lanes(text.into(), Backend::Avx2);
            assert_eq!(lanes, [(Tier::Quick, 16), (Tier::HalfLanes, 8)]);
        }
    }

    #[test]
    fn lanes_are_tried_where_they_seem_little_slower() {
        // Each work-item goes through a row of its own.
        let text = "kernel void k(global const float *a, global float *y, int n, int length) {
            size_t id = get_global_id(0);
            float4 sum = 0;
            for (int i = 0; i < n; i += 4)
                sum += vload4(0, a + id * length + i);
            y[id] = sum.x + sum.y + sum.z + sum.w;
        }";
        if Backend::Avx2.is_supported() {
            let lanes = lanes(text.into(), Backend::Avx2);
            // Two work-items by unroll-and-jam at first.
            assert_eq!(lanes, [(Tier::Quick, 2), (Tier::OtherLanes, 8), (Tier::HalfLanes, 4)]);
        }
    }

    #[test]
    fn vectors_that_take_long_are_two_items_by_turns() {
        if !Backend::Avx2.is_supported() {
            return;
        }
        // Dependence chains as in MD5, and a rarely executed branch.
        let step = |i: usize| {
            let [a, b, c, d] = [0, 3, 2, 1].map(|at| ["a", "b", "c", "d"][(i + at) % 4]);
            format!(
                "{a} = {b} + rotate({a} + (({b} & {c}) | (~{b} & {d})) + p[{i} & 15], (uint8)({}));\n",
                i % 31 + 1
            )
        };
        let steps: String = (0..40).map(step).collect();
        let found: String =
            (0..99).map(|i| format!("p[64 + (a.s{} + {i}) % 64] += b.s{};\n", i % 8, i / 8 % 8)).collect();
        let asked = (0..8).map(|i| format!("a.s{i} == n")).collect::<Vec<_>>().join(" || ");
        let text = format!(
            "kernel void k(global uint *restrict p, global uint8 *q, uint n) {{
                uint8 a = q[get_global_id(0)], b = a + 1, c = a + 2, d = a + 3;
                for (uint turn = 0; turn < n; ++turn) {{
                    {steps}
                    if ({asked}) {{ {found} }}
                }}
                q[get_global_id(0)] = a;
            }}"
        );
        let lanes = lanes(text, Backend::Avx2);
        assert!(matches!(lanes[..], [(Tier::Quick, 1), (Tier::Optimized, 2), ..]), "{lanes:?}");
    }
}
