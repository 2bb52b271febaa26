//! `grus`: the command line for people who write OpenCL kernels.
//!
//! A client of the C API like any other. It loads the library itself instead of asking an ICD loader, so that it works
//! where nothing is installed, and says why where something is installed badly.

#[macro_use]
mod out;
mod assembly;
mod build;
mod capture;
mod child;
mod cl;
mod cli;
mod doctor;
mod folder;
mod generated;
mod icd;
mod library;
mod probe;
mod problem;
mod progress;
mod replay;
mod run;
mod source;
mod trace;
mod with;

use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::Parser;

use cli::{Cli, Color, Command, Plain};
use problem::{Problem, Result};

fn main() -> ExitCode {
    // A pipe that nobody reads ends this program like any other.
    // SAFETY: before there are other threads.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let arguments = match source::rewrite(std::env::args_os().collect()) {
        Ok(arguments) => arguments,
        Err(problem) => return tell(&problem),
    };
    let cli = Cli::parse_from(arguments);
    match cli.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => tell(&problem),
    }
}

/// Tells why there is no success; the exit status.
fn tell(problem: &Problem) -> ExitCode {
    if *problem != Problem::Told {
        let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
        anstream::eprintln!("grus: {red}error:{red:#} {problem}");
    }
    ExitCode::from(problem.status())
}

fn run(cli: &Cli) -> Result<()> {
    let library = cli.library.as_deref();
    match &cli.command {
        Command::Doctor(options) => doctor::run(library, options.format == Plain::Json),
        Command::With(options) => with::run(library, &options.command),
        Command::Trace(options) => trace::run(library, options),
        Command::Build(options) => build::run(library, options),
        Command::Run(options) => run::run(library, options),
        Command::Capture(options) => capture::run(library, options),
        Command::Replay(options) => replay::run(library, options),
        Command::Manual { folder } => generated::manual(folder),
        Command::Completions { shell } => {
            generated::completions(*shell);
            Ok(())
        }
        Command::Probe(options) => probe(options),
    }
}

/// What `doctor` reads.
fn probe(options: &cli::Probe) -> Result<()> {
    let line = match &options.vendor {
        Some(library) => serde_json::to_string(&probe::vendor(library)?),
        None if options.loader => serde_json::to_string(&probe::loader()?),
        None => return problem::input("neither --vendor nor --loader"),
    };
    // On a line of its own, whatever the vendor has printed.
    say!("\n{}", line.map_err(|error| Problem::Failed(error.to_string()))?);
    Ok(())
}
