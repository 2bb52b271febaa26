//! Which processors threads may run on.
//!
//! A launch on a part of the device runs on a set of processors and nowhere else: the threads of that set's own pool are
//! bound to it when they start, and the thread that waits is bound to it for the time of the launch, so that here, too, a
//! small launch wakes nobody. Launches on the whole device never come here.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::ThreadPool;

use super::scheduler::WorkerTask;
use super::scheduler::idle_workers::IdleWorkers;
use crate::support::environment::environment;
use crate::support::fork::Global;
use crate::support::thread;

/// More processors than Linux can be configured for.
const MOST: usize = 8192;

/// Between two departures of a thread.
const PAUSE: Duration = Duration::from_millis(1);

/// A set of processors as the kernel takes it.
#[derive(Clone, PartialEq, Eq)]
struct AffinityMask([u64; MOST / 64]);

impl AffinityMask {
    fn of(cpus: &[usize]) -> Self {
        let mut mask = Self([0; MOST / 64]);
        for cpu in cpus.iter().filter(|&&cpu| cpu < MOST) {
            mask.0[cpu / 64] |= 1 << (cpu % 64);
        }
        mask
    }

    /// Where the calling thread may run.
    fn of_this_thread() -> Option<Self> {
        let mut mask = Self([0; MOST / 64]);
        let bits = mask.0.as_mut_ptr().cast::<libc::cpu_set_t>();
        // SAFETY: the memory has the size that is named; 0 is the calling thread.
        (unsafe { libc::sched_getaffinity(0, size_of::<Self>(), bits) } == 0).then_some(mask)
    }

    /// Binds the calling thread; whether the system has done so.
    fn bind(&self) -> bool {
        let bits = self.0.as_ptr().cast::<libc::cpu_set_t>();
        // SAFETY: as above.
        unsafe { libc::sched_setaffinity(0, size_of::<Self>(), bits) == 0 }
    }

    fn is_within(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(mine, others)| mine & !others == 0)
    }

    /// The others, if there are some.
    fn without(&self, cpu: usize) -> Option<Self> {
        let mut others = self.clone();
        *others.0.get_mut(cpu / 64)? &= !(1 << (cpu % 64));
        others.0.iter().any(|&word| word != 0).then_some(others)
    }

    fn cpus(&self) -> Vec<usize> {
        (0..MOST).filter(|cpu| self.0[cpu / 64] & 1 << (cpu % 64) != 0).collect()
    }
}

/// Hardware threads this process may use: what its affinity and its control groups' quotas leave, and the user allows.
pub fn compute_units() -> usize {
    static UNITS: Global<usize> = Global::fact();
    *UNITS.get(|| {
        let available = std::thread::available_parallelism().map_or(1, usize::from);
        environment().max_compute_units.map_or(available, |most| most.min(available))
    })
}

/// What this process was bound to when it first asked.
fn allowed() -> &'static (AffinityMask, Vec<usize>) {
    static ALLOWED: Global<(AffinityMask, Vec<usize>)> = Global::fact();
    ALLOWED.get(|| match AffinityMask::of_this_thread() {
        Some(mask) => {
            let cpus = mask.cpus();
            (mask, cpus)
        }
        None => {
            let cpus: Vec<usize> = (0..compute_units()).collect();
            (AffinityMask::of(&cpus), cpus)
        }
    })
}

/// The processor of each compute unit. Where a quota or the user leaves fewer units than there are processors, the first
/// ones: which it is only matters where the device is divided.
pub fn processors() -> &'static [usize] {
    let cpus = &allowed().1;
    &cpus[..compute_units().clamp(1, cpus.len())]
}

