//! Random accesses: private arrays with indices that items share, that go in steps, or that are anything; memory in steps
//! of one to four elements, by signed and unsigned indices; bits of local ids. Interpreter and machine code must agree, at
//! every number of items side by side.
//!
//! Every item writes to elements of its own only, and every index is in bounds by its form. `GRUS_RANDOM=FROM..TO` tries
//! these seeds instead of the usual ones.

use std::fmt::Write;

use grus_core::compile::{self, Source};

use crate::harness;
use crate::harness::directive::{Arg, Elem, Fixture, Run};

/// Programs tried.
const PROGRAMS: u64 = 40;

/// Elements of `in`, of which an index in steps reaches no more than this.
const ELEMENTS: u64 = 512;

/// Work-items of a group, and how many elements of `out` each of them owns.
const LOCAL: [u64; 4] = [16, 19, 32, 9];
const KINDS: [&str; 8] = ["char", "ushort", "int", "uint", "long", "float", "double", "uchar"];

/// Elements of each private array.
const LENGTH: u64 = 16;

struct Writer {
    state: u64,
    text: String,
    /// Elements of `out` that each item owns.
    own: u64,
    arrays: Vec<&'static str>,
    /// Names of loop counters that all items share, and of those that they do not.
    counters: Vec<String>,
    loops: u32,
}

impl Writer {
    fn pick(&mut self, n: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % n
    }

    fn one_of(&mut self, choices: &[&str]) -> String {
        choices[self.pick(choices.len() as u64) as usize].to_owned()
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        self.text.write_fmt(text).expect("text can be written");
        self.text.push('\n');
    }

    fn variable(&mut self) -> String {
        self.one_of(&["a", "b", "c", "d"])
    }

    /// An index of a private array.
    fn inside(&mut self) -> String {
        let mask = LENGTH - 1;
        let add = self.pick(LENGTH);
        let counters = self.counters.len() as u64;
        match self.pick(7) {
            0 => add.to_string(),
            1 | 2 if counters > 0 => {
                let at = self.pick(counters) as usize;
                format!("({} + {add}) & {mask}", self.counters[at])
            }
            1 | 2 => format!("(n + {add}) & {mask}"),
            3 => format!("(i * {} + {add}) & {mask}", 1 + self.pick(3)),
            4 => format!("(l >> {}) & {mask}", self.pick(4)),
            5 => format!("(l + n) % {LENGTH}"),
            _ => format!("{} & {mask}", self.variable()),
        }
    }

    /// An index of `in` that goes in steps: below `ELEMENTS`, for `n` is below 4, and there are at most 64 items.
    fn in_steps(&mut self) -> String {
        let (times, add) = (1 + self.pick(4), self.pick(5));
        match self.pick(11) {
            0 => format!("{times} * i + {add}"),
            1 => format!("{times} * u + {add}u"),
            2 => format!("{times} * g + {add}"),
            3 => format!("u * {times}u + n + {add}u"),
            4 => format!("({times} * u + {add}u) + n * 3u"),
            5 => format!("(l & {}) + {add}", self.one_of(&["3", "7", "15", "12", "~3"])),
            6 => format!("l {} {} + n", self.one_of(&["/", "%", ">>"]), self.one_of(&["2", "4", "8", "3"])),
            7 => format!("{} - i * {times}", 300 + add),
            8 => {
                let of = self.one_of(&["i % w", "i / w", "u % x", "u / x", "g % x + 1", "g / w"]);
                format!("({of}) * {times} + {add}")
            }
            9 => {
                let all = self.one_of(&["i / w * w + i % w", "u / x * x + u % x", "g / x * x + g % x"]);
                format!("{all} + {add}")
            }
            _ => format!("(2 * i | 1) + {add}"),
        }
    }

    fn value(&mut self, depth: u32) -> String {
        match self.pick(if depth == 0 { 3 } else { 9 }) {
            0 => self.variable(),
            1 => format!("{}u", self.pick(1000)),
            2 => self.one_of(&["u", "(uint)l", "n", "a"]),
            3 | 4 => {
                let at = self.in_steps();
                let from = self.one_of(&["in", "bytes", "shorts"]);
                format!("(uint){from}[{at}]")
            }
            5 => self.element(),
            6 => format!("(uint)out[own * i + {}]", self.pick(self.own)),
            _ => {
                let op = self.one_of(&["+", "-", "*", "^", "&", "|", ">> 3 ^", "<"]);
                format!("({} {op} {})", self.value(depth - 1), self.value(depth - 1))
            }
        }
    }

