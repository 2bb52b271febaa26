//! What instructions cost, roughly: enough to say what may be computed in vain, and what is too much to be repeated.

use crate::ir::{Function, Inst, Kind, Op};

/// Whether an op takes much longer than others, so that it is better skipped than done in vain.
pub(in crate::passes) fn is_dear(op: Op) -> bool {
    matches!(op, Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem | Op::Fdiv | Op::Fsqrt)
}

/// Instructions that a pure op takes, about.
pub(in crate::passes) fn price(func: &Function, inst: &Inst) -> usize {
    const DEAR: usize = 20;
    const REGISTER: u32 = 16;
    let ty = inst.args.first().map_or(inst.ty, |&arg| func.ty(arg).max(inst.ty));
    let registers = if ty.is_vector() { ty.bytes().div_ceil(REGISTER) as usize } else { 1 };
    // Half is computed in float, by conversions written out.
    let half = if ty.kind == Kind::F16 { DEAR } else { 1 };
    match inst.op {
        Op::Iconst | Op::Fconst | Op::Bitcast | Op::GlobalAddr | Op::LocalAddr => 0,
        Op::BuildVector => inst.args.len(),
        op if is_dear(op) => DEAR * registers,
        _ => registers * half,
    }
}

/// Cycles from an operand to the result, about as today's machines of both makers have them.
pub(in crate::passes) fn latency(func: &Function, inst: &Inst) -> u64 {
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
    // Halves are computed in floats.
    if inst.ty.kind == Kind::F16 { cycles + 8 } else { cycles }
}
