//! Loops that count up to a bound: their shape, and how each value of the header changes from iteration to iteration.

use grus_ir::analysis::{Cfg, LoopId, Loops, SimpleLoop};
use grus_ir::{Block, Effect, Function, Inst, IntCond, Op, Type, Value};
use grus_support::FastSet;

/// Change of a parameter of the loop's header from one iteration to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// No change.
    None,
    /// An increase by a constant.
    Add(u32),
    /// A shift to the right, without sign, by a constant.
    Shift(u32),
    /// Any other one.
    Carried,
}

/// An innermost loop that leaves only at its header, once a counter has reached a bound.
pub(super) struct CountedLoop {
    pub shape: SimpleLoop,
    /// Blocks in reverse post-order, the header first.
    pub blocks: Vec<Block>,
    /// First block of the body, and the arguments that the header passes to it.
    pub body: (Block, Vec<Value>),
    pub changes: Vec<Change>,
    /// Position of the counter among the header's parameters.
    pub counter: usize,
    /// Difference between the counters of two iterations.
    pub step: u32,
    /// Type of the counter.
    pub ty: Type,
    /// Bound of the counter, a value from outside of the loop.
    pub bound: Value,
    /// True if the counter may be equal to the bound.
    pub is_inclusive: bool,
    /// Number of instructions.
    pub size: usize,
}

impl CountedLoop {
    /// Returns the number of iterations, if it is a constant.
    pub(super) fn trip_count(&self, func: &Function) -> Option<u64> {
        let start = func.as_const(self.shape.starts(func)[self.counter])?;
        let bound = func.as_const(self.bound)? + u64::from(self.is_inclusive);
        Some(bound.saturating_sub(start).div_ceil(self.step.into()))
    }

    /// Checks whether the shifts of so many iterations are less than the width of what is shifted.
    pub(super) fn shifts_fit(&self, lanes: u16) -> bool {
        self.changes.iter().all(|change| match change {
            Change::Shift(by) => by * u32::from(lanes - 1) < 32,
            _ => true,
        })
    }
}

/// Returns the loops of a function that count up to a bound.
pub(super) fn find(func: &Function, cfg: &Cfg, loops: &Loops) -> Vec<CountedLoop> {
    let outer: FastSet<LoopId> = loops.ids().filter_map(|id| loops.get(id).parent).collect();
    let mut members: grus_support::FastMap<LoopId, Vec<Block>> = grus_support::FastMap::default();
    for &block in cfg.rpo() {
        if let Some(id) = loops.of(block).filter(|id| !outer.contains(id)) {
            members.entry(id).or_default().push(block);
        }
    }
    let innermost = loops.ids().filter_map(|id| Some((id, members.remove(&id)?)));
    innermost.filter_map(|(id, blocks)| counted(func, cfg, loops, id, blocks)).collect()
}

fn counted(func: &Function, cfg: &Cfg, loops: &Loops, id: LoopId, blocks: Vec<Block>) -> Option<CountedLoop> {
    let shape = loops.simple(func, cfg, id)?;
    let header = shape.header;
    let is_inside = |block: Block| loops.of(block) == Some(id);
    let insts = |block: Block| func.blocks[block].insts.iter().map(|&id| &func.insts[id]);
    let leaves = |&block: &Block| func.successors(block).any(|next| !is_inside(next));
    if blocks.iter().filter(|&&block| block != header).any(leaves)
        || func.terminator(shape.latch).op != Op::Jump
        || shape.latch == header
        || !blocks.iter().all(|&block| insts(block).all(may_be_widened))
        || !insts(header).all(|inst| matches!(inst.op.effect(), Effect::Pure | Effect::End))
    {
        return None;
    }
    let branch = func.terminator(header);
    let stays = branch.targets.iter().position(|target| is_inside(target.block))?;
    if branch.op != Op::BrIf || is_inside(branch.targets[1 - stays].block) {
        return None;
    }
    let defined: FastSet<Value> = blocks
        .iter()
        .flat_map(|&block| {
            let results = insts(block).filter_map(|inst| inst.result);
            func.blocks[block].params.iter().copied().chain(results)
        })
        .collect();
    let params = &func.blocks[header].params;
    let nexts = shape.nexts(func);
    let changes: Vec<Change> =
        params.iter().zip(nexts).map(|(&param, &next)| change(func, param, next)).collect();
    let test = func.def_inst(branch.args[0]).filter(|test| test.op == Op::Icmp)?;
    let cond = if stays == 0 { test.int_cond() } else { test.int_cond().negated() };
    let position = |value: Value| params.iter().position(|&param| param == value);
    let (counter, bound, cond) = match (position(test.args[0]), position(test.args[1])) {
        (Some(counter), None) => (counter, test.args[1], cond),
        (None, Some(counter)) => (counter, test.args[0], cond.swapped()),
        _ => return None,
    };
    let Change::Add(step) = changes[counter] else { return None };
    let is_inclusive = match cond {
        IntCond::Ult | IntCond::Slt => false,
        IntCond::Ule | IntCond::Sle => true,
        IntCond::Ne if step == 1 => false,
        _ => return None,
    };
    let ty = func.ty(params[counter]);
    if defined.contains(&bound) && func.as_const(bound).is_none() || ![Type::I32, Type::I64].contains(&ty) {
        return None;
    }
    let body = (branch.targets[stays].block, branch.targets[stays].args.to_vec());
    let size = blocks.iter().map(|&block| func.blocks[block].insts.len()).sum();
    Some(CountedLoop { shape, blocks, body, changes, counter, step, ty, bound, is_inclusive, size })
}

/// Checks whether lanes of iterations may execute an instruction.
fn may_be_widened(inst: &Inst) -> bool {
    match inst.op.effect() {
        Effect::Pure => !matches!(inst.op, Op::ImageQuery),
        Effect::Read | Effect::Write => matches!(inst.op, Op::Load | Op::Store) && !inst.is_volatile(),
        Effect::End => matches!(inst.op, Op::Jump | Op::BrIf | Op::Switch),
    }
}

fn change(func: &Function, param: Value, next: Value) -> Change {
    if param == next {
        return Change::None;
    }
    let Some(inst) = func.def_inst(next).filter(|inst| inst.args.len() == 2 && !inst.ty.is_vector()) else {
        return Change::Carried;
    };
    let (other, is_first) = if inst.args[0] == param { (inst.args[1], true) } else { (inst.args[0], false) };
    let by = func.as_const(other).and_then(|by| u32::try_from(by).ok());
    // A step of half the range or more may be a negative one.
    let small = by.filter(|&by| by > 0 && by <= 1 << 16);
    match (inst.op, small) {
        (Op::Iadd, Some(step)) if inst.args.contains(&param) => Change::Add(step),
        (Op::PtrAdd, Some(step)) if is_first => Change::Add(step),
        (Op::Lshr, Some(by)) if is_first && by < 32 && inst.ty.bits() >= 32 => Change::Shift(by),
        _ => Change::Carried,
    }
}
