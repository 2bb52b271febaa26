//! What each item has another of, and all step by the same amounts in turns with barriers, is a base of each item and a counter
//! of the group.
//!
//! ```text
//! p = phi(a + id, p + 4 * lda)     ->     n = phi(0, n + 4 * lda);  p = a + id + n
//! ```
//! Such a pointer would be kept for each item from barrier to barrier, and where it is read back nobody knows that those of
//! neighbours lead to neighbours: lanes gather. The base is computed again after each barrier, and the counter is the same for
//! all items. It is strength reduction the other way round: what an induction variable (Allen, Cocke and Kennedy, Reduction of
//! Operator Strength, 1981) saves is little beside that.
//!
//! A signed number of 32 bits is counted in 64 if no step wraps, so that what it was extended to is a sum as it stands.

use super::super::pass_manager::PassContext;
use super::super::scalar::replace::Replacements;
use super::rematerialize;
use super::uniformity::{self, Uniformity};
use crate::ir::analysis::{Analyses, Cfg, LoopId, Loops};
use crate::ir::{Attr, Block, Builder, Def, Function, InstId, Kind, Op, Type, Value, ValueData};
use crate::support::{FastMap, FastSet};

/// Steps of one value in a turn.
const MOST_STEPS: usize = 64;

/// Values that are handed back to a header, from all sides.
const MOST_HANDED: usize = 4_096;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let found = find(func, &mut context.analyses);
    let mut extended = FastMap::default();
    found.iter().for_each(|found| write(func, found, &mut extended));
    put_in(func, &extended);
    !found.is_empty()
}

/// Whether the pass may find anything in a kernel.
pub fn may_run(func: &Function) -> bool {
    func.instructions().any(|inst| inst.op.is_group_barrier())
}

/// A parameter of a loop's header that is to be a base and a counter.
struct SplitInduction {
    header: Block,
    /// The value before the first turn, and the block that hands it over.
    base: Value,
    before: Block,
    param: Value,
    latches: Vec<Block>,
    /// What steps in a turn, and where, each behind the one whose result it takes.
    steps: Vec<(Block, InstId)>,
    /// Steps do not wrap.
    is_signed: bool,
}

fn find(func: &Function, analyses: &mut Analyses) -> Vec<SplitInduction> {
    let loops = analyses.loops(func);
    let has_barrier =
        |block: Block| func.blocks[block].insts.iter().any(|&id| func.insts[id].op.is_group_barrier());
    if !loops.is_reducible() {
        return Vec::new();
    }
    let waiting: FastSet<LoopId> = func
        .layout
        .iter()
        .filter(|&&block| has_barrier(block))
        .flat_map(|&block| loops.around(block))
        .collect();
    if waiting.is_empty() {
        return Vec::new();
    }
    let uniform = uniformity::find(func, analyses);
    let cfg = analyses.cfg(func);
    let mut places = FastMap::default();
    for &block in func.layout.iter().filter(|&&block| loops.depth(block) > 0) {
        places.extend(func.blocks[block].insts.iter().map(|&id| (id, block)));
    }
    let finder = InductionFinder { func, loops: &loops, cfg: &cfg, uniform: &uniform, places };
    loops.ids().filter(|id| waiting.contains(id)).flat_map(|id| finder.look_at(id)).collect()
}

struct InductionFinder<'a> {
    func: &'a Function,
    loops: &'a Loops,
    cfg: &'a Cfg,
    uniform: &'a Uniformity,
    /// Blocks of what is in loops.
    places: FastMap<InstId, Block>,
}

