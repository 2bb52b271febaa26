//! Reassociates sums, products and chains of bitwise operations by the time at which their operands are available,
//! so that the operand that is available last is combined last.
//!
//! `((a + f) + w) + k` becomes `((w + k) + a) + f` if `f` is the last one available, as in every step of a hash
//! function: the critical path of a step is then its slowest operand and one addition. The two operands that are
//! available first are combined repeatedly (Golumbic: Combinatorial Merging, IEEE Transactions on Computers, 1976).
//! Loop-invariant operands come before loop-variant ones, and constants are folded into one. Only integers are
//! reassociated; sums of floats keep the order of the source.
//!
//! For the same reason `a * b + a` becomes `a * (b + 1)` if `a` is the last one available.

use smallvec::SmallVec;

use super::super::pass_manager::PassContext;
use super::cost::latency;
use super::reassociate_address::ranks;
use super::replace::Replacements;
use grus_ir::analysis::{Cfg, Loops};
use grus_ir::{Attr, Block, Builder, Def, Effect, Function, Inst, InstId, Op, Type, Value};
use grus_support::IdMap;

/// Maximum number of leaves of a chain; longer chains are processed in segments.
// Arbitrary.
const MAX_LEAVES: usize = 32;

/// Maximum number of targets of a terminator whose arguments are examined.
// Arbitrary.
const MAX_TARGETS: usize = 8;

/// Cycle at which loop-carried values are assumed to be available: later than all values of the same iteration.
const CARRIED_CYCLE: u64 = 1 << 20;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    if !func.instructions().any(|inst| chain_op(inst.op).is_some()) {
        return false;
    }
    let (cfg, loops) = (context.analyses.cfg(func), context.analyses.loops(func));
    let Links { inner, mut added } = links(func, &cfg);
    let mut ready_cycles = ReadyCycles::new(func, &cfg, &loops);
    let mut replaced = Replacements::new(func);
    for &block in cfg.rpo() {
        ready_cycles.enter(func, block);
        let mut dead: Vec<InstId> = Vec::new();
        for id in std::mem::take(&mut func.blocks[block].insts) {
            ready_cycles.after(func, id);
            let inst = &func.insts[id];
            let root = inst.result.filter(|&result| chain_op(inst.op).is_some() && !inner[result]);
            if let Some(root) = root
                && let Some(chain) = Chain::of(func, id, &inner)
                && let Some(steps) = chain.steps(&ready_cycles, root)
            {
                let new = chain.write(func, block, id, &steps);
                ready_cycles.cycles[root] = steps.last().map_or(0, |step| step.cycles);
                replaced.set(root, new);
                added[root] = false;
                dead.extend(chain.links);
                continue;
            }
            if let Some(root) = root
                && let Some(product) = Product::of(func, id, &added)
                && let Some(cycles) = product.earlier_cycle(&ready_cycles, root)
            {
                let new = product.write(func, block, id);
                ready_cycles.cycles[root] = cycles;
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

/// Returns the associative op that an op belongs to, if any; differences count as sums.
fn chain_op(op: Op) -> Option<Op> {
    match op {
        Op::Iadd | Op::Isub => Some(Op::Iadd),
        Op::Imul | Op::And | Op::Or | Op::Xor => Some(op),
        _ => None,
    }
}

/// Properties of values that are used once, in the block that defines them.
struct Links {
    /// True if the only use is the next link of a chain of the same op.
    inner: IdMap<Value, bool>,
    /// True if the value is a product and its only use is a sum.
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
            let Some(op) = chain_op(inst.op) else { continue };
            for &arg in &inst.args {
                let is_lone = uses[arg] == 1 && home[arg] == Some(block);
                let of = func.def_inst(arg).and_then(|def| chain_op(def.op)).filter(|_| is_lone);
                inner[arg] = of == Some(op);
                added[arg] = of == Some(Op::Imul) && inst.op == Op::Iadd;
            }
        }
    }
    Links { inner, added }
}

/// Estimated cycles at which values are available, counted from the start of the iteration of the innermost loop.
struct ReadyCycles<'f> {
    cfg: &'f Cfg,
    loops: &'f Loops,
    ranks: IdMap<Value, u32>,
    cycles: IdMap<Value, u64>,
    /// Depth of the loop around the current block.
    depth: u32,
}

