//! Standard output, to which results are written. A failing write ends the command, as for any other file.

use std::fmt::Arguments;
use std::io::Write;

use crate::icd;

/// Prints a line like `println!`, but exits instead of panicking on errors.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::out::text(format_args!("{}\n", format_args!($($text)*)))
    };
}

/// Prints a text that contains its line ends.
pub fn text(text: Arguments<'_>) {
    if let Err(error) = std::io::stdout().lock().write_fmt(text) {
        eprintln!("grus: error: standard output: {}", icd::plain(&error));
        std::process::exit(1);
    }
}
