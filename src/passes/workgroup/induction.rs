//! Induction-variable splitting: splits a varying induction variable with uniform steps, in loops with barriers,
//! into a base for each work-item and one counter for the whole group.
//!
//! ```text
//! p = phi(a + id, p + 4 * lda)     ->     n = phi(0, n + 4 * lda);  p = a + id + n
//! ```
//! Otherwise the pointer would be stored for each work-item at every barrier, and after reloading it is no longer
//! known that consecutive work-items have consecutive addresses, so vectorized accesses would be gathers. The base
//! is recomputed after each barrier, and the counter is uniform. This is the inverse of strength reduction (Allen,
//! Cocke and Kennedy, Reduction of Operator Strength, 1981), whose saving is small in comparison.
//!
//! A 32-bit number is counted in 64 bits if no step wraps, as a signed or as an unsigned number, so that this
//! extension is the sum itself.

use super::super::pass_manager::PassContext;
use super::super::scalar::replace::Replacements;
use super::rematerialize;
use super::uniformity::{self, Uniformity};
use grus_ir::analysis::{Analyses, Cfg, LoopId, Loops};
use grus_ir::{Block, Builder, Def, Function, Inst, InstId, Kind, Op, Type, Value, ValueData};
use grus_support::{FastMap, FastSet};

/// Maximum number of steps of one value in an iteration.
// Arbitrary.
const MAX_STEPS: usize = 64;

/// Maximum number of arguments of all back edges of a loop.
// Arbitrary.
const MAX_ARGUMENTS: usize = 4_096;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let found = find(func, &mut context.analyses);
    let mut extended = FastMap::default();
    found.iter().for_each(|found| write(func, found, &mut extended));
    replace_extensions(func, &extended);
    !found.is_empty()
}

/// Checks whether the pass may find anything in a kernel.
pub fn may_run(func: &Function) -> bool {
    func.instructions().any(|inst| inst.op.is_group_barrier())
}

/// A loop-header parameter to be split into a base and a counter.
struct SplitInduction {
    header: Block,
    /// Initial value, and the block that passes it.
    base: Value,
    preheader: Block,
    param: Value,
    latches: Vec<Block>,
    /// Instructions that step the value in an iteration, with their blocks; each comes after the one whose
    /// result it uses.
    steps: Vec<(Block, InstId)>,
    /// Extension to 64 bits of a number of 32 bits that does not wrap, in which it is counted.
    extension: Option<Op>,
}

fn find(func: &Function, analyses: &mut Analyses) -> Vec<SplitInduction> {
    let loops = analyses.loops(func);
    let has_barrier =
        |block: Block| func.blocks[block].insts.iter().any(|&id| func.insts[id].op.is_group_barrier());
    if !loops.is_reducible() {
        return Vec::new();
    }
    let with_barriers: FastSet<LoopId> = func
        .layout
        .iter()
        .filter(|&&block| has_barrier(block))
        .flat_map(|&block| loops.around(block))
        .collect();
    if with_barriers.is_empty() {
        return Vec::new();
    }
    let uniform = uniformity::find(func, analyses);
    let cfg = analyses.cfg(func);
    let mut block_of = FastMap::default();
    for &block in func.layout.iter().filter(|&&block| loops.depth(block) > 0) {
        block_of.extend(func.blocks[block].insts.iter().map(|&id| (id, block)));
    }
    let finder = InductionFinder { func, loops: &loops, cfg: &cfg, uniform: &uniform, block_of };
    loops.ids().filter(|id| with_barriers.contains(id)).flat_map(|id| finder.split_candidates(id)).collect()
}

struct InductionFinder<'a> {
    func: &'a Function,
    loops: &'a Loops,
    cfg: &'a Cfg,
    uniform: &'a Uniformity,
    /// Blocks of the instructions in loops.
    block_of: FastMap<InstId, Block>,
}

