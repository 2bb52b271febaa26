//! async_work_group_copy and async_work_group_strided_copy (s6.15.11) for every gentype,
//! both directions, several strides, one event shared by copies; the copies of lines and planes of
//! cl_khr_extended_async_copies for elements of many sizes.

use grus_core::compile::{self, Artifact, Source};
use grus_core::ir::Module;

use crate::harness;
use crate::harness::directive::{Arg, Elem, Expectation, Fixture, Run};

const SCALARS: [(&str, usize); 11] = [
    ("char", 1),
    ("uchar", 1),
    ("short", 2),
    ("ushort", 2),
    ("int", 4),
    ("uint", 4),
    ("long", 8),
    ("ulong", 8),
    ("half", 2),
    ("float", 4),
    ("double", 8),
];
const LANES: [usize; 6] = [1, 2, 3, 4, 8, 16];

/// Elements that are copied, and those of the first half.
const COUNT: usize = 19;
const HALF: usize = 8;

/// Four kernels for a type: in and out, plain and strided. Each of the plain ones does its
/// copy in two halves that share an event. `whole` is a type that fills the room of one
/// element: three lanes must move as four.
fn source(ty: &str, whole: &str) -> String {
    format!(
        "kernel void in(global const {ty} *from, global {ty} *to, local {ty} *tile, uint stride) {{
    event_t e = async_work_group_copy(tile, from, {HALF}, 0);
    e = async_work_group_copy(tile + {HALF}, from + {HALF}, {COUNT} - {HALF}, e);
    wait_group_events(1, &e);
    for (size_t i = get_local_id(0); i < {COUNT}; i += get_local_size(0)) ((global {whole} *)to)[i] = ((local {whole} *)tile)[i];
}}
kernel void out(global const {ty} *from, global {ty} *to, local {ty} *tile, uint stride) {{
    for (size_t i = get_local_id(0); i < {COUNT}; i += get_local_size(0)) ((local {whole} *)tile)[i] = ((global const {whole} *)from)[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(to, tile, {HALF}, 0);
    e = async_work_group_copy(to + {HALF}, tile + {HALF}, {COUNT} - {HALF}, e);
    wait_group_events(1, &e);
}}
kernel void gather(global const {ty} *from, global {ty} *to, local {ty} *tile, uint stride) {{
    event_t e = async_work_group_strided_copy(tile, from, {COUNT}, stride, 0);
    wait_group_events(1, &e);
    for (size_t i = get_local_id(0); i < {COUNT}; i += get_local_size(0)) ((global {whole} *)to)[i] = ((local {whole} *)tile)[i];
}}
kernel void scatter(global const {ty} *from, global {ty} *to, local {ty} *tile, uint stride) {{
    for (size_t i = get_local_id(0); i < {COUNT}; i += get_local_size(0)) ((local {whole} *)tile)[i] = ((global const {whole} *)from)[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_strided_copy(to, tile, {COUNT}, stride, 0);
    wait_group_events(1, &e);
}}
"
    )
}

/// Values that say where they come from; three lanes take the room of four.
fn pattern(elements: usize, bytes: usize) -> Vec<u8> {
    (0..elements * bytes).map(|i| (i % 251) as u8 + 1).collect()
}

/// What the destination holds afterwards, by the text of the specification.
fn expected(kernel: &str, stride: usize, bytes: usize, elements: usize) -> Vec<u8> {
    let from = pattern(elements, bytes);
    let mut to = vec![0; elements * bytes];
    for i in 0..COUNT {
        let (source, target) = match kernel {
            "gather" => (i * stride, i),
            "scatter" => (i, i * stride),
            _ => (i, i),
        };
        to[target * bytes..][..bytes].copy_from_slice(&from[source * bytes..][..bytes]);
    }
    to
}

