//! Guard versioning: duplicates the code behind a branch on which neighboring lanes mostly agree (branch on
//! superword condition code, BOSCC).
//!
//! A guard like `if (id < n)` diverges in at most one vector of a long row. The code behind it is emitted
//! twice: once without masks, for vectors in which all lanes enter it, and once as it was.

use super::super::block_order::BlockOrder;
use super::super::calls::vectorized_functions::Callees;
use super::super::divergence::{VectorShape, VectorShapes};
use super::super::scalarize::AccessGroups;
use grus_ir::analysis::{Cfg, DomTree};
use grus_ir::{Attr, Block, Effect, Function, InstId, IntCond, Kind, Op, Target, Type, Value};
use grus_support::{FastMap, FastSet};

/// Branches on tests of all lanes, and the slow versions behind them.
#[derive(Debug, Default)]
pub(in crate::vectorize) struct VersionedCode {
    /// Blocks with a uniform branch on a reduced condition: to the first target if the condition holds in all
    /// lanes, or in any lane.
    pub uniform_tests: FastMap<Block, Op>,
    /// Blocks that are rarely executed.
    pub cold: FastSet<Block>,
    /// Number of instructions that have been duplicated.
    size: usize,
}

/// Limit of the instructions behind one guard, and of all that are duplicated.
// Arbitrary.
pub(in crate::vectorize) const MAX_COPIED_SIZE: usize = 400;

/// Threshold of memory accesses behind a guard from which on versioning is profitable; a loop is a reason, too.
// Arbitrary.
const MIN_ACCESSES: usize = 3;

impl VersionedCode {
    /// Checks whether `size` more instructions may be duplicated.
    pub(in crate::vectorize) fn is_within_budget(&self, size: usize) -> bool {
        self.size + size <= MAX_COPIED_SIZE
    }

    /// Records a test at the end of a block, its slow version, and the number of duplicated instructions.
    pub(in crate::vectorize) fn add(&mut self, block: Block, test: Op, slow: Block, size: usize) {
        self.uniform_tests.insert(block, test);
        self.cold.insert(slow);
        self.size += size;
    }
}

/// Checks whether an instruction may be duplicated.
pub(in crate::vectorize) fn may_copy(op: Op) -> bool {
    !matches!(op, Op::Alloca | Op::Call)
}

/// A guard, the index of its versioned target, and the code behind it.
pub(in crate::vectorize) struct Guard {
    block: Block,
    at: usize,
    region: GuardedRegion,
}

/// Versions guards. The copies may contain further guards.
pub(in crate::vectorize) fn run(
    func: &mut Function,
    guards: &[Guard],
    groups: &mut AccessGroups,
    versioned: &mut VersionedCode,
) {
    for Guard { block, at, region } in guards {
        if versioned.cold.contains(block) || !versioned.is_within_budget(region.size) {
            continue;
        }
        let start = copy(func, &region.blocks, &FastMap::default(), groups, versioned);
        let slow = insert_test(func, *block, *at, start);
        versioned.add(*block, if *at == 0 { Op::All } else { Op::Any }, slow, region.size);
        versioned.cold.extend(&region.blocks);
    }
}

/// Returns the divergent branches on affine comparisons that all lanes reach and that are profitable to
/// version. The limit has room for the first of them.
pub(in crate::vectorize) fn guards(
    func: &Function,
    order: &BlockOrder,
    shapes: &VectorShapes<'_>,
    cfg: &Cfg,
    dom: &DomTree,
    versioned: &VersionedCode,
    callees: (&Callees, u16),
) -> Vec<Guard> {
    let is_guard = |&block: &Block| {
        let last = func.terminator(block);
        last.op == Op::BrIf
            && !versioned.cold.contains(&block)
            && !versioned.uniform_tests.contains_key(&block)
            && shapes.is_divergent_branch(block)
            && !shapes.is_masked(block)
            && last.targets[0].block != last.targets[1].block
            && is_affine_condition(func, shapes, block, last.args[0], 8)
    };
    let guard = |block: Block| {
        let mut regions = [0, 1].map(|at| region(func, order, cfg, dom, callees, block, at));
        let [first, second] =
            regions.each_ref().map(|region| region.as_ref().map_or(0, |region| region.size));
        let is_true = is_mostly_true(func, shapes, block, func.terminator(block).args[0], 8);
        let at = match is_true.map(|is_true| usize::from(!is_true)) {
            Some(at) if regions[at].as_ref().is_some_and(|region| region.is_profitable) => at,
            _ => usize::from(second > first),
        };
        let region = regions[at].take()?;
        (region.is_profitable && versioned.is_within_budget(region.size)).then_some(Guard {
            block,
            at,
            region,
        })
    };
    order.blocks.iter().copied().filter(is_guard).filter_map(guard).collect()
}

