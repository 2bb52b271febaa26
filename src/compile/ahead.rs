//! Code that will be wanted: whoever launches a kernel will launch others of its program that it has made objects of. When the
//! code of the first is made, threads that have nothing else to do make that of the others, for the same range.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::Artifact;
use super::variants::LaunchKey;
use crate::exec;
use crate::support::fork::Task;

/// What is known of a kernel's future.
#[derive(Debug, Default)]
pub(super) struct Prospect {
    /// The application has an object of it.
    is_wanted: AtomicBool,
    /// Its code is made, or is going to be, by whoever.
    is_begun: AtomicBool,
}

/// A launch: offset, size and size of groups.
pub type Range = ([u64; 3], [u64; 3], [u64; 3]);

impl Artifact {
    /// The application has made an object of kernel `index`.
    pub fn want(&self, index: usize) {
        if let Some(prospect) = self.prospects.get(index) {
            prospect.is_wanted.store(true, Ordering::Relaxed);
        }
    }

    /// Kernel `index` is going to be launched for the first time: has other threads make the code of the others that the
    /// application will launch. Those that take images or samplers are made for what these are, which nobody knows yet.
    pub fn make_others(self: &Arc<Self>, index: usize, range: Range) {
        let Some(prospect) = self.prospects.get(index) else { return };
        if prospect.is_begun.swap(true, Ordering::Relaxed) {
            return;
        }
        let others: Arc<[usize]> = (0..self.kernels.len()).filter(|&other| self.is_ahead(other)).collect();
        let next = Arc::new(AtomicUsize::new(0));
        for _ in 0..exec::other_threads().min(others.len()) {
            let (artifact, others, next) = (Arc::clone(self), Arc::clone(&others), Arc::clone(&next));
            let task = Task::new();
            exec::in_background(move || {
                while let Some(&other) = others.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // Nobody else has the program any more.
                    if Arc::strong_count(&artifact) == 1 {
                        break;
                    }
                    let (offset, global, local) = range;
                    let range = artifact.range_facts(other, offset, global, local);
                    // Who launches it is told what is wrong with it.
                    let _ = artifact.compiled_for(other, &LaunchKey { range, ..LaunchKey::default() });
                }
                drop(artifact);
                drop(task);
            });
        }
    }

    /// Whether its code is to be made before it is asked for; nobody else is told so.
    fn is_ahead(&self, index: usize) -> bool {
        let (kernel, prospect) = (&self.kernels[index], &self.prospects[index]);
        prospect.is_wanted.load(Ordering::Relaxed)
            && !kernel.args.iter().any(|arg| arg.kind.is_of_images())
            && !prospect.is_begun.swap(true, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::compile::{Source, build};

    #[test]
    fn what_has_an_object_is_made_when_another_is_launched() {
        let kernel = |name: &str, arg: &str| format!("kernel void {name}({arg} p) {{}}\n");
        let text = ["a", "b", "c", "d"].map(|name| kernel(name, "global int *")).concat()
            + &kernel("e", "read_only image2d_t");
        let source = Source { name: "k.cl".into(), text };
        let artifact = Arc::new(build(&source, &[], "").result.expect("it builds"));
        let range = ([0; 3], [64, 1, 1], [64, 1, 1]);
        let is_made = |index: usize| artifact.compiled[index].get().is_some();
        [0, 1, 3, 4].into_iter().for_each(|index| artifact.want(index));
        artifact.make_others(0, range);
        let begin = Instant::now();
        while exec::other_threads() > 0 && !(is_made(1) && is_made(3)) {
            assert!(begin.elapsed() < Duration::from_secs(60), "nobody makes them");
            std::thread::sleep(Duration::from_millis(1));
        }
        // The first is its launch's, nobody has an object of the third, the last waits for its image.
        assert!(!is_made(0) && !is_made(2) && !is_made(4));
        // Objects that come later have their turn with the next launch, and what was made is not made again.
        artifact.want(2);
        artifact.make_others(1, range);
        assert!(!artifact.is_ahead(1) && !artifact.is_ahead(3));
    }
}
