//! Scheduling of devices. Each device runs each workload in a process of its own, which is stopped (SIGSTOP) while
//! another one is measured: threads of one runtime take no time from the next, and a runtime that crashes or hangs
//! loses its own cell only.
//!
//! The process prints on its standard output: `ready` and the workload's limits; after each `go` the times of a
//! round; after `end`, whether the results are still right. Lines that a runtime prints in between do not begin
//! with the mark.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::client::{Device, Result};
use crate::suite::plan::{Limit, Size};
use crate::suite::run::{PreparedPlan, RunError};
use crate::suite::work::{Workload, by_name};

const MARK: &str = "suite:";

/// Number of sequences in a round of a device, unless they take longer than this duration together.
const SEQUENCES_PER_ROUND: usize = 3;
const ROUND_TIME: Duration = Duration::from_millis(100);

/// Outcome of a workload on a device.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Times of the sequences in seconds.
    Times(Vec<f64>),
    Wrong(String),
    Failed(String),
    Late,
}

impl Outcome {
    /// Returns the shortest and the median time.
    pub fn times(&self) -> Option<(f64, f64)> {
        let Outcome::Times(times) = self else { return None };
        let mut sorted = times.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        Some((*sorted.first()?, sorted[sorted.len() / 2]))
    }
}

/// Settings of a run.
pub struct Settings {
    pub rounds: usize,
    pub size: Size,
    /// Time limit of each answer of a process.
    pub limit: Duration,
}

/// Returns the platforms, their devices and driver versions, as a separate process lists them.
pub fn devices() -> Result<Vec<[String; 3]>> {
    let mut process = Process::start(&["--devices"])?;
    let mut found = Vec::new();
    loop {
        match process.answer(Duration::from_secs(60)) {
            Ok(line) if line == "end" => return Ok(found),
            Ok(line) => {
                let mut parts = line.split('\t').map(str::to_owned);
                found.push(std::array::from_fn(|_| parts.next().unwrap_or_default()));
            }
            Err(outcome) => return Err(format!("asking for devices: {outcome:?}")),
        }
    }
}

/// Measures one workload on all devices, which alternate. Also returns the workload's limits.
pub fn measure(workload: &Workload, devices: usize, settings: &Settings) -> (Vec<Outcome>, Vec<Limit>) {
    let mut limits = Vec::new();
    let size = if settings.size == Size::Full { "full" } else { "small" };
    let mut running: Vec<std::result::Result<Process, Outcome>> = (0..devices)
        .map(|device| {
            let number = device.to_string();
            let mut process =
                Process::start(&["--one", &number, workload.name, size]).map_err(Outcome::Failed)?;
            limits = parse_limits(&process.answer(settings.limit)?);
            process.set_stopped(true);
            Ok(process)
        })
        .collect();
    let mut times = vec![Vec::new(); devices];
    for _ in 0..settings.rounds {
        for (state, times) in running.iter_mut().zip(&mut times) {
            let Ok(process) = state else { continue };
            match process.request("go", settings.limit) {
                Ok(line) => times.extend(line.split_whitespace().filter_map(|word| word.parse::<f64>().ok())),
                Err(outcome) => *state = Err(outcome),
            }
        }
    }
    let outcomes = running.into_iter().zip(times).map(|(state, times)| {
        let end = state.and_then(|mut process| process.request("end", settings.limit));
        end.map_or_else(|outcome| outcome, |_| Outcome::Times(times))
    });
    (outcomes.collect(), limits)
}

/// Child process of this program.
struct Process {
    child: Child,
    to: Option<ChildStdin>,
    answers: Receiver<String>,
}

