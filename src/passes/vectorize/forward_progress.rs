//! Finds loops in which a work-item may spin until another one has done something, such as releasing a lock.
//!
//! Lanes that hold the lock would stay idle at the end of the loop until the others leave it: with lanes the
//! loop never ends, with one work-item at a time it does. Loops that retry because another work-item was faster
//! are harmless: in each failed iteration some work-item made progress (Herlihy, Wait-Free Synchronization,
//! TOPLAS 1991).

use super::block_order::BlockOrder;
use super::divergence::VectorShapes;
use super::divergence::def_blocks;
use grus_ir::analysis::{Analyses, LoopId, Loops};
use grus_ir::{Block, Effect, Function, Inst, IntCond, Op, Value};
use grus_support::{FastMap, FastSet, IdMap};

/// Checks whether there is such a loop among the divergent loops.
pub(super) fn may_spin(
    func: &Function,
    order: &BlockOrder,
    loops: &Loops,
    shapes: &VectorShapes<'_>,
    is_used: &IdMap<Value, bool>,
) -> bool {
    let reads_others =
        |inst: &Inst| reads_others_writes(inst) && inst.result.is_some_and(|result| is_used[result]);
    let mut found: FastSet<LoopId> = FastSet::default();
    for &block in &order.blocks {
        if shapes.innermost_divergent_loop(block).is_some()
            && func.blocks[block].insts.iter().any(|&id| reads_others(&func.insts[id]))
        {
            found.extend(loops.around(block).filter(|&id| shapes.is_divergent_loop(id)));
        }
    }
    let mut found: Vec<LoopId> = found.into_iter().collect();
    found.sort_unstable();
    let mut query = ProgressQuery {
        func,
        blocks: &order.blocks,
        loops,
        def_blocks: shapes.def_blocks(),
        reads_others: reads_others_writes,
        is_round_robin: false,
        args_of_params: None,
        budget: 64 * func.size(),
    };
    found.into_iter().any(|id| query.may_spin(id))
}

/// Returns the loops of a function in which a work-item may spin on another one, innermost first.
pub fn spin_wait_loops(func: &Function, analyses: &mut Analyses) -> Vec<LoopId> {
    let (cfg, loops) = (analyses.cfg(func), analyses.loops(func));
    let blocks = cfg.rpo();
    let mut found: FastSet<LoopId> = FastSet::default();
    for &block in blocks {
        if func.blocks[block].insts.iter().any(|&id| may_read_others(&func.insts[id])) {
            found.extend(loops.around(block));
        }
    }
    if found.is_empty() {
        return Vec::new();
    }
    let def_blocks = def_blocks(func, blocks);
    let budget = 64 * func.size();
    let mut query = ProgressQuery {
        func,
        blocks,
        loops: &loops,
        def_blocks: &def_blocks,
        reads_others: may_read_others,
        is_round_robin: true,
        args_of_params: None,
        budget,
    };
    let mut found: Vec<LoopId> = found.into_iter().collect();
    found.sort_unstable_by_key(|&id| std::cmp::Reverse(loops.depth(loops.get(id).header)));
    found.retain(|&id| query.may_spin(id));
    found
}

/// Checks whether an instruction reads what other work-items may have written meanwhile.
pub(super) fn reads_others_writes(inst: &Inst) -> bool {
    matches!(inst.op, Op::AtomicRmw | Op::AtomicCas | Op::AtomicLoad) || inst.is_volatile()
}

/// Checks the same, and assumes it of calls.
fn may_read_others(inst: &Inst) -> bool {
    reads_others_writes(inst) || inst.op == Op::Call
}

/// Limit of the depth to which addresses and values are analyzed.
// Arbitrary.
const MAX_DEPTH: u32 = 8;

/// A function and the state of queries on its loops.
struct ProgressQuery<'f> {
    func: &'f Function,
    blocks: &'f [Block],
    loops: &'f Loops,
    /// Block that defines each value.
    def_blocks: &'f IdMap<Value, Block>,
    /// Predicate for instructions that read what other work-items may have written meanwhile.
    reads_others: fn(&Inst) -> bool,
    /// True if work-items run round-robin, so that counted loops and retries are harmless.
    is_round_robin: bool,
    /// Arguments of each block parameter, and the blocks that pass them; computed on demand.
    args_of_params: Option<FastMap<Value, Vec<(Block, Value)>>>,
    budget: usize,
}

