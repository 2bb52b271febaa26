//! async_work_group_copy and async_work_group_strided_copy (s6.15.11) for every gentype,
//! both directions, several strides, one event shared by copies.

use grus_core::compile::{self, Source};

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

/// Elements that are copied.
const COUNT: usize = 6;

/// Four kernels for a type: in and out, plain and strided. Each of the plain ones does its
/// copy in two halves that share an event. `whole` is a type that fills the room of one
/// element: three lanes must move as four.
fn source(ty: &str, whole: &str) -> String {
    format!(
        "kernel void in(global const {ty} *from, global {ty} *to, local {ty} *tile, uint stride) {{
    event_t e = async_work_group_copy(tile, from, 3, 0);
    e = async_work_group_copy(tile + 3, from + 3, 3, e);
    wait_group_events(1, &e);
    for (size_t i = get_local_id(0); i < {COUNT}; i += get_local_size(0)) ((global {whole} *)to)[i] = ((local {whole} *)tile)[i];
}}
kernel void out(global const {ty} *from, global {ty} *to, local {ty} *tile, uint stride) {{
    for (size_t i = get_local_id(0); i < {COUNT}; i += get_local_size(0)) ((local {whole} *)tile)[i] = ((global const {whole} *)from)[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(to, tile, 3, 0);
    e = async_work_group_copy(to + 3, tile + 3, 3, e);
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
