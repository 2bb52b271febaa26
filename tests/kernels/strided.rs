//! Random kernels with loops in steps of the range, of all forms that are run in lockstep and of some that must not be:
//! what the interpreter makes of them item by item, machine code must make of them, too.

use std::fmt::Write;

use grus_core::compile::{self, Source};

use crate::harness;
use crate::harness::directive::{Arg, Elem, Fixture, Run};

/// Kernels tried; each is different and the same in every run.
const PROGRAMS: u64 = 60;

/// Numbers that kernels read and write.
const NUMBERS: u64 = 256;

/// Sizes of the range and of groups, and offsets.
const RANGES: [(u64, u64, u64); 6] =
    [(32, 16, 0), (48, 16, 3), (64, 64, 0), (16, 4, 0), (40, 20, 1), (32, 32, 0)];

/// Bounds of loops.
const BOUNDS: [i32; 6] = [0, 1, 17, 64, 99, 200];

struct Writer {
    state: u64,
    text: String,
    /// A place in `out` belongs to one item.
    owns: bool,
    /// No loop has been written.
    is_first: bool,
}

impl Writer {
    fn pick(&mut self, n: u64) -> u64 {
        self.state = self.state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.state >> 33) % n
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.pick(of.len() as u64) as usize]
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        self.text.write_fmt(text).expect("text can be written");
        self.text.push('\n');
    }

    fn value(&mut self) -> String {
        let value = self.one(&[
            "in[i]",
            "in[(i + 1) & 255]",
            "(int)i",
            "a",
            "sum",
            "in[in[i] & 255]",
            "(in[i] > a ? a : 3)",
            "n",
            "most",
        ]);
        let other = self.one(&["7", "in[i]", "a", "(int)i * 3"]);
        let op = self.one(&["+", "-", "*", "^", "&"]);
        format!("({value} {op} {other})")
    }

    fn statement(&mut self) {
        let value = self.value();
        match self.pick(10) {
            0..=2 if self.owns => self.line(format_args!("out[i] ^= {value};")),
            3 => self.line(format_args!("if (in[i] & 1) sum += {value};")),
            4 => self.line(format_args!("atomic_add(&out[{NUMBERS} + ((int)i & 7)], {value} & 255);")),
            5 => self.line(format_args!("for (int j = 0; j < (in[i] & 3); ++j) sum = sum * 3 + j;")),
            6 => self.line(format_args!("most = max(most, {value});")),
            7 if self.owns => self.line(format_args!("if (in[i] & 2) {{ out[i] += {value}; continue; }}")),
            8 => self.line(format_args!("p += 3;")),
            _ => self.line(format_args!("sum += {value};")),
        }
    }

    fn strided(&mut self) {
        let ty = self.one(&["int", "int", "uint", "size_t", "long", "ulong", "short", "ushort"]);
        let factor = 1 + self.pick(3) * self.pick(2);
        let plus = self.pick(3);
        let is_first = std::mem::take(&mut self.is_first);
        let way = self.pick(5);
        // Another loop would give it to another item.
        self.owns = way < 3 && is_first;
        let (start, step) = match way {
            0 | 1 => {
                (format!("get_global_id(0) * {factor} + {plus}"), format!("get_global_size(0) * {factor}"))
            }
            2 => (
                format!("get_local_size(0) * get_group_id(0) + get_local_id(0) + {plus}"),
                "get_global_size(0)".to_owned(),
            ),
            3 => (format!("get_local_id(0) + {plus}"), "get_local_size(0)".to_owned()),
            _ => {
                (format!("get_global_id(0) + {plus}"), self.one(&["step", "64", "5", "step * 2"]).to_owned())
            }
        };
        let cast = self.one(&["", "(int)"]);
        let (start, step) = (format!("{cast}({start})"), format!("{cast}({step})"));
        // What is less than 0 would be the largest number.
        let condition = self.one(&["i < n", "n > i", "i <= n - 1", "!(i >= n)"]);
        let is_wide = matches!(ty, "uint" | "ulong" | "size_t");
        let condition = if is_wide { condition.replace("n - 1", "n") } else { condition.into() };
        let turns = self.pick(4) == 0;
        self.line(format_args!("{{ {ty} i; int turn = 0;"));
        self.line(format_args!("for (i = {start}; {condition}; i += {step}) {{"));
        let early = self.pick(2) == 0;
        if turns && early {
            self.line(format_args!("if (turn++ >= turns) break;"));
        }
        for _ in 0..1 + self.pick(3) {
            self.statement();
        }
        if turns && !early {
            self.line(format_args!("if (turn >= turns) break; ++turn;"));
        }
        self.line(format_args!("}}"));
        if self.pick(3) == 0 {
            self.line(format_args!("sum += (int)i;"));
        }
        self.line(format_args!("}}"));
    }
}

