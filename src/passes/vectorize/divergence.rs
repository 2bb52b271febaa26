//! Divergence analysis: classifies values as uniform, affine in the lane number, or varying, and finds
//! divergent branches and loops.
//!
//! The analysis is optimistic: a value is varying only if there is a reason. Values joined where divergent
//! paths reconverge are varying, and so are live-outs of loops that lanes leave in different iterations
//! (Rosemann, Moll, Hack, An Abstract Interpretation for SPMD Divergence on Reducible Control Flow Graphs, POPL
//! 2021).

use std::collections::BTreeMap;

use super::super::private_arrays::Elements;
use super::block_order::BlockOrder;
use super::stride::{self, Stride};
use super::sub_group;
use super::versioning::guards::Agreed;
use crate::ir::analysis::{LoopId, Loops};
use crate::ir::{Block, Effect, Function, Inst, Op, Value};
use crate::support::{FastMap, IdMap};

/// Relation between the values of one SSA value in neighboring lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VectorShape {
    /// Bottom: nothing is known yet.
    Unknown,
    /// Affine: `step` more in each lane than in the one before, modulo its width; uniform if the step is 0.
    Stride(Stride),
    /// Top: any values.
    Varying,
}

impl VectorShape {
    pub(super) fn is_uniform(self) -> bool {
        self.step() == Some(0)
    }

    /// Returns the difference between neighboring lanes, if it is known.
    pub(super) fn step(self) -> Option<i64> {
        if let VectorShape::Stride(stride) = self { Some(stride.step) } else { None }
    }

    fn join(self, other: VectorShape) -> VectorShape {
        match (self, other) {
            (VectorShape::Unknown, shape) | (shape, VectorShape::Unknown) => shape,
            (VectorShape::Stride(a), VectorShape::Stride(b)) => {
                a.join(b).map_or(VectorShape::Varying, VectorShape::Stride)
            }
            _ => VectorShape::Varying,
        }
    }
}

/// Result of the analysis: shapes of values, and divergence of blocks and loops.
pub(super) struct Shapes<'f> {
    func: &'f Function,
    loops: &'f Loops,
    interleaved: &'f Elements,
    agreed: &'f Agreed,
    lanes: u16,
    values: IdMap<Value, VectorShape>,
    /// Block that defines each value.
    homes: IdMap<Value, Block>,
    /// True for blocks at which divergent paths reconverge.
    joins: IdMap<Block, bool>,
    /// True for blocks that only a part of the active lanes may reach.
    masked: IdMap<Block, bool>,
    /// True for loops that lanes leave in different iterations.
    divergent: IdMap<LoopId, bool>,
}

/// Limits of sweeps, and of steps of the search for reconvergence points per block.
// Arbitrary; real functions settle far earlier.
const SWEEPS: usize = 40;
const STEPS: usize = 32;

