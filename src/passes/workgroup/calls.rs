//! Functions that are not inlined. A hidden first parameter points to the item record, from which they answer
//! work-item queries.

use super::super::GroupCodeError;
use super::super::scalar::inline::{callees, has_barrier};
use super::storage_plan::LocalLayout;
use grus_ir::abi::{item, offset};
use grus_ir::{
    Attr, Block, Builder, Def, FuncId, Function, InstId, Mem, MemoryScope, Module, Op, Query, Type, Value,
    ValueData,
};
use grus_support::{Id, IdMap};

/// Returns the functions that `kernel` calls, directly or indirectly, in order of first appearance.
pub(super) fn reachable(module: &Module, kernel: &Function) -> Result<Vec<FuncId>, GroupCodeError> {
    let mut found = Vec::new();
    let mut seen = IdMap::with_len(false, module.funcs.len());
    let mut work = callees(kernel);
    work.reverse();
    while let Some(id) = work.pop() {
        let func = module.funcs.get(id).ok_or(GroupCodeError::UnknownFunction)?;
        if seen[id] {
            continue;
        }
        seen[id] = true;
        if !func.is_defined() {
            return Err(GroupCodeError::NoBody(func.name.clone()));
        }
        if has_barrier(func) {
            return Err(GroupCodeError::Recursion(func.name.clone()));
        }
        found.push(id);
        work.extend(callees(func).into_iter().rev());
    }
    Ok(found)
}

/// Checks whether a function observes its group: by queries, local memory, or the scope of an atomic
/// operation.
pub(super) fn observes_group(func: &Function) -> bool {
    func.instructions().any(|inst| matches!(inst.op, Op::WorkItem | Op::LocalAddr)) || has_group_scope(func)
}

/// Checks whether an atomic operation or fence has the scope of the work-group; it then relies on the group
/// running on one thread.
pub(super) fn has_group_scope(func: &Function) -> bool {
    func.instructions().any(|inst| match &inst.attr {
        Attr::Rmw(_, consistency) | Attr::Consistency(consistency) => {
            consistency.scope == MemoryScope::WorkGroup
        }
        _ => false,
    })
}

/// Returns the position of each callee in the group code, where the group function has position 0.
pub(super) fn positions(callees: &[FuncId], len: usize) -> IdMap<FuncId, u32> {
    let mut map = IdMap::with_len(0, len);
    for (i, &id) in callees.iter().enumerate() {
        map[id] = i as u32 + 1;
    }
    map
}

/// Returns a callee with its hidden parameter.
pub(super) fn convert(
    source: &Function,
    position: &IdMap<FuncId, u32>,
    locals: &mut LocalLayout<'_>,
) -> Function {
    let mut func = source.clone();
    let entry = func.entry();
    let hidden = func.values.push(ValueData { ty: Type::PRIVATE, def: Def::Param(entry, 0) });
    func.blocks[entry].params.insert(0, hidden);
    for (i, param) in func.blocks[entry].params.clone().into_iter().enumerate() {
        func.values[param].def = Def::Param(entry, i as u32);
    }
    for block in func.layout.clone() {
        for id in std::mem::take(&mut func.blocks[block].insts) {
            rewrite(&mut func, block, id, hidden, position, locals);
        }
    }
    func
}

fn rewrite(
    func: &mut Function,
    block: Block,
    id: InstId,
    hidden: Value,
    position: &IdMap<FuncId, u32>,
    locals: &mut LocalLayout<'_>,
) {
    match func.insts[id].attr.clone() {
        Attr::Func(callee) => {
            let inst = &mut func.insts[id];
            inst.attr = Attr::Func(FuncId::new(position[callee] as usize));
            inst.args.insert(0, hidden);
        }
        Attr::Query(query, dim) => {
            let mut b = Builder::new(func, block);
            let value = query_value(&mut b, hidden, query, dim);
            replace_by(func, id, value);
        }
        Attr::Global(global) if func.insts[id].op == Op::LocalAddr => {
            let offset = locals.offset(global);
            let mut b = Builder::new(func, block);
            let group = load(&mut b, Type::PRIVATE, hidden, item::GROUP);
            let local = load(&mut b, Type::LOCAL, group, offset::LOCAL);
            let address = b.ptr_offset(local, offset);
            replace_by(func, id, address);
        }
        _ => {}
    }
    func.blocks[block].insts.push(id);
}

/// Replaces an instruction by a copy of `value`.
fn replace_by(func: &mut Function, id: InstId, value: Value) {
    let inst = &mut func.insts[id];
    (inst.op, inst.attr) = (Op::Bitcast, Attr::None);
    inst.args = [value].as_slice().into();
}

pub(super) fn load(b: &mut Builder<'_>, ty: Type, base: Value, at: u64) -> Value {
    let ptr = b.ptr_offset(base, at);
    b.load(ty, ptr, Mem::natural(ty))
}

fn query_value(b: &mut Builder<'_>, hidden: Value, query: Query, dim: u8) -> Value {
    let word = u64::from(dim) * 8;
    if query == Query::LocalId {
        return load(b, Type::I64, hidden, item::LOCAL_ID + word);
    }
    let group = load(b, Type::PRIVATE, hidden, item::GROUP);
    if query == Query::LinearId {
        let [x, y, z] = [0, 1, 2].map(|dim| load(b, Type::I64, hidden, item::LOCAL_ID + 8 * dim));
        let [width, height] = [0, 1].map(|dim| uniform(b, group, Query::LocalSize, dim));
        let planes = b.same(Op::Imul, &[z, height]);
        let rows = b.same(Op::Iadd, &[planes, y]);
        let before = b.same(Op::Imul, &[rows, width]);
        return b.same(Op::Iadd, &[before, x]);
    }
    if query == Query::GlobalId {
        let base = load(b, Type::I64, group, offset::BASE + word);
        let local = load(b, Type::I64, hidden, item::LOCAL_ID + word);
        return b.same(Op::Iadd, &[base, local]);
    }
    uniform(b, group, query, dim)
}

/// Loads the result of a uniform query from the group's context.
pub(super) fn uniform(b: &mut Builder<'_>, group: Value, query: Query, dim: u8) -> Value {
    let field = match query {
        Query::WorkDim => return load(b, Type::I32, group, offset::WORK_DIM),
        Query::GroupId => offset::GROUP_ID,
        Query::GlobalSize => offset::GLOBAL_SIZE,
        Query::LocalSize | Query::Items => offset::LOCAL_SIZE,
        Query::FirstId => offset::BASE,
        Query::EnqueuedLocalSize => offset::ENQUEUED_LOCAL_SIZE,
        Query::NumGroups => offset::NUM_GROUPS,
        Query::GlobalOffset => offset::GLOBAL_OFFSET,
        Query::Context => return b.convert(Op::Bitcast, Type::I64, group),
        Query::GlobalId | Query::LocalId | Query::LinearId => unreachable!("differs between work-items"),
    };
    load(b, Type::I64, group, field + u64::from(dim) * 8)
}
