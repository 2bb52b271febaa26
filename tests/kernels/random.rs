//! Random programs: the interpreter and machine code must agree on what they compute.
//!
//! Those of `grus-smith` cover the language, inlined and with calls kept, from source and from a binary. Those of
//! this file are small kernels with barriers in loops and branches, of which some values and statements are put into
//! blocks: they must compute what they do without.
//!
//! `GRUS_RANDOM=FROM..TO` tries these seeds of grus-smith instead of the usual ones. `GRUS_RANDOM_SMALL=FROM..TO` does so for
//! small programs, which are many: each is tried in one form only, by one backend with one number of lanes.

use std::fmt::Write;
use std::sync::Arc;

use grus_core::compile::{self, Artifact, BuildOutput, Source};
use grus_smith::launch::{self, Sizes};

use crate::harness;
use crate::harness::directive::{Arg, Elem, Fixture, Run};

/// Programs tried; each is different and the same in every run.
const PROGRAMS: u64 = 60;

/// The seeds of grus-smith that are tried, and one more.
const SMITH_PROGRAMS: u64 = 25;

/// The seeds of small programs that are tried, and one more.
const SMALL_PROGRAMS: u64 = 300;

/// Work-items of a group.
const LOCAL: u64 = 4;

struct Writer {
    state: u64,
    text: String,
    /// Loop variables in use, so that each has a name of its own.
    loops: u32,
    /// Inside a loop whose trip count all items share.
    uniform_loops: u32,
    /// Some values and statements are put into the macros of [`AS_BLOCKS`].
    blocks: bool,
}

/// The same program, with and without blocks: the one must compute what the other does.
const AS_BLOCKS: &str = "#define V(e) ^{ return e; }()
#define W(e) called(^{ return e; })
#define X(e) ^(int x) { return ^{ return x; }(); }(e)
#define S(s) given(1, ^{ s });
int called(int (^b)(void));
void given(int n, void (^b)(void));
";
const CALLERS: &str = "int called(int (^b)(void)) { return b(); }
void given(int n, void (^b)(void)) { for (int i = 0; i < n; i++) b(); }
";
const PLAIN: &str = "#define V(e) (e)
#define W(e) (e)
#define X(e) (e)
#define S(s) { s }
";

impl Writer {
    fn pick(&mut self, n: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % n
    }

    fn name(&mut self) -> &'static str {
        ["a", "b", "c", "d"][self.pick(4) as usize]
    }

    /// An integer that may differ between items.
    fn value(&mut self, depth: u32) -> String {
        let value = self.plain_value(depth);
        match if self.blocks { self.pick(12) } else { 3 } {
            0 => format!("V({value})"),
            1 => format!("W({value})"),
            2 => format!("X({value})"),
            _ => value,
        }
    }

    fn plain_value(&mut self, depth: u32) -> String {
        match self.pick(if depth == 0 { 5 } else { 12 }) {
            0 => self.pick(20).to_string(),
            1 => "l".into(),
            2 => format!("p[({}) & 3]", self.name()),
            3 | 4 => self.name().into(),
            5 => format!("(v.{})", ["x", "y", "z", "w"][self.pick(4) as usize]),
            6 => {
                format!("({} ? {} : {})", self.value(depth - 1), self.value(depth - 1), self.value(depth - 1))
            }
            7 => format!("(int)({} * 0.5f)", self.value(depth - 1)),
            n => {
                let op = ["+", "-", "*", "^", "&", "/", "%", "<", "<<", ">>"][self.pick(10) as usize];
                let (x, y) = (self.value(depth - 1), self.value(depth - 1));
                if n == 8 { format!("({x} {op} 3)") } else { format!("({x} {op} {y})") }
            }
        }
    }

    /// A condition on which all items of a group agree.
    fn agreed(&mut self) -> String {
        format!("((n + {}) & {})", self.pick(4), 1 + self.pick(3))
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        self.text.write_fmt(text).expect("text can be written");
        self.text.push('\n');
    }

    /// Statements; those with barriers only where all items agree to come.
    fn block(&mut self, depth: u32, agreed: bool) {
        for _ in 0..1 + self.pick(4) {
            self.statement(depth, agreed);
        }
    }

    fn statement(&mut self, depth: u32, agreed: bool) {
        match self.pick(if depth == 0 { 4 } else { 9 }) {
            0 | 1 => {
                let (name, value) = (self.name(), self.value(3));
                self.line(format_args!("{name} = {value};"));
            }
            2 if self.blocks && agreed && self.pick(2) == 0 => self.block_statement(depth),
            2 => {
                let (at, value) = (self.value(1), self.value(2));
                self.line(format_args!(
                    "p[{at} & 3] = {value}; v.s{} += {};",
                    self.state % 4,
                    self.state % 7
                ));
            }
            3 if agreed => {
                let (from, to, step) = (self.name(), self.name(), self.pick(4));
                self.line(format_args!(
                    "t[l] = {from}; barrier(CLK_LOCAL_MEM_FENCE); {to} ^= t[(l + {step}) & 3]; barrier(CLK_LOCAL_MEM_FENCE);"
                ));
            }
            3 => self.line(format_args!("a += b;")),
            4 => {
                let condition = if agreed && self.pick(2) == 0 { self.agreed() } else { self.value(2) };
                let inside = agreed && condition.starts_with("((n");
                self.line(format_args!("if ({condition}) {{"));
                self.block(depth - 1, inside);
                if self.pick(2) == 0 {
                    self.line(format_args!("}} else {{"));
                    self.block(depth - 1, inside);
                }
                self.line(format_args!("}}"));
            }
            5 | 6 if agreed => self.shared_loop(depth),
            7 if agreed && self.uniform_loops > 0 => {
                let condition = self.agreed();
                let way = if self.pick(2) == 0 { "break" } else { "continue" };
                self.line(format_args!("if ({condition} == 2) {way};"));
            }
            _ => {
                self.loops += 1;
                let (i, most) = (self.loops, self.value(1));
                self.line(format_args!("for (int i{i} = 0; i{i} < ({most} & 3); ++i{i}) {{"));
                self.block(depth - 1, false);
                self.line(format_args!("}}"));
            }
        }
    }

    /// A block of statements that changes memory only, for variables are captured as copies.
    fn block_statement(&mut self, depth: u32) {
        let (from, to, step) = (self.name(), self.pick(4), self.pick(4));
        let inner = if depth > 0 && self.pick(2) == 0 { "S(p[2] += p[1];)" } else { "" };
        self.line(format_args!(
            "S(t[l] = {from}; {inner} barrier(CLK_LOCAL_MEM_FENCE); p[{to}] ^= t[(l + {step}) & 3]; barrier(CLK_LOCAL_MEM_FENCE);)"
        ));
    }

    fn shared_loop(&mut self, depth: u32) {
        self.loops += 1;
        let (i, most) = (self.loops, self.pick(4));
        self.line(format_args!("for (int i{i} = 0; i{i} < {most} + (n & 1); ++i{i}) {{"));
        self.uniform_loops += 1;
        self.block(depth - 1, true);
        self.uniform_loops -= 1;
        self.line(format_args!("}}"));
    }
}