impl InductionFinder<'_> {
    fn split_candidates(&self, id: LoopId) -> Vec<SplitInduction> {
        let header = self.loops.get(id).header;
        let outside = |&&pred: &&Block| !self.loops.contains(id, pred);
        let mut preheader = self.cfg.preds(header).iter().filter(outside);
        // Work-items that reach the loop different numbers of times would need different counters.
        let (Some(&preheader), None) = (preheader.next(), preheader.next()) else { return Vec::new() };
        let count = self.func.blocks[header].params.len();
        let is_too_large = count * self.loops.get(id).latches.len() > MAX_ARGUMENTS;
        if is_too_large || !self.uniform.converged[header] {
            return Vec::new();
        }
        (0..count).filter_map(|at| self.split_candidate(id, preheader, at)).collect()
    }

    /// Returns the header parameter at this position if its steps are uniform.
    fn split_candidate(&self, id: LoopId, preheader: Block, at: usize) -> Option<SplitInduction> {
        let func = self.func;
        let lp = self.loops.get(id);
        let param = func.blocks[lp.header].params[at];
        let ty = func.ty(param);
        let is_number = matches!(ty.kind, Kind::I32 | Kind::I64) || ty.kind.is_ptr();
        if ty.is_vector() || !is_number || ty.kind == Kind::PtrPrivate || self.uniform.values[param] {
            return None;
        }
        let base = self.argument(preheader, lp.header, at)?;
        if !rematerialize::is_cheap(func, base) && !rematerialize::is_sum(func, base) {
            return None;
        }
        let mut steps: Vec<(Block, InstId)> = Vec::new();
        for &latch in &lp.latches {
            let mut value = self.argument(latch, lp.header, at)?;
            let first = steps.len();
            while value != param {
                let Def::Inst(step) = func.values[value].def else { return None };
                value = self.stepped_operand(step)?;
                if steps.len() == MAX_STEPS {
                    return None;
                }
                if !steps.iter().any(|&(_, known)| known == step) {
                    steps.push((*self.block_of.get(&step)?, step));
                }
            }
            steps[first..].reverse();
        }
        let allowed =
            |extension: Op| steps.iter().all(|&(_, step)| func.insts[step].no_wrap().allows(extension));
        let results = steps.iter().filter_map(|&(_, step)| func.insts[step].result);
        let counted: FastSet<Value> = results.chain([param]).collect();
        let is_used = |extension: Op| {
            let mut uses = func.instructions().filter(|inst| inst.op == extension && inst.ty == Type::I64);
            uses.any(|inst| counted.contains(&inst.args[0]))
        };
        let extension = match (allowed(Op::Sext), allowed(Op::Zext) && is_used(Op::Zext)) {
            _ if ty.kind != Kind::I32 => None,
            (true, true) => Some(if is_used(Op::Sext) { Op::Sext } else { Op::Zext }),
            (true, false) => Some(Op::Sext),
            (false, true) => Some(Op::Zext),
            (false, false) => None,
        };
        let found = SplitInduction {
            header: lp.header,
            base,
            preheader,
            param,
            latches: lp.latches.clone(),
            steps,
            extension,
        };
        (!found.steps.is_empty()).then_some(found)
    }

    /// Returns the argument that a block passes to another one, if it has only one edge to it.
    fn argument(&self, from: Block, to: Block, at: usize) -> Option<Value> {
        let mut targets = self.func.terminator(from).targets.iter().filter(|target| target.block == to);
        let (target, None) = (targets.next()?, targets.next()) else { return None };
        Some(target.args[at])
    }

    /// Returns the operand that an instruction adds a uniform value to or subtracts one from.
    fn stepped_operand(&self, step: InstId) -> Option<Value> {
        let inst = &self.func.insts[step];
        let [a, b] = inst.args[..] else { return None };
        let is_same = |value: Value| self.uniform.values[value];
        match inst.op {
            Op::Iadd | Op::Isub | Op::PtrAdd if is_same(b) => Some(a),
            Op::Iadd if is_same(a) => Some(b),
            _ => None,
        }
    }
}