impl ProgressQuery<'_> {
    /// Checks whether a loop may iterate because of other work-items although none of them has made progress.
    fn may_spin(&mut self, id: LoopId) -> bool {
        self.exit_depends_on_others(id)
            && !(self.is_round_robin && self.is_counted(id))
            && self.may_iterate_without_progress(id)
    }

    fn is_inside(&self, id: LoopId, value: Value) -> bool {
        self.loops.contains(id, self.def_blocks[value])
    }

    fn args_of_params(&mut self) -> &FastMap<Value, Vec<(Block, Value)>> {
        let func = self.func;
        self.args_of_params.get_or_insert_with(|| {
            let mut args_of_params: FastMap<Value, Vec<(Block, Value)>> = FastMap::default();
            for &block in &func.layout {
                for target in &func.terminator(block).targets {
                    for (&param, &arg) in func.blocks[target.block].params.iter().zip(&target.args) {
                        args_of_params.entry(param).or_default().push((block, arg));
                    }
                }
            }
            args_of_params
        })
    }

    /// Checks whether an exit condition of a loop depends on what other work-items have written.
    fn exit_depends_on_others(&mut self, id: LoopId) -> bool {
        let func = self.func;
        let inside: Vec<Block> =
            self.blocks.iter().copied().filter(|&block| self.loops.contains(id, block)).collect();
        let conditions = |block: Block| func.terminator(block).args.iter().copied();
        let leaves = |&&block: &&Block| func.successors(block).any(|next| !self.loops.contains(id, next));
        let mut work: Vec<Value> =
            inside.iter().filter(leaves).flat_map(|&block| conditions(block)).collect();
        let mut seen: FastSet<Value> = work.iter().copied().collect();
        let mut has_path_conditions = false;
        while let Some(value) = work.pop() {
            let Some(left) = self.budget.checked_sub(1) else { return true };
            self.budget = left;
            if !self.is_inside(id, value) {
                continue;
            }
            let mut next: Vec<Value> = Vec::new();
            match func.def_inst(value) {
                Some(inst) if (self.reads_others)(inst) => return true,
                Some(inst) => next.extend(&inst.args),
                None => {
                    let loops = self.loops;
                    let args_of_params =
                        self.args_of_params().get(&value).map(Vec::as_slice).unwrap_or_default();
                    let inner = args_of_params.iter().filter(|(from, _)| loops.contains(id, *from));
                    next.extend(inner.clone().map(|&(_, arg)| arg));
                    // The value of a parameter with several arguments depends on the path.
                    if inner.count() > 1 && !std::mem::replace(&mut has_path_conditions, true) {
                        next.extend(inside.iter().flat_map(|&block| conditions(block)));
                    }
                }
            }
            work.extend(next.into_iter().filter(|&value| seen.insert(value)));
        }
        false
    }

    /// Checks whether there is a path from the header of a loop back to it on which no compare-and-exchange
    /// fails.
    fn may_iterate_without_progress(&mut self, id: LoopId) -> bool {
        let header = self.loops.get(id).header;
        let mut seen: FastSet<Block> = FastSet::default();
        let mut work = vec![header];
        while let Some(block) = work.pop() {
            let fails = self.failed_exchange_target(id, block);
            let last = self.func.terminator(block);
            for (at, target) in last.targets.iter().enumerate() {
                if fails == Some(at) || !self.loops.contains(id, target.block) {
                    continue;
                }
                if target.block == header {
                    return true;
                }
                if seen.insert(target.block) {
                    work.push(target.block);
                }
            }
        }
        false
    }

    /// Returns the target of a branch that is taken if a compare-and-exchange failed because another one came
    /// first.
    fn failed_exchange_target(&mut self, id: LoopId, block: Block) -> Option<usize> {
        let func = self.func;
        let last = func.terminator(block);
        let on = func.def_inst(*last.args.first()?).filter(|on| last.op == Op::BrIf && on.op == Op::Icmp)?;
        let fails = match on.int_cond() {
            IntCond::Ne => 0,
            IntCond::Eq => 1,
            _ => return None,
        };
        let [a, b] = [0, 1].map(|i| self.without_bitcasts(on.args[i]));
        [(a, b), (b, a)]
            .into_iter()
            .any(|(found, expected)| self.is_reread(id, found, expected, MAX_DEPTH))
            .then_some(fails)
    }

    /// Checks whether a value is the result of a compare-and-exchange in a loop that expected what it had read
    /// there before. In kernels whose work-items run round-robin, the result of another read of that address
    /// counts, too.
    fn is_reread(&mut self, id: LoopId, found: Value, expected: Value, depth: u32) -> bool {
        let (func, loops) = (self.func, self.loops);
        let Some(depth) = depth.checked_sub(1).filter(|_| self.is_inside(id, found)) else { return false };
        let candidates: Vec<Value> = match func.def_inst(found) {
            Some(inst) if inst.op == Op::AtomicCas => {
                return self.without_bitcasts(inst.args[1]) == expected
                    && self.is_read_at(id, inst.args[0], expected, expected, MAX_DEPTH);
            }
            _ if !self.is_round_robin => return false,
            Some(inst) if inst.op == Op::AtomicLoad => {
                return self.is_read_at(id, inst.args[0], expected, expected, MAX_DEPTH);
            }
            Some(inst) if inst.op == Op::Select => inst.args[1..].to_vec(),
            Some(_) => return false,
            None => {
                let args_of_params = self.args_of_params().get(&found).map(Vec::as_slice).unwrap_or_default();
                args_of_params
                    .iter()
                    .filter(|(from, _)| loops.contains(id, *from))
                    .map(|&(_, arg)| arg)
                    .collect()
            }
        };
        !candidates.is_empty()
            && candidates.into_iter().all(|arg| {
                let arg = self.without_bitcasts(arg);
                self.is_reread(id, arg, expected, depth)
            })
    }

    /// Checks whether a loop has an induction variable that bounds its trip count.
    fn is_counted(&mut self, id: LoopId) -> bool {
        let func = self.func;
        let found = self.loops.get(id);
        let (header, latches) = (found.header, &found.latches);
        let last = func.terminator(header);
        let leaves =
            last.op == Op::BrIf && func.successors(header).any(|next| !self.loops.contains(id, next));
        let on = last.args.first().and_then(|&on| func.def_inst(on)).filter(|on| leaves && on.op == Op::Icmp);
        let (Some(on), [latch]) = (on, &latches[..]) else { return false };
        let params = &func.blocks[header].params;
        [(0, 1), (1, 0)].into_iter().any(|(number, bound)| {
            let at = params.iter().position(|&param| param == on.args[number]);
            let next = at.and_then(|at| {
                func.terminator(*latch).targets.iter().find(|to| to.block == header)?.args.get(at)
            });
            let step = next.and_then(|&next| func.def_inst(self.unique_arg(next)));
            let is_step = step.is_some_and(|step| {
                step.op == Op::Iadd
                    && step.args[0] == on.args[number]
                    && func.as_const(step.args[1]).is_some_and(|by| by > 0)
            });
            is_step && !self.is_inside(id, on.args[bound])
        })
    }

    /// Returns the argument of a parameter if all edges pass the same one, else the parameter.
    fn unique_arg(&mut self, value: Value) -> Value {
        let mut all = self
            .args_of_params()
            .get(&value)
            .map(Vec::as_slice)
            .unwrap_or_default()
            .iter()
            .map(|&(_, arg)| arg);
        match all.next() {
            Some(first) if all.all(|other| other == first) => first,
            _ => value,
        }
    }

    /// Checks whether a value is read from `at` in each iteration; `expected` stands for such a value of the
    /// iteration before.
    fn is_read_at(&mut self, id: LoopId, at: Value, value: Value, expected: Value, depth: u32) -> bool {
        let (func, loops) = (self.func, self.loops);
        let Some(depth) = depth.checked_sub(1).filter(|_| self.is_inside(id, value)) else { return false };
        match func.def_inst(value) {
            Some(inst) if inst.op == Op::Select => inst.args[1..].iter().all(|&arg| {
                let arg = self.without_bitcasts(arg);
                arg == expected || self.is_read_at(id, at, arg, expected, depth)
            }),
            Some(inst) => {
                let reads = matches!(inst.op, Op::Load | Op::AtomicLoad | Op::AtomicCas);
                reads && self.is_equal(inst.args[0], at, MAX_DEPTH)
            }
            None => {
                let args_of_params = self.args_of_params().get(&value).cloned().unwrap_or_default();
                let inner = args_of_params.into_iter().filter(|(from, _)| loops.contains(id, *from));
                let mut new = inner.map(|(_, arg)| self.without_bitcasts(arg)).collect::<Vec<Value>>();
                new.retain(|&arg| arg != expected);
                !new.is_empty() && new.into_iter().all(|arg| self.is_read_at(id, at, arg, expected, depth))
            }
        }
    }

    /// Checks whether two values are computed by equal pure expressions.
    fn is_equal(&self, a: Value, b: Value, depth: u32) -> bool {
        let (a, b) = (self.without_bitcasts(a), self.without_bitcasts(b));
        a == b
            || match (self.func.def_inst(a), self.func.def_inst(b)) {
                (Some(a), Some(b)) => {
                    let is_alike = (a.op, a.ty, &a.attr) == (b.op, b.ty, &b.attr);
                    let mut args = a.args.iter().zip(&b.args);
                    depth > 0
                        && is_alike
                        && a.op.effect() == Effect::Pure
                        && a.args.len() == b.args.len()
                        && args.all(|(&a, &b)| self.is_equal(a, b, depth - 1))
                }
                _ => false,
            }
    }

    /// Returns a value without the bit casts around it.
    fn without_bitcasts(&self, mut value: Value) -> Value {
        while let Some(inst) = self.func.def_inst(value).filter(|inst| inst.op == Op::Bitcast) {
            value = inst.args[0];
        }
        value
    }
}
