//! How far long work is, where there is a terminal.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on standard error, if that is a terminal.
fn bar(length: u64, template: &str) -> ProgressBar {
    let bar = if std::io::stderr().is_terminal() { ProgressBar::new(length) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// For so many runs of a kernel.
pub fn of_runs(count: u64) -> ProgressBar {
    bar(count, "{bar:30} {pos}/{len} runs {elapsed}")
}

/// For so many bytes that are read or written.
pub fn of_bytes(count: u64) -> ProgressBar {
    bar(count, "{bar:30} {binary_bytes}/{binary_total_bytes} {elapsed}")
}
