//! The pool: rayon's threads, and the thread that waits.
//!
//! A launch starts on the thread that asked for it. Threads that stand by help as soon as it
//! is worth some microseconds; others are only woken for what takes longer than that. From
//! then on threads claim chunks worth some microseconds.

pub(super) mod chunk_scheduler;
pub(super) mod contention_probe;
pub(super) mod idle_workers;
pub(super) mod inline_task;
pub(super) mod job;
pub(super) mod padded_counters;
pub(super) mod wakeup;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rayon::ThreadPool;
use smallvec::SmallVec;

use super::cpu_set::{self, CpuSet, compute_units};
use super::{Fault, LaunchWork, RunParts, Runner};
use crate::jit::{ContentionHistory, ProbePlan};
use crate::support::bug;
use crate::support::fork::{Global, Task};
use crate::support::thread;
use contention_probe::ContentionProbe;
use idle_workers::{IdleWorkers, Mailbox, TaskEnd};
use inline_task::InlineTask;
use job::Job;
use wakeup::SHORTEST;

/// A launch of which nothing is known is on its thread for so long.
const ALONE: Duration = Duration::from_micros(15);

/// What a thread that helps should have to do at least.
const SHARE: Duration = Duration::from_micros(3);

/// To how many threads that stand by what is done at once is handed one after the other; more call each other.
const AT_ONCE: usize = 7;

/// What a chunk should take at least.
const CHUNK: Duration = Duration::from_micros(10);

/// Runs all groups on so many threads; on a part of the device, this thread is bound to it.
pub(super) fn run(
    parts: RunParts,
    work: &LaunchWork,
    runner: &mut Runner,
    threads: usize,
    part: Option<&CpuSet>,
) -> Result<(), Fault> {
    let total = work.grid.len();
    if threads <= 1 || total <= 1 {
        return work.run_groups(runner, parts, 0, total);
    }
    let items: u64 = work.grid.local().iter().product();
    let kernel = parts.0;
    let contention = kernel.contention.as_ref();
    let plan = contention.map_or(ProbePlan::Together, ContentionHistory::plan);
    let start = Instant::now();
    if let Some(contention) = contention.filter(|_| plan == ProbePlan::Alone) {
        work.run_groups(runner, parts, 0, total)?;
        // A launch that faults tells nothing of the time that others take.
        contention.check(total * items, start.elapsed());
        return Ok(());
    }
    let looking = contention.filter(|_| plan == ProbePlan::Look);
    let crowd = |threads| {
        looking.and_then(|contention| Some(ContentionProbe::new(contention.alone(items)?, threads)))
    };
    let group = Duration::from_nanos(kernel.item_time.load(Ordering::Relaxed).saturating_mul(items) / 1000);
    let note = |groups: u64, spent: Duration| {
        let time = spent.as_nanos() * 1000 / u128::from((groups * items).max(1));
        kernel.item_time.store(u64::try_from(time).unwrap_or(0), Ordering::Relaxed);
    };
    let estimate = times(group, total);
    let is_near = estimate >= SHORTEST && wakeup::is_near(standby(part));
    // Of few groups the first may be most of the work, and of many long ones it is time that others lose.
    if estimate >= SHORTEST
        && (group >= ALONE || looking.is_none_or(ContentionHistory::knows_alone))
        && estimate >= wakeup::least(is_near, start)
    {
        let helped = Helped::new(estimate, total, threads, part);
        let lost = if is_near { Duration::ZERO } else { wakeup::cost() };
        let chunk = chunk(group.as_nanos(), total, helped.threads);
        share_groups(parts, work, (0, total, chunk), runner, (start, crowd(helped.threads)), helped)?;
        let (spent, threads) = (start.elapsed(), helped.threads as u64);
        note(total, times(spent, threads).saturating_sub(times(lost, threads - 1)).max(spent / 2));
        return Ok(());
    }
    let (mut done, mut step) = (0, 1);
    let mut spent = Duration::ZERO;
    let rest = loop {
        let next = (done + step).min(total);
        work.run_groups(runner, parts, done, next)?;
        done = next;
        // Looks at the clock a few times only; a launch that is short so far is not long at its end.
        if done == total && spent < SHORTEST / 4 {
            return Ok(());
        }
        spent = start.elapsed();
        if done == total {
            if wakeup::note_alone(start, spent) {
                note(total, spent);
            }
            return Ok(());
        }
        step = (step * 2).min(total - done);
        if spent >= ALONE {
            let rest = times(spent, total - done) / u32::try_from(done).unwrap_or(u32::MAX);
            if rest >= wakeup::least(wakeup::is_near(standby(part)), start) {
                break rest;
            }
            // The rest may take longer than what is done says.
            step = step.min((done * ALONE.as_nanos() as u64).div_ceil(spent.as_nanos() as u64));
        }
    };
    note(done, spent);
    if let Some(contention) = looking {
        contention.note_alone(done * items, spent);
    }
    let helped = Helped::new(rest, total - done, threads, part);
    let chunk = chunk(spent.as_nanos() / u128::from(done), total - done, helped.threads);
    share_groups(parts, work, (done, total, chunk), runner, (start, crowd(helped.threads)), helped)
}

