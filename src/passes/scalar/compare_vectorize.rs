//! Vectorizes comparisons: comparisons of all lanes of vectors become one vector comparison, and a chain of
//! branches on them becomes one branch (Larsen, Amarasinghe: Exploiting Superword Level Parallelism with Multimedia
//! Instruction Sets, PLDI 2000, for comparisons only).
//!
//! Programs that compute in vectors write `if (a.s0 == b.s0 || a.s1 == b.s1 || ...)` to test whether any lane
//! matches: `any(a == b)`. If a branch tests only some lanes, their results are extracted from the vector of
//! results.

use super::super::pass_manager::PassContext;
use grus_ir::{Args, Attr, Block, Builder, Effect, FloatCond, Function, Inst, InstId, IntCond};
use grus_ir::{Op, Target, Type, Value};
use grus_support::{FastMap, IdMap};

/// Minimum number of lanes of the same vectors that are compared: for fewer lanes, extracting the results costs as
/// much as comparing.
// Arbitrary.
const MIN_LANES: usize = 4;

/// Maximum number of instructions of a block between two branches of a chain.
// Arbitrary.
const MAX_BETWEEN: usize = 8;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let compares = |inst: &Inst| matches!(inst.op, Op::Icmp | Op::Fcmp) && !inst.ty.is_vector();
    if !func.instructions().any(|inst| inst.op == Op::Extract) || !func.instructions().any(compares) {
        return false;
    }
    let cfg = context.analyses.cfg(func);
    let mut counts: FastMap<CompareKey, usize> = FastMap::default();
    for key in func.instructions().filter(|inst| compares(inst)).filter_map(|inst| CompareKey::of(func, inst))
    {
        *counts.entry(key).or_default() += 1;
    }
    counts.retain(|_, count| *count >= MIN_LANES);
    if counts.is_empty() {
        return false;
    }
    let dom = context.analyses.dominators(func);
    // The latest vector comparison of each key, and its block. In reverse postorder, dominating blocks come first.
    let mut created: FastMap<CompareKey, (Block, Value)> = FastMap::default();
    for &block in cfg.rpo() {
        for id in std::mem::take(&mut func.blocks[block].insts) {
            let inst = &func.insts[id];
            let key = Some(inst).filter(|inst| compares(inst)).and_then(|inst| CompareKey::of(func, inst));
            if let Some(key) = key.filter(|key| counts.contains_key(key)) {
                let lane = inst.args.iter().find_map(|&arg| Side::of(func, arg).1).unwrap_or(0);
                let known = created.get(&key).filter(|(other, _)| dom.dominates(*other, block));
                let known = known.map(|&(_, results)| results);
                let results = known.unwrap_or_else(|| {
                    let results = key.write(func, block, id);
                    created.insert(key, (block, results));
                    results
                });
                let inst = &mut func.insts[id];
                (inst.op, inst.attr, inst.args) =
                    (Op::Extract, Attr::Int(lane), Args::from_slice(&[results]));
            }
            func.blocks[block].insts.push(id);
        }
    }
    let edges = edges(func);
    let mut removed = IdMap::with_len(false, func.blocks.len());
    for &block in cfg.rpo() {
        if !removed[block] {
            merge_branch_chain(func, block, &edges, &mut removed);
        }
    }
    func.layout.retain(|&block| !removed[block]);
    true
}

/// Operand of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    /// A lane of a vector. The other operand, if it is a lane too, has the same lane index.
    Lane(Value),
    /// A scalar, which is compared with all lanes.
    All(Value),
}

impl Side {
    fn of(func: &Function, value: Value) -> (Side, Option<u64>) {
        match func.def_inst(value) {
            Some(def) if def.op == Op::Extract => (Side::Lane(def.args[0]), Some(def.int())),
            _ => (Side::All(value), None),
        }
    }
}

/// Properties that comparisons share which one vector comparison can replace.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct CompareKey {
    condition: Condition,
    sides: [Side; 2],
    /// Type of the vectors.
    ty: Type,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Condition {
    Int(IntCond),
    Float(FloatCond),
}

