//! What a launch says of work-groups: sizes that are known are constants, so that loops over them can be unrolled, indices be
//! computed ahead; ids that are put together from those of the group and inside of it are global ids, of which no group need
//! be asked; who is alone in a group waits for nobody.

use super::super::pass_manager::PassContext;
use crate::ir::{Args, Attr, Function, Inst, Op, Query, Type, Value};

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let mut changed = false;
    // As long as ids fit, no width that they are computed in makes a difference.
    if context.range.is_plain && context.range.ids_fit_31 {
        changed |= join_ids(func);
    }
    for inst in func.insts.values_mut().filter(|inst| inst.op == Op::WorkItem) {
        let (query, dim) = inst.query();
        if let Some(known) = context.range.query(query, dim) {
            (inst.op, inst.attr) = (Op::Iconst, Attr::Int(known));
            changed = true;
        }
    }
    if context.range.local_size == Some([1; 3]) {
        changed |= drop_barriers(func);
    }
    changed
}

/// Takes barriers out of a kernel whose groups have one item: its accesses are in order as they are.
fn drop_barriers(func: &mut Function) -> bool {
    let mut changed = false;
    for &block in &func.layout {
        let insts = &mut func.blocks[block].insts;
        let before = insts.len();
        insts.retain(|&id| func.insts[id].op != Op::Barrier);
        changed |= insts.len() < before;
    }
    changed
}

/// Makes global ids of `get_group_id(d) * get_local_size(d) + get_local_id(d)`, in any width of at least 32 bits.
fn join_ids(func: &mut Function) -> bool {
    let mut changed = false;
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut kept = Vec::with_capacity(insts.len());
        for id in insts {
            if let Some(dim) = joined_id(func, &func.insts[id]) {
                let query = Attr::Query(Query::GlobalId, dim);
                let loc = func.insts[id].loc;
                let whole = func.make_inst(Op::WorkItem, Type::I64, Args::new(), query, Vec::new(), loc);
                kept.push(whole);
                let value = func.insts[whole].result.expect("an id");
                let inst = &mut func.insts[id];
                inst.op = if inst.ty == Type::I64 { Op::Bitcast } else { Op::Trunc };
                (inst.args, inst.attr) = (Args::from_elem(value, 1), Attr::None);
                changed = true;
            }
            kept.push(id);
        }
        func.blocks[block].insts = kept;
    }
    changed
}

/// The dimension of the global id that an instruction computes.
fn joined_id(func: &Function, inst: &Inst) -> Option<u8> {
    if inst.op != Op::Iadd || inst.ty.is_vector() || inst.ty.bits() < 32 {
        return None;
    }
    let own =
        |value: Value| query(func, value).filter(|(query, _)| *query == Query::LocalId).map(|(_, dim)| dim);
    let first = |value: Value| {
        let product = func.def_inst(stripped(func, value)).filter(|inst| inst.op == Op::Imul)?;
        if product.ty.bits() < 32 {
            return None;
        }
        match (query(func, product.args[0])?, query(func, product.args[1])?) {
            ((Query::LocalSize | Query::EnqueuedLocalSize, a), (Query::GroupId, b))
            | ((Query::GroupId, a), (Query::LocalSize | Query::EnqueuedLocalSize, b))
                if a == b =>
            {
                Some(a)
            }
            _ => None,
        }
    };
    let [a, b] = [inst.args[0], inst.args[1]];
    [(a, b), (b, a)].into_iter().find_map(|(a, b)| own(a).filter(|&dim| first(b) == Some(dim)))
}

/// What an operand asks, in whatever width.
fn query(func: &Function, value: Value) -> Option<(Query, u8)> {
    let inst = func.def_inst(stripped(func, value)).filter(|inst| inst.op == Op::WorkItem)?;
    Some(inst.query())
}

/// A number of fewer than 32 bits, as it was before its width was changed.
fn stripped(func: &Function, mut value: Value) -> Value {
    while let Some(inst) = func.def_inst(value)
        && matches!(inst.op, Op::Trunc | Op::Sext | Op::Zext)
        && func.ty(value).bits() >= 32
    {
        value = inst.args[0];
    }
    value
}
