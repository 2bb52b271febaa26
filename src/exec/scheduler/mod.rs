//! Launch scheduler: distributes the groups of a launch over the launching thread and the threads of a rayon pool.
//!
//! `plan` decides, and this file does what it decides. A launch starts on the launching thread. Idle workers, which are
//! still spinning, take part if the estimated remaining time is long enough. Sleeping threads are woken
//! only if that pays (`wakeup`). The threads then claim chunks of groups (`chunk_scheduler`).

pub(super) mod chunk_scheduler;
pub(super) mod contention;
pub(super) mod contention_probe;
pub(super) mod idle_workers;
pub(super) mod inline_task;
pub(super) mod job;
pub(super) mod padded_counters;
mod plan;
pub(super) mod profile;
#[cfg(test)]
mod simulation;
pub(super) mod wakeup;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crossbeam::utils::CachePadded;
use rayon::ThreadPool;
use smallvec::SmallVec;

use super::cpu_set::{self, CpuSet, NodesOfThreads, compute_units};
use super::enqueuing_launch::EnqueuingLaunch;
use super::fault::Fault;
use super::runner::{self, LaunchWork, RunParts, Runner};
use super::tuning::{MAX_INLINE_TASKS, Tuning};
use contention::{ContentionHistory, ProbePlan};
use contention_probe::ContentionProbe;
use grus_support::bug;
use grus_support::fork::{Global, Task};
use grus_support::thread;
use idle_workers::{IdleWorkers, Mailbox, Presence, TaskEnd};
use inline_task::InlineTask;
use job::Job;
use plan::{Known, Plan, SharedRun};

const TUNING: &Tuning = &Tuning::MEASURED;

/// Runs all groups of a launch on at most `threads` threads. On a sub-device (`cpu_set`), the caller has bound this
/// thread.
pub(super) fn run<L: EnqueuingLaunch>(
    parts: RunParts<'_, L>,
    work: &LaunchWork,
    runner: &mut Runner,
    threads: usize,
    cpu_set: Option<&CpuSet>,
) -> Result<(), Fault> {
    let result = run_all(parts, work, runner, threads, cpu_set);
    runner.combine_copies();
    result
}

/// Runs all groups; copies that this thread has updated are still to be combined.
fn run_all<L: EnqueuingLaunch>(
    parts: RunParts<'_, L>,
    work: &LaunchWork,
    runner: &mut Runner,
    threads: usize,
    cpu_set: Option<&CpuSet>,
) -> Result<(), Fault> {
    let total = work.count;
    if threads <= 1 || total <= 1 {
        return work.run_groups(runner, parts, 0, total);
    }
    let items: u64 = work.grid.local().iter().product();
    let profile = &parts.0.profile;
    let contention = profile.contention();
    let probe_plan = contention.map_or(ProbePlan::Parallel, ContentionHistory::next_plan);
    let probing = contention.filter(|_| probe_plan == ProbePlan::Probe);
    let known = Known {
        groups: total,
        group_time: Duration::from_nanos(profile.item_time().saturating_mul(items) / 1000),
        threads,
        near_threads: NodesOfThreads::of(cpu_set).near(),
        probe_plan,
        is_sample_needed: probing.is_some_and(|contention| !contention.has_enough_samples()),
    };
    let start = Instant::now();
    let probe = |threads| {
        probing.and_then(|contention| Some(ContentionProbe::new(contention.serial_time(items)?, threads)))
    };
    let sharing_cost = || wakeup::sharing_cost(idle_workers(cpu_set), start);
    let mut plan = Plan::new(TUNING, &known, sharing_cost);
    let mut spent = Duration::ZERO;
    loop {
        match plan {
            Plan::Serial => {
                work.run_groups(runner, parts, 0, total)?;
                // A launch that faults is not recorded: its time says nothing about other launches.
                if let Some(contention) = contention {
                    contention.record_serial_launch(total * items, start.elapsed());
                }
                return Ok(());
            }
            Plan::SerialStart(serial) => {
                let (from, to) = serial.range();
                work.run_groups(runner, parts, from, to)?;
                if !serial.reads_clock(TUNING) {
                    return Ok(());
                }
                spent = start.elapsed();
                if known.measures_beginning(TUNING) || serial.is_last() {
                    profile.record_item_time(to * items, spent);
                }
                if serial.is_last() {
                    wakeup::record_serial_run_if_long(start, spent);
                    return Ok(());
                }
                plan = serial.next(TUNING, spent, sharing_cost);
            }
            Plan::Share(shared) => {
                let done = shared.from;
                if let Some(contention) = probing.filter(|_| done > 0) {
                    contention.record_serial_sample(done * items, spent);
                }
                let probe = (start, probe(shared.threads));
                let time = run_shared(parts, work, shared, runner, probe, cpu_set)?;
                // What ran serially was not slowed down by other threads.
                let (measured, time) = if done > 0 { (done, spent) } else { (total, time) };
                profile.record_item_time(measured * items, time);
                return Ok(());
            }
        }
    }
}