/// Checks whether a condition compares only affine values.
fn is_affine_condition(
    func: &Function,
    shapes: &VectorShapes<'_>,
    block: Block,
    value: Value,
    depth: u32,
) -> bool {
    if shapes.at(value, block).is_uniform() {
        return true;
    }
    let Some(inst) = func.def_inst(value).filter(|_| depth > 0) else { return false };
    let is_affine = |&arg: &Value| matches!(shapes.at(arg, block), VectorShape::Affine(_));
    match inst.op {
        Op::Icmp if func.ty(inst.args[0]).kind != Kind::I1 => inst.args.iter().all(is_affine),
        Op::Icmp | Op::And | Op::Or | Op::Xor | Op::Select if inst.ty.kind == Kind::I1 => {
            inst.args.iter().all(|&arg| is_affine_condition(func, shapes, block, arg, depth - 1))
        }
        _ => false,
    }
}

/// Predicts a condition on ids: most are below upper bounds, such as the sizes of arrays, and above constants; few equal a
/// number (the opcode heuristic of Ball and Larus). None if nothing is known.
fn is_mostly_true(
    func: &Function,
    shapes: &VectorShapes<'_>,
    block: Block,
    value: Value,
    depth: u32,
) -> Option<bool> {
    let inst = func.def_inst(value).filter(|_| depth > 0 && !shapes.at(value, block).is_uniform())?;
    let of = |at: usize| is_mostly_true(func, shapes, block, inst.args[at], depth - 1);
    match inst.op {
        Op::Icmp if func.ty(inst.args[0]).kind != Kind::I1 => {
            let steps = [0, 1].map(|at| shapes.at(inst.args[at], block).step());
            let (at, step) = match steps {
                [Some(step), Some(0)] => (0, step),
                [Some(0), Some(step)] => (1, step),
                _ => return None,
            };
            let is_first_below = match inst.int_cond() {
                IntCond::Eq => return Some(false),
                IntCond::Ne => return Some(true),
                IntCond::Slt | IntCond::Sle | IntCond::Ult | IntCond::Ule => true,
                IntCond::Sgt | IntCond::Sge | IntCond::Ugt | IntCond::Uge => false,
            };
            let is_id_below = is_first_below == (at == 0);
            match func.as_const(inst.args[1 - at]) {
                // A constant is as often the size of a part of a work-group.
                Some(_) => (!is_id_below && step > 0).then_some(true),
                None => Some(is_id_below == (step > 0)),
            }
        }
        Op::And => match (of(0), of(1)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (first, second) => first.or(second),
        },
        Op::Or => match (of(0), of(1)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (first, second) => first.or(second),
        },
        _ => None,
    }
}

/// Blocks that are dominated by one target of a branch.
struct GuardedRegion {
    /// Blocks in block order.
    blocks: Vec<Block>,
    size: usize,
    is_profitable: bool,
}

