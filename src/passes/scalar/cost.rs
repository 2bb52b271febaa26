//! Rough instruction costs. They decide which code may be executed speculatively and which code is too expensive to
//! repeat.

use grus_ir::{Function, Inst, Kind, Op};

/// Checks whether an op takes much longer than others, so that a branch around it is better than executing it
/// speculatively.
pub(crate) fn is_expensive(op: Op) -> bool {
    matches!(op, Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem | Op::Fdiv | Op::Fsqrt)
}

/// Cost of a division or square root, in simple instructions, and of an op on halves that is computed in float.
// Arbitrary.
const EXPENSIVE_COST: usize = 20;

/// Returns the approximate number of machine instructions for a pure op. Ops on halves are computed in float, with
/// the conversions written out.
pub(crate) fn instruction_cost(func: &Function, inst: &Inst) -> usize {
    instruction_cost_with_half_cost(func, inst, EXPENSIVE_COST)
}

/// Returns the cost like [`instruction_cost`], for a target that takes `half_cost` instructions for an op on halves.
pub(crate) fn instruction_cost_with_half_cost(func: &Function, inst: &Inst, half_cost: usize) -> usize {
    const REGISTER_BYTES: u32 = 16;
    let ty = inst.args.first().map_or(inst.ty, |&arg| func.ty(arg).max(inst.ty));
    let registers = if ty.is_vector() { ty.bytes().div_ceil(REGISTER_BYTES) as usize } else { 1 };
    let half = if ty.kind == Kind::F16 { half_cost } else { 1 };
    match inst.op {
        Op::Iconst | Op::Fconst | Op::Bitcast | Op::GlobalAddr | Op::LocalAddr => 0,
        Op::BuildVector => inst.args.len(),
        op if is_expensive(op) => EXPENSIVE_COST * registers,
        _ => registers * half,
    }
}

/// Returns the approximate latency in cycles, from an operand to the result, on current x86-64 CPUs of Intel and
/// AMD. `has_halves` is true if the target computes with halves.
pub(crate) fn latency(func: &Function, inst: &Inst, has_halves: bool) -> u64 {
    /// Latency of a load that hits the first-level cache, in cycles.
    // Arbitrary.
    const LOAD_LATENCY: u64 = 6;
    let ty = inst.args.first().map_or(inst.ty, |&arg| func.ty(arg));
    let cycles = match inst.op {
        Op::Iconst | Op::Fconst | Op::Bitcast | Op::Splat => 0,
        Op::Load | Op::MaskedLoad => LOAD_LATENCY,
        Op::Gather | Op::GatherAt => 3 * LOAD_LATENCY,
        Op::Fdiv | Op::Fsqrt => 14,
        Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem => 20,
        Op::Imul => 4,
        Op::Fadd | Op::Fsub | Op::Fmul | Op::Fma => 4,
        Op::Fcmp | Op::Icmp if ty.is_vector() => 3,
        _ if ty.kind.is_float() != inst.ty.kind.is_float() => 4,
        _ => 1,
    };
    // Other targets convert to float and back.
    if inst.ty.kind == Kind::F16 && !has_halves { cycles + 8 } else { cycles }
}
