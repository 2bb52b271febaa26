//! Export of recordings as trace events in JSON, the format that Perfetto and Chrome open: calls and stages of
//! builds on the tracks of their threads, commands on those of their queues. Arrows (flows) lead from the enqueuing
//! call to the command, and from awaited commands to the waiting command.

use std::collections::HashMap;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::kinds;
use super::recording::{Call, Command, CommandDetails, Execution, Launch, Recording, Value};

/// First number of queue tracks, above the thread ids of the system.
const FIRST_QUEUE_TRACK: u64 = 1 << 24;
/// Maximum number of tracks for concurrent commands of an out-of-order queue.
// Arbitrary.
const MAX_TRACKS: u64 = 256;
/// Constant CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE.
const OUT_OF_ORDER: u64 = 1;

#[derive(Serialize)]
struct Event<'a> {
    name: &'a str,
    cat: &'a str,
    ph: char,
    /// Time in microseconds.
    ts: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<f64>,
    pid: u32,
    tid: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    /// Binding point "e": an arrow ends at the enclosing slice, not at the next one.
    #[serde(skip_serializing_if = "Option::is_none")]
    bp: Option<&'a str>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    args: Map<String, Json>,
}

/// Writes all processes as one document. Returns the number of events.
pub fn write(recordings: &[Recording], to: impl Write) -> io::Result<usize> {
    let mut writer = Writer { to, count: 0, flows: 0, start: start(recordings) };
    writer.to.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    for recording in recordings {
        writer.process(recording)?;
    }
    writer.to.write_all(b"\n]}\n")?;
    writer.to.flush()?;
    Ok(writer.count)
}

/// Returns the earliest time of all recordings.
fn start(recordings: &[Recording]) -> u64 {
    let times = recordings.iter().flat_map(|recording| {
        let calls = recording.calls.iter().map(|call| call.begin);
        let stages = recording.stages.iter().map(|stage| stage.begin);
        let commands = recording.commands.values();
        calls.chain(stages).chain(commands.flat_map(|command| {
            [command.enqueued.as_ref().map(|e| e.time), command.execution.as_ref().map(|r| r.begin)]
                .into_iter()
                .flatten()
        }))
    });
    times.min().unwrap_or(0)
}

struct Writer<W> {
    to: W,
    count: usize,
    flows: u64,
    start: u64,
}

/// Position in the timeline: track and time.
type Place = (u64, u64);