fn program(seed: u64, blocks: bool) -> String {
    let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut writer = Writer { state, text: String::new(), loops: 0, uniform_loops: 0, blocks };
    writer.line(format_args!("kernel void k(global const int *in, global int *out, local int *t, int n) {{"));
    writer.line(format_args!(
        "int l = get_local_id(0), a = in[get_global_id(0)], b = l, c = n, d = 7, p[4] = {{ 1, a, 3, l }};"
    ));
    writer.line(format_args!("int4 v = (int4)(a, 1, l, 2);"));
    writer.block(4, true);
    writer.block(4, true);
    writer.line(format_args!("out[get_global_id(0)] = a ^ b * 3 ^ c * 5 ^ d * 7 ^ p[0] ^ p[1] * 11 ^ p[2] ^ p[3] ^ v.x ^ v.y ^ v.z ^ v.w;"));
    writer.line(format_args!("}}"));
    writer.text
}

/// Compares what machine code makes of one program with what the interpreter makes of another.
fn check(compiled: String, interpreted: String) -> Result<(), String> {
    let built = compile::build(&source(compiled), &[], "-w -cl-std=CL2.0");
    agree(built.result.map_err(|_| built.log)?, interpreted)
}

/// The same, with what calls blocks in a unit of its own.
fn check_units(compiled: &str, interpreted: String) -> Result<(), String> {
    let mut units = Vec::new();
    for text in [CALLERS, compiled] {
        let built = compile::compile(&source(text.into()), &[], "-w -cl-std=CL2.0");
        units.push(built.result.map_err(|_| built.log)?);
    }
    let built = compile::link(&units, "");
    let BuildOutput::Executable(artifact) = built.result.map_err(|_| built.log)? else {
        return Err("a library".into());
    };
    agree(artifact, interpreted)
}

fn source(text: String) -> Source {
    Source { name: "random.cl".into(), text }
}

fn agree(artifact: Arc<Artifact>, interpreted: String) -> Result<(), String> {
    let oracle = compile::lower_only(&source(interpreted), "-w -cl-std=CL2.0")?;
    let input: Vec<u8> = (0..8i32).flat_map(|i| (i * 37 - 90).to_le_bytes()).collect();
    let runs = (0..4i32).map(|n| Run {
        line: n as usize,
        kernel: "k".into(),
        work_dim: 1,
        global: [2 * LOCAL, 1, 1],
        local: [LOCAL, 1, 1],
        offset: [0; 3],
        args: vec![
            Arg::Buffer(Elem::Int(4), input.clone()),
            Arg::Buffer(Elem::Int(4), vec![0; 32]),
            Arg::Local(4 * LOCAL),
            Arg::Value(n.to_le_bytes().to_vec()),
        ],
        continues: false,
        expects: Vec::new(),
    });
    let fixture = Fixture { options: String::new(), runs: runs.collect() };
    harness::check(&fixture, &oracle, &artifact)
}

