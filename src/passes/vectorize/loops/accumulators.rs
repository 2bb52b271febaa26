//! Accumulators: values that every iteration changes by an operation with a value of its own.
//!
//! Where the order does not matter (integers), each lane accumulates its own iterations, and the lanes are combined after
//! the loop. Floating-point sums depend on the order, unless the program permits any: the function of one iteration
//! stores what it adds, and neutral numbers where it adds nothing, and all of it is added in the order of the iterations
//! once the lanes are done.

use super::super::super::scalar::replace::Replacements;
use super::Refusal;
use super::outline::{Carried, Source, add_param, slot_facts};
use grus_ir::analysis::Cfg;
use grus_ir::op::Reduction;
use grus_ir::{Args, Block, Builder, Function, InstId, Mem, Op, Type, Value};
use grus_support::{FastMap, FastSet};

/// Change of a value of the header over the iterations of a vector.
pub(super) struct Accumulation {
    /// Parameter of the header, and the component of it.
    pub header: (usize, Option<u16>),
    pub ty: Type,
    pub kind: Accumulator,
}

/// Order in which values are accumulated.
pub(super) enum Accumulator {
    /// Lanes accumulate on their own, in the memory that this parameter of the function points at.
    InLanes { how: Reduction, slot: usize },
    /// Updates of one iteration, in their order.
    InOrder(Vec<Update>),
}

/// A change of an accumulator, by what the lanes have stored.
pub(super) struct Update {
    pub op: Op,
    /// For each operand the parameter that says where its values are; none for the accumulator.
    pub operands: Vec<Option<usize>>,
}

impl Accumulation {
    /// Returns the number of values of one iteration that are accumulated in order.
    pub(super) fn values_in_order(&self) -> u64 {
        match &self.kind {
            Accumulator::InLanes { .. } => 0,
            Accumulator::InOrder(updates) => updates.iter().map(|update| update.operands.len() as u64).sum(),
        }
    }
}

/// Returns the reduction that an op makes of values, one after the other.
fn reduction(op: Op) -> Option<Reduction> {
    Some(match op {
        Op::Iadd | Op::Isub => Reduction::Add,
        Op::Imul => Reduction::Mul,
        Op::And => Reduction::And,
        Op::Or => Reduction::Or,
        Op::Xor => Reduction::Xor,
        Op::Smin => Reduction::Smin,
        Op::Smax => Reduction::Smax,
        Op::Umin => Reduction::Umin,
        Op::Umax => Reduction::Umax,
        Op::Fadd | Op::Fsub | Op::Fma => Reduction::Fadd,
        Op::Fmul => Reduction::Fmul,
        _ => return None,
    })
}

/// Rewrites the function of one iteration so that no iteration needs the result of another one. Floating-point numbers
/// are accumulated in lanes if the program permits another order.
///
/// # Errors
/// If iterations hand on values in any other way.
pub(super) fn rewrite(
    func: &mut Function,
    sources: &mut Vec<Source>,
    carried: &[Carried],
    may_reassociate: bool,
) -> Result<Vec<Accumulation>, Refusal> {
    let mut all = Vec::new();
    for carried in carried {
        let before = func.params()[carried.before];
        let Some((block, at, after)) = final_store(func, carried) else { return Err(Refusal::CarriedValues) };
        if after == before {
            func.blocks[block].insts.remove(at);
            continue;
        }
        let is_float = carried.ty.kind.is_float();
        let may_be_in_lanes =
            carried.ty.kind.is_int() && carried.ty != Type::I1 || is_float && may_reassociate;
        let in_lanes = if may_be_in_lanes { in_lanes(func, carried, before) } else { None };
        let kind = match in_lanes {
            None if is_float => in_order(func, sources, carried, before),
            found => found,
        };
        let kind = kind.ok_or(Refusal::CarriedValues)?;
        all.push(Accumulation { header: carried.header, ty: carried.ty, kind });
    }
    Ok(all)
}

/// Returns the store of the value at the end of the iteration, by its block and position, and the value.
fn final_store(func: &Function, carried: &Carried) -> Option<(Block, usize, Value)> {
    let to = func.params()[carried.after];
    func.layout.iter().find_map(|&block| {
        let insts = &func.blocks[block].insts;
        let at =
            insts.iter().position(|&id| func.insts[id].op == Op::Store && func.insts[id].args[0] == to)?;
        Some((block, at, func.insts[insts[at]].args[1]))
    })
}

