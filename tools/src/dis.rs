//! `grus dis`: prints a SPIR-V module as text. It needs no library.

use grus_spirv::{Module, Style};

use crate::cli::Dis;
use crate::out;
use crate::problem::{Problem, Result};
use crate::source;

/// Runs the command.
///
/// # Errors
/// If the file cannot be read, or its form is not that of a module.
pub fn run(options: &Dis) -> Result<()> {
    let bytes = source::bytes(&options.file)?;
    let module = Module::read(&bytes)
        .map_err(|error| Problem::Failed(error.to_string()).of(options.file.display()))?;
    let style = Style { has_header: !options.no_header, is_indented: !options.no_indent };
    // As one text: standard output would be flushed at each line.
    let text = module.disassemble(style).to_string();
    out::text(format_args!("{text}"));
    Ok(())
}
