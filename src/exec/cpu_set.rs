//! CPU affinity of threads, sets of CPUs for sub-devices, and NUMA nodes of threads.
//!
//! A launch on a sub-device runs on a set of CPUs and nowhere else. The set has its own thread pool, whose threads are
//! bound to it when they start. The launching thread is bound to the set for the time of the launch, so that a small
//! launch needs no other thread here either. Launches on the whole device do not use sets.
//!
//! On a machine with several NUMA nodes, each thread of a launch has a node, because memory belongs to the node whose
//! thread has touched it first, and a thread of the same number gets the same part of the range in the next launch
//! ([`NodesOfThreads`]).

use std::cell::{Cell, OnceCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::ThreadPool;

use super::runner;
use super::scheduler::WorkerTask;
use super::scheduler::idle_workers::IdleWorkers;
use super::topology::{Domain, Topology, topology};
use grus_support::environment::environment;
use grus_support::fork::Global;
use grus_support::thread;

/// Number of bits of a mask. Linux cannot be configured for as many CPUs.
// Source: CONFIG_NR_CPUS of Linux is at most 8192.
const MAX_CPUS: usize = 8192;

/// Minimum time between two moves of a thread by [`leave_cpu`].
// Arbitrary.
const MIN_LEAVE_INTERVAL: Duration = Duration::from_millis(1);

/// Set of CPUs in the format of sched_setaffinity.
#[derive(Clone, PartialEq, Eq)]
struct AffinityMask([u64; MAX_CPUS / 64]);

impl AffinityMask {
    fn of(cpus: &[usize]) -> Self {
        let mut mask = Self([0; MAX_CPUS / 64]);
        for cpu in cpus.iter().filter(|&&cpu| cpu < MAX_CPUS) {
            mask.0[cpu / 64] |= 1 << (cpu % 64);
        }
        mask
    }

    /// Returns the CPUs on which the calling thread may run.
    fn of_this_thread() -> Option<Self> {
        let mut mask = Self([0; MAX_CPUS / 64]);
        let bits = mask.0.as_mut_ptr().cast::<libc::cpu_set_t>();
        // SAFETY: `bits` has the size that is passed; 0 is the calling thread.
        (unsafe { libc::sched_getaffinity(0, size_of::<Self>(), bits) } == 0).then_some(mask)
    }

    /// Binds the calling thread to the set. Returns true if the system has done so.
    fn bind(&self) -> bool {
        let bits = self.0.as_ptr().cast::<libc::cpu_set_t>();
        // SAFETY: `bits` has the size that is passed; 0 is the calling thread.
        unsafe { libc::sched_setaffinity(0, size_of::<Self>(), bits) == 0 }
    }

    /// Binds the calling thread to the set as long as the result lives. If the system refuses (a CPU is offline), the
    /// thread stays where it is, so that the work is done on other CPUs rather than not at all.
    fn enter(&self) -> BoundThread {
        let before = Self::of_this_thread().filter(|mask| !mask.is_within(self) && self.bind());
        BoundThread { before, _thread: std::marker::PhantomData }
    }

    fn is_within(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(mine, others)| mine & !others == 0)
    }

    /// Returns the set without `cpu`; `None` if that is empty.
    fn without(&self, cpu: usize) -> Option<Self> {
        let mut others = self.clone();
        *others.0.get_mut(cpu / 64)? &= !(1 << (cpu % 64));
        others.0.iter().any(|&word| word != 0).then_some(others)
    }

    fn cpus(&self) -> Vec<usize> {
        (0..MAX_CPUS).filter(|cpu| self.0[cpu / 64] & 1 << (cpu % 64) != 0).collect()
    }
}

/// Returns the number of hardware threads that this process may use by its affinity, its control groups' quotas and the
/// user's settings.
pub fn compute_units() -> usize {
    static UNITS: Global<usize> = Global::fact();
    *UNITS.get(|| {
        let available = std::thread::available_parallelism().map_or(1, usize::from);
        environment().max_compute_units.map_or(available, |most| most.min(available))
    })
}

