//! Rows and columns: the contenders, the measurement of a cell, and the printing of a table.

use std::time::Instant;

use grus_bench::client::{Device, Result, Session};

/// Maximum and minimum number of measurements of a contender in a row, minimum time of one in nanoseconds, and
/// total time after which the minimum number suffices.
// Arbitrary.
const MAX_MEASUREMENTS: usize = 15;
const MIN_MEASUREMENTS: usize = 4;
const MIN_MEASUREMENT_TIME: f64 = 3e6;
const SUFFICIENT_TIME: f64 = 0.5e9;

/// Column of a table.
#[derive(Clone, Copy)]
pub enum Contender {
    Device {
        device: Device,
        /// Index of the device among those that the loader finds.
        number: usize,
        session: &'static Session,
    },
    /// Host itself, with that many threads.
    Host(usize),
}

impl Contender {
    /// Returns the work of a device, or `None` for the host.
    pub fn on_device(self, work: impl FnOnce(&'static Session) -> Result<Work>) -> Result<Option<Work>> {
        match self {
            Contender::Device { session, .. } => work(session).map(Some),
            Contender::Host(_) => Ok(None),
        }
    }

    fn name(&self) -> String {
        match self {
            Contender::Device { device, .. } => device.platform_name().chars().take(20).collect(),
            Contender::Host(1) => "host, 1 thread".into(),
            Contender::Host(threads) => format!("host, {threads} threads"),
        }
    }
}

/// Unit of a row's numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// GB per second.
    Rate,
    /// Nanoseconds per unit of the work's amount.
    Nanoseconds,
    /// Microseconds per run.
    Microseconds,
    /// Milliseconds per run.
    Milliseconds,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Unit::Rate => "GB/s",
            Unit::Nanoseconds => "ns",
            Unit::Microseconds => "µs",
            Unit::Milliseconds => "ms",
        }
    }

    /// Returns the number of a cell from the nanoseconds of a run and its amount.
    fn cell(self, time: f64, amount: f64) -> f64 {
        match self {
            Unit::Rate => amount / time,
            Unit::Nanoseconds => time / amount,
            Unit::Microseconds => time / amount / 1e3,
            Unit::Milliseconds => time / amount / 1e6,
        }
    }
}

/// Work of a contender for a row.
pub struct Work {
    /// Number of bytes, or of operations, of one run.
    pub amount: f64,
    /// Function that performs that many runs and waits for the last.
    pub run: Box<dyn FnMut(usize) -> Result<()>>,
    /// Function that checks the result of the last run.
    pub check: Box<dyn FnMut() -> Result<()>>,
}

impl Work {
    /// Creates a work from one run and a check.
    pub fn new(
        amount: usize,
        mut run_once: impl FnMut() -> Result<()> + 'static,
        check: impl FnMut() -> Result<()> + 'static,
    ) -> Work {
        let run = move |count| (0..count).try_for_each(|_| run_once());
        Work { amount: amount as f64, run: Box::new(run), check: Box::new(check) }
    }

    /// Measures the nanoseconds of `count` runs.
    fn time(&mut self, count: usize) -> Result<f64> {
        let start = Instant::now();
        (self.run)(count)?;
        Ok(start.elapsed().as_secs_f64() * 1e9)
    }
}

/// State of a contender in a row.
struct Entry {
    work: Work,
    /// Number of runs of a measurement, and shortest time of a run so far.
    count: usize,
    best: f64,
    /// Total time of all measurements in nanoseconds.
    total_time: f64,
}

impl Entry {
    /// Warms up, and determines the number of runs of a measurement.
    fn new(mut work: Work) -> Result<Entry> {
        (work.run)(1)?;
        let mut count = 1;
        loop {
            // A disturbed measurement suggests too few runs, so the shorter of two counts.
            let time = work.time(count)?.min(work.time(count)?);
            if time >= MIN_MEASUREMENT_TIME / 4.0 {
                let count = (count as f64 * MIN_MEASUREMENT_TIME / time).ceil() as usize;
                return Ok(Entry { work, count, best: f64::MAX, total_time: 0.0 });
            }
            count *= 4;
        }
    }

