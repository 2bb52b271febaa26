//! Tests with recordings that are assembled word by word, complete or truncated.

use serde_json::Value as Json;

use super::format::*;
use super::recording::{Recording, Value};
use super::summary::Summary;
use super::timeline;

/// Recording under construction.
#[derive(Default)]
struct File(Vec<u64>);

/// Records of one thread, as words.
type Records = Vec<Vec<u64>>;

impl File {
    fn block(&mut self, thread: u64, records: &Records) {
        let mut words = vec![MAGIC, 0];
        words.extend(records.iter().flatten());
        words.resize(words.len().next_multiple_of(PAGE / 8), 0);
        words[1] = (words.len() as u64 * 8) | (thread << 32);
        self.0.extend(words);
    }

    fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }
}

fn record(tag: u64, small: u32, words: &[u64]) -> Vec<u64> {
    let mut record = vec![head(tag, 1 + words.len(), small)];
    record.extend(words);
    record
}

fn text(tag: u64, small: u32, text: &str) -> Vec<u64> {
    let mut words = vec![text.len() as u64];
    words.extend(text.as_bytes().chunks(8).map(|chunk| {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        u64::from_ne_bytes(bytes)
    }));
    record(tag, small, &words)
}

const KERNEL: u64 = 0x11F0;
const READ: u64 = 0x11F3;

fn launch(queue: u32, position: u64, (begin, end): (u64, u64), name: u64) -> Vec<u64> {
    let sizes = [64, 32, 1, 8, 4, 1, 1, 2, 0];
    let mut words = vec![position, begin, end, 0, name | 2 << 32];
    words.extend(sizes);
    words.push(4096);
    record(LAUNCH, queue, &words)
}

/// Returns a recording with one process, two threads, two queues.
fn whole() -> File {
    let mut file = File::default();
    file.block(
        0,
        &vec![
            text(PROCESS, 100, "./program\0-x\0"),
            text(THREAD, 100, "program"),
            text(STRING, 1, "clEnqueueNDRangeKernel(command_queue:p,work_dim:u)i"),
            text(STRING, 2, "clCreateKernel(program:p,kernel_name:s)o"),
            text(STRING, 3, "saxpy"),
            record(CALL, 2, &[1000, 1500, 0xabc0, 0xdef0, 3, 0]),
            record(CALL, 2, &[1500, 1600, 0, 0xdef0, 3, -46i64 as u64]),
            record(QUEUE, 1, &[0]),
            record(QUEUE, 2, &[1]),
            record(ENQUEUED, 1, &[1, 2100, KERNEL]),
            record(CALL, 1, &[2000, 2500, 0, 0x10, 2]),
            record(USER_EVENT, 0, &[0x77, 2600, 0]),
            record(ENQUEUED, 2, &[1, 2700, KERNEL, 1, 1, 0, 0x77]),
            record(ENQUEUED, 2, &[2, 2800, KERNEL]),
            record(ENQUEUED, 1, &[2, 2900, READ, 2, 1, 2, 2]),
            record(ENQUEUED, 1, &[3, 2950, READ]),
        ],
    );
    file.block(
        1,
        &vec![
            text(THREAD, 101, "worker"),
            text(STRING, 1, "group passes"),
            text(STRING, 2, "saxpy"),
            record(STAGE, 1, &[2000, 2050, 2]),
            launch(1, 1, (3000, 4000), 2),
            launch(2, 1, (4000, 6000), 2),
            launch(2, 2, (5000, 7000), 2),
            record(COMMAND, 1, &[2, 7000, 7500, 0, 2000]),
            record(COMMAND, 1, &[3, 7500, 7500, -14i64 as u64, 0]),
        ],
    );
    file
}

fn events(recordings: &[Recording]) -> Vec<Json> {
    let mut bytes = Vec::new();
    let count = timeline::write(recordings, &mut bytes).expect("memory can be written");
    let json: Json = serde_json::from_slice(&bytes).expect("JSON");
    let events = json["traceEvents"].as_array().expect("events").clone();
    assert_eq!(events.len(), count);
    events
}

fn slices<'a>(events: &'a [Json], category: &str) -> Vec<&'a Json> {
    events.iter().filter(|event| event["ph"] == "X" && event["cat"] == category).collect()
}

#[test]
fn calls_have_names_values_and_errors() {
    let recording = Recording::read(&whole().bytes()).expect("a recording");
    assert_eq!((recording.process, recording.command.as_str()), (100, "./program -x"));
    let call = &recording.calls[1];
    assert_eq!(recording.function(call), "clCreateKernel");
    let parameters: Vec<_> = recording.parameters(call).collect();
    assert_eq!(parameters, [("program", Value::Address(0xdef0)), ("kernel_name", Value::Text("saxpy"))]);
    assert_eq!(recording.result(call), (Some(Value::Address(0)), Some(-46)));
    let events = events(&[recording]);
    let calls = slices(&events, "api");
    assert_eq!(calls.len(), 3);
    assert_eq!(calls[1]["args"]["error"], "CL_INVALID_KERNEL_NAME");
    assert_eq!(calls[0]["args"]["result"], "0xabc0");
    assert!(calls[0]["args"].get("error").is_none());
    assert_eq!((&calls[2]["ts"], &calls[2]["dur"]), (&1.0.into(), &0.5.into()));
}

