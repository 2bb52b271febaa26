//! Constant folding, copy propagation, branch folding, removal of redundant block parameters, merging of
//! straight-line blocks, dead code elimination, and combining of truth values and of insert chains, in linear
//! sweeps.

use std::rc::Rc;

use super::super::alias::full;
use super::super::pass_manager::PassContext;
use super::float_logic::{self, UseCounts};
use super::insert_chains;
use super::replace::Replacements;
use super::truth_logic;
use grus_ir::analysis::{Cfg, prune_unreachable};
use grus_ir::interp::fold;
use grus_ir::{
    Attr, Block, Consistency, Def, Effect, Function, Inst, InstId, IntCond, Kind, MemoryOrder, MemoryScope,
    Op, Target, Type, Value,
};
use grus_support::IdMap;

/// Maximum number of sweeps; a sweep can enable the next one. Real kernels settle in two.
// Arbitrary.
const MAX_ROUNDS: usize = 3;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let layout = func.layout.clone();
    context.analyses.pruned(func);
    let mut any = func.layout != layout;
    for _ in 0..MAX_ROUNDS {
        let mut cfg = context.analyses.pruned(func);
        let Folded { mut changed, branches } = Folder::new(func).run();
        changed |= truth_logic::run(func);
        changed |= redundant_params(func);
        if branches {
            context.changed();
            cfg = context.analyses.pruned(func);
        }
        if merge_blocks(func, cfg) {
            context.changed();
            changed = true;
        }
        any |= changed | branches | sweep_dead(func);
        if !changed {
            break;
        }
    }
    if insert_chains::run(func) {
        sweep_dead(func);
        any = true;
    }
    any
}

struct Folder<'f> {
    func: &'f mut Function,
    replaced: Replacements,
    folded: Folded,
    /// Counts of uses at the start; none if they are not needed.
    uses: Option<UseCounts>,
}

/// Changes that folding has made.
#[derive(Default)]
struct Folded {
    changed: bool,
    /// True if a block has other successors than before, or in another order.
    branches: bool,
}

impl<'f> Folder<'f> {
    fn new(func: &'f mut Function) -> Self {
        let replaced = Replacements::new(func);
        let uses = UseCounts::of(func);
        Folder { func, replaced, folded: Folded::default(), uses }
    }

    /// Folds in one walk in reverse postorder. Definitions come before uses except for loop-carried arguments,
    /// which are resolved at the end.
    fn run(mut self) -> Folded {
        for at in 0..self.func.layout.len() {
            let block = self.func.layout[at];
            let insts = std::mem::take(&mut self.func.blocks[block].insts);
            for &id in &insts {
                self.replaced.resolve(&mut self.func.insts[id]);
                if self.func.insts[id].op.effect() == Effect::Pure {
                    self.pure(id);
                } else {
                    self.consistency(id);
                    self.terminator(id);
                }
            }
            self.func.blocks[block].insts = insts;
        }
        self.replaced.apply(self.func);
        self.folded
    }

    fn pure(&mut self, id: InstId) {
        let inst = &self.func.insts[id];
        let Some(result) = inst.result else { return };
        if let Some(value) = identity(self.func, id) {
            self.replaced.set(result, value);
            self.folded.changed = true;
        } else if let Some(bits) =
            fold(self.func, id).or_else(|| zero(self.func, inst)).or_else(|| distinct(self.func, id))
        {
            let op = if inst.ty.kind.is_float() { Op::Fconst } else { Op::Iconst };
            let inst = &mut self.func.insts[id];
            (inst.op, inst.attr) = (op, Attr::Int(bits));
            inst.args.clear();
            self.folded.changed = true;
        } else if let Some(number) = recombined(self.func, inst) {
            if self.func.ty(number) == inst.ty {
                self.replaced.set(result, number);
            } else {
                let inst = &mut self.func.insts[id];
                (inst.op, inst.attr) = (Op::Trunc, Attr::None);
                inst.args = [number].as_slice().into();
            }
            self.folded.changed = true;
        } else if let Some([value, by]) = rotated(self.func, inst) {
            let inst = &mut self.func.insts[id];
            (inst.op, inst.attr) = (Op::Rotl, Attr::None);
            inst.args = [value, by].as_slice().into();
            self.folded.changed = true;
        } else if let Some((cond, args)) =
            self.uses.as_ref().and_then(|uses| float_logic::folded(self.func, inst, uses))
        {
            let inst = &mut self.func.insts[id];
            (inst.op, inst.attr) = (Op::Fcmp, Attr::FloatCond(cond));
            inst.args = args.as_slice().into();
            self.folded.changed = true;
        } else if inst.op == Op::Uitofp && is_non_negative(self.func, inst.args[0]) {
            // Processors without AVX-512 convert signed numbers only.
            self.func.insts[id].op = Op::Sitofp;
            self.folded.changed = true;
        } else if is_splat_build(self.func, inst) {
            let inst = &mut self.func.insts[id];
            inst.op = Op::Splat;
            inst.args.truncate(1);
            self.folded.changed = true;
        }
    }