/// How the programs of grus-smith are launched.
fn launches(options: &str, sizes: &Sizes) -> Fixture {
    let input = sizes.input().iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let output = sizes.output().iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let runs = [1i32, 6].map(|n| Run {
        line: n as usize,
        kernel: launch::KERNEL.into(),
        work_dim: sizes.dimensions as u32,
        global: sizes.global.map(|n| n as u64),
        local: sizes.local.map(|n| n as u64),
        offset: [0; 3],
        args: vec![
            Arg::Buffer(Elem::Int(4), input.clone()),
            Arg::Buffer(Elem::Int(8), output.clone()),
            Arg::Local(sizes.scratch() as u64),
            Arg::Value(n.to_le_bytes().to_vec()),
        ],
        continues: false,
        expects: Vec::new(),
    });
    Fixture { options: options.into(), runs: runs.into() }
}

/// One program of grus-smith, built in all ways.
fn check_smith(seed: u64) -> Result<(), String> {
    let wanted = grus_smith::Options::of_seed(seed);
    let source = source(grus_smith::program(wanted));
    let options = format!("-w {}", wanted.version.option());
    let fixture = launches(&options, &wanted.sizes);
    let oracle = compile::lower_only(&source, &options)?;
    let built = compile::build(&source, &[], &options);
    let artifact = built.result.map_err(|_| built.log)?;
    harness::check(&fixture, &oracle, &artifact)?;
    let built = compile::build(&source, &[], &format!("{options} -cl-opt-disable"));
    let calling = built.result.map_err(|_| built.log)?;
    harness::check(&fixture, &oracle, &calling).map_err(|e| format!("with -cl-opt-disable: {e}"))?;
    if !seed.is_multiple_of(8) {
        return Ok(());
    }
    let Ok(BuildOutput::Executable(loaded)) = compile::load(&compile::save(&artifact)) else {
        return Err("its binary does not load".into());
    };
    harness::check(&fixture, &oracle, &loaded).map_err(|e| format!("from a binary: {e}"))
}

#[test]
fn random_programs_agree() {
    let (from, to) = harness::seeds("GRUS_RANDOM", SMITH_PROGRAMS);
    let failed: Vec<String> =
        (from..to).filter_map(|seed| check_smith(seed).err().map(|e| format!("seed {seed}: {e}"))).collect();
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), to - from, failed.join("\n"));
}

/// A small program of grus-smith, in the form that it is the turn of.
fn check_small(seed: u64) -> Result<(), String> {
    let wanted =
        grus_smith::Options { size: 2 + (seed / 2 % 5) as u32, ..grus_smith::Options::of_seed(seed) };
    let source = source(grus_smith::program(wanted));
    let options = format!("-w {}", wanted.version.option());
    let mut fixture = launches(&options, &wanted.sizes);
    fixture.runs.remove((seed % 2) as usize);
    let oracle = compile::lower_only(&source, &options)?;
    let is_plain = seed % 16 == 7;
    let options = if is_plain { format!("{options} -cl-opt-disable") } else { options };
    let built = compile::build(&source, &[], &options);
    let artifact = built.result.map_err(|_| built.log)?;
    harness::check_in_turn(&fixture, &oracle, &artifact, seed / 2)
}

/// Those whose seeds leave this remainder: tests run side by side.
fn small_programs_agree(remainder: u64) {
    let (from, to) = harness::seeds("GRUS_RANDOM_SMALL", SMALL_PROGRAMS);
    let seeds = (from..to).filter(|seed| seed % 2 == remainder);
    let failed: Vec<String> =
        seeds.filter_map(|seed| check_small(seed).err().map(|e| format!("seed {seed}: {e}"))).collect();
    assert!(failed.is_empty(), "{}:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn small_random_programs_of_version_2_agree() {
    small_programs_agree(0);
}

#[test]
fn small_random_programs_of_version_1_agree() {
    small_programs_agree(1);
}

#[test]
fn random_blocks_agree() {
    all_agree(|seed| {
        let text = program(seed, true);
        (format!("{AS_BLOCKS}{CALLERS}{text}"), format!("{PLAIN}{text}"))
    });
}

#[test]
fn random_blocks_cross_units() {
    for seed in 1..=PROGRAMS / 5 {
        let text = program(seed, true);
        let result = check_units(&format!("{AS_BLOCKS}{text}"), format!("{PLAIN}{text}"));
        assert!(result.is_ok(), "seed {seed}: {result:?}\n{text}");
    }
}

fn all_agree(programs: impl Fn(u64) -> (String, String)) {
    let failed: Vec<String> = (1..=PROGRAMS)
        .filter_map(|seed| {
            let (compiled, interpreted) = programs(seed);
            check(compiled.clone(), interpreted).err().map(|e| format!("seed {seed}: {e}\n{compiled}"))
        })
        .collect();
    let shown = failed.first().cloned().unwrap_or_default();
    assert!(failed.is_empty(), "{} of {PROGRAMS}; the first:\n{shown}", failed.len());
}