impl<W: Write> Writer<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.to.write_all(if self.count == 0 { b"\n" } else { b",\n" })?;
        self.count += 1;
        Ok(serde_json::to_writer(&mut self.to, event)?)
    }

    fn micros(&self, time: u64) -> f64 {
        time.saturating_sub(self.start) as f64 / 1e3
    }

    /// Writes the name or the sort index of a process or a track.
    fn metadata(&mut self, pid: u32, tid: u64, name: &str, value: Json) -> io::Result<()> {
        let key = if name.ends_with("sort_index") { "sort_index" } else { "name" };
        let args = Map::from_iter([(key.to_owned(), value)]);
        self.event(&Event {
            name,
            cat: "__metadata",
            ph: 'M',
            ts: 0.0,
            dur: None,
            pid,
            tid,
            id: None,
            bp: None,
            args,
        })
    }

    fn slice(
        &mut self,
        (pid, tid): (u32, u64),
        (name, cat): (&str, &str),
        (begin, end): (u64, u64),
        args: Map<String, Json>,
    ) -> io::Result<()> {
        let dur = Some(end.saturating_sub(begin) as f64 / 1e3);
        let ts = self.micros(begin);
        self.event(&Event { name, cat, ph: 'X', ts, dur, pid, tid, id: None, bp: None, args })
    }

    fn arrow(&mut self, pid: u32, name: &str, from: Place, to: Place) -> io::Result<()> {
        self.flows += 1;
        let id = Some(self.flows);
        for ((tid, time), ph, bp) in [(from, 's', None), (to, 'f', Some("e"))] {
            let ts = self.micros(time);
            let args = Map::new();
            self.event(&Event { name, cat: name, ph, ts, dur: None, pid, tid, id, bp, args })?;
        }
        Ok(())
    }

    fn process(&mut self, recording: &Recording) -> io::Result<()> {
        let pid = recording.process;
        self.metadata(pid, 0, "process_name", recording.command.as_str().into())?;
        for thread in &recording.threads {
            let is_first = thread.id == pid;
            let name = if is_first { format!("{} (first thread)", thread.name) } else { thread.name.clone() };
            self.metadata(pid, thread.id.into(), "thread_name", name.into())?;
            self.metadata(pid, thread.id.into(), "thread_sort_index", if is_first { 0 } else { 1 }.into())?;
        }
        for call in &recording.calls {
            let track = (pid, recording.threads[call.thread].id.into());
            let args = call_args(recording, call);
            self.slice(track, (recording.function(call), "api"), (call.begin, call.end), args)?;
        }
        for stage in &recording.stages {
            let track = (pid, recording.threads[stage.thread].id.into());
            let (name, what) = recording.stage(stage);
            let args = Map::from_iter([("of".to_owned(), what.into())]);
            self.slice(track, (name, "build"), (stage.begin, stage.end), args)?;
        }
        let tracks = tracks(recording);
        self.queues(recording, &tracks)?;
        for (key, command) in &recording.commands {
            self.command(recording, *key, command, &tracks)?;
        }
        Ok(())
    }

    fn queues(&mut self, recording: &Recording, tracks: &Tracks) -> io::Result<()> {
        let pid = recording.process;
        let mut used: Vec<(u64, u32)> = tracks.iter().map(|(&(queue, _), &track)| (track, queue)).collect();
        used.sort_unstable();
        used.dedup();
        for (track, queue) in used {
            let lane = track % MAX_TRACKS;
            let order = match recording.queues.get(&queue) {
                Some(flags) if flags & OUT_OF_ORDER != 0 => ", out of order",
                Some(_) => ", in order",
                None => "",
            };
            let beside = if lane == 0 { String::new() } else { format!(", beside ({lane})") };
            self.metadata(pid, track, "thread_name", format!("queue {queue}{order}{beside}").into())?;
            self.metadata(pid, track, "thread_sort_index", track.into())?;
        }
        Ok(())
    }

    fn command(
        &mut self,
        recording: &Recording,
        key: (u32, u64),
        command: &Command,
        tracks: &Tracks,
    ) -> io::Result<()> {
        let (Some(execution), Some(&track)) = (&command.execution, tracks.get(&key)) else { return Ok(()) };
        let pid = recording.process;
        let kind = command.enqueued.as_ref().map_or(0, |enqueued| enqueued.kind);
        let (name, cat) = match &execution.what {
            CommandDetails::Launch(launch) => (recording.kernel(launch), "kernel"),
            CommandDetails::Moved(_) if kinds::is_transfer(kind) => (kinds::name(kind), "transfer"),
            CommandDetails::Moved(_) => (kinds::name(kind), "command"),
        };
        let args = command_args(recording, key, command, execution);
        self.slice((pid, track), (name, cat), (execution.begin, execution.end), args)?;
        let Some(enqueued) = &command.enqueued else { return Ok(()) };
        let here = (track, execution.begin);
        let caller = recording.threads[enqueued.thread].id.into();
        self.arrow(pid, "enqueue", (caller, enqueued.time), here)?;
        for &(queue, position) in &enqueued.waits {
            if let Some(from) = end_of(recording, tracks, (queue, position), execution.begin) {
                self.arrow(pid, "wait", from, here)?;
            }
        }
        Ok(())
    }
}