fn check(ty: &str, bytes: usize) -> Result<(), String> {
    let whole = ty.strip_suffix('3').map_or(ty.to_owned(), |scalar| format!("{scalar}4"));
    let source = Source { name: format!("{ty}.cl"), text: source(ty, &whole) };
    let built = compile::build(&source, &[], "");
    let artifact = built.result.map_err(|_| built.log)?;
    let oracle = compile::lower_only(&source, "")?;
    for (kernel, strides) in
        [("in", &[1][..]), ("out", &[1]), ("gather", &[1, 2, 5]), ("scatter", &[1, 2, 5])]
    {
        for &stride in strides {
            let elements = COUNT * stride;
            let run = Run {
                line: 0,
                kernel: kernel.into(),
                work_dim: 1,
                global: [4, 1, 1],
                local: [4, 1, 1],
                offset: [0; 3],
                args: vec![
                    Arg::Buffer(Elem::Int(1), pattern(elements, bytes)),
                    Arg::Buffer(Elem::Int(1), vec![0; elements * bytes]),
                    Arg::Local((COUNT * bytes) as u64),
                    Arg::Value((stride as u32).to_le_bytes().to_vec()),
                ],
                continues: false,
                expects: Vec::new(),
            };
            let mut fixture = Fixture { options: String::new(), runs: vec![run] };
            let values: Vec<String> =
                expected(kernel, stride, bytes, elements).iter().map(|b| (*b as i8).to_string()).collect();
            fixture.runs[0].expects.push(Expectation {
                line: 0,
                argument: 1,
                tolerance: 0.0,
                values: if ty.ends_with('3') { String::new() } else { values.join(" ") },
            });
            harness::check(&fixture, &oracle, &artifact)
                .map_err(|e| format!("{ty}, {kernel}, stride {stride}: {e}"))?;
        }
    }
    Ok(())
}

