//! Specialization for the work-groups of a launch. Known sizes become constants, so that loops over them can be
//! unrolled and indices be folded. Global ids that are computed from group ids and local ids become queries of
//! global ids, which do not depend on the group. Barriers are removed if a group has only one work-item.

use super::super::pass_manager::PassContext;
use grus_ir::{Args, Attr, Function, Inst, Op, Query, Type, Value};

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let mut changed = false;
    // Ids below 2^31 are equal in all integer types of at least 32 bits.
    if context.facts.range.has_zero_offset_and_uniform_groups && context.facts.range.ids_fit_31 {
        changed |= recognize_global_ids(func);
    }
    for inst in func.insts.values_mut().filter(|inst| inst.op == Op::WorkItem) {
        let (query, dim) = inst.query();
        if let Some(known) = context.facts.range.query(query, dim) {
            (inst.op, inst.attr) = (Op::Iconst, Attr::Int(known));
            changed = true;
        }
    }
    if context.facts.range.local_size == Some([1; 3]) {
        changed |= remove_barriers(func);
    }
    changed
}

/// Removes the barriers of a kernel whose groups have one work-item: its accesses are ordered without them.
fn remove_barriers(func: &mut Function) -> bool {
    let mut changed = false;
    for &block in &func.layout {
        let insts = &mut func.blocks[block].insts;
        let before = insts.len();
        insts.retain(|&id| func.insts[id].op != Op::Barrier);
        changed |= insts.len() < before;
    }
    changed
}

/// Replaces `get_group_id(d) * get_local_size(d) + get_local_id(d)`, in any type of at least 32 bits, by the global
/// id.
fn recognize_global_ids(func: &mut Function) -> bool {
    let mut changed = false;
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut kept = Vec::with_capacity(insts.len());
        for id in insts {
            if let Some(dim) = global_id_dim(func, &func.insts[id]) {
                let query = Attr::Query(Query::GlobalId, dim);
                let loc = func.insts[id].loc;
                let global_id = func.make_inst(Op::WorkItem, Type::I64, Args::new(), query, Vec::new(), loc);
                kept.push(global_id);
                let value = func.insts[global_id].result.expect("an id");
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

/// Returns the dimension if an instruction computes a global id.
fn global_id_dim(func: &Function, inst: &Inst) -> Option<u8> {
    if inst.op != Op::Iadd || inst.ty.is_vector() || inst.ty.bits() < 32 {
        return None;
    }
    let local_dim =
        |value: Value| query(func, value).filter(|(query, _)| *query == Query::LocalId).map(|(_, dim)| dim);
    let group_dim = |value: Value| {
        let product = func.def_inst(without_conversions(func, value)).filter(|inst| inst.op == Op::Imul)?;
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
    [(a, b), (b, a)].into_iter().find_map(|(a, b)| local_dim(a).filter(|&dim| group_dim(b) == Some(dim)))
}

/// Returns the query and dimension that an operand reads, looking through conversions.
fn query(func: &Function, value: Value) -> Option<(Query, u8)> {
    let inst = func.def_inst(without_conversions(func, value)).filter(|inst| inst.op == Op::WorkItem)?;
    Some(inst.query())
}

/// Looks through integer conversions whose result has at least 32 bits.
fn without_conversions(func: &Function, mut value: Value) -> Value {
    while let Some(inst) = func.def_inst(value)
        && matches!(inst.op, Op::Trunc | Op::Sext | Op::Zext)
        && func.ty(value).bits() >= 32
    {
        value = inst.args[0];
    }
    value
}