/// Returns the end of an awaited command or user event, where the waiting command began at `before`.
fn end_of(recording: &Recording, tracks: &Tracks, key: (u32, u64), before: u64) -> Option<Place> {
    if key.0 == 0 {
        // Handles are reused, so the last event with this handle counts.
        let events = recording.user_events.get(&key.1)?.iter();
        let event = events.filter(|event| event.time <= before).max_by_key(|event| event.time)?;
        return Some((recording.threads[event.thread].id.into(), event.time));
    }
    let execution = recording.commands.get(&key)?.execution.as_ref()?;
    // The arrow must begin inside the slice of the command.
    Some((*tracks.get(&key)?, execution.begin.max(execution.end.saturating_sub(1))))
}

/// Tracks of all commands that have run.
type Tracks = HashMap<(u32, u64), u64>;

fn tracks(recording: &Recording) -> Tracks {
    let mut executions: Vec<((u32, u64), &Execution)> = recording
        .commands
        .iter()
        .filter_map(|(&key, command)| Some((key, command.execution.as_ref()?)))
        .collect();
    executions
        .sort_by_key(|((queue, position), execution)| (*queue, execution.begin, execution.end, *position));
    let mut tracks = Tracks::new();
    let mut lanes: Vec<u64> = Vec::new();
    let mut last = None;
    for ((queue, position), execution) in executions {
        if last.replace(queue) != Some(queue) {
            lanes.clear();
        }
        let free = lanes.iter().position(|&end| end <= execution.begin);
        let lane = free.unwrap_or_else(|| {
            lanes.push(0);
            lanes.len() - 1
        });
        lanes[lane] = execution.end;
        let track = FIRST_QUEUE_TRACK + u64::from(queue) * MAX_TRACKS + (lane as u64).min(MAX_TRACKS - 1);
        tracks.insert((queue, position), track);
    }
    tracks
}

fn call_args(recording: &Recording, call: &Call) -> Map<String, Json> {
    let json = |value: Value| match value {
        Value::Address(0) => Json::Null,
        Value::Address(address) => format!("{address:#x}").into(),
        Value::Signed(number) => number.into(),
        Value::Unsigned(number) => number.into(),
        Value::Text(text) => text.into(),
    };
    let mut args: Map<String, Json> =
        recording.parameters(call).map(|(name, value)| (name.to_owned(), json(value))).collect();
    let (result, code) = recording.result(call);
    if let Some(result) = result {
        args.insert("result".into(), json(result));
    }
    if let Some(code) = code.filter(|&code| code != 0) {
        args.insert("error".into(), error(code));
    }
    args
}

fn error(code: i64) -> Json {
    i32::try_from(code).map_or(code.into(), |code| crate::cl::error_name(code).into())
}

fn command_args(
    recording: &Recording,
    (queue, position): (u32, u64),
    command: &Command,
    execution: &Execution,
) -> Map<String, Json> {
    let mut args =
        Map::from_iter([("queue".to_owned(), queue.into()), ("command".to_owned(), position.into())]);
    if let Some(enqueued) = &command.enqueued {
        args.insert("waited_us".into(), (execution.begin.saturating_sub(enqueued.time) as f64 / 1e3).into());
    }
    if execution.status < 0 {
        args.insert("error".into(), error(execution.status));
    }
    match &execution.what {
        CommandDetails::Launch(launch) => sizes(recording, launch, &mut args),
        CommandDetails::Moved(bytes) => {
            args.insert("bytes".into(), (*bytes).into());
        }
    }
    args
}

fn sizes(recording: &Recording, launch: &Launch, args: &mut Map<String, Json>) {
    args.insert("kernel".into(), recording.kernel(launch).into());
    for (name, sizes) in [("global", launch.global), ("local", launch.local), ("offset", launch.offset)] {
        args.insert(name.into(), json!(sizes[..launch.dimensions]));
    }
    args.insert("argument_bytes".into(), launch.bytes.into());
}
