//! Privatization of memory that a kernel only updates: counters of a histogram, for example.
//!
//! Increments of shared counters move cache lines from processor to processor, and each waits for the one before. If a
//! kernel does nothing to the memory of an argument but update it by one atomic operation, whose results it does not
//! use, then each thread can update a copy of its own without atomic operations. The executor creates the copies and
//! combines them with the memory when a thread has run its share of the launch. Nobody can tell: the order of relaxed
//! operations of different work-groups is not defined, and they are all done when the launch ends.

use grus_ir::group_code::PrivateUpdate;
use grus_ir::{Attr, Function, Inst, Kind, MemoryOrder, MemoryScope, Op, Reduction, Value};
use grus_support::{FastMap, FastSet};

/// A parameter whose memory is only updated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpdatedParam {
    /// Position among the parameters, below 64.
    pub position: usize,
    pub kind: Kind,
    pub how: Reduction,
}

impl UpdatedParam {
    /// Returns what the executor has to know; `place` is the offset of the pointer in the argument block.
    pub fn at(self, place: u32) -> PrivateUpdate {
        PrivateUpdate { place, kind: self.kind, how: self.how }
    }
}

/// Finds the parameters whose memory a kernel only updates. There are none if it calls functions, or orders its accesses
/// for other work-groups.
pub fn find(func: &Function) -> Vec<UpdatedParam> {
    let orders = |inst: &Inst| match inst.op {
        Op::Fence | Op::Call | Op::CallHelper => true,
        Op::AtomicRmw | Op::AtomicCas | Op::AtomicLoad | Op::AtomicStore => {
            !func.is_of_group(inst) && inst.consistency().order != MemoryOrder::Relaxed
        }
        _ => false,
    };
    let has_updates = func.instructions().any(|inst| inst.op == Op::AtomicRmw && !func.is_of_group(inst));
    if !has_updates || func.instructions().any(orders) {
        return Vec::new();
    }
    let used: FastSet<Value> = func.instructions().flat_map(Inst::uses).collect();
    let mut updates: FastMap<Value, Option<(Kind, Reduction)>> = FastMap::default();
    for inst in func.instructions() {
        for (at, value) in inst.uses().enumerate() {
            let kind = func.ty(value).kind;
            let is_address =
                inst.op == Op::PtrAdd && at == 0 || inst.op == Op::Bitcast && inst.ty.kind.is_ptr();
            if !kind.is_ptr() || matches!(kind, Kind::PtrPrivate | Kind::PtrLocal) || is_address {
                continue;
            }
            // A pointer of unknown origin may be to any memory.
            let Some(root) = func.root(value) else { return Vec::new() };
            let update = (at == 0).then(|| update(inst, &used)).flatten();
            let known = updates.entry(root).or_insert(update);
            *known = known.filter(|_| *known == update);
        }
    }
    let params = func.params().iter().enumerate().take(64);
    let found = params.filter_map(|(position, param)| {
        let (kind, how) = updates.get(param).copied().flatten()?;
        (func.ty(*param).kind == Kind::PtrGlobal).then_some(UpdatedParam { position, kind, how })
    });
    found.collect()
}

/// Returns the kind of integers and the operation of an update whose result is not used; subtractions count as additions.
fn update(inst: &Inst, used: &FastSet<Value>) -> Option<(Kind, Reduction)> {
    let is_unused = inst.result.is_none_or(|result| !used.contains(&result));
    if inst.op != Op::AtomicRmw || inst.args.len() != 2 || !is_unused || inst.ty.is_vector() {
        return None;
    }
    let kind = inst.ty.kind;
    let how = inst.rmw().reduction()?;
    matches!(kind, Kind::I32 | Kind::I64).then_some((kind, how))
}

/// Lets updates of these parameters be observed by no other work-item.
pub fn make_private(func: &mut Function, params: &[UpdatedParam]) {
    let roots: FastSet<Value> = params.iter().map(|param| func.params()[param.position]).collect();
    let is_private = |inst: &Inst| {
        inst.op == Op::AtomicRmw && func.root(inst.args[0]).is_some_and(|root| roots.contains(&root))
    };
    let layout = func.layout.iter();
    let ids: Vec<_> = layout
        .flat_map(|&block| func.blocks[block].insts.iter().copied())
        .filter(|&id| is_private(&func.insts[id]))
        .collect();
    for id in ids {
        if let Attr::Rmw(_, consistency) = &mut func.insts[id].attr {
            consistency.scope = MemoryScope::WorkItem;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grus_ir::parse_module;

    /// Returns what is found in a kernel of two pointers and an index.
    fn found(body: &str) -> Vec<(usize, Kind, Reduction)> {
        let text = format!(
            "func f0 \"k\" void kernel {{\nb0(v0: ptr.global, v1: ptr.global, v2: i64, v3: i32):\n{body}    ret\n}}\n"
        );
        let module = parse_module(&text).expect("a module");
        let (_, func) = module.funcs.iter().next().expect("a function");
        find(func).into_iter().map(|param| (param.position, param.kind, param.how)).collect()
    }

    const INCREMENT: &str =
        "    v4 = ptradd.ptr.global v0, v2\n    v5 = atomic_rmw.i32 add relaxed device v4, v3\n";

    #[test]
    fn memory_that_is_only_updated_is_found() {
        let counter = (0, Kind::I32, Reduction::Add);
        assert_eq!(found(INCREMENT), [counter]);
        let with_sub = format!("{INCREMENT}    v6 = atomic_rmw.i32 sub relaxed device v0, v3\n");
        assert_eq!(found(&with_sub), [counter]);
        let reads_other = format!("{INCREMENT}    v6 = load.i32 align 4 v1\n");
        assert_eq!(found(&reads_other), [counter]);
        let both = format!("{INCREMENT}    v6 = atomic_rmw.i64 umax relaxed device v1, v2\n");
        assert_eq!(found(&both), [counter, (1, Kind::I64, Reduction::Umax)]);
    }

    #[test]
    fn memory_that_is_observed_is_not() {
        for more in [
            "v6 = load.i32 align 4 v0",
            "v6 = iadd.i32 v5, v3",
            "v6 = atomic_rmw.i32 or relaxed device v0, v3",
            "v6 = atomic_rmw.i64 add relaxed device v0, v2",
            "v6 = atomic_rmw.i32 xchg relaxed device v0, v3",
            "v6 = atomic_rmw.i32 add acq_rel device v1, v3",
            "fence acq_rel device",
            "v6 = bitcast.i64 v0",
            "store align 8 v1, v0",
            "v6 = load.ptr.global align 8 v1\n    v7 = load.i32 align 4 v6",
        ] {
            assert_eq!(found(&format!("{INCREMENT}    {more}\n")), [], "{more}");
        }
    }
}
