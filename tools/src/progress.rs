//! Progress of long operations, shown on terminals.

use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Creates a bar on standard error; it is hidden if that is not a terminal.
fn bar(length: u64, template: &str) -> ProgressBar {
    let bar = if std::io::stderr().is_terminal() { ProgressBar::new(length) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// Creates a bar for `count` runs of a kernel.
pub fn of_runs(count: u64) -> ProgressBar {
    bar(count, "{bar:30} {pos}/{len} runs {elapsed}")
}

/// Creates a bar for `count` bytes that are read or written.
pub fn of_bytes(count: u64) -> ProgressBar {
    bar(count, "{bar:30} {binary_bytes}/{binary_total_bytes} {elapsed}")
}

/// Creates a bar for `count` files, whose names are set as its message.
pub fn of_files(count: u64) -> ProgressBar {
    bar(count, "{bar:30} {pos}/{len} {wide_msg}")
}

/// Creates a bar for writing a file of unknown size.
pub fn of_writing(file: &Path) -> ProgressBar {
    bar(0, "{spinner} {msg} {binary_bytes} {elapsed}").with_message(file.display().to_string())
}

/// Creates a bar for a request that may take long, or never be answered.
pub fn of_question(about: String) -> ProgressBar {
    let bar = bar(0, "{spinner} {msg} {elapsed}").with_message(about);
    // The answer may arrive before the first tick of the drawing thread.
    bar.tick();
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}