/// Runs groups on several threads in chunks, and records the verdict of the contention probe. Returns the time that all
/// threads together spent on them.
fn run_shared<L: EnqueuingLaunch>(
    (kernel, inputs, handle): RunParts<'_, L>,
    work: &LaunchWork,
    SharedRun { from, to, chunk, threads, wakes }: SharedRun,
    runner: &mut Runner,
    (start, probe): (Instant, Option<ContentionProbe>),
    cpu_set: Option<&CpuSet>,
) -> Result<Duration, Fault> {
    let contention = kernel.profile.contention();
    let all = work.count * work.grid.local().iter().product::<u64>();
    let (kernel, inputs, handle) = (Arc::clone(kernel), inputs.clone(), handle.cloned());
    let work = work.clone();
    let run = move |runner: &mut Runner, from, to| {
        work.run_groups(runner, (&kernel, &inputs, handle.as_ref()), from, to)
    };
    let job = Arc::new(Job::new(Box::new(run), from, to, chunk, threads).with_probe(probe));
    run_job(&job, runner, cpu_set, wakes);
    job.wait(wakeup::spin_budget())?;
    wakeup::record_shared_run();
    if let Some(contention) = contention {
        let is_serial_better = job.probe().and_then(ContentionProbe::is_serial_better);
        if is_serial_better != Some(true) {
            contention.record_shared_launch(all, start.elapsed());
        }
        if let Some(is_serial_better) = is_serial_better {
            contention.record_verdict(is_serial_better);
        }
    }
    Ok(job.busy_time())
}

/// Splits `0..total` into one range per thread, each of at least `min_length` indices except the last, and calls
/// `function` for each, on this thread and on pool threads: on `cpu_set` (a sub-device), or on all CPUs. Returns when
/// all calls have returned. This thread runs ranges that no other thread has begun; it runs everything if the estimated
/// serial `time` does not justify waking threads.
///
/// # Panics
/// Panics if `function` has panicked on any thread.
pub fn split(
    total: u64,
    min_length: u64,
    cpu_set: Option<&CpuSet>,
    time: Duration,
    function: impl Fn(u64, u64) + Copy + Send + Sync + 'static,
) {
    let chunk = total.div_ceil(threads(cpu_set) as u64).max(min_length).max(1);
    if time >= TUNING.min_shared && split_over_idle_workers(total, chunk, cpu_set, function) {
        return;
    }
    let start = Instant::now();
    if time < wakeup::sharing_cost(idle_workers(cpu_set), start).min_time {
        function(0, total);
        if time >= TUNING.min_shared && chunk < total {
            // Whether it counts depends on the estimate, even if warm caches made the run shorter.
            wakeup::record_serial_run(start, start.elapsed());
        }
        return;
    }
    in_chunks(total, chunk, cpu_set, function);
}

