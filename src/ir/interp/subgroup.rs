//! Sub-group operations: the work-items that execute one together, and their results.
//!
//! Structured control flow determines which work-items execute an operation together: those that have
//! diverged wait for each other where they reconverge. If work-items of a sub-group stand at several
//! operations, one in an earlier loop iteration goes first; within the same iteration the one goes first from
//! which another can be reached without a further iteration of the innermost loop around both.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::collective::{combine, halve};
use super::{CallFrame, InterpError, Item, ItemState, LaneBits};
use crate::analysis::{Cfg, DomTree, LoopId, Loops};
use crate::{Attr, Block, Function, Inst, Module, Op, SubGroupOp};
use grus_support::{FastMap, FastSet};

/// Loops of the functions in a module; empty if no function uses sub-group operations.
#[derive(Default)]
pub(super) struct Reconvergence {
    loops: FastMap<*const Function, Loops>,
}

/// Loops that a work-item is in, outermost first, with the iteration of each.
pub(super) type Iterations = SmallVec<[(LoopId, u64); 2]>;

impl Reconvergence {
    pub(super) fn new(module: &Module) -> Reconvergence {
        let uses_sub_groups = |func: &Function| func.instructions().any(|inst| inst.op.is_of_sub_group());
        if !module.funcs.values().any(uses_sub_groups) {
            return Reconvergence::default();
        }
        let defined = module.funcs.values().filter(|func| func.is_defined());
        let loops = defined.map(|func| {
            let cfg = Cfg::new(func);
            (std::ptr::from_ref(func), Loops::new(func, &cfg, &DomTree::new(func, &cfg)))
        });
        Reconvergence { loops: loops.collect() }
    }

    /// Updates the iterations of a work-item that branches to a block.
    pub(super) fn enter_block(&self, func: &Function, to: Block, iterations: &mut Iterations) {
        let Some(loops) = self.loops.get(&std::ptr::from_ref(func)) else { return };
        while iterations.last().is_some_and(|&(id, _)| !loops.contains(id, to)) {
            iterations.pop();
        }
        let Some(id) = loops.of(to).filter(|&id| loops.get(id).header == to) else { return };
        match iterations.last_mut() {
            Some((last, iteration)) if *last == id => *iteration += 1,
            _ => iterations.push((id, 0)),
        }
    }