impl<'f> ReadyCycles<'f> {
    fn new(func: &Function, cfg: &'f Cfg, loops: &'f Loops) -> ReadyCycles<'f> {
        let cycles = IdMap::with_len(0, func.values.len());
        ReadyCycles { cfg, loops, ranks: ranks(func, cfg, loops), cycles, depth: 0 }
    }

    /// Begins a block. All its predecessors are done, except the sources of back edges.
    fn enter(&mut self, func: &Function, block: Block) {
        self.depth = self.loops.depth(block);
        let is_header = self.loops.of(block).is_some_and(|id| self.loops.get(id).header == block);
        for (at, &param) in func.blocks[block].params.iter().enumerate() {
            let incoming = || incoming(func, self.cfg, block, at);
            self.cycles[param] = if !is_header {
                incoming().map(|value| self.of(value)).max().unwrap_or(0)
            } else if incoming().all(|value| value == param || self.is_step(func, param, value)) {
                0
            } else {
                CARRIED_CYCLE
            };
        }
    }

    /// Checks whether a header argument is loop-invariant, or the parameter plus or minus loop-invariant values.
    fn is_step(&self, func: &Function, param: Value, next: Value) -> bool {
        let is_fixed = |value: Value| self.ranks[value] < self.depth;
        let counts = |def: &Inst| {
            matches!(def.op, Op::Iadd | Op::Isub | Op::PtrAdd)
                && def.args.contains(&param)
                && def.args.iter().all(|&arg| arg == param || is_fixed(arg))
        };
        is_fixed(next) || func.def_inst(next).is_some_and(counts)
    }

    /// Computes the cycle at which the result of an instruction is available.
    fn after(&mut self, func: &Function, id: InstId) {
        let inst = &func.insts[id];
        let Some(result) = inst.result else { return };
        let begin = inst.args.iter().map(|&arg| self.of(arg)).max().unwrap_or(0);
        let is_free = inst.op.effect() == Effect::Pure && inst.args.is_empty();
        self.cycles[result] = if is_free { 0 } else { begin + latency(func, inst, false) };
    }

    /// Returns the cycle at which a value is available in the current block; 0 if it is loop-invariant.
    fn of(&self, value: Value) -> u64 {
        if self.ranks[value] < self.depth { 0 } else { self.cycles[value] }
    }
}

/// Returns the arguments that the predecessors pass for a parameter of a block. Terminators with many targets are
/// skipped, since each of their target blocks would scan all of their targets.
fn incoming<'f>(
    func: &'f Function,
    cfg: &'f Cfg,
    block: Block,
    at: usize,
) -> impl Iterator<Item = Value> + 'f {
    let ends = cfg.preds(block).iter().filter_map(|&pred| func.blocks[pred].insts.last());
    let ends = ends.map(|&id| &func.insts[id]).filter(|end| end.targets.len() <= MAX_TARGETS);
    let targets = ends.flat_map(|end| &end.targets);
    targets.filter(move |target| target.block == block).map(move |target| target.args[at])
}

/// Chain of one associative op.
struct Chain {
    op: Op,
    ty: Type,
    /// Operands, and whether they are subtracted.
    leaves: SmallVec<[(Value, bool); 8]>,
    /// Combination of all constants.
    /// Number of constants.
    constant: u64,
    constants: usize,
    /// Instructions that become dead, except the last one.
    links: SmallVec<[InstId; 8]>,
    /// Latency of one step in cycles.
    latency: u64,
}

/// Combination of two operands. Indices first count the leaves, then the results of steps.
struct CombineStep {
    of: [usize; 2],
    cycles: u64,
}