fn region(
    func: &Function,
    order: &BlockOrder,
    cfg: &Cfg,
    dom: &DomTree,
    callees: (&Callees, u16),
    block: Block,
    at: usize,
) -> Option<GuardedRegion> {
    let start = func.terminator(block).targets[at].block;
    if cfg.preds(start) != [block] {
        return None;
    }
    let mut region = GuardedRegion { blocks: Vec::new(), size: 0, is_profitable: false };
    let mut work = vec![start];
    let mut accesses = 0;
    while let Some(block) = work.pop() {
        region.blocks.push(block);
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            match inst.op {
                Op::Alloca => return None,
                // A call that is repeated lane by lane is too large to be duplicated.
                Op::Call if !callees.0.may_duplicate_calls(inst.callee(), callees.1) => return None,
                Op::Call => region.is_profitable |= callees.0.may_be_widened(inst.callee()),
                op => accesses += usize::from(matches!(op.effect(), Effect::Read | Effect::Write)),
            }
        }
        region.size += func.blocks[block].insts.len();
        region.is_profitable |=
            cfg.preds(block).iter().any(|&from| order.position(from) >= order.position(block));
        if region.size > MAX_COPIED_SIZE {
            return None;
        }
        work.extend(dom.children(block));
    }
    region.is_profitable |= accesses >= MIN_ACCESSES;
    region.blocks.sort_unstable_by_key(|&block| order.position(block));
    Some(region)
}

/// Copies a region with replacements for some values, and returns the first block of the copy. The copy
/// branches to the same blocks outside.
pub(in crate::vectorize) fn copy(
    func: &mut Function,
    blocks: &[Block],
    replacements: &FastMap<Value, Value>,
    groups: &mut AccessGroups,
    versioned: &mut VersionedCode,
) -> Block {
    let mut to: FastMap<Block, Block> = FastMap::default();
    let mut values: FastMap<Value, Value> = FastMap::default();
    for &block in blocks {
        let new = func.add_block();
        func.blocks[new].unroll = func.blocks[block].unroll;
        to.insert(block, new);
        for param in func.blocks[block].params.clone() {
            let ty = func.ty(param);
            values.insert(param, func.add_param(new, ty));
        }
    }
    let mut copies: FastMap<InstId, InstId> = FastMap::default();
    for &block in blocks {
        for id in func.blocks[block].insts.clone() {
            let inst = func.insts[id].clone();
            if let Some(result) = inst.result
                && let Some(&other) = replacements.get(&result)
            {
                values.insert(result, values.get(&other).copied().unwrap_or(other));
                continue;
            }
            let value = |value: &Value| values.get(value).copied().unwrap_or(*value);
            let args = inst.args.iter().map(value).collect();
            let target = |target: &Target| Target {
                block: to.get(&target.block).copied().unwrap_or(target.block),
                args: target.args.iter().map(value).collect(),
            };
            let targets = inst.targets.iter().map(target).collect();
            let new = func.make_inst(inst.op, inst.ty, args, inst.attr, targets, inst.loc);
            if let (Some(old), Some(new)) = (inst.result, func.insts[new].result) {
                values.insert(old, new);
            }
            func.blocks[to[&block]].insts.push(new);
            copies.insert(id, new);
        }
    }
    groups.copy(&copies);
    for (old, new) in &to {
        if let Some(&test) = versioned.uniform_tests.get(old) {
            versioned.uniform_tests.insert(*new, test);
        }
        if versioned.cold.contains(old) {
            versioned.cold.insert(*new);
        }
    }
    to[&blocks[0]]
}

/// Inserts the test of all lanes before a guard, and returns the block with the original guard.
fn insert_test(func: &mut Function, block: Block, at: usize, start: Block) -> Block {
    let slow = func.add_block();
    let last = func.blocks[block].insts.pop().expect("a terminator");
    func.blocks[slow].insts.push(last);
    let inst = &func.insts[last];
    let (on, loc) = (inst.args[0], inst.loc);
    let mut targets = vec![Target::new(start, &inst.targets[at].args), Target::new(slow, &[])];
    if at == 1 {
        targets.swap(0, 1);
    }
    let test = func.make_inst(Op::BrIf, Type::VOID, [on].as_slice().into(), Attr::None, targets, loc);
    func.blocks[block].insts.push(test);
    slow
}
