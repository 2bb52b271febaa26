//! Sub-groups: the items that stand at one of their operations, and what each gets there.
//!
//! Who comes together is what structured control flow says: items that parted wait for each other where their ways meet.
//! So of several places in one sub-group that goes first which is in an earlier turn of a loop, or from which another can
//! still be reached, without another turn of the innermost loop around both.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::collective::{combine, halve};
use super::{CallFrame, Item, ItemState, LaneBits};
use crate::ir::analysis::{Cfg, DomTree, LoopId, Loops};
use crate::ir::{Attr, Block, Function, Inst, Module, Op, SubGroupOp};
use crate::support::{FastMap, FastSet};

/// What is known of the functions that items stand in; nothing if nothing in a module asks for sub-groups.
#[derive(Default)]
pub(super) struct Meetings {
    loops: FastMap<*const Function, Loops>,
}

/// Loops that an item is in, outermost first, and the turn of each.
pub(super) type Iterations = SmallVec<[(LoopId, u64); 2]>;

impl Meetings {
    pub(super) fn new(module: &Module) -> Meetings {
        let asks = |func: &Function| func.instructions().any(|inst| inst.op.is_of_sub_group());
        if !module.funcs.values().any(asks) {
            return Meetings::default();
        }
        let defined = module.funcs.values().filter(|func| func.is_defined());
        let loops = defined.map(|func| {
            let cfg = Cfg::new(func);
            (std::ptr::from_ref(func), Loops::new(func, &cfg, &DomTree::new(func, &cfg)))
        });
        Meetings { loops: loops.collect() }
    }

    /// An item goes to a block.
    pub(super) fn go(&self, func: &Function, to: Block, turns: &mut Iterations) {
        let Some(loops) = self.loops.get(&std::ptr::from_ref(func)) else { return };
        while turns.last().is_some_and(|&(id, _)| !loops.contains(id, to)) {
            turns.pop();
        }
        let Some(id) = loops.of(to).filter(|&id| loops.get(id).header == to) else { return };
        match turns.last_mut() {
            Some((last, turn)) if *last == id => *turn += 1,
            _ => turns.push((id, 0)),
        }
    }

