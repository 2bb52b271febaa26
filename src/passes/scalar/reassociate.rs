//! Sums, products and chains of bitwise operations in the order in which what they combine is there: what is waited for
//! longest comes last.
//!
//! `((a + f) + w) + k` becomes `((w + k) + a) + f` where `f` is the last to be known, as in every step of a hash function: each
//! step is then as long as its slowest operand and one addition. The two that are there first are combined, again and again
//! (Golumbic: Combinatorial Merging, IEEE Transactions on Computers, 1976); what loops do not change comes before what they do.
//! Constants become one. Only integers: sums of floats are what the program says.
//!
//! For the same reason `a * b + a` becomes `a * (b + 1)` where `a` is the last to be known.

use smallvec::SmallVec;

use super::super::pass_manager::PassContext;
use super::cost::latency;
use super::reassociate_address::ranks;
use super::replace::Replacements;
use crate::ir::analysis::{Cfg, Loops};
use crate::ir::{Attr, Block, Builder, Def, Effect, Function, Inst, InstId, Op, Type, Value};
use crate::support::IdMap;

/// What a chain combines at most; longer ones are taken in parts.
const MOST_LEAVES: usize = 32;

/// Ways from a block that are looked at.
const MOST_WAYS: usize = 8;

/// Cycles after which what the turn before left counts as known: all else is there by then.
const TURN: u64 = 1 << 20;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    if !func.instructions().any(|inst| chained(inst.op).is_some()) {
        return false;
    }
    let (cfg, loops) = (context.analyses.cfg(func), context.analyses.loops(func));
    let Links { inner, mut added } = links(func, &cfg);
    let mut ready = Ready::new(func, &cfg, &loops);
    let mut replaced = Replacements::new(func);
    for &block in cfg.rpo() {
        ready.enter(func, block);
        let mut dead: Vec<InstId> = Vec::new();
        for id in std::mem::take(&mut func.blocks[block].insts) {
            ready.after(func, id);
            let inst = &func.insts[id];
            let root = inst.result.filter(|&result| chained(inst.op).is_some() && !inner[result]);
            if let Some(root) = root
                && let Some(chain) = Chain::of(func, id, &inner)
                && let Some(steps) = chain.steps(&ready, root)
            {
                let new = chain.write(func, block, id, &steps);
                ready.cycles[root] = steps.last().map_or(0, |step| step.cycles);
                replaced.set(root, new);
                added[root] = false;
                dead.extend(chain.links);
                continue;
            }
            if let Some(root) = root
                && let Some(product) = Product::of(func, id, &added)
                && let Some(cycles) = product.sooner(&ready, root)
            {
                let new = product.write(func, block, id);
                ready.cycles[root] = cycles;
                replaced.set(root, new);
                dead.push(product.link);
                continue;
            }
            func.blocks[block].insts.push(id);
        }
        if !dead.is_empty() {
            dead.sort_unstable();
            func.blocks[block].insts.retain(|id| dead.binary_search(id).is_err());
        }
    }
    replaced.apply(func);
    !replaced.is_empty()
}

/// What an op combines in any order, if it does; differences are sums.
fn chained(op: Op) -> Option<Op> {
    match op {
        Op::Iadd | Op::Isub => Some(Op::Iadd),
        Op::Imul | Op::And | Op::Or | Op::Xor => Some(op),
        _ => None,
    }
}

/// What is said of values that are used once, in the same block.
struct Links {
    /// The next link of its chain uses it.
    inner: IdMap<Value, bool>,
    /// It is a product, which a sum uses.
    added: IdMap<Value, bool>,
}

fn links(func: &Function, cfg: &Cfg) -> Links {
    let uses = func.use_counts();
    let mut inner = IdMap::with_len(false, func.values.len());
    let mut added = inner.clone();
    let mut home: IdMap<Value, Option<Block>> = IdMap::with_len(None, func.values.len());
    for &block in cfg.rpo() {
        for inst in func.blocks[block].insts.iter().map(|&id| &func.insts[id]) {
            let Some(result) = inst.result else { continue };
            home[result] = Some(block);
            let Some(op) = chained(inst.op) else { continue };
            for &arg in &inst.args {
                let is_lone = uses[arg] == 1 && home[arg] == Some(block);
                let of = func.def_inst(arg).and_then(|def| chained(def.op)).filter(|_| is_lone);
                inner[arg] = of == Some(op);
                added[arg] = of == Some(Op::Imul) && inst.op == Op::Iadd;
            }
        }
    }
    Links { inner, added }
}

/// When values are known, in cycles since the loop around them began its turn.
struct Ready<'f> {
    cfg: &'f Cfg,
    loops: &'f Loops,
    ranks: IdMap<Value, u32>,
    cycles: IdMap<Value, u64>,
    /// The depth of the loop around the block at hand.
    depth: u32,
}

