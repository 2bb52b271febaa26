//! Simulation of launches on machines of up to 128 CPUs, by discrete events: the plans, the costs of waking and the
//! division into chunks are those of the scheduler; run times, transfers of cache lines and waking take simulated time.
//!
//! `docs/design/scheduling.md` compares it with machines.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter;
use std::ops::Range;
use std::time::{Duration, Instant};

use super::super::tuning::Tuning;
use super::chunk_scheduler::{ChunkScheduler, WorkerCursor};
use super::contention::ProbePlan;
use super::halves;
use super::idle_workers::Presence;
use super::plan::{Known, Plan, SharedRun};
use super::wakeup::{History, WakeCosts};

/// Costs of a machine in nanoseconds.
#[derive(Clone, Copy)]
struct Machine {
    cpus: usize,
    /// Number of NUMA nodes, which have the same number of CPUs each.
    nodes: usize,
    /// Transfer of a cache line from one CPU to another, in the same node and in different ones.
    line: [u64; 2],
    /// Turn at a line that many CPUs change one after the other, after a CPU of the same node and after another.
    turn: [u64; 2],
    /// Time from waking to the woken thread's first instruction.
    wake: u64,
    /// Time that the waking thread spends on it.
    wake_overhead: u64,
    /// Number of CPUs that another program uses, too: it gets every second time slice of 3 ms.
    busy_cpus: usize,
}

/// Nanoseconds for enqueueing a launch, for creating a job, and for reading the clock.
// Source: an empty launch and the clock on Zen 5; a job so that shared launches are about those of a Xeon (docs/performance.md).
const LAUNCH: u64 = 250;
const JOB: u64 = 2000;
const CLOCK: u64 = 25;

/// Time of a group whose memory is another node's, in percent of its time otherwise.
// Source: local and remote memory of machines with two sockets are about 90 and 140 ns away.
const FAR_GROUP: u64 = 160;

/// Time slice of a program that uses the same CPU.
// Source: the shortest slice of Linux's scheduler.
const SLICE: u64 = 3_000_000;

impl Machine {
    /// Creates a machine with costs between those of two CPUs that share a cache and those of distant CPUs.
    const fn of(cpus: usize) -> Machine {
        Machine {
            cpus,
            nodes: 1,
            line: [120, 300],
            turn: [60, 100],
            wake: 50_000,
            wake_overhead: 5_000,
            busy_cpus: 0,
        }
    }

    /// Creates a machine with two sockets.
    const fn of_two_nodes(cpus: usize) -> Machine {
        Machine { nodes: 2, ..Machine::of(cpus) }
    }

    fn node(&self, cpu: usize) -> usize {
        cpu * self.nodes / self.cpus
    }

    /// Returns what the transfer of a cache line from one CPU to the other takes.
    fn line(&self, from: usize, to: usize) -> u64 {
        self.line[self.distance(from, to)]
    }

    /// Returns 0 for CPUs of one node, 1 for others.
    fn distance(&self, from: usize, to: usize) -> usize {
        usize::from(self.node(from) != self.node(to))
    }

    /// Returns when a thread on this CPU has run for `time` from `now` on.
    fn run(&self, cpu: usize, mut now: u64, mut time: u64) -> u64 {
        // The launching thread's CPU is the last to be shared.
        if cpu == 0 || self.cpus - cpu > self.busy_cpus {
            return now + time;
        }
        loop {
            let (slice, at) = (now / SLICE, now % SLICE);
            if slice.is_multiple_of(2) {
                let ran = time.min(SLICE - at);
                (now, time) = (now + ran, time - ran);
                if time == 0 {
                    return now;
                }
            }
            now = (now / SLICE + 1) * SLICE;
        }
    }
}

/// Process that launches one kernel again and again from one thread.
struct Process<'a> {
    machine: Machine,
    tuning: Tuning,
    begin: Instant,
    now: u64,
    /// Time up to which each worker is idle, by CPU; 0 for the launching thread.
    idle_until: Vec<u64>,
    costs: WakeCosts,
    history: History,
    /// Nanoseconds of each group.
    group: &'a dyn Fn(u64) -> u64,
    /// Nanoseconds per group as the profile of the kernel has it; 0 if unknown.
    profile: u64,
    /// Node of the memory of each group: that of the thread that has run it in the first launch.
    homes: Vec<usize>,
    /// Number of groups that were run in another node than that of their memory.
    far_groups: u64,
}

