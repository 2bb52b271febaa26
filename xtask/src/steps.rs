//! Steps of a run, each reported when it begins and when it ends.

use std::time::{Duration, Instant};

/// Steps that have ended, with their times.
pub struct Steps {
    begin: Instant,
    done: Vec<(String, Duration)>,
}

/// Number of rows in the table of the slowest jobs.
// Arbitrary.
const MAX_ROWS: usize = 12;

impl Steps {
    pub fn begin() -> Steps {
        Steps { begin: Instant::now(), done: Vec::new() }
    }

    /// Runs a step and prints a line before and after it.
    pub fn run<T>(&mut self, name: &str, step: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        eprintln!("== {name}");
        let begin = Instant::now();
        let result = step();
        let duration = begin.elapsed();
        eprintln!("== {name}: {:.1} s", duration.as_secs_f64());
        self.done.push((name.to_owned(), duration));
        result
    }

    /// Prints the slowest jobs, the time of each step and the total time.
    pub fn report(&self, jobs: &[(String, Duration)]) {
        let mut jobs = jobs.to_vec();
        jobs.sort_by_key(|(_, duration)| std::cmp::Reverse(*duration));
        println!("\nslowest jobs:");
        for (name, duration) in jobs.iter().take(MAX_ROWS) {
            println!("{:>8.1} s  {name}", duration.as_secs_f64());
        }
        println!("steps:");
        for (name, duration) in &self.done {
            println!("{:>8.1} s  {name}", duration.as_secs_f64());
        }
        println!("{:>8.1} s  in all", self.begin.elapsed().as_secs_f64());
    }
}