/// Splits the parameter. The 64-bit sums of 32-bit values are added to `extended`.
fn write(func: &mut Function, found: &SplitInduction, extended: &mut FastMap<(Value, Op), Value>) {
    let &SplitInduction { header, param, extension, .. } = found;
    let of_item = func.ty(param);
    let ty = if of_item.kind.is_ptr() || extension.is_some() { Type::I64 } else { of_item };
    let at = func.blocks[header].params.iter().position(|&other| other == param).expect("it is one");
    let end = func.blocks[found.preheader].insts.pop().expect("a terminator");
    let mut b = Builder::new(func, found.preheader);
    let zero = b.iconst(ty, 0);
    let base = extension.map_or(found.base, |extension| b.convert(extension, ty, found.base));
    func.blocks[found.preheader].insts.push(end);
    // The counter replaces the parameter.
    let counter = func.values.push(ValueData { ty, def: func.values[param].def });
    func.blocks[header].params[at] = counter;
    let mut counted: FastMap<Value, Value> = [(found.base, zero), (param, counter)].into_iter().collect();
    let mut sums = Sums { extension, base, extended };
    let rest = std::mem::take(&mut func.blocks[header].insts);
    sums.write(func, header, of_item, param, counter);
    func.blocks[header].insts.extend(rest);
    for &(block, step) in &found.steps {
        let inst = func.insts[step].clone();
        let sum = inst.result.expect("a sum");
        let position = func.blocks[block].insts.iter().position(|&id| id == step).expect("its block");
        let rest = func.blocks[block].insts.split_off(position);
        let mut b = Builder::new(func, block);
        b.loc = inst.loc;
        let by = inst.args.iter().position(|arg| !counted.contains_key(arg)).unwrap_or(1);
        let (previous, by) = (counted[&inst.args[1 - by]], inst.args[by]);
        let by = extension.map_or(by, |extension| b.convert(extension, ty, by));
        let next = b.same(if inst.op == Op::Isub { Op::Isub } else { Op::Iadd }, &[previous, by]);
        sums.write(func, block, of_item, sum, next);
        func.blocks[block].insts.extend(&rest[1..]);
        counted.insert(sum, next);
    }
    for &from in found.latches.iter().chain([&found.preheader]) {
        for target in func.terminator_mut(from).targets.iter_mut().filter(|target| target.block == header) {
            target.args[at] = counted[&target.args[at]];
        }
    }
}

/// Rewrites values as sums of the base and the counter.
struct Sums<'a> {
    extension: Option<Op>,
    base: Value,
    /// 32-bit values with an extension to 64 bits, and its result.
    extended: &'a mut FastMap<(Value, Op), Value>,
}

impl Sums<'_> {
    /// Defines `value` as the sum of the base and `counter` at the end of a block.
    fn write(&mut self, func: &mut Function, block: Block, ty: Type, value: Value, counter: Value) {
        let mut b = Builder::new(func, block);
        let args = [self.base, counter];
        let new = if ty.kind.is_ptr() {
            b.ptr_add(args[0], args[1])
        } else if let Some(extension) = self.extension {
            let sum = b.same(Op::Iadd, &args);
            self.extended.insert((value, extension), sum);
            b.convert(Op::Trunc, ty, sum)
        } else {
            b.same(Op::Iadd, &args)
        };
        // The new instruction keeps the value's number, so its uses need no change.
        let Def::Inst(id) = func.values[new].def else { unreachable!("a sum") };
        func.insts[id].result = Some(value);
        func.values[value].def = Def::Inst(id);
    }
}

/// Replaces extensions by the sums in 64 bits.
fn replace_extensions(func: &mut Function, sums: &FastMap<(Value, Op), Value>) {
    if sums.is_empty() {
        return;
    }
    let mut replaced = Replacements::new(func);
    let is_extension = |inst: &&Inst| matches!(inst.op, Op::Sext | Op::Zext) && inst.ty == Type::I64;
    for inst in func.instructions().filter(is_extension) {
        if let (Some(&sum), Some(result)) = (sums.get(&(inst.args[0], inst.op)), inst.result) {
            replaced.set(result, sum);
        }
    }
    replaced.apply(func);
}