/// Returns the CPUs that the process was bound to at the first call.
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

/// Returns the CPU of each compute unit. If there are fewer units than CPUs (a quota, or the user's settings), these
/// are the first CPUs; the choice matters only for sub-devices.
pub fn processors() -> &'static [usize] {
    let cpus = &allowed().1;
    &cpus[..compute_units().clamp(1, cpus.len())]
}

/// Returns the CPU that the calling thread runs on, if the system reports it.
pub fn current_cpu() -> Option<usize> {
    // SAFETY: sched_getcpu has no preconditions.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

/// Moves the calling thread off `cpu` if it runs there and may run elsewhere. The system wakes some threads on the CPU
/// of the thread that woke them, and migrates them only after milliseconds. A thread that has moved recently stays,
/// because the threads it helps run on all CPUs.
pub fn leave_cpu(cpu: usize) {
    thread_local! {
        static LEFT: Cell<Option<Instant>> = const { Cell::new(None) };
    }
    if current_cpu() != Some(cpu) {
        return;
    }
    let now = Instant::now();
    let is_recent = |left: Instant| now.saturating_duration_since(left) < MIN_LEAVE_INTERVAL;
    if LEFT.get().is_some_and(is_recent) {
        return;
    }
    LEFT.set(Some(now));
    let Some(all) = AffinityMask::of_this_thread() else { return };
    if all.without(cpu).is_some_and(|rest| rest.bind()) {
        all.bind();
    }
}

/// Binds the calling thread, which we have started, to all CPUs of the process instead of those of the thread that
/// created it.
pub fn unbind() {
    allowed().0.bind();
}

thread_local! {
    /// Nodes of the threads of this thread's pool.
    static NODES: OnceCell<Arc<NodesOfThreads>> = const { OnceCell::new() };
}

/// NUMA nodes of the threads of a launch: for each node, in the order of the threads' numbers, the number after that of
/// its last thread, and its CPUs. The threads are as many as the CPUs.
pub(super) struct NodesOfThreads(Vec<(usize, AffinityMask)>);

impl NodesOfThreads {
    /// Assigns threads to the nodes of these CPUs. If there is one node only, no thread has one.
    fn new(topology: &Topology, cpus: &[usize]) -> Arc<Self> {
        let nodes = topology.groups(&topology.sorted(cpus), Domain::Numa);
        let ends = nodes.iter().scan(0, |end, cpus| {
            *end += cpus.len();
            Some((*end, AffinityMask::of(cpus)))
        });
        Arc::new(Self(if nodes.len() > 1 { ends.collect() } else { Vec::new() }))
    }

    /// Returns the nodes of the whole device's threads. If the process may use fewer CPUs at a time than it is bound
    /// to, the system places the threads.
    fn of_all() -> &'static Arc<Self> {
        static ALL: Global<Arc<NodesOfThreads>> = Global::fact();
        ALL.get(|| {
            let cpus = &allowed().1;
            let has_quota = compute_units() < cpus.len();
            Self::new(topology(), if has_quota { &[] } else { cpus })
        })
    }

    /// Returns the nodes of a sub-device's threads, or of the whole device's.
    pub fn of(cpu_set: Option<&CpuSet>) -> &Self {
        match cpu_set {
            Some(cpu_set) => &cpu_set.nodes,
            None => Self::of_all(),
        }
    }

    /// Returns the number of threads in the node of the first one.
    pub fn near(&self) -> usize {
        self.0.first().map_or(usize::MAX, |(end, _)| *end)
    }

    /// Makes these the nodes of the calling thread's pool, unless it has some.
    fn assign(self: &Arc<Self>) {
        NODES.with(|nodes| {
            nodes.get_or_init(|| Arc::clone(self));
        });
    }

    fn cpus(&self, number: usize) -> Option<&AffinityMask> {
        self.0.iter().find(|(end, _)| number < *end).map(|(_, cpus)| cpus)
    }
}

