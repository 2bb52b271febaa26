//! Divergence analysis: classifies values as uniform, affine in the lane number, or varying, and finds
//! divergent branches and loops.
//!
//! The analysis is optimistic: a value is varying only if there is a reason. Values joined where divergent
//! paths reconverge are varying, and so are live-outs of loops that lanes leave in different iterations
//! (Rosemann, Moll, Hack, An Abstract Interpretation for SPMD Divergence on Reducible Control Flow Graphs, POPL
//! 2021).
//!
//! Uniform means here: the same for all lanes of a vector. `workgroup/uniformity.rs` finds the values that are the
//! same for all work-items of a group.

use std::collections::BTreeMap;

use super::super::private_arrays::PrivateArrays;
use super::block_order::BlockOrder;
use super::stride::{self, Stride};
use super::sub_group;
use super::versioning::guards::VersionedCode;
use grus_ir::analysis::{LoopId, Loops};
use grus_ir::{Block, Effect, Function, Inst, Op, Value};
use grus_support::{FastMap, IdMap};

/// Relation between the values of one SSA value in neighboring lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VectorShape {
    /// Bottom: nothing is known yet.
    Unknown,
    /// Affine: `step` more in each lane than in the one before, modulo its width; uniform if the step is 0.
    Affine(Stride),
    /// Top: any values.
    Varying,
}

impl VectorShape {
    pub(super) fn is_uniform(self) -> bool {
        self.step() == Some(0)
    }

    /// Returns the difference between neighboring lanes, if it is known.
    pub(super) fn step(self) -> Option<i64> {
        if let VectorShape::Affine(stride) = self { Some(stride.step) } else { None }
    }

    /// Returns the shape of a block parameter that gets a value of this shape.
    fn joined(self) -> VectorShape {
        if let VectorShape::Affine(stride) = self { VectorShape::Affine(stride.joined()) } else { self }
    }

    fn join(self, other: VectorShape) -> VectorShape {
        match (self, other) {
            (VectorShape::Unknown, shape) | (shape, VectorShape::Unknown) => shape,
            (VectorShape::Affine(a), VectorShape::Affine(b)) => {
                a.join(b).map_or(VectorShape::Varying, VectorShape::Affine)
            }
            _ => VectorShape::Varying,
        }
    }
}

/// Result of the analysis: shapes of values, and divergence of blocks and loops.
pub(super) struct VectorShapes<'f> {
    func: &'f Function,
    loops: &'f Loops,
    interleaved: &'f PrivateArrays,
    versioned: &'f VersionedCode,
    lanes: u16,
    values: IdMap<Value, VectorShape>,
    /// Block that defines each value.
    def_blocks: IdMap<Value, Block>,
    /// True for blocks at which divergent paths reconverge.
    reconverges: IdMap<Block, bool>,
    /// True for blocks that only a part of the active lanes may reach.
    masked: IdMap<Block, bool>,
    /// True for loops that lanes leave in different iterations.
    divergent: IdMap<LoopId, bool>,
}

/// Maximum number of sweeps over all blocks.
// Arbitrary; real functions settle far earlier.
const MAX_SWEEPS: usize = 40;

/// Maximum number of steps per block of the search for reconvergence points.
// Arbitrary; real functions settle far earlier.
const STEPS_PER_BLOCK: usize = 32;