    fn measure(&mut self, number: usize) -> Result<()> {
        if number >= MIN_MEASUREMENTS && self.total_time > SUFFICIENT_TIME {
            return Ok(());
        }
        if self.count > 1 {
            // Threads of the previous contender may still be spinning.
            (self.work.run)(1)?;
        }
        let time = self.work.time(self.count)?;
        self.best = self.best.min(time / self.count as f64);
        self.total_time += time;
        Ok(())
    }
}

/// Tables that are printed as they are measured.
pub struct Sheet {
    contenders: Vec<Contender>,
    wanted: Vec<String>,
    is_markdown: bool,
    /// Title of the table whose head is printed.
    title: &'static str,
}

impl Sheet {
    pub fn new(contenders: Vec<Contender>, wanted: Vec<String>, is_markdown: bool) -> Sheet {
        Sheet { contenders, wanted, is_markdown, title: "" }
    }

    /// Measures a row and prints it, the contenders alternating; `prepare` returns `None` for a contender that has
    /// no cell in the row.
    pub fn row(
        &mut self,
        title: &'static str,
        name: &str,
        unit: Unit,
        prepare: impl Fn(Contender) -> Result<Option<Work>>,
    ) {
        if !self.is_selected(name) {
            return;
        }
        let mut entries: Vec<Result<Option<Entry>>> =
            self.contenders.iter().map(|&who| prepare(who)?.map(Entry::new).transpose()).collect();
        for number in 0..MAX_MEASUREMENTS {
            for entry in &mut entries {
                if let Ok(Some(inside)) = entry
                    && let Err(message) = inside.measure(number)
                {
                    *entry = Err(message);
                }
            }
        }
        let cells = entries.into_iter().map(|entry| match entry? {
            None => Ok(None),
            Some(mut entry) => {
                (entry.work.check)()?;
                Ok(Some(unit.cell(entry.best, entry.work.amount)))
            }
        });
        let cells = cells.collect();
        self.print(title, name, unit.name(), cells);
    }

    /// Prints a row of numbers that are not times.
    pub fn numbers(
        &mut self,
        title: &'static str,
        name: &str,
        unit: &str,
        number: impl Fn(Contender) -> Result<Option<f64>>,
    ) {
        if self.is_selected(name) {
            let cells = self.contenders.iter().map(|&who| number(who)).collect();
            self.print(title, name, unit, cells);
        }
    }

    /// Checks whether rows of this name are requested.
    pub fn is_selected(&self, name: &str) -> bool {
        self.wanted.is_empty() || self.wanted.iter().any(|wanted| name.starts_with(wanted.as_str()))
    }

    fn print(&mut self, title: &'static str, name: &str, unit: &str, cells: Vec<Result<Option<f64>>>) {
        if self.title != title {
            self.title = title;
            self.head();
        }
        let cells = cells.into_iter().map(|cell| match cell {
            Ok(Some(number)) => significant(number),
            Ok(None) => "-".into(),
            Err(message) => {
                // A build log may be long.
                let lines: Vec<&str> = message.lines().take(4).collect();
                eprintln!("{name}: {}", lines.join(" "));
                "failed".into()
            }
        });
        let cells: Vec<String> = cells.collect();
        if self.is_markdown {
            println!("| {name} | {unit} | {} |", cells.join(" | "));
        } else {
            let cells: String = cells.iter().map(|cell| format!("{cell:>22}")).collect();
            println!("{name:<44}{unit:>6}{cells}");
        }
    }

    fn head(&self) {
        let names: Vec<String> = self.contenders.iter().map(Contender::name).collect();
        if self.is_markdown {
            println!("\n| {} | | {} |", self.title, names.join(" | "));
            println!("|---|---|{}", "---|".repeat(names.len()));
        } else {
            let names: String = names.iter().map(|name| format!("{name:>22}")).collect();
            println!("\n{:<50}{names}", self.title);
        }
    }
}

/// Formats a number with three significant digits.
fn significant(number: f64) -> String {
    let whole = if number == 0.0 { 0 } else { number.abs().log10().floor() as i32 };
    format!("{number:.*}", (2 - whole).clamp(0, 6) as usize)
}

/// Formats a size with its unit.
pub fn size_name(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..0x10_0000 => format!("{} KB", bytes >> 10),
        _ => format!("{} MB", bytes >> 20),
    }
}
