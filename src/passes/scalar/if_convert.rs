//! If-conversion: branches around a few cheap instructions become `select` (Allen, Kennedy, Porterfield, Warren: Conversion
//! of Control Dependence to Data Dependence, 1983, for diamonds and triangles only).
//!
//! `?:`, `&&`, `||` and small `if`s are branches when they are lowered. Where both sides are pure and cheap they are computed
//! both, and the parameters of the block behind them become a choice. Choices between truth values become `and` and `or`. Inner
//! branches go first, since blocks are visited from the end; a block that only this one leads to is taken in at once,
//! so that the branch around it sees straight code.

use super::super::pass_manager::PassContext;
use super::cost::price;
use super::replace::Replacements;
use crate::ir::{Block, Builder, Effect, Function, Op, Type, Value};
use crate::support::IdMap;

/// What both sides may cost, and the choices behind them.
const MOST: usize = 8;
/// Instructions of a block that is taken in. A larger one makes no side cheap; moved again and again it would cost much.
const MOST_TAKEN: usize = 32;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let cfg = context.analyses.cfg(func);
    let mut edges = IdMap::with_len(0, func.blocks.len());
    for &block in cfg.rpo() {
        func.successors(block).for_each(|next| edges[next] += 1);
    }
    let replaced = Replacements::new(func);
    let mut converter = Converter { func, edges, replaced, gone: IdMap::new(false), changed: false };
    for &block in cfg.rpo().iter().rev() {
        converter.block(block);
    }
    let Converter { replaced, gone, changed, .. } = converter;
    func.layout.retain(|&block| !gone[block]);
    replaced.apply(func);
    changed
}

struct Converter<'f> {
    func: &'f mut Function,
    /// How many edges lead to each block.
    edges: IdMap<Block, u32>,
    replaced: Replacements,
    gone: IdMap<Block, bool>,
    changed: bool,
}

/// What one edge of a branch leads to, and on.
struct Side {
    /// The block on the way, if there is one.
    block: Option<Block>,
    join: Block,
    args: Vec<Value>,
}

impl Converter<'_> {
    fn block(&mut self, block: Block) {
        while self.convert(block) {
            self.changed = true;
            self.take_in(block);
        }
    }

    /// Makes straight code of the branch at the end of a block.
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
        let mut price = 0;
        for side in [&then, &otherwise].into_iter().filter_map(|side| side.block) {
            let Some(more) = self.price(side) else { return false };
            price += more;
        }
        let choices = then.args.iter().zip(&otherwise.args).filter(|(a, b)| a != b);
        for (&a, _) in choices {
            let Some(more) = self.choice_price(a) else { return false };
            price += more;
        }
        if price > MOST {
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
            args.push(self.choose(block, loc, cond, a, b));
        }
        let mut b = Builder::new(self.func, block);
        b.loc = loc;
        b.jump(then.join, &args);
        self.edges[then.join] += 1;
        true
    }

    /// Where a branch leads: to the join at once, or by a block that only it leads to.
    fn side(&self, block: Block, which: usize) -> Option<Side> {
        let target = &self.func.terminator(block).targets[which];
        let next = target.block;
        let get = |args: &[Value]| args.iter().map(|&arg| self.replaced.get(arg)).collect();
        let last = self.func.terminator(next);
        let is_between =
            self.edges[next] == 1 && last.op == Op::Jump && self.func.blocks[next].params.is_empty();
        let other = self.func.terminator(block).targets[1 - which].block;
        if is_between && next != other && next != block {
            let on = &last.targets[0];
            return Some(Side { block: Some(next), join: on.block, args: get(&on.args) });
        }
        Some(Side { block: None, join: next, args: get(&target.args) })
    }

    /// What the instructions of a side cost; none if they must not be done in vain.
    fn price(&self, block: Block) -> Option<usize> {
        let insts = &self.func.blocks[block].insts;
        let mut sum = 0;
        for &id in &insts[..insts.len() - 1] {
            let inst = &self.func.insts[id];
            if inst.op.effect() != Effect::Pure {
                return None;
            }
            sum += price(self.func, inst);
            if sum > MOST {
                return None;
            }
        }
        Some(sum)
    }

    /// What a choice costs; none where it would be a branch again.
    fn choice_price(&self, a: Value) -> Option<usize> {
        let ty = self.func.ty(a);
        (!ty.is_vector()).then_some(1)
    }

    /// Moves all instructions of a block to the end of another.
    fn append(&mut self, block: Block, from: Block) {
        let mut insts = std::mem::take(&mut self.func.blocks[from].insts);
        self.func.blocks[block].insts.append(&mut insts);
        self.gone[from] = true;
    }

    fn choose(&mut self, block: Block, loc: u32, cond: Value, a: Value, b: Value) -> Value {
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

    /// Takes in the block that follows, as long as only this one leads there and it is small; `simplify` does the others.
    fn take_in(&mut self, block: Block) {
        loop {
            let last = self.func.terminator(block);
            if last.op != Op::Jump {
                return;
            }
            let target = last.targets[0].clone();
            let is_small = self.func.blocks[target.block].insts.len() <= MOST_TAKEN;
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
