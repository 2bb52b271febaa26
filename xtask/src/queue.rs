//! Runs one job per processor at a time, those that took longest in the last run first. The output of one
//! executable's jobs is merged when the last of them has ended: a line for each test, the output of failed jobs,
//! and a summary.

use std::collections::{BTreeMap, VecDeque};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::jobs::Job;
use crate::output::{Counts, verdicts};

/// Results of all jobs.
pub struct Results {
    /// Groups in which a test failed.
    pub failed: Vec<String>,
    pub times: Vec<(String, Duration)>,
}

/// A job that has ended.
struct FinishedJob {
    job: Job,
    text: String,
    duration: Duration,
    succeeded: bool,
}

/// State that is shared by all threads.
struct State {
    waiting: VecDeque<Job>,
    /// Ended jobs of groups of which other jobs have not ended yet.
    finished: BTreeMap<String, Vec<FinishedJob>>,
    results: Results,
    done: usize,
}

/// Runs all jobs and returns their results.
pub fn run(mut jobs: Vec<Job>) -> Result<Results, String> {
    let last = last_times();
    let begin = Instant::now();
    let expected = |job: &Job| last.get(&job.name()).copied().unwrap_or_else(|| default_duration(&job.group));
    jobs.sort_by_key(|job| std::cmp::Reverse(expected(job)));
    let count = jobs.len();
    let results = Results { failed: Vec::new(), times: Vec::new() };
    let state = Mutex::new(State { waiting: jobs.into(), finished: BTreeMap::new(), results, done: 0 });
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let Some(job) = state.lock().expect("no thread panics with it").waiting.pop_front()
                    else {
                        break;
                    };
                    let finished = run_one(job);
                    let mut state = state.lock().expect("no thread panics with it");
                    state.finish_job(finished);
                    let seconds = begin.elapsed().as_secs();
                    if state.done.is_multiple_of(10) || state.done == count {
                        eprintln!("== {seconds} s: {} of {count} jobs", state.done);
                    }
                }
            });
        }
    });
    let state = state.into_inner().expect("no thread panics with it");
    save_times(&last, &state.results.times);
    Ok(state.results)
}

/// Runs a job and waits for its end.
fn run_one(job: Job) -> FinishedJob {
    let begin = Instant::now();
    let mut command = Command::new(&job.program);
    command.args(&job.arguments).current_dir(&job.folder).stdin(Stdio::null());
    command.envs(job.environment.iter().map(|(name, value)| (name, value)));
    let (text, succeeded) = match command.output() {
        Ok(output) => {
            let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
            if !output.status.success() {
                text += &format!("\n{}{}\n", String::from_utf8_lossy(&output.stderr), output.status);
            }
            (text, output.status.success())
        }
        Err(why) => (why.to_string(), false),
    };
    FinishedJob { job, text, duration: begin.elapsed(), succeeded }
}

impl State {
    /// Records the result of a job, and prints the results of its group if all its jobs have ended.
    fn finish_job(&mut self, finished: FinishedJob) {
        self.done += 1;
        self.results.times.push((finished.job.name(), finished.duration));
        let (group, parts) = (finished.job.group.clone(), finished.job.part.1);
        let all = self.finished.entry(group.clone()).or_default();
        all.push(finished);
        if all.len() == parts {
            let all = self.finished.remove(&group).unwrap_or_default();
            if !print(&group, &all) {
                self.results.failed.push(group);
            }
        }
    }
}

/// Prints the results of a group as one executable would print them. Returns `false` if a test failed.
fn print(group: &str, parts: &[FinishedJob]) -> bool {
    let path = parts.first().map(|part| part.job.program.display().to_string()).unwrap_or_default();
    println!("\n     Running {group} ({path})");
    let mut lines: Vec<&str> = parts.iter().flat_map(|part| verdicts(&part.text)).collect();
    lines.sort_unstable();
    lines.iter().for_each(|line| println!("{line}"));
    let mut counts = Counts::default();
    let mut succeeded = true;
    for part in parts {
        let has_result = counts.add(&part.text);
        if !part.succeeded || !has_result {
            succeeded = false;
            counts.failed += usize::from(!has_result);
            println!("\n{} {:?}:\n{}", part.job.name(), part.job.arguments, part.text);
        }
    }
    let duration: Duration = parts.iter().map(|part| part.duration).sum();
    let Counts { passed, failed, ignored } = counts;
    println!(
        "\ntest result: {}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; 0 filtered out; \
         finished in {:.2}s",
        if succeeded { "ok" } else { "FAILED" },
        duration.as_secs_f64()
    );
    succeeded
}

/// Returns the path of the file that keeps run times for the next run.
fn times_file() -> Option<std::path::PathBuf> {
    // `target/debug/xtask`
    Some(std::env::current_exe().ok()?.with_file_name("test-times"))
}

/// Returns the times that jobs took when they last ran.
fn last_times() -> BTreeMap<String, Duration> {
    let text = times_file().and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    let time = |line: &str| {
        let (milliseconds, name) = line.split_once(' ')?;
        Some((name.to_owned(), Duration::from_millis(milliseconds.parse().ok()?)))
    };
    text.lines().filter_map(time).collect()
}

/// Writes run times to the file. Times of jobs that did not run this time are kept.
fn save_times(last: &BTreeMap<String, Duration>, times: &[(String, Duration)]) {
    let mut all = last.clone();
    all.extend(times.iter().cloned());
    let lines: String =
        all.iter().map(|(name, duration)| format!("{} {name}\n", duration.as_millis())).collect();
    // An error is ignored: without the file the jobs only start in another order.
    let _ = times_file().map(|file| std::fs::write(file, lines));
}

/// Estimates the time of a job that has never run. Only the order of the estimates matters.
fn default_duration(group: &str) -> Duration {
    let seconds = ["suite", "scale", "fixtures", "grus-model", "grus it", "grus-tools"];
    let rank = seconds.iter().position(|&part| group.contains(part));
    Duration::from_secs(rank.map_or(1, |rank| 100 - 10 * rank as u64))
}
