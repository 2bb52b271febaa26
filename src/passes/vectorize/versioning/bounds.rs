//! Bounds versioning: indices that are clamped to an image, `clamp(x + dx, 0, width - 1)` and the like, are
//! affine except at the border. Where they first occur, a test checks that no lane is out of bounds; for that
//! case the code behind it is duplicated (`guards`), with the indices before clamping. The same is done for bit
//! operations with a uniform operand (`affine_bits`).

use smallvec::SmallVec;

use super::super::block_order::BlockOrder;
use super::super::divergence::{Shapes, VectorShape};
use super::super::scalarize::Groups;
use super::affine_bits::{self, Bits};
use super::guards::{self, Agreed};
use crate::ir::analysis::DomTree;
use crate::ir::interp::signed;
use crate::ir::{Block, Builder, Def, Effect, Function, Inst, IntCond, Kind, Op, Type, Value};
use crate::support::{FastMap, FastSet};

/// Limits of clamps of one test, and of operations that are hoisted for each.
// Arbitrary.
const MOST: usize = 32;
const MOST_COPIED: usize = 8;
/// Limit of operations through which a step is propagated.
// Arbitrary.
const DEPTH: u32 = 8;

/// A test to be inserted, and the code that it versions.
pub(in crate::passes::vectorize) struct VersionPoint {
    block: Block,
    /// Index of the instruction before which the test is inserted.
    at: usize,
    clamps: Vec<Clamp>,
    /// Blocks that are duplicated, besides the rest of the block with the test.
    blocks: Vec<Block>,
    /// Operands of the conditions that are defined before the test.
    there: FastSet<Value>,
    size: usize,
}

/// An instruction and its simpler result in most executions.
#[derive(Clone, Copy)]
struct Clamp {
    result: Value,
    gives: Gives,
}

#[derive(Clone, Copy)]
enum Gives {
    /// One of the operands, if the condition holds.
    Chosen(Value, BoundsCondition),
    /// An affine value.
    Stepped(Bits),
}

/// Condition under which an operand is the result.
#[derive(Clone, Copy)]
enum BoundsCondition {
    Compared(IntCond, Value, Value),
    /// A condition or its negation.
    Is(Value, bool),
}

/// Returns the first test that is profitable.
pub(in crate::passes::vectorize) fn find(
    func: &Function,
    order: &BlockOrder,
    shapes: &Shapes<'_>,
    dom: &DomTree,
    agreed: &Agreed,
    lanes: u16,
) -> Option<VersionPoint> {
    let addresses = affine_bits::addresses(func, order);
    let is_free = |block: Block| {
        !agreed.rare.contains(&block) && !agreed.asks.contains_key(&block) && !shapes.is_masked(block)
    };
    order.blocks.iter().copied().filter(|&block| is_free(block)).find_map(|block| {
        let mut finder = BoundsFinder {
            func,
            shapes,
            dom,
            block,
            lanes,
            at: 0,
            clamps: Vec::new(),
            there: FastSet::default(),
        };
        let insts = &func.blocks[block].insts;
        let begins = |inst: &Inst| {
            let is_for_it = |clamp: Clamp| match clamp.gives {
                Gives::Chosen(..) => true,
                Gives::Stepped(_) => addresses.contains(&clamp.result),
            };
            finder.clamp(block, inst).is_some_and(is_for_it)
        };
        finder.at = insts.iter().position(|&id| begins(&func.insts[id]))?;
        let mut blocks = Vec::new();
        let mut work: SmallVec<[Block; 16]> = dom.children(block).iter().copied().collect();
        let mut size = insts.len() - finder.at;
        while let Some(inner) = work.pop() {
            size += func.blocks[inner].insts.len();
            if size > guards::MOST {
                return None;
            }
            blocks.push(inner);
            work.extend_from_slice(dom.children(inner));
        }
        blocks.sort_unstable_by_key(|&block| order.place(block));
        let mut has_accesses = false;
        for here in [block].into_iter().chain(blocks.iter().copied()) {
            let from = if here == block { finder.at } else { 0 };
            for &id in &func.blocks[here].insts[from..] {
                let inst = &func.insts[id];
                if !guards::may_copy(inst.op) {
                    return None;
                }
                has_accesses |= matches!(inst.op.effect(), Effect::Read | Effect::Write);
                if finder.clamps.len() < MOST
                    && is_free(here)
                    && let Some(clamp) = finder.clamp(here, inst)
                    && finder.can_ask(&clamp)
                {
                    finder.clamps.push(clamp);
                }
            }
        }
        let is_worth_it = has_accesses && !finder.clamps.is_empty() && agreed.has_room(size);
        let BoundsFinder { at, clamps, there, .. } = finder;
        is_worth_it.then_some(VersionPoint { block, at, clamps, blocks, there, size })
    })
}

