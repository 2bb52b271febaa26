//! The suite's workloads from source and from clang's modules: times of builds and of launches, in turns.

use std::time::{Duration, Instant};

use grus_bench::client::{Code, Device, Result, Session};
use grus_bench::suite::plan::{Plan, Size};
use grus_bench::suite::run::{PreparedPlan, RunError, build_options};
use grus_bench::suite::work::{self, Workload};

use crate::clang::{self, Folder};
use crate::{Options, device_of, quantile};

/// Levels of the modules.
const LEVELS: [&str; 2] = ["-O0", "-O2"];

/// Forms of a workload: its source, and a module for each level.
const FORMS: [&str; 1 + LEVELS.len()] = ["source", LEVELS[0], LEVELS[1]];

/// Number of builds of each form in a round.
const BUILDS_PER_ROUND: usize = 3;

/// Maximum number of timed sequences of each form in a round, which take no longer than this in sum.
const SEQUENCES_PER_ROUND: usize = 3;
const ROUND_TIME: Duration = Duration::from_millis(400);

/// Workload and its modules.
struct Job {
    name: &'static str,
    plan: Plan,
    modules: Vec<Vec<u8>>,
}

/// Name of a workload that clang refused, and its reason.
type LeftOut = (&'static str, String);

/// Times in seconds of one form of a workload, sorted; the error tells why there are none.
type Times = Result<Vec<f64>>;

/// Times of a workload's forms.
struct Row {
    name: &'static str,
    builds: Vec<Times>,
    launches: Vec<Times>,
}

/// Measures the workloads that were named, or all, and prints the tables.
pub fn run(options: &Options) -> Result<()> {
    if let Some(name) = options.names.iter().find(|name| work::by_name(name).is_none()) {
        return Err(format!("{name} is no workload (`suite --list`)"));
    }
    let device = device_of(&options.of)?;
    let (jobs, left_out) = compile(options)?;
    let mut rows = Vec::new();
    for job in &jobs {
        eprintln!("{}", job.name);
        rows.push(measure(device, job, options.rounds)?);
    }
    for (title, share) in [("Best", 0.0), ("Median", 0.5)].into_iter().filter(|_| !rows.is_empty()) {
        print_table(title, share, &rows);
    }
    for (name, reason) in left_out {
        println!("left out: {name}: {reason}");
    }
    for row in &rows {
        for (times, form) in row.builds.iter().chain(&row.launches).zip(FORMS.iter().cycle()) {
            if let Err(reason) = times {
                println!("failed: {} {form}: {reason}", row.name);
            }
        }
    }
    Ok(())
}

/// Compiles the workloads' sources. Returns the jobs, and what clang refused.
fn compile(options: &Options) -> Result<(Vec<Job>, Vec<LeftOut>)> {
    let folder = Folder::new()?;
    clang::check(&options.clang)?;
    let is_wanted = |workload: &&Workload| {
        options.names.is_empty() || options.names.iter().any(|name| name == workload.name)
    };
    let (mut jobs, mut left_out) = (Vec::new(), Vec::new());
    for workload in work::ALL.iter().filter(is_wanted) {
        let plan = (workload.plan)(Size::Full);
        match LEVELS.iter().map(|level| folder.compile(&options.clang, &plan, level)).collect() {
            Ok(modules) => jobs.push(Job { name: workload.name, plan, modules }),
            Err(reason) => left_out.push((workload.name, reason)),
        }
    }
    Ok((jobs, left_out))
}

fn measure(device: Device, job: &Job, rounds: usize) -> Result<Row> {
    let session = Session::new(device)?;
    let mut prepared = PreparedPlan::new(device, &job.plan)?;
    // Numbers of the programs, and the first result of each.
    let mut numbers: Vec<Result<usize>> = vec![Ok(0)];
    numbers.extend(job.modules.iter().map(|module| prepared.add(module)));
    for number in &mut numbers {
        if let Ok(chosen) = *number {
            prepared.choose(chosen);
            if let Err(reason) = checked(&mut prepared) {
                *number = Err(reason);
            }
        }
    }
    let mut builds: Vec<Times> = (0..FORMS.len()).map(|_| Ok(Vec::new())).collect();
    let mut launches = builds.clone();
    for _ in 0..rounds {
        for form in 0..FORMS.len() {
            let module = form.checked_sub(1).map(|level| &job.modules[level][..]);
            extend(&mut builds[form], || build_times(&session, &job.plan, module));
            extend(&mut launches[form], || {
                prepared.choose(numbers[form].clone()?);
                sequence_times(&mut prepared)
            });
        }
    }
    // The results are compared again after the last launch.
    for (number, launches) in numbers.iter().zip(&mut launches) {
        if let Ok(chosen) = *number {
            prepared.choose(chosen);
            extend(launches, || checked(&mut prepared).map(|()| Vec::new()));
        }
    }
    Ok(Row { name: job.name, builds, launches })
}

/// Adds times that are measured now, unless the form has failed before.
fn extend(times: &mut Times, more: impl FnOnce() -> Times) {
    let Ok(all) = times else { return };
    match more() {
        Ok(more) => {
            all.extend(more);
            all.sort_by(f64::total_cmp);
        }
        Err(reason) => *times = Err(reason),
    }
}

fn checked(prepared: &mut PreparedPlan<'_>) -> Result<()> {
    prepared.check().map_err(|error| match error {
        RunError::Wrong(reason) => format!("wrong: {reason}"),
        RunError::Failed(reason) => reason.lines().take(3).collect::<Vec<_>>().join(": "),
    })
}

/// Measures builds from source or from a module, from the creation of the program on.
fn build_times(session: &Session, plan: &Plan, module: Option<&[u8]>) -> Times {
    let code = module.map_or(Code::Source(plan.source.as_bytes()), Code::Module);
    let time = |_| {
        let options = build_options(plan, module.is_some(), true);
        let start = Instant::now();
        let _program = session.complete(session.create(code)?, &options)?;
        Ok(start.elapsed().as_secs_f64())
    };
    (0..BUILDS_PER_ROUND).map(time).collect()
}

/// Measures sequences of launches, after one for warming up.
fn sequence_times(prepared: &mut PreparedPlan<'_>) -> Times {
    prepared.time()?;
    let (start, mut times) = (Instant::now(), Vec::new());
    while times.is_empty() || times.len() < SEQUENCES_PER_ROUND && start.elapsed() < ROUND_TIME {
        times.push(prepared.time()?.as_secs_f64());
    }
    Ok(times)
}

/// Prints the times of the sources, the quotients of the modules' times by them, and the means of those.
fn print_table(title: &str, share: f64, rows: &[Row]) {
    println!(
        "{title:<18}{:>10}{:>10}{:>10}{:>12}{:>10}{:>10}",
        "build ms", "-O0", "-O2", "run ms", "-O0", "-O2"
    );
    let mut quotients: [Vec<f64>; 2 * LEVELS.len()] = Default::default();
    for row in rows {
        print!("{:<18}", row.name);
        for (group, times) in [&row.builds, &row.launches].into_iter().enumerate() {
            let time = |form: usize| times[form].as_ref().ok().map(|sorted| quantile(sorted, share));
            let source = time(0);
            let width = if group == 0 { 10 } else { 12 };
            print!("{:>width$}", source.map_or("-".into(), |time| format!("{:.3}", time * 1e3)));
            for level in 0..LEVELS.len() {
                let quotient = source.zip(time(level + 1)).map(|(source, module)| module / source);
                quotients[group * LEVELS.len() + level].extend(quotient);
                print!("{:>10}", quotient.map_or("-".into(), |quotient| format!("{quotient:.2}")));
            }
        }
        println!();
    }
    let mean =
        |quotients: &[f64]| (quotients.iter().map(|q| q.ln()).sum::<f64>() / quotients.len() as f64).exp();
    let [b0, b2, l0, l2] = quotients.each_ref().map(|quotients| format!("{:.2}", mean(quotients)));
    println!("{:<18}{:>10}{b0:>10}{b2:>10}{:>12}{l0:>10}{l2:>10}\n", "geometric mean", "", "");
}
