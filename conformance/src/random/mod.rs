//! Random programs on every device that the loader finds. All devices must compute the same results, with and
//! without optimization.
//!
//! Each device runs in a child process, which runs the programs in order and writes a line for each. If the process
//! dies or exceeds the time limit, that is the device's answer for the current program, and a new child process
//! continues with the next one. This program reports differences only; which device is right must be decided by
//! reading the specification.

pub mod child;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crate::context::Target;

/// Parameters of the comparison.
pub struct Random {
    pub count: u64,
    pub seed: u64,
    /// Folder for the sources of programs on which devices disagree.
    pub save: Option<PathBuf>,
    /// True to generate constructs that some implementations refuse.
    pub disputed: bool,
}

/// Build options besides the language version. Each program is built with each of them.
const VARIANTS: [&str; 2] = ["", "-cl-opt-disable"];

/// Number of programs between two reports of progress.
const BATCH: u64 = 8;

/// Answer of a device for a program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Answer {
    /// Contents of the output buffers.
    Words(Vec<u64>),
    /// The device does not support the language version.
    Skipped,
    /// The device did not produce a result.
    Failed(String),
}

/// Seed and index of the variant.
type Case = (u64, usize);

/// Returns the generator's options for a seed. They must be the same in every process.
fn options_of_seed(seed: u64, disputed: bool) -> grus_smith::Options {
    grus_smith::Options { disputed, ..grus_smith::Options::of_seed(seed) }
}

/// Runs the programs and reports differences between devices.
pub fn run(random: &Random, target: &Target, timeout: Duration) -> ExitCode {
    let devices = match devices(target, timeout) {
        Ok(devices) if !devices.is_empty() => devices,
        Ok(_) => return crate::usage("no device"),
        Err(error) => return crate::usage(&error),
    };
    let mut bad = 0;
    let mut counts = vec![[0u64; 3]; devices.len()];
    let end = random.seed + random.count;
    let mut seed = random.seed;
    while seed < end {
        let batch = seed..(seed + BATCH).min(end);
        seed = batch.end;
        let answers = all_devices(&devices, batch.clone(), random, target, timeout);
        for (device, answers) in answers.iter().enumerate() {
            for answer in answers.values() {
                counts[device][kind(answer)] += 1;
            }
        }
        for seed in batch {
            let slots = options_of_seed(seed, random.disputed).sizes.output().len();
            if let Some(text) = difference(seed, slots, &devices, &answers) {
                bad += 1;
                println!("seed {seed}, {}: {text}", options_of_seed(seed, random.disputed).version.option());
                save(random, seed);
            }
        }
    }
    for (device, [agreed, skipped, failed]) in devices.iter().zip(counts) {
        println!("{device}: {agreed} results, {failed} failures, {skipped} skipped");
    }
    println!("{bad} of {} programs with a difference or a failure", random.count);
    if bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn kind(answer: &Answer) -> usize {
    match answer {
        Answer::Words(_) => 0,
        Answer::Skipped => 1,
        Answer::Failed(_) => 2,
    }
}

fn save(random: &Random, seed: u64) {
    let Some(folder) = &random.save else { return };
    let path = folder.join(format!("{seed}.cl"));
    let text = grus_smith::program(options_of_seed(seed, random.disputed));
    if let Err(error) = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text)) {
        eprintln!("{}: {error}", path.display());
    }
}

/// Returns a command that starts this program as a child process with the same library.
fn child(target: &Target, args: &[String]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap_or_default());
    let library = if target.vendor { "--vendor" } else { "--lib" };
    command.arg(library).arg(&target.library).args(args);
    command
}

/// Returns the names of all devices, in the order of platforms.
fn devices(target: &Target, timeout: Duration) -> Result<Vec<String>, String> {
    let (ended, _) = crate::run::run_limited(child(target, &["--random-devices".into()]), timeout);
    match ended {
        crate::run::ProcessEnd::Exited(Some(0), text) => {
            Ok(text.lines().filter_map(|line| line.strip_prefix("device ")).map(str::to_owned).collect())
        }
        crate::run::ProcessEnd::Exited(_, text) | crate::run::ProcessEnd::TimedOut(text) => {
            Err(format!("devices cannot be listed: {text}"))
        }
    }
}

fn all_devices(
    devices: &[String],
    seeds: std::ops::Range<u64>,
    random: &Random,
    target: &Target,
    timeout: Duration,
) -> Vec<BTreeMap<Case, Answer>> {
    std::thread::scope(|scope| {
        let work = |device| {
            let seeds = seeds.clone();
            scope.spawn(move || one_device(device, seeds, random, target, timeout))
        };
        let workers: Vec<_> = (0..devices.len()).map(work).collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or_default()).collect()
    })
}

