//! Atomic operations on floating-point numbers, which no target has, become loops of compare-and-exchange:
//!
//! ```text
//!     v2 = atomic_rmw.f32 fadd v0, v1           v3 = atomic_load.i32 relaxed device v0
//!                                               jump -> b1(v3)
//!                                           b1(v4: i32):
//!                                               v2 = bitcast.f32 v4
//!                                               v5 = fadd.f32 v2, v1
//!                                               v6 = bitcast.i32 v5
//!                                               v7 = atomic_cas.i32 v0, v4, v6
//!                                               v8 = icmp.i1 eq v7, v4
//!                                               brif v8 -> b2, b1(v7)
//! ```

use grus_ir::{
    Attr, Block, Builder, Consistency, Function, Inst, InstId, IntCond, Kind, MemoryOrder, Op, Rmw, Target,
    Type, Value,
};

/// Checks whether an instruction is an atomic operation on floating-point numbers.
pub fn is_candidate(inst: &Inst) -> bool {
    inst.op == Op::AtomicRmw && inst.rmw().is_float()
}

/// Replaces all atomic operations on floating-point numbers.
pub fn expand(func: &mut Function) {
    let mut layout = Vec::with_capacity(func.layout.len());
    for block in std::mem::take(&mut func.layout) {
        layout.push(block);
        let mut end = block;
        for id in std::mem::take(&mut func.blocks[block].insts) {
            if is_candidate(&func.insts[id]) {
                let (retry, after) = expand_one(func, end, id);
                layout.extend([retry, after]);
                end = after;
            } else {
                func.blocks[end].insts.push(id);
            }
        }
    }
    func.layout = layout;
}

/// Writes the loop at the end of a block; returns its block and the one after it.
fn expand_one(func: &mut Function, block: Block, id: InstId) -> (Block, Block) {
    let Inst { ref args, ref attr, ty, loc, .. } = func.insts[id];
    let (Attr::Rmw(rmw, consistency), address, operand) = (attr.clone(), args[0], args[1]) else {
        unreachable!("an atomic operation has one")
    };
    let bits = Type::scalar(Kind::int_of_bits(ty.kind.bits()));
    let [retry, after] = std::array::from_fn(|_| func.add_detached_block());
    let old = func.add_param(retry, bits);
    let mut b = Builder { func, block, loc };
    let relaxed = Consistency { order: MemoryOrder::Relaxed, scope: consistency.scope };
    let first = b.value(Op::AtomicLoad, bits, &[address], Attr::Consistency(relaxed));
    let is_number = (rmw != Rmw::Fadd).then(|| b.is_number(operand));
    b.jump(retry, &[first]);

    b.switch_to(retry);
    // The instruction itself defines the result.
    let inst = &mut b.func.insts[id];
    (inst.op, inst.attr) = (Op::Bitcast, Attr::None);
    inst.args = [old].as_slice().into();
    b.func.blocks[retry].insts.push(id);
    let found = b.func.insts[id].result.expect("an atomic operation has a result");
    let new = match is_number {
        Some(is_number) => b.extremum(rmw, found, operand, is_number),
        None => b.same(Op::Fadd, &[found, operand]),
    };
    let new: Value = b.convert(Op::Bitcast, bits, new);
    let seen = b.value(Op::AtomicCas, bits, &[address, old, new], Attr::Consistency(consistency));
    let is_done = b.icmp(IntCond::Eq, seen, old);
    b.br_to(is_done, Target::new(after, &[]), Target::new(retry, &[seen]));
    (retry, after)
}