impl Chain {
    /// Returns the chain that ends with an instruction, or `None` if there is nothing to reorder.
    fn of(func: &Function, last: InstId, inner: &IdMap<Value, bool>) -> Option<Chain> {
        let inst = &func.insts[last];
        let (op, ty) = (chain_op(inst.op)?, inst.ty);
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
            } else if inner[value] && chain.leaves.len() + work.len() < MAX_LEAVES {
                let Def::Inst(id) = func.values[value].def else { continue };
                chain.links.push(id);
                work.extend(operands(&func.insts[id], is_negative));
            } else {
                chain.leaves.push((value, is_negative));
            }
        }
        chain.constant &= all_ones(ty);
        (chain.leaves.len() + chain.constants > 2).then_some(chain)
    }

    /// Checks whether the constant is an operand: if it has an effect, or if all other operands are subtracted.
    fn has_constant(&self) -> bool {
        self.constant != identity(self.op, self.ty) || self.leaves.iter().all(|&(_, is_negative)| is_negative)
    }

    /// Returns the steps of the chain, if the result is available earlier than now or there are several constants
    /// to fold.
    fn steps(&self, ready_cycles: &ReadyCycles<'_>, root: Value) -> Option<Vec<CombineStep>> {
        // The index of the constant follows those of the leaves.
        let leaves = self.leaves.iter().map(|&(leaf, _)| (ready_cycles.ranks[leaf], ready_cycles.of(leaf)));
        let constant = self.has_constant().then_some((0, 0));
        let mut open: SmallVec<[(u32, u64, usize); 8]> =
            leaves.chain(constant).enumerate().map(|(at, (rank, cycles))| (rank, cycles, at)).collect();
        // The list is sorted in descending order: the operand to combine next is the last.
        open.sort_unstable_by(|a, b| b.cmp(a));
        let mut next = open.len();
        let mut steps = Vec::with_capacity(next);
        while let (Some(first), Some(second)) = (open.pop(), open.pop()) {
            let rank = first.0.max(second.0);
            let begin = if rank < ready_cycles.depth { 0 } else { first.1.max(second.1) };
            let result = (rank, begin + self.latency, next);
            steps.push(CombineStep { of: [first.2, second.2], cycles: result.1 });
            next += 1;
            if open.is_empty() {
                break;
            }
            let at = open.partition_point(|other| *other > result);
            open.insert(at, result);
        }
        let is_earlier = steps.last()?.cycles < ready_cycles.cycles[root];
        (is_earlier || self.constants > 1).then_some(steps)
    }

    /// Writes the chain at the end of a block, instead of its last instruction.
    fn write(&self, func: &mut Function, block: Block, last: InstId, steps: &[CombineStep]) -> Value {
        let loc = func.insts[last].loc;
        let mut b = Builder::new(func, block);
        b.loc = loc;
        let mut operands: SmallVec<[(Value, bool); 16]> = self.leaves.iter().copied().collect();
        if self.has_constant() {
            operands.push((b.iconst(self.ty, self.constant), false));
        }
        for step in steps {
            let [(first, is_first_negative), (second, is_second_negative)] = step.of.map(|at| operands[at]);
            let (op, args) = match (is_first_negative, is_second_negative) {
                (false, true) => (Op::Isub, [first, second]),
                (true, false) => (Op::Isub, [second, first]),
                _ => (self.op, [first, second]),
            };
            let value = b.value(op, self.ty, &args, Attr::None);
            operands.push((value, is_first_negative && is_second_negative));
        }
        operands[operands.len() - 1].0
    }
}

/// Sum of the form `a * b + a`.
struct Product {
    a: Value,
    b: Value,
    /// The multiplication, which has no other use.
    link: InstId,
    /// Latencies of the multiplication and of a sum, in cycles.
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

    /// Returns the cycle at which `a * (b + 1)` is available, if that is earlier.
    fn earlier_cycle(&self, ready_cycles: &ReadyCycles<'_>, root: Value) -> Option<u64> {
        let [product, sum] = self.latencies;
        let cycles = ready_cycles.of(self.a).max(ready_cycles.of(self.b) + sum) + product;
        (cycles < ready_cycles.cycles[root]).then_some(cycles)
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

/// Returns the identity element of an op.
fn identity(op: Op, ty: Type) -> u64 {
    match op {
        Op::Imul => 1,
        Op::And => all_ones(ty),
        _ => 0,
    }
}

/// Returns a mask of all bits of a lane.
fn all_ones(ty: Type) -> u64 {
    u64::MAX >> (u64::BITS - ty.kind.bits())
}

/// Combines the constant of a chain with one more.
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
