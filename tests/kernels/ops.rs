//! Every pure op of the table, on every type it takes, on edge values: the interpreter
//! and machine code must agree bit for bit.

use crate::harness::directive::{Arg, Elem, Fixture, Run};
use grus_core::compile::build_ir;
use grus_core::ir::op::{AttrKind, Rule};
use grus_core::ir::{FloatCond, IntCond, Kind, Op, Type, parse_module};

const INTS: [Kind; 4] = [Kind::I8, Kind::I16, Kind::I32, Kind::I64];
const FLOATS: [Kind; 3] = [Kind::F16, Kind::F32, Kind::F64];
const LANES: [u16; 6] = [1, 2, 3, 4, 8, 16];

/// Elements that every run computes on; divisible by all lane counts in use.
const COUNT: usize = 96;

/// An op on types, as a kernel `k(out, a, b, c)`.
struct Case {
    op: Op,
    attr: String,
    args: Vec<Type>,
    result: Type,
}

fn types(kinds: &[Kind]) -> impl Iterator<Item = Type> + '_ {
    kinds.iter().flat_map(|&kind| LANES.iter().map(move |&lanes| Type::vector(kind, lanes)))
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for &op in Op::ALL {
        match op.rule() {
            Rule::Int | Rule::Float => {
                let kinds = if op.rule() == Rule::Int { &INTS[..] } else { &FLOATS[..] };
                let grus_core::ir::op::Arity::Exactly(arity) = op.arity() else { continue };
                for ty in types(kinds) {
                    let args = vec![ty; usize::from(arity)];
                    cases.push(Case { op, attr: String::new(), args, result: ty });
                }
            }
            Rule::IntCompare => cases.extend(types(&INTS).flat_map(|ty| {
                IntCond::ALL.iter().map(move |c| Case {
                    op,
                    attr: c.name().into(),
                    args: vec![ty; 2],
                    result: ty.compared(),
                })
            })),
            Rule::FloatCompare => cases.extend(types(&FLOATS).flat_map(|ty| {
                FloatCond::ALL.iter().map(move |c| Case {
                    op,
                    attr: c.name().into(),
                    args: vec![ty; 2],
                    result: ty.compared(),
                })
            })),
            Rule::Convert => conversions(op, &mut cases),
            Rule::Blend => {
                cases.extend(types(&[&INTS[..], &FLOATS[..]].concat()).filter(|t| t.is_vector()).map(|ty| {
                    Case { op, attr: String::new(), args: vec![ty.compared(), ty, ty], result: ty }
                }))
            }
            Rule::Bits => {
                for from in types(&[&INTS[..], &FLOATS[..]].concat()) {
                    for to in
                        types(&[&INTS[..], &FLOATS[..]].concat()).filter(|to| to.bytes() == from.bytes())
                    {
                        cases.push(Case { op, attr: String::new(), args: vec![from], result: to });
                    }
                }
            }
            _ => assert!(op.attr_kind() != AttrKind::IntCond, "covered above"),
        }
    }
    cases
}

fn conversions(op: Op, cases: &mut Vec<Case>) {
    let (sources, targets) = match op {
        Op::Zext | Op::Sext | Op::Trunc => (&INTS[..], &INTS[..]),
        Op::Fpext | Op::Fptrunc => (&FLOATS[..], &FLOATS[..]),
        Op::Sitofp | Op::Uitofp => (&INTS[..], &FLOATS[..]),
        _ => (&FLOATS[..], &INTS[..]),
    };
    for from in types(sources) {
        for &kind in targets {
            let (f, t) = (from.kind.bits(), kind.bits());
            let fits = match op {
                Op::Zext | Op::Sext | Op::Fpext => f < t,
                Op::Trunc | Op::Fptrunc => f > t,
                _ => true,
            };
            if fits {
                cases.push(Case { op, attr: String::new(), args: vec![from], result: from.with_kind(kind) });
            }
        }
    }
}