/// Lets lanes accumulate on their own, if the value is used for nothing else.
fn in_lanes(func: &mut Function, carried: &Carried, before: Value) -> Option<Accumulator> {
    let to = func.params()[carried.after];
    let mut accumulated: FastSet<Value> = FastSet::from_iter([before]);
    let mut how: Option<Reduction> = None;
    // Blocks are in reverse post-order: definitions come before their uses.
    let cfg = Cfg::new(func);
    for &block in cfg.rpo() {
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            let of_accumulator = inst.args.iter().filter(|arg| accumulated.contains(arg)).count();
            for target in &inst.targets {
                for (&arg, &param) in target.args.iter().zip(&func.blocks[target.block].params) {
                    if accumulated.contains(&arg) {
                        accumulated.insert(param);
                    }
                }
            }
            let is_update = match inst.op {
                _ if of_accumulator == 0 => continue,
                Op::Store => inst.args[0] == to,
                Op::Select => !accumulated.contains(&inst.args[0]) && of_accumulator == 2,
                Op::Isub | Op::Fsub => accumulated.contains(&inst.args[0]) && of_accumulator == 1,
                Op::Fma => accumulated.contains(&inst.args[2]) && of_accumulator == 1,
                op => reduction(op).is_some() && of_accumulator == 1,
            };
            if !is_update {
                return None;
            }
            if let Some(by) = reduction(inst.op)
                && *how.get_or_insert(by) != by
            {
                return None;
            }
            accumulated.extend(inst.result);
        }
    }
    // A parameter of a block is an accumulator on all ways or on none.
    let is_mixed = cfg.rpo().iter().flat_map(|&block| &func.terminator(block).targets).any(|target| {
        let params = &func.blocks[target.block].params;
        target
            .args
            .iter()
            .zip(params)
            .any(|(arg, param)| accumulated.contains(param) != accumulated.contains(arg))
    });
    let how = how.filter(|_| !is_mixed)?;
    let entry = func.entry();
    let value = Builder::new(func, entry).load(carried.ty, to, Mem::natural(carried.ty));
    move_to_front(func, entry, 1);
    let mut replaced = Replacements::new(func);
    replaced.set(before, value);
    replaced.apply(func);
    Some(Accumulator::InLanes { how, slot: carried.after })
}

/// An update of an accumulator that is added in order.
struct Found {
    block: Block,
    /// Instruction, and the selection after it that may take the accumulator without the update.
    inst: InstId,
    choice: Option<(InstId, bool)>,
    /// Position of the accumulator among the operands.
    at: usize,
}

/// Returns the number that leaves an accumulator as it is, signs of zeros included, for each operand.
fn neutral(op: Op, at: usize, operand: usize, ty: Type) -> u64 {
    let negative_zero = 1u64 << (ty.kind.bits() - 1);
    match (op, operand) {
        // x + -0 is x for all x, and x - 0 is.
        (Op::Fadd, _) => negative_zero,
        (Op::Fma, 0) if at == 2 => negative_zero,
        (Op::Fmul, _) => Reduction::Fmul.identity(ty.kind),
        _ => 0,
    }
}

/// Stores what each iteration adds, if the value is used for nothing else.
fn in_order(
    func: &mut Function,
    sources: &mut Vec<Source>,
    carried: &Carried,
    before: Value,
) -> Option<Accumulator> {
    let found = updates(func, carried, before)?;
    let entry = func.entry();
    let (store_block, store_at, _) = final_store(func, carried)?;
    func.blocks[store_block].insts.remove(store_at);
    let mut removed = Vec::new();
    let mut updates = Vec::new();
    let mut ends = Vec::new();
    let mut slots: FastMap<(Block, Value, u64, Option<Value>), usize> = FastMap::default();
    for Found { block, inst, choice, at } in found {
        let (op, args): (Op, Args) = (func.insts[inst].op, func.insts[inst].args.clone());
        let condition = choice.map(|(choice, _)| func.insts[choice].args[0]);
        let mut operands = Vec::new();
        for (operand, &arg) in args.iter().enumerate() {
            if operand == at {
                operands.push(None);
                continue;
            }
            let neutral = neutral(op, at, operand, carried.ty);
            let param = *slots.entry((block, arg, neutral, condition)).or_insert_with(|| {
                let to = add_param(func, Type::PRIVATE, slot_facts(carried.ty));
                sources.push(Source::Slot(carried.ty));
                // The value at the end, by way of memory, of which promotion makes block parameters.
                let b = &mut Builder::new(func, entry);
                let memory = b.alloca(carried.ty.bytes().into(), carried.ty.bytes());
                let none = b.constant(carried.ty, neutral);
                b.store(none, memory, Mem::natural(carried.ty));
                move_to_front(func, entry, 3);
                let position = position_after(func, block, choice.map_or(inst, |(choice, _)| choice));
                let rest = func.blocks[block].insts.split_off(position);
                let b = &mut Builder::new(func, block);
                let value = match choice {
                    Some((id, is_taken)) => {
                        let cond = b.func.insts[id].args[0];
                        let none = b.constant(carried.ty, neutral);
                        let [a, x] = if is_taken { [arg, none] } else { [none, arg] };
                        b.select(cond, a, x)
                    }
                    None => arg,
                };
                b.store(value, memory, Mem::natural(carried.ty));
                func.blocks[block].insts.extend(rest);
                ends.push((memory, to));
                sources.len() - 1
            });
            operands.push(Some(param));
        }
        for id in [Some(inst), choice.map(|(choice, _)| choice)].into_iter().flatten() {
            removed.extend(func.insts[id].result);
        }
        updates.push(Update { op, operands });
    }
    let last = func.blocks[store_block].insts.pop().expect("it has a terminator");
    for (memory, to) in ends {
        let b = &mut Builder::new(func, store_block);
        let value = b.load(carried.ty, memory, Mem::natural(carried.ty));
        b.store(value, to, Mem::natural(carried.ty));
    }
    func.blocks[store_block].insts.push(last);
    let mut replaced = Replacements::new(func);
    removed.into_iter().for_each(|result| replaced.set(result, before));
    replaced.apply(func);
    Some(Accumulator::InOrder(updates))
}