    /// Moves the order and scope operands of an atomic operation into its attribute if they are constants.
    fn consistency(&mut self, id: InstId) {
        let inst = &self.func.insts[id];
        let Some(numbers) = inst.pending() else { return };
        let [Some(order), Some(scope)] = numbers.map(|number| self.func.as_const(number)) else { return };
        let inst = &mut self.func.insts[id];
        let new = Consistency {
            order: MemoryOrder::from_number(order, inst.op),
            scope: MemoryScope::from_number(scope),
        };
        if let Attr::Rmw(_, consistency) | Attr::Consistency(consistency) = &mut inst.attr {
            *consistency = new;
        }
        inst.args.truncate(inst.args.len() - numbers.len());
        self.folded.changed = true;
    }

    fn terminator(&mut self, id: InstId) {
        let inst = &self.func.insts[id];
        let taken = match (inst.op, &inst.attr) {
            (Op::BrIf, _) if inst.targets[0] == inst.targets[1] => Some(0),
            (Op::BrIf, _) => self.func.as_const(inst.args[0]).map(|c| usize::from(c == 0)),
            (Op::Switch, Attr::Cases(cases)) => {
                let value = self.func.as_const(inst.args[0]);
                value.map(|v| cases.iter().position(|&c| c == v).map_or(0, |i| i + 1))
            }
            _ => None,
        };
        if let Some(taken) = taken {
            let inst = &mut self.func.insts[id];
            let target = inst.targets.swap_remove(taken);
            (inst.op, inst.attr, inst.targets) = (Op::Jump, Attr::None, vec![target]);
            inst.args.clear();
            self.folded = Folded { changed: true, branches: true };
            return;
        }
        self.invert(id);
    }

    /// Turns `brif (xor c, 1), a, b` into `brif c, b, a`.
    fn invert(&mut self, id: InstId) {
        let inst = &self.func.insts[id];
        if inst.op != Op::BrIf {
            return;
        }
        let Some(def) = self.func.def_inst(inst.args[0]) else { return };
        if def.op == Op::Xor && self.func.as_const(def.args[1]) == Some(1) {
            let inner = def.args[0];
            let inst = &mut self.func.insts[id];
            inst.args[0] = inner;
            inst.targets.swap(0, 1);
            self.folded.branches = true;
        }
    }
}

/// Returns the value and the count if an instruction is a left rotation: the bits shifted out on one side come in
/// on the other.
fn rotated(func: &Function, inst: &Inst) -> Option<[Value; 2]> {
    let bits = u64::from(inst.ty.kind.bits());
    if !matches!(inst.op, Op::Or | Op::Xor | Op::Iadd) || bits < 8 {
        return None;
    }
    let defs = [func.def_inst(inst.args[0])?, func.def_inst(inst.args[1])?];
    let left = defs.into_iter().find(|def| def.op == Op::Shl)?;
    let right = defs.into_iter().find(|def| def.op == Op::Lshr)?;
    let count = |inst: &Inst| {
        let by = inst.args[1];
        let of_lanes = func.def_inst(by).filter(|def| def.op == Op::Splat).map(|def| def.args[0]);
        func.as_const(of_lanes.unwrap_or(by)).map(|by| by % bits)
    };
    let is_whole = left.args[0] == right.args[0] && count(left)? != 0 && count(left)? + count(right)? == bits;
    is_whole.then(|| [left.args[0], left.args[1]])
}

