//! Numbers that decide how launches are divided and shared, with what set them.
//!
//! Costs differ by small factors from machine to machine, so no number may stand at an edge. Those of plans are fields of
//! [`Tuning`]: `scheduler::simulation` halves and doubles each of them, and checks how much the times of its launches
//! change. Figures of machines are in docs/performance.md.

use std::time::Duration;

/// Numbers that plans depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tuning {
    /// Minimum run time of work that is shared with idle workers.
    pub min_shared: Duration,
    /// Time for which a launch of unknown length runs on the launching thread only.
    pub serial_start: Duration,
    /// The first step of a launch that was short the last time is this part of its groups.
    pub first_part: u64,
    /// Minimum run time for each thread that takes part.
    pub min_per_thread: Duration,
    /// Time by which each thread that takes part delays the end of a launch: it takes its turn at the cache line that
    /// counts what is done.
    pub thread_cost: Duration,
    /// Time by which each thread in another NUMA node than that of the first one delays the end of a launch.
    pub far_thread_cost: Duration,
    /// Minimum run time of a chunk, if each thread gets two such chunks: to claim one takes the transfer of a cache line.
    pub min_chunk: Duration,
    /// Maximum run time of a chunk, unless one group takes longer.
    pub max_chunk: Duration,
    /// Minimum number of chunks of each thread, if there are as many groups.
    pub chunks_per_thread: u64,
    /// Time for which a waiting or idle thread spins before it sleeps.
    pub spin: Duration,
    /// Maximum pause between launches for which workers stay idle instead of asleep, if the pauses before were as
    /// short: a program in Python takes 50 to 300 µs from one launch to the next.
    pub max_pause: Duration,
    /// Time by which each doubling of the number of threads delays the work if they are woken: each wakes two.
    pub wake_level: Duration,
    /// Lower and upper bound of the estimated cost of waking threads, which is measured.
    pub wake_cost: [Duration; 2],
}

const fn micros(count: u64) -> Duration {
    Duration::from_micros(count)
}

impl Tuning {
    /// Numbers that launches use.
    pub const MEASURED: Tuning = Tuning {
        // Source: launches and transfers of 4 µs and more gain, Zen 5, 2026-11-28.
        min_shared: micros(4),
        // Source: simulation; below the cost of waking, so that what is woken for is known to be long.
        serial_start: micros(15),
        // Source: simulation; a launch that is longer than the last one loses an eighth at most.
        first_part: 8,
        // Source: launches of 10 to 100 µs on 16 and 32 CPUs of a Xeon, 2026-11-30.
        min_per_thread: micros(3),
        // Source: simulation; more CPUs are then never slower, from 1 to 128.
        thread_cost: Duration::from_nanos(200),
        // Source: simulation; a second node is then hardly a loss.
        far_thread_cost: Duration::from_nanos(400),
        // Source: simulation; several times what a claim takes.
        min_chunk: micros(1),
        // Source: simulation; what a thread that is preempted holds up.
        max_chunk: micros(10),
        // Source: simulation; fewer make threads wait for the last, more are claimed too often.
        chunks_per_thread: 8,
        // Source: twice what waking takes.
        spin: micros(100),
        // Source: launches after pauses of 200, 400 and 800 µs, 16 cores of a Xeon, 2026-11-30.
        max_pause: micros(1000),
        // Source: simulation; with a larger one, launches after pauses take twice as long on 32 CPUs of a Xeon, 2026-12-01.
        wake_level: micros(15),
        // Source: waking takes 30 to 100 µs on Zen 5, 2026-11-28.
        wake_cost: [micros(20), micros(150)],
    };
}

/// Maximum number of idle workers that `split` hands ranges to directly. If it needs more, the work becomes a job.
// Arbitrary.
pub(crate) const MAX_INLINE_TASKS: usize = 7;

/// Number of times that a launching thread looks whether a busy worker has become idle.
// Arbitrary.
pub(crate) const IDLE_POLLS: usize = 30;

/// Weight of the last measurement in an average is one in so many.
// Arbitrary.
pub(crate) const AVERAGED: u64 = 8;

/// Contention of atomic operations: see `scheduler::contention` and `scheduler::contention_probe`.
pub(crate) mod contention {
    use std::time::Duration;

    /// Number of launches that run serially once consecutive verdicts have favored that. It is limited because
    /// arguments change, and because the operating system may have preempted a thread during the probe.
    // Arbitrary.
    pub const SERIAL_LAUNCHES: i64 = 16;

    /// Number of consecutive verdicts for serial execution after which launches run serially.
    // Arbitrary.
    pub const MIN_SERIAL_VERDICTS: u64 = 2;

    /// Number of launches that run in parallel without a probe, after the first, the second, and each further
    /// consecutive verdict for parallel execution.
    // Arbitrary.
    pub const PARALLEL_LAUNCHES: [i64; 3] = [4, 16, 64];

    /// Number of launches whose serial start was measured before the time per work-item is trusted: in the first one
    /// the caches are cold.
    // Arbitrary.
    pub const MIN_SAMPLES: u64 = 3;

