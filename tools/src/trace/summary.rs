//! Summary of times: kernels, transfers and other commands, builds, calls.

use std::collections::BTreeMap;

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use super::kinds;
use super::recording::{CommandDetails, Recording};
use crate::run::time;

/// Maximum number of functions that are listed.
// Arbitrary.
const CALLS: usize = 10;

/// Functions that build programs.
const BUILDS: [&str; 3] = ["clBuildProgram", "clCompileProgram", "clLinkProgram"];

/// Summary of all processes. Times are in nanoseconds.
#[derive(Debug, Serialize)]
pub struct Summary {
    pub processes: usize,
    /// Time from the first call, build or command to the end of the last.
    pub duration: u64,
    /// Sum of the times of commands.
    pub commands_total: u64,
    pub kernels: Vec<Row>,
    pub transfers: Vec<Row>,
    pub other_commands: Vec<Row>,
    pub builds: Vec<Row>,
    /// Stages of builds and first launches.
    pub stages: Vec<Row>,
    /// Functions with the longest total time; it includes waiting.
    pub calls: Vec<Row>,
}

/// Statistics of all entries with one name.
#[derive(Debug, Default, Serialize)]
pub struct Row {
    pub name: String,
    pub count: u64,
    /// Number of calls or commands that ended with an error.
    pub failed: u64,
    pub total: u64,
    pub mean: f64,
    pub min: u64,
    pub max: u64,
    /// Share of the time of all commands; `None` for other rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Number of bytes that transfers moved; for kernels the total size of their memory objects, even if not
    /// accessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gigabytes_per_second: Option<f64>,
}

/// Rows by name.
type Rows<'a> = BTreeMap<&'a str, Row>;

fn add<'a>(
    rows: &mut Rows<'a>,
    name: &'a str,
    (begin, end): (u64, u64),
    has_failed: bool,
    bytes: Option<u64>,
) {
    let took = end.saturating_sub(begin);
    let row = rows.entry(name).or_insert_with(|| Row { min: u64::MAX, ..Row::default() });
    row.count += 1;
    row.failed += u64::from(has_failed);
    row.total += took;
    row.min = row.min.min(took);
    row.max = row.max.max(took);
    if let Some(bytes) = bytes {
        row.bytes = Some(row.bytes.unwrap_or(0) + bytes);
    }
}

/// Returns the rows, longest first; shares are relative to `all`.
fn sorted(rows: Rows, all: Option<u64>) -> Vec<Row> {
    let finish = |(name, mut row): (&str, Row)| {
        name.clone_into(&mut row.name);
        row.mean = row.total as f64 / row.count as f64;
        row.share = all.map(|all| row.total as f64 / (all as f64).max(1.0));
        let rate = |bytes: u64| (bytes > 0 && row.total > 0).then(|| bytes as f64 / row.total as f64);
        row.gigabytes_per_second = row.bytes.and_then(rate);
        row
    };
    let mut rows: Vec<Row> = rows.into_iter().map(finish).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.total));
    rows
}

impl Summary {
    pub fn of(recordings: &[Recording]) -> Summary {
        let [mut kernels, mut transfers, mut others, mut builds, mut stages, mut calls] =
            [const { Rows::new() }; 6];
        let (mut first, mut last) = (u64::MAX, 0);
        let mut seen = |(begin, end): (u64, u64)| {
            first = first.min(begin);
            last = last.max(end);
            (begin, end)
        };
        for recording in recordings {
            for command in recording.commands.values() {
                let Some(execution) = &command.execution else { continue };
                let (time, failed) = (seen((execution.begin, execution.end)), execution.status < 0);
                let kind = command.enqueued.as_ref().map_or(0, |enqueued| enqueued.kind);
                let name = kinds::name(kind);
                match &execution.what {
                    CommandDetails::Launch(launch) => {
                        add(&mut kernels, recording.kernel(launch), time, failed, Some(launch.bytes));
                    }
                    CommandDetails::Moved(bytes) if kinds::is_transfer(kind) => {
                        add(&mut transfers, name, time, failed, Some(*bytes));
                    }
                    CommandDetails::Moved(_) => add(&mut others, name, time, failed, None),
                }
            }
            for call in &recording.calls {
                let (name, time) = (recording.function(call), seen((call.begin, call.end)));
                let failed = recording.result(call).1.is_some_and(|code| code != 0);
                add(&mut calls, name, time, failed, None);
                if BUILDS.contains(&name) {
                    add(&mut builds, name, time, failed, None);
                }
            }
            for stage in &recording.stages {
                add(&mut stages, recording.stage(stage).0, seen((stage.begin, stage.end)), false, None);
            }
        }
        let total =
            [&kernels, &transfers, &others].into_iter().flat_map(|rows| rows.values()).map(|row| row.total);
        let commands_total = total.sum();
        let mut calls = sorted(calls, None);
        calls.truncate(CALLS);
        Summary {
            processes: recordings.len(),
            duration: last.saturating_sub(first),
            commands_total,
            kernels: sorted(kernels, Some(commands_total)),
            transfers: sorted(transfers, Some(commands_total)),
            other_commands: sorted(others, Some(commands_total)),
            builds: sorted(builds, None),
            stages: sorted(stages, None),
            calls,
        }
    }

    /// Formats the summary as tables.
    pub fn table(&self) -> String {
        let mut text = format!(
            "{} in {}; commands took {}\n",
            if self.processes == 1 {
                "1 process".to_owned()
            } else {
                format!("{} processes", self.processes)
            },
            time(self.duration as f64),
            time(self.commands_total as f64),
        );
        for (title, rows) in [
            ("kernel", &self.kernels),
            ("transfer", &self.transfers),
            ("other command", &self.other_commands),
            ("build", &self.builds),
            ("stage of builds and first launches", &self.stages),
            ("call", &self.calls),
        ] {
            if !rows.is_empty() {
                text += &format!("\n{}", section(title, rows));
            }
        }
        if self.kernels.iter().any(|row| row.gigabytes_per_second.is_some()) {
            text +=
                "\nBytes of kernels are those of all buffers and images they were given, touched or not.\n";
        }
        text
    }
}

fn section(title: &str, rows: &[Row]) -> String {
    let has_share = rows.iter().any(|row| row.share.is_some());
    let has_bytes = rows.iter().any(|row| row.bytes.is_some());
    let has_failed = rows.iter().any(|row| row.failed > 0);
    let columns = [("share", has_share), ("bytes", has_bytes), ("GB/s", has_bytes), ("failed", has_failed)];
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    let fixed = [title, "count", "total", "mean", "min", "max"];
    let header =
        fixed.into_iter().chain(columns.into_iter().filter(|column| column.1).map(|column| column.0));
    table.add_row(header.collect::<Vec<_>>());
    for row in rows {
        let optional = [
            row.share.map_or_else(String::new, |share| format!("{:.1} %", 100.0 * share)),
            row.bytes.map_or_else(String::new, |bytes| bytes.to_string()),
            row.gigabytes_per_second.map_or_else(String::new, |rate| format!("{rate:.2}")),
            row.failed.to_string(),
        ];
        let times = [row.total as f64, row.mean, row.min as f64, row.max as f64].map(time);
        let mut cells = vec![row.name.clone(), row.count.to_string()];
        cells.extend(times);
        cells.extend(optional.into_iter().zip(columns).filter(|(_, column)| column.1).map(|(cell, _)| cell));
        table.add_row(cells);
    }
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table.lines().map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(&line).trim_end())).collect()
}
