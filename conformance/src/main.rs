//! Tests of an OpenCL implementation through its C API only. Tests that check the same as one of the Khronos CTS
//! have its name. Each test runs in a process of its own, so that a crash fails only one test.
//!
//! ```text
//! grus-conformance [--lib FILE | --vendor FILE] [--platform NAME] [--json FILE] [--jobs N] [--timeout SECONDS]
//!                  [--list] [--skip FILTER] [--float-mode MODE] [--starve SEED] [--cts FOLDER [--with ARGUMENTS]]
//!                  [FILTER...]
//! grus-conformance --random N [--seed S] [--save FOLDER] [--disputed] [--lib FILE] [--timeout SECONDS]
//! grus-conformance --accuracy [FUNCTION...] [--type float|double|half] [--full | --light] [--seed S]
//!                  [--options "-cl-..."] [--table] [--same-lanes] [--lib FILE | --vendor FILE] [--platform NAME]
//! ```
//!
//! The second form compares all devices that the loader finds on N random programs (`random`). The third measures
//! the errors of mathematical functions (`accuracy`).

mod accuracy;
mod api;
mod check;
mod context;
mod cts;
mod float_mode;
mod random;
mod report;
mod run;
mod starve;
mod tests;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use context::Target;
use run::Options;

fn usage(error: &str) -> ExitCode {
    eprintln!("grus-conformance: {error}");
    eprintln!(
        "usage: grus-conformance [--lib FILE | --vendor FILE] [--platform NAME] [--json FILE] [--jobs N] \
         [--timeout SECONDS] [--list] [--skip FILTER] [--float-mode MODE] [--starve SEED] [--cts FOLDER [--with ARGUMENTS]] [FILTER...]\n       \
         grus-conformance --random N [--seed S] [--save FOLDER] [--disputed] [--lib FILE] [--timeout SECONDS]\n       \
         grus-conformance --accuracy [FUNCTION...] [--type float|double|half] [--full | --light] [--seed S] \
         [--options OPTIONS] [--table] [--same-lanes] [--lib FILE | --vendor FILE] [--platform NAME]"
    );
    ExitCode::from(2)
}

/// Parsed command line.
struct Command {
    options: Options,
    list: bool,
    one: Option<String>,
    cts: Option<PathBuf>,
    random: random::Random,
    accuracy: accuracy::Accuracy,
    /// Task of a child process: the option that selects it and its argument.
    child: Option<(String, String)>,
}

fn parse(args: impl Iterator<Item = String>) -> Result<Command, String> {
    let mut command = Command {
        options: Options {
            target: Target {
                library: PathBuf::from("libOpenCL.so.1"),
                vendor: false,
                platform: String::from("Grus"),
            },
            filters: Vec::new(),
            skipped: Vec::new(),
            json: None,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            timeout: Duration::from_secs(180),
            with: Vec::new(),
            float_mode: None,
            starve: None,
        },
        list: false,
        one: None,
        cts: None,
        random: random::Random { count: 0, seed: 1, save: None, disputed: false },
        accuracy: accuracy::Accuracy::default(),
        child: None,
    };
    let options = &mut command.options;
    let mut args = args.peekable();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        let number = |text: String| text.parse::<u32>().map_err(|_| format!("{text} is no number"));
        match arg.as_str() {
            "--lib" => options.target.library = value()?.into(),
            "--vendor" => {
                options.target.library = value()?.into();
                options.target.vendor = true;
            }
            "--platform" => options.target.platform = value()?,
            "--skip" => options.skipped.push(value()?),
            "--json" => options.json = Some(value()?.into()),
            "--jobs" => options.jobs = number(value()?)?.max(1) as usize,
            "--timeout" => options.timeout = Duration::from_secs(number(value()?)?.into()),
            "--list" => command.list = true,
            "--starve" => options.starve = Some(number(value()?)?),
            "--float-mode" => {
                let name = value()?;
                float_mode::mode(&name).filter(|_| float_mode::SUPPORTED).ok_or(format!("no mode {name}"))?;
                options.float_mode = Some(name);
            }
            "--one" => command.one = Some(value()?),
            "--with" => options.with.extend(value()?.split_whitespace().map(str::to_owned)),
            "--cts" => command.cts = Some(value()?.into()),
            "--random" => command.random.count = number(value()?)?.into(),
            "--seed" => {
                command.random.seed = number(value()?)?.into();
                command.accuracy.seed = command.random.seed;
            }
            "--accuracy" => command.accuracy.is_requested = true,
            "--type" => command.accuracy.types = vec![accuracy::Type::named(&value()?)?],
            "--full" => command.accuracy.effort = accuracy::Effort::Full,
            "--light" => command.accuracy.effort = accuracy::Effort::Light,
            "--options" => command.accuracy.options = value()?,
            "--same-lanes" => command.accuracy.same_lanes = true,
            "--table" => command.accuracy.table = true,
            "--save" => command.random.save = Some(value()?.into()),
            "--disputed" => command.random.disputed = true,
            "--random-child" => command.child = Some((arg.clone(), value()?)),
            "--random-devices" => command.child = Some((arg.clone(), String::new())),
            filter if !filter.starts_with('-') => options.filters.push(filter.to_owned()),
            unknown => return Err(format!("unknown option {unknown}")),
        }
    }
    command.accuracy.functions.clone_from(&command.options.filters);
    Ok(command)
}

fn main() -> ExitCode {
    let command = match parse(std::env::args().skip(1)) {
        Ok(command) => command,
        Err(error) => return usage(&error),
    };
    if command.list {
        for test in run::selected(&command.options) {
            println!("{test}");
        }
        return ExitCode::SUCCESS;
    }
    if let Some(name) = &command.one {
        return run::run_one(&command.options, name);
    }
    match &command.child {
        Some((option, what)) if option == "--random-child" => {
            return random::child::run(&command.options.target, what);
        }
        Some(_) => return random::child::list(&command.options.target),
        None => {}
    }
    if command.accuracy.is_requested {
        return accuracy::run(&command.accuracy, &command.options.target);
    }
    if command.random.count > 0 {
        return random::run(&command.random, &command.options.target, command.options.timeout);
    }
    let results = match &command.cts {
        Some(folder) => cts::all(folder, &command.options),
        None => run::run_all(&command.options),
    };
    report::finish(&results, &command.options.filters, command.options.json.as_deref())
}
