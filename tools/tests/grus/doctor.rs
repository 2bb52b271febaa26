//! Tests of `grus doctor` with various vendors folders.

use std::path::Path;
use std::time::Instant;

use serde_json::Value;

use super::{command, folder, put, said, the_library};

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// Counts the findings of a level whose text contains `text`.
fn count(report: &Value, level: &str, text: &str) -> usize {
    let findings = report["findings"].as_array().expect("findings");
    let fits = |finding: &&Value| {
        finding["level"] == level && finding["text"].as_str().is_some_and(|found| found.contains(text))
    };
    findings.iter().filter(fits).count()
}

#[test]
fn all_is_well() {
    let folder = folder("doctor-well");
    put(&folder, "grus.icd", format!("{}\n", the_library().display()));
    let said_well = said(command(&folder).env("OCL_ICD_VENDORS", &folder).arg("doctor")).status(0);
    assert!(said_well.out.contains("a kernel runs and is right"), "{}", said_well.out);
    assert!(said_well.out.contains("it shows Grus"), "{}", said_well.out);
    assert!(!said_well.out.contains('\u{1b}'));
    let mut doctor = command(&folder);
    doctor.env("OCL_ICD_VENDORS", &folder).env("GRUS_TIMNG", "1").args(["doctor", "--format=json"]);
    let report = json(&said(&mut doctor).status(0).out);
    assert_eq!(report["ok"], true);
    assert_eq!(report["devices"][0]["is_grus"], true);
    assert!(report["devices"][0]["first_result_ms"].as_f64().is_some_and(|time| time > 0.0));
    assert!(report["processor"]["allowed"].as_u64().is_some_and(|count| count > 0));
    assert_eq!(count(&report, "warning", "GRUS_TIMNG"), 1);
}

#[test]
fn vendors_that_cannot_be_used() {
    let folder = folder("doctor-bad");
    put(&folder, "a.icd", "/nowhere/liba.so\n");
    put(&folder, "b.icd", "\n");
    put(&folder, "c.icd", format!("{}\n", folder.join("libc.so").display()));
    put(&folder, "libc.so", "this is no library");
    put(&folder, "d.icd", "some/libd.so\n");
    put(&folder, "e.icd", "libc.so.6\n");
    let report =
        said(command(&folder).env("OCL_ICD_VENDORS", &folder).args(["doctor", "--format=json"])).status(1);
    let report = json(&report.out);
    assert_eq!(report["ok"], false);
    assert_eq!(count(&report, "warning", "a.icd: /nowhere/liba.so: no such file"), 1);
    assert_eq!(count(&report, "warning", "b.icd: it is empty"), 1);
    assert_eq!(count(&report, "warning", "libc.so: "), 1);
    assert_eq!(count(&report, "warning", "current folder"), 1);
    assert_eq!(count(&report, "warning", "no OpenCL vendor's library"), 1);
    assert_eq!(count(&report, "error", "leads to Grus"), 1);
    let advices = report["findings"].as_array().expect("findings").iter().filter(|f| f["level"] != "ok");
    for finding in advices.filter(|f| f["level"] == "error" || f["level"] == "warning") {
        assert!(finding["advice"].is_string(), "{finding}");
    }
    // Grus itself works, and is found beside the program.
    assert_eq!(count(&report, "ok", "a kernel runs and is right"), 1);
}

#[test]
fn nothing_is_installed() {
    let folder = folder("doctor-nothing");
    let doctor = |vendors: &Path| {
        said(command(&folder).env("OCL_ICD_VENDORS", vendors).args(["doctor", "--format=json"])).status(1)
    };
    let report = json(&doctor(&folder).out);
    assert_eq!(count(&report, "error", "there is no .icd file"), 1);
    // The advice names the folder that loaders read, not the one they would read without the variable.
    let place = format!("> {}/grus.icd", folder.display());
    let advices = report["findings"].as_array().expect("findings").iter().map(|finding| &finding["advice"]);
    assert!(advices.filter_map(Value::as_str).any(|advice| advice.contains(&place)), "{report}");
    let report = json(&doctor(&folder.join("no")).out);
    assert_eq!(count(&report, "error", "the folder of vendors cannot be read"), 1);
    assert_eq!(count(&report, "error", "OCL_ICD_VENDORS="), 1);
}

/// Compiles a vendor's library from C.
fn vendor(folder: &Path, name: &str, source: &str) {
    put(folder, &format!("{name}.c"), source);
    let library = folder.join(format!("lib{name}.so"));
    let mut cc = std::process::Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(folder.join(format!("{name}.c")));
    assert!(cc.status().expect("a C compiler runs").success());
    put(folder, &format!("{name}.icd"), format!("{}\n", library.display()));
}

#[test]
fn a_vendor_that_crashes_is_a_finding() {
    let folder = folder("doctor-crash");
    vendor(&folder, "crash", "__attribute__((constructor)) static void now(void) { __builtin_trap(); }");
    put(&folder, "grus.icd", format!("{}\n", the_library().display()));
    let mut doctor = command(&folder);
    doctor.env("OCL_ICD_VENDORS", &folder).args(["doctor", "--format=json"]);
    let report = json(&said(&mut doctor).status(1).out);
    assert_eq!(count(&report, "warning", "it crashes: signal 4"), 1);
    // Every program that uses the loader crashes as well.
    assert_eq!(count(&report, "error", "the ICD loader cannot be used: it crashes: signal 4"), 1);
    assert_eq!(count(&report, "ok", "a kernel runs and is right"), 1);
}

#[test]
fn a_vendor_that_prints_much_is_heard() {
    let folder = folder("doctor-talk");
    let talk = "#include <unistd.h>
        __attribute__((constructor)) static void now(void) {
            char line[1000] = {0};
            for (int i = 0; i < 1000; i++) write(1, line, sizeof line), write(2, line, sizeof line);
        }";
    vendor(&folder, "talk", talk);
    put(&folder, "grus.icd", format!("{}\n", the_library().display()));
    let began = Instant::now();
    let mut doctor = command(&folder);
    doctor.env("OCL_ICD_VENDORS", &folder).args(["doctor", "--format=json"]);
    let report = json(&said(&mut doctor).status(0).out);
    assert_eq!(count(&report, "warning", "no OpenCL vendor's library"), 1);
    assert_eq!(count(&report, "ok", "it shows Grus"), 1);
    // The time limit was not reached.
    assert!(began.elapsed().as_secs() < 60);
}