fn times(time: Duration, count: u64) -> Duration {
    time.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))
}

/// How many groups a thread claims at once, if one takes so many nanoseconds.
fn chunk(group: u128, groups: u64, threads: usize) -> u64 {
    let worth = (CHUNK.as_nanos() / group.max(1)) as u64;
    let fair = groups.div_ceil(threads as u64 * 8);
    worth.min(fair).max(1)
}

/// Who helps.
#[derive(Clone, Copy)]
struct Helped<'a> {
    threads: usize,
    part: Option<&'a CpuSet>,
}

impl Helped<'_> {
    /// With what takes one thread that long, so many groups.
    fn new(time: Duration, groups: u64, threads: usize, part: Option<&CpuSet>) -> Helped<'_> {
        let most = (time.as_nanos() / SHARE.as_nanos()).min(groups.into()).max(2);
        let threads = threads.min(usize::try_from(most).unwrap_or(threads));
        Helped { threads, part }
    }
}

/// Runs the groups from one to before another on several threads, in chunks.
fn share_groups(
    (kernel, inputs, handle): RunParts,
    work: &LaunchWork,
    (from, to, chunk): (u64, u64, u64),
    runner: &mut Runner,
    (start, crowd): (Instant, Option<ContentionProbe>),
    helped: Helped<'_>,
) -> Result<(), Fault> {
    let contention = kernel.contention.as_ref();
    let all = work.grid.len() * work.grid.local().iter().product::<u64>();
    let (kernel, inputs, handle) = (Arc::clone(kernel), inputs.clone(), handle.cloned());
    let work = work.clone();
    let run = move |runner: &mut Runner, from, to| {
        work.run_groups(runner, (&kernel, &inputs, handle.as_ref()), from, to)
    };
    let job = Arc::new(Job::new(Box::new(run), from, to, chunk, helped.threads).looks(crowd));
    share(&job, runner, helped);
    job.wait(wakeup::spin_budget())?;
    if let Some(contention) = contention {
        let is_better_alone = job.crowd().and_then(ContentionProbe::is_better_alone);
        if is_better_alone != Some(true) {
            contention.note_shared(all, start.elapsed());
        }
        if let Some(is_better_alone) = is_better_alone {
            contention.learn(is_better_alone);
        }
    }
    Ok(())
}

/// Does `what` with ranges that make up `0..total`, one for each thread but none shorter than `least` (the last one may
/// be), on this thread and the pool's: everywhere, or on a part of the device. Returns when all are done; threads that are
/// busy with something else are not waited for, and if it is not worth to wake them, as `time` on one thread says, this one does all.
/// Panics if `what` has, on whatever thread.
pub fn split(
    total: u64,
    least: u64,
    part: Option<&CpuSet>,
    time: Duration,
    what: impl Fn(u64, u64) + Copy + Send + Sync + 'static,
) {
    let chunk = total.div_ceil(threads(part) as u64).max(least).max(1);
    if time >= SHORTEST && with_standby(total, chunk, part, what) {
        return;
    }
    let start = Instant::now();
    if time < wakeup::least(wakeup::is_near(standby(part)), start) {
        what(0, total);
        if time >= SHORTEST && chunk < total {
            // Caches may have made it shorter than that, but it takes little to share.
            wakeup::record_serial_run(start, start.elapsed());
        }
        return;
    }
    in_chunks(total, chunk, part, what);
}