struct BoundsFinder<'f> {
    func: &'f Function,
    shapes: &'f Shapes<'f>,
    dom: &'f DomTree,
    /// Block in which the test is inserted.
    block: Block,
    lanes: u16,
    at: usize,
    clamps: Vec<Clamp>,
    there: FastSet<Value>,
}

impl BoundsFinder<'_> {
    /// Matches an instruction whose result is varying, but affine in most executions.
    fn clamp(&self, block: Block, inst: &Inst) -> Option<Clamp> {
        let result = inst.result.filter(|&result| self.shapes.at(result, block) == VectorShape::Varying)?;
        if inst.ty.is_vector() || !matches!(inst.ty.kind, Kind::I32 | Kind::I64) {
            return None;
        }
        let step = |value: Value| self.step(value, DEPTH);
        let chosen =
            |chosen: Value, asks: BoundsCondition| Some(Clamp { result, gives: Gives::Chosen(chosen, asks) });
        if affine_bits::is_of_bits(inst.op) {
            let is_shared = |at: &usize| self.shapes.at(inst.args[*at], block).is_uniform();
            let is_either = matches!(inst.op, Op::And | Op::Or | Op::Xor);
            let shared = [1, 0].into_iter().find(|at| (*at == 1 || is_either) && is_shared(at))?;
            let operands = [inst.args[1 - shared], inst.args[shared]];
            let bits = Bits::of(self.func, inst, operands, step(operands[0])?, self.lanes)?;
            return Some(Clamp { result, gives: Gives::Stepped(bits) });
        }
        if inst.op == Op::Select {
            let condition = self.func.def_inst(inst.args[0]).filter(|def| def.op == Op::Icmp)?;
            let (left, right) = (condition.args[0], condition.args[1]);
            step(left)?;
            step(right)?;
            let [a, b] = [inst.args[1], inst.args[2]];
            let forward = |value: Value| step(value).filter(|&step| step > 0);
            let is_first = match (forward(a), forward(b)) {
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some(_), Some(_)) if a == left || a == right => true,
                (Some(_), Some(_)) if b == left || b == right => false,
                _ => return None,
            };
            return chosen(if is_first { a } else { b }, BoundsCondition::Is(inst.args[0], is_first));
        }
        let cond = match inst.op {
            Op::Smin => IntCond::Sle,
            Op::Smax => IntCond::Sge,
            Op::Umin => IntCond::Ule,
            Op::Umax => IntCond::Uge,
            _ => return None,
        };
        let [a, b] = inst.args[..] else { return None };
        let (inside, bound) = match (step(a)?, step(b)?) {
            (0, 0) => return None,
            (_, 0) => (a, b),
            (0, _) => (b, a),
            _ => return None,
        };
        chosen(inside, BoundsCondition::Compared(cond, inside, bound))
    }

    /// Returns the step of a value, assuming that all conditions found so far hold.
    fn step(&self, value: Value, depth: u32) -> Option<i64> {
        if let VectorShape::Stride(stride) = self.shapes.at(value, self.block) {
            return Some(stride.step);
        }
        let depth = depth.checked_sub(1)?;
        if let Some(clamp) = self.clamps.iter().find(|clamp| clamp.result == value) {
            return match clamp.gives {
                Gives::Chosen(chosen, _) => self.step(chosen, depth),
                Gives::Stepped(bits) => Some(bits.step()),
            };
        }
        let inst = self.func.def_inst(value)?;
        let of = |at: usize| self.step(inst.args[at], depth);
        let constant =
            |at: usize| self.func.as_const(inst.args[at]).map(|bits| signed(inst.ty.kind.bits(), bits));
        match inst.op {
            Op::Iadd => of(0)?.checked_add(of(1)?),
            Op::Isub => of(0)?.checked_sub(of(1)?),
            Op::Imul => of(0)?.checked_mul(constant(1)?),
            Op::Shl => of(0)?.checked_mul(1 << constant(1).filter(|by| (0..32).contains(by))?),
            Op::Sext | Op::Zext if self.func.ty(inst.args[0]) != Type::I1 => of(0),
            Op::Trunc if inst.ty.kind != Kind::I1 => of(0),
            _ => None,
        }
    }

    /// Checks whether the condition of a clamp can be computed at the test.
    fn can_ask(&mut self, clamp: &Clamp) -> bool {
        let mut left = MOST_COPIED;
        match clamp.gives {
            Gives::Chosen(_, BoundsCondition::Compared(_, a, b))
            | Gives::Stepped(Bits { of: a, by: b, .. }) => {
                self.can_compute(a, &mut left) && self.can_compute(b, &mut left)
            }
            Gives::Chosen(_, BoundsCondition::Is(condition, _)) => self.can_compute(condition, &mut left),
        }
    }

    fn can_compute(&mut self, value: Value, left: &mut usize) -> bool {
        if self.is_there(value) {
            self.there.insert(value);
            return true;
        }
        if *left == 0 {
            return false;
        }
        *left -= 1;
        if let Some(clamp) = self.clamps.iter().find(|clamp| clamp.result == value) {
            return match clamp.gives {
                Gives::Chosen(chosen, _) => self.can_compute(chosen, left),
                // Its operands are computed when its own condition is emitted.
                Gives::Stepped(_) => true,
            };
        }
        let func = self.func;
        let Some(inst) = func.def_inst(value) else { return false };
        let is_pure = inst.op.effect() == Effect::Pure && inst.op != Op::Alloca;
        is_pure && inst.args.iter().all(|&arg| self.can_compute(arg, left))
    }

    /// Checks whether a value is defined before the test.
    fn is_there(&self, value: Value) -> bool {
        let home = self.shapes.homes()[value];
        match self.func.values[value].def {
            Def::Inst(id) if home == self.block => self.func.blocks[home].insts[..self.at].contains(&id),
            _ => self.dom.dominates(home, self.block),
        }
    }
}

