//! Cost of one instruction in issue slots, on the registers of either backend.

use super::super::super::scalar::cost;
use super::super::super::scalar::divide::MIN_LANES_IN_STEPS;
use grus_ir::{Class, Function, Inst, IntBinary, Kind, MemoryOp, Op, Type};
use grus_support::target::Backend;

/// Returns the cost of an instruction.
pub(in crate::vectorize) fn inst_cost(func: &Function, inst: &Inst, backend: Backend) -> u64 {
    if is_address_operand(func, inst) {
        return 0;
    }
    if backend == Backend::Cranelift {
        inst_cost_cranelift(func, inst)
    } else {
        inst_cost_x64(func, inst, backend)
    }
}

/// Checks whether an instruction becomes part of an address operand.
fn is_address_operand(func: &Function, inst: &Inst) -> bool {
    let is_scale =
        || inst.args.get(1).and_then(|&by| func.as_const(by)).is_some_and(|by| matches!(by, 2 | 4 | 8));
    match inst.op {
        Op::PtrAdd => !inst.ty.is_vector(),
        Op::Imul => inst.ty == Type::I64 && is_scale(),
        _ => false,
    }
}

/// Returns the largest type of the operands and the result of an instruction.
pub(in crate::vectorize) fn largest_type(func: &Function, inst: &Inst) -> Type {
    let ty = inst.args.iter().map(|&arg| func.ty(arg)).chain([inst.ty]).max_by_key(|ty| ty.bits());
    ty.unwrap_or(Type::VOID)
}

/// Returns the cost of an instruction on the registers of the x64 backend.
fn inst_cost_x64(func: &Function, inst: &Inst, backend: Backend) -> u64 {
    let ty = largest_type(func, inst);
    let lanes = u64::from(ty.lanes);
    let registers = u64::from(ty.bits().div_ceil(backend.register() * 8)).max(1);
    // Cost of a lane-by-lane fallback through memory.
    let lane_by_lane = 6 * lanes;
    let is_narrow = || {
        let ty = if inst.ty == Type::VOID { func.ty(inst.args[inst.args.len() - 2]) } else { inst.ty };
        ty.kind.bits() < 32
    };
    match inst.op.class() {
        Class::Constant(_) | Class::Terminator(_) => 1,
        Class::MemoryOp(MemoryOp::Load | MemoryOp::Store) => registers,
        Class::MemoryOp(MemoryOp::MaskedLoad | MemoryOp::MaskedStore) => 1 + 2 * registers,
        Class::MemoryOp(MemoryOp::Gather | MemoryOp::GatherAt) => {
            // The pass `subword_gathers` makes gathers of words of them.
            registers + if is_narrow() { 3 } else { 2 } * lanes
        }
        Class::MemoryOp(MemoryOp::Scatter | MemoryOp::ScatterAt) if backend.has_masks() && !is_narrow() => {
            registers + 2 * lanes
        }
        Class::MemoryOp(MemoryOp::Scatter | MemoryOp::ScatterAt) => lane_by_lane,
        // The cost is that of the lock prefix; lanes with equal addresses share one operation.
        // Source: histograms on an EPYC (Zen 4), 2026-11-28.
        Class::MemoryOp(MemoryOp::LaneRmw) if !func.is_of_group(inst) => 19 * lanes,
        Class::MemoryOp(_) => inst_cost_cranelift(func, inst),
        Class::LaneOp(_) if ty.lanes > 1 => match inst.op {
            Op::BuildVector if inst.args.iter().all(|&arg| func.as_const(arg).is_some()) => 0,
            Op::BuildVector => lanes + registers,
            Op::ExtractAt | Op::InsertAt => 4 + 2 * registers,
            // Whole registers are renamed; a part of one is inserted or extracted.
            Op::Shuffle if is_in_order(inst) => {
                let full = |ty: Type| ty.bits().is_multiple_of(backend.register() * 8);
                u64::from(!full(inst.ty) || !full(func.ty(inst.args[0])))
            }
            Op::Shuffle => 2 * registers,
            // The load broadcasts it.
            Op::Splat if func.def_inst(inst.args[0]).is_some_and(|def| def.op == Op::Load) => 0,
            Op::Splat => 1,
            _ => registers,
        },
        Class::MaskOp(_) => 1 + registers,
        _ if is_division(inst) => division_cost(func, inst, registers, backend),
        Class::IntBinary(IntBinary::Smulhi | IntBinary::Umulhi) if ty.lanes > 1 && ty.kind == Kind::I64 => {
            14 * registers
        }
        _ => {
            let narrow = u64::from(ty.bits().div_ceil(128)).max(1);
            // `cost::instruction_cost` counts 128-bit registers.
            let inst_cost = if backend.has_halves() {
                cost::instruction_cost_with_half_cost(func, inst, 1)
            } else {
                cost::instruction_cost(func, inst)
            };
            (inst_cost.max(1) as u64 * registers).div_ceil(narrow).max(registers)
        }
    }
}

fn is_division(inst: &Inst) -> bool {
    matches!(inst.op, Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem)
}