impl<'f> Ready<'f> {
    fn new(func: &Function, cfg: &'f Cfg, loops: &'f Loops) -> Ready<'f> {
        let cycles = IdMap::with_len(0, func.values.len());
        Ready { cfg, loops, ranks: ranks(func, cfg, loops), cycles, depth: 0 }
    }

    /// Goes on with a block; those before it are done, but for those that lead back.
    fn enter(&mut self, func: &Function, block: Block) {
        self.depth = self.loops.depth(block);
        let is_header = self.loops.of(block).is_some_and(|id| self.loops.get(id).header == block);
        for (at, &param) in func.blocks[block].params.iter().enumerate() {
            let given = || given(func, self.cfg, block, at);
            self.cycles[param] = if !is_header {
                given().map(|value| self.of(value)).max().unwrap_or(0)
            } else if given().all(|value| value == param || self.is_step(func, param, value)) {
                0
            } else {
                TURN
            };
        }
    }

    /// Whether this is what a loop starts with, or what it counts with goes on by what it does not change.
    fn is_step(&self, func: &Function, param: Value, next: Value) -> bool {
        let is_fixed = |value: Value| self.ranks[value] < self.depth;
        let counts = |def: &Inst| {
            matches!(def.op, Op::Iadd | Op::Isub | Op::PtrAdd)
                && def.args.contains(&param)
                && def.args.iter().all(|&arg| arg == param || is_fixed(arg))
        };
        is_fixed(next) || func.def_inst(next).is_some_and(counts)
    }

    /// An instruction has what it needs.
    fn after(&mut self, func: &Function, id: InstId) {
        let inst = &func.insts[id];
        let Some(result) = inst.result else { return };
        let begin = inst.args.iter().map(|&arg| self.of(arg)).max().unwrap_or(0);
        let is_free = inst.op.effect() == Effect::Pure && inst.args.is_empty();
        self.cycles[result] = if is_free { 0 } else { begin + latency(func, inst, false) };
    }

    /// When a value is known here.
    fn of(&self, value: Value) -> u64 {
        if self.ranks[value] < self.depth { 0 } else { self.cycles[value] }
    }
}

/// What a block's parameter is given by those before the block, but for switches of many cases: each of their blocks would look
/// at all.
fn given<'f>(func: &'f Function, cfg: &'f Cfg, block: Block, at: usize) -> impl Iterator<Item = Value> + 'f {
    let ends = cfg.preds(block).iter().filter_map(|&pred| func.blocks[pred].insts.last());
    let ends = ends.map(|&id| &func.insts[id]).filter(|end| end.targets.len() <= MOST_WAYS);
    let targets = ends.flat_map(|end| &end.targets);
    targets.filter(move |target| target.block == block).map(move |target| target.args[at])
}

/// What is combined in any order.
struct Chain {
    op: Op,
    ty: Type,
    /// And whether they are taken away.
    leaves: SmallVec<[(Value, bool); 8]>,
    /// All constants in one, and how many they were.
    constant: u64,
    constants: usize,
    /// The instructions that go, but the last.
    links: SmallVec<[InstId; 8]>,
    /// Cycles of one step.
    latency: u64,
}

/// Two of what there is become one: leaves come first, then the results of steps.
struct CombineStep {
    of: [usize; 2],
    cycles: u64,
}

impl Chain {
    /// None if there is nothing to order.
    fn of(func: &Function, last: InstId, inner: &IdMap<Value, bool>) -> Option<Chain> {
        let inst = &func.insts[last];
        let (op, ty) = (chained(inst.op)?, inst.ty);
        let mut chain = Chain {
            op,
            ty,
            leaves: SmallVec::new(),
            constant: identity(op, ty),
            constants: 0,
            links: SmallVec::new(),
            latency: latency(func, inst, false),
        };
        let operands = |inst: &Inst, is_negative: bool| {
            let second = is_negative != (inst.op == Op::Isub);
            [(inst.args[1], second), (inst.args[0], is_negative)]
        };
        let mut work: SmallVec<[(Value, bool); 8]> = operands(inst, false).into_iter().collect();
        while let Some((value, is_negative)) = work.pop() {
            if let Some(bits) = func.as_const_of_lanes(value) {
                chain.constant = combined(op, chain.constant, bits, is_negative);
                chain.constants += 1;
            } else if inner[value] && chain.leaves.len() + work.len() < MOST_LEAVES {
                let Def::Inst(id) = func.values[value].def else { continue };
                chain.links.push(id);
                work.extend(operands(&func.insts[id], is_negative));
            } else {
                chain.leaves.push((value, is_negative));
            }
        }
        chain.constant &= ones(ty);
        (chain.leaves.len() + chain.constants > 2).then_some(chain)
    }

    /// Whether the constant is one of those that are combined: if it makes a difference, or all else is taken away from it.
    fn has_constant(&self) -> bool {
        self.constant != identity(self.op, self.ty) || self.leaves.iter().all(|&(_, is_negative)| is_negative)
    }

