//! If-conversion: branches around a few cheap instructions become `select` (Allen, Kennedy, Porterfield, Warren:
//! Conversion of Control Dependence to Data Dependence, 1983, for diamonds and triangles only).
//!
//! `?:`, `&&`, `||` and small `if`s are lowered to branches. If both sides are pure and cheap, both are executed,
//! and the parameters of the join block become selects. Selects between truth values become `and` and `or`. Blocks
//! are visited from the end, so inner branches are converted first; a block whose only predecessor is the current
//! one is merged at once, so that an outer branch sees straight-line code.

use super::super::pass_manager::PassContext;
use super::cost::instruction_cost;
use super::replace::Replacements;
use grus_ir::{Block, Builder, Effect, Function, Op, Type, Value};
use grus_support::IdMap;

/// Maximum cost of both sides together with the selects.
// Arbitrary.
const MAX_COST: usize = 8;
/// Maximum number of instructions of a block that is merged. A larger one would make no side cheap, and moving it
/// repeatedly would be slow.
// Arbitrary.
const MAX_MERGED_SIZE: usize = 32;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let cfg = context.analyses.cfg(func);
    let mut edges = IdMap::with_len(0, func.blocks.len());
    for &block in cfg.rpo() {
        func.successors(block).for_each(|next| edges[next] += 1);
    }
    let replaced = Replacements::new(func);
    let mut converter = Converter { func, edges, replaced, removed: IdMap::new(false), changed: false };
    for &block in cfg.rpo().iter().rev() {
        converter.block(block);
    }
    let Converter { replaced, removed, changed, .. } = converter;
    func.layout.retain(|&block| !removed[block]);
    replaced.apply(func);
    changed
}

struct Converter<'f> {
    func: &'f mut Function,
    /// Number of edges that lead to each block.
    edges: IdMap<Block, u32>,
    replaced: Replacements,
    removed: IdMap<Block, bool>,
    changed: bool,
}

/// Side of a branch: the path from one of its edges to the join block.
struct Side {
    /// Block on the path, if there is one.
    block: Option<Block>,
    join: Block,
    args: Vec<Value>,
}

impl Converter<'_> {
    fn block(&mut self, block: Block) {
        while self.convert(block) {
            self.changed = true;
            self.merge_successors(block);
        }
    }

    /// Converts the branch at the end of a block.
    fn convert(&mut self, block: Block) -> bool {
        let last = self.func.terminator(block);
        if last.op != Op::BrIf {
            return false;
        }
        let (cond, loc) = (self.replaced.get(last.args[0]), last.loc);
        let (Some(then), Some(otherwise)) = (self.side(block, 0), self.side(block, 1)) else { return false };
        if then.join != otherwise.join || then.join == block {
            return false;
        }
        let mut cost = 0;
        for side in [&then, &otherwise].into_iter().filter_map(|side| side.block) {
            let Some(more) = self.side_cost(side) else { return false };
            cost += more;
        }
        let selects = then.args.iter().zip(&otherwise.args).filter(|(a, b)| a != b);
        for (&a, _) in selects {
            let Some(more) = self.select_cost(a) else { return false };
            cost += more;
        }
        if cost > MAX_COST {
            return false;
        }
        self.func.blocks[block].insts.pop();
        for side in [&then, &otherwise] {
            self.edges[side.join] -= u32::from(side.block.is_none());
            if let Some(from) = side.block {
                self.append(block, from);
                self.func.blocks[block].insts.pop();
                self.edges[side.join] -= 1;
            }
        }
        let mut args = Vec::with_capacity(then.args.len());
        for (&a, &b) in then.args.iter().zip(&otherwise.args) {
            args.push(self.emit_select(block, loc, cond, a, b));
        }
        let mut b = Builder::new(self.func, block);
        b.loc = loc;
        b.jump(then.join, &args);
        self.edges[then.join] += 1;
        true
    }

    /// Returns a side of a branch: its target is the join block, or a block that only this edge leads to.
    fn side(&self, block: Block, index: usize) -> Option<Side> {
        let target = &self.func.terminator(block).targets[index];
        let next = target.block;
        let get = |args: &[Value]| args.iter().map(|&arg| self.replaced.get(arg)).collect();
        let last = self.func.terminator(next);
        let is_between =
            self.edges[next] == 1 && last.op == Op::Jump && self.func.blocks[next].params.is_empty();
        let other = self.func.terminator(block).targets[1 - index].block;
        if is_between && next != other && next != block {
            let on = &last.targets[0];
            return Some(Side { block: Some(next), join: on.block, args: get(&on.args) });
        }
        Some(Side { block: None, join: next, args: get(&target.args) })
    }

    /// Returns the cost of a side's instructions, or `None` if they must not be executed speculatively.
    fn side_cost(&self, block: Block) -> Option<usize> {
        let insts = &self.func.blocks[block].insts;
        let mut sum = 0;
        for &id in &insts[..insts.len() - 1] {
            let inst = &self.func.insts[id];
            if inst.op.effect() != Effect::Pure {
                return None;
            }
            sum += instruction_cost(self.func, inst);
            if sum > MAX_COST {
                return None;
            }
        }
        Some(sum)
    }

    /// Returns the cost of a select, or `None` if it would be lowered to a branch again.
    fn select_cost(&self, a: Value) -> Option<usize> {
        let ty = self.func.ty(a);
        (!ty.is_vector()).then_some(1)
    }

    /// Moves all instructions of a block to the end of another.
    fn append(&mut self, block: Block, from: Block) {
        let mut insts = std::mem::take(&mut self.func.blocks[from].insts);
        self.func.blocks[block].insts.append(&mut insts);
        self.removed[from] = true;
    }

    fn emit_select(&mut self, block: Block, loc: u32, cond: Value, a: Value, b: Value) -> Value {
        if a == b {
            return a;
        }
        let (if_true, if_false) = (self.func.as_const(a), self.func.as_const(b));
        let is_truth = self.func.ty(a) == Type::I1;
        let mut builder = Builder::new(self.func, block);
        builder.loc = loc;
        let not = |builder: &mut Builder<'_>| {
            let one = builder.iconst(Type::I1, 1);
            builder.same(Op::Xor, &[cond, one])
        };
        match (if_true, if_false) {
            (Some(1), Some(0)) if is_truth => cond,
            (Some(0), Some(1)) if is_truth => not(&mut builder),
            (_, Some(0)) if is_truth => builder.same(Op::And, &[cond, a]),
            (Some(1), _) if is_truth => builder.same(Op::Or, &[cond, b]),
            (Some(0), _) if is_truth => {
                let not = not(&mut builder);
                builder.same(Op::And, &[not, b])
            }
            (_, Some(1)) if is_truth => {
                let not = not(&mut builder);
                builder.same(Op::Or, &[not, a])
            }
            _ => builder.select(cond, a, b),
        }
    }

    /// Merges the successors that only this block leads to, as long as they are small; `simplify` merges the
    /// others.
    fn merge_successors(&mut self, block: Block) {
        loop {
            let last = self.func.terminator(block);
            if last.op != Op::Jump {
                return;
            }
            let target = last.targets[0].clone();
            let is_small = self.func.blocks[target.block].insts.len() <= MAX_MERGED_SIZE;
            if self.edges[target.block] != 1 || target.block == block || !is_small {
                return;
            }
            for (&param, &arg) in self.func.blocks[target.block].params.iter().zip(&target.args) {
                self.replaced.set(param, arg);
            }
            self.func.blocks[block].insts.pop();
            self.append(block, target.block);
        }
    }
}