    /// Time below which the first chunk of a thread is not compared: its caches are cold.
    // Arbitrary.
    pub const MAX_COLD_CHUNK_TIME: Duration = Duration::from_micros(500);
}

/// Trials of a kernel's compilation tiers: see `tier_trial`.
pub(crate) mod trial {
    use std::time::Duration;

    /// Time that launches of a kernel take, on all threads together, before large bodies are vectorized.
    // Source: about the time that compiling a large kernel takes.
    pub const MIN_BUSY_TIME: Duration = Duration::from_millis(50);

    /// Wall-clock time that they take before code with other numbers of lanes is tried.
    // Source: five times what a trial costs of code that is six times slower.
    pub const MIN_RUN_TIME: Duration = Duration::from_millis(100);

    /// The time on all threads together is at least this multiple of the time that compiling the first code took.
    // Arbitrary: compiling remains a small part.
    pub const MIN_BUSY_PER_COMPILE_TIME: u32 = 10;

    /// Time on one thread from which on launches are measured. Clocks and locks cost as much as the shortest launches.
    // Source: launch-finish of the suite on 16 CPUs of a Xeon, 2026-12-01.
    pub const MIN_MEASURED: Duration = Duration::from_micros(20);

    /// Number of turns in which two codes are compared, a multiple of 8.
    // Arbitrary: three groups of four, whose median counts, after one in which caches are cold.
    pub const TURNS: usize = 16;

    /// Minimum time of a turn, in which several short launches run the same code.
    // Source: times of single launches of 0.1 ms differ by half from run to run.
    pub const MIN_TURN_TIME: Duration = Duration::from_micros(300);

    /// Ratio of times at which a comparison ends early.
    // Source: FinanceBench's Monte-Carlo kernel on 16 CPUs takes 0.13 s, and code with one lane six times as long.
    pub const CLEAR_FACTOR: f64 = 2.0;

    /// Percentage of the time of the best code below which another one is better, and below which one measurement may
    /// contradict that.
    // Source: times of the same code differ by several percent from run to run.
    pub const MAX_PERCENT_OF_TIME: f64 = 95.0;
    pub const CLEAR_PERCENT_OF_TIME: f64 = 80.0;

    /// Wall-clock time of a part of a launch in which code is compared, and of one in which a comparison may begin.
    // Arbitrary: long beside the few microseconds that each part costs.
    pub const COMPARED_PART: Duration = Duration::from_millis(1);
    pub const PART: Duration = Duration::from_millis(10);

    /// Minimum number of work-groups of a part for each thread: threads wait for the last one.
    // Arbitrary.
    pub const MIN_GROUPS_PER_THREAD: u64 = 2;

    /// The first part of a launch whose time is unknown is this part of its groups.
    // Arbitrary.
    pub const FIRST_PART: u64 = 64;
}

/// Division of ranges into groups, if the kernel cannot see groups: see `range`.
pub(crate) mod merging {
    /// Minimum number of work-items of a merged group, if the range has as many.
    // Arbitrary.
    pub const MIN_ITEMS: u64 = 64;

    /// Number of merged groups per thread, so that a thread that starts late still finds work.
    // Arbitrary.
    pub const GROUPS_PER_THREAD: u64 = 8;

    /// Maximum number of merged groups per thread. More groups balance the load better and cost less if a thread starts
    /// late.
    // Arbitrary.
    pub const MAX_GROUPS_PER_THREAD: u64 = 32;

    /// Minimum run time of a merged group in picoseconds, if the time per work-item is known.
    // Arbitrary.
    pub const MIN_GROUP_PICOS: u64 = 20_000_000;

    /// Number of merged groups per thread in a first launch that probes for contention: short groups give an early
    /// verdict.
    // Source: ten million exchanges at one place by 1024 work-items, Zen 5 (docs/performance.md).
    pub const PROBE_GROUPS_PER_THREAD: u64 = 128;

    /// Maximum number of merged groups per thread if a launch is run in parts: parts of a few groups should be short.
    // Source: a launch of FinanceBench's Monte-Carlo kernel, 400,000 work-items of 13 µs on 2 threads, 2026-12-01.
    pub const PARTS_GROUPS_PER_THREAD: u64 = 512;

    /// Number of merged groups per thread for strided loops: in each iteration a group should access a long contiguous
    /// segment.
    // Arbitrary.
    pub const STRIDED_GROUPS_PER_THREAD: u64 = 1;

    /// Number of adjacent work-items whose contiguous segment is long enough for full memory bandwidth. Each halving
    /// slows access down by `HALVING_SLOWDOWN_PERCENT` percent of the full-bandwidth time.
    // Source: two threads on segments of some KiB take 2 to 4 times as long as one thread on one segment (commit bc10795).
    pub const LONG_SEGMENT_ITEMS: u64 = 1 << 15;
    pub const HALVING_SLOWDOWN_PERCENT: u64 = 40;

    /// Number of work-items from which on a range with a loop in its steps is not enlarged to one for each iteration,
    /// because its segments are long enough.
    // Arbitrary.
    pub const MIN_LONG_RANGE: u64 = 1 << 16;
}