impl CompareKey {
    /// Returns the key of a comparison, or `None` if no lane is compared or the two operands are lanes of
    /// incompatible vectors.
    fn of(func: &Function, inst: &Inst) -> Option<CompareKey> {
        let [(a, a_lane), (b, b_lane)] = [inst.args[0], inst.args[1]].map(|arg| Side::of(func, arg));
        let mut types = [a, b].into_iter().filter_map(|side| match side {
            Side::Lane(vector) => Some(func.ty(vector)),
            Side::All(_) => None,
        });
        let ty = types.next()?;
        let fits =
            types.all(|other| other == ty) && (a_lane == b_lane || a_lane.is_none() || b_lane.is_none());
        let condition = match inst.attr {
            Attr::FloatCond(condition) => Condition::Float(condition),
            _ => Condition::Int(inst.int_cond()),
        };
        fits.then_some(CompareKey { condition, sides: [a, b], ty })
    }

    /// Writes the vector comparison at the end of a block.
    fn write(&self, func: &mut Function, block: Block, first: InstId) -> Value {
        let loc = func.insts[first].loc;
        let mut b = Builder::new(func, block);
        b.loc = loc;
        let [x, y] = self.sides.map(|side| match side {
            Side::Lane(vector) => vector,
            Side::All(value) => b.splat(self.ty, value),
        });
        match self.condition {
            Condition::Int(condition) => b.icmp(condition, x, y),
            Condition::Float(condition) => b.fcmp(condition, x, y),
        }
    }
}

/// Returns the number of edges that lead to each block.
fn edges(func: &Function) -> IdMap<Block, u32> {
    let mut edges = IdMap::with_len(0, func.blocks.len());
    for &block in &func.layout {
        func.successors(block).for_each(|next| edges[next] += 1);
    }
    edges
}

/// Returns the vector and the lane that the branch at the end of a block tests.
fn tested_lane(func: &Function, block: Block) -> Option<(Value, u64)> {
    let last = func.terminator(block);
    let tested_lane = func.def_inst(*last.args.first()?).filter(|_| last.op == Op::BrIf)?;
    (tested_lane.op == Op::Extract).then(|| (tested_lane.args[0], tested_lane.int()))
}

/// Merges a chain of branches that test all lanes of a vector, and that all lead to the same target if a lane is
/// set (or if it is not), into one branch at its first block.
fn merge_branch_chain(
    func: &mut Function,
    first: Block,
    edges: &IdMap<Block, u32>,
    removed: &mut IdMap<Block, bool>,
) {
    let Some((results, lane)) = tested_lane(func, first) else { return };
    let lanes = func.ty(results).lanes;
    if u32::from(lanes) > u64::BITS {
        return;
    }
    for exits_if in [true, false] {
        let (exit_index, stay_index) = if exits_if { (0, 1) } else { (1, 0) };
        let target =
            |func: &Function, block: Block, index: usize| func.terminator(block).targets[index].clone();
        let exit: Target = target(func, first, exit_index);
        let (mut seen, mut last, mut between) = (1u64 << lane, first, Vec::new());
        while seen.count_ones() < u32::from(lanes) {
            let next = target(func, last, stay_index).block;
            let is_between = edges[next] == 1 && func.blocks[next].params.is_empty() && is_cheap(func, next);
            match tested_lane(func, next) {
                Some((other, lane))
                    if other == results && is_between && target(func, next, exit_index) == exit =>
                {
                    seen |= 1 << lane;
                    last = next;
                    between.push(next);
                }
                _ => break,
            }
        }
        if seen.count_ones() < u32::from(lanes) {
            continue;
        }
        let fallthrough = target(func, last, stay_index);
        let end = func.blocks[first].insts.pop();
        for block in between {
            removed[block] = true;
            let mut insts = std::mem::take(&mut func.blocks[block].insts);
            insts.pop();
            func.blocks[first].insts.append(&mut insts);
        }
        let loc = end.map_or(0, |end| func.insts[end].loc);
        let mut b = Builder::new(func, first);
        b.loc = loc;
        let op = if exits_if { Op::Any } else { Op::All };
        let result = b.value(op, Type::I1, &[results], Attr::None);
        let targets = if exits_if { vec![exit, fallthrough] } else { vec![fallthrough, exit] };
        b.inst(Op::BrIf, Type::VOID, &[result], Attr::None, targets);
        return;
    }
}

/// Checks whether a block is cheap enough to be executed speculatively.
fn is_cheap(func: &Function, block: Block) -> bool {
    let insts = &func.blocks[block].insts;
    let is_pure = |&id: &InstId| func.insts[id].op.effect() == Effect::Pure;
    insts.len() <= MAX_BETWEEN && insts[..insts.len() - 1].iter().all(is_pure)
}
