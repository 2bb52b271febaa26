//! Precompilation of sibling kernels. An application that launches a kernel will probably launch the program's other
//! kernels for which it has created kernel objects. When code of the first one is generated, idle threads generate code
//! of the siblings, for the same range.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::{Artifact, KernelInfo};
use grus_exec::NdRange;
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

    /// Runs `what` on an idle thread. A fork waits until that has released the artifact.
    pub(super) fn in_background(self: &Arc<Self>, what: impl FnOnce(&Arc<Artifact>) + Send + 'static) {
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
    use std::time::{Duration, Instant};

    use super::super::{Source, build};
    use super::*;

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
