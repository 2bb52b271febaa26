//! Bounds versioning: indices that are clamped to an image, `clamp(x + dx, 0, width - 1)` and the like, are
//! affine except at the border. Where they first occur, a test checks that no lane is out of bounds; for that
//! case the code behind it is duplicated (`guards`), with the indices before clamping. The same is done for bit
//! operations with a uniform operand (`affine_bits`).

use smallvec::SmallVec;

use super::super::block_order::BlockOrder;
use super::super::divergence::{VectorShape, VectorShapes};
use super::super::scalarize::AccessGroups;
use super::affine_bits::{self, AffineBits};
use super::guards::{self, VersionedCode};
use grus_ir::analysis::DomTree;
use grus_ir::interp::signed;
use grus_ir::{Block, Builder, Def, Effect, Function, Inst, IntCond, Kind, Op, Type, Value};
use grus_support::{FastMap, FastSet};

/// Limits of clamps of one test, and of operations that are hoisted for each.
// Arbitrary.
const MAX_CLAMPS: usize = 32;
const MAX_HOISTED: usize = 8;
/// Limit of operations through which a step is propagated.
// Arbitrary.
const MAX_DEPTH: u32 = 8;

/// A test to be inserted, and the code that it versions.
pub(in crate::vectorize) struct VersionPoint {
    block: Block,
    /// Index of the instruction before which the test is inserted.
    at: usize,
    clamps: Vec<Clamp>,
    /// Blocks that are duplicated, besides the rest of the block with the test.
    blocks: Vec<Block>,
    /// Operands of the conditions that are defined before the test.
    operands_before: FastSet<Value>,
    size: usize,
}

/// An instruction and its simpler result in most executions.
#[derive(Clone, Copy)]
struct Clamp {
    result: Value,
    in_bounds: ClampResult,
}

#[derive(Clone, Copy)]
enum ClampResult {
    /// One of the operands, if the condition holds.
    Operand(Value, BoundsCondition),
    /// An affine value.
    Affine(AffineBits),
}

/// Condition under which an operand is the result.
#[derive(Clone, Copy)]
enum BoundsCondition {
    Comparison(IntCond, Value, Value),
    /// A condition or its negation.
    Bool(Value, bool),
}

/// Returns the first test that is profitable.
pub(in crate::vectorize) fn find(
    func: &Function,
    order: &BlockOrder,
    shapes: &VectorShapes<'_>,
    dom: &DomTree,
    versioned: &VersionedCode,
    lanes: u16,
) -> Option<VersionPoint> {
    let addresses = affine_bits::addresses(func, order);
    let is_free = |block: Block| {
        !versioned.cold.contains(&block)
            && !versioned.uniform_tests.contains_key(&block)
            && !shapes.is_masked(block)
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
            operands_before: FastSet::default(),
        };
        let insts = &func.blocks[block].insts;
        let is_candidate = |inst: &Inst| {
            let is_profitable = |clamp: Clamp| match clamp.in_bounds {
                ClampResult::Operand(..) => true,
                ClampResult::Affine(_) => addresses.contains(&clamp.result),
            };
            finder.clamp(block, inst).is_some_and(is_profitable)
        };
        finder.at = insts.iter().position(|&id| is_candidate(&func.insts[id]))?;
        let mut blocks = Vec::new();
        let mut work: SmallVec<[Block; 16]> = dom.children(block).iter().copied().collect();
        let mut size = insts.len() - finder.at;
        while let Some(inner) = work.pop() {
            size += func.blocks[inner].insts.len();
            if size > guards::MAX_COPIED_SIZE {
                return None;
            }
            blocks.push(inner);
            work.extend_from_slice(dom.children(inner));
        }
        blocks.sort_unstable_by_key(|&block| order.position(block));
        let mut has_accesses = false;
        for here in [block].into_iter().chain(blocks.iter().copied()) {
            let from = if here == block { finder.at } else { 0 };
            for &id in &func.blocks[here].insts[from..] {
                let inst = &func.insts[id];
                if !guards::may_copy(inst.op) {
                    return None;
                }
                has_accesses |= matches!(inst.op.effect(), Effect::Read | Effect::Write);
                if finder.clamps.len() < MAX_CLAMPS
                    && is_free(here)
                    && let Some(clamp) = finder.clamp(here, inst)
                    && finder.can_test(&clamp)
                {
                    finder.clamps.push(clamp);
                }
            }
        }
        let is_worth_it = has_accesses && !finder.clamps.is_empty() && versioned.is_within_budget(size);
        let BoundsFinder { at, clamps, operands_before, .. } = finder;
        is_worth_it.then_some(VersionPoint { block, at, clamps, blocks, operands_before, size })
    })
}