/// Prepares the calling thread, which belongs to the pool of the whole device, for [`enter_node`].
pub(super) fn init_worker() {
    unbind();
    NodesOfThreads::of_all().assign();
}

/// Binds the calling thread of a pool to the NUMA node of the thread with this number in a launch, as long as the
/// result lives. On a machine with one node, and if the system refuses, the thread stays where it is.
pub(super) fn enter_node(number: usize) -> Option<BoundThread> {
    NODES.with(|nodes| Some(nodes.get()?.cpus(number)?.enter()))
}

/// CPUs of a sub-device, and the threads that run on them.
pub struct CpuSet {
    cpus: Vec<usize>,
    mask: AffinityMask,
    nodes: Arc<NodesOfThreads>,
    /// Pool that is created at first use.
    pool: thread::LazyThreadPool,
    idle_workers: Global<Arc<IdleWorkers<WorkerTask>>>,
}

impl CpuSet {
    /// Creates a set of these CPUs.
    pub fn new(cpus: Vec<usize>) -> Arc<Self> {
        let mask = AffinityMask::of(&cpus);
        let nodes = NodesOfThreads::new(topology(), &cpus);
        Arc::new(Self {
            cpus,
            mask,
            nodes,
            pool: thread::LazyThreadPool::new(),
            idle_workers: Global::of_threads(),
        })
    }

    /// Returns the numbers of the CPUs.
    pub fn cpus(&self) -> &[usize] {
        &self.cpus
    }

    /// Binds the calling thread to the set as long as the result lives, if the system allows it.
    pub fn enter(&self) -> BoundThread {
        self.mask.enter()
    }

    /// Returns the pool of threads that are bound to the set; `None` if no thread can be started.
    pub(super) fn pool(&self) -> Option<&ThreadPool> {
        let mask = self.mask.clone();
        let nodes = Arc::clone(&self.nodes);
        let on_start = move || {
            mask.bind();
            nodes.assign();
            runner::init_thread_locals();
        };
        self.pool.get("grus-part", self.cpus.len(), on_start)
    }

    /// Returns the idle workers of the pool.
    pub(super) fn idle_workers(&self) -> &Arc<IdleWorkers<WorkerTask>> {
        self.idle_workers.get(|| Arc::new(IdleWorkers::new(self.cpus.len().saturating_sub(1))))
    }
}

/// Binding of the calling thread to a set, which ends when this is dropped.
pub struct BoundThread {
    /// Previous affinity, if it was changed.
    before: Option<AffinityMask>,
    /// Marker that keeps this on its thread.
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

    use super::super::topology::tests::two_nodes;
    use super::*;

    fn affinity() -> Vec<usize> {
        AffinityMask::of_this_thread().unwrap().cpus()
    }

    #[test]
    fn masks_are_sets() {
        let (few, more) = (AffinityMask::of(&[1, 70]), AffinityMask::of(&[0, 1, 70, 8000]));
        assert_eq!(few.cpus(), [1, 70]);
        assert!(few.is_within(&more) && !more.is_within(&few) && few.is_within(&few));
        // CPU numbers beyond the mask are ignored.
        assert_eq!(AffinityMask::of(&[9000]).cpus(), []);
    }

    #[test]
    fn a_unit_is_a_processor_this_process_may_use() {
        assert_eq!(processors().len(), compute_units());
        assert!(processors().iter().all(|cpu| allowed().1.contains(cpu)));
    }