impl Process {
    fn start(args: &[&str]) -> Result<Process> {
        let program = std::env::current_exe().map_err(|e| e.to_string())?;
        let child = Command::new(program)
            .args(args)
            // Caches that other vendors keep between runs are disabled.
            .env("POCL_KERNEL_CACHE", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // The diagnostics of Grus pass through if they are enabled.
            .stderr(if std::env::var_os("GRUS_TIMING").is_some() { Stdio::inherit() } else { Stdio::null() })
            .spawn();
        let mut child = child.map_err(|e| e.to_string())?;
        let from = BufReader::new(child.stdout.take().ok_or("no output")?);
        let (send, answers) = channel();
        std::thread::spawn(move || {
            for line in from.split(b'\n').map_while(std::result::Result::ok) {
                let line = String::from_utf8_lossy(&line);
                let answer = line.strip_prefix(MARK).map(|rest| send.send(rest.trim().to_owned()));
                if matches!(answer, Some(Err(_))) {
                    break;
                }
            }
        });
        Ok(Process { to: child.stdin.take(), child, answers })
    }

    fn signal(&self, signal: libc::c_int) {
        // SAFETY: the child has not been waited for, so its process id is still its own.
        unsafe { libc::kill(self.child.id() as libc::pid_t, signal) };
    }

    /// Stops the process, or lets it continue.
    fn set_stopped(&self, stopped: bool) {
        self.signal(if stopped { libc::SIGSTOP } else { libc::SIGCONT });
    }

    fn answer(&mut self, limit: Duration) -> std::result::Result<String, Outcome> {
        match self.answers.recv_timeout(limit) {
            Ok(line) => match line.split_once(' ') {
                Some(("wrong", message)) => Err(Outcome::Wrong(message.into())),
                Some(("failed", message)) => Err(Outcome::Failed(message.into())),
                _ => Ok(line),
            },
            Err(RecvTimeoutError::Timeout) => Err(Outcome::Late),
            Err(RecvTimeoutError::Disconnected) => {
                let status = self.child.wait().map_or_else(|e| e.to_string(), |status| status.to_string());
                Err(Outcome::Failed(format!("ended: {status}")))
            }
        }
    }

    /// Lets the process continue, sends a request, and stops the process after its answer.
    fn request(&mut self, command: &str, limit: Duration) -> std::result::Result<String, Outcome> {
        self.set_stopped(false);
        if let Some(to) = &mut self.to {
            // An error is ignored: a process that has ended is noticed by its missing answer.
            let _ = writeln!(to, "{command}");
        }
        let answer = self.answer(limit);
        self.set_stopped(true);
        answer
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Formats limits as words; [`parse_limits`] is the inverse.
fn format_limits(limits: &[Limit]) -> String {
    let word = |limit: &Limit| match limit {
        Limit::Single(n) => format!(" single {n}"),
        Limit::Double(n) => format!(" double {n}"),
        Limit::Integer(n) => format!(" integer {n}"),
        Limit::Count(n) => format!(" count {n}"),
        Limit::Atomic(n) => format!(" atomic {n}"),
        Limit::L1(n) => format!(" l1 {n}"),
        Limit::Cache(n) => format!(" cache {n}"),
        Limit::Memory(n) => format!(" memory {n}"),
    };
    limits.iter().map(word).collect()
}

fn parse_limits(line: &str) -> Vec<Limit> {
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    let limit = |pair: &[&str]| {
        let amount = pair[1].parse().ok()?;
        Some(match pair[0] {
            "single" => Limit::Single(amount),
            "double" => Limit::Double(amount),
            "integer" => Limit::Integer(amount),
            "count" => Limit::Count(amount),
            "atomic" => Limit::Atomic(amount),
            "l1" => Limit::L1(amount),
            "cache" => Limit::Cache(amount),
            "memory" => Limit::Memory(amount),
            _ => return None,
        })
    };
    words.chunks_exact(2).filter_map(limit).collect()
}

fn reply(line: &str) {
    println!("{MARK} {}", line.replace(['\n', '\r'], " "));
    let _ = std::io::stdout().flush();
}

/// Lists the devices, in the child process.
pub fn reply_devices() {
    for device in Device::all().unwrap_or_default() {
        let device_name = device.text(cl_sys::CL_DEVICE_NAME);
        let driver = device.text(cl_sys::CL_DRIVER_VERSION);
        reply(&format!("{}\t{device_name}\t{driver}", device.platform_name()));
    }
    reply("end");
}

/// Runs a workload on a device, in the child process.
pub fn serve_workload(device: &str, workload: &str, size: &str) {
    // The kernel must kill the child: a stopped process would not notice the end of its parent.
    #[cfg(target_os = "linux")]
    // SAFETY: the call sets the parent-death signal of this process only.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
    match serve(device, workload, if size == "full" { Size::Full } else { Size::Small }) {
        Ok(()) => reply("right"),
        Err(RunError::Wrong(message)) => reply(&format!("wrong {message}")),
        Err(RunError::Failed(message)) => reply(&format!("failed {message}")),
    }
}

fn serve(device: &str, workload: &str, size: Size) -> std::result::Result<(), RunError> {
    let workload = by_name(workload).ok_or("no such workload".to_owned())?;
    let device = device.parse().ok().and_then(|at: usize| Device::all().ok()?.get(at).copied());
    let device = device.ok_or("no such device".to_owned())?;
    let plan = (workload.plan)(size);
    let mut prepared = PreparedPlan::new(device, &plan)?;
    prepared.check()?;
    let is_short = prepared.time()? < ROUND_TIME;
    reply(&format!("ready{}", format_limits(&plan.limits)));
    for line in std::io::stdin().lines() {
        if line.map_err(|e| e.to_string())? != "go" {
            return prepared.check();
        }
        // The first sequence restores caches and clocks, which the previous process has used.
        if is_short {
            prepared.time()?;
        }
        let start = Instant::now();
        let mut times = String::new();
        while times.is_empty()
            || times.split_whitespace().count() < SEQUENCES_PER_ROUND && start.elapsed() < ROUND_TIME
        {
            times += &format!(" {}", prepared.time()?.as_secs_f64());
        }
        reply(&format!("times{times}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Outcome, format_limits, parse_limits};
    use crate::suite::plan::Limit;

    #[test]
    fn limits_are_parsed_as_they_were_formatted() {
        let limits = [Limit::Single(1e9), Limit::Cache(2.5), Limit::L1(3.0), Limit::Memory(4.0)];
        assert_eq!(parse_limits(&format!("ready{}", format_limits(&limits))), limits);
        let limits = [Limit::Double(1.0), Limit::Integer(2.0), Limit::Count(3.0), Limit::Atomic(4.0)];
        assert_eq!(parse_limits(&format!("ready{}", format_limits(&limits))), limits);
    }

    #[test]
    fn shortest_and_median() {
        assert_eq!(Outcome::Times(vec![3.0, 1.0, 2.0]).times(), Some((1.0, 2.0)));
        assert_eq!(Outcome::Times(vec![]).times(), None);
        assert_eq!(Outcome::Late.times(), None);
    }
}