/// Runs the first chunk on this thread and each other chunk on an idle worker. Returns false, having run nothing, if
/// there are too few idle workers or too many chunks.
fn split_over_idle_workers(
    total: u64,
    chunk: u64,
    cpu_set: Option<&CpuSet>,
    function: impl Fn(u64, u64) + Copy + Send + Sync,
) -> bool {
    let others = total.div_ceil(chunk).saturating_sub(1) as usize;
    if others == 0 || others > MAX_INLINE_TASKS {
        return false;
    }
    let reserved: SmallVec<[_; MAX_INLINE_TASKS]> = idle_workers(cpu_set).reserve(others).collect();
    if reserved.len() < others {
        return false;
    }
    let mut pending: SmallVec<[_; MAX_INLINE_TASKS]> = SmallVec::new();
    for (reserved, at) in reserved.into_iter().zip(1..) {
        let (from, to) = (at * chunk, total.min((at + 1) * chunk));
        // SAFETY: this function joins all tasks before it returns or panics.
        let task = WorkerTask::Inline(unsafe { InlineTask::new(&function, from, to) });
        pending.push((reserved.start(task), from, to));
    }
    let run_range = |from, to| runs_without_panic(|| function(from, to));
    let mut succeeded = run_range(0, chunk);
    for (pending, from, to) in pending {
        succeeded &= match pending.join(wakeup::spin_budget) {
            TaskEnd::Done => true,
            TaskEnd::Failed => false,
            TaskEnd::TakenBack => run_range(from, to),
        };
    }
    assert!(succeeded, "a thread has panicked");
    true
}

/// Calls `function` for ranges of `chunk` indices (the last may be shorter) that cover `0..total`. Threads claim the
/// ranges one by one.
///
/// # Panics
/// Panics if `function` has panicked on any thread.
pub fn in_chunks(
    total: u64,
    chunk: u64,
    cpu_set: Option<&CpuSet>,
    function: impl Fn(u64, u64) + Send + Sync + 'static,
) {
    let run = move |_: &mut Runner, from, to| {
        function(from, to);
        Ok(())
    };
    let job = Arc::new(Job::new(Box::new(run), 0, total, chunk, threads(cpu_set)));
    run_job(&job, &mut Runner::default(), cpu_set, true);
    // A panic is the only possible fault here.
    assert!(job.wait(wakeup::spin_budget()).is_ok(), "a thread has panicked");
}

/// Returns the number of threads of a sub-device, or of the whole device.
pub(super) fn threads(cpu_set: Option<&CpuSet>) -> usize {
    cpu_set.map_or_else(compute_units, |cpu_set| cpu_set.cpus().len())
}

/// Recruits the other threads for a job, sleeping ones if it `wakes` them, and runs chunks on this one until none is
/// left to claim.
fn run_job(job: &Arc<Job>, runner: &mut Runner, cpu_set: Option<&CpuSet>, wakes: bool) {
    let idle_workers = idle_workers(cpu_set);
    let _counted = idle_workers.count_job();
    let asleep_since = (wakes && idle_workers.presence(|| false) != Presence::Idle).then(Instant::now);
    let recruiter = Recruiter { job: Arc::clone(job), wakes, home: cpu_set::current_cpu() };
    let threads = job.threads() as u32;
    let wake = |task: WakeTask| {
        spawn(cpu_set, task);
    };
    recruiter.recruit(1..threads, idle_workers, asleep_since, wake);
    if let Some(begin) = asleep_since.filter(|_| threads > 1) {
        // A thread that was woken on this CPU gets to run, and moves to another one.
        std::thread::yield_now();
        wakeup::record_overhead(begin.elapsed());
    }
    while job.run_chunks(runner, 0) {
        recruiter.recruit(1..threads, idle_workers, None, wake);
    }
}

/// Task of a woken thread.
type WakeTask = Box<dyn FnOnce() + Send>;

