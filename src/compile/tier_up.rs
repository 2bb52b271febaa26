//! Compilation in the background: precompilation of sibling kernels, and tier-up. An application that launches a
//! kernel will probably launch the program's other kernels for which it has created kernel objects. When code of
//! the first one is generated, idle threads generate code of the siblings, for the same range.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::artifact::guarded_code;
use super::specialize::SpecializationKey;
use super::{Artifact, KernelInfo, RangeFacts};
use grus_exec::{NdRange, ProfiledKernel};
use grus_support::fork::Task;
use grus_support::memory;
use grus_support::sync::Mutex;

/// State of precompilation of a program's kernels.
#[derive(Debug)]
pub(super) struct Precompilation {
    states: Vec<KernelCompileState>,
    /// Kernels that are queued for precompilation, with the range to specialize for.
    waiting: Mutex<VecDeque<(usize, NdRange)>>,
    /// Number of background threads, each of which holds a reference to the artifact.
    helpers: AtomicUsize,
}

/// State of precompilation of one kernel.
#[derive(Debug, Default)]
struct KernelCompileState {
    /// True if the application has created a kernel object.
    is_wanted: AtomicBool,
    /// True if the kernel was launched, or is queued.
    is_begun: AtomicBool,
    /// True while a thread that does not launch the kernel generates its code.
    is_being_made: AtomicBool,
}

impl Precompilation {
    pub fn new(kernels: &[Arc<KernelInfo>]) -> Precompilation {
        let states = kernels.iter().map(|_| KernelCompileState::default()).collect();
        Precompilation { states, waiting: Mutex::default(), helpers: AtomicUsize::new(0) }
    }
}

/// Run time of a kernel's launches, on all threads together, after which it tiers up.
// Source: about the time that compiling a large kernel takes.
const TIER_UP_TIME: Duration = Duration::from_millis(50);

/// Checks whether the run time of all launches justifies compiling the optimized tier.
fn should_tier_up(kernel: &ProfiledKernel) -> bool {
    kernel.traits().has_optimized_tier && kernel.profile.run_time() > TIER_UP_TIME
}

impl Artifact {
    /// Records that the application has created an object of kernel `index`.
    pub fn want(&self, index: usize) {
        if let Some(state) = self.precompilation.states.get(index) {
            state.is_wanted.store(true, Ordering::Relaxed);
        }
    }

    /// Precompiles the siblings of kernel `index`, which is about to be launched and has no code yet. Siblings with
    /// images, samplers or strides are left out, since their code depends on arguments that are not known yet.
    /// While another thread generates code of kernel `index`, the calling thread precompiles siblings.
    pub(super) fn precompile_siblings(self: &Arc<Self>, index: usize, range: &NdRange) {
        let Some(state) = self.precompilation.states.get(index) else { return };
        if !state.is_begun.swap(true, Ordering::Relaxed) {
            self.begin_others(*range);
        } else {
            self.precompilation.waiting.lock().retain(|(other, _)| *other != index);
        }
        while state.is_being_made.load(Ordering::Relaxed) {
            // Background threads take the first kernel of the queue.
            let Some(last) = self.precompilation.waiting.lock().pop_back() else { break };
            self.make(last);
        }
    }

    fn begin_others(self: &Arc<Self>, range: NdRange) {
        if !memory::is_plentiful() {
            return;
        }
        let others: Vec<_> =
            (0..self.kernels.len()).filter(|&other| self.mark_begun_if_wanted(other)).collect();
        self.precompilation.waiting.lock().extend(others.iter().map(|&other| (other, range)));
        for _ in 0..grus_exec::other_threads().min(others.len()) {
            self.precompilation.helpers.fetch_add(1, Ordering::Relaxed);
            self.in_background(Artifact::precompile_waiting);
        }
    }

    /// Generates code of queued kernels, as long as the program is in use outside of the background threads.
    fn precompile_waiting(self: &Arc<Self>) {
        let helpers = &self.precompilation.helpers;
        let next = || self.precompilation.waiting.lock().pop_front();
        while Arc::strong_count(self) > helpers.load(Ordering::Relaxed)
            && let Some(next) = next()
        {
            self.make(next);
        }
        helpers.fetch_sub(1, Ordering::Relaxed);
    }