/// Collects all answers of one device, restarting the child process when needed.
fn one_device(
    device: usize,
    seeds: std::ops::Range<u64>,
    random: &Random,
    target: &Target,
    timeout: Duration,
) -> BTreeMap<Case, Answer> {
    let mut cases = seeds.flat_map(|seed| (0..VARIANTS.len()).map(move |v| (seed, v))).peekable();
    let mut answers = BTreeMap::new();
    while let Some(&(seed, variant)) = cases.peek() {
        let last = seed - (seed - random.seed) % BATCH + BATCH - 1;
        let last = last.min(random.seed + random.count - 1);
        let what = format!("{device},{seed},{variant},{last},{}", u8::from(random.disputed));
        let (mut process, lines) = match start(child(target, &["--random-child".into(), what])) {
            Ok(started) => started,
            Err(error) => {
                answers.extend(cases.map(|case| (case, Answer::Failed(error.clone()))));
                break;
            }
        };
        while let Some(&case) = cases.peek() {
            let answer = next(&lines, timeout);
            let going_on = answer.is_ok();
            answers.insert(case, answer.unwrap_or_else(Answer::Failed));
            cases.next();
            if !going_on {
                break;
            }
        }
        let _ = process.kill();
        let _ = process.wait();
    }
    answers
}

/// Starts a child process and returns it with the lines it writes.
fn start(mut command: Command) -> Result<(Child, Receiver<String>), String> {
    let mut process = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    let pipe = process.stdout.take().ok_or("no pipe")?;
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    Ok((process, lines))
}

/// Returns the next answer, or an error if the child process cannot continue.
fn next(lines: &Receiver<String>, timeout: Duration) -> Result<Answer, String> {
    loop {
        let line = lines.recv_timeout(timeout).map_err(|error| match error {
            RecvTimeoutError::Timeout => format!("no answer after {} s", timeout.as_secs()),
            RecvTimeoutError::Disconnected => "the process ended".to_owned(),
        })?;
        // Vendor libraries may print other lines, so only lines that begin with a known word are the child's.
        match line.split_once(' ') {
            Some(("words", list)) => {
                let words = list.split(' ').map_while(|word| u64::from_str_radix(word, 16).ok());
                return Ok(Answer::Words(words.collect()));
            }
            Some(("failed", why)) => return Ok(Answer::Failed(why.to_owned())),
            _ if line == "skipped" => return Ok(Answer::Skipped),
            _ => {}
        }
    }
}

/// Returns a description of the difference between the answers for a seed, if there is one.
fn difference(
    seed: u64,
    words_of_run: usize,
    devices: &[String],
    answers: &[BTreeMap<Case, Answer>],
) -> Option<String> {
    let mut groups: BTreeMap<&Answer, Vec<String>> = BTreeMap::new();
    for (device, answers) in devices.iter().zip(answers) {
        for (variant, option) in VARIANTS.iter().enumerate() {
            let answer = answers.get(&(seed, variant)).filter(|&answer| *answer != Answer::Skipped);
            if let Some(answer) = answer {
                groups.entry(answer).or_default().push(format!("{device} {option}").trim_end().to_owned());
            }
        }
    }
    let words = |answer: &Answer| match answer {
        Answer::Words(words) => Some(words.clone()),
        _ => None,
    };
    let results: Vec<Vec<u64>> = groups.keys().filter_map(|answer| words(answer)).collect();
    if groups.len() <= 1 && results.len() == groups.len() {
        return None;
    }
    let first = results.first().cloned().unwrap_or_default();
    let at = (0..first.len()).find(|&i| results.iter().any(|other| other.get(i) != Some(&first[i])));
    let each = groups.iter().map(|(answer, who)| {
        let who = who.join(", ");
        match (answer, at) {
            (Answer::Words(words), Some(at)) => format!("{:#018x} by {who}", words.get(at).unwrap_or(&0)),
            (Answer::Words(_), None) => format!("results of {who} agree"),
            (other, _) => format!("{other:?} by {who}"),
        }
    });
    let place = at.map(|at| {
        let (run, word) = (at / words_of_run, at % words_of_run);
        format!("launch {run}, word {word}")
    });
    let list: Vec<String> = place.into_iter().chain(each).collect();
    Some(list.join("\n    "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_reported_with_their_position() {
        let devices = ["A".to_owned(), "B".to_owned()];
        let answers = |last| {
            let words = Answer::Words(vec![1, 2, last]);
            BTreeMap::from([((7, 0), words.clone()), ((7, 1), words)])
        };
        assert_eq!(difference(7, 4, &devices, &[answers(3), answers(3)]), None);
        let text = difference(7, 4, &devices, &[answers(3), answers(4)]).expect("they differ");
        assert!(text.starts_with("launch 0, word 2"), "{text}");
        assert!(text.contains("0x0000000000000004 by B, B -cl-opt-disable"), "{text}");
        let failed = BTreeMap::from([((7, 0), Answer::Failed("why".into())), ((7, 1), Answer::Skipped)]);
        assert!(difference(7, 4, &devices, &[answers(3), failed]).is_some());
    }
}
