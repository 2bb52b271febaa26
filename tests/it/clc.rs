//! Runs the fixtures of the front end. A fixture states what it expects:
//!
//! - `// options: -cl-std=CL2.0` and `// facts: nofp16 nofp64` give the build options and the device's features.
//! - `// refused: text` expects that the options are refused with a message that contains the text.
//! - `// error: text` and `// warning: text` at the end of a line expect a diagnostic on that line that contains
//!   the text. Other errors fail the test; in `warnings/` and `recovery/` other warnings do so too.
//! - A `.log` file of the same name holds the whole build log. It is rewritten under `BLESS=1`. A fixture with such
//!   a file need not repeat the messages.
//! - `//= text` lines at the end of a `pp/` fixture hold the preprocessed program.

use std::path::{Path, PathBuf};

use grus_core::clc::{self, Options, TargetInfo};

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

fn facts_of(text: &str) -> TargetInfo {
    let mut facts = TargetInfo::default();
    for word in header(text, "facts:").split_whitespace() {
        match word {
            "nofp16" => {
                facts.fp16 = false;
                facts.extensions.retain(|e| e != "cl_khr_fp16");
            }
            "nofp64" => {
                facts.fp64 = false;
                facts.extensions.retain(|e| e != "cl_khr_fp64");
            }
            "noimages" => facts.images = false,
            "no3dwrites" => facts.extensions.retain(|e| e != "cl_khr_3d_image_writes"),
            "cl30" => facts.version = 300,
            "nosubgroups" => facts.extensions.retain(|e| !e.starts_with("cl_khr_subgroup")),
            "nopipes" => facts.pipes = false,
            "fma" => facts.fma = true,
            "noenqueue" => facts.device_enqueue = false,
            other => panic!("unknown fact {other}"),
        }
    }
    facts
}

/// Returns the line numbers and texts of `// key: text` comments.
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

/// Returns `(line, message)` for each diagnostic of a `kind` in a log.
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