/// Checks whether a vector is built of copies of one value or of one constant.
fn is_splat_build(func: &Function, inst: &Inst) -> bool {
    let constant = |value: Value| {
        let def = func.def_inst(value)?;
        matches!(def.op, Op::Iconst | Op::Fconst).then(|| def.int())
    };
    let first = inst.args.first().copied();
    inst.op == Op::BuildVector
        && first.is_some_and(|first| {
            let bits = constant(first);
            inst.args.iter().all(|&arg| arg == first || bits.is_some() && constant(arg) == bits)
        })
}

/// Returns 0 if the result is that for all operands.
fn zero(func: &Function, inst: &Inst) -> Option<u64> {
    let is_zero = match inst.op {
        Op::Urem | Op::Srem => func.as_const(inst.args[1]) == Some(1),
        Op::Isub | Op::Xor => inst.args[0] == inst.args[1],
        _ => false,
    };
    (is_zero && inst.ty.kind.is_int() && !inst.ty.is_vector()).then_some(0)
}

/// Returns the operand that the result equals, if there is one.
fn identity(func: &Function, id: InstId) -> Option<Value> {
    let inst = &func.insts[id];
    let constant = |i: usize| func.as_const(inst.args[i]);
    let arg = |i: usize| inst.args[i];
    if let Some(value) = identity_of_lanes(func, inst) {
        return Some(value);
    }
    match inst.op {
        Op::Iadd | Op::Or | Op::Xor if constant(0) == Some(0) => Some(arg(1)),
        Op::Iadd | Op::Isub | Op::Or | Op::Xor | Op::Shl | Op::Lshr | Op::Ashr | Op::PtrAdd
            if constant(1) == Some(0) =>
        {
            Some(arg(0))
        }
        Op::Imul if constant(0) == Some(1) => Some(arg(1)),
        Op::Imul | Op::Udiv | Op::Sdiv if constant(1) == Some(1) => Some(arg(0)),
        Op::And | Op::Or if arg(0) == arg(1) => Some(arg(0)),
        Op::And if inst.ty == Type::I1 && constant(1) == Some(1) => Some(arg(0)),
        Op::And if inst.ty == Type::I1 && constant(0) == Some(1) => Some(arg(1)),
        Op::And if constant(1) == Some(0) => Some(arg(1)),
        Op::And if constant(0) == Some(0) => Some(arg(0)),
        Op::Or if inst.ty == Type::I1 && constant(1) == Some(1) => Some(arg(1)),
        Op::Or if inst.ty == Type::I1 && constant(0) == Some(1) => Some(arg(0)),
        Op::Select if arg(1) == arg(2) => Some(arg(1)),
        Op::Select if inst.ty == Type::I1 && constant(1) == Some(1) && constant(2) == Some(0) => Some(arg(0)),
        Op::Select => constant(0).map(|c| if c != 0 { arg(1) } else { arg(2) }),
        Op::Bitcast if func.ty(arg(0)) == inst.ty => Some(arg(0)),
        Op::Bitcast => {
            let def = func.def_inst(arg(0))?;
            (def.op == Op::Bitcast && func.ty(def.args[0]) == inst.ty).then(|| def.args[0])
        }
        Op::Extract => lane_source(func, arg(0), inst.int()),
        // `(zext c) != 0`, `(sext c) < 0` and `(sext c) != 0` equal `c`.
        Op::Icmp if func.is_zero(arg(1)) => {
            let def = func.def_inst(arg(0))?;
            let same = match inst.int_cond() {
                IntCond::Ne => matches!(def.op, Op::Zext | Op::Sext),
                IntCond::Slt => def.op == Op::Sext,
                _ => false,
            };
            (same && func.ty(def.args[0]).kind == Kind::I1).then(|| def.args[0])
        }
        Op::Trunc => {
            let def = func.def_inst(arg(0)).filter(|def| matches!(def.op, Op::Zext | Op::Sext))?;
            (func.ty(def.args[0]) == inst.ty).then(|| def.args[0])
        }
        // A value below 2^31 is unchanged by truncation to 32 bits and extension.
        Op::Sext | Op::Zext => {
            let def = func.def_inst(arg(0)).filter(|def| def.op == Op::Trunc && def.ty == Type::I32)?;
            (inst.ty == Type::I64 && is_small(func, def.args[0])).then(|| def.args[0])
        }
        _ => None,
    }
}