/// Does the first chunk, and has threads that stand by do the others; if there are not so many, does nothing and says so.
fn with_standby(
    total: u64,
    chunk: u64,
    part: Option<&CpuSet>,
    what: impl Fn(u64, u64) + Copy + Send + Sync,
) -> bool {
    let others = total.div_ceil(chunk).saturating_sub(1) as usize;
    if others == 0 || others > AT_ONCE {
        return false;
    }
    let held: SmallVec<[_; AT_ONCE]> = standby(part).hold(others).collect();
    if held.len() < others {
        return false;
    }
    let mut lent: SmallVec<[_; AT_ONCE]> = SmallVec::new();
    for (held, at) in held.into_iter().zip(1..) {
        let (from, to) = (at * chunk, total.min((at + 1) * chunk));
        // SAFETY: this function does not return, and does not panic, before nobody does it any more.
        let order = WorkerTask::Part(unsafe { InlineTask::new(&what, from, to) });
        lent.push((held.lend(order), from, to));
    }
    let contained = |from, to| contained(|| what(from, to));
    let mut is_well = contained(0, chunk);
    for (lent, from, to) in lent {
        is_well &= match lent.end(wakeup::spin_budget) {
            TaskEnd::Done => true,
            TaskEnd::Failed => false,
            TaskEnd::TakenBack => contained(from, to),
        };
    }
    assert!(is_well, "a thread has panicked");
    true
}

/// The same with ranges of `chunk` but for the last one, which threads claim one after the other.
pub fn in_chunks(
    total: u64,
    chunk: u64,
    part: Option<&CpuSet>,
    what: impl Fn(u64, u64) + Send + Sync + 'static,
) {
    let run = move |_: &mut Runner, from, to| {
        what(from, to);
        Ok(())
    };
    let helped = Helped { threads: threads(part), part };
    let job = Arc::new(Job::new(Box::new(run), 0, total, chunk, helped.threads));
    share(&job, &mut Runner::default(), helped);
    // Nothing else is a fault here.
    assert!(job.wait(wakeup::spin_budget()).is_ok(), "a thread has panicked");
}

/// How many threads there are, everywhere or on a part of the device.
pub(super) fn threads(part: Option<&CpuSet>) -> usize {
    part.map_or_else(compute_units, |part| part.cpus().len())
}

/// Calls the other threads that have something to do and takes this one's share.
fn share(job: &Arc<Job>, runner: &mut Runner, helped: Helped<'_>) {
    let standby = standby(helped.part);
    let asleep_since = (!standby.has_free(|| false)).then(Instant::now);
    let call = Call { job: Arc::clone(job), home: cpu_set::here() };
    let others = job.threads() - 1;
    let wake = |woken: Woken| {
        spawn(helped.part, woken);
    };
    call.threads(others, standby, asleep_since, wake);
    if let Some(begin) = asleep_since.filter(|_| others > 0) {
        // Who was woken here finds that out and leaves.
        std::thread::yield_now();
        wakeup::note_overhead(begin.elapsed());
    }
    while job.run_chunks(runner, 0) {
        call.threads(others, standby, None, wake);
    }
}

/// What a thread is woken for.
type Woken = Box<dyn FnOnce() + Send>;

/// What a thread that stands by is to do.
pub(super) enum WorkerTask {
    Called(Called),
    Part(InlineTask),
}

// Whoever sees that there is something has all of it.
const _: () = assert!(size_of::<Mailbox<WorkerTask>>() <= 64);