/// The processor that the calling thread runs on, if that can be known.
pub fn here() -> Option<usize> {
    // SAFETY: it only asks.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

/// Has the calling thread leave a processor if it runs there and may run elsewhere: the system wakes some threads where the one
/// runs that they are to help, and moves them only after milliseconds. A thread that has just left one stays: those that it helps
/// are everywhere.
pub fn leave(processor: usize) {
    thread_local! {
        static LEFT: Cell<Option<Instant>> = const { Cell::new(None) };
    }
    if here() != Some(processor) {
        return;
    }
    let now = Instant::now();
    let is_new = |left: Instant| now.saturating_duration_since(left) < PAUSE;
    if LEFT.get().is_some_and(is_new) {
        return;
    }
    LEFT.set(Some(now));
    let Some(all) = AffinityMask::of_this_thread() else { return };
    if all.without(processor).is_some_and(|others| others.bind()) {
        all.bind();
    }
}

/// Gives the calling thread, one of ours, all processors, whatever thread started it.
pub fn unbind() {
    allowed().0.bind();
}

/// The processors of a part of the device, and the threads that run there.
pub struct CpuSet {
    cpus: Vec<usize>,
    mask: AffinityMask,
    /// Made at first use.
    pool: thread::LazyThreadPool,
    standby: Global<Arc<IdleWorkers<WorkerTask>>>,
}

impl CpuSet {
    /// These processors.
    pub fn new(cpus: Vec<usize>) -> Arc<Self> {
        let mask = AffinityMask::of(&cpus);
        Arc::new(Self { cpus, mask, pool: thread::LazyThreadPool::new(), standby: Global::of_threads() })
    }

    /// Their numbers.
    pub fn cpus(&self) -> &[usize] {
        &self.cpus
    }

    /// Binds the calling thread to them as long as the result lives. If the system refuses (a processor was switched
    /// off), the work is done elsewhere rather than not at all.
    pub fn enter(&self) -> BoundThread {
        let before =
            AffinityMask::of_this_thread().filter(|mask| !mask.is_within(&self.mask) && self.mask.bind());
        BoundThread { before, _thread: std::marker::PhantomData }
    }

    /// The threads that are bound to them; none if none can be started.
    pub(super) fn pool(&self) -> Option<&ThreadPool> {
        let mask = self.mask.clone();
        let first = move || {
            mask.bind();
            super::note_thread();
        };
        self.pool.get("grus-part", self.cpus.len(), first)
    }

    /// Those of them that stand by.
    pub(super) fn standby(&self) -> &Arc<IdleWorkers<WorkerTask>> {
        self.standby.get(|| Arc::new(IdleWorkers::new(self.cpus.len().saturating_sub(1))))
    }
}

/// A thread that is bound for a time.
pub struct BoundThread {
    /// Where it may run otherwise, if that is somewhere else.
    before: Option<AffinityMask>,
    /// It stays on its thread.
    _thread: std::marker::PhantomData<*const ()>,
}

impl Drop for BoundThread {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            before.bind();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn here() -> Vec<usize> {
        AffinityMask::of_this_thread().unwrap().cpus()
    }

    #[test]
    fn masks_are_sets() {
        let (few, more) = (AffinityMask::of(&[1, 70]), AffinityMask::of(&[0, 1, 70, 8000]));
        assert_eq!(few.cpus(), [1, 70]);
        assert!(few.is_within(&more) && !more.is_within(&few) && few.is_within(&few));
        // What no kernel has is nobody's.
        assert_eq!(AffinityMask::of(&[9000]).cpus(), []);
    }

    #[test]
    fn a_unit_is_a_processor_this_process_may_use() {
        assert_eq!(processors().len(), compute_units());
        assert!(processors().iter().all(|cpu| allowed().1.contains(cpu)));
    }

    #[test]
    fn the_waiting_thread_is_bound_for_a_time() {
        let before = here();
        let last = *before.last().unwrap();
        let cores = CpuSet::new(vec![last]);
        let bound = cores.enter();
        assert_eq!(here(), [last]);
        // It is there already.
        drop(cores.enter());
        assert_eq!(here(), [last]);
        drop(bound);
        assert_eq!(here(), before);
    }

    #[test]
    fn a_thread_that_leaves_a_processor_may_come_back() {
        assert!(AffinityMask::of(&[3]).without(3).is_none());
        assert!(AffinityMask::of(&[3]).without(9000).is_none());
        assert_eq!(AffinityMask::of(&[3, 70]).without(70).map(|mask| mask.cpus()), Some(vec![3]));
        let before = here();
        for processor in before.iter().copied().chain(super::here()) {
            leave(processor);
            assert_eq!(here(), before);
        }
        // It has nowhere else to go.
        let bound = CpuSet::new(vec![before[0]]);
        let bound = bound.enter();
        leave(before[0]);
        assert_eq!((here(), super::here()), (vec![before[0]], Some(before[0])));
        drop(bound);
    }

    #[test]
    fn threads_of_disjoint_parts_are_bound_to_disjoint_processors() {
        for &cpu in processors() {
            let cores = CpuSet::new(vec![cpu]);
            let (tell, told) = mpsc::channel();
            for _ in 0..4 {
                let tell = tell.clone();
                cores.pool().unwrap().spawn(move || tell.send(here()).unwrap());
            }
            drop(tell);
            assert!(told.iter().all(|found| found == [cpu]));
        }
    }

    #[test]
    fn a_processor_that_does_not_exist_does_no_harm() {
        let before = here();
        let cores = CpuSet::new(vec![8191]);
        drop(cores.enter());
        assert_eq!(here(), before);
        let (tell, told) = mpsc::channel();
        cores.pool().unwrap().spawn(move || tell.send(()).unwrap());
        told.recv().unwrap();
    }
}