/// Returns the cost of a division after the pass `divide`.
fn division_cost(func: &Function, inst: &Inst, registers: u64, backend: Backend) -> u64 {
    let is_in_steps =
        || backend.has_masks() && inst.ty.kind == Kind::I32 && inst.ty.lanes >= MIN_LANES_IN_STEPS;
    match func.as_const_of_lanes(inst.args[1]) {
        Some(by) if by.is_power_of_two() => 3 * registers,
        Some(_) if !inst.ty.is_vector() => 6,
        Some(_) if inst.ty.kind != Kind::I64 => 12 * registers,
        None if is_in_steps() => 24 * registers,
        None if inst.ty.is_vector() && inst.ty.kind != Kind::I64 => 3 * u64::from(inst.ty.lanes),
        Some(_) if inst.ty.lanes >= 4 => 20 * registers,
        None if inst.ty.lanes >= 4 => 40 * registers,
        _ => 16 * u64::from(inst.ty.lanes),
    }
}

/// Returns the cost of an instruction on 128-bit registers.
fn inst_cost_cranelift(func: &Function, inst: &Inst) -> u64 {
    let ty = largest_type(func, inst);
    let (lanes, registers) = (u64::from(ty.lanes), registers(ty));
    match inst.op.class() {
        Class::Constant(_) | Class::Terminator(_) => 1,
        Class::MemoryOp(MemoryOp::Load | MemoryOp::Store) => registers,
        Class::MemoryOp(MemoryOp::MaskedLoad | MemoryOp::MaskedStore) => 4 + 2 * registers,
        // Lane by lane, with addresses extracted from vectors.
        Class::MemoryOp(MemoryOp::Gather | MemoryOp::GatherAt | MemoryOp::Scatter | MemoryOp::ScatterAt) => {
            5 * lanes
        }
        // Atomics on memory of the work-group need no lock prefix, since one thread runs it.
        Class::MemoryOp(
            op @ (MemoryOp::LaneRmw | MemoryOp::LaneCas | MemoryOp::AtomicRmw | MemoryOp::AtomicCas),
        ) => {
            let is_wide = matches!(op, MemoryOp::LaneRmw | MemoryOp::LaneCas);
            let lane_by_lane = if func.is_of_group(inst) { 4 } else { 20 };
            (lane_by_lane + 3 * u64::from(is_wide)) * lanes
        }
        Class::MemoryOp(_) => 4 * lanes,
        Class::LaneOp(_) if ty.lanes > 1 => match inst.op {
            Op::BuildVector if inst.args.iter().all(|&arg| func.as_const(arg).is_some()) => 0,
            Op::BuildVector => lanes + registers,
            Op::ExtractAt | Op::InsertAt | Op::Permute => 3 * lanes,
            // Whole registers are renamed; most other shuffles are one instruction.
            Op::Shuffle if is_in_order(inst) => 0,
            Op::Shuffle => 2 * self::registers(inst.ty),
            _ => registers,
        },
        _ if ty.lanes == 1 || is_native_128(inst, ty) => {
            cost::instruction_cost(func, inst).max(1) as u64 * repetitions(ty)
        }
        _ => 4 * lanes,
    }
}

/// Checks whether each register of a shuffle's result is one of its sources.
fn is_in_order(inst: &Inst) -> bool {
    let room = (128 / inst.ty.kind.bits().max(1)) as usize;
    inst.lanes().chunks(room).all(|picks| {
        usize::from(picks[0]).is_multiple_of(room) && picks.windows(2).all(|pair| pair[1] == pair[0] + 1)
    })
}

/// Returns the number of registers of a value: vectors that do not fill 128 bits are kept as scalars.
fn registers(ty: Type) -> u64 {
    if ty.is_vector() && !ty.bits().is_multiple_of(128) {
        ty.lanes.into()
    } else {
        u64::from(ty.bits().div_ceil(128)).max(1)
    }
}

/// Returns the number of times that an operation is executed for each time that `cost::instruction_cost` counts.
fn repetitions(ty: Type) -> u64 {
    registers(ty) / u64::from(ty.bits().div_ceil(128)).max(1)
}

/// Checks whether an instruction processes all lanes of a 128-bit register (`codegen::clif::arith`).
fn is_native_128(inst: &Inst, ty: Type) -> bool {
    match inst.op.class() {
        Class::IntBinary(op) => match op {
            IntBinary::Udiv | IntBinary::Sdiv | IntBinary::Urem | IntBinary::Srem => false,
            IntBinary::Smulhi | IntBinary::Umulhi => false,
            IntBinary::Shl | IntBinary::Lshr | IntBinary::Ashr | IntBinary::Rotl => true,
            IntBinary::Imul => !matches!(ty.kind, Kind::I8 | Kind::I64),
            IntBinary::Smin | IntBinary::Smax | IntBinary::Umin | IntBinary::Umax => ty.kind != Kind::I64,
            IntBinary::SaddSat | IntBinary::UaddSat | IntBinary::SsubSat | IntBinary::UsubSat => {
                matches!(ty.kind, Kind::I8 | Kind::I16)
            }
            IntBinary::Iadd | IntBinary::Isub | IntBinary::And | IntBinary::Or | IntBinary::Xor => true,
        },
        Class::IntUnary(_) => inst.op == Op::Iabs,
        Class::FloatBinary(_) => inst.op != Op::Fcopysign && ty.kind != Kind::F16,
        Class::Conversion(_) => {
            !matches!(inst.op, Op::Fptosi | Op::Fptoui | Op::Uitofp) && ty.kind != Kind::F16
        }
        _ => ty.kind != Kind::F16,
    }
}
