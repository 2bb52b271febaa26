//! Suite that measures performance (docs/performance.md), on every device that the loader finds, in one run.
//!
//! Usage: `suite [--list] [--check] [--rounds N] [--limit SECONDS] [--of PLATFORM] [--markdown] [--svg FILE]
//! [--json FILE] [NAME...]`; all workloads by default. The devices run each workload alternately, in N rounds (7)
//! of 3 sequences; its results are compared before and after. A device that computes wrong results, fails or takes
//! too long (60 s) has a note in its cell and is left out of the means. Other devices are compared with the
//! platform whose name begins with PLATFORM (Grus). `--check` runs each workload once at a small size and fails if
//! any result of that platform, or of any platform without `--of`, is wrong. OCL_ICD_VENDORS names the peers.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use grus_bench::client::Result;
use grus_bench::suite::chart;
use grus_bench::suite::machine::Machine;
use grus_bench::suite::plan::Size;
use grus_bench::suite::report::{Report, Row, short};
use grus_bench::suite::scheduler::{self, Outcome, Settings};
use grus_bench::suite::work::{ALL, Workload, by_name};

/// Options of the command line.
#[derive(Default)]
struct Options {
    list: bool,
    check: bool,
    markdown: bool,
    rounds: Option<usize>,
    limit: Option<u64>,
    of: Option<String>,
    svg: Option<String>,
    json: Option<String>,
    names: Vec<String>,
}

impl Options {
    fn read(args: &[String]) -> Result<Options> {
        let mut options = Options::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().cloned().ok_or(format!("{arg} needs a value"));
            let number = |text: String| text.parse::<u64>().map_err(|e| format!("{arg} {text}: {e}"));
            match arg.as_str() {
                "--list" => options.list = true,
                "--check" => options.check = true,
                "--markdown" => options.markdown = true,
                "--rounds" => options.rounds = Some(number(value()?)?.max(1) as usize),
                "--limit" => options.limit = Some(number(value()?)?),
                "--of" => options.of = Some(value()?),
                "--svg" => options.svg = Some(value()?),
                "--json" => options.json = Some(value()?),
                name if by_name(name).is_some() => options.names.push(name.into()),
                other => return Err(format!("{other} is neither an option nor a workload (--list)")),
            }
        }
        Ok(options)
    }

    fn selected(&self) -> impl Iterator<Item = &'static Workload> {
        ALL.iter()
            .filter(|workload| self.names.is_empty() || self.names.iter().any(|name| name == workload.name))
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match &args[..] {
        [flag] if flag == "--devices" => scheduler::reply_devices(),
        [flag, device, workload, size] if flag == "--one" => {
            scheduler::serve_workload(device, workload, size)
        }
        _ => match Options::read(&args).and_then(|options| run(&options)) {
            Ok(()) => {}
            Err(message) => {
                eprintln!("suite: {message}");
                return ExitCode::FAILURE;
            }
        },
    }
    ExitCode::SUCCESS
}

fn run(options: &Options) -> Result<()> {
    if options.list {
        let line = |workload: &Workload| format!("{:<18}{}\n", workload.name, workload.about);
        // An error is ignored: the reader may have closed the pipe.
        let _ = std::io::stdout().write_all(ALL.iter().map(line).collect::<String>().as_bytes());
        return Ok(());
    }
    let devices = scheduler::devices()?;
    if devices.is_empty() {
        return Err("no OpenCL device".into());
    }
    let starts = |name: &str| devices.iter().position(|[platform, ..]| platform.starts_with(name));
    let judged = match &options.of {
        Some(name) => starts(name).ok_or(format!("no platform {name}"))?,
        None => starts("Grus").unwrap_or(0),
    };
    let limit = Duration::from_secs(options.limit.unwrap_or(60));
    if options.check {
        let judged = options.of.is_some().then_some(judged);
        return check(options, &devices, judged, limit);
    }
    if options.svg.is_some() && devices.len() < 2 {
        return Err("a picture needs two devices".into());
    }
    let settings = Settings { rounds: options.rounds.unwrap_or(7), size: Size::Full, limit };
    let machine = Machine::measure();
    let mut rows = Vec::new();
    for workload in options.selected() {
        let (outcomes, limits) = scheduler::measure(workload, devices.len(), &settings);
        eprintln!("{}", progress(workload, &devices, &outcomes));
        rows.push(Row { workload, limits, outcomes });
    }
    let machine = machine.or(Machine::measure());
    let report = Report { date: today(), machine, devices, judged, rounds: settings.rounds, rows };
    print!("{}", if options.markdown { report.markdown() } else { report.text() });
    let write = |file: &str, text: String| std::fs::write(file, text).map_err(|e| format!("{file}: {e}"));
    if let Some(file) = &options.json {
        write(file, report.json())?;
    }
    if let Some(file) = &options.svg {
        write(file, chart::svg(&report)?)?;
    }
    Ok(())
}

/// Returns a line of progress: medians, or the reasons for their absence.
fn progress(workload: &Workload, devices: &[[String; 3]], outcomes: &[Outcome]) -> String {
    let cell = |([platform, ..], outcome): (&[String; 3], &Outcome)| match outcome.times() {
        Some((_, median)) => format!("  {} {:.2} ms", short(platform), median * 1e3),
        None => format!("  {} {outcome:?}", short(platform)),
    };
    format!("{:<18}{}", workload.name, devices.iter().zip(outcomes).map(cell).collect::<String>())
}

/// Runs all workloads once at the small size. Fails if a device that counts computes wrong results.
fn check(options: &Options, devices: &[[String; 3]], judged: Option<usize>, limit: Duration) -> Result<()> {
    let settings = Settings { rounds: 1, size: Size::Small, limit };
    let mut bad = 0;
    for workload in options.selected() {
        let (outcomes, _) = scheduler::measure(workload, devices.len(), &settings);
        let right = |device: usize| outcomes[device].times().is_some();
        let count = (0..devices.len()).filter(|device| judged.is_none_or(|judged| judged == *device));
        bad += count.filter(|device| !right(*device)).count();
        println!("{}", progress(workload, devices, &outcomes));
    }
    if bad == 0 { Ok(()) } else { Err(format!("{bad} results are not right")) }
}

/// Returns the date, by the proleptic Gregorian calendar and UTC.
fn today() -> String {
    let days = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs() / 86_400);
    // Days since 1 March of the year 0, in eras of 400 years.
    let (era, day) = ((days + 719_468) / 146_097, (days + 719_468) % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    format!("{year}-{month:02}-{day_of_month:02}")
}