    /// An element of a private array. What floats hold is small and whole.
    fn element(&mut self) -> String {
        let array = self.pick(self.arrays.len() as u64);
        format!("(uint)t{array}[{}]", self.inside())
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..1 + self.pick(4) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        match self.pick(if depth == 0 { 5 } else { 10 }) {
            0 => {
                let (name, value) = (self.variable(), self.value(3));
                self.line(format_args!("{name} = {value};"));
            }
            1 | 2 => {
                let (array, at, value) = (self.pick(self.arrays.len() as u64), self.inside(), self.value(2));
                let kind = self.arrays[array as usize];
                self.line(format_args!("t{array}[{at}] = ({kind})({value} & 127u);"));
            }
            3 => {
                let (at, value) = (self.pick(self.own), self.value(2));
                self.line(format_args!("out[own * i + {at}] = {value};"));
            }
            4 => {
                for at in 0..self.own {
                    let value = self.value(2);
                    self.line(format_args!(
                        "out[own * {} + {at}] = {value};",
                        ["i", "u", "g"][self.state as usize % 3]
                    ));
                }
            }
            5 => {
                // Wraps for some items.
                let (times, less) = (1 + self.pick(4), self.pick(40));
                let name = self.variable();
                self.line(format_args!(
                    "{{ uint w = {times}u * u + n - {less}u; if (w < {ELEMENTS}u) {name} += in[w]; }}"
                ));
            }
            6 => {
                let condition = self.value(2);
                self.line(format_args!("if (({condition}) & {}) {{", 1 + self.state % 4));
                self.block(depth - 1);
                self.line(format_args!("}} else {{"));
                self.block(depth - 1);
                self.line(format_args!("}}"));
            }
            7 | 8 => {
                self.loops += 1;
                let (j, most) = (format!("j{}", self.loops), 1 + self.pick(6));
                self.line(format_args!("for (int {j} = 0; {j} < (int)n + {most}; ++{j}) {{"));
                self.counters.push(j);
                self.block(depth - 1);
                self.counters.pop();
                self.line(format_args!("}}"));
            }
            _ => {
                self.loops += 1;
                let (j, most) = (format!("k{}", self.loops), self.value(1));
                self.line(format_args!("for (uint {j} = 0; {j} < (({most}) & 3u); ++{j}) {{"));
                self.counters.push(j);
                self.block(depth - 1);
                self.counters.pop();
                self.line(format_args!("}}"));
            }
        }
    }
}

fn program(seed: u64) -> (String, u64) {
    let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut writer =
        Writer { state, text: String::new(), own: 1, arrays: Vec::new(), counters: Vec::new(), loops: 0 };
    (0..4).for_each(|_| {
        writer.pick(2);
    });
    writer.own = 1 + writer.pick(4);
    let is_restrict = writer.pick(2) == 0;
    let restrict = if is_restrict { "restrict " } else { "" };
    let out = writer.one_of(&["int", "uint", "short", "uchar"]);
    writer.line(format_args!(
        "kernel void k(global const int *{restrict}in, global const uchar *{restrict}bytes, \
         global const short *{restrict}shorts, global {out} *{restrict}out, uint n) {{"
    ));
    let own = writer.own;
    writer.line(format_args!("enum {{ own = {own} }};"));
    writer.line(format_args!("int i = get_global_id(0), l = get_local_id(0);"));
    writer.line(format_args!("uint u = get_global_id(0), a = in[i], b = l, c = n, d = 7;"));
    writer.line(format_args!("size_t g = get_global_id(0);"));
    let (width, other) = (1 + writer.pick(40), 1 + writer.pick(20));
    writer.line(format_args!("int w = (int)n + {width}; uint x = n * 5u + {other}u;"));
    for array in 0..1 + writer.pick(3) {
        let kind = KINDS[writer.pick(KINDS.len() as u64) as usize];
        writer.arrays.push(kind);
        if writer.pick(3) == 0 {
            writer.line(format_args!("{kind} t{array}[{LENGTH}] = {{ 1, 2 }};"));
        } else {
            writer.line(format_args!(
                "{kind} t{array}[{LENGTH}]; for (int j = 0; j < {LENGTH}; ++j) t{array}[j] = ({kind})(in[j + i] & 63);"
            ));
        }
    }
    for _ in 0..3 {
        writer.block(3);
    }
    for array in 0..writer.arrays.len() {
        writer.line(format_args!("for (int j = 0; j < {LENGTH}; ++j) a = a * 31u + (uint)t{array}[j];"));
    }
    writer.line(format_args!("out[own * i] = a ^ b * 3u ^ c * 5u ^ d * 7u;"));
    writer.line(format_args!("}}"));
    (writer.text, own)
}

fn check(seed: u64) -> Result<(), String> {
    let (text, own) = program(seed);
    let source = Source { name: "access.cl".into(), text: text.clone() };
    let options = "-w -cl-std=CL2.0";
    let local = LOCAL[seed as usize % LOCAL.len()];
    let bytes = |size: u64| (0..ELEMENTS * size).map(|i| (i * 37 % 251) as u8).collect::<Vec<u8>>();
    let runs = [0u32, 3].map(|n| Run {
        line: n as usize,
        kernel: "k".into(),
        work_dim: 1,
        global: [2 * local, 1, 1],
        local: [local, 1, 1],
        offset: [0; 3],
        args: vec![
            Arg::Buffer(Elem::Int(4), bytes(4)),
            Arg::Buffer(Elem::Int(1), bytes(1)),
            Arg::Buffer(Elem::Int(2), bytes(2)),
            Arg::Buffer(Elem::Int(4), vec![0; (2 * local * own * 4) as usize]),
            Arg::Value(n.to_le_bytes().to_vec()),
        ],
        continues: false,
        expects: Vec::new(),
    });
    let fixture = Fixture { options: String::new(), runs: runs.into() };
    let with_text = |error: String| format!("{error}\n{text}");
    let oracle = compile::lower_only(&source, options).map_err(with_text)?;
    let built = compile::build(&source, &[], options);
    let artifact = built.result.map_err(|_| with_text(built.log))?;
    harness::check(&fixture, &oracle, &artifact).map_err(with_text)
}

#[test]
fn random_accesses_agree() {
    let (from, to) = harness::seeds("GRUS_RANDOM", PROGRAMS);
    let failed: Vec<String> =
        (from..to).filter_map(|seed| check(seed).err().map(|e| format!("seed {seed}: {e}"))).collect();
    let shown = failed.first().cloned().unwrap_or_default();
    assert!(failed.is_empty(), "{} of {}; the first:\n{shown}", failed.len(), to - from);
}