impl WorkerTask {
    fn run(self, standby: &Arc<IdleWorkers<WorkerTask>>) -> bool {
        match self {
            WorkerTask::Called(called) => called.run(standby, false),
            WorkerTask::Part(part) => contained(|| part.run()),
        }
    }
}

/// What called threads are to do: to take part, and to call so many others.
pub(super) struct Called {
    call: Call,
    others: usize,
    /// If it sleeps, as of then.
    asleep_since: Option<Instant>,
    /// Over when whatever the job holds is let go.
    _task: Task,
}

impl Called {
    fn run(self, standby: &Arc<IdleWorkers<WorkerTask>>, was_asleep: bool) -> bool {
        contained(|| self.call.run_chunks(self.others, standby, self.asleep_since, was_asleep))
    }
}

/// What calls threads of the pool to take part.
#[derive(Clone)]
struct Call {
    job: Arc<Job>,
    /// The processor of the thread that waits, which they leave.
    home: Option<usize>,
}

impl Call {
    /// Has so many threads take part: those that stand by, and others by `wake`, if they were asleep as of then. The first ones
    /// call the rest, so that the last one comes after a time that grows with the logarithm of their number.
    fn threads(
        &self,
        count: usize,
        standby: &Arc<IdleWorkers<WorkerTask>>,
        asleep_since: Option<Instant>,
        wake: impl Fn(Woken),
    ) {
        for count in halves(count) {
            if count == 0 || self.job.is_claimed() {
                return;
            }
            let called = Called { call: self.clone(), others: count - 1, asleep_since, _task: Task::new() };
            if let Err(WorkerTask::Called(called)) =
                standby.hand_over(WorkerTask::Called(called), 2 * place())
            {
                let standby = Arc::clone(standby);
                wake(Box::new(move || {
                    called.run(&standby, true);
                    standby.run_idle(wakeup::spin_budget, |order| order.run(&standby));
                }));
            }
        }
    }

    /// Calls so many others and does what they do. Whoever was asleep may be late.
    fn run_chunks(
        &self,
        others: usize,
        standby: &Arc<IdleWorkers<WorkerTask>>,
        asleep_since: Option<Instant>,
        was_asleep: bool,
    ) {
        self.threads(others, standby, None, wake_beside);
        if let Some(home) = self.home {
            cpu_set::leave(home);
        }
        if let Some(begin) = asleep_since {
            wakeup::note_latency(begin.elapsed());
        }
        if was_asleep && self.job.is_claimed() {
            return;
        }
        // Threads of the pool stay on their processors, mostly.
        while self.job.run_chunks(&mut Runner::default(), place()) {
            self.threads(self.job.threads() - 1, standby, None, wake_beside);
        }
    }
}

/// How many threads come by each of the two that a thread wakes, these included.
fn halves(count: usize) -> [usize; 2] {
    [count.div_ceil(2), count / 2]
}

/// Has a thread of the pool do something; says whether there is one. A panic ends there: a thread that waits for the work
/// must notice by itself that it is not done.
pub(super) fn spawn(part: Option<&CpuSet>, what: impl FnOnce() + Send + 'static) -> bool {
    let what = || {
        contained(what);
    };
    let pool = match part {
        None => pool(),
        Some(part) => part.pool(),
    };
    pool.map(|pool| pool.spawn(what)).is_some()
}

/// The number of the calling thread among those of its pool, from 1; 0 elsewhere.
pub(super) fn place() -> usize {
    rayon::current_thread_index().map_or(0, |index| index + 1)
}

/// The same anywhere, for what nobody waits for.
pub fn in_background(what: impl FnOnce() + Send + 'static) {
    spawn(None, what);
}

/// How many threads there are beside one.
pub fn other_threads() -> usize {
    compute_units() - 1
}

/// The same in the pool of the calling thread, which has one.
fn wake_beside(woken: Woken) {
    rayon::spawn(|| {
        contained(woken);
    });
}

/// Whether it did not panic.
fn contained(what: impl FnOnce()) -> bool {
    bug::contained("a thread of the pool", what).is_ok()
}