/// Task of an idle worker.
pub(super) enum WorkerTask {
    /// Take part in a job.
    Join(JoinTask),
    /// Run one range, for which the submitter waits.
    Inline(InlineTask),
}

// A mailbox fits into one cache line: a worker that sees the state also has the task.
const _: () = assert!(size_of::<Mailbox<WorkerTask>>() <= 64);

impl WorkerTask {
    fn run(self, idle_workers: &Arc<IdleWorkers<WorkerTask>>) -> bool {
        match self {
            WorkerTask::Join(task) => task.run(idle_workers, false),
            WorkerTask::Inline(task) => runs_without_panic(|| task.run()),
        }
    }
}

/// Task of a recruited thread: to recruit further threads, and to take part in the job.
pub(super) struct JoinTask {
    recruiter: Recruiter,
    /// Number of the thread in the job, and of those that it recruits, which follow.
    numbers: Range<u32>,
    /// Time of recruiting, if it may wake a sleeping thread.
    asleep_since: Option<Instant>,
    /// Task that ends after the job's resources are released.
    _task: Task,
}

impl JoinTask {
    fn run(self, idle_workers: &Arc<IdleWorkers<WorkerTask>>, was_asleep: bool) -> bool {
        runs_without_panic(|| {
            self.recruiter.run_chunks(self.numbers, idle_workers, self.asleep_since, was_asleep)
        })
    }
}

/// Job with the means to recruit further threads for it.
#[derive(Clone)]
struct Recruiter {
    job: Arc<Job>,
    /// True if sleeping threads are woken.
    wakes: bool,
    /// CPU of the waiting thread, which recruited threads move away from.
    home: Option<usize>,
}

impl Recruiter {
    /// Recruits the threads of these numbers: idle workers, then sleeping threads with `wake`. They recruit further ones
    /// as a binary tree, so that the delay of the last thread is logarithmic in their number. Each number has a worker
    /// whose caches may hold the data of its partition; the workers beyond those of the job stand in for others.
    /// `asleep_since` is the time of recruiting if threads were asleep.
    fn recruit(
        &self,
        numbers: Range<u32>,
        idle_workers: &Arc<IdleWorkers<WorkerTask>>,
        asleep_since: Option<Instant>,
        wake: impl Fn(WakeTask),
    ) {
        for mut numbers in halves(numbers) {
            while !numbers.is_empty() && !self.job.is_claimed() {
                let number = numbers.start;
                let task = JoinTask {
                    recruiter: self.clone(),
                    numbers: numbers.clone(),
                    asleep_since,
                    _task: Task::new(),
                };
                let (wanted, first_other) = (number as usize - 1, self.job.threads() - 1);
                let Err(WorkerTask::Join(task)) =
                    idle_workers.submit(WorkerTask::Join(task), wanted, first_other)
                else {
                    break;
                };
                if self.wakes && idle_workers.has_vacant() {
                    let idle_workers = Arc::clone(idle_workers);
                    wake(Box::new(move || {
                        let _bound = cpu_set::enter_node(number as usize);
                        task.run(&idle_workers, true);
                        idle_workers.run_idle(wanted, worker_budget, |task| task.run(&idle_workers));
                    }));
                    break;
                }
                // The worker is busy, or asleep; those of the following numbers may be idle.
                numbers.start += 1;
            }
        }
    }

    /// Runs chunks as the thread of the first number, after recruiting the threads of the others. A thread that
    /// `was_asleep` leaves if it comes too late.
    fn run_chunks(
        &self,
        numbers: Range<u32>,
        idle_workers: &Arc<IdleWorkers<WorkerTask>>,
        asleep_since: Option<Instant>,
        was_asleep: bool,
    ) {
        let number = numbers.start;
        self.recruit(number + 1..numbers.end, idle_workers, None, wake_in_current_pool);
        if let Some(home) = self.home {
            cpu_set::leave_cpu(home);
        }
        if let Some(begin) = asleep_since {
            wakeup::record_latency(begin.elapsed());
        }
        if was_asleep && self.job.is_claimed() {
            return;
        }
        while self.job.run_chunks(&mut Runner::default(), number as usize) {
            self.recruit(1..self.job.threads() as u32, idle_workers, None, wake_in_current_pool);
        }
    }
}

