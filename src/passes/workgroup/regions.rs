//! Forms regions: what runs between two barriers, and what lives across them.

use std::rc::Rc;

use super::super::split;
use super::super::vectorize::block_order::BlockOrder;
use super::uniformity::Uniformity;
use super::{region_entries, rematerialize, uniformity};
use crate::ir::analysis::{Analyses, DomTree, Keeps, Liveness, cyclic, prune_unreachable};
use crate::ir::{Block, Builder, Function, InstId, Value};
use crate::support::{FastMap, FastSet, IdMap};

/// Sums that one value is a part of.
const MOST_SUMS: usize = 64;

/// A kernel whose barriers end their blocks, and its regions.
pub(super) struct Formed {
    pub func: Function,
    pub regions: Vec<Region>,
    /// Values that live across barriers and are too dear to be made again, in order of their ids.
    pub live_across: Vec<Value>,
    /// Those of them that are put together again from what the group keeps once for all items.
    pub sums: FastSet<Value>,
    /// What is the same for all items.
    pub uniform: Uniformity,
    /// Some regions begin where no barrier is, to keep the code linear. Work-items may then wait at different ones, and
    /// each keeps the number of its own. Those without barriers come first: nobody passes a barrier while others are
    /// still on their way to it.
    pub apart: bool,
    /// A test asks for what else only large kernels get.
    pub is_test: bool,
    /// Those without barriers take turns, each for the sub-groups all of whose items are there or further on.
    pub takes_turns: bool,
    pub is_head: IdMap<Block, bool>,
    /// Blocks that control can come back to.
    pub cyclic: IdMap<Block, bool>,
    alive: Rc<Liveness>,
    dom: Rc<DomTree>,
    /// The sums that parts of them are kept for.
    sums_of: FastMap<Value, Vec<Value>>,
}

/// What runs between two barriers.
pub(super) struct Region {
    pub head: Block,
    /// The barrier instruction in front of it; none for the kernel's start, and for
    /// heads that were made to keep the code linear.
    pub barrier: Option<InstId>,
    /// Blocks of the region, the head first.
    pub blocks: Vec<Block>,
    /// Values alive at the head that the region uses or gives anew, sorted.
    pub needs: Vec<Value>,
    /// Those that live across barriers and are kept, which it defines.
    pub changes: Vec<Value>,
}

impl Formed {
    /// At most how large the functions of each region will be together, by `split`'s measure.
    pub(super) fn sizes(&self) -> Vec<usize> {
        /// What a region's item loops and the way to the next are, and what saving and fetching a value takes.
        const AROUND: usize = 60;
        const KEPT: usize = 12;
        let sizes: IdMap<Block, usize> = split::sizes(&self.func);
        let of_region = |region: &Region| {
            let copied: usize = region.blocks.iter().map(|&block| sizes[block]).sum();
            copied + AROUND + KEPT * (region.needs.len() + region.changes.len())
        };
        self.regions.iter().map(of_region).collect()
    }

    /// Whether a value may be alive at the start of a region, or a sum that it is a part of.
    pub(super) fn is_alive(&self, value: Value, region: &Region) -> bool {
        let sums = self.sums_of.get(&value).into_iter().flatten();
        [value].iter().chain(sums).any(|&value| self.alive.at(&self.dom, value, region.head))
    }
}

/// Forms the regions of a copy of `kernel`, whose items may belong to sub-groups.
pub(super) fn form(kernel: &Function, of_sub_groups: bool, is_test: bool) -> Formed {
    let mut func = kernel.clone();
    let mut heads = split(&mut func);
    prune_unreachable(&mut func);
    let mut analyses = Analyses::default();
    let mut cfg = analyses.cfg(&func);
    heads.retain(|head| cfg.is_reachable(head.block));
    let is_much = if is_test { heads.len() > 1 } else { copies_too_much(&func, &heads) };
    let takes_turns = of_sub_groups && (is_much || region_entries::may_wait(&func));
    let apart = is_much || takes_turns;
    if takes_turns {
        region_entries::add_for_sub_groups(&mut func, &mut heads);
    }
    if is_much {
        region_entries::add(&mut func, &mut heads);
    }
    if apart {
        analyses.forget(Keeps::Nothing);
        cfg = analyses.cfg(&func);
        heads.retain(|head| cfg.is_reachable(head.block));
        // The kernel's start stays the first; barriers come last.
        let loops = analyses.loops(&func);
        if takes_turns && loops.is_reducible() {
            let order = BlockOrder::new(&func, &cfg, &loops);
            heads[1..].sort_by_key(|head| (head.barrier.is_some(), order.place(head.block)));
        } else {
            heads[1..].sort_by_key(|head| (head.barrier.is_some(), cfg.position(head.block)));
        }
    }
    let mut is_head = IdMap::with_len(false, func.blocks.len());
    heads.iter().for_each(|head| is_head[head.block] = true);
    let dom = analyses.dominators(&func);
    let alive = analyses.liveness(&func);
    let mut seen = IdMap::with_len(None, func.blocks.len());
    let mut regions: Vec<Region> = heads
        .iter()
        .map(|head| Region {
            head: head.block,
            barrier: head.barrier,
            blocks: reach(&func, head.block, &is_head, &mut seen),
            needs: Vec::new(),
            changes: Vec::new(),
        })
        .collect();
    // Nothing is alive at the kernel's start but its parameters.
    for region in regions.iter_mut().skip(1) {
        region.needs = values_of(&func, region).filter(|&v| alive.at(&dom, v, region.head)).collect();
        region.needs.sort_unstable();
        region.needs.dedup();
    }
    let mut live_across: Vec<Value> = regions.iter().flat_map(|r| r.needs.iter().copied()).collect();
    live_across.sort_unstable();
    live_across.dedup();
    // Where items need not agree on the region, they need not agree on values either.
    let uniform = if apart || regions.len() == 1 {
        Uniformity::unknown()
    } else {
        uniformity::find(&func, &mut analyses)
    };
    live_across.retain(|&value| {
        let is_sum = || !uniform.values[value] && rematerialize::is_sum(&func, value);
        !rematerialize::is_given(&func, value) && !rematerialize::is_cheap(&func, value) && !is_sum()
    });
    let mut sums = FastSet::default();
    let mut sums_of: FastMap<Value, Vec<Value>> = FastMap::default();
    for &value in &live_across {
        let Some(parts) = rematerialize::parts_of_group(&func, &uniform, value) else { continue };
        // It is asked of each of them whether it is alive.
        if parts.iter().all(|part| sums_of.get(part).is_none_or(|sums| sums.len() < MOST_SUMS)) {
            sums.insert(value);
            parts.into_iter().for_each(|part| sums_of.entry(part).or_default().push(value));
        }
    }
    live_across.extend(sums_of.keys());
    live_across.sort_unstable();
    live_across.dedup();
    let mut is_kept = IdMap::with_len(false, func.values.len());
    live_across.iter().for_each(|&value| is_kept[value] = true);
    for region in &mut regions {
        region.changes = definitions(&func, region).filter(|&v| is_kept[v]).collect();
        region.changes.sort_unstable();
    }
    let cyclic = cyclic(&func, &cfg);
    Formed {
        func,
        regions,
        live_across,
        sums,
        uniform,
        apart,
        is_test,
        takes_turns,
        is_head,
        cyclic,
        alive,
        dom,
        sums_of,
    }
}