    /// Lets the items of each sub-group of this size go on that stand at one operation, if none of it is still on its way.
    /// Whether any goes on.
    pub(super) fn hold(&self, items: &mut [Item<'_>], size: usize) -> Result<bool, String> {
        let mut any = false;
        let mut rest = items;
        while let Some(first) = rest.first() {
            let number = first.index / size;
            let count = rest.iter().take_while(|item| item.index / size == number).count();
            let (group, others) = rest.split_at_mut(count);
            rest = others;
            if group.iter().all(|item| item.state != ItemState::Runs) {
                any |= self.hold_one(group, size)?;
            }
        }
        Ok(any)
    }

    fn hold_one(&self, items: &mut [Item<'_>], size: usize) -> Result<bool, String> {
        let waiting = || items.iter().enumerate().filter(|(_, item)| item.state == ItemState::SubGroup);
        let Some((mut first, _)) = waiting().next() else { return Ok(false) };
        for (i, item) in waiting() {
            if self.order(&item.frames, &items[first].frames) == Ordering::Less {
                first = i;
            }
        }
        let together: Vec<usize> = waiting()
            .filter(|(_, item)| self.order(&item.frames, &items[first].frames) == Ordering::Equal)
            .map(|(i, _)| i)
            .collect();
        let results = results(items, &together, size)?;
        for (&i, result) in together.iter().zip(results) {
            let frame = items[i].frames.last_mut().expect("it runs");
            let inst = frame.current();
            frame.set(inst, SmallVec::from_elem(result, 1));
            items[i].state = ItemState::Runs;
        }
        Ok(true)
    }

    /// Which of two items comes first, by where they stand.
    fn order(&self, a: &[CallFrame<'_>], b: &[CallFrame<'_>]) -> Ordering {
        for (a, b) in a.iter().zip(b) {
            let mut shared = None;
            for (&(id, turn), &(other, other_turn)) in a.turns.iter().zip(&b.turns) {
                if id != other {
                    break;
                }
                if turn != other_turn {
                    return turn.cmp(&other_turn);
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

    /// Whether a block leads to another without another turn of the innermost loop around both.
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

/// What each of the items gets that are `together` at an operation.
fn results(items: &[Item<'_>], together: &[usize], size: usize) -> Result<Vec<u64>, String> {
    let frame = |i: usize| items[i].frames.last().expect("it runs");
    let inst: &Inst = frame(together[0]).current();
    let Some(op) = SubGroupOp::of(inst.op) else { return Err("no operation of a sub-group".into()) };
    let arg = |i: usize, at: usize| frame(i).values[inst.args[at]][0];
    let places: Vec<usize> = together.iter().map(|&i| items[i].index % size).collect();
    let mut values: Vec<Option<u64>> = vec![None; size];
    if !inst.args.is_empty() {
        together.iter().zip(&places).for_each(|(&i, &place)| values[place] = Some(arg(i, 0)));
    }
    let same = |value: u64| vec![value; together.len()];
    let how = if let Attr::Reduction(how) = inst.attr { Some(how) } else { None };
    let nothing = how.map_or(0, |how| how.identity(inst.ty.kind));
    let all: Vec<u64> = values.iter().map(|value| value.unwrap_or(nothing)).collect();
    let both = |a: u64, x: u64| how.map_or(Ok(0), |how| combine(how, inst.ty, a, x));
    let of_places = |all: Vec<u64>| places.iter().map(|&place| all[place]).collect();
    Ok(match op {
        SubGroupOp::SubGroupLane => places.iter().map(|&place| place as u64).collect(),
        SubGroupOp::SubGroupSize => same(size as u64),
        SubGroupOp::SubGroupBarrier => same(0),
        SubGroupOp::SubGroupBallot => same(places.iter().fold(0, |bits, &place| bits | all[place] << place)),
        SubGroupOp::SubGroupFirst => same(all[places[0]]),
        SubGroupOp::SubGroupShuffle => together.iter().map(|&i| all[arg(i, 1) as usize % size]).collect(),
        SubGroupOp::SubGroupReduce => same(how.map_or(Ok(0), |how| halve(how, inst.ty, all))?),
        SubGroupOp::SubGroupScan => of_places(scan(all, nothing, both)?),
        SubGroupOp::SubGroupExclusiveScan => {
            let mut before = vec![nothing];
            before.extend(&all[..size - 1]);
            of_places(scan(before, nothing, both)?)
        }
        SubGroupOp::SubGroupCluster => {
            let mut results = Vec::new();
            for (&i, &place) in together.iter().zip(&places) {
                results.push(cluster(&all, arg(i, 1), &both)?[place]);
            }
            results
        }
    })
}

/// All up to each: from neighbours to those twice as far away, and so on.
fn scan(
    mut all: Vec<u64>,
    nothing: u64,
    both: impl Fn(u64, u64) -> Result<u64, String>,
) -> Result<Vec<u64>, String> {
    let mut far = 1;
    while far < all.len() {
        let before = |i: usize| if i < far { nothing } else { all[i - far] };
        all = (0..all.len()).map(|i| both(before(i), all[i])).collect::<Result<_, _>>()?;
        far *= 2;
    }
    Ok(all)
}

/// All of each cluster, for each of it.
fn cluster(
    all: &[u64],
    size: u64,
    both: &impl Fn(u64, u64) -> Result<u64, String>,
) -> Result<Vec<u64>, String> {
    let mut all = all.to_vec();
    let mut far = 1;
    while far < all.len() && (far as u64) < size {
        all = (0..all.len()).map(|i| both(all[i & !far], all[i | far])).collect::<Result<_, _>>()?;
        far *= 2;
    }
    Ok(all)
}

/// What needs nobody else.
pub(super) fn alone(op: Op, index: usize, size: usize) -> Option<LaneBits> {
    let value = match op {
        Op::SubGroupLane => index % size,
        Op::SubGroupSize => size,
        _ => return None,
    };
    Some(SmallVec::from_elem(value as u64, 1))
}