impl<'f> VectorShapes<'f> {
    /// Runs the analysis; `None` if it takes too long.
    pub(super) fn find(
        func: &'f Function,
        loops: &'f Loops,
        order: &BlockOrder,
        interleaved: &'f PrivateArrays,
        versioned: &'f VersionedCode,
        lanes: u16,
    ) -> Option<VectorShapes<'f>> {
        let mut shapes = VectorShapes {
            func,
            loops,
            interleaved,
            versioned,
            lanes,
            values: IdMap::with_len(VectorShape::Unknown, func.values.len()),
            def_blocks: def_blocks(func, &order.blocks),
            reconverges: IdMap::with_len(false, func.blocks.len()),
            masked: IdMap::with_len(false, func.blocks.len()),
            divergent: IdMap::with_len(false, loops.ids().count()),
        };
        shapes.init_params();
        let mut processed: IdMap<Block, bool> = IdMap::with_len(false, func.blocks.len());
        let mut budget = STEPS_PER_BLOCK * func.layout.len() + (1 << 12);
        for _ in 0..MAX_SWEEPS {
            let mut changed = shapes.sweep(order);
            for &block in &order.blocks {
                if !processed[block] && shapes.is_divergent_branch(block) {
                    processed[block] = true;
                    changed = true;
                    for target in shapes.repeated_targets(block) {
                        shapes.reconverges[target] = true;
                    }
                    let around = loops.of(block);
                    shapes.propagate(order, around, func.successors(block).collect(), &mut budget)?;
                }
            }
            if !changed {
                return Some(shapes);
            }
        }
        None
    }

    fn init_params(&mut self) {
        let func = self.func;
        for (index, &param) in func.params().iter().enumerate() {
            let facts = func.param_facts.get(index).copied().unwrap_or_default();
            let stride = stride::param(func.ty(param), facts, self.lanes);
            self.values[param] = stride.map_or(VectorShape::Varying, VectorShape::Affine);
        }
    }

    /// Returns the block that defines each value.
    pub(super) fn def_blocks(&self) -> &IdMap<Value, Block> {
        &self.def_blocks
    }

    /// Returns the block that defines a value.
    pub(super) fn def_block(&self, value: Value) -> Block {
        self.def_blocks[value]
    }

    /// Returns the shape of a value in the block that defines it.
    pub(super) fn of(&self, value: Value) -> VectorShape {
        self.values[value]
    }

    /// Returns the largest value in any lane, if the value is affine, not uniform, and does not wrap.
    pub(super) fn bound(&self, value: Value) -> Option<u64> {
        match self.of(value) {
            VectorShape::Affine(stride) if stride.step != 0 => stride.max,
            _ => None,
        }
    }

    /// Returns the shape of a value as seen by a block.
    pub(super) fn at(&self, value: Value, block: Block) -> VectorShape {
        if self.is_temporally_divergent(value, block) { VectorShape::Varying } else { self.values[value] }
    }

    /// Checks whether a value has temporal divergence: it is used outside of a divergent loop that defines it.
    pub(super) fn is_temporally_divergent(&self, value: Value, block: Block) -> bool {
        self.innermost_divergent_loop(self.def_blocks[value])
            .is_some_and(|id| !self.loops.contains(id, block))
            && !matches!(self.func.def_inst(value), Some(Inst { op: Op::Iconst | Op::Fconst, .. }))
    }

    /// Returns the innermost divergent loop around a block.
    pub(super) fn innermost_divergent_loop(&self, block: Block) -> Option<LoopId> {
        self.loops.around(block).find(|&id| self.divergent[id])
    }

    pub(super) fn is_divergent_loop(&self, id: LoopId) -> bool {
        self.divergent[id]
    }

    /// Checks whether only a part of the active lanes may reach a block.
    pub(super) fn is_masked(&self, block: Block) -> bool {
        self.masked[block]
    }

    /// Checks whether lanes may diverge at the end of a block.
    pub(super) fn is_divergent_branch(&self, block: Block) -> bool {
        let last = self.func.terminator(block);
        let is_tested =
            matches!(last.op, Op::BrIf | Op::Switch) && !self.versioned.uniform_tests.contains_key(&block);
        let shape = |&arg: &Value| self.at(arg, block);
        is_tested
            && last.args.first().map(shape).is_some_and(|s| s != VectorShape::Unknown && !s.is_uniform())
    }

    /// Returns blocks that are targets of a terminator several times with different arguments.
    pub(super) fn repeated_targets(&self, block: Block) -> Vec<Block> {
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
                        let mut shape = self.at(arg, target.block).joined();
                        if self.reconverges[target.block] && shape != VectorShape::Unknown {
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
    fn propagate(
        &mut self,
        order: &BlockOrder,
        around: Option<LoopId>,
        targets: Vec<Block>,
        budget: &mut usize,
    ) -> Option<()> {
        // By position: blocks that lanes have reached, and the path to each, named by its first block.
        let mut open: BTreeMap<u32, (Block, Block)> = BTreeMap::new();
        let mut exited: FastMap<Block, Block> = FastMap::default();
        let mut is_divergent_exit = false;
        let mut reached: Vec<(Block, Block)> = targets.into_iter().map(|block| (block, block)).collect();
        reached.sort_unstable();
        reached.dedup();
        loop {
            for (block, path) in std::mem::take(&mut reached) {
                let is_inside = around
                    .is_none_or(|id| self.loops.contains(id, block) && self.loops.get(id).header != block);
                let previous = if is_inside {
                    open.insert(order.position(block), (block, path)).map(|(_, previous)| previous)
                } else {
                    exited.insert(block, path)
                };
                if previous.is_some_and(|previous| previous != path) {
                    self.reconverges[block] = true;
                    if is_inside {
                        open.insert(order.position(block), (block, block));
                    } else {
                        exited.insert(block, block);
                    }
                }
            }
            if open.len() == 1 && exited.is_empty() {
                break;
            }
            let Some((_, (block, path))) = open.pop_first() else { break };
            *budget = budget.checked_sub(1)?;
            self.masked[block] = true;
            for next in self.func.successors(block) {
                // A path through an inner loop continues the path that entered it.
                if order.is_before(block, next) || around.is_some_and(|id| self.loops.get(id).header == next)
                {
                    reached.push((next, path));
                }
            }
        }
        if let Some(id) = around {
            let mut paths: Vec<Block> = exited.values().copied().collect();
            paths.sort_unstable();
            paths.dedup();
            let header = self.loops.get(id).header;
            let leaves_loop = exited.keys().any(|&block| block != header);
            is_divergent_exit = leaves_loop && exited.len() > 1 && paths.len() > 1;
        }
        match around {
            Some(id) if is_divergent_exit && !self.divergent[id] => self.mark_divergent(order, id, budget),
            _ => Some(()),
        }
    }

    /// Marks a loop as divergent.
    fn mark_divergent(&mut self, order: &BlockOrder, id: LoopId, budget: &mut usize) -> Option<()> {
        self.divergent[id] = true;
        for &block in self.blocks_of(order, id) {
            *budget = budget.checked_sub(1)?;
            self.masked[block] = true;
        }
        let exits = self.exit_targets(order, id);
        for pair in exits.windows(2).filter(|pair| pair[0] == pair[1]) {
            self.reconverges[pair[0]] = true;
        }
        let outer = self.loops.get(id).parent;
        // Lanes that have left the loop may reach an iteration of the parent loop only when all lanes have
        // left.
        self.propagate(order, outer, exits, budget)
    }

    /// Returns the blocks of a loop.
    fn blocks_of<'o>(&self, order: &'o BlockOrder, id: LoopId) -> &'o [Block] {
        let blocks = &order.blocks[order.position(self.loops.get(id).header) as usize..];
        let length = blocks.iter().take_while(|&&block| self.loops.contains(id, block)).count();
        &blocks[..length]
    }

    /// Returns the targets of the exit edges of a loop, sorted.
    fn exit_targets(&self, order: &BlockOrder, id: LoopId) -> Vec<Block> {
        let nexts = self.blocks_of(order, id).iter().flat_map(|&block| self.func.successors(block));
        let mut exits: Vec<Block> = nexts.filter(|&next| !self.loops.contains(id, next)).collect();
        exits.sort_unstable();
        exits
    }

    /// Returns the exit blocks of a loop.
    pub(super) fn exits(&self, order: &BlockOrder, id: LoopId) -> Vec<Block> {
        let mut exits = self.exit_targets(order, id);
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
                return VectorShape::Affine(Stride::unbounded(
                    element.map_or(padded_size(size, align) as i64, i64::from),
                ));
            }
            Op::Load if inst.is_volatile() => return VectorShape::Varying,
            op if op.is_of_sub_group() => return sub_group::result_shape(inst, &all, self.lanes),
            _ => {}
        }
        if !matches!(inst.op.effect(), Effect::Pure | Effect::Read) {
            return VectorShape::Varying;
        }
        let previous =
            |shape: &VectorShape| if let VectorShape::Affine(stride) = *shape { Some(stride) } else { None };
        let all: Option<smallvec::SmallVec<[Stride; 4]>> = all.iter().map(previous).collect();
        let result =
            all.and_then(|all| stride::result(self.func, inst, &all, self.lanes, self.masked[block]));
        result.map_or(VectorShape::Varying, VectorShape::Affine)
    }
}

/// Returns the block that defines each value.
pub(super) fn def_blocks(func: &Function, blocks: &[Block]) -> IdMap<Value, Block> {
    let mut def_blocks = IdMap::with_len(func.entry(), func.values.len());
    for &block in blocks {
        let results = func.blocks[block].insts.iter().filter_map(|&id| func.insts[id].result);
        func.blocks[block].params.iter().copied().chain(results).for_each(|value| def_blocks[value] = block);
    }
    def_blocks
}

/// Returns the size of one lane's copy of a private object, including padding.
pub(super) fn padded_size(size: u64, align: u32) -> u64 {
    size.max(1).next_multiple_of(u64::from(align.max(1)))
}
