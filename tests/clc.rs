//! Fixtures of the front end. What a fixture expects stands in it:
//!
//! - `// options: -cl-std=CL2.0` and `// facts: fp16 nofp64` set the build up,
//! - `// error: text` and `// warning: text` at the end of a line say that a message
//!   containing the text is reported on that line; no other errors may be,
//! - `//= text` lines at the end of a `pp/` fixture are the preprocessed program.

use std::path::{Path, PathBuf};

use grus_core::clc::{self, Options, TargetFacts};

fn fixtures(dir: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clc").join(dir);
    let mut found: Vec<PathBuf> = std::fs::read_dir(&root)
        .unwrap_or_else(|e| panic!("{}: {e}", root.display()))
        .map(|entry| entry.expect("a readable directory").path())
        .filter(|path| path.extension().is_some_and(|e| e == "cl"))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "no fixtures in {}", root.display());
    found
}

fn header<'t>(text: &'t str, key: &str) -> &'t str {
    text.lines().find_map(|line| line.trim().strip_prefix("// ")?.strip_prefix(key)).unwrap_or("").trim()
}

fn facts_of(text: &str) -> TargetFacts {
    let mut facts = TargetFacts::default();
    for word in header(text, "facts:").split_whitespace() {
        match word {
            "fp16" => {
                facts.fp16 = true;
                facts.extensions.push("cl_khr_fp16".into());
            }
            "nofp64" => {
                facts.fp64 = false;
                facts.extensions.retain(|e| e != "cl_khr_fp64");
            }
            "images" => facts.images = true,
            other => panic!("unknown fact {other}"),
        }
    }
    facts
}

/// Line numbers and texts that `// key: text` comments expect.
fn expectations(text: &str, key: &str) -> Vec<(usize, String)> {
    let mark = format!("// {key}: ");
    text.lines()
        .enumerate()
        .flat_map(|(i, line)| {
            let parts = line.split(&mark).skip(1);
            parts.map(move |part| {
                let text = part.split("// warning: ").next().unwrap_or("");
                (i + 1, text.trim().to_owned())
            })
        })
        .collect()
}

/// `(line, message)` of every `kind` in a log.
fn reported(log: &str, kind: &str) -> Vec<(usize, String)> {
    let mark = format!(": {kind}: ");
    log.lines()
        .filter_map(|line| {
            let at = line.find(&mark)?;
            let number = line[..at].rsplit(':').nth(1)?.parse().ok()?;
            Some((number, line[at + mark.len()..].to_owned()))
        })
        .collect()
}

/// What is wrong with `log` given the expectations in `text`.
fn compare(text: &str, log: &str) -> Vec<String> {
    let mut problems = Vec::new();
    for kind in ["error", "warning"] {
        let mut wanted = expectations(text, kind);
        for (line, message) in reported(log, kind) {
            let same = |w: &(usize, String)| w.0 == line && message.contains(&w.1);
            match wanted.iter().position(same) {
                Some(found) => drop(wanted.remove(found)),
                None if kind == "error" => {
                    problems.push(format!("line {line}: unexpected {kind}: {message}"));
                }
                None => {}
            }
        }
        for (line, message) in wanted {
            problems.push(format!("line {line}: no {kind}: {message}"));
        }
    }
    problems
}

/// Runs `check` on every fixture of `dir` and reports all failures at once.
fn each_fixture(dir: &str, check: impl Fn(&Path, &str) -> Vec<String>) {
    let mut failures = String::new();
    for path in fixtures(dir) {
        let text = std::fs::read_to_string(&path).expect("a readable fixture");
        for problem in check(&path, &text) {
            failures.push_str(&format!("{}: {problem}\n", path.display()));
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().expect("fixtures are files");
    name.to_string_lossy().into_owned()
}

const HEADERS: &[(&str, &str)] = &[
    ("a.h", "#pragma once\nint from_a;\n"),
    ("sub/b.h", "#include \"c.h\"\nint from_b;\n"),
    ("sub/c.h", "int from_c;\n"),
    ("loop.h", "#include \"loop.h\"\n"),
    ("open.h", "#if 1\n"),
];

#[test]
fn preprocessor_fixtures() {
    each_fixture("pp", |path, text| {
        let options = Options::parse(header(text, "options:")).expect("legal options");
        let (out, log) = clc::preprocess((&name_of(path), text), HEADERS, &options, &facts_of(text));
        let mut problems = compare(text, &log);
        let wanted: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("//= ")).collect();
        let wanted = wanted.join("\n");
        if !wanted.is_empty() && wanted != out {
            problems.push(format!("expected\n{wanted}\nfound\n{out}"));
        }
        problems
    });
}

/// Analyses a fixture; the problems found, and whether there is a unit.
fn analyse(path: &Path, text: &str) -> (Vec<String>, bool) {
    let options = Options::parse(header(text, "options:")).expect("legal options");
    let analysis = clc::analyse((&name_of(path), text), HEADERS, &options, &facts_of(text));
    let mut problems = compare(text, &analysis.log);
    let wants_errors = !expectations(text, "error").is_empty();
    if wants_errors == analysis.unit.is_some() {
        problems.push(format!("unit: {}, log:\n{}", analysis.unit.is_some(), analysis.log));
    }
    (problems, analysis.unit.is_some())
}

#[test]
fn language_fixtures() {
    each_fixture("language", |path, text| analyse(path, text).0);
}

/// Every overload of every library function, in every language version.
#[test]
fn the_library_compiles() {
    for std in [100, 110, 120, 200] {
        let options = Options { std, ..Options::default() };
        let log = clc::check_library(&options, &TargetFacts::default());
        assert!(log.is_empty(), "in version {std}:\n{log}");
    }
}

/// The statements the project was founded on: what the name says must come true.
#[test]
fn seed_fixtures() {
    each_fixture("seeds", |path, text| {
        let (mut problems, built) = analyse(path, text);
        let must_fail = name_of(path).contains("must_fail");
        if must_fail == built {
            problems.push(format!("must fail: {must_fail}, built: {built}"));
        }
        problems
    });
}