    /// Runs the first operation of each sub-group whose work-items have all stopped, and lets those that
    /// stand at it continue. Returns true if any continues.
    pub(super) fn release(&self, items: &mut [Item<'_>], size: usize) -> Result<bool, InterpError> {
        let mut any = false;
        let mut remaining = items;
        while let Some(first) = remaining.first() {
            let number = first.index / size;
            let count = remaining.iter().take_while(|item| item.index / size == number).count();
            let (group, tail) = remaining.split_at_mut(count);
            remaining = tail;
            if group.iter().all(|item| item.state != ItemState::Running) {
                any |= self.release_one(group, size)?;
            }
        }
        Ok(any)
    }

    fn release_one(&self, items: &mut [Item<'_>], size: usize) -> Result<bool, InterpError> {
        let waiting = || items.iter().enumerate().filter(|(_, item)| item.state == ItemState::SubGroup);
        let Some((mut first, _)) = waiting().next() else { return Ok(false) };
        for (i, item) in waiting() {
            if self.compare_positions(&item.frames, &items[first].frames) == Ordering::Less {
                first = i;
            }
        }
        let together: Vec<usize> = waiting()
            .filter(|(_, item)| self.compare_positions(&item.frames, &items[first].frames) == Ordering::Equal)
            .map(|(i, _)| i)
            .collect();
        let results = results(items, &together, size)?;
        for (&i, result) in together.iter().zip(results) {
            let frame = items[i].frames.last_mut().expect("it runs");
            let inst = frame.current();
            frame.set(inst, SmallVec::from_elem(result, 1));
            items[i].state = ItemState::Running;
        }
        Ok(true)
    }

    /// Compares the positions of two work-items in program order.
    fn compare_positions(&self, a: &[CallFrame<'_>], b: &[CallFrame<'_>]) -> Ordering {
        for (a, b) in a.iter().zip(b) {
            let mut shared = None;
            for (&(id, iteration), &(other, other_iteration)) in a.iterations.iter().zip(&b.iterations) {
                if id != other {
                    break;
                }
                if iteration != other_iteration {
                    return iteration.cmp(&other_iteration);
                }
                shared = Some(id);
            }
            if a.block != b.block {
                let is_first = self.comes_before(a.func, a.block, b.block, shared);
                return if is_first { Ordering::Less } else { Ordering::Greater };
            }
            if a.next != b.next {
                return a.next.cmp(&b.next);
            }
        }
        a.len().cmp(&b.len())
    }

    /// Checks whether `b` can be reached from `a` without a further iteration of the innermost loop around
    /// both.
    fn comes_before(&self, func: &Function, a: Block, b: Block, shared: Option<LoopId>) -> bool {
        let Some(loops) = self.loops.get(&std::ptr::from_ref(func)) else { return false };
        let mut seen: FastSet<Block> = FastSet::default();
        let mut work = vec![a];
        while let Some(block) = work.pop() {
            for next in func.successors(block) {
                let is_inside =
                    shared.is_none_or(|id| loops.contains(id, next) && loops.get(id).header != next);
                if next == b && is_inside {
                    return true;
                }
                if is_inside && seen.insert(next) {
                    work.push(next);
                }
            }
        }
        false
    }
}

/// Returns the results of an operation for the work-items that execute it `together`.
fn results(items: &[Item<'_>], together: &[usize], size: usize) -> Result<Vec<u64>, InterpError> {
    let frame = |i: usize| items[i].frames.last().expect("it runs");
    let inst: &Inst = frame(together[0]).current();
    let Some(op) = SubGroupOp::of(inst.op) else { return Err(InterpError::SubGroupOp(inst.op)) };
    let arg = |i: usize, at: usize| frame(i).values[inst.args[at]][0];
    let lanes: Vec<usize> = together.iter().map(|&i| items[i].index % size).collect();
    let mut values: Vec<Option<u64>> = vec![None; size];
    if !inst.args.is_empty() {
        together.iter().zip(&lanes).for_each(|(&i, &lane)| values[lane] = Some(arg(i, 0)));
    }
    let uniform = |value: u64| vec![value; together.len()];
    let how = if let Attr::Reduction(how) = inst.attr { Some(how) } else { None };
    let identity = how.map_or(0, |how| how.identity(inst.ty.kind));
    let all: Vec<u64> = values.iter().map(|value| value.unwrap_or(identity)).collect();
    let combine_lanes = |a: u64, x: u64| how.map_or(Ok(0), |how| combine(how, inst.ty, a, x));
    let of_lanes = |all: Vec<u64>| lanes.iter().map(|&lane| all[lane]).collect();
    Ok(match op {
        SubGroupOp::SubGroupLane => lanes.iter().map(|&lane| lane as u64).collect(),
        SubGroupOp::SubGroupSize => uniform(size as u64),
        SubGroupOp::SubGroupBarrier => uniform(0),
        SubGroupOp::SubGroupBallot => uniform(lanes.iter().fold(0, |bits, &lane| bits | all[lane] << lane)),
        SubGroupOp::SubGroupFirst => uniform(all[lanes[0]]),
        SubGroupOp::SubGroupShuffle => together.iter().map(|&i| all[arg(i, 1) as usize % size]).collect(),
        SubGroupOp::SubGroupReduce => uniform(how.map_or(Ok(0), |how| halve(how, inst.ty, all))?),
        SubGroupOp::SubGroupScan => of_lanes(scan(all, identity, combine_lanes)?),
        SubGroupOp::SubGroupExclusiveScan => {
            let mut before = vec![identity];
            before.extend(&all[..size - 1]);
            of_lanes(scan(before, identity, combine_lanes)?)
        }
        SubGroupOp::SubGroupCluster => {
            let mut results = Vec::new();
            for (&i, &lane) in together.iter().zip(&lanes) {
                results.push(cluster(&all, arg(i, 1), &combine_lanes)?[lane]);
            }
            results
        }
    })
}

/// Computes the inclusive scan: combines neighbors, then values at doubled distances (Hillis and Steele,
/// 1986).
fn scan(
    mut all: Vec<u64>,
    identity: u64,
    combine_lanes: impl Fn(u64, u64) -> Result<u64, InterpError>,
) -> Result<Vec<u64>, InterpError> {
    let mut distance = 1;
    while distance < all.len() {
        let before = |i: usize| if i < distance { identity } else { all[i - distance] };
        all = (0..all.len()).map(|i| combine_lanes(before(i), all[i])).collect::<Result<_, _>>()?;
        distance *= 2;
    }
    Ok(all)
}

/// Combines the values of each cluster; every lane gets the result of its cluster.
fn cluster(
    all: &[u64],
    size: u64,
    combine_lanes: &impl Fn(u64, u64) -> Result<u64, InterpError>,
) -> Result<Vec<u64>, InterpError> {
    let mut all = all.to_vec();
    let mut distance = 1;
    while distance < all.len() && (distance as u64) < size {
        all = (0..all.len())
            .map(|i| combine_lanes(all[i & !distance], all[i | distance]))
            .collect::<Result<_, _>>()?;
        distance *= 2;
    }
    Ok(all)
}

/// Evaluates an operation that depends on no other work-item.
pub(super) fn independent(op: Op, index: usize, size: usize) -> Option<LaneBits> {
    let value = match op {
        Op::SubGroupLane => index % size,
        Op::SubGroupSize => size,
        _ => return None,
    };
    Some(SmallVec::from_elem(value as u64, 1))
}
