//! `grus`: the command line for developers of OpenCL kernels.
//!
//! The program is an ordinary client of the C API. It loads the library itself instead of using an ICD loader, so
//! that it works on machines without an installation, and can diagnose a broken one.

#[macro_use]
mod out;
mod assembly;
mod build;
mod capture;
mod child;
mod cl;
mod cli;
mod dis;
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
    // The default action ends this program when the reader of its output closes the pipe.
    // SAFETY: there is no other thread yet, and the default action is valid.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let arguments = match source::rewrite(std::env::args_os().collect()) {
        Ok(arguments) => arguments,
        Err(problem) => return report(&problem),
    };
    let cli = Cli::parse_from(arguments);
    match cli.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => report(&problem),
    }
}

/// Prints the reason of a failure. Returns the exit status.
fn report(problem: &Problem) -> ExitCode {
    if *problem != Problem::Reported {
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
        Command::Dis(options) => dis::run(options),
        Command::Manual { folder } => generated::manual(folder),
        Command::Completions { shell } => {
            generated::completions(*shell);
            Ok(())
        }
        Command::Probe(options) => probe(options),
    }
}

/// Prints the result of a probe as JSON for `doctor`.
fn probe(options: &cli::Probe) -> Result<()> {
    let line = match &options.vendor {
        Some(library) => serde_json::to_string(&probe::vendor(library)?),
        None if options.loader => serde_json::to_string(&probe::loader()?),
        None => return problem::input("neither --vendor nor --loader"),
    };
    // The result begins on a new line, even if the vendor has printed a partial one.
    say!("\n{}", line.map_err(|error| Problem::Failed(error.to_string()))?);
    Ok(())
}
