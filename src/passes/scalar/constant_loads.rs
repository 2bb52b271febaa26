//! Replaces loads from constant variables at constant offsets, such as `table[3]` or, after unrolling, `weight[i]`, by the
//! values that these hold.

use super::super::constant_memory::{bits_of, bytes_at};
use super::super::pass_manager::PassContext;
use super::replace::rewrite;
use grus_ir::{Attr, Block, Builder, Function, Inst, Kind, Module, Op, Type, Value};

/// Runs the pass. Without a module the contents of variables are unknown.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let Some(module) = context.module else { return false };
    let is_load = |inst: &Inst| inst.op == Op::Load && !inst.mem().volatile && is_number(inst.ty);
    rewrite(func, is_load, |func, block, inst| constant(func, block, inst, module))
}

/// Checks whether values of a type are numbers, whose bytes in memory are their bits.
fn is_number(ty: Type) -> bool {
    let is_int = matches!(ty.kind, Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64);
    is_int || matches!(ty.kind, Kind::F16 | Kind::F32 | Kind::F64)
}

/// Writes the value that a load returns, if it is known, at the end of a block.
fn constant(func: &mut Function, block: Block, load: &Inst, module: &Module) -> Option<Value> {
    let bytes = bytes_at(func, module, load.args[0], load.ty.bytes().into())?;
    let mut b = Builder::new(func, block);
    b.loc = load.loc;
    let lanes = bytes.chunks_exact(load.ty.kind.bytes() as usize);
    let lanes: Vec<Value> = lanes.map(|lane| b.constant(load.ty.lane(), bits_of(lane))).collect();
    Some(if load.ty.is_vector() { b.value(Op::BuildVector, load.ty, &lanes, Attr::None) } else { lanes[0] })
}
