//! Tests of `grus trace`: recordings of a program, timelines and summaries.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

use super::client::{self, ITEMS, LAUNCHES};
use super::{command, folder, put, said};

/// Returns the command that traces the client with these options, in a process of its own.
fn traced(folder: &Path, options: &[&str], end: Option<&str>) -> Command {
    let mut trace = command(folder);
    trace.arg("trace").args(options).arg("--").arg(std::env::current_exe().expect("this test has a path"));
    trace.args(["--exact", "client::a_client_computes_what_it_should", "--nocapture", "--test-threads=1"]);
    trace.env("XDG_CACHE_HOME", folder.join("cache")).env("TMPDIR", folder);
    if let Some(end) = end {
        trace.env(client::END, end);
    }
    trace
}

/// Returns the events of a file, and checks the fields that the format requires.
fn events(path: &Path) -> Vec<Json> {
    let text = fs::read_to_string(path).expect("a timeline");
    let json: Json = serde_json::from_str(&text).expect("JSON");
    let events = json["traceEvents"].as_array().expect("events").clone();
    for event in &events {
        assert!(event["name"].is_string() && event["cat"].is_string(), "{event}");
        assert!(event["ts"].as_f64().is_some_and(|ts| ts >= 0.0), "{event}");
        assert!(event["pid"].is_u64() && event["tid"].is_u64(), "{event}");
        match event["ph"].as_str() {
            Some("X") => assert!(event["dur"].as_f64().is_some_and(|dur| dur >= 0.0), "{event}"),
            Some("M") => assert!(event["args"].is_object(), "{event}"),
            Some("s") => assert!(event["id"].is_u64(), "{event}"),
            Some("f") => assert!(event["id"].is_u64() && event["bp"] == "e", "{event}"),
            _ => panic!("{event}"),
        }
    }
    nested(&events);
    arrows(&events);
    events
}

fn is_slice(event: &&Json) -> bool {
    event["ph"] == "X"
}

/// Returns nanoseconds, since microseconds as decimals are not exact.
fn nanos(value: &Json) -> u64 {
    (value.as_f64().expect("a number") * 1e3).round() as u64
}

/// Returns begin and end of a slice.
fn times(slice: &Json) -> (u64, u64) {
    let begin = nanos(&slice["ts"]);
    (begin, begin + nanos(&slice["dur"]))
}

type Track = (u64, u64);

fn track(event: &Json) -> Track {
    (event["pid"].as_u64().expect("a process"), event["tid"].as_u64().expect("a track"))
}

/// Checks that slices of a track are disjoint or nested, and that those of queues are disjoint.
fn nested(events: &[Json]) {
    let mut tracks: HashMap<Track, Vec<&Json>> = HashMap::new();
    for slice in events.iter().filter(is_slice) {
        tracks.entry(track(slice)).or_default().push(slice);
    }
    for slices in tracks.values_mut() {
        slices.sort_by_key(|slice| (times(slice).0, u64::MAX - times(slice).1));
        let mut around: Vec<u64> = Vec::new();
        for slice in slices {
            let (begin, end) = times(slice);
            around.retain(|&other| other > begin);
            assert!(around.last().is_none_or(|&other| end <= other), "{slice}");
            let is_command = slice["cat"] != "api" && slice["cat"] != "build";
            assert!(!is_command || around.is_empty(), "{slice}");
            around.push(end);
        }
    }
}