#[test]
fn every_gentype_is_copied_both_ways() {
    let mut failed = Vec::new();
    for (scalar, size) in SCALARS {
        for lanes in LANES {
            let ty = if lanes == 1 { scalar.to_owned() } else { format!("{scalar}{lanes}") };
            let room = size * if lanes == 3 { 4 } else { lanes };
            failed.extend(check(&ty, room).err());
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Sizes and distances of a copy of lines and planes, in elements; source before destination.
struct Rect {
    size: usize,
    line: usize,
    lines: usize,
    planes: usize,
    line_steps: [usize; 2],
    plane_steps: [usize; 2],
}

/// Elements before the first, of source and destination.
const OFFSETS: [usize; 2] = [2, 1];

impl Rect {
    /// Bytes of the source and of the destination.
    fn bytes(&self) -> [usize; 2] {
        [0, 1].map(|i| {
            let last = (self.lines - 1) * self.line_steps[i] + (self.planes - 1) * self.plane_steps[i];
            (OFFSETS[i] + last + self.line) * self.size
        })
    }

    /// What the destination holds afterwards, element by element.
    fn expected(&self, from: &[u8]) -> Vec<u8> {
        let mut to = vec![0; self.bytes()[1]];
        for plane in 0..self.planes {
            for line in 0..self.lines {
                for element in 0..self.line {
                    let [source, target] = [0, 1].map(|i| {
                        let before = line * self.line_steps[i] + plane * self.plane_steps[i];
                        (OFFSETS[i] + before + element) * self.size
                    });
                    to[target..][..self.size].copy_from_slice(&from[source..][..self.size]);
                }
            }
        }
        to
    }
}

/// The same copy into local memory and out of it; planes as they are, or the first alone as lines.
const RECTS: &str = "
#define NUMBERS uint size, uint line, uint lines, uint planes, uint source_line, uint source_plane, uint line_step, \\
    uint plane_step, uint from_bytes, uint to_bytes
#define VOLUME size, line, lines, planes, source_line, source_plane, line_step, plane_step, 0
#define PLANE size, line, lines, source_line, line_step, 0
#define IN(name, copy) kernel void name(global const char *from, global char *to, local char *tile, NUMBERS) { \\
    for (uint i = get_local_id(0); i < to_bytes; i += get_local_size(0)) tile[i] = 0; \\
    barrier(CLK_LOCAL_MEM_FENCE); \\
    event_t e = copy; \\
    wait_group_events(1, &e); \\
    for (uint i = get_local_id(0); i < to_bytes; i += get_local_size(0)) to[i] = tile[i]; \\
}
#define OUT(name, copy) kernel void name(global const char *from, global char *to, local char *tile, NUMBERS) { \\
    for (uint i = get_local_id(0); i < from_bytes; i += get_local_size(0)) tile[i] = from[i]; \\
    barrier(CLK_LOCAL_MEM_FENCE); \\
    event_t e = copy; \\
    wait_group_events(1, &e); \\
}
IN(in3, async_work_group_copy_3D3D(tile, 1, from, 2, VOLUME))
OUT(out3, async_work_group_copy_3D3D(to, 1, tile, 2, VOLUME))
IN(in2, async_work_group_copy_2D2D(tile, 1, from, 2, PLANE))
OUT(out2, async_work_group_copy_2D2D(to, 1, tile, 2, PLANE))
";

fn check_rect(rect: &Rect, oracle: &Module, artifact: &Artifact) -> Result<(), String> {
    let bytes = rect.bytes();
    let from = pattern(1, bytes[0]);
    let values: Vec<String> = rect.expected(&from).iter().map(|b| (*b as i8).to_string()).collect();
    let kernels = if rect.planes == 1 { &["in3", "out3", "in2", "out2"][..] } else { &["in3", "out3"] };
    for kernel in kernels {
        let Rect { size, line, lines, planes, line_steps, plane_steps } = *rect;
        let numbers =
            [size, line, lines, planes, line_steps[0], plane_steps[0], line_steps[1], plane_steps[1]];
        let mut args = vec![
            Arg::Buffer(Elem::Int(1), from.clone()),
            Arg::Buffer(Elem::Int(1), vec![0; bytes[1]]),
            Arg::Local(bytes[0].max(bytes[1]) as u64),
        ];
        let numbers = numbers.into_iter().chain(bytes);
        args.extend(numbers.map(|number| Arg::Value((number as u32).to_le_bytes().to_vec())));
        let expects = vec![Expectation { line: 0, argument: 1, tolerance: 0.0, values: values.join(" ") }];
        let run = Run {
            line: 0,
            kernel: (*kernel).into(),
            work_dim: 1,
            global: [4, 1, 1],
            local: [4, 1, 1],
            offset: [0; 3],
            args,
            continues: false,
            expects,
        };
        let fixture = Fixture { options: String::new(), runs: vec![run] };
        let numbers = [size, line, lines, planes, line_steps[0], line_steps[1]];
        harness::check(&fixture, oracle, artifact).map_err(|e| format!("{kernel}, {numbers:?}: {e}"))?;
    }
    Ok(())
}

#[test]
fn lines_and_planes_are_copied_both_ways() {
    let source = Source { name: "rects.cl".into(), text: RECTS.into() };
    let built = compile::build(&source, &[], "");
    let artifact = built.result.unwrap_or_else(|_| panic!("{}", built.log));
    let oracle = compile::lower_only(&source, "").unwrap();
    let mut failed = Vec::new();
    for size in [1, 2, 3, 4, 7, 8, 12, 16, 32, 64] {
        for (line, lines, planes) in [(1, 11, 1), (5, 1, 1), (3, 4, 1), (1, 9, 2), (3, 2, 3), (4, 3, 2)] {
            // Without gaps on both sides, on one of them, and on none.
            for gaps in [[0, 0], [2, 0], [0, 3], [1, 2]] {
                let line_steps = gaps.map(|gap| line + gap);
                let plane_steps = [0, 1].map(|i| lines * line_steps[i] + gaps[1 - i]);
                let rect = Rect { size, line, lines, planes, line_steps, plane_steps };
                failed.extend(check_rect(&rect, &oracle, &artifact).err());
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
