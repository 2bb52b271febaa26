//! Folding of logic on truth values, scalars and lanes alike.
//!
//! - Bitwise logic of truth values that were extended to integers is done before the extension, of which only one is
//!   left; in `c1 | c2 != 0` none is.
//! - A selection of lanes of masks by one of them is `or` or `and`: `select c, c, a` and `select c, true, a` are
//!   `c | a`; `select c, a, c` and `select c, a, false` are `c & a`.
//! - `select c, -1, 0` is a sign extension, and `ext(c) == 0` a negation.
//! - The negation of a comparison is the opposite comparison.
//! - `a | (b & !a)` is `a | b`, and `a & (b | !a)` is `a & b`: `a || b` in source programs becomes the first form where
//!   branches become masks.

use grus_ir::{Attr, Builder, Function, Inst, IntCond, Kind, Op, Type, Value};
use grus_support::IdMap;

/// Folds in one walk. Returns whether anything changed.
pub(super) fn run(func: &mut Function) -> bool {
    if !func.instructions().any(|inst| is_candidate(func, inst)) {
        return false;
    }
    let uses = func.use_counts();
    let mut has_changed = false;
    for block in func.layout.clone() {
        for id in std::mem::take(&mut func.blocks[block].insts) {
            let inst = &func.insts[id];
            if is_candidate(func, inst)
                && let Some(Folded { op, args, attr }) = folded(func, inst, &uses)
            {
                let mut builder = Builder::new(func, block);
                builder.loc = builder.func.insts[id].loc;
                let args = args.into_iter().map(|arg| arg.write(&mut builder)).collect();
                let inst = &mut func.insts[id];
                (inst.op, inst.args, inst.attr) = (op, args, attr);
                has_changed = true;
            }
            func.blocks[block].insts.push(id);
        }
    }
    has_changed
}

/// Instruction that replaces another one.
struct Folded {
    op: Op,
    args: Vec<Arg>,
    attr: Attr,
}

/// Operand of a replacement: a value, or an instruction to be written before it.
enum Arg {
    Value(Value),
    Logic(Op, Type, [Value; 2]),
    True(Type),
}

impl Arg {
    fn write(self, builder: &mut Builder<'_>) -> Value {
        match self {
            Arg::Value(value) => value,
            Arg::Logic(op, ty, args) => builder.value(op, ty, &args, Attr::None),
            Arg::True(ty) => builder.constant(ty, 1),
        }
    }
}

fn is_candidate(func: &Function, inst: &Inst) -> bool {
    match inst.op {
        Op::And | Op::Or | Op::Xor if inst.ty.kind == Kind::I1 => true,
        Op::Select => inst.ty.is_mask() || func.is_zero(inst.args[2]),
        Op::And | Op::Or | Op::Xor | Op::Icmp => extended_truth(func, inst.args[0]).is_some(),
        _ => false,
    }
}

fn folded(func: &Function, inst: &Inst, uses: &IdMap<Value, u32>) -> Option<Folded> {
    match inst.op {
        Op::Select if inst.ty.is_mask() => selection(func, inst),
        Op::Select => extension(func, inst),
        Op::Icmp => negation(func, inst),
        Op::Xor if inst.ty.kind == Kind::I1 => negated_comparison(func, inst, uses),
        _ if inst.ty.kind == Kind::I1 => absorbed(func, inst),
        _ => logic_of_extended(func, inst, uses),
    }
}

/// Returns the extension and its operand if a value is an extended truth value.
fn extended_truth(func: &Function, value: Value) -> Option<(Op, Value)> {
    let def = func.def_inst(value).filter(|def| matches!(def.op, Op::Sext | Op::Zext))?;
    (func.ty(def.args[0]).kind == Kind::I1).then(|| (def.op, def.args[0]))
}