/// Returns the operand that a vector result equals: the other operand is zero in all lanes, or true in all lanes of
/// a mask.
fn identity_of_lanes(func: &Function, inst: &Inst) -> Option<Value> {
    if !inst.ty.is_vector() {
        return None;
    }
    let is_all = |value: Value| {
        let splat = func.def_inst(value).filter(|def| def.op == Op::Splat && inst.ty.is_mask());
        splat.is_some_and(|def| func.as_const(def.args[0]) == Some(1))
    };
    let [a, b] = inst.args[..] else { return None };
    match inst.op {
        Op::Iadd | Op::Or | Op::Xor if func.is_zero(a) => Some(b),
        Op::Iadd | Op::Isub | Op::Or | Op::Xor if func.is_zero(b) => Some(a),
        Op::And if is_all(a) || func.is_zero(b) => Some(b),
        Op::And if is_all(b) || func.is_zero(a) => Some(a),
        Op::Or if is_all(b) => Some(b),
        Op::Or if is_all(a) => Some(a),
        _ => None,
    }
}

/// Checks whether a number is known to be from 0 to 2³¹ - 1.
fn is_small(func: &Function, value: Value) -> bool {
    max_value(func, value, 4).is_some_and(|max_value| max_value <= i32::MAX as u64)
}

/// Checks whether the sign bit of an integer is known to be clear.
fn is_non_negative(func: &Function, value: Value) -> bool {
    max_value(func, value, 4).is_some_and(|max_value| max_value <= full(func.ty(value).kind) >> 1)
}

/// Returns an upper bound of a value, or of all lanes, as unsigned numbers, if one below the largest number of the type is
/// known. Looks through at most `depth` instructions.
pub(crate) fn max_value(func: &Function, value: Value, depth: u32) -> Option<u64> {
    if let Def::Param(block, index) = func.values[value].def {
        let facts = func.param_facts.get(index as usize).filter(|_| block == func.entry())?;
        return facts.max.map(u64::from);
    }
    if let Some(bits) = func.as_const_of_lanes(value) {
        return Some(bits);
    }
    let inst = func.def_inst(value).filter(|inst| depth > 0 && !inst.ty.is_mask())?;
    let of = |at: usize| max_value(func, inst.args[at], depth - 1);
    let of_any = |at: usize| of(at).unwrap_or(full(func.ty(inst.args[at]).kind));
    let by = || func.as_const_of_lanes(inst.args[1]);
    let max_value = match inst.op {
        Op::Iadd => of(0)?.checked_add(of(1)?)?,
        Op::Imul => of(0)?.checked_mul(of(1)?)?,
        Op::Shl => of(0)?.checked_mul(1 << by().filter(|&by| by < 32)?)?,
        Op::Lshr => of_any(0) >> by().filter(|&by| by < u64::from(inst.ty.kind.bits()))?,
        Op::Urem => by().filter(|&by| by > 0)? - 1,
        Op::And => return of(0).into_iter().chain(of(1)).min(),
        Op::Zext => of_any(0),
        Op::Trunc | Op::Splat => of(0)?,
        Op::BuildVector => {
            inst.args.iter().try_fold(0, |largest, &arg| Some(func.as_const(arg)?.max(largest)))?
        }
        Op::Iota => u64::from(inst.ty.lanes) - 1,
        _ => return None,
    };
    (max_value <= full(inst.ty.kind)).then_some(max_value)
}

/// Returns `n` if an addition recombines its quotient and remainder, as in `(n >> 3) * 8 + (n & 7)`. This pattern
/// comes from the local ids of linearized work-items. The returned value may be wider than the result.
fn recombined(func: &Function, inst: &Inst) -> Option<Value> {
    if inst.op != Op::Iadd || inst.ty.is_vector() {
        return None;
    }
    // Bits above those of the result do not matter, so a truncation is looked through.
    let without_trunc = |value: Value| {
        let def = func.def_inst(value)?;
        if def.op == Op::Trunc { func.def_inst(def.args[0]) } else { Some(def) }
    };
    let constant = |inst: &Inst, at: usize| func.as_const(inst.args[at]);
    let of = |multiple: Value, rest: Value| {
        let (multiple, rest) = (without_trunc(multiple)?, without_trunc(rest)?);
        if matches!(rest.op, Op::Urem | Op::Srem) {
            return of_division(func, multiple, rest);
        }
        let bits = match multiple.op {
            Op::Shl => constant(multiple, 1)?,
            Op::Imul => u64::from(constant(multiple, 1).filter(|by| by.is_power_of_two())?.trailing_zeros()),
            _ => return None,
        };
        let quotient = without_trunc(multiple.args[0])?;
        let is_recombination = quotient.op == Op::Lshr
            && rest.op == Op::And
            && (1..32).contains(&bits)
            && constant(quotient, 1) == Some(bits)
            && constant(rest, 1) == Some((1 << bits) - 1)
            && quotient.args[0] == rest.args[0]
            && [quotient, multiple, rest].iter().all(|part| part.ty.bits() >= inst.ty.bits());
        is_recombination.then(|| rest.args[0])
    };
    of(inst.args[0], inst.args[1]).or_else(|| of(inst.args[1], inst.args[0]))
}

