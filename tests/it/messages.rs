//! Tests the build logs of incorrect programs. A log must be short, be made quickly, and be text that a terminal
//! can show, for any program.

use std::path::Path;
use std::time::{Duration, Instant};

use grus_core::clc::{self, Options, TargetInfo};

/// Maximum length of a log in bytes: far more than any log needs.
// Arbitrary.
const MAX_LOG: usize = 300 << 10;
/// Time limit of a build: far more than any of these builds takes, and far less than one in superlinear time.
// Arbitrary.
const TIME_LIMIT: Duration = Duration::from_secs(10);

fn log_of(text: &str) -> String {
    let start = Instant::now();
    let log = clc::analyze(("program.cl", text), &[], &Options::default(), &TargetInfo::default()).log;
    assert!(start.elapsed() < TIME_LIMIT, "took {:?}", start.elapsed());
    assert!(log.len() < MAX_LOG, "{} bytes", log.len());
    let is_plain = |c: char| c == '\n' || !c.is_control();
    assert!(log.chars().all(is_plain), "{:?}", log.chars().find(|c| !is_plain(*c)));
    log
}

#[test]
fn a_hundred_thousand_names_and_as_many_mistakes() {
    let mut text = String::new();
    for i in 0..100_000 {
        text += &format!("constant int variable_{i:06} = {i};\n");
    }
    text += "kernel void k(global int *g) {\n";
    for i in 0..10_000 {
        text += &format!("g[0] = variable_x{i:05};\n");
    }
    text += "}\n";
    let log = log_of(&text);
    assert!(log.contains("50 errors; giving up") && log.contains("did you mean"), "{:.300}", log);
}

#[test]
fn members_labels_and_types_are_many_too() {
    let members: String = (0..20_000).map(|i| format!("int member_{i}; ")).collect();
    let uses: String = (0..1000).map(|i| format!("s.membr_{i} = 1; ")).collect();
    log_of(&format!("struct s {{ {members} }};\nkernel void k(void) {{ struct s s; {uses} }}"));
    let types: String = (0..20_000).map(|i| format!("typedef int type_{i};\n")).collect();
    let uses: String = (0..1000).map(|i| format!("typ_{i} x{i};\n")).collect();
    log_of(&format!("{types}{uses}"));
    let labels: String = (0..20_000).map(|i| format!("label_{i}: ; ")).collect();
    let uses: String = (0..1000).map(|i| format!("goto labl_{i}; ")).collect();
    log_of(&format!("kernel void k(void) {{ {labels} {uses} }}"));
}

#[test]
fn long_lines_are_shown_in_part() {
    let many = "g[0] = missing; ".repeat(70_000);
    log_of(&format!("kernel void k(global int *g) {{ {many} }}"));
    let name = "n".repeat(1 << 20);
    let log = log_of(&format!("kernel void k(global int *g) {{ g[0] = {name}; }}"));
    assert!(log.len() < 4000, "{}", log.len());
    let log = log_of(&format!("#error {}\n", "x ".repeat(1 << 19)));
    assert!(log.len() < 4000, "{}", log.len());
    log_of(&format!("kernel void k(global int *g) {{ g[0] = g +{}g; }}", " ".repeat(1 << 20)));
    log_of(&format!("kernel void k(global int *g) {{ g[0] = g +{}g; }}", "\n".repeat(1 << 20)));
    log_of(&format!("#line 7 \"{}\u{1b}[31m\"\nerror", "f".repeat(1 << 20)));
}

#[test]
fn many_warnings_are_cut_off() {
    let unused: String = (0..50_000).map(|i| format!("int v{i}; ")).collect();
    log_of(&format!("kernel void k(void) {{ {unused} }}"));
    let lost = "a + 1; ".repeat(50_000);
    log_of(&format!("kernel void k(int a) {{ {lost} }}"));
    let barriers = "if (get_local_id(0)) barrier(1); ".repeat(20_000);
    log_of(&format!("kernel void k(int a) {{ {barriers} }}"));
    let nested = "if (get_local_id(0)) ".repeat(300);
    log_of(&format!("kernel void k(int a) {{ {nested} barrier(1); }}"));
    let chain: String = (1..5000).map(|i| format!("int f{i}(int x) {{ return f{}(x); }}\n", i - 1)).collect();
    log_of(&format!(
        "int f0(int x) {{ return get_local_id(0); }}\n{chain}kernel void k(void) {{ if (f4999(1)) barrier(1); }}"
    ));
    let jumps: String = (0..5000).map(|i| format!("l{i}: goto l{}; ", 4999 - i)).collect();
    log_of(&format!("int f(void) {{ {jumps} }}"));
}

/// Pseudo-random number generator with a fixed seed.
struct Noise(u64);

impl Noise {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below.max(1) as u64) as usize
    }
}

/// Checks the logs of fixtures in which pieces are exchanged, duplicated, deleted or replaced by unusual
/// characters.
#[test]
fn damaged_programs_have_logs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clc");
    let mut texts = Vec::new();
    for dir in ["recovery", "warnings"] {
        for entry in std::fs::read_dir(root.join(dir)).expect("fixtures") {
            let path = entry.expect("a readable directory").path();
            if path.extension().is_some_and(|e| e == "cl") {
                texts.push(std::fs::read_to_string(path).expect("a readable fixture"));
            }
        }
    }
    texts.sort();
    let odd = [
        "\0",
        "\t",
        "\r",
        "\u{1b}",
        "é",
        "\u{202e}",
        "👩‍👩‍👧",
        "\\\n",
        "\"",
        "/*",
        "#",
        "\u{feff}",
        "\n",
        ")",
        "}",
    ];
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    for _ in 0..1500 {
        let text: Vec<char> = texts[noise.next(texts.len())].chars().collect();
        let mut damaged: Vec<char> = text.clone();
        for _ in 0..=noise.next(4) {
            let at = noise.next(damaged.len());
            let end = (at + noise.next(12)).min(damaged.len());
            match noise.next(3) {
                0 => drop(damaged.drain(at..end)),
                1 => {
                    let from = noise.next(text.len());
                    let piece = text[from..(from + 12).min(text.len())].to_vec();
                    damaged.splice(at..end, piece);
                }
                _ => drop(damaged.splice(at..at, odd[noise.next(odd.len())].chars())),
            }
        }
        log_of(&damaged.into_iter().collect::<String>());
    }
}