/// Checks that arrows have two ends, which lie in slices, and that no arrow leads back in time.
fn arrows(events: &[Json]) {
    let mut slices: HashMap<Track, Vec<(u64, u64)>> = HashMap::new();
    for slice in events.iter().filter(is_slice) {
        slices.entry(track(slice)).or_default().push(times(slice));
    }
    let mut starts = HashMap::new();
    let mut ends = 0;
    for event in events.iter().filter(|event| event["ph"] == "s" || event["ph"] == "f") {
        let at = nanos(&event["ts"]);
        let here = &slices[&track(event)];
        assert!(here.iter().any(|&(begin, end)| begin <= at && at <= end), "{event}");
        if event["ph"] == "s" {
            assert!(starts.insert(event["id"].as_u64(), (at, event["name"].clone())).is_none());
        } else {
            let (start, name) = &starts[&event["id"].as_u64()];
            assert!(*start <= at && *name == event["name"], "{event}");
            ends += 1;
        }
    }
    assert_eq!(starts.len(), ends);
}

fn named<'a>(events: &'a [Json], name: &str) -> Vec<&'a Json> {
    events.iter().filter(is_slice).filter(|event| event["name"] == name).collect()
}

/// Returns the names of the tracks.
fn tracks(events: &[Json]) -> HashMap<Track, String> {
    let names = events.iter().filter(|event| event["name"] == "thread_name");
    names.map(|event| (track(event), event["args"]["name"].as_str().unwrap_or_default().to_owned())).collect()
}

#[test]
fn a_program_is_recorded_whole() {
    let folder = folder("trace-whole");
    let said = said(&mut traced(&folder, &["-o", "out.json"], None)).status(0);
    assert!(said.out.contains("1 passed"), "{}", said.out);
    assert!(said.err.contains("grus: out.json: ") && said.err.contains(" events"), "{}", said.err);
    let events = events(&folder.join("out.json"));
    let twice = named(&events, "twice");
    assert_eq!(twice.len(), LAUNCHES);
    let args = &twice[0]["args"];
    assert_eq!(args["global"], serde_json::json!([ITEMS]));
    assert_eq!(args["argument_bytes"], 4 * ITEMS);
    assert!(args["local"][0].as_u64().is_some_and(|size| size > 0));
    // Two launches of the parent, and one of the child.
    let plus = named(&events, "plus");
    assert_eq!(plus.iter().filter(|slice| slice["args"]["global"] == serde_json::json!([64, 64])).count(), 2);
    assert_eq!(plus.len(), 3);
    let processes: Vec<u64> = plus.iter().map(|slice| track(slice).0).collect();
    assert!(processes.iter().any(|&process| process != processes[0]), "{processes:?}");
    for name in ["read buffer", "write buffer"] {
        let transfers = named(&events, name);
        assert_eq!(transfers.len(), 1, "{name}");
        assert_eq!(
            (&transfers[0]["args"]["bytes"], &transfers[0]["cat"]),
            (&(4 * ITEMS).into(), &"transfer".into())
        );
    }
    assert_eq!(named(&events, "clEnqueueNDRangeKernel").len(), LAUNCHES + 3);
    let tracks = tracks(&events);
    let names = |slice: &Json| tracks[&track(slice)].as_str();
    assert_eq!(names(twice[0]), "queue 1, in order");
    assert!(plus[..2].iter().all(|slice| names(slice) == "queue 2, out of order"));
    assert_eq!(names(named(&events, "clSetUserEventStatus")[0]), "second");
    assert!(
        !fs::read_dir(&folder)
            .expect("there")
            .flatten()
            .any(|entry| entry.path().join("x").starts_with("grus-trace-"))
    );
}