/// Values that a region's blocks define.
fn definitions<'a>(func: &'a Function, region: &'a Region) -> impl Iterator<Item = Value> + 'a {
    region.blocks.iter().flat_map(|&block| {
        let data = &func.blocks[block];
        data.params.iter().copied().chain(data.insts.iter().filter_map(|&id| func.insts[id].result))
    })
}

/// Values that a region's blocks name, some several times.
fn values_of<'a>(func: &'a Function, region: &'a Region) -> impl Iterator<Item = Value> + 'a {
    let insts = region.blocks.iter().flat_map(|&block| &func.blocks[block].insts);
    let uses = insts.flat_map(|&id| {
        let inst = &func.insts[id];
        inst.uses()
    });
    uses.chain(definitions(func, region))
}

/// Where a region begins.
#[derive(Clone, Copy)]
pub(super) struct Head {
    pub block: Block,
    /// Then it begins only when all work-items are there.
    pub barrier: Option<InstId>,
}

/// Ends a block after each barrier; returns the kernel's start and all blocks after barriers.
fn split(func: &mut Function) -> Vec<Head> {
    let mut heads = vec![Head { block: func.entry(), barrier: None }];
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut here = block;
        for inst in insts {
            func.blocks[here].insts.push(inst);
            if func.insts[inst].op.is_group_barrier() {
                let next = func.add_block();
                Builder::new(func, here).jump(next, &[]);
                heads.push(Head { block: next, barrier: Some(inst) });
                here = next;
            }
        }
    }
    heads
}

/// The barrier at the end of this block, where control leaves the region.
pub(super) fn barrier_at_end(func: &Function, block: Block) -> Option<InstId> {
    let insts = &func.blocks[block].insts;
    let before_last = *insts.get(insts.len().checked_sub(2)?)?;
    func.insts[before_last].op.is_group_barrier().then_some(before_last)
}

/// Blocks that can be reached from `head` without passing another head, in preorder. `seen` is shared by all heads.
fn reach(
    func: &Function,
    head: Block,
    is_head: &IdMap<Block, bool>,
    seen: &mut IdMap<Block, Option<Block>>,
) -> Vec<Block> {
    seen[head] = Some(head);
    let mut blocks = Vec::new();
    let mut work = vec![head];
    while let Some(block) = work.pop() {
        blocks.push(block);
        for next in func.successors(block) {
            if !is_head[next] && seen[next] != Some(head) {
                seen[next] = Some(head);
                work.push(next);
            }
        }
    }
    blocks
}

/// Returns whether blocks would be copied into more regions than a small budget allows.
fn copies_too_much(func: &Function, heads: &[Head]) -> bool {
    const FACTOR: usize = 4;
    /// Small kernels may have more: items that need not agree cost each region a few instructions for each item.
    const FREE: usize = 4_000;
    let size = |block: Block| func.blocks[block].insts.len();
    let total: usize = func.layout.iter().map(|&b| size(b)).sum();
    let mut is_head = IdMap::with_len(false, func.blocks.len());
    heads.iter().for_each(|head| is_head[head.block] = true);
    let mut seen = IdMap::with_len(None, func.blocks.len());
    let mut copied = 0;
    heads.iter().any(|head| {
        copied += reach(func, head.block, &is_head, &mut seen).into_iter().map(size).sum::<usize>();
        copied > FACTOR * total + FREE
    })
}