/// Returns the number of which `multiple` is the quotient times the divisor, and `rest` the remainder.
fn of_division(func: &Function, multiple: &Inst, rest: &Inst) -> Option<Value> {
    let (number, divisor) = (rest.args[0], rest.args[1]);
    let quotient_op = if rest.op == Op::Urem { Op::Udiv } else { Op::Sdiv };
    let is_quotient = |value: Value| {
        func.def_inst(value).is_some_and(|def| def.op == quotient_op && def.args[..] == [number, divisor])
    };
    let is_product = multiple.op == Op::Imul
        && (multiple.args[1] == divisor && is_quotient(multiple.args[0])
            || multiple.args[0] == divisor && is_quotient(multiple.args[1]));
    is_product.then_some(number)
}

/// Folds an equality comparison of the addresses of two globals, as closure switches contain them.
fn distinct(func: &Function, id: InstId) -> Option<u64> {
    let inst = &func.insts[id];
    let Attr::IntCond(cond @ (IntCond::Eq | IntCond::Ne)) = inst.attr else { return None };
    let global = |i: usize| match func.def_inst(inst.args[i])?.attr {
        Attr::Global(global) => Some(global),
        _ => None,
    };
    Some(u64::from((global(0)? == global(1)?) == (cond == IntCond::Eq)))
}

/// Returns the scalar that lane `lane` of a vector was made from.
fn lane_source(func: &Function, mut vector: Value, lane: u64) -> Option<Value> {
    // A chain of inserts is as long as the vector, which has at most 16 lanes.
    for _ in 0..16 {
        let def = func.def_inst(vector)?;
        match def.op {
            Op::BuildVector => return Some(def.args[lane as usize]),
            Op::Splat => return Some(def.args[0]),
            Op::Insert if def.int() == lane => return Some(def.args[1]),
            Op::Insert => vector = def.args[0],
            _ => return None,
        }
    }
    None
}

/// Checks whether two values are the same constant.
fn is_same_constant(func: &Function, a: Value, b: Value) -> bool {
    let constant = |value| func.def_inst(value).filter(|inst| matches!(inst.op, Op::Iconst | Op::Fconst));
    let pair = constant(a).zip(constant(b));
    pair.is_some_and(|(a, b)| a.op == b.op && a.ty == b.ty && a.attr == b.attr)
}

/// Arguments that a block receives for one of its parameters.
#[derive(Clone, Copy)]
enum IncomingValue {
    Undefined,
    /// All predecessors pass this value.
    One(Value),
    /// All predecessors pass the same constant, as several values.
    Constant(Value),
    Different,
}