struct BoundsFinder<'f> {
    func: &'f Function,
    shapes: &'f VectorShapes<'f>,
    dom: &'f DomTree,
    /// Block in which the test is inserted.
    block: Block,
    lanes: u16,
    at: usize,
    clamps: Vec<Clamp>,
    operands_before: FastSet<Value>,
}

impl BoundsFinder<'_> {
    /// Matches an instruction whose result is varying, but affine in most executions.
    fn clamp(&self, block: Block, inst: &Inst) -> Option<Clamp> {
        let result = inst.result.filter(|&result| self.shapes.at(result, block) == VectorShape::Varying)?;
        if inst.ty.is_vector() || !matches!(inst.ty.kind, Kind::I32 | Kind::I64) {
            return None;
        }
        let step = |value: Value| self.step(value, MAX_DEPTH);
        let chosen = |chosen: Value, condition: BoundsCondition| {
            Some(Clamp { result, in_bounds: ClampResult::Operand(chosen, condition) })
        };
        if affine_bits::is_bit_op(inst.op) {
            let is_shared = |at: &usize| self.shapes.at(inst.args[*at], block).is_uniform();
            let is_either = matches!(inst.op, Op::And | Op::Or | Op::Xor);
            let shared = [1, 0].into_iter().find(|at| (*at == 1 || is_either) && is_shared(at))?;
            let operands = [inst.args[1 - shared], inst.args[shared]];
            let bits = AffineBits::of(self.func, inst, operands, step(operands[0])?, self.lanes)?;
            return Some(Clamp { result, in_bounds: ClampResult::Affine(bits) });
        }
        if inst.op == Op::Select {
            let condition = self.func.def_inst(inst.args[0]).filter(|def| def.op == Op::Icmp)?;
            let (budget, right) = (condition.args[0], condition.args[1]);
            step(budget)?;
            step(right)?;
            let [a, b] = [inst.args[1], inst.args[2]];
            let forward = |value: Value| step(value).filter(|&step| step > 0);
            let is_first = match (forward(a), forward(b)) {
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some(_), Some(_)) if a == budget || a == right => true,
                (Some(_), Some(_)) if b == budget || b == right => false,
                _ => return None,
            };
            return chosen(if is_first { a } else { b }, BoundsCondition::Bool(inst.args[0], is_first));
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
        chosen(inside, BoundsCondition::Comparison(cond, inside, bound))
    }

    /// Returns the step of a value, assuming that all conditions found so far hold.
    fn step(&self, value: Value, depth: u32) -> Option<i64> {
        if let VectorShape::Affine(stride) = self.shapes.at(value, self.block) {
            return Some(stride.step);
        }
        let depth = depth.checked_sub(1)?;
        if let Some(clamp) = self.clamps.iter().find(|clamp| clamp.result == value) {
            return match clamp.in_bounds {
                ClampResult::Operand(chosen, _) => self.step(chosen, depth),
                ClampResult::Affine(bits) => Some(bits.step()),
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
    fn can_test(&mut self, clamp: &Clamp) -> bool {
        let mut budget = MAX_HOISTED;
        match clamp.in_bounds {
            ClampResult::Operand(_, BoundsCondition::Comparison(_, a, b))
            | ClampResult::Affine(AffineBits { of: a, by: b, .. }) => {
                self.can_compute(a, &mut budget) && self.can_compute(b, &mut budget)
            }
            ClampResult::Operand(_, BoundsCondition::Bool(condition, _)) => {
                self.can_compute(condition, &mut budget)
            }
        }
    }

    fn can_compute(&mut self, value: Value, budget: &mut usize) -> bool {
        if self.is_before_test(value) {
            self.operands_before.insert(value);
            return true;
        }
        if *budget == 0 {
            return false;
        }
        *budget -= 1;
        if let Some(clamp) = self.clamps.iter().find(|clamp| clamp.result == value) {
            return match clamp.in_bounds {
                ClampResult::Operand(chosen, _) => self.can_compute(chosen, budget),
                // Its operands are computed when its own condition is emitted.
                ClampResult::Affine(_) => true,
            };
        }
        let func = self.func;
        let Some(inst) = func.def_inst(value) else { return false };
        let is_pure = inst.op.effect() == Effect::Pure && inst.op != Op::Alloca;
        is_pure && inst.args.iter().all(|&arg| self.can_compute(arg, budget))
    }

    /// Checks whether a value is defined before the test.
    fn is_before_test(&self, value: Value) -> bool {
        let def_block = self.shapes.def_blocks()[value];
        match self.func.values[value].def {
            Def::Inst(id) if def_block == self.block => {
                self.func.blocks[def_block].insts[..self.at].contains(&id)
            }
            _ => self.dom.dominates(def_block, self.block),
        }
    }
}

/// Emits the test and duplicates the code behind it for lanes that are all in bounds.
pub(in crate::vectorize) fn run(
    func: &mut Function,
    version_point: &VersionPoint,
    groups: &mut AccessGroups,
    versioned: &mut VersionedCode,
    lanes: u16,
) {
    let &VersionPoint { block, at, ref clamps, ref blocks, ref operands_before, size } = version_point;
    let slow = func.add_block();
    let insts = func.blocks[block].insts.split_off(at);
    func.blocks[slow].insts = insts;
    let mut builder = TestBuilder {
        chosen: FastMap::default(),
        operands_before,
        computed: FastMap::default(),
        b: Builder::new(func, block),
        lanes,
    };
    let mut condition: Option<Value> = None;
    for clamp in clamps {
        let holds = builder.test(clamp);
        condition =
            Some(condition.map_or(holds, |blocks_of_slow| builder.b.same(Op::And, &[blocks_of_slow, holds])));
    }
    let (chosen, condition) = (builder.chosen, condition.expect("something is asked"));
    let mut blocks_of_slow: Vec<Block> = vec![slow];
    blocks_of_slow.extend(blocks);
    let start = guards::copy(func, &blocks_of_slow, &chosen, groups, versioned);
    Builder::new(func, block).br_if(condition, start, slow);
    versioned.add(block, Op::All, slow, size);
    versioned.cold.extend(blocks);
}

/// Builder of conditions at the test.
struct TestBuilder<'a> {
    /// Replacements of instructions whose conditions have been emitted.
    chosen: FastMap<Value, Value>,
    operands_before: &'a FastSet<Value>,
    computed: FastMap<Value, Value>,
    b: Builder<'a>,
    lanes: u16,
}

impl TestBuilder<'_> {
    /// Emits the condition under which an instruction has its simpler result.
    fn test(&mut self, clamp: &Clamp) -> Value {
        match clamp.in_bounds {
            ClampResult::Operand(chosen, condition) => {
                self.chosen.insert(clamp.result, chosen);
                self.condition_holds(condition)
            }
            ClampResult::Affine(bits) => {
                let operands = [bits.of, bits.by].map(|value| self.compute(value));
                let (lanes, holds) = bits.emit(&mut self.b, operands, self.lanes);
                self.chosen.insert(clamp.result, lanes);
                self.computed.insert(lanes, lanes);
                holds
            }
        }
    }

    fn condition_holds(&mut self, condition: BoundsCondition) -> Value {
        match condition {
            BoundsCondition::Comparison(cond, a, b) => {
                let (a, b) = (self.compute(a), self.compute(b));
                self.b.icmp(cond, a, b)
            }
            BoundsCondition::Bool(condition, holds) => {
                let condition = self.compute(condition);
                if holds {
                    return condition;
                }
                let one = self.b.iconst(Type::I1, 1);
                self.b.same(Op::Xor, &[condition, one])
            }
        }
    }

    fn compute(&mut self, value: Value) -> Value {
        if self.operands_before.contains(&value) {
            return value;
        }
        if let Some(&computed) = self.computed.get(&value) {
            return computed;
        }
        let value_here = match self.chosen.get(&value) {
            Some(&chosen) => self.compute(chosen),
            None => {
                let inst = self.b.func.def_inst(value).expect("an instruction").clone();
                let args: Vec<Value> = inst.args.iter().map(|&arg| self.compute(arg)).collect();
                self.b.value(inst.op, inst.ty, &args, inst.attr)
            }
        };
        self.computed.insert(value, value_here);
        value_here
    }
}