/// Returns the numbers of the two subtrees of threads that a thread recruits, the roots first.
fn halves(numbers: Range<u32>) -> [Range<u32>; 2] {
    let middle = numbers.end - numbers.len() as u32 / 2;
    [numbers.start..middle, middle..numbers.end]
}

/// Runs `function` on a pool thread. Returns false if there is none. A panic of `function` is caught: a thread that
/// waits for the work must detect by itself that it was not done.
pub(super) fn spawn(cpu_set: Option<&CpuSet>, function: impl FnOnce() + Send + 'static) -> bool {
    let function = || {
        runs_without_panic(function);
    };
    let pool = match cpu_set {
        None => pool(),
        Some(cpu_set) => cpu_set.pool(),
    };
    pool.map(|pool| pool.spawn(function)).is_some()
}

/// Returns the number of the calling thread in its pool, from 1; 0 for other threads.
pub(super) fn thread_index() -> usize {
    rayon::current_thread_index().map_or(0, |index| index + 1)
}

/// Runs `function` on a pool thread of the whole device. No thread waits for it.
pub fn in_background(function: impl FnOnce() + Send + 'static) {
    waiting_functions().fetch_add(1, Ordering::Relaxed);
    let has_thread = spawn(None, || {
        serves_waiting_function();
        function();
    });
    if !has_thread {
        serves_waiting_function();
    }
}

/// Returns the number of functions that wait for a pool thread. Idle workers leave for them: launches that follow each
/// other closely would keep all workers otherwise.
fn waiting_functions() -> &'static AtomicUsize {
    static WAITING: Global<CachePadded<AtomicUsize>> = Global::of_threads();
    WAITING.get(CachePadded::default)
}

/// Takes one off the functions that wait for a pool thread. Returns false if none waits.
fn serves_waiting_function() -> bool {
    let waiting = waiting_functions();
    waiting.load(Ordering::Relaxed) > 0
        && waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_sub(1)).is_ok()
}

/// Creates the spin budget of a worker that has become idle.
fn worker_budget() -> impl FnMut() -> bool {
    // It is not asked at each poll, which would pull cache lines away from threads that launch.
    let leaves = serves_waiting_function();
    let mut budget = wakeup::idle_budget();
    move || !leaves && budget()
}

/// Returns the number of threads of the device except one.
pub fn other_threads() -> usize {
    compute_units() - 1
}

/// Runs a task on another thread of the calling thread's pool.
fn wake_in_current_pool(task: WakeTask) {
    rayon::spawn(|| {
        runs_without_panic(task);
    });
}

/// Calls `function`, and returns false if it has panicked.
fn runs_without_panic(function: impl FnOnce()) -> bool {
    bug::contained("a thread of the pool", function).is_ok()
}

/// Returns the idle workers of a sub-device, or of the whole device.
fn idle_workers(cpu_set: Option<&CpuSet>) -> &Arc<IdleWorkers<WorkerTask>> {
    static ALL: Global<Arc<IdleWorkers<WorkerTask>>> = Global::of_threads();
    match cpu_set {
        None => ALL.get(|| Arc::new(IdleWorkers::new(other_threads()))),
        Some(cpu_set) => cpu_set.idle_workers(),
    }
}

