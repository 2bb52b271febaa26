//! Every pure op of the table, on every type it takes, on edge values, and every atomic one in every order: the interpreter
//! and machine code must agree bit for bit. `GRUS_OPS=NAME` tries no other op.

use crate::harness::directive::{Arg, Elem, Fixture, Run};
use grus_core::compile::build_ir;
use grus_core::ir::op::{Arity, AttrKind, Rule};
use grus_core::ir::{FloatCond, IntCond, Kind, MemoryOrder, Op, Rmw, Type, parse_module};

const INTS: [Kind; 4] = [Kind::I8, Kind::I16, Kind::I32, Kind::I64];
const WITH_MASKS: [Kind; 5] = [Kind::I1, Kind::I8, Kind::I16, Kind::I32, Kind::I64];
const FLOATS: [Kind; 3] = [Kind::F16, Kind::F32, Kind::F64];
const LANES: [u16; 8] = [1, 2, 3, 4, 8, 16, 32, 64];

/// Elements that every run computes on; divisible by all lane counts in use.
const COUNT: usize = 192;

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
                    cases.push(plain(op, vec![ty; usize::from(arity)], ty));
                }
                if matches!(op, Op::And | Op::Or | Op::Xor) {
                    cases.extend(types(&[Kind::I1]).map(|ty| plain(op, vec![ty; 2], ty)));
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
            Rule::Atomic | Rule::AtomicStore => atomics(op, &mut cases),
            Rule::Select => selects(op, &mut cases),
            Rule::Movemask | Rule::MaskTest | Rule::MaskFirst => {
                for mask in types(&[Kind::I1]).filter(|mask| mask.is_vector()) {
                    let results: &[Type] = match op.rule() {
                        Rule::Movemask if mask.lanes > 32 => &[Type::I64],
                        Rule::Movemask => &[Type::I32, Type::I64],
                        Rule::MaskTest => &[Type::I1],
                        _ => &[Type::I32],
                    };
                    cases.extend(results.iter().map(|&result| plain(op, vec![mask], result)));
                }
            }
            Rule::Iota
            | Rule::ExtractAt
            | Rule::Permute
            | Rule::InsertAt
            | Rule::Splat
            | Rule::Extract
            | Rule::Insert
            | Rule::Shuffle
            | Rule::BuildVector => lane_ops(op, &mut cases),
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

fn plain(op: Op, args: Vec<Type>, result: Type) -> Case {
    Case { op, attr: String::new(), args, result }
}

/// In every order that the op can have. The pointer is that of the work-item's own element.
fn atomics(op: Op, cases: &mut Vec<Case>) {
    let Arity::Ordered(arity) = op.arity() else { unreachable!("{} has an order", op.name()) };
    let forms: Vec<&str> = match op.attr_kind() {
        AttrKind::Rmw => Rmw::ALL.iter().map(|rmw| rmw.name()).collect(),
        _ => vec![""],
    };
    for ty in [Type::I32, Type::I64] {
        for form in &forms {
            for order in MemoryOrder::ALL.iter().filter(|order| order.suits(op)) {
                let attr = format!("{form} {} device", order.name());
                cases.push(Case { attr, ..plain(op, vec![ty; usize::from(arity)], ty) });
            }
            cases.push(Case { attr: (*form).into(), ..plain(op, vec![ty; usize::from(arity)], ty) });
        }
    }
    // Of how narrow a number is, code makes the same in every order.
    for ty in [Type::I8, Type::I16] {
        let narrow =
            |form: &&str| Case { attr: (*form).into(), ..plain(op, vec![ty; usize::from(arity)], ty) };
        cases.extend(forms.iter().map(narrow));
    }
}

/// By one truth value, or by one for each lane; masks by masks, too.
fn selects(op: Op, cases: &mut Vec<Case>) {
    for ty in types(&[&[Kind::I1], &INTS[..], &FLOATS[..]].concat()) {
        cases.push(plain(op, vec![Type::I1, ty, ty], ty));
        if ty.is_vector() {
            cases.push(plain(op, vec![ty.compared(), ty, ty], ty));
        }
    }
}

/// On vectors of every kind, masks among them.
fn lane_ops(op: Op, cases: &mut Vec<Case>) {
    for ty in types(&[&[Kind::I1], &INTS[..], &FLOATS[..]].concat()).filter(|ty| ty.is_vector()) {
        let (lanes, lane) = (usize::from(ty.lanes), ty.lane());
        match op.rule() {
            Rule::Iota if ty.kind != Kind::I1 && ty.kind.is_int() => cases.push(plain(op, vec![], ty)),
            Rule::ExtractAt => cases.push(plain(op, vec![ty, Type::I32], lane)),
            Rule::Permute if ty.kind != Kind::I1 => {
                let fewer = ty.with_lanes((ty.lanes / 2).max(2));
                let more = ty.with_lanes((ty.lanes * 4).min(64));
                for result in
                    [ty, fewer, more].into_iter().filter(|ty| ty.lanes.is_power_of_two() || ty.lanes == 3)
                {
                    cases.push(plain(op, vec![ty, Type::I32.with_lanes(result.lanes)], result));
                }
            }
            Rule::InsertAt => cases.push(plain(op, vec![ty, Type::I32, lane], ty)),
            Rule::Splat => cases.push(plain(op, vec![lane], ty)),
            Rule::BuildVector if lanes <= 3 => cases.push(plain(op, vec![lane; lanes], ty)),
            Rule::Extract => {
                let picked = [0, lanes / 2, lanes - 1]
                    .map(|at| Case { attr: at.to_string(), ..plain(op, vec![ty], lane) });
                cases.extend(picked);
            }
            Rule::Insert => {
                let at = (lanes / 2).to_string();
                cases.push(Case { attr: at, ..plain(op, vec![ty, lane], ty) });
            }
            Rule::Shuffle => shuffles(op, ty, cases),
            _ => {}
        }
    }
}

/// Reversed, every second lane of both, one lane everywhere, and fewer lanes than there were. Of lanes of 32 and 64
/// bits, which machines pick in many ways, more: lanes of both that alternate, or stay, neighbours and halves that change places, lanes that
/// wander on, every third and fourth one, and without any order.
fn shuffles(op: Op, ty: Type, cases: &mut Vec<Case>) {
    let lanes = ty.lanes;
    let of_both = |lane: u16| lane % (2 * lanes);
    let each = |pick: &dyn Fn(u16) -> u16| (0..lanes).map(|lane| of_both(pick(lane))).collect::<Vec<u16>>();
    let mut picks: Vec<Vec<u16>> = vec![
        (0..lanes).rev().collect(),
        each(&|lane| 2 * lane),
        vec![lanes; usize::from(lanes)],
        (0..lanes.div_ceil(2).max(2)).map(|lane| lane % lanes).collect(),
    ];
    if matches!(ty.kind, Kind::I32 | Kind::I64) && matches!(lanes, 3 | 4 | 8 | 16) {
        picks.extend([
            each(&|lane| lane / 2 + lane % 2 * lanes),
            each(&|lane| lanes / 2 + lane / 2 + (lane + 1) % 2 * lanes),
            each(&|lane| lane + lane % 2 * lanes),
            each(&|lane| lane ^ 1),
            each(&|lane| (lane ^ 2) + lanes),
            each(&|lane| lane + lanes / 2),
            each(&|lane| lane + lanes + lanes / 2),
            each(&|lane| lane + 1),
            each(&|lane| 2 * lane + 1),
            each(&|lane| 3 * lane + 3 * lane / (2 * lanes)),
            each(&|lane| 4 * lane + 4 * lane / (2 * lanes)),
            each(&|lane| lane / 4 * 4 + lane % 4 / 2 + lane % 2 * lanes),
            each(&|lane| lane / 4 * 4 + 2 + lane % 4 / 2 + (lane + 1) % 2 * lanes),
        ]);
        picks.extend((0..4).map(|seed| each(&|lane| lane * lane * 5 + (lane + seed) * 37 + seed * 11)));
    }
    for picks in picks {
        let result = ty.with_lanes(picks.len() as u16);
        cases.push(Case { attr: format!("{picks:?}"), ..plain(op, vec![ty, ty], result) });
    }
}

fn conversions(op: Op, cases: &mut Vec<Case>) {
    let (sources, targets) = match op {
        Op::Zext | Op::Sext => (&WITH_MASKS[..], &INTS[..]),
        Op::Trunc => (&INTS[..], &WITH_MASKS[..]),
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

/// The kernel as text. Truth values are bytes in memory.
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
    let mut args: Vec<String> = (0..case.args.len()).map(|i| format!("v{}", 13 + 4 * i)).collect();
    if matches!(case.op.rule(), Rule::Atomic | Rule::AtomicStore) {
        args[0] = "v12".into();
    }
    let args = args.join(", ");
    text += &match case.op.rule() {
        // What is stored to `out` is what was there before.
        Rule::AtomicStore => {
            format!("    {} {} {args}\n    v30 = bitcast.{} v13\n", case.op.name(), case.attr, case.result)
        }
        _ => format!("    v30 = {}.{} {} {args}\n", case.op.name(), case.result, case.attr),
    };
    text += &format!("    v32 = iconst.i64 {}\n    v33 = imul.i64 v4, v32\n", case.result.bytes());
    text += "    v34 = ptradd.ptr.global v0, v33\n    store align 1 v34, v30\n    ret\n}\n";
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
        Kind::I1 => vec![0],
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
        let value = if kind == Kind::I1 {
            state >> 40 & 1
        } else if i < 48 {
            edges[(i + (i / 12) * seed as usize) % edges.len()]
        } else {
            state
        };
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

fn check(number: usize, case: &Case) -> Result<(), String> {
    let text = text(case);
    let module = parse_module(&text).map_err(|e| format!("line {}: {}", e.line, e.message))?;
    let lanes = case.args.iter().map(|t| t.lanes).max().unwrap_or(1).max(case.result.lanes);
    let mut args = vec![Arg::Buffer(elem(case.result.kind), vec![0; COUNT * case.result.bytes() as usize])];
    for i in 0..3 {
        let kind = case.args.get(i).map_or(Kind::I8, |t| t.kind);
        args.push(Arg::Buffer(elem(kind), data(kind, i as u64)));
    }
    let items = (COUNT / usize::from(lanes)) as u64;
    let run = Run {
        // By which backends and numbers of lanes take turns.
        line: number,
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

/// Those cases whose numbers leave this remainder: tests run side by side.
fn agree(remainder: usize) {
    let cases = cases();
    assert!(cases.len() > 1500, "the table has shrunk to {} cases", cases.len());
    let wanted = std::env::var("GRUS_OPS").ok();
    let is_wanted = |case: &Case| wanted.as_ref().is_none_or(|name| name == case.op.name());
    let tried = cases.iter().enumerate().filter(|(at, case)| at % 4 == remainder && is_wanted(case));
    let failed: Vec<String> = tried.filter_map(|(number, case)| check(number, case).err()).collect();
    let shown: Vec<&str> = failed.iter().take(5).map(String::as_str).collect();
    assert!(failed.is_empty(), "{} of {} cases:\n{}", failed.len(), cases.len(), shown.join("\n"));
}

#[test]
fn interpreter_and_machine_code_agree_on_every_op_1_of_4() {
    agree(0);
}

#[test]
fn interpreter_and_machine_code_agree_on_every_op_2_of_4() {
    agree(1);
}

#[test]
fn interpreter_and_machine_code_agree_on_every_op_3_of_4() {
    agree(2);
}

#[test]
fn interpreter_and_machine_code_agree_on_every_op_4_of_4() {
    agree(3);
}
