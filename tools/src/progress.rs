//! How far long work is, where there is a terminal.

use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

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

/// For so many files, which are named by its message.
pub fn of_files(count: u64) -> ProgressBar {
    bar(count, "{bar:30} {pos}/{len} {wide_msg}")
}

/// For a file that becomes as long as it does.
pub fn of_writing(file: &Path) -> ProgressBar {
    bar(0, "{spinner} {msg} {binary_bytes} {elapsed}").with_message(file.display().to_string())
}

/// For an answer that may take long, or never come.
pub fn of_question(about: String) -> ProgressBar {
    let bar = bar(0, "{spinner} {msg} {elapsed}").with_message(about);
    // The thread that draws it may come after the answer.
    bar.tick();
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}
