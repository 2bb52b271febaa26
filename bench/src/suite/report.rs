//! Table of a run: as text, as Markdown, and as JSON for programs.

use std::fmt::Write;

use crate::suite::machine::Machine;
use crate::suite::plan::Limit;
use crate::suite::scheduler::Outcome;
use crate::suite::work::Workload;

/// Row of a workload that was measured.
pub struct Row {
    pub workload: &'static Workload,
    pub limits: Vec<Limit>,
    /// Outcomes, one per device.
    pub outcomes: Vec<Outcome>,
}

/// Results of a run.
pub struct Report {
    pub date: String,
    pub machine: Machine,
    /// Platform, device and driver version of each device.
    pub devices: Vec<[String; 3]>,
    /// Index of the device that the others are compared with.
    pub judged: usize,
    pub rounds: usize,
    pub rows: Vec<Row>,
}

/// Shortens a platform's name to a word.
pub fn short(platform: &str) -> String {
    if platform == "Portable Computing Language" {
        return "PoCL".into();
    }
    platform.split([' ', '(']).next().unwrap_or_default().to_owned()
}

/// Returns the geometric mean, or `None` of no ratios.
fn mean(ratios: &[f64]) -> Option<f64> {
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}

/// Formats a number with about three digits.
fn digits(value: f64) -> String {
    match value {
        v if v < 0.1 => format!("{v:.4}"),
        v if v < 1.0 => format!("{v:.3}"),
        v if v < 10.0 => format!("{v:.2}"),
        v if v < 100.0 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

/// Formats a limit with its unit.
fn amount(limit: &Limit) -> String {
    let (number, what) = match limit {
        Limit::Single(n) => (n, "M float operations"),
        Limit::Double(n) => (n, "M double operations"),
        Limit::Integer(n) => (n, "M integer operations"),
        Limit::Count(n) => (n, "M increments of own entries"),
        Limit::Atomic(n) => (n, "M increments of shared entries"),
        Limit::L1(n) => (n, "MB from L1"),
        Limit::Cache(n) => (n, "MB to and from the last cache"),
        Limit::Memory(n) => (n, "MB to and from memory"),
    };
    format!("{} {what}", digits(number / 1e6))
}

/// Formats a share of the limit as a percentage.
fn percent(share: f64) -> String {
    if share < 0.1 { format!("{:.1}", 100.0 * share) } else { format!("{:.0}", 100.0 * share) }
}

impl Row {
    /// Returns the median of the judged device divided by that of another device.
    pub fn ratio(&self, judged: usize, other: usize) -> Option<f64> {
        Some(self.outcomes[judged].times()?.1 / self.outcomes[other].times()?.1)
    }

    /// Returns the ratio to the fastest of the other devices.
    fn to_fastest(&self, judged: usize) -> Option<f64> {
        let others = (0..self.outcomes.len()).filter(|other| *other != judged);
        others.filter_map(|other| self.ratio(judged, other)).max_by(f64::total_cmp)
    }
}

impl Report {
    pub fn name(&self, device: usize) -> String {
        short(&self.devices[device][0])
    }

    /// Returns the indices of all devices except the judged one.
    pub fn peers(&self) -> Vec<usize> {
        (0..self.devices.len()).filter(|device| *device != self.judged).collect()
    }

    fn head(&self) -> Vec<String> {
        let mut head = vec!["workload".into(), "limit".into(), "limit ms".into()];
        for device in 0..self.devices.len() {
            let name = self.name(device);
            head.extend([format!("{name} min"), format!("{name} ms"), format!("{name} %")]);
        }
        head.extend(
            self.peers().iter().map(|peer| format!("{} / {}", self.name(self.judged), self.name(*peer))),
        );
        head
    }

    fn cells(&self, row: &Row) -> Vec<String> {
        let bound = self.machine.bound(&row.limits);
        let mut cells = vec![row.workload.name.to_owned()];
        cells.push(bound.map_or("-".into(), |(_, name)| name.into()));
        cells.push(bound.map_or("-".into(), |(seconds, _)| digits(seconds * 1e3)));
        for outcome in &row.outcomes {
            let word = match outcome {
                Outcome::Times(_) => "",
                Outcome::Wrong(_) => "wrong",
                Outcome::Failed(_) => "failed",
                Outcome::Late => "late",
            };
            match outcome.times() {
                Some((least, median)) => cells.extend([
                    digits(least * 1e3),
                    digits(median * 1e3),
                    bound.map_or("-".into(), |(seconds, _)| percent(seconds / median)),
                ]),
                None => cells.extend(["".into(), word.into(), "".into()]),
            }
        }
        let ratios = self.peers().into_iter().map(|peer| row.ratio(self.judged, peer));
        cells.extend(ratios.map(|ratio| ratio.map_or("-".into(), digits)));
        cells
    }

    /// Returns, for each peer and for the fastest peer, the geometric mean of the ratios and their number.
    pub fn means(&self) -> Vec<(String, Option<f64>, usize)> {
        let mut means: Vec<(String, Option<f64>, usize)> = Vec::new();
        for peer in self.peers() {
            let ratios: Vec<f64> = self.rows.iter().filter_map(|row| row.ratio(self.judged, peer)).collect();
            means.push((self.name(peer), mean(&ratios), ratios.len()));
        }
        if means.len() > 1 {
            let ratios: Vec<f64> = self.rows.iter().filter_map(|row| row.to_fastest(self.judged)).collect();
            means.push(("the fastest of them".into(), mean(&ratios), ratios.len()));
        }
        means
    }

    fn summary(&self) -> String {
        let judged = self.name(self.judged);
        let mut text = String::new();
        for (name, mean, count) in self.means() {
            let mean = mean.map_or("-".into(), digits);
            let _ = writeln!(text, "{judged} / {name}: {mean} (geometric mean of {count} ratios of medians)");
        }
        text
    }

    fn conditions(&self) -> String {
        let machine = &self.machine;
        let giga = |value: f64| digits(value / 1e9);
        let mut text = format!(
            "{}; {}, {} threads; {} rounds.\n\
             The machine: {} G float operations/s in FMA ({}), {} double, {} integer; {} increments of own entries, {} of shared ones; \
             L1 {} GB/s, last cache {} GB/s, memory {} GB/s.\n",
            self.date,
            machine.processor,
            machine.threads,
            self.rounds,
            giga(machine.single),
            machine.vectors,
            giga(machine.double),
            giga(machine.integer),
            giga(machine.count),
            giga(machine.atomic),
            giga(machine.l1),
            giga(machine.cache),
            giga(machine.memory),
        );
        for (number, [platform, device, driver]) in self.devices.iter().enumerate() {
            let _ = writeln!(text, "{}: {platform}, {device}, driver {driver}.", self.name(number));
        }
        text
    }

    /// Returns the table as text.
    pub fn text(&self) -> String {
        let mut lines = vec![self.head()];
        lines.extend(self.rows.iter().map(|row| self.cells(row)));
        let columns = lines[0].len();
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = self.conditions() + "\n";
        for line in &lines {
            for (column, cell) in line.iter().enumerate() {
                let width = widths[column];
                let _ = if column < 2 {
                    write!(text, "{cell:<width$}  ")
                } else {
                    write!(text, "{cell:>width$}  ")
                };
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text + "\n" + &self.summary()
    }

    /// Returns descriptions of the workloads and their limits.
    fn described(&self) -> String {
        let mut text = String::from("| workload | | must |\n|---|---|---|\n");
        for row in &self.rows {
            let must: Vec<String> = row.limits.iter().map(amount).collect();
            let must = if must.is_empty() { "-".into() } else { must.join(", ") };
            let _ = writeln!(text, "| {} | {} | {must} |", row.workload.name, row.workload.about);
        }
        text
    }

    /// Returns the tables as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = self.conditions().replace('\n', "\n\n");
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let head = self.head();
        let rule = format!("|---|---|{}\n", "---:|".repeat(head.len() - 2));
        text += &line(head);
        text += &rule;
        self.rows.iter().for_each(|row| text += &line(self.cells(row)));
        text + "\n" + &self.summary().replace('\n', "\n\n") + &self.described()
    }

    /// Returns all measurements as JSON.
    pub fn json(&self) -> String {
        let list = |items: Vec<String>| format!("[{}]", items.join(","));
        let m = &self.machine;
        let devices = self.devices.iter().map(|names| list(names.iter().map(|name| quoted(name)).collect()));
        let rows = self.rows.iter().map(|row| {
            let outcomes = row.outcomes.iter().map(|outcome| match outcome {
                Outcome::Times(times) => list(times.iter().map(f64::to_string).collect()),
                Outcome::Wrong(message) => quoted(&format!("wrong: {message}")),
                Outcome::Failed(message) => quoted(&format!("failed: {message}")),
                Outcome::Late => quoted("late"),
            });
            let bound =
                self.machine.bound(&row.limits).map_or("null".into(), |(seconds, _)| seconds.to_string());
            let name = quoted(row.workload.name);
            format!("{{\"name\":{name},\"limit\":{bound},\"seconds\":{}}}", list(outcomes.collect()))
        });
        format!(
            "{{\"date\":{},\"processor\":{},\"threads\":{},\"single\":{},\"double\":{},\"integer\":{},\"count\":{},\"atomic\":{},\"l1\":{},\
             \"cache\":{},\"memory\":{},\"devices\":{},\"judged\":{},\n\"workloads\":[\n{}\n]}}\n",
            quoted(&self.date),
            quoted(&m.processor),
            m.threads,
            m.single,
            m.double,
            m.integer,
            m.count,
            m.atomic,
            m.l1,
            m.cache,
            m.memory,
            list(devices.collect()),
            self.judged,
            rows.collect::<Vec<_>>().join(",\n"),
        )
    }
}

/// Quotes a string for JSON.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::{mean, quoted, short};

    #[test]
    fn means_are_geometric() {
        assert_eq!(mean(&[]), None);
        assert!((mean(&[2.0, 8.0]).unwrap_or_default() - 4.0).abs() < 1e-12);
    }

    #[test]
    fn names_and_strings() {
        assert_eq!(short("Intel(R) OpenCL"), "Intel");
        assert_eq!(short("Portable Computing Language"), "PoCL");
        assert_eq!(quoted("a\"b\\\n"), "\"a\\\"b\\\\\\u000a\"");
    }
}
