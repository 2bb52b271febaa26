//! Gathers of bytes and words: machines gather 32 bits or more. Each lane gets the aligned 32 bits around its own, of which it
//! takes its part. They lie in one page, so that nothing is touched that a lane could not touch.

use super::replace::rewrite;
use crate::ir::{Attr, Block, Builder, Function, Inst, Kind, Mem, Op, Type, Value};
use crate::passes::pipeline::Context;

/// Bytes of what is gathered instead.
const WORD: u32 = 4;

/// Runs the pass.
pub fn run(func: &mut Function, _: &mut Context<'_>) -> bool {
    let is_narrow = |inst: &Inst| {
        let is_gather = matches!(inst.op, Op::Gather | Op::GatherAt);
        is_gather && matches!(inst.ty.kind, Kind::I8 | Kind::I16) && is_aligned(inst)
    };
    rewrite(func, is_narrow, |func, block, inst| Some(words(func, block, inst)))
}

/// Whether no element lies in two words.
fn is_aligned(inst: &Inst) -> bool {
    let mem = if inst.op == Op::Gather { inst.mem() } else { inst.scaled_mem().0 };
    mem.align >= inst.ty.kind.bytes()
}

/// Writes what takes the place of a gather at the end of a block.
fn words(func: &mut Function, block: Block, inst: &Inst) -> Value {
    let mut b = Builder::new(func, block);
    b.loc = inst.loc;
    let wide = Type { kind: Kind::I32, ..inst.ty };
    let (mask, other) = (inst.args[inst.args.len() - 2], inst.args[inst.args.len() - 1]);
    let nothing = b.zero(wide);
    let mem = Mem { align: WORD, ..if inst.op == Op::Gather { inst.mem() } else { inst.scaled_mem().0 } };
    let (gathered, bytes) = match small_offsets(&mut b, inst) {
        Some(Offsets { base, index, bytes }) => {
            let attr = Attr::ScaledMem(mem, WORD);
            (b.value(Op::GatherAt, wide, &[base, index, mask, nothing], attr), bytes)
        }
        None => {
            let numbers = addresses(&mut b, inst);
            let ty = b.func.ty(numbers);
            let low = b.iconst(ty, u64::from(WORD) - 1);
            let bytes = b.same(Op::And, &[numbers, low]);
            let start = b.same(Op::Isub, &[numbers, bytes]);
            let kind = b.func.ty(inst.args[0]).kind;
            let pointers = b.convert(Op::Bitcast, Type { kind, ..ty }, start);
            let bytes = b.convert(Op::Trunc, wide, bytes);
            (b.value(Op::Gather, wide, &[pointers, mask, nothing], Attr::Mem(mem)), bytes)
        }
    };
    let bits = b.shift(Op::Shl, bytes, 3);
    let part = b.same(Op::Lshr, &[gathered, bits]);
    let part = b.convert(Op::Trunc, inst.ty, part);
    b.select(mask, part, other)
}

/// Words from an aligned base, and which byte of them.
struct Offsets {
    base: Value,
    index: Value,
    bytes: Value,
}

/// Those of indices of 32 bits whose unit is the element: none wraps.
fn small_offsets(b: &mut Builder<'_>, inst: &Inst) -> Option<Offsets> {
    let size = inst.ty.kind.bytes();
    if inst.op != Op::GatherAt || b.func.ty(inst.args[1]).kind != Kind::I32 || inst.scaled_mem().1 != size {
        return None;
    }
    let [base, index] = [inst.args[0], inst.args[1]];
    let ty = b.func.ty(index);
    let number = b.convert(Op::Bitcast, Type::I64, base);
    let low = b.iconst(Type::I64, u64::from(WORD) - 1);
    let rest = b.same(Op::And, &[number, low]);
    let zero = b.iconst(Type::I64, 0);
    let back = b.same(Op::Isub, &[zero, rest]);
    let base = b.ptr_add(base, back);
    // Elements behind the word's start, those of the base too: less than two words.
    let (unit, each) = (size.trailing_zeros(), WORD / size);
    let rest = b.shift(Op::Lshr, rest, unit);
    let rest = b.convert(Op::Trunc, Type::I32, rest);
    let rest = b.splat(ty, rest);
    let low = b.iconst(ty, u64::from(each) - 1);
    let inside = b.same(Op::And, &[index, low]);
    let inside = b.same(Op::Iadd, &[inside, rest]);
    let (words, more) =
        (b.shift(Op::Ashr, index, each.trailing_zeros()), b.shift(Op::Lshr, inside, each.trailing_zeros()));
    let index = b.same(Op::Iadd, &[words, more]);
    let inside = b.same(Op::And, &[inside, low]);
    Some(Offsets { base, index, bytes: b.shift(Op::Shl, inside, unit) })
}

/// The addresses of lanes, as numbers.
fn addresses(b: &mut Builder<'_>, inst: &Inst) -> Value {
    if inst.op == Op::Gather {
        let ty = Type { kind: Kind::I64, ..b.func.ty(inst.args[0]) };
        return b.convert(Op::Bitcast, ty, inst.args[0]);
    }
    let ty = Type { kind: Kind::I64, ..b.func.ty(inst.args[1]) };
    let index = b.convert(Op::Sext, ty, inst.args[1]);
    let scale = b.iconst(ty, inst.scaled_mem().1.into());
    let offsets = b.same(Op::Imul, &[index, scale]);
    let base = b.convert(Op::Bitcast, Type::I64, inst.args[0]);
    let base = b.splat(ty, base);
    b.same(Op::Iadd, &[base, offsets])
}