#[test]
fn calls_have_arguments_and_errors_and_builds_their_stages() {
    let folder = folder("trace-calls");
    said(&mut traced(&folder, &[], None)).status(0);
    let events = events(&folder.join("grus-trace.json"));
    let kernels = named(&events, "clCreateKernel");
    let of = |name: &str| kernels.iter().find(|call| call["args"]["kernel_name"] == name).expect("a call");
    assert_eq!(of("thrice")["args"]["error"], "CL_INVALID_KERNEL_NAME");
    assert!(of("plus")["args"].get("error").is_none());
    let read = named(&events, "clEnqueueReadBuffer");
    assert_eq!(read.len(), 2);
    assert_eq!(
        (&read[0]["args"]["error"], &read[0]["args"]["result"]),
        (&"CL_INVALID_VALUE".into(), &(-30).into())
    );
    assert_eq!(read[1]["args"]["size"], 4 * ITEMS);
    let build = named(&events, "clBuildProgram")[0];
    assert_eq!(build["args"]["options"], "-cl-std=CL2.0");
    let (begin, end) = times(build);
    for stage in ["front end", "lowering", "scalar passes"] {
        let stages = named(&events, stage);
        assert!(stages.iter().any(|slice| times(slice).0 >= begin && times(slice).1 <= end), "{stage}");
    }
    let code = named(&events, "code generation");
    assert!(code.iter().any(|slice| slice["args"]["of"] == "twice"), "{code:?}");
    // Waits of the out-of-order queue: for a user event, which another thread has set, and for a launch.
    let waits: Vec<&Json> = events.iter().filter(|e| e["name"] == "wait" && e["ph"] == "s").collect();
    assert_eq!(waits.len(), 2);
    let tracks = tracks(&events);
    let mut from: Vec<&str> = waits.iter().map(|wait| tracks[&track(wait)].as_str()).collect();
    from.sort_unstable();
    assert_eq!(from, ["queue 2, out of order", "second"]);
}

#[test]
fn the_summary_counts_what_was_done() {
    let folder = folder("trace-summary");
    let options = ["--summary-file=sum.json", "--format=json"];
    let said_of = said(&mut traced(&folder, &options, None)).status(0);
    assert!(!said_of.err.contains("grus:"), "{}", said_of.err);
    assert!(!folder.join("grus-trace.json").exists());
    let text = fs::read_to_string(folder.join("sum.json")).expect("a summary");
    let summary: Json = serde_json::from_str(&text).expect("JSON");
    assert_eq!(summary["processes"], 2);
    let row = |table: &str, name: &str| {
        let rows = summary[table].as_array().expect("a table");
        rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name} in {text}")).clone()
    };
    let twice = row("kernels", "twice");
    assert_eq!((&twice["count"], &twice["bytes"]), (&LAUNCHES.into(), &(LAUNCHES * 4 * ITEMS).into()));
    assert_eq!(row("kernels", "plus")["count"], 3);
    assert_eq!(row("transfers", "write buffer")["bytes"], 4 * ITEMS);
    assert_eq!(row("builds", "clBuildProgram")["count"], 1);
    assert_eq!(row("calls", "clEnqueueNDRangeKernel")["count"], LAUNCHES + 3);
    assert!(summary["calls"].as_array().is_some_and(|rows| rows.len() == 10));
    for table in ["kernels", "transfers"] {
        for row in summary[table].as_array().expect("a table") {
            let number = |name: &str| row[name].as_f64().expect("a number");
            assert!(number("min") <= number("mean") && number("mean") <= number("max"), "{row}");
            assert!((number("mean") * number("count") - number("total")).abs() < 1.0, "{row}");
            assert!(number("share") > 0.0 && number("share") <= 1.0, "{row}");
        }
    }
    // The text summary is printed on standard error.
    let human = said(&mut traced(&folder, &["-s", "-o", "both.json"], None)).status(0);
    let line = human.err.lines().find(|line| line.starts_with("twice")).expect("a line");
    assert_eq!(line.split_whitespace().nth(1), Some("20"), "{}", human.err);
    assert!(!events(&folder.join("both.json")).is_empty());
}

#[test]
fn a_program_that_is_killed_has_recorded_all_before() {
    let folder = folder("trace-killed");
    let killed = said(&mut traced(&folder, &["-o", "out.json"], Some("kill")));
    assert_eq!((killed.status, killed.signal), (None, Some(9)), "{}", killed.err);
    let events = events(&folder.join("out.json"));
    assert_eq!(named(&events, "twice").len(), LAUNCHES);
    assert_eq!(named(&events, "read buffer").len(), 1);
}