/// Folds logic of two extended truth values, if one of the extensions has no further use.
fn logic_of_extended(func: &Function, inst: &Inst, uses: &IdMap<Value, u32>) -> Option<Folded> {
    let [(op, a), (other, b)] = [extended_truth(func, inst.args[0])?, extended_truth(func, inst.args[1])?];
    let saves = inst.args.iter().any(|&arg| uses[arg] == 1);
    let truth = func.ty(a);
    (op == other && saves && func.ty(b) == truth).then(|| Folded {
        op,
        args: vec![Arg::Logic(inst.op, truth, [a, b])],
        attr: Attr::None,
    })
}

/// Folds a selection of lanes of masks.
fn selection(func: &Function, inst: &Inst) -> Option<Folded> {
    let (cond, yes, no) = (inst.args[0], inst.args[1], inst.args[2]);
    let (op, other) = if yes == cond || func.as_const_of_lanes(yes) == Some(1) {
        (Op::Or, no)
    } else if no == cond || func.is_zero(no) {
        (Op::And, yes)
    } else {
        return None;
    };
    (func.ty(cond) == inst.ty).then(|| Folded {
        op,
        args: vec![Arg::Value(cond), Arg::Value(other)],
        attr: Attr::None,
    })
}

/// Folds a selection of -1 or 0.
fn extension(func: &Function, inst: &Inst) -> Option<Folded> {
    let (cond, yes, no) = (inst.args[0], inst.args[1], inst.args[2]);
    let bits = inst.ty.kind.bits();
    let is_extension = inst.ty.kind.is_int()
        && bits > 1
        && func.ty(cond).lanes == inst.ty.lanes
        && func.is_zero(no)
        && func.as_const_of_lanes(yes) == Some(u64::MAX >> (64 - bits));
    is_extension.then(|| Folded { op: Op::Sext, args: vec![Arg::Value(cond)], attr: Attr::None })
}

/// Folds a comparison of an extended truth value with zero.
fn negation(func: &Function, inst: &Inst) -> Option<Folded> {
    let (_, truth) = extended_truth(func, inst.args[0])?;
    let is_negation = inst.attr == Attr::IntCond(IntCond::Eq) && func.is_zero(inst.args[1]);
    is_negation.then(|| Folded {
        op: Op::Xor,
        args: vec![Arg::Value(truth), Arg::True(func.ty(truth))],
        attr: Attr::None,
    })
}

/// Negates a comparison of integers that has no further use. `float_logic` does so for floats.
fn negated_comparison(func: &Function, inst: &Inst, uses: &IdMap<Value, u32>) -> Option<Folded> {
    let def = func.def_inst(inst.args[0]).filter(|def| def.op == Op::Icmp && uses[inst.args[0]] == 1)?;
    (func.as_const_of_lanes(inst.args[1]) == Some(1)).then(|| Folded {
        op: Op::Icmp,
        args: def.args.iter().map(|&arg| Arg::Value(arg)).collect(),
        attr: Attr::IntCond(def.int_cond().negated()),
    })
}

/// Removes an operand from the inner operation that the outer one makes superfluous.
fn absorbed(func: &Function, inst: &Inst) -> Option<Folded> {
    let inner = match inst.op {
        Op::And => Op::Or,
        Op::Or => Op::And,
        _ => return None,
    };
    let orders = |inst: &Inst| [(inst.args[0], inst.args[1]), (inst.args[1], inst.args[0])];
    let is_negation_of = |value: Value, of: Value| {
        func.def_inst(value).filter(|def| def.op == Op::Xor).is_some_and(|def| {
            orders(def).into_iter().any(|(a, one)| a == of && func.as_const_of_lanes(one) == Some(1))
        })
    };
    let is_either = |x: Value, y: Value| is_negation_of(x, y) || is_negation_of(y, x);
    orders(inst).into_iter().find_map(|(a, b)| {
        let def = func.def_inst(b).filter(|def| def.op == inner)?;
        let (_, rest) = orders(def).into_iter().find(|&(superfluous, _)| is_either(superfluous, a))?;
        Some(Folded { op: inst.op, args: vec![Arg::Value(a), Arg::Value(rest)], attr: Attr::None })
    })
}