/// Compares a log with the expectations in `text` and returns the differences. Unexpected warnings count only if
/// `strict` is set.
fn compare(text: &str, log: &str, strict: bool) -> Vec<String> {
    let mut problems = Vec::new();
    for kind in ["error", "warning"] {
        let mut wanted = expectations(text, kind);
        for (line, message) in reported(log, kind) {
            let same = |w: &(usize, String)| w.0 == line && message.contains(&w.1);
            match wanted.iter().position(same) {
                Some(found) => drop(wanted.remove(found)),
                None if kind == "error" || strict => {
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

/// Runs `check` on every fixture of `dir` and reports all failures together.
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
    ("wrong.h", "int helper(int x) { return y; }\n#define MISTAKE (1 + z)\n"),
];

#[test]
fn preprocessor_fixtures() {
    each_fixture("pp", |path, text| {
        let options = Options::parse_for(header(text, "options:"), &facts_of(text)).expect("legal options");
        let (out, log) = clc::preprocess((&name_of(path), text), HEADERS, &options, &facts_of(text));
        let mut problems = compare(text, &log, false);
        let wanted: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("//= ")).collect();
        let wanted = wanted.join("\n");
        if !wanted.is_empty() && wanted != out {
            problems.push(format!("expected\n{wanted}\nfound\n{out}"));
        }
        problems
    });
}

/// Analyzes a fixture. Returns the problems found, and true if the front end returned a translation unit.
fn analyze(path: &Path, text: &str) -> (Vec<String>, bool) {
    let refused = header(text, "refused:");
    let options = match Options::parse_for(header(text, "options:"), &facts_of(text)) {
        Ok(_) if !refused.is_empty() => return (vec!["the options were not refused".into()], false),
        Ok(options) => options,
        Err(error) if !refused.is_empty() && error.to_string().contains(refused) => {
            return (Vec::new(), false);
        }
        Err(error) => return (vec![format!("the options are refused: {error}")], false),
    };
    let analysis = clc::analyze((&name_of(path), text), HEADERS, &options, &facts_of(text));
    let mut problems = compare(text, &analysis.log, false);
    let wants_errors = !expectations(text, "error").is_empty();
    if wants_errors == analysis.unit.is_some() {
        problems.push(format!("unit: {}, log:\n{}", analysis.unit.is_some(), analysis.log));
    }
    (problems, analysis.unit.is_some())
}

/// Analyzes a fixture in which every diagnostic must be expected.
fn analyze_strictly(path: &Path, text: &str) -> Vec<String> {
    let options = Options::parse(header(text, "options:")).expect("legal options");
    let log = clc::analyze((&name_of(path), text), HEADERS, &options, &facts_of(text)).log;
    let exact = path.with_extension("log");
    let is_exact = exact.exists();
    let mut problems = Vec::new();
    let expects = ["error", "warning"].iter().any(|kind| !expectations(text, kind).is_empty());
    if expects || !is_exact {
        problems = compare(text, &log, true);
    }
    if is_exact && std::env::var_os("BLESS").is_some() {
        std::fs::write(&exact, &log).expect("a writable fixture");
    } else if is_exact {
        let wanted = std::fs::read_to_string(&exact).expect("a readable log");
        if wanted != log {
            problems.push(format!("expected\n{wanted}\nfound\n{log}"));
        }
    }
    problems
}

/// Checks that each mistake yields one right message, and that the first message causes no further ones.
#[test]
fn recovery_fixtures() {
    each_fixture("recovery", analyze_strictly);
}

#[test]
fn warning_fixtures() {
    each_fixture("warnings", analyze_strictly);
}

/// Programs with a block literal in different syntactic positions. The error must be reported exactly once for
/// each.
const BLOCKS: &[&str] = &[
    "kernel void k(global int *o) { int (^b)(int) = ^(int x) { return x; }; o[0] = b(1); }",
    "kernel void k(global int *o) { o[0] = ^(int x) { return x; }(1); }",
    "kernel void k(global int *o) { o[0] = ^int(int x) { return x; }(1); }",
    "kernel void k(global int *o) { o[0] = ^{ return 1; }(); }",
    "kernel void k(global int *o) { ^{ o[0] = 1; }(); }",
    "kernel void k(global int *o) { ({ ^{ o[0] = 1; }(); }); }",
    "kernel void k(global int *o) { if (^{ return 1; }()) o[0] = 1; }",
    "kernel void k(global int *o) { int x[] = {1, ^{ return 1; }()}; o[0] = x[0]; }",
    "kernel void k(global int *o) { o[0] = 1 || ^{ return 1; }(); }",
    "kernel void k(global int *o) { o[0] = sizeof(^{ return 1; }()); }",
    "kernel void k(global int *o) { o[0] = sizeof(int (^)(void)); }",
    "kernel void k(global int *o) { int b[sizeof(^{ return 1; }())]; o[0] = sizeof(b); }",
    "kernel void k(global int *o) { o[0] = _Generic(1, int: 2, default: ^{ return 1; }()); }",
    "kernel void k(global int *o) { o[0] = __builtin_choose_expr(1, 2, ^{ return 1; }()); }",
    "kernel void k(global int *o) { goto l; ^{ o[0] = 1; }(); l: o[0] = 2; }",
    "static int f(void) { return ^{ return 1; }(); } kernel void k(global int *o) { o[0] = 1; }",
    "typedef int (^b)(int); kernel void k(global int *o) { o[0] = 1; }",
    "typedef int F(int); kernel void k(global int *o) { F ^b = ^(int x) { return x; }; o[0] = b(1); }",
    "int f(int (^b)(int)) { return b(1); } kernel void k(global int *o) { o[0] = 1; }",
    "int f(int (^)(int)); kernel void k(global int *o) { o[0] = 1; }",
    "constant int n = sizeof(void (^)(void)); kernel void k(global int *o) { o[0] = n; }",
];

#[test]
fn blocks_need_2_0_in_every_form() {
    let analysis = |text: &str, std: &str| {
        let options = Options::parse(std).expect("legal options");
        clc::analyze(("block.cl", text), &[], &options, &TargetInfo::default())
    };
    for text in BLOCKS {
        for std in ["", "-cl-std=CL1.0", "-cl-std=CL1.1", "-cl-std=CL1.2"] {
            let found = analysis(text, std);
            let says_so = found.log.contains("error: blocks need OpenCL C 2.0");
            assert!(says_so && found.unit.is_none(), "{std}: {text}\n{}", found.log);
        }
        let found = analysis(text, "-cl-std=CL2.0");
        assert!(found.unit.is_some(), "{text}\n{}", found.log);
    }
}

#[test]
fn language_fixtures() {
    each_fixture("language", |path, text| analyze(path, text).0);
}

#[test]
fn program_fixtures() {
    each_fixture("program", |path, text| analyze(path, text).0);
}

/// Compiles every overload of every library function in every language version.
#[test]
fn the_library_compiles() {
    for (std, facts) in [
        (100, ""),
        (110, ""),
        (120, ""),
        (200, ""),
        (120, "// facts: nofp64"),
        (200, "// facts: nofp16 no3dwrites"),
    ] {
        for fast_relaxed_math in [false, true] {
            let options = Options { std, fast_relaxed_math, ..Options::default() };
            let log = clc::check_library(&options, &facts_of(facts));
            assert!(log.is_empty(), "in version {std} {facts}, relaxed {fast_relaxed_math}:\n{log}");
        }
    }
}

/// Checks the first requirements of the project: a fixture whose name contains `must_fail` must not compile, any
/// other must.
#[test]
fn seed_fixtures() {
    each_fixture("seeds", |path, text| {
        let (mut problems, built) = analyze(path, text);
        let must_fail = name_of(path).contains("must_fail");
        if must_fail == built {
            problems.push(format!("must fail: {must_fail}, built: {built}"));
        }
        problems
    });
}

/// Returns every fixture with its text.
fn all_fixtures() -> Vec<(PathBuf, String)> {
    let dirs = ["pp", "language", "seeds", "program", "recovery", "warnings"];
    let paths = dirs.iter().flat_map(|dir| fixtures(dir));
    paths.map(|path| (path.clone(), std::fs::read_to_string(&path).expect("a readable fixture"))).collect()
}

/// Checks that programs that are cut off, or that lack a piece, do not make the front end panic.
#[test]
fn broken_programs_never_panic() {
    // One thread analyzes all programs, since starting a thread takes longer than analysing one.
    let thread = std::thread::Builder::new().stack_size(clc::STACK_SIZE);
    thread.spawn(break_programs).expect("a thread").join().expect("no panic");
}

/// Interval, in bytes, of the positions at which programs are cut. In the nightly tier (`GRUS_TEST_FULL=1`) they
/// are cut at every byte.
// Arbitrary.
const CUTS: usize = 8;

fn break_programs() {
    let is_full = std::env::var_os("GRUS_TEST_FULL").is_some_and(|full| full == "1");
    let facts = TargetInfo::default();
    for (path, text) in all_fixtures() {
        if name_of(&path).starts_with("bomb") || text.len() > 4000 {
            continue;
        }
        let Ok(options) = Options::parse_for(header(&text, "options:"), &facts_of(&text)) else { continue };
        let is_turn = |at: usize| is_full || (at + text.len()).is_multiple_of(CUTS);
        let cuts = (0..text.len()).filter(|&at| text.is_char_boundary(at) && is_turn(at));
        for at in cuts {
            let ended = &text[..at];
            let end = (at + 7..text.len()).find(|&end| text.is_char_boundary(end)).unwrap_or(text.len());
            let holed = format!("{ended}{}", &text[end..]);
            for broken in [ended, holed.as_str()] {
                clc::analyze_on_current_stack(("broken.cl", broken), HEADERS, &options, &facts);
            }
        }
    }
}

/// Checks that programs past the limits of nesting and length are refused with a message.
#[test]
fn deep_and_long_programs_are_refused_politely() {
    let (options, facts) = (Options::default(), TargetInfo::default());
    let body = |text: String| format!("kernel void k(global int *g) {{ {text} }}");
    let deep = |open: &str, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(20_000), close.repeat(20_000))
    };
    let programs = [
        body(format!("g[0] = {};", deep("(", "1", ")"))),
        body(format!("g[0] = {};", deep("-", "1", ""))),
        body(format!("g[0] = {};", deep("(int)", "1", ""))),
        body(format!("g[0] = {};", deep("g[", "1", "]"))),
        body(format!("g[0] = {};", deep("abs(", "1", ")"))),
        body(format!("g[0] = {};", deep("1 ? 1 : ", "1", ""))),
        body(format!("g[0] = {};", deep("sizeof ", "1", ""))),
        body(format!("g[0] = {};", deep("sizeof(", "1", ")"))),
        body(format!("g[0] = {};", deep("1 + ", "1", ""))),
        body(format!("g[0] {};", deep("= g[0] ", "= 1", ""))),
        body(format!("{} = 1;", deep("*&", "g[0]", ""))),
        body(deep("{", "", "}")),
        body(deep("if (1) ", ";", "")),
        body(deep("for (;;) ", ";", "")),
        body(deep("a: ", ";", "")),
        body(format!("int {};", deep("(", "x", ")"))),
        body(format!("int {}x;", "*".repeat(20_000))),
        body(format!("int x{};", "[1]".repeat(20_000))),
        body(format!("int x = {};", deep("{", "1", "}"))),
        body(format!("int x[2] = {};", deep("{", "1", "}"))),
        body(format!("g[0] = {};", deep("(int2)(", "1", ")"))),
        body(format!("g{};", ".x".repeat(20_000))),
        body(format!("g[0] = {};", deep("(", "g[0]", " ?: 1)"))),
        body(format!("g[0] = {};", deep("(", "1", " ?: 1)"))),
        body(format!("g[0] = {};", deep("1 ?: ", "1", ""))),
        body(format!("g[0] = {};", deep("_Generic(1, default: ", "1", ")"))),
        body(format!("g[0] = {};", deep("_Generic(", "1", ", int: 1)"))),
        body(format!("g[0] = {};", deep("__builtin_choose_expr(1, ", "1", ", 1)"))),
        body(format!("g[0] = {};", deep("__builtin_constant_p(", "1", ")"))),
        body(format!("{} x;", deep("__typeof__(", "int", ")"))),
        body(format!("int4 v; v = {};", deep("__builtin_shufflevector(", "v", ", v, 3, 4, 5, 6)"))),
        body(format!("int x[2] = {{ 1, 2, {} }};", deep("{", "1", "}"))),
        deep("struct { ", "int a;", " } b;"),
        deep("void f(", "int", ")"),
        deep("#if 1\n", "", "#endif\n"),
        format!("#if {}\n#endif\n", deep("(", "1", ")")),
    ];
    for program in programs {
        let analysis = clc::analyze(("deep.cl", &program), &[], &options, &facts);
        let start: String = program.chars().take(60).collect();
        if analysis.unit.is_none() {
            let said = ["nested too deeply", "too long", "expected", "redefinition", "no member", "size"];
            assert!(said.iter().any(|s| analysis.log.contains(s)), "{start}: {:.300}", analysis.log);
        }
    }
}

/// Checks the kernel and argument information that clGetKernelInfo and clGetKernelArgInfo report.
#[test]
fn kernels_know_their_arguments() {
    let text = "typedef float4 quad_t; typedef global int *ints; struct s { int a; };
        kernel __attribute__((reqd_work_group_size(8, 4, 1))) __attribute__((vec_type_hint(float4)))
        void k(global const volatile unsigned int *restrict a, constant quad_t *b, unsigned long c,
               ints d, struct s e, local uchar3 *f, read_only image2d_t g, const int h, global float (*i)[4],
               long int j[2]) {}";
    let text = text.replace("long int j[2]", "global long int j[2]");
    let (options, facts) = (Options::default(), TargetInfo::default());
    let analysis = clc::analyze(("k.cl", &text), &[], &options, &facts);
    let unit = analysis.unit.unwrap_or_else(|| panic!("{}", analysis.log));
    let kernel = unit.functions.values().find_map(|f| f.kernel.as_ref()).expect("a kernel");
    assert_eq!(kernel.reqd_work_group_size, Some([8, 4, 1]));
    assert_eq!(kernel.vec_type_hint.as_deref(), Some("float4"));
    assert_eq!(kernel.text, "reqd_work_group_size(8,4,1) vec_type_hint(float4)");
    let shown: Vec<String> = kernel
        .args
        .iter()
        .map(|a| {
            let flags = [(a.is_const, "c"), (a.is_volatile, "v"), (a.is_restrict, "r")];
            let flags: String = flags.iter().filter(|f| f.0).map(|f| f.1).collect();
            format!("{} {} {flags} {:?}", a.name, a.type_name, a.access)
        })
        .collect();
    let expected = [
        "a uint* cvr None",
        "b quad_t* c None",
        "c ulong  None",
        "d ints  None",
        "e struct s  None",
        "f uchar3*  None",
        "g image2d_t  ReadOnly",
        "h int  None",
        "i float**  None",
        "j long*  None",
    ];
    assert_eq!(shown, expected);
}