#[test]
fn status_is_the_programs() {
    let folder = folder("trace-status");
    assert_eq!(said(&mut traced(&folder, &["-o", "out.json"], Some("7"))).status(7).signal, None);
    assert_eq!(named(&events(&folder.join("out.json")), "twice").len(), LAUNCHES);
    let trace = |words: &[&str]| said(command(&folder).arg("trace").args(words).env("TMPDIR", &folder));
    let missing = trace(&["--", "/nowhere/program"]).status(127);
    assert_eq!(missing.err, "grus: error: /nowhere/program: no such file or directory\n");
    trace(&["--", "/etc/passwd"]).status(126);
    let other = trace(&["--", "sh", "-c", "echo $0; exit 3"]).status(3);
    assert!(other.out == "sh\n" && other.err.contains("nothing is recorded"), "{}", other.err);
    assert_eq!(trace(&["-o", "/nowhere/out.json", "--", "true"]).status(1).out, "");
    trace(&[]).status(2);
    // Signals that are sent to `grus` are passed on to the program.
    let passed =
        trace(&["--", "sh", "-c", "trap 'exit 5' USR1; kill -USR1 $PPID; while :; do sleep 0.05; done"]);
    assert_eq!(passed.status, Some(5), "{}", passed.err);
    // No temporary folder is left.
    let left = fs::read_dir(&folder).expect("there").flatten().map(|entry| entry.file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().starts_with("grus-trace-")));
}

#[test]
fn what_a_variable_has_recorded_can_be_read_and_may_be_cut() {
    let folder = folder("trace-read");
    fs::create_dir(folder.join("raw")).expect("made");
    put(&folder, "a.cl", "kernel void once(global int* p) { p[get_global_id(0)] += 1; }");
    let mut run = command(&folder);
    run.env("GRUS_TRACE", "raw").args(["run", "-q", "a.cl", "-g", "64", "zeros", "--repeat", "5"]);
    said(&mut run).status(0);
    let read = |words: &[&str]| said(command(&folder).args(["trace", "--read", "raw"]).args(words));
    read(&["-o", "all.json"]).status(0);
    let all = events(&folder.join("all.json"));
    // One launch warms up, one produces the results, and five are measured.
    let launches = named(&all, "once").len();
    assert!(launches >= 6, "{launches}");
    let path = fs::read_dir(folder.join("raw")).expect("there").flatten().next().expect("a file").path();
    let bytes = fs::read(&path).expect("readable");
    let mut most = 0;
    for part in 0..=16 {
        fs::write(&path, &bytes[..bytes.len() * part / 16]).expect("written");
        let expected = if part == 0 { 2 } else { 0 };
        read(&["-o", "part.json"]).status(expected);
        if part > 0 {
            most = most.max(named(&events_of_part(&folder.join("part.json")), "once").len());
        }
    }
    assert_eq!(most, launches);
    fs::write(&path, "no recording").expect("written");
    read(&[]).status(2);
    fs::write(&path, "no recording, but long enough to be looked at").expect("written");
    assert!(read(&[]).status(1).err.contains("it is no recording"));
    assert!(said(command(&folder).args(["trace", "--read", "none"])).status(1).err.contains("none: "));
    // The folder for recordings does not exist.
    let mut run = command(&folder);
    run.env("GRUS_TRACE", "nowhere").args(["run", "-q", "a.cl", "-g", "64", "zeros"]);
    assert!(said(&mut run).status(0).err.contains("GRUS_TRACE must be a folder"));
}

/// Returns the events of a truncated recording, in which arrows may begin in a call that was cut off.
fn events_of_part(path: &Path) -> Vec<Json> {
    let text = fs::read_to_string(path).expect("a timeline");
    let json: Json = serde_json::from_str(&text).expect("JSON");
    let events = json["traceEvents"].as_array().expect("events").clone();
    nested(&events);
    events
}