/// Threads of the pool that stand by.
fn standby(part: Option<&CpuSet>) -> &Arc<IdleWorkers<WorkerTask>> {
    static ALL: Global<Arc<IdleWorkers<WorkerTask>>> = Global::of_threads();
    match part {
        None => ALL.get(|| Arc::new(IdleWorkers::new(other_threads()))),
        Some(part) => part.standby(),
    }
}

/// The pool of this process. None if no thread can be started: the caller then does everything.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: thread::LazyThreadPool = thread::LazyThreadPool::new();
    let first = || {
        cpu_set::unbind();
        super::note_thread();
    };
    POOL.get("grus", compute_units(), first)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    /// After how many wakings, one after the other, the last of so many threads comes.
    fn last(count: usize) -> usize {
        let [first, second] = halves(count);
        let after = |at: usize, count: usize| if count == 0 { 0 } else { at + last(count - 1) };
        after(1, first).max(after(2, second))
    }

    #[test]
    fn threads_come_in_the_time_of_a_tree() {
        for count in 0..2000_usize {
            assert_eq!(halves(count).iter().sum::<usize>(), count);
            assert!(last(count) <= 2 * (count + 1).ilog2() as usize, "{count}: {}", last(count));
        }
        assert_eq!([1, 3, 63, 127].map(last), [1, 2, 10, 12]);
    }

    /// Runs a job of many chunks that looks, by four threads; what a chunk takes, in microseconds, is told by how many run. Says
    /// whether one thread was better.
    fn looked(time: fn(u64) -> u64) -> Option<bool> {
        const CHUNKS: u64 = 60;
        let (running, ran) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let (inside, count) = (Arc::clone(&running), Arc::clone(&ran));
        let run = move |_: &mut Runner, from, to| {
            let together = inside.fetch_add(1, Ordering::Relaxed) + 1;
            std::thread::sleep(Duration::from_micros(time(together)));
            inside.fetch_sub(1, Ordering::Relaxed);
            count.fetch_add(to - from, Ordering::Relaxed);
            Ok(())
        };
        let crowd = ContentionProbe::new(500_000, 4);
        let job = Arc::new(Job::new(Box::new(run), 0, CHUNKS, 1, 4).looks(Some(crowd)));
        let run_chunks = |place: usize| {
            let job = Arc::clone(&job);
            std::thread::spawn(move || while job.run_chunks(&mut Runner::default(), place) {})
        };
        let threads: Vec<_> = (0..4).map(run_chunks).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        job.wait(wakeup::spin_budget()).unwrap();
        assert_eq!((ran.load(Ordering::Relaxed), job.is_claimed()), (CHUNKS, true));
        job.crowd().unwrap().is_better_alone()
    }

    /// Splits again and again, so that threads are awake; by parts of so many.
    #[test]
    fn every_part_is_done_once() {
        static DONE: [AtomicU64; 1000] = [const { AtomicU64::new(0) }; 1000];
        let long = Duration::from_millis(1);
        for round in 1..=3000 {
            let what = |from: u64, to: u64| {
                for done in &DONE[from as usize..to as usize] {
                    done.fetch_add(1, Ordering::Relaxed);
                }
            };
            split(1000, 1 + round % 600, None, long, what);
            assert!(DONE.iter().all(|done| done.load(Ordering::Relaxed) == round));
        }
    }

    #[test]
    fn a_part_that_panics_is_told_of_when_all_are_done() {
        let long = Duration::from_millis(1);
        for bad in [0, 999] {
            static ENDED: AtomicU64 = AtomicU64::new(0);
            let split = || {
                split(1000, 1, None, long, move |from, to| {
                    assert!(!(from..to).contains(&bad), "as it should");
                    ENDED.fetch_add(to - from, Ordering::Relaxed);
                });
            };
            // The first one wakes somebody.
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
    fn every_chunk_is_run_whoever_leaves() {
        // In each other's way, if they meet.
        looked(|running| if running > 1 { 20_000 } else { 500 });
        // Or just longer than the first.
        assert!(looked(|_| 5_000).is_some());
    }
}
