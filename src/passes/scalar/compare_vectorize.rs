//! Comparisons of the lanes of vectors, one after the other, become one of the vectors, and a chain of branches on them one
//! branch (Larsen, Amarasinghe: Exploiting Superword Level Parallelism with Multimedia Instruction Sets, PLDI 2000, for
//! comparisons only).
//!
//! `if (a.s0 == b.s0 || a.s1 == b.s1 || ...)` is how programs that compute in vectors ask whether something was found in any
//! lane: `any(a == b)`. Of what only some lanes are asked, each lane's answer is taken out of the vector of answers.

use super::super::pass_manager::PassContext;
use crate::ir::{Args, Attr, Block, Builder, Effect, FloatCond, Function, Inst, InstId, IntCond};
use crate::ir::{Op, Target, Type, Value};
use crate::support::{FastMap, IdMap};

/// Lanes of the same vectors that are compared, at least: for fewer, taking out the answers costs as much.
const LEAST: usize = 4;

/// Instructions of a block that is only on the way from one branch to the next.
const MOST_BETWEEN: usize = 8;

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
    counts.retain(|_, count| *count >= LEAST);
    if counts.is_empty() {
        return false;
    }
    let dom = context.analyses.dominators(func);
    // The latest of each, and where it stands. In this order what dominates comes first.
    let mut made: FastMap<CompareKey, (Block, Value)> = FastMap::default();
    for &block in cfg.rpo() {
        for id in std::mem::take(&mut func.blocks[block].insts) {
            let inst = &func.insts[id];
            let key = Some(inst).filter(|inst| compares(inst)).and_then(|inst| CompareKey::of(func, inst));
            if let Some(key) = key.filter(|key| counts.contains_key(key)) {
                let lane = inst.args.iter().find_map(|&arg| Side::of(func, arg).1).unwrap_or(0);
                let known = made.get(&key).filter(|(other, _)| dom.dominates(*other, block));
                let known = known.map(|&(_, answers)| answers);
                let answers = known.unwrap_or_else(|| {
                    let answers = key.write(func, block, id);
                    made.insert(key, (block, answers));
                    answers
                });
                let inst = &mut func.insts[id];
                (inst.op, inst.attr, inst.args) =
                    (Op::Extract, Attr::Int(lane), Args::from_slice(&[answers]));
            }
            func.blocks[block].insts.push(id);
        }
    }
    let edges = edges(func);
    let mut gone = IdMap::with_len(false, func.blocks.len());
    for &block in cfg.rpo() {
        if !gone[block] {
            chain(func, block, &edges, &mut gone);
        }
    }
    func.layout.retain(|&block| !gone[block]);
    true
}

/// One side of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    /// A lane of a vector, always the same as on the other side.
    Lane(Value),
    /// The same for all lanes.
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

/// What comparisons agree in that one of vectors does for all.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct CompareKey {
    condition: Condition,
    sides: [Side; 2],
    /// That of the vectors.
    ty: Type,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Condition {
    Int(IntCond),
    Float(FloatCond),
}

impl CompareKey {
    /// None if no lane is compared, or those of vectors that do not fit together.
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

    /// Writes the comparison of vectors at the end of a block.
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

/// How many edges lead to each block.
fn edges(func: &Function) -> IdMap<Block, u32> {
    let mut edges = IdMap::with_len(0, func.blocks.len());
    for &block in &func.layout {
        func.successors(block).for_each(|next| edges[next] += 1);
    }
    edges
}

/// The vector and the lane that a branch at the end of a block asks for.
fn asked(func: &Function, block: Block) -> Option<(Value, u64)> {
    let last = func.terminator(block);
    let asked = func.def_inst(*last.args.first()?).filter(|_| last.op == Op::BrIf)?;
    (asked.op == Op::Extract).then(|| (asked.args[0], asked.int()))
}

/// Where branches on all lanes of a vector follow each other and all lead to the same place if a lane is set, or if it is not,
/// the first becomes one on all lanes.
fn chain(func: &mut Function, first: Block, edges: &IdMap<Block, u32>, gone: &mut IdMap<Block, bool>) {
    let Some((answers, lane)) = asked(func, first) else { return };
    let lanes = func.ty(answers).lanes;
    if u32::from(lanes) > u64::BITS {
        return;
    }
    for leaves_if in [true, false] {
        let (leave, stay) = if leaves_if { (0, 1) } else { (1, 0) };
        let way = |func: &Function, block: Block, which: usize| func.terminator(block).targets[which].clone();
        let leaves: Target = way(func, first, leave);
        let (mut seen, mut last, mut between) = (1u64 << lane, first, Vec::new());
        while seen.count_ones() < u32::from(lanes) {
            let next = way(func, last, stay).block;
            let is_between = edges[next] == 1 && func.blocks[next].params.is_empty() && is_cheap(func, next);
            match asked(func, next) {
                Some((other, lane)) if other == answers && is_between && way(func, next, leave) == leaves => {
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
        let goes_on = way(func, last, stay);
        let end = func.blocks[first].insts.pop();
        for block in between {
            gone[block] = true;
            let mut insts = std::mem::take(&mut func.blocks[block].insts);
            insts.pop();
            func.blocks[first].insts.append(&mut insts);
        }
        let loc = end.map_or(0, |end| func.insts[end].loc);
        let mut b = Builder::new(func, first);
        b.loc = loc;
        let op = if leaves_if { Op::Any } else { Op::All };
        let answer = b.value(op, Type::I1, &[answers], Attr::None);
        let ways = if leaves_if { vec![leaves, goes_on] } else { vec![goes_on, leaves] };
        b.inst(Op::BrIf, Type::VOID, &[answer], Attr::None, ways);
        return;
    }
}

/// Whether a block can as well be run in vain.
fn is_cheap(func: &Function, block: Block) -> bool {
    let insts = &func.blocks[block].insts;
    let is_pure = |&id: &InstId| func.insts[id].op.effect() == Effect::Pure;
    insts.len() <= MOST_BETWEEN && insts[..insts.len() - 1].iter().all(is_pure)
}