#[test]
fn commands_are_on_tracks_and_arrows_lead_to_them() {
    let events = events(&[Recording::read(&whole().bytes()).expect("a recording")]);
    let kernels = slices(&events, "kernel");
    assert_eq!(kernels.len(), 3);
    assert!(kernels.iter().all(|kernel| kernel["name"] == "saxpy"));
    assert_eq!(kernels[0]["args"]["global"], serde_json::json!([64, 32]));
    assert_eq!(kernels[0]["args"]["offset"], serde_json::json!([1, 2]));
    assert_eq!(kernels[0]["args"]["waited_us"], 0.9);
    // Two commands of the out-of-order queue run at the same time.
    let tracks: Vec<&Json> = kernels.iter().map(|kernel| &kernel["tid"]).collect();
    assert!(tracks[1] != tracks[2] && tracks[0] != tracks[1]);
    let named = |track: &Json| {
        let is_it = |e: &&Json| e["ph"] == "M" && e["name"] == "thread_name" && e["tid"] == *track;
        events.iter().find(is_it).map(|event| event["args"]["name"].clone())
    };
    assert_eq!(named(tracks[0]), Some("queue 1, in order".into()));
    assert_eq!(named(tracks[1]), Some("queue 2, out of order".into()));
    assert_eq!(named(tracks[2]), Some("queue 2, out of order, beside (1)".into()));
    let refused = slices(&events, "transfer")[1];
    assert_eq!(refused["args"]["error"], "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST");
    // Five commands were enqueued; one waits for a command and a user event, another for two commands.
    let arrows = |name: &str, ph: &str| events.iter().filter(|e| e["name"] == name && e["ph"] == ph).count();
    assert_eq!([arrows("enqueue", "s"), arrows("enqueue", "f")], [5, 5]);
    assert_eq!([arrows("wait", "s"), arrows("wait", "f")], [4, 4]);
    let from_host = |e: &&Json| e["name"] == "wait" && e["ph"] == "s" && e["tid"] == 100;
    assert_eq!(events.iter().find(from_host).map(|e| e["ts"].clone()), Some(1.6.into()));
}

#[test]
fn the_summary_adds_up() {
    let summary = Summary::of(&[Recording::read(&whole().bytes()).expect("a recording")]);
    assert_eq!((summary.duration, summary.commands_total), (6500, 5500));
    let kernel = &summary.kernels[0];
    assert_eq!((kernel.count, kernel.total, kernel.min, kernel.max), (3, 5000, 1000, 2000));
    assert_eq!((kernel.bytes, kernel.gigabytes_per_second), (Some(3 * 4096), Some(3.0 * 4096.0 / 5000.0)));
    let transfer = &summary.transfers[0];
    assert_eq!((transfer.name.as_str(), transfer.count, transfer.failed), ("read buffer", 2, 1));
    assert_eq!(transfer.gigabytes_per_second, Some(4.0));
    assert_eq!((summary.stages[0].name.as_str(), summary.stages[0].total), ("group passes", 50));
    let calls: Vec<(&str, u64)> = summary.calls.iter().map(|row| (row.name.as_str(), row.failed)).collect();
    assert_eq!(calls, [("clCreateKernel", 1), ("clEnqueueNDRangeKernel", 0)]);
    let table = summary.table();
    assert!(table.starts_with("1 process in 6.50 µs; commands took 5.50 µs\n"), "{table}");
    let line = table.lines().find(|line| line.starts_with("saxpy")).expect("a line");
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words[..2], ["saxpy", "3"]);
    assert!(line.contains("90.9 %") && line.ends_with("2.46"), "{table}");
}

/// A file that is truncated at any position can be read, and contains no more than the whole.
#[test]
fn a_file_may_end_anywhere() {
    let bytes = whole().bytes();
    let all = Recording::read(&bytes).expect("a recording");
    let mut most = 0;
    for length in (0..bytes.len()).step_by(8).chain([1, 7, PAGE - 1, PAGE + 3]) {
        let cut = Recording::read(&bytes[..length]).expect("a recording");
        assert!(cut.calls.len() <= all.calls.len() && cut.commands.len() <= all.commands.len());
        most = most.max(cut.commands.values().filter(|command| command.execution.is_some()).count());
        events(&[cut]);
    }
    assert_eq!(most, 5);
    // A block whose beginning was never written is skipped.
    let mut holed = whole();
    holed.0[..PAGE / 8].fill(0);
    let holed = Recording::read(&holed.bytes()).expect("a recording");
    assert_eq!((holed.calls.len(), holed.stages.len()), (0, 1));
    assert_eq!(slices(&events(&[holed]), "kernel").len(), 3);
}

#[test]
fn other_files_are_no_recordings() {
    assert_eq!(Recording::read(&[b'x'; 5000]).err().as_deref(), Some("it is no recording"));
    let mut other = whole();
    other.0[0] += 1;
    let said = Recording::read(&other.bytes()).err().unwrap_or_default();
    assert!(said.contains("version 2 ") && said.ends_with("not 1"), "{said}");
    // Malformed records end a block, or are skipped.
    for bad in [head(CALL, 60_000, 0), head(CALL, 2, 99), head(LAUNCH, 3, 1), head(200, 1, 0)] {
        let mut file = File::default();
        file.block(0, &vec![text(THREAD, 5, "x"), vec![bad, 1, 2], record(QUEUE, 1, &[0])]);
        events(&[Recording::read(&file.bytes()).expect("a recording")]);
    }
}
