//! `grus doctor`: finds the reasons why kernels do not run on this machine, and advises how to remove them.

mod loader;
mod processor;
mod variables;
mod vendors;

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::problem::{Problem, Result};
use crate::progress;

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Normal state.
    Ok,
    /// Useful information.
    Note,
    /// Defect that does not affect Grus.
    Warning,
    /// Defect because of which programs do not find Grus, or do not run on it.
    Error,
}

/// Finding of a check.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub topic: &'static str,
    pub level: Level,
    pub text: String,
    /// Advice for the user.
    pub advice: Option<String>,
}

impl Finding {
    fn new(topic: &'static str, level: Level, text: impl Into<String>) -> Finding {
        Finding { topic, level, text: text.into(), advice: None }
    }

    fn advice(mut self, text: impl Into<String>) -> Finding {
        self.advice = Some(text.into());
        self
    }
}

/// All findings.
#[derive(Debug, Serialize)]
struct Report {
    /// True if there is no error.
    ok: bool,
    findings: Vec<Finding>,
    devices: Vec<vendors::ProbedDevice>,
    processor: processor::Processor,
}

/// Runs all checks, prints the report, and fails if there is an error.
///
/// # Errors
/// [`Problem::Reported`] if programs would not find Grus or not run on it.
pub fn run(library: Option<&Path>, json: bool) -> Result<()> {
    let mut findings = Vec::new();
    let devices = vendors::examine(library, &mut findings);
    loader::examine(&devices, &mut findings);
    let processor = processor::examine(&devices, &mut findings);
    variables::examine(&mut findings);
    let topics = ["loader", "vendors", "processor", "environment"];
    findings.sort_by_key(|finding| topics.iter().position(|topic| *topic == finding.topic));
    let ok = findings.iter().all(|finding| finding.level != Level::Error);
    let report = Report { ok, findings, devices, processor };
    let text = if json {
        serde_json::to_string_pretty(&report).map_err(|e| Problem::Failed(e.to_string()))? + "\n"
    } else {
        shown(&report)
    };
    // An error is ignored: the reader may have closed the pipe.
    let _ = anstream::stdout().write_all(text.as_bytes());
    if ok { Ok(()) } else { Err(Problem::Reported) }
}

/// Formats the report as text.
fn shown(report: &Report) -> String {
    let mut text = String::new();
    let mut topic = "";
    let color = |color: AnsiColor| Style::new().bold().fg_color(Some(color.into()));
    for finding in &report.findings {
        if topic != finding.topic {
            let bold = Style::new().bold();
            let gap = if topic.is_empty() { "" } else { "\n" };
            text += &format!("{gap}{bold}{}{bold:#}\n", finding.topic);
            topic = finding.topic;
        }
        let (style, mark) = match finding.level {
            Level::Ok => (color(AnsiColor::Green), "ok     "),
            Level::Note => (color(AnsiColor::Cyan), "note   "),
            Level::Warning => (color(AnsiColor::Yellow), "warning"),
            Level::Error => (color(AnsiColor::Red), "error  "),
        };
        text += &format!("  {style}{mark}{style:#}  {}\n", finding.text);
        if let Some(advice) = &finding.advice {
            text += &format!("           → {advice}\n");
        }
    }
    let errors = report.findings.iter().filter(|finding| finding.level == Level::Error).count();
    text += &match errors {
        0 => "\nPrograms find Grus, and kernels run on it.\n".to_owned(),
        1 => "\n1 error.\n".to_owned(),
        count => format!("\n{count} errors.\n"),
    };
    text
}

/// Time limit of a probe process that uses a vendor.
// Arbitrary.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Runs a probe process with these arguments. Returns its parsed result. The error is a sentence.
fn run_probe<T: DeserializeOwned>(arguments: &[&std::ffi::OsStr]) -> std::result::Result<T, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(program);
    command.arg("probe").args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| e.to_string())?;
    let (output, errors) =
        (child.stdout.take().map(read_concurrently), child.stderr.take().map(read_concurrently));
    let about = arguments.last().map_or_else(String::new, |about| about.to_string_lossy().replace("--", ""));
    let waiting = progress::of_question(about);
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break status;
        }
        if began.elapsed() > TIME_LIMIT {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("it does not answer within {} s", TIME_LIMIT.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(3));
    };
    waiting.finish_and_clear();
    let error = errors.map(collect_output).unwrap_or_default();
    let last = error.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Err(format!("it crashes: signal {signal} {last}").trim_end().to_owned());
    }
    let output = output.map(collect_output).unwrap_or_default();
    let line = output.lines().rfind(|line| line.starts_with(['{', '['])).unwrap_or_default();
    serde_json::from_str(line).map_err(|_| {
        let reason = last.rsplit_once("grus: error: ").map_or(last, |(_, reason)| reason);
        reason.to_owned()
    })
}

/// Reads the output of a process while it runs, since it may exceed the capacity of a pipe.
fn read_concurrently(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, chunks) = channel();
    std::thread::spawn(move || {
        let mut part = vec![0; 1 << 16];
        while let Ok(size @ 1..) = pipe.read(&mut part) {
            if sender.send(part[..size].to_vec()).is_err() {
                break;
            }
        }
    });
    chunks
}

/// Returns the output, once the process has ended. Other processes that it has started may keep the pipe open.
fn collect_output(chunks: Receiver<Vec<u8>>) -> String {
    let mut bytes = Vec::new();
    while let Ok(part) = chunks.recv_timeout(Duration::from_millis(200)) {
        bytes.extend(part);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