/// Thread in a shared run: time of its next action, CPU, and if it has just begun its number and those of the
/// threads that it recruits, and whether it was asleep.
type Event = (u64, usize, Option<(u32, u32, bool)>);

impl<'a> Process<'a> {
    fn new(machine: Machine, tuning: Tuning, group: &'a dyn Fn(u64) -> u64) -> Process<'a> {
        let idle_until = vec![0; machine.cpus];
        let (costs, history) = (WakeCosts::new(), History::default());
        // The first microsecond is not 0, which stands for workers that never ran.
        Process {
            machine,
            tuning,
            begin: Instant::now(),
            now: 1000,
            idle_until,
            costs,
            history,
            group,
            profile: 0,
            homes: Vec::new(),
            far_groups: 0,
        }
    }

    /// Returns what these groups take on a CPU.
    fn groups_time(&mut self, cpu: usize, groups: Range<u64>) -> u64 {
        let node = self.machine.node(cpu);
        let mut time = 0;
        for group in groups {
            let home = &mut self.homes[group as usize];
            if *home == usize::MAX {
                *home = node;
            }
            let is_far = *home != node;
            self.far_groups += u64::from(is_far);
            time += (self.group)(group) * if is_far { FAR_GROUP } else { 100 } / 100;
        }
        time
    }

    fn instant(&self, time: u64) -> Instant {
        self.begin + Duration::from_nanos(time)
    }

    /// Launches `groups` groups and waits; returns the nanoseconds that it took.
    fn launch(&mut self, groups: u64) -> u64 {
        let (begin, tuning) = (self.now, self.tuning);
        self.homes.resize(groups as usize, usize::MAX);
        self.now += LAUNCH;
        let known = Known {
            groups,
            group_time: Duration::from_nanos(self.profile),
            threads: self.machine.cpus,
            near_threads: self.machine.cpus / self.machine.nodes,
            probe_plan: ProbePlan::Parallel,
            is_sample_needed: false,
        };
        let started = self.now;
        let is_idle = self.idle_until.iter().any(|&until| until >= started);
        let workers = if is_idle { Presence::Idle } else { Presence::Asleep };
        let begun = self.instant(started);
        let history = Cell::new(self.history);
        let sharing_cost = |costs: &WakeCosts| {
            let mut now = history.get();
            let cost = costs.sharing_cost(&tuning, &mut now, workers, begun);
            history.set(now);
            cost
        };
        let mut plan = Plan::new(&tuning, &known, || sharing_cost(&self.costs));
        let mut shared = None;
        loop {
            match plan {
                Plan::Serial => {
                    self.now += self.groups_time(0, 0..groups);
                    break;
                }
                Plan::SerialStart(serial) => {
                    let (from, to) = serial.range();
                    self.now += self.groups_time(0, from..to);
                    if !serial.reads_clock(&tuning) {
                        break;
                    }
                    self.now += CLOCK;
                    let spent = Duration::from_nanos(self.now - started);
                    if known.measures_beginning(&tuning) || serial.is_last() {
                        self.profile = (spent.as_nanos() as u64 / to).max(1);
                    }
                    if serial.is_last() {
                        if spent >= tuning.min_shared {
                            let mut now = history.get();
                            self.costs.record_serial_run(&tuning, &mut now, begun, spent);
                            history.set(now);
                        }
                        break;
                    }
                    plan = serial.next(&tuning, spent, || sharing_cost(&self.costs));
                }
                Plan::Share(run) => {
                    shared = Some(run);
                    break;
                }
            }
        }
        self.history = history.get();
        if let Some(run) = shared {
            let serial = self.now - started;
            let busy = self.share(run);
            self.profile = serial.checked_div(run.from).unwrap_or(busy / groups).max(1);
            self.history.record_shared_run(self.instant(self.now));
        }
        self.now - begin
    }

    /// Runs the groups of a job. Returns the time that all threads together spend on them.
    fn share(&mut self, run: SharedRun) -> u64 {
        let (machine, tuning) = (self.machine, self.tuning);
        let chunks = ChunkScheduler::new(run.from, run.to, run.chunk, run.threads);
        let threads = chunks.threads() as u32;
        self.now += JOB + 10 * u64::from(threads);
        let mut events = BinaryHeap::from([Reverse((self.now, 0, Some((0, threads, false))))]);
        let mut cursors: Vec<Option<WorkerCursor>> = (0..self.machine.cpus).map(|_| None).collect();
        let mut spent = vec![0; self.machine.cpus];
        let mut is_taken = vec![false; self.machine.cpus];
        // When the line of the remaining work is free, and when the work is done.
        let (mut progress, mut done, mut last) = (self.now, self.now, 0);
        while let Some(Reverse((now, cpu, begins))) = events.pop() {
            let mut now = now;
            if let Some((number, end, was_asleep)) = begins {
                let has_idle = self.idle_until.iter().any(|&until| until >= now);
                let numbers = number + 1..end;
                now = self.recruit((now, cpu), numbers, run.wakes, &chunks, &mut is_taken, &mut events);
                if cpu == 0 && !has_idle {
                    self.costs.record_overhead(&tuning, Duration::from_nanos(now - self.now));
                }
                if was_asleep && chunks.is_empty() {
                    self.idle_until[cpu] = now + self.costs.idle_time(&self.tuning).as_nanos() as u64;
                    continue;
                }
                cursors[cpu] = Some(chunks.cursor(number as usize));
                now += machine.line(0, cpu);
            }
            let cursor = cursors[cpu].as_mut().expect("the thread has begun");
            let before = cursor.exhausted();
            let mut reports = false;
            let claimed = chunks.claim(cursor, || reports = true);
            let searched = (before + 1..=cursor.exhausted()).map(|at| (cpu + at) % threads as usize);
            now += searched.map(|other| machine.line(other, cpu)).sum::<u64>() + 5;
            if reports && spent[cpu] > 0 {
                progress = progress.max(now) + machine.turn[machine.distance(last, cpu)];
                last = cpu;
                (now, done) = (progress, done.max(progress));
            }
            match claimed {
                Some((from, to)) => {
                    let time = self.groups_time(cpu, from..to);
                    spent[cpu] += time;
                    let stolen = if before > 0 { machine.line[0] } else { 0 };
                    let end = machine.run(cpu, now + stolen, time);
                    done = done.max(end + machine.line(cpu, 0));
                    events.push(Reverse((end, cpu, None)));
                }
                None if cpu == 0 => self.now = now,
                None => {
                    self.idle_until[cpu] = now + self.costs.idle_time(&self.tuning).as_nanos() as u64;
                }
            }
        }
        self.now = self.now.max(done) + machine.line[0];
        spent.iter().sum()
    }

    /// Recruits the threads of these numbers from a time on, on a CPU. Returns when the recruiting thread goes on. A
    /// thread's CPU is the one of its number if that is free: the worker in the slot of the number is awake, or one is
    /// woken in the number's node.
    fn recruit(
        &mut self,
        (mut now, recruiter): (u64, usize),
        numbers: Range<u32>,
        wakes: bool,
        chunks: &ChunkScheduler,
        is_taken: &mut [bool],
        events: &mut BinaryHeap<Reverse<Event>>,
    ) -> u64 {
        let since = now;
        for mut numbers in halves(numbers) {
            while !numbers.is_empty() && !chunks.is_empty() {
                let wanted = numbers.start as usize;
                let is_free =
                    |cpu: &usize, is_idle: bool| !is_taken[*cpu] && (self.idle_until[*cpu] >= now) == is_idle;
                let cpus = self.machine.cpus;
                let mut others = iter::once(wanted).chain(chunks.threads()..cpus);
                let idle = others.find(|cpu| is_free(cpu, true));
                let mut sleepers = iter::once(wanted).chain(1..cpus);
                let woken = sleepers.find(|cpu| wakes && idle.is_none() && is_free(cpu, false));
                let begins = |was_asleep| (numbers.start, numbers.end, was_asleep);
                if let Some(cpu) = idle {
                    is_taken[cpu] = true;
                    let line = self.machine.line(recruiter, cpu);
                    now += line;
                    events.push(Reverse((now + line, cpu, Some(begins(false)))));
                    break;
                }
                if let Some(cpu) = woken {
                    is_taken[cpu] = true;
                    let begin = self.machine.run(cpu, now + self.machine.wake, 0);
                    now += self.machine.wake_overhead;
                    self.costs.record_latency(&self.tuning, Duration::from_nanos(begin - since));
                    events.push(Reverse((begin, cpu, Some(begins(true)))));
                    break;
                }
                numbers.start += 1;
            }
        }
        now
    }
}

/// Launches of `groups` groups, `work` nanoseconds in all on one thread, with pauses of `pause`.
#[derive(Clone, Copy, Debug)]
struct Launches {
    work: u64,
    groups: u64,
    pause: u64,
}

impl Launches {
    /// Mean nanoseconds of a launch, once the scheduler knows the kernel.
    fn time(self, machine: Machine, tuning: Tuning) -> f64 {
        let group = |_| self.work / self.groups;
        let mut process = Process::new(machine, tuning, &group);
        let launch = |process: &mut Process<'_>| {
            process.now += self.pause;
            process.launch(self.groups)
        };
        (0..20).for_each(|_| {
            launch(&mut process);
        });
        (0..20).map(|_| launch(&mut process)).sum::<u64>() as f64 / 20.0
    }