impl<'f> Shapes<'f> {
    /// Runs the analysis; `None` if it takes too long.
    pub(super) fn find(
        func: &'f Function,
        loops: &'f Loops,
        order: &BlockOrder,
        interleaved: &'f Elements,
        agreed: &'f Agreed,
        lanes: u16,
    ) -> Option<Shapes<'f>> {
        let mut shapes = Shapes {
            func,
            loops,
            interleaved,
            agreed,
            lanes,
            values: IdMap::with_len(VectorShape::Unknown, func.values.len()),
            homes: homes(func, &order.blocks),
            joins: IdMap::with_len(false, func.blocks.len()),
            masked: IdMap::with_len(false, func.blocks.len()),
            divergent: IdMap::with_len(false, loops.ids().count()),
        };
        shapes.begin();
        let mut split: IdMap<Block, bool> = IdMap::with_len(false, func.blocks.len());
        let mut budget = STEPS * func.layout.len() + (1 << 12);
        for _ in 0..SWEEPS {
            let mut changed = shapes.sweep(order);
            for &block in &order.blocks {
                if !split[block] && shapes.is_varying_branch(block) {
                    split[block] = true;
                    changed = true;
                    for target in shapes.named_twice(block) {
                        shapes.joins[target] = true;
                    }
                    let around = loops.of(block);
                    shapes.part(order, around, func.successors(block).collect(), &mut budget)?;
                }
            }
            if !changed {
                return Some(shapes);
            }
        }
        None
    }

    fn begin(&mut self) {
        let func = self.func;
        for (index, &param) in func.params().iter().enumerate() {
            let facts = func.param_facts.get(index).copied().unwrap_or_default();
            let known = stride::param(func.ty(param), facts, self.lanes);
            self.values[param] = known.map_or(VectorShape::Varying, VectorShape::Stride);
        }
    }

    /// Returns the block that defines each value.
    pub(super) fn homes(&self) -> &IdMap<Value, Block> {
        &self.homes
    }

    /// Returns the block that defines a value.
    pub(super) fn home(&self, value: Value) -> Block {
        self.homes[value]
    }

    /// Returns the shape of a value in the block that defines it.
    pub(super) fn of(&self, value: Value) -> VectorShape {
        self.values[value]
    }

    /// Returns the largest value in any lane, if the value is affine, not uniform, and does not wrap.
    pub(super) fn bound(&self, value: Value) -> Option<u64> {
        match self.of(value) {
            VectorShape::Stride(stride) if stride.step != 0 => stride.max,
            _ => None,
        }
    }

    /// Returns the shape of a value as seen by a block.
    pub(super) fn at(&self, value: Value, block: Block) -> VectorShape {
        if self.leaves(value, block) { VectorShape::Varying } else { self.values[value] }
    }

    /// Checks whether a value has temporal divergence: it is used outside of a divergent loop that defines it.
    pub(super) fn leaves(&self, value: Value, block: Block) -> bool {
        self.divergent_around(self.homes[value]).is_some_and(|id| !self.loops.contains(id, block))
            && !matches!(self.func.def_inst(value), Some(Inst { op: Op::Iconst | Op::Fconst, .. }))
    }

    /// Returns the innermost divergent loop around a block.
    pub(super) fn divergent_around(&self, block: Block) -> Option<LoopId> {
        self.loops.around(block).find(|&id| self.divergent[id])
    }

    pub(super) fn is_divergent(&self, id: LoopId) -> bool {
        self.divergent[id]
    }

    /// Checks whether only a part of the active lanes may reach a block.
    pub(super) fn is_masked(&self, block: Block) -> bool {
        self.masked[block]
    }

    /// Checks whether lanes may diverge at the end of a block.
    pub(super) fn is_varying_branch(&self, block: Block) -> bool {
        let last = self.func.terminator(block);
        let asks = matches!(last.op, Op::BrIf | Op::Switch) && !self.agreed.asks.contains_key(&block);
        let shape = |&arg: &Value| self.at(arg, block);
        asks && last.args.first().map(shape).is_some_and(|s| s != VectorShape::Unknown && !s.is_uniform())
    }

    /// Returns blocks that are targets of a terminator several times with different arguments.
    pub(super) fn named_twice(&self, block: Block) -> Vec<Block> {
        let targets = &self.func.terminator(block).targets;
        let mut first: FastMap<Block, usize> = FastMap::default();
        let mut found = Vec::new();
        for (at, target) in targets.iter().enumerate() {
            if targets[*first.entry(target.block).or_insert(at)] != *target {
                found.push(target.block);
            }
        }
        found
    }

    fn sweep(&mut self, order: &BlockOrder) -> bool {
        let func = self.func;
        let mut changed = false;
        let mut set = |values: &mut IdMap<Value, VectorShape>, value: Value, shape: VectorShape| {
            let new = values[value].join(shape);
            changed |= std::mem::replace(&mut values[value], new) != new;
        };
        for &block in &order.blocks {
            for &id in &func.blocks[block].insts {
                let inst = &func.insts[id];
                if let Some(result) = inst.result {
                    let shape = self.result(inst, block);
                    set(&mut self.values, result, shape);
                }
                for target in &inst.targets {
                    let params = &func.blocks[target.block].params;
                    for (&param, &arg) in params.iter().zip(&target.args) {
                        let mut shape = self.at(arg, target.block);
                        if self.joins[target.block] && shape != VectorShape::Unknown {
                            shape = VectorShape::Varying;
                        }
                        set(&mut self.values, param, shape);
                    }
                }
            }
        }
        changed
    }

    /// Propagates divergence from a branch to the blocks at which its paths reconverge; `around` is the
    /// innermost loop around the branch.
    fn part(
        &mut self,
        order: &BlockOrder,
        around: Option<LoopId>,
        targets: Vec<Block>,
        budget: &mut usize,
    ) -> Option<()> {
        // By position: blocks that lanes have reached, and the path to each, named by its first block.
        let mut open: BTreeMap<u32, (Block, Block)> = BTreeMap::new();
        let mut left: FastMap<Block, Block> = FastMap::default();
        let mut is_split = false;
        let mut reached: Vec<(Block, Block)> = targets.into_iter().map(|block| (block, block)).collect();
        reached.sort_unstable();
        reached.dedup();
        loop {
            for (block, way) in std::mem::take(&mut reached) {
                let is_inside = around
                    .is_none_or(|id| self.loops.contains(id, block) && self.loops.get(id).header != block);
                let known = if is_inside {
                    open.insert(order.place(block), (block, way)).map(|(_, known)| known)
                } else {
                    left.insert(block, way)
                };
                if known.is_some_and(|known| known != way) {
                    self.joins[block] = true;
                    if is_inside {
                        open.insert(order.place(block), (block, block));
                    } else {
                        left.insert(block, block);
                    }
                }
            }
            if open.len() == 1 && left.is_empty() {
                break;
            }
            let Some((_, (block, way))) = open.pop_first() else { break };
            *budget = budget.checked_sub(1)?;
            self.masked[block] = true;
            for next in self.func.successors(block) {
                // A path through an inner loop continues the path that entered it.
                if order.is_before(block, next) || around.is_some_and(|id| self.loops.get(id).header == next)
                {
                    reached.push((next, way));
                }
            }
        }
        if let Some(id) = around {
            let mut ways: Vec<Block> = left.values().copied().collect();
            ways.sort_unstable();
            ways.dedup();
            let header = self.loops.get(id).header;
            let leaves = left.keys().any(|&block| block != header);
            is_split = leaves && left.len() > 1 && ways.len() > 1;
        }
        match around {
            Some(id) if is_split && !self.divergent[id] => self.leave(order, id, budget),
            _ => Some(()),
        }
    }

    /// Marks a loop as divergent.
    fn leave(&mut self, order: &BlockOrder, id: LoopId, budget: &mut usize) -> Option<()> {
        self.divergent[id] = true;
        for &block in self.inside(order, id) {
            *budget = budget.checked_sub(1)?;
            self.masked[block] = true;
        }
        let exits = self.ways_out(order, id);
        for pair in exits.windows(2).filter(|pair| pair[0] == pair[1]) {
            self.joins[pair[0]] = true;
        }
        let outer = self.loops.get(id).parent;
        // Lanes that have left the loop may reach an iteration of the parent loop only when all lanes have
        // left.
        self.part(order, outer, exits, budget)
    }

    /// Returns the blocks of a loop.
    fn inside<'o>(&self, order: &'o BlockOrder, id: LoopId) -> &'o [Block] {
        let blocks = &order.blocks[order.place(self.loops.get(id).header) as usize..];
        let length = blocks.iter().take_while(|&&block| self.loops.contains(id, block)).count();
        &blocks[..length]
    }

    /// Returns the targets of the exit edges of a loop, sorted.
    fn ways_out(&self, order: &BlockOrder, id: LoopId) -> Vec<Block> {
        let nexts = self.inside(order, id).iter().flat_map(|&block| self.func.successors(block));
        let mut exits: Vec<Block> = nexts.filter(|&next| !self.loops.contains(id, next)).collect();
        exits.sort_unstable();
        exits
    }

    /// Returns the exit blocks of a loop.
    pub(super) fn exits(&self, order: &BlockOrder, id: LoopId) -> Vec<Block> {
        let mut exits = self.ways_out(order, id);
        exits.dedup();
        exits
    }

    fn result(&self, inst: &Inst, block: Block) -> VectorShape {
        let shape = |i: usize| self.at(inst.args[i], block);
        let all = (0..inst.args.len()).map(shape).collect::<smallvec::SmallVec<[VectorShape; 4]>>();
        if all.contains(&VectorShape::Unknown) {
            return VectorShape::Unknown;
        }
        match inst.op {
            Op::Alloca => {
                let (size, align) = inst.size_align();
                let element = inst.result.and_then(|result| self.interleaved.element(result));
                return VectorShape::Stride(Stride::only(
                    element.map_or(copy_size(size, align) as i64, i64::from),
                ));
            }
            Op::Load if inst.is_volatile() => return VectorShape::Varying,
            op if op.is_of_sub_group() => return sub_group::shape(inst, &all, self.lanes),
            _ => {}
        }
        if !matches!(inst.op.effect(), Effect::Pure | Effect::Read) {
            return VectorShape::Varying;
        }
        let known =
            |shape: &VectorShape| if let VectorShape::Stride(stride) = *shape { Some(stride) } else { None };
        let all: Option<smallvec::SmallVec<[Stride; 4]>> = all.iter().map(known).collect();
        let made = all.and_then(|all| stride::result(self.func, inst, &all, self.lanes));
        made.map_or(VectorShape::Varying, VectorShape::Stride)
    }
}

/// Returns the block that defines each value.
pub(super) fn homes(func: &Function, blocks: &[Block]) -> IdMap<Value, Block> {
    let mut homes = IdMap::with_len(func.entry(), func.values.len());
    for &block in blocks {
        let results = func.blocks[block].insts.iter().filter_map(|&id| func.insts[id].result);
        func.blocks[block].params.iter().copied().chain(results).for_each(|value| homes[value] = block);
    }
    homes
}

/// Returns the size of one lane's copy of a private object, including padding.
pub(super) fn copy_size(size: u64, align: u32) -> u64 {
    size.max(1).next_multiple_of(u64::from(align.max(1)))
}
