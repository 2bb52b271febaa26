//! What instructions cost, roughly: enough to say what may be computed in vain, and what is too much to be repeated.

use crate::ir::{Function, Inst, Kind, Op};

/// Whether an op takes much longer than others, so that it is better skipped than done in vain.
pub(in crate::passes) fn is_dear(op: Op) -> bool {
    matches!(op, Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem | Op::Fdiv | Op::Fsqrt)
}

const DEAR: usize = 20;

/// Instructions that a pure op takes, about. Half is computed in float, by conversions written out.
pub(in crate::passes) fn price(func: &Function, inst: &Inst) -> usize {
    price_by(func, inst, DEAR)
}

/// The same where machines take so many instructions for an op of halves.
pub(in crate::passes) fn price_by(func: &Function, inst: &Inst, of_half: usize) -> usize {
    const REGISTER: u32 = 16;
    let ty = inst.args.first().map_or(inst.ty, |&arg| func.ty(arg).max(inst.ty));
    let registers = if ty.is_vector() { ty.bytes().div_ceil(REGISTER) as usize } else { 1 };
    let half = if ty.kind == Kind::F16 { of_half } else { 1 };
    match inst.op {
        Op::Iconst | Op::Fconst | Op::Bitcast | Op::GlobalAddr | Op::LocalAddr => 0,
        Op::BuildVector => inst.args.len(),
        op if is_dear(op) => DEAR * registers,
        _ => registers * half,
    }
}

/// Cycles from an operand to the result, about as today's machines of both makers have them; some compute with halves.
pub(in crate::passes) fn latency(func: &Function, inst: &Inst, has_halves: bool) -> u64 {
    const MEMORY: u64 = 6;
    let ty = inst.args.first().map_or(inst.ty, |&arg| func.ty(arg));
    let cycles = match inst.op {
        Op::Iconst | Op::Fconst | Op::Bitcast | Op::Splat => 0,
        Op::Load | Op::MaskedLoad => MEMORY,
        Op::Gather | Op::GatherAt => 3 * MEMORY,
        Op::Fdiv | Op::Fsqrt => 14,
        Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem => 20,
        Op::Imul => 4,
        Op::Fadd | Op::Fsub | Op::Fmul | Op::Fma => 4,
        Op::Fcmp | Op::Icmp if ty.is_vector() => 3,
        _ if ty.kind.is_float() != inst.ty.kind.is_float() => 4,
        _ => 1,
    };
    // Others do so in floats.
    if inst.ty.kind == Kind::F16 && !has_halves { cycles + 8 } else { cycles }
}