    fn all() -> impl Iterator<Item = Launches> {
        [1, 4, 8, 12, 16, 24, 32, 50, 100, 300, 1000, 10_000].into_iter().flat_map(|work| {
            [8, 64, 256, 2048].into_iter().flat_map(move |groups| {
                [0, 30, 200, 5000].map(|pause| Launches { work: work * 1000, groups, pause: pause * 1000 })
            })
        })
    }
}

const CPUS: [usize; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

#[test]
fn more_cpus_are_never_slower() {
    for launches in Launches::all() {
        let times = CPUS.map(|cpus| launches.time(Machine::of(cpus), Tuning::MEASURED));
        for at in 1..CPUS.len() {
            // To be ready to share, the clock is read a few times; and what hardly pays now may pay later.
            let allowance = if launches.work < 8_000 { 1000.0 } else { 4.0 * CLOCK as f64 };
            let limit = times[at - 1] * 1.05 + allowance;
            assert!(times[at] <= limit, "{launches:?}, {} CPUs: {times:.0?}", CPUS[at]);
        }
    }
}

#[test]
fn a_second_node_is_hardly_a_loss() {
    for launches in Launches::all() {
        for cpus in [2, 4, 8, 16, 32, 64] {
            let machines = [Machine::of(cpus), Machine::of_two_nodes(2 * cpus)];
            let [one, two] = machines.map(|machine| launches.time(machine, Tuning::MEASURED));
            // A thread may end with two groups whose memory is another node's.
            let far = 2 * launches.work / launches.groups * (FAR_GROUP - 100) / 100;
            let limit = one * 1.12 + far as f64 + if launches.work < 8_000 { 1000.0 } else { 0.0 };
            assert!(two <= limit, "{launches:?}, {cpus} CPUs: {one:.0}, with another node {two:.0}");
        }
    }
}

#[test]
fn groups_are_run_where_their_memory_is() {
    const LAUNCHES: u64 = 100;
    const GROUPS: u64 = 4096;
    for cpus in [4, 16, 64, 128] {
        for pause in [0, 200_000, 5_000_000] {
            // A hundredth of the groups take longer than others.
            let group = |number| if number % 100 == 7 { 3_000 } else { 1_000 };
            let mut process = Process::new(Machine::of_two_nodes(cpus), Tuning::MEASURED, &group);
            for _ in 0..LAUNCHES {
                process.now += pause;
                process.launch(GROUPS);
            }
            let far = process.far_groups as f64 / (LAUNCHES * GROUPS) as f64;
            assert!(far < 0.1, "{cpus}, {pause}: {far:.3}");
        }
    }
}

/// Returns the geometric mean of all launches on 2, 16 and 64 CPUs, and on two nodes with 16 CPUs each, in nanoseconds.
fn mean_time(tuning: Tuning) -> f64 {
    let machines = [Machine::of(2), Machine::of(16), Machine::of(64), Machine::of_two_nodes(32)];
    let times = machines
        .into_iter()
        .flat_map(|machine| Launches::all().map(move |launches| launches.time(machine, tuning).ln()));
    let (count, sum) = times.fold((0.0, 0.0), |(count, sum), time| (count + 1.0, sum + time));
    (sum / count).exp()
}

fn scale(time: &mut Duration, by: f64) {
    *time = time.mul_f64(by);
}

#[test]
fn no_number_stands_at_an_edge() {
    type Change = (&'static str, fn(&mut Tuning, f64));
    let changes: [Change; 13] = [
        ("min_shared", |tuning, by| scale(&mut tuning.min_shared, by)),
        ("serial_start", |tuning, by| scale(&mut tuning.serial_start, by)),
        ("first_part", |tuning, by| tuning.first_part = (tuning.first_part as f64 * by) as u64),
        ("min_per_thread", |tuning, by| scale(&mut tuning.min_per_thread, by)),
        ("thread_cost", |tuning, by| scale(&mut tuning.thread_cost, by)),
        ("far_thread_cost", |tuning, by| scale(&mut tuning.far_thread_cost, by)),
        ("chunks_per_thread", |tuning, by| {
            tuning.chunks_per_thread = (tuning.chunks_per_thread as f64 * by) as u64;
        }),
        ("min_chunk", |tuning, by| scale(&mut tuning.min_chunk, by)),
        ("max_chunk", |tuning, by| scale(&mut tuning.max_chunk, by)),
        ("spin", |tuning, by| scale(&mut tuning.spin, by)),
        ("max_pause", |tuning, by| scale(&mut tuning.max_pause, by)),
        ("wake_level", |tuning, by| scale(&mut tuning.wake_level, by)),
        ("wake_cost", |tuning, by| tuning.wake_cost.iter_mut().for_each(|time| scale(time, by))),
    ];
    let measured = mean_time(Tuning::MEASURED);
    for (name, change) in changes {
        let ratios = [0.5, 2.0].map(|by| {
            let mut tuning = Tuning::MEASURED;
            change(&mut tuning, by);
            mean_time(tuning) / measured
        });
        println!("{name}: halved {:.3}, doubled {:.3}", ratios[0], ratios[1]);
        assert!(ratios.iter().all(|ratio| (0.98..1.07).contains(ratio)), "{name}: {ratios:?}");
    }
}

#[test]
fn another_program_holds_up_a_launch_by_one_time_slice() {
    for cpus in [4, 16, 64] {
        let machine = Machine { busy_cpus: cpus / 4, ..Machine::of(cpus) };
        for work in [1_000_000, 100_000_000, 1_000_000_000] {
            let time = Launches { work, groups: 100_000, pause: 0 }.time(machine, Tuning::MEASURED);
            // Half of the time of a quarter of the CPUs is missing.
            let share = work as f64 / (cpus as f64 * 7.0 / 8.0);
            let most = share * 1.05 + 2.0 * SLICE as f64;
            assert!(time <= most, "{cpus} CPUs, {work}: {time:.0}, {share:.0}");
        }
    }
}

#[test]
fn the_longest_groups_take_no_longer_than_they_must() {
    for cpus in [2, 8, 32, 128] {
        for every in [50, 300] {
            let group = |number| if number % every == 7 { 1_000_000 } else { 2_000 };
            let mut process = Process::new(Machine::of(cpus), Tuning::MEASURED, &group);
            let times: Vec<u64> = (0..10).map(|_| process.launch(2000)).collect();
            let long = 2000_u64.div_ceil(every).div_ceil(cpus as u64);
            let least = (0..2000).map(group).sum::<u64>() / cpus as u64;
            let most = least.max(long * 1_000_000) + 1_000_000;
            assert!(times[1..].iter().all(|&time| time <= most), "{cpus}, {every}: {times:?}, {most}");
        }
    }
}

#[test]
fn launches_after_short_pauses_find_idle_workers() {
    for pause in [50, 200, 900] {
        let launches = Launches { work: 100_000, groups: 256, pause: pause * 1000 };
        let [alone, shared] = [1, 16].map(|cpus| launches.time(Machine::of(cpus), Tuning::MEASURED));
        assert!(shared * 5.0 < alone, "{pause}: {alone:.0} {shared:.0}");
    }
}

#[test]
fn times_are_those_of_machines() {
    // Microseconds of a launch on 1, 2, 4, 8 and 16 CPUs of a Xeon, with 64 Ki work-items in groups of 64.
    for (work, measured) in [
        (9_400, [9.4, 8.5, 7.0, 7.2, 7.8]),
        (22_600, [22.6, 18.0, 11.5, 10.6, 9.7]),
        (47_900, [47.9, 34.3, 17.8, 14.5, 11.4]),
        (109_400, [109.4, 70.6, 35.7, 23.7, 15.7]),
        (245_300, [245.3, 145.6, 75.6, 44.5, 26.3]),
        (592_500, [592.5, 329.8, 166.7, 92.1, 50.2]),
        (2_648_900, [2648.9, 1376.4, 703.0, 360.4, 187.2]),
    ] {
        for (cpus, measured) in [1, 2, 4, 8, 16].into_iter().zip(measured) {
            let launches = Launches { work, groups: 512, pause: 0 };
            let ratio = launches.time(Machine::of(cpus), Tuning::MEASURED) / 1000.0 / measured;
            // What CPUs take from each other (memory, clock rate) is not simulated.
            assert!((0.65..1.25).contains(&ratio), "{work} on {cpus} CPUs: {ratio:.2}");
        }
    }
}
