//! Standard output, where results go. What cannot be written there ends the command, as a file that cannot be written does.

use std::fmt::Arguments;
use std::io::Write;

use crate::icd;

/// `println!`, without its panic.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::out::text(format_args!("{}\n", format_args!($($text)*)))
    };
}

/// Prints what has its ends of lines already.
pub fn text(text: Arguments<'_>) {
    if let Err(error) = std::io::stdout().lock().write_fmt(text) {
        eprintln!("grus: error: standard output: {}", icd::plain(&error));
        std::process::exit(1);
    }
}
