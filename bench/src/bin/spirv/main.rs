//! Programs in SPIR-V on one device, beside the OpenCL C that they were compiled from.
//!
//! Usage:
//! - `spirv [--rounds N] [--clang FILE] [--of PLATFORM] [WORKLOAD...]`: builds and launches the suite's workloads from
//!   source and from the modules that clang makes of it at -O0 and -O2.
//! - `spirv --scale [--limit SECONDS] [FAMILY...]`: time and memory of reading and building modules of growing size.
//! - `spirv --corpus FOLDER [--take N]`: builds the modules below a folder, or N of them at equal distances.
//!
//! The device is the first of the platform whose name begins with PLATFORM, which is Grus by default.

mod clang;
mod corpus;
mod growth;
mod modules;
mod workloads;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use grus_bench::client::{Device, Result};

/// Options of the command line.
struct Options {
    of: String,
    clang: String,
    rounds: usize,
    limit: Duration,
    take: usize,
    mode: Mode,
    names: Vec<String>,
}

enum Mode {
    Workloads,
    Scale,
    Corpus(PathBuf),
}

impl Options {
    fn read(args: &[String]) -> Result<Options> {
        let mut options = Options {
            of: "Grus".into(),
            clang: "clang-22".into(),
            rounds: 7,
            limit: Duration::from_secs(60),
            take: usize::MAX,
            mode: Mode::Workloads,
            names: Vec::new(),
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().cloned().ok_or(format!("{arg} needs a value"));
            let number = |text: String| text.parse::<u64>().map_err(|e| format!("{arg} {text}: {e}"));
            match arg.as_str() {
                "--of" => options.of = value()?,
                "--clang" => options.clang = value()?,
                "--rounds" => options.rounds = number(value()?)?.max(1) as usize,
                "--limit" => options.limit = Duration::from_secs(number(value()?)?),
                "--take" => options.take = number(value()?)?.max(1) as usize,
                "--scale" => options.mode = Mode::Scale,
                "--corpus" => options.mode = Mode::Corpus(value()?.into()),
                flag if flag.starts_with('-') => return Err(format!("{flag} is no option")),
                name => options.names.push(name.into()),
            }
        }
        Ok(options)
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match &args[..] {
        [flag, of, family, count] if flag == growth::FLAG => growth::measure_here(of, family, count),
        _ => Options::read(&args).and_then(|options| run(&options)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("spirv: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    match &options.mode {
        Mode::Workloads => workloads::run(options),
        Mode::Scale => growth::run(options),
        Mode::Corpus(folder) => corpus::run(options, folder),
    }
}

/// Returns the first device of the platform whose name begins with `of`.
fn device_of(of: &str) -> Result<Device> {
    let device = Device::all()?.into_iter().find(|device| device.platform_name().starts_with(of));
    device.ok_or(format!("no platform {of}"))
}

/// Returns the number that this share of the sorted numbers do not exceed; there is at least one.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}