impl InductionFinder<'_> {
    fn look_at(&self, id: LoopId) -> Vec<SplitInduction> {
        let header = self.loops.get(id).header;
        let outside = |&&pred: &&Block| !self.loops.contains(id, pred);
        let mut before = self.cfg.preds(header).iter().filter(outside);
        // A counter would be another for each item where these come different numbers of times.
        let (Some(&before), None) = (before.next(), before.next()) else { return Vec::new() };
        let count = self.func.blocks[header].params.len();
        let is_much = count * self.loops.get(id).latches.len() > MOST_HANDED;
        if is_much || !self.uniform.together[header] {
            return Vec::new();
        }
        (0..count).filter_map(|at| self.stepping(id, before, at)).collect()
    }

    /// The parameter at this place, if it steps by what is the same for all.
    fn stepping(&self, id: LoopId, before: Block, at: usize) -> Option<SplitInduction> {
        let func = self.func;
        let lp = self.loops.get(id);
        let param = func.blocks[lp.header].params[at];
        let ty = func.ty(param);
        let is_number = matches!(ty.kind, Kind::I32 | Kind::I64) || ty.kind.is_ptr();
        if ty.is_vector() || !is_number || ty.kind == Kind::PtrPrivate || self.uniform.values[param] {
            return None;
        }
        let base = self.handed(before, lp.header, at)?;
        if !rematerialize::is_cheap(func, base) && !rematerialize::is_sum(func, base) {
            return None;
        }
        let mut steps: Vec<(Block, InstId)> = Vec::new();
        for &latch in &lp.latches {
            let mut value = self.handed(latch, lp.header, at)?;
            let first = steps.len();
            while value != param {
                let Def::Inst(step) = func.values[value].def else { return None };
                value = self.stepped(step)?;
                if steps.len() == MOST_STEPS {
                    return None;
                }
                if !steps.iter().any(|&(_, known)| known == step) {
                    steps.push((*self.places.get(&step)?, step));
                }
            }
            steps[first..].reverse();
        }
        let is_signed = ty.kind == Kind::I32
            && steps.iter().all(|&(_, step)| func.insts[step].attr == Attr::NoSignedWrap);
        let found = SplitInduction {
            header: lp.header,
            base,
            before,
            param,
            latches: lp.latches.clone(),
            steps,
            is_signed,
        };
        (!found.steps.is_empty()).then_some(found)
    }

    /// What a block hands over as a parameter of another, if it does in one way only.
    fn handed(&self, from: Block, to: Block, at: usize) -> Option<Value> {
        let mut targets = self.func.terminator(from).targets.iter().filter(|target| target.block == to);
        let (target, None) = (targets.next()?, targets.next()) else { return None };
        Some(target.args[at])
    }

    /// What an instruction adds something to, or takes it from, that is the same for all items.
    fn stepped(&self, step: InstId) -> Option<Value> {
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

/// Has the group count. What numbers of 32 bits are when they are extended goes to `extended`.
fn write(func: &mut Function, found: &SplitInduction, extended: &mut FastMap<Value, Value>) {
    let &SplitInduction { header, param, is_signed, .. } = found;
    let of_item = func.ty(param);
    let ty = if of_item.kind.is_ptr() || is_signed { Type::I64 } else { of_item };
    let at = func.blocks[header].params.iter().position(|&other| other == param).expect("it is one");
    let end = func.blocks[found.before].insts.pop().expect("a terminator");
    let mut b = Builder::new(func, found.before);
    let nothing = b.iconst(ty, 0);
    let base = if is_signed { b.convert(Op::Sext, ty, found.base) } else { found.base };
    func.blocks[found.before].insts.push(end);
    // The counter takes the parameter's place.
    let counter = func.values.push(ValueData { ty, def: func.values[param].def });
    func.blocks[header].params[at] = counter;
    let mut counted: FastMap<Value, Value> = [(found.base, nothing), (param, counter)].into_iter().collect();
    let mut sums = Sums { is_signed, base, extended };
    let rest = std::mem::take(&mut func.blocks[header].insts);
    sums.write(func, header, of_item, param, counter);
    func.blocks[header].insts.extend(rest);
    for &(block, step) in &found.steps {
        let inst = func.insts[step].clone();
        let sum = inst.result.expect("a sum");
        let place = func.blocks[block].insts.iter().position(|&id| id == step).expect("its block");
        let rest = func.blocks[block].insts.split_off(place);
        let mut b = Builder::new(func, block);
        b.loc = inst.loc;
        let by = inst.args.iter().position(|arg| !counted.contains_key(arg)).unwrap_or(1);
        let (before, by) = (counted[&inst.args[1 - by]], inst.args[by]);
        let by = if is_signed { b.convert(Op::Sext, ty, by) } else { by };
        let next = b.same(if inst.op == Op::Isub { Op::Isub } else { Op::Iadd }, &[before, by]);
        sums.write(func, block, of_item, sum, next);
        func.blocks[block].insts.extend(&rest[1..]);
        counted.insert(sum, next);
    }
    for &from in found.latches.iter().chain([&found.before]) {
        for target in func.terminator_mut(from).targets.iter_mut().filter(|target| target.block == header) {
            target.args[at] = counted[&target.args[at]];
        }
    }
}

/// Values as sums of a base and what was counted.
struct Sums<'a> {
    is_signed: bool,
    base: Value,
    /// Numbers of 32 bits, and what they are when they are extended.
    extended: &'a mut FastMap<Value, Value>,
}

impl Sums<'_> {
    /// Has `value` be the sum of the base and `counter`, at the end of a block.
    fn write(&mut self, func: &mut Function, block: Block, ty: Type, value: Value, counter: Value) {
        let mut b = Builder::new(func, block);
        let args = [self.base, counter];
        let new = if ty.kind.is_ptr() {
            b.ptr_add(args[0], args[1])
        } else if self.is_signed {
            let sum = b.same(Op::Iadd, &args);
            self.extended.insert(value, sum);
            b.convert(Op::Trunc, ty, sum)
        } else {
            b.same(Op::Iadd, &args)
        };
        // The value keeps its name.
        let Def::Inst(id) = func.values[new].def else { unreachable!("a sum") };
        func.insts[id].result = Some(value);
        func.values[value].def = Def::Inst(id);
    }
}

/// Puts sums in the place of what was extended.
fn put_in(func: &mut Function, sums: &FastMap<Value, Value>) {
    if sums.is_empty() {
        return;
    }
    let mut replaced = Replacements::new(func);
    for inst in func.instructions().filter(|inst| inst.op == Op::Sext && inst.ty == Type::I64) {
        if let (Some(&sum), Some(result)) = (sums.get(&inst.args[0]), inst.result) {
            replaced.set(result, sum);
        }
    }
    replaced.apply(func);
}
