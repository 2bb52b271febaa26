//! Manual pages and shell completions, generated from the definition of the command line.

use std::fs;
use std::path::Path;

use clap::CommandFactory;

use crate::cli::Cli;
use crate::icd;
use crate::problem::{Problem, Result};

/// Writes a manual page for `grus` and for each of its commands.
///
/// # Errors
/// If a file cannot be written.
pub fn manual(folder: &Path) -> Result<()> {
    let pages = || {
        fs::create_dir_all(folder)?;
        clap_mangen::generate_to(Cli::command(), folder)
    };
    pages().map_err(|error| Problem::Failed(format!("{}: {}", folder.display(), icd::plain(&error))))
}

/// Prints the completions of a shell on standard output.
pub fn completions(shell: clap_complete::Shell) {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "grus", &mut text);
    crate::out::text(format_args!("{}", String::from_utf8_lossy(&text)));
}