    /// Checks whether there is better code of kernel `index` than `kernel`, which launches with this key run now;
    /// then [`Artifact::compiled_for`] returns it. Begins a tier-up in the background if `kernel` was compiled
    /// quickly and launches of it, or with another key, have taken long.
    pub(super) fn tier_up(
        self: &Arc<Self>,
        index: usize,
        key: &SpecializationKey,
        kernel: &Arc<ProfiledKernel>,
    ) -> bool {
        let variants = &self.variants[index];
        let takes_long =
            kernel.traits().has_optimized_tier && (should_tier_up(kernel) || variants.is_tiered_up());
        if !takes_long || grus_exec::other_threads() == 0 {
            return false;
        }
        let variant = variants.get(key);
        let tier_up = variants.tier_up(variant.as_deref());
        if let Some(code) = tier_up.code() {
            return !Arc::ptr_eq(code, kernel);
        }
        if memory::is_plentiful()
            && let Some(attempt) = tier_up.attempt()
        {
            // Launches without a variant run the generic code.
            let key = variant.map_or_else(SpecializationKey::default, |variant| variant.key.clone());
            let key = SpecializationKey { range: RangeFacts { is_tiered_up: true, ..key.range }, ..key };
            self.in_background(move |artifact| {
                if attempt.make(|| guarded_code(|| artifact.generate(index, &key))) {
                    artifact.variants[index].finish_tier_up();
                }
            });
        }
        false
    }

    /// Runs `what` on an idle thread. A fork waits until that has released the artifact.
    fn in_background(self: &Arc<Self>, what: impl FnOnce(&Arc<Artifact>) + Send + 'static) {
        let (artifact, task) = (Arc::clone(self), Task::new());
        grus_exec::in_background(move || {
            what(&artifact);
            drop(artifact);
            drop(task);
        });
    }

    /// Checks whether kernel `index` is to be precompiled, and marks it, so that this returns `true` only once.
    fn mark_begun_if_wanted(&self, index: usize) -> bool {
        let (kernel, state) = (&self.kernels[index], &self.precompilation.states[index]);
        state.is_wanted.load(Ordering::Relaxed)
            && !kernel.args.iter().any(|arg| arg.kind.is_of_images())
            && !state.is_begun.swap(true, Ordering::Relaxed)
    }