/// Emits the test and duplicates the code behind it for lanes that are all in bounds.
pub(in crate::passes::vectorize) fn run(
    func: &mut Function,
    question: &VersionPoint,
    groups: &mut Groups,
    agreed: &mut Agreed,
    lanes: u16,
) {
    let &VersionPoint { block, at, ref clamps, ref blocks, ref there, size } = question;
    let rest = func.add_block();
    let insts = func.blocks[block].insts.split_off(at);
    func.blocks[rest].insts = insts;
    let mut asker = Asker {
        chosen: FastMap::default(),
        there,
        known: FastMap::default(),
        b: Builder::new(func, block),
        lanes,
    };
    let mut condition: Option<Value> = None;
    for clamp in clamps {
        let is_so = asker.ask(clamp);
        condition = Some(condition.map_or(is_so, |all| asker.b.same(Op::And, &[all, is_so])));
    }
    let (chosen, condition) = (asker.chosen, condition.expect("something is asked"));
    let mut all: Vec<Block> = vec![rest];
    all.extend(blocks);
    let start = guards::copy(func, &all, &chosen, groups, agreed);
    Builder::new(func, block).br_if(condition, start, rest);
    agreed.note(block, Op::All, rest, size);
    agreed.rare.extend(blocks);
}

/// Builder of conditions at the test.
struct Asker<'a> {
    /// Replacements of instructions whose conditions have been emitted.
    chosen: FastMap<Value, Value>,
    there: &'a FastSet<Value>,
    known: FastMap<Value, Value>,
    b: Builder<'a>,
    lanes: u16,
}

impl Asker<'_> {
    /// Emits the condition under which an instruction has its simpler result.
    fn ask(&mut self, clamp: &Clamp) -> Value {
        match clamp.gives {
            Gives::Chosen(chosen, asks) => {
                self.chosen.insert(clamp.result, chosen);
                self.is_chosen(asks)
            }
            Gives::Stepped(bits) => {
                let operands = [bits.of, bits.by].map(|value| self.compute(value));
                let (lanes, is_so) = bits.write(&mut self.b, operands, self.lanes);
                self.chosen.insert(clamp.result, lanes);
                self.known.insert(lanes, lanes);
                is_so
            }
        }
    }

    fn is_chosen(&mut self, asks: BoundsCondition) -> Value {
        match asks {
            BoundsCondition::Compared(cond, a, b) => {
                let (a, b) = (self.compute(a), self.compute(b));
                self.b.icmp(cond, a, b)
            }
            BoundsCondition::Is(condition, is_so) => {
                let condition = self.compute(condition);
                if is_so {
                    return condition;
                }
                let one = self.b.iconst(Type::I1, 1);
                self.b.same(Op::Xor, &[condition, one])
            }
        }
    }

    fn compute(&mut self, value: Value) -> Value {
        if self.there.contains(&value) {
            return value;
        }
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        let made = match self.chosen.get(&value) {
            Some(&chosen) => self.compute(chosen),
            None => {
                let inst = self.b.func.def_inst(value).expect("an instruction").clone();
                let args: Vec<Value> = inst.args.iter().map(|&arg| self.compute(arg)).collect();
                self.b.value(inst.op, inst.ty, &args, inst.attr)
            }
        };
        self.known.insert(value, made);
        made
    }
}