/// Removes block parameters that always receive one value (or themselves).
fn redundant_params(func: &mut Function) -> bool {
    let mut incoming = PerBlock::new(func, IncomingValue::Undefined, |block| func.blocks[block].params.len());
    for &block in &func.layout {
        for target in &func.terminator(block).targets {
            let params = &func.blocks[target.block].params;
            let slots = incoming.of_mut(target.block);
            for (i, &arg) in target.args.iter().enumerate().filter(|&(i, &arg)| params[i] != arg) {
                slots[i] = match slots[i] {
                    IncomingValue::Undefined => IncomingValue::One(arg),
                    IncomingValue::One(one) if one == arg => IncomingValue::One(one),
                    IncomingValue::One(one) | IncomingValue::Constant(one)
                        if is_same_constant(func, one, arg) =>
                    {
                        IncomingValue::Constant(one)
                    }
                    _ => IncomingValue::Different,
                };
            }
        }
    }
    let is_kept =
        |given: &IncomingValue| matches!(given, IncomingValue::Undefined | IncomingValue::Different);
    let entry = func.entry();
    let has_one = |block: &Block| *block != entry && !incoming.of(*block).iter().all(is_kept);
    let found: Vec<Block> = func.layout.iter().copied().filter(has_one).collect();
    if found.is_empty() {
        return false;
    }
    let mut alias: IdMap<Value, Option<Value>> = IdMap::with_len(None, func.values.len());
    let mut keep: IdMap<Block, Option<Vec<bool>>> = IdMap::with_len(None, func.blocks.len());
    for block in found {
        let list = incoming.of(block);
        keep[block] = Some(list.iter().map(is_kept).collect());
        for (i, slot) in list.iter().enumerate() {
            alias[func.blocks[block].params[i]] = match *slot {
                IncomingValue::One(value) => Some(value),
                IncomingValue::Constant(value) => Some(clone_constant_into(func, block, value)),
                IncomingValue::Undefined | IncomingValue::Different => continue,
            };
        }
    }
    drop_params(func, &keep);
    replace(func, &mut alias);
    true
}

/// Table with several entries for each block of the layout, stored in one list.
struct PerBlock<T> {
    all: Vec<T>,
    /// Index of a block's first entry, and the number of its entries.
    ranges: IdMap<Block, (u32, u32)>,
}

impl<T: Clone> PerBlock<T> {
    fn new(func: &Function, nothing: T, count: impl Fn(Block) -> usize) -> PerBlock<T> {
        let mut ranges = IdMap::with_len((0, 0), func.blocks.len());
        let mut sum = 0;
        for &block in &func.layout {
            let count = count(block) as u32;
            ranges[block] = (sum, count);
            sum += count;
        }
        PerBlock { all: vec![nothing; sum as usize], ranges }
    }
    fn of(&self, block: Block) -> &[T] {
        let (start, count) = self.ranges[block];
        &self.all[start as usize..][..count as usize]
    }
    fn of_mut(&mut self, block: Block) -> &mut [T] {
        let (start, count) = self.ranges[block];
        &mut self.all[start as usize..][..count as usize]
    }
}

/// Copies a constant to the start of a block.
fn clone_constant_into(func: &mut Function, block: Block, constant: Value) -> Value {
    let Inst { op, ty, args, attr, .. } = func.def_inst(constant).expect("a constant").clone();
    let id = func.make_inst(op, ty, args, attr, Vec::new(), 0);
    func.blocks[block].insts.insert(0, id);
    func.insts[id].result.expect("a constant is a value")
}

/// Replaces values everywhere. Chains are followed; there can be no cycles, since their blocks would be
/// unreachable.
fn replace(func: &mut Function, alias: &mut IdMap<Value, Option<Value>>) {
    let limit = func.values.len();
    for &block in &func.layout {
        for &id in &func.blocks[block].insts {
            let inst = &mut func.insts[id];
            for arg in inst.uses_mut() {
                let start = *arg;
                let mut steps = 0;
                while let Some(value) = alias[*arg] {
                    *arg = value;
                    steps += 1;
                    assert!(steps <= limit, "a parameter is defined by itself alone");
                }
                if steps > 1 {
                    alias[start] = Some(*arg);
                }
            }
        }
    }
}

/// Removes the parameters whose flag is false, and their arguments.
fn drop_params(func: &mut Function, keep: &IdMap<Block, Option<Vec<bool>>>) {
    for block in func.layout.clone() {
        for target in &mut func.terminator_mut(block).targets {
            if let Some(kept) = &keep[target.block] {
                let mut flags = kept.iter();
                target.args.retain(|_| *flags.next().unwrap_or(&true));
            }
        }
        if let Some(kept) = &keep[block] {
            let mut flags = kept.iter();
            func.blocks[block].params.retain(|_| *flags.next().unwrap_or(&true));
            for (i, param) in func.blocks[block].params.clone().into_iter().enumerate() {
                func.values[param].def = Def::Param(block, i as u32);
            }
        }
    }
}