/// The kernel as text. Truth values are widened to bytes before they are stored.
fn text(case: &Case) -> String {
    let mut text = String::from(
        "func f0 \"k\" void kernel {\nb0(v0: ptr.global, v1: ptr.global, v2: ptr.global, v3: ptr.global):\n",
    );
    text += "    v4 = workitem.i64 global_id 0\n";
    for (i, ty) in case.args.iter().enumerate() {
        let (size, index, ptr, value) = (10 + 4 * i, 11 + 4 * i, 12 + 4 * i, 13 + 4 * i);
        text += &format!("    v{size} = iconst.i64 {}\n    v{index} = imul.i64 v4, v{size}\n", ty.bytes());
        text += &format!("    v{ptr} = ptradd.ptr.global v{}, v{index}\n", i + 1);
        text += &format!("    v{value} = load.{ty} align 1 v{ptr}\n");
    }
    let args: Vec<String> = (0..case.args.len()).map(|i| format!("v{}", 13 + 4 * i)).collect();
    text += &format!("    v30 = {}.{} {} {}\n", case.op.name(), case.result, case.attr, args.join(", "));
    let stored = if case.result == Type::I1 { Type::I8 } else { case.result };
    text += &if case.result == Type::I1 {
        "    v31 = zext.i8 v30\n".to_owned()
    } else {
        "    v31 = bitcast.".to_owned() + &format!("{stored} v30\n")
    };
    text += &format!("    v32 = iconst.i64 {}\n    v33 = imul.i64 v4, v32\n", stored.bytes());
    text += "    v34 = ptradd.ptr.global v0, v33\n    store align 1 v34, v31\n    ret\n}\n";
    text
}

/// Edge values of a kind, then pseudo-random bits.
fn data(kind: Kind, seed: u64) -> Vec<u8> {
    let edges: Vec<u64> = match kind {
        Kind::F16 => {
            vec![0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 1, 0x3ff, 0x7bff, 0x3800, 0x4100]
        }
        Kind::F32 => [
            0.0,
            -0.0,
            1.0,
            -1.5,
            2.5,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            1e-40,
            f32::MAX,
            2147483648.0,
            300.7,
        ]
        .map(|f| u64::from(f.to_bits()))
        .to_vec(),
        Kind::F64 => [
            0.0,
            -0.0,
            1.0,
            -1.5,
            2.5,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            1e-310,
            f64::MAX,
            9223372036854775808.0,
            65519.99,
        ]
        .map(f64::to_bits)
        .to_vec(),
        _ => vec![
            0,
            1,
            u64::MAX,
            1 << (kind.bits() - 1),
            (1 << (kind.bits() - 1)) - 1,
            2,
            7,
            31,
            64,
            0x55,
            200,
            65,
        ],
    };
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::new();
    // Rotated by the seed, so that operands meet in different pairs; the pairs of the
    // first edges (MIN with -1, x with 0) come in the second half.
    for i in 0..COUNT {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let value = if i < 48 { edges[(i + (i / 12) * seed as usize) % edges.len()] } else { state };
        bytes.extend(&value.to_le_bytes()[..kind.bytes() as usize]);
    }
    bytes
}

fn elem(kind: Kind) -> Elem {
    match kind {
        Kind::F32 => Elem::Float,
        Kind::F64 => Elem::Double,
        _ => Elem::Int(kind.bytes() as usize),
    }
}

fn check(case: &Case) -> Result<(), String> {
    let text = text(case);
    let module = parse_module(&text).map_err(|e| format!("line {}: {}", e.line, e.message))?;
    let lanes = case.args.iter().map(|t| t.lanes).max().unwrap_or(1).max(case.result.lanes);
    let mut args = vec![Arg::Buffer(elem(case.result.kind), vec![0; COUNT * case.result.bytes() as usize])];
    for i in 0..3 {
        let kind = case.args.get(i).map_or(Kind::I8, |t| t.kind);
        args.push(Arg::Buffer(elem(kind), data(kind, i as u64)));
    }
    let items = (COUNT / usize::from(lanes)).min(COUNT / usize::from(case.args[0].lanes)) as u64;
    let run = Run {
        line: 0,
        kernel: "k".into(),
        work_dim: 1,
        global: [items, 1, 1],
        local: [items, 1, 1],
        offset: [0; 3],
        args,
        continues: false,
        expects: Vec::new(),
    };
    let fixture = Fixture { options: String::new(), runs: vec![run] };
    crate::harness::check(&fixture, &module, &build_ir(&text)?).map_err(|e| format!("{e}\n{text}"))
}

#[test]
fn interpreter_and_machine_code_agree_on_every_op() {
    let cases = cases();
    assert!(cases.len() > 1500, "the table has shrunk to {} cases", cases.len());
    let failed: Vec<String> = cases.iter().filter_map(|case| check(case).err()).collect();
    let shown: Vec<&str> = failed.iter().take(5).map(String::as_str).collect();
    assert!(failed.is_empty(), "{} of {} cases:\n{}", failed.len(), cases.len(), shown.join("\n"));
}