    /// Precompiles a kernel for a launch.
    fn make(&self, (index, range): (usize, NdRange)) {
        let is_being_made = &self.precompilation.states[index].is_being_made;
        is_being_made.store(true, Ordering::Relaxed);
        // The values of strides are not known yet.
        let profile = self.specialization_profile(index);
        if profile.strides() == 0 {
            // An error is reported when the kernel is launched.
            let _ = self.compiled_for(index, &profile.likely_key(&range));
        }
        is_being_made.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::{Source, build, specialize};
    use super::*;
    use grus_passes::Forced;
    use grus_support::target::Backend;

    fn of_text(text: String) -> Arc<Artifact> {
        let source = Source { name: "k.cl".into(), text };
        build(&source, &[], "").result.expect("it builds")
    }

    /// Returns the key of launches of 4096 work-items in groups of 64. Tests derive other keys by setting bits of parameters
    /// that do not exist.
    fn key_of(artifact: &Artifact, backend: Option<Backend>) -> SpecializationKey {
        let range = artifact.range_facts(0, [0; 3], [4096, 1, 1], [64, 1, 1]);
        let forced = Forced { backend, ..Forced::default() };
        SpecializationKey { range, forced, ..SpecializationKey::default() }
    }

    /// Returns the first, quickly generated code for launches with a key.
    fn quick(artifact: &Artifact, key: &SpecializationKey) -> Arc<ProfiledKernel> {
        let quick = artifact.compiled_for(0, key).expect("code");
        assert!(quick.traits().has_optimized_tier && !should_tier_up(&quick));
        quick
    }

    /// Returns the code for launches with a key after launches of `quick` have taken long.
    fn tiered_up(
        artifact: &Arc<Artifact>,
        key: &SpecializationKey,
        quick: &Arc<ProfiledKernel>,
    ) -> Arc<ProfiledKernel> {
        quick.profile.add_run_time(Duration::from_secs(1000));
        assert!(should_tier_up(quick));
        await_tier_up(artifact, key, quick)
    }

    fn await_tier_up(
        artifact: &Arc<Artifact>,
        key: &SpecializationKey,
        quick: &Arc<ProfiledKernel>,
    ) -> Arc<ProfiledKernel> {
        let begin = Instant::now();
        while !artifact.tier_up(0, key, quick) {
            assert!(begin.elapsed() < Duration::from_secs(60), "nobody makes it");
            std::thread::sleep(Duration::from_millis(1));
        }
        let code = artifact.compiled_for(0, key).expect("code");
        assert!(!code.traits().has_optimized_tier && !artifact.tier_up(0, key, &code));
        code
    }

    /// Returns the number of lanes of code for 4096 work-items in groups of 64, before and after tier-up.
    fn lanes_before_and_after(text: String, backend: Option<Backend>) -> Option<[u16; 2]> {
        let artifact = of_text(text);
        let key = key_of(&artifact, backend);
        let quick = quick(&artifact, &key);
        (grus_exec::other_threads() > 0)
            .then(|| [&quick, &tiered_up(&artifact, &key, &quick)].map(|kernel| kernel.traits().lanes))
    }

    /// Returns a kernel that stays scalar until tier-up.
    fn large() -> String {
        let calls: String = (1..12).map(|i| format!("v += lgamma(v * {i}.5f);\n")).collect();
        format!(
            "kernel void k(global float *p) {{ float v = p[get_global_id(0)]; {calls} p[get_global_id(0)] = v; }}"
        )
    }

    #[test]
    fn launches_with_another_key_do_not_wait_for_better_code() {
        let artifact = of_text(large());
        let keys = [2, 4, 8].map(|bits| SpecializationKey { unit_strides: bits, ..key_of(&artifact, None) });
        let first = quick(&artifact, &keys[0]);
        if grus_exec::other_threads() == 0 {
            return;
        }
        tiered_up(&artifact, &keys[0], &first);
        // Launches with the second key begin with quickly generated code, and the tier-up begins at once.
        let second = quick(&artifact, &keys[1]);
        await_tier_up(&artifact, &keys[1], &second);
        assert!(!artifact.compiled_for(0, &keys[0]).expect("code").traits().has_optimized_tier);
        quick(&artifact, &keys[2]);
    }

    #[test]
    fn launches_without_a_variant_get_better_code_for_all() {
        let artifact = of_text(large());
        specialize::tests::fill(&artifact.variants[0]);
        let keys = [2, 4].map(|bits| SpecializationKey { unit_strides: bits, ..key_of(&artifact, None) });
        let first = quick(&artifact, &keys[0]);
        assert!(Arc::ptr_eq(&first, &artifact.compiled(0).expect("code")));
        if grus_exec::other_threads() == 0 {
            return;
        }
        let better = tiered_up(&artifact, &keys[0], &first);
        assert!(Arc::ptr_eq(&better, &artifact.compiled_for(0, &keys[1]).expect("code")));
    }

    #[test]
    fn large_kernels_that_take_long_get_lanes() {
        let Some([quick, hot]) = lanes_before_and_after(large(), None) else { return };
        assert!(quick == 1 && hot > 1, "{quick}, {hot}");
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
        let lanes = lanes_before_and_after(text, Some(Backend::Avx2));
        assert!(lanes.is_none_or(|lanes| lanes == [1, 2]), "{lanes:?}");
    }

    #[test]
    fn what_has_an_object_is_made_when_another_is_launched() {
        let kernel = |name: &str, arg: &str| format!("kernel void {name}({arg} p) {{}}\n");
        let text = ["a", "b", "c", "d"].map(|name| kernel(name, "global int *")).concat()
            + &kernel("e", "read_only image2d_t");
        let source = Source { name: "k.cl".into(), text };
        let artifact = Arc::new(build(&source, &[], "").result.expect("it builds"));
        let range = NdRange { work_dim: 1, offset: [0; 3], global: [64, 1, 1], local: [64, 1, 1] };
        let is_made = |index: usize| artifact.generic[index].get().is_some();
        [0, 1, 3, 4].into_iter().for_each(|index| artifact.want(index));
        artifact.precompile_siblings(0, &range);
        let begin = Instant::now();
        while grus_exec::other_threads() > 0 && !(is_made(1) && is_made(3)) {
            assert!(begin.elapsed() < Duration::from_secs(60), "nobody makes them");
            std::thread::sleep(Duration::from_millis(1));
        }
        // The first kernel is compiled by its launch, the third has no kernel object, and the last has an image
        // parameter.
        assert!(!is_made(0) && !is_made(2) && !is_made(4));
        // A kernel is precompiled only once.
        artifact.precompile_siblings(1, &range);
        assert!(!artifact.mark_begun_if_wanted(1) && !artifact.mark_begun_if_wanted(3));
    }
}