/// Merges each block into its only predecessor, and redirects branches past blocks that only jump.
fn merge_blocks(func: &mut Function, mut cfg: Rc<Cfg>) -> bool {
    let mut changed = skip_empty(func);
    if changed {
        cfg = Rc::new(prune_unreachable(func));
    }
    let mut merged = IdMap::with_len(false, func.blocks.len());
    for block in func.layout.clone() {
        if merged[block] {
            continue;
        }
        loop {
            let last = func.terminator(block);
            if last.op != Op::Jump {
                break;
            }
            let next = last.targets[0].block;
            // Only blocks without parameters are merged; redundant parameters have been dropped before.
            let single = cfg.preds(next) == [block] || cfg.preds(next).len() == 1;
            if !single || next == block || next == func.entry() || !func.blocks[next].params.is_empty() {
                break;
            }
            func.blocks[block].insts.pop();
            let mut tail = std::mem::take(&mut func.blocks[next].insts);
            func.blocks[block].insts.append(&mut tail);
            merged[next] = true;
            changed = true;
        }
    }
    func.layout.retain(|&b| !merged[b]);
    changed
}

/// Redirects branches past blocks that contain only a jump without arguments.
fn skip_empty(func: &mut Function) -> bool {
    let mut forward: IdMap<Block, Option<Block>> = IdMap::with_len(None, func.blocks.len());
    for &block in &func.layout {
        let data = &func.blocks[block];
        if data.params.is_empty() && data.unroll.is_none() && data.insts.len() == 1 && block != func.entry() {
            let last = func.terminator(block);
            if last.op == Op::Jump && last.targets[0].args.is_empty() && last.targets[0].block != block {
                forward[block] = Some(last.targets[0].block);
            }
        }
    }
    let mut changed = false;
    for block in func.layout.clone() {
        for target in &mut func.terminator_mut(block).targets {
            // The number of steps is bounded because empty infinite loops exist.
            for _ in 0..8 {
                match forward[target.block] {
                    Some(next) if next != target.block => {
                        *target = Target::new(next, &[]);
                        changed = true;
                    }
                    _ => break,
                }
            }
        }
    }
    changed
}

/// Removes instructions and block parameters that no effect and no branch needs, by mark and sweep. Dead
/// loop-carried cycles are removed too. Returns whether anything was removed.
pub(super) fn sweep_dead(func: &mut Function) -> bool {
    let mut live = IdMap::with_len(false, func.values.len());
    let mut work: Vec<Value> = Vec::new();
    let mut edges: Vec<(InstId, u32, Block)> = Vec::with_capacity(2 * func.layout.len());
    let mut counts: IdMap<Block, u32> = IdMap::with_len(0, func.blocks.len());
    for &block in &func.layout {
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            if matches!(inst.op.effect(), Effect::Write | Effect::End) && inst.op != Op::Alloca
                || inst.is_volatile()
            {
                work.extend(&inst.args);
            }
            for (i, target) in inst.targets.iter().enumerate() {
                counts[target.block] += 1;
                edges.push((id, i as u32, target.block));
            }
        }
    }
    let mut incoming = PerBlock::new(func, None, |block| counts[block] as usize);
    for (id, i, to) in edges {
        counts[to] -= 1;
        incoming.of_mut(to)[counts[to] as usize] = Some((id, i));
    }
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut live[value], true) {
            continue;
        }
        match func.values[value].def {
            Def::Inst(inst) => work.extend(&func.insts[inst].args),
            Def::Param(block, index) => {
                work.extend(
                    incoming
                        .of(block)
                        .iter()
                        .flatten()
                        .map(|&(id, t)| func.insts[id].targets[t as usize].args[index as usize]),
                );
            }
        }
    }
    let entry = func.entry();
    let mut keep: IdMap<Block, Option<Vec<bool>>> = IdMap::with_len(None, func.blocks.len());
    let mut changed = false;
    for &block in &func.layout {
        let data = &mut func.blocks[block];
        if block != entry && data.params.iter().any(|&p| !live[p]) {
            keep[block] = Some(data.params.iter().map(|&p| live[p]).collect());
            changed = true;
        }
        let (insts, count) = (&func.insts, data.insts.len());
        data.insts.retain(|&id| {
            let inst = &insts[id];
            let used = inst.result.is_some_and(|r| live[r]);
            let removable = match inst.op.effect() {
                Effect::Pure => true,
                Effect::Read => !inst.is_volatile(),
                Effect::Write => inst.op == Op::Alloca,
                Effect::End => false,
            };
            used || !removable
        });
        changed |= data.insts.len() != count;
    }
    drop_params(func, &keep);
    changed
}