/// Moves the last instructions of a block, which has its terminator before them, to its front.
fn move_to_front(func: &mut Function, block: Block, count: usize) {
    func.blocks[block].insts.rotate_right(count);
}

/// Returns the position after an instruction of a block.
fn position_after(func: &Function, block: Block, inst: InstId) -> usize {
    let at = func.blocks[block].insts.iter().position(|&id| id == inst);
    at.expect("it is in the block") + 1
}

/// Returns the updates of an accumulator in the order in which an iteration makes them. `None` if it is used in another
/// way, or if an earlier value than the last one is.
fn updates(func: &Function, carried: &Carried, before: Value) -> Option<Vec<Found>> {
    let to = func.params()[carried.after];
    let cfg = Cfg::new(func);
    let mut accumulated: FastSet<Value> = FastSet::from_iter([before]);
    let mut current_at_end: FastMap<Block, Value> = FastMap::default();
    let mut found: Vec<Found> = Vec::new();
    for &block in cfg.rpo() {
        let mut current = if block == func.entry() {
            before
        } else {
            current_at_start(func, &cfg, block, &current_at_end, &mut accumulated)?
        };
        // The value before the last update of this block.
        let mut previous = None;
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            if !inst.args.iter().any(|arg| accumulated.contains(arg)) {
                continue;
            }
            let result = inst.result;
            let at = inst.args.iter().position(|&arg| arg == current);
            let others = inst.args.iter().filter(|arg| accumulated.contains(arg)).count();
            match (inst.op, at) {
                (Op::Store, Some(1)) if inst.args[0] == to => continue,
                (Op::Fadd | Op::Fmul, Some(_)) | (Op::Fsub, Some(0)) | (Op::Fma, Some(2)) if others == 1 => {
                    found.push(Found { block, inst: id, choice: None, at: at? });
                    previous = Some(current);
                }
                (Op::Select, Some(place @ 1..)) if others == 2 && inst.args[3 - place] == previous? => {
                    let last = found.last_mut().filter(|last| last.choice.is_none())?;
                    last.choice = Some((id, place == 1));
                    previous = None;
                }
                _ => return None,
            }
            current = result?;
            accumulated.insert(current);
        }
        let mut args = func.terminator(block).targets.iter().flat_map(|target| &target.args);
        if args.any(|arg| accumulated.contains(arg) && *arg != current) {
            return None;
        }
        current_at_end.insert(block, current);
    }
    // The store at the end is of the last value, which the loop above has checked.
    (!found.is_empty()).then_some(found)
}

/// Returns the accumulator at the start of a block: a parameter of it, or the value at the end of all blocks before.
fn current_at_start(
    func: &Function,
    cfg: &Cfg,
    block: Block,
    current_at_end: &FastMap<Block, Value>,
    accumulated: &mut FastSet<Value>,
) -> Option<Value> {
    let mut current: Option<Value> = None;
    let mut param = None;
    for &pred in cfg.preds(block) {
        let at_end = *current_at_end.get(&pred)?;
        for target in func.terminator(pred).targets.iter().filter(|target| target.block == block) {
            let at = target.args.iter().position(|&arg| arg == at_end);
            let is_again = at.is_some_and(|at| target.args[at + 1..].contains(&at_end));
            if is_again
                || param.is_some_and(|param| param != at)
                || current.is_some() && at.is_none() && current != Some(at_end)
            {
                return None;
            }
            param = Some(at);
            current = Some(at_end);
        }
    }
    match param? {
        Some(at) => {
            let value = func.blocks[block].params[at];
            accumulated.insert(value);
            Some(value)
        }
        None => current,
    }
}