fn program(seed: u64) -> String {
    let mut writer = Writer {
        state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        text: String::new(),
        owns: false,
        is_first: true,
    };
    writer.line(format_args!(
        "kernel void k(global const int *in, global int *out, global int *sums, local int *t, int n, int step, int turns) {{"
    ));
    writer.line(format_args!("int a = {}, sum = 0, most = -9, p = 1;", writer.state % 100));
    if writer.pick(3) == 0 {
        writer.line(format_args!("a = in[get_global_id(0)];"));
    }
    let rows = writer.pick(3) == 0;
    if rows {
        writer.line(format_args!("for (int row = 0; row < turns; ++row) {{ a += row;"));
    }
    for _ in 0..1 + writer.pick(2) {
        writer.strided();
        if writer.pick(3) == 0 {
            writer.line(format_args!(
                "t[get_local_id(0)] = sum; barrier(CLK_LOCAL_MEM_FENCE); a ^= t[get_local_size(0) - 1 - get_local_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);"
            ));
        }
    }
    if rows {
        writer.line(format_args!("}}"));
    }
    writer.line(format_args!("sums[get_global_id(0)] = sum ^ a * 3 ^ most * 5 ^ p;\n}}"));
    writer.text
}

fn runs(seed: u64) -> Vec<Run> {
    let bytes =
        |numbers: &mut dyn Iterator<Item = i32>| numbers.flat_map(i32::to_le_bytes).collect::<Vec<u8>>();
    let input = bytes(&mut (0..NUMBERS as i32).map(|i| (i.wrapping_mul(0x2c1b_3c6d) >> 7) & 0x1ff));
    let mut runs = Vec::new();
    for (at, &n) in BOUNDS.iter().enumerate() {
        let (global, local, offset) = RANGES[(at + seed as usize) % RANGES.len()];
        runs.push(Run {
            line: at,
            kernel: "k".into(),
            work_dim: 1,
            global: [global, 1, 1],
            local: [local, 1, 1],
            offset: [offset, 0, 0],
            args: vec![
                Arg::Buffer(Elem::Int(4), input.clone()),
                Arg::Buffer(Elem::Int(4), bytes(&mut (0..NUMBERS as i32 + 8))),
                Arg::Buffer(Elem::Int(4), bytes(&mut (0..NUMBERS as i32))),
                Arg::Local(4 * local),
                Arg::Value(n.to_le_bytes().to_vec()),
                Arg::Value((global as i32 + (seed % 3) as i32 * 16).to_le_bytes().to_vec()),
                Arg::Value((1 + at as i32 % 4).to_le_bytes().to_vec()),
            ],
            continues: false,
            expects: Vec::new(),
        });
    }
    runs
}

fn check(seed: u64) -> Result<(), String> {
    let source = Source { name: "strided.cl".into(), text: program(seed) };
    let oracle = compile::lower_only(&source, "-w")?;
    let built = compile::build(&source, &[], "-w");
    let artifact = built.result.map_err(|_| built.log)?;
    let fixture = Fixture { options: String::new(), runs: runs(seed) };
    harness::check(&fixture, &oracle, &artifact)
}

#[test]
fn random_strided_loops_agree() {
    let (from, to) = harness::seeds("GRUS_RANDOM", PROGRAMS);
    let tried = (from..to).filter_map(|seed| Some((seed, check(seed).err()?)));
    let failed: Vec<String> =
        tried.map(|(seed, error)| format!("seed {seed}: {error}\n{}", program(seed))).collect();
    assert!(failed.is_empty(), "{} of {}; the first:\n{}", failed.len(), to - from, failed[0]);
}