    #[test]
    fn each_thread_of_a_launch_has_a_node() {
        let nodes = |cpus: &[usize]| {
            let nodes = NodesOfThreads::new(&two_nodes(), cpus);
            (0..=cpus.len()).map(|number| nodes.cpus(number).map(AffinityMask::cpus)).collect::<Vec<_>>()
        };
        let (first, second) = (Some(vec![0, 1, 4, 5]), Some(vec![2, 3, 6, 7]));
        let mut all = vec![first; 4];
        all.extend(vec![second; 4]);
        all.push(None);
        assert_eq!(nodes(&[0, 1, 2, 3, 4, 5, 6, 7]), all);
        assert_eq!(nodes(&[6, 0, 5]), [Some(vec![0, 5]), Some(vec![0, 5]), Some(vec![6]), None]);
        assert_eq!((nodes(&[0, 1]), nodes(&[])), (vec![None; 3], vec![None]));
        let near = |cpus: &[usize]| NodesOfThreads::new(&two_nodes(), cpus).near();
        assert_eq!((near(&[6, 0, 5]), near(&[0, 1])), (2, usize::MAX));
    }

    #[test]
    fn a_thread_is_bound_to_its_node() {
        let before = affinity();
        let last = *before.last().unwrap();
        let mut topology = Topology::default();
        before.iter().for_each(|&cpu| topology.share(Domain::Numa, cpu, &[cpu]));
        let cpus = before.clone();
        let thread = std::thread::spawn(move || {
            assert!(enter_node(0).is_none());
            NODES.with(|nodes| nodes.set(NodesOfThreads::new(&topology, &cpus)).is_ok());
            let bound = enter_node(cpus.len() - 1);
            let inside = affinity();
            drop(bound);
            (inside, affinity())
        });
        let expected = if before.len() > 1 { vec![last] } else { before.clone() };
        assert_eq!(thread.join().unwrap(), (expected, before));
    }

    #[test]
    fn the_waiting_thread_is_bound_for_a_time() {
        let before = affinity();
        let last = *before.last().unwrap();
        let cpu_set = CpuSet::new(vec![last]);
        let bound = cpu_set.enter();
        assert_eq!(affinity(), [last]);
        // A thread that is already bound to the set stays bound.
        drop(cpu_set.enter());
        assert_eq!(affinity(), [last]);
        drop(bound);
        assert_eq!(affinity(), before);
    }

    #[test]
    fn a_thread_that_leaves_a_processor_may_come_back() {
        assert!(AffinityMask::of(&[3]).without(3).is_none());
        assert!(AffinityMask::of(&[3]).without(9000).is_none());
        assert_eq!(AffinityMask::of(&[3, 70]).without(70).map(|mask| mask.cpus()), Some(vec![3]));
        let before = affinity();
        for processor in before.iter().copied().chain(super::current_cpu()) {
            leave_cpu(processor);
            assert_eq!(affinity(), before);
        }
        // A thread bound to one CPU cannot leave it.
        let bound = CpuSet::new(vec![before[0]]);
        let bound = bound.enter();
        leave_cpu(before[0]);
        assert_eq!((affinity(), super::current_cpu()), (vec![before[0]], Some(before[0])));
        drop(bound);
    }

    #[test]
    fn threads_of_disjoint_parts_are_bound_to_disjoint_processors() {
        for &cpu in processors() {
            let cpu_set = CpuSet::new(vec![cpu]);
            let (sender, receiver) = mpsc::channel();
            for _ in 0..4 {
                let sender = sender.clone();
                cpu_set.pool().unwrap().spawn(move || sender.send(affinity()).unwrap());
            }
            drop(sender);
            assert!(receiver.iter().all(|found| found == [cpu]));
        }
    }

    #[test]
    fn a_processor_that_does_not_exist_does_no_harm() {
        let before = affinity();
        let cpu_set = CpuSet::new(vec![8191]);
        drop(cpu_set.enter());
        assert_eq!(affinity(), before);
        let (sender, receiver) = mpsc::channel();
        cpu_set.pool().unwrap().spawn(move || sender.send(()).unwrap());
        receiver.recv().unwrap();
    }
}