    /// The order of combination, if the result is known earlier by it than it is now, or there are constants to be put
    /// together.
    fn steps(&self, ready: &Ready<'_>, root: Value) -> Option<Vec<CombineStep>> {
        // The constant is the one after the leaves.
        let leaves = self.leaves.iter().map(|&(leaf, _)| (ready.ranks[leaf], ready.of(leaf)));
        let constant = self.has_constant().then_some((0, 0));
        let mut open: SmallVec<[(u32, u64, usize); 8]> =
            leaves.chain(constant).enumerate().map(|(at, (rank, cycles))| (rank, cycles, at)).collect();
        // The one to be taken next is the last.
        open.sort_unstable_by(|a, b| b.cmp(a));
        let mut next = open.len();
        let mut steps = Vec::with_capacity(next);
        while let (Some(first), Some(second)) = (open.pop(), open.pop()) {
            let rank = first.0.max(second.0);
            let begin = if rank < ready.depth { 0 } else { first.1.max(second.1) };
            let made = (rank, begin + self.latency, next);
            steps.push(CombineStep { of: [first.2, second.2], cycles: made.1 });
            next += 1;
            if open.is_empty() {
                break;
            }
            let at = open.partition_point(|other| *other > made);
            open.insert(at, made);
        }
        let is_sooner = steps.last()?.cycles < ready.cycles[root];
        (is_sooner || self.constants > 1).then_some(steps)
    }

    /// Writes the chain at the end of a block, in the place of its last instruction.
    fn write(&self, func: &mut Function, block: Block, last: InstId, steps: &[CombineStep]) -> Value {
        let loc = func.insts[last].loc;
        let mut b = Builder::new(func, block);
        b.loc = loc;
        let mut made: SmallVec<[(Value, bool); 16]> = self.leaves.iter().copied().collect();
        if self.has_constant() {
            made.push((b.iconst(self.ty, self.constant), false));
        }
        for step in steps {
            let [(first, is_first_negative), (second, is_second_negative)] = step.of.map(|at| made[at]);
            let (op, args) = match (is_first_negative, is_second_negative) {
                (false, true) => (Op::Isub, [first, second]),
                (true, false) => (Op::Isub, [second, first]),
                _ => (self.op, [first, second]),
            };
            let value = b.value(op, self.ty, &args, Attr::None);
            made.push((value, is_first_negative && is_second_negative));
        }
        made[made.len() - 1].0
    }
}

/// A sum `a * b + a`.
struct Product {
    a: Value,
    b: Value,
    /// The multiplication, which nothing else uses.
    link: InstId,
    /// Cycles of the multiplication and of a sum.
    latencies: [u64; 2],
}

impl Product {
    fn of(func: &Function, sum: InstId, added: &IdMap<Value, bool>) -> Option<Product> {
        let inst = &func.insts[sum];
        let &[first, second] = &inst.args[..] else { return None };
        [(first, second), (second, first)].into_iter().find_map(|(product, a)| {
            let Def::Inst(link) = func.values[product].def else { return None };
            let def = &func.insts[link];
            let at = def.args.iter().position(|&factor| factor == a).filter(|_| added[product])?;
            let latencies = [def, inst].map(|inst| latency(func, inst, false));
            Some(Product { a, b: def.args[1 - at], link, latencies })
        })
    }

    /// When `a * (b + 1)` is known, if that is sooner.
    fn sooner(&self, ready: &Ready<'_>, root: Value) -> Option<u64> {
        let [product, sum] = self.latencies;
        let cycles = ready.of(self.a).max(ready.of(self.b) + sum) + product;
        (cycles < ready.cycles[root]).then_some(cycles)
    }

    fn write(&self, func: &mut Function, block: Block, sum: InstId) -> Value {
        let (loc, ty) = (func.insts[sum].loc, func.insts[sum].ty);
        let mut b = Builder::new(func, block);
        b.loc = loc;
        let one = b.iconst(ty, 1);
        let factor = b.value(Op::Iadd, ty, &[self.b, one], Attr::None);
        b.value(Op::Imul, ty, &[self.a, factor], Attr::None)
    }
}

/// What changes nothing that it is combined with.
fn identity(op: Op, ty: Type) -> u64 {
    match op {
        Op::Imul => 1,
        Op::And => ones(ty),
        _ => 0,
    }
}

/// All bits of a lane.
fn ones(ty: Type) -> u64 {
    u64::MAX >> (u64::BITS - ty.kind.bits())
}

/// A constant and one more.
fn combined(op: Op, constant: u64, bits: u64, is_negative: bool) -> u64 {
    match op {
        Op::Imul => constant.wrapping_mul(bits),
        Op::And => constant & bits,
        Op::Or => constant | bits,
        Op::Xor => constant ^ bits,
        _ if is_negative => constant.wrapping_sub(bits),
        _ => constant.wrapping_add(bits),
    }
}