/// Returns the pool of the whole device; `None` if no thread can be started, in which case callers do all the work
/// themselves.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: thread::LazyThreadPool = thread::LazyThreadPool::new();
    let first = || {
        cpu_set::init_worker();
        runner::init_thread_locals();
    };
    POOL.get("grus", compute_units(), first)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Returns the number of consecutive wake-ups before the last of `count` threads begins.
    fn last(count: usize) -> usize {
        let [first, second] = halves(1..count as u32 + 1).map(Iterator::count);
        let after = |at: usize, count: usize| if count == 0 { 0 } else { at + last(count - 1) };
        after(1, first).max(after(2, second))
    }

    #[test]
    fn threads_are_woken_in_logarithmic_time() {
        for count in 0..2000_usize {
            let all: Vec<u32> = halves(7..count as u32 + 7).into_iter().flatten().collect();
            assert_eq!(all, (7..count as u32 + 7).collect::<Vec<u32>>());
            assert!(last(count) <= 2 * (count + 1).ilog2() as usize, "{count}: {}", last(count));
        }
        assert_eq!([1, 3, 63, 127].map(last), [1, 2, 10, 12]);
    }

    /// Runs a job with a contention probe on four threads, and returns the verdict. `time` returns the microseconds per
    /// chunk for a number of running threads.
    fn probe_verdict(time: fn(u64) -> u64) -> Option<bool> {
        const CHUNKS: u64 = 60;
        let (running, completed) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let (inside, count) = (Arc::clone(&running), Arc::clone(&completed));
        let run = move |_: &mut Runner, from, to| {
            let together = inside.fetch_add(1, Ordering::Relaxed) + 1;
            std::thread::sleep(Duration::from_micros(time(together)));
            inside.fetch_sub(1, Ordering::Relaxed);
            count.fetch_add(to - from, Ordering::Relaxed);
            Ok(())
        };
        let probe = ContentionProbe::new(500_000, 4);
        let job = Arc::new(Job::new(Box::new(run), 0, CHUNKS, 1, 4).with_probe(Some(probe)));
        let run_chunks = |thread_index: usize| {
            let job = Arc::clone(&job);
            std::thread::spawn(move || while job.run_chunks(&mut Runner::default(), thread_index) {})
        };
        let threads: Vec<_> = (0..4).map(run_chunks).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        job.wait(wakeup::spin_budget()).unwrap();
        assert_eq!((completed.load(Ordering::Relaxed), job.is_claimed()), (CHUNKS, true));
        job.probe().unwrap().is_serial_better()
    }

    /// Splits repeatedly, so that workers are idle rather than asleep, with ranges of varying length.
    #[test]
    fn every_range_is_run_once() {
        static DONE: [AtomicU64; 1000] = [const { AtomicU64::new(0) }; 1000];
        let long = Duration::from_millis(1);
        for round in 1..=3000 {
            let function = |from: u64, to: u64| {
                for done in &DONE[from as usize..to as usize] {
                    done.fetch_add(1, Ordering::Relaxed);
                }
            };
            split(1000, 1 + round % 600, None, long, function);
            assert!(DONE.iter().all(|done| done.load(Ordering::Relaxed) == round));
        }
    }

    #[test]
    fn a_panic_is_reported_when_all_ranges_have_ended() {
        let long = Duration::from_millis(1);
        for bad in [0, 999] {
            static ENDED: AtomicU64 = AtomicU64::new(0);
            let split = || {
                split(1000, 1, None, long, move |from, to| {
                    assert!(!(from..to).contains(&bad), "as it should");
                    ENDED.fetch_add(to - from, Ordering::Relaxed);
                });
            };
            // The first call wakes a thread.
            for _ in 0..50 {
                ENDED.store(0, Ordering::Relaxed);
                assert!(bug::contained("a test", split).is_err());
                let ended = ENDED.load(Ordering::Relaxed);
                std::thread::sleep(Duration::from_micros(20));
                assert_eq!(ENDED.load(Ordering::Relaxed), ended);
            }
        }
    }

    #[test]
    fn every_chunk_is_run_if_threads_leave() {
        // Contention: threads are slow when they run at the same time.
        probe_verdict(|running| if running > 1 { 20_000 } else { 500 });
        // No contention: chunks are just longer than the serial estimate.
        assert!(probe_verdict(|_| 5_000).is_some());
    }
}
