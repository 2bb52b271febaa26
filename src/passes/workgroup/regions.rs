//! Region formation: splits a kernel at its barriers into regions and finds the values that live across
//! barriers.

use std::rc::Rc;

use super::super::split;
use super::super::vectorize::block_order::BlockOrder;
use super::uniformity::Uniformity;
use super::{region_entries, rematerialize, uniformity};
use grus_ir::analysis::{Analyses, DomTree, Liveness, PreservedAnalyses, cyclic, prune_unreachable};
use grus_ir::{Block, Builder, Function, InstId, Value};
use grus_support::{FastMap, FastSet, IdMap};

/// Maximum number of sums that one value is an operand of.
// Arbitrary.
const MAX_SUMS: usize = 64;

/// A kernel whose barriers are at the ends of blocks, and its regions.
pub(super) struct KernelRegions {
    pub func: Function,
    pub regions: Vec<Region>,
    /// Values that live across barriers and are too expensive to recompute, in ascending order.
    pub live_across: Vec<Value>,
    /// Members of `live_across` that are reassembled from uniform values and ids.
    pub reassembled: FastSet<Value>,
    /// Uniform values and blocks.
    pub uniform: Uniformity,
    /// True if some regions begin without a barrier, which keeps the size of the code linear. Work-items may
    /// then wait for different regions, and each stores the number of its own. Regions without a barrier are
    /// numbered first, so that no work-item passes a barrier before the others have arrived.
    pub has_divergent_regions: bool,
    /// True if a test requested the code that otherwise only large kernels get.
    pub is_formed_as_large: bool,
    /// True if the regions without a barrier are scheduled round-robin. Each then runs the sub-groups whose
    /// work-items have all arrived at it or are further on.
    pub is_round_robin: bool,
    pub is_head: IdMap<Block, bool>,
    /// Blocks on a cycle.
    pub cyclic: IdMap<Block, bool>,
    alive: Rc<Liveness>,
    dom: Rc<DomTree>,
    /// Reassembled sums by the values that are kept for them.
    sums_of: FastMap<Value, Vec<Value>>,
}

/// Code between two barriers.
pub(super) struct Region {
    pub head: Block,
    /// Barrier before the region; none for the start of the kernel and for regions that begin without a
    /// barrier.
    pub barrier: Option<InstId>,
    /// Blocks of the region, the head first.
    pub blocks: Vec<Block>,
    /// Values live at the head that the region uses or redefines, in ascending order.
    pub needs: Vec<Value>,
    /// Members of `live_across` that the region defines.
    pub changes: Vec<Value>,
}

impl KernelRegions {
    /// Returns an upper bound of the size of each region's functions, in units of `split`.
    pub(super) fn sizes(&self) -> Vec<usize> {
        /// Size of a region's work-item loops with the dispatch to the next region, and of saving or loading
        /// a value.
        // Arbitrary.
        const LOOP_OVERHEAD: usize = 60;
        const TRANSFER_SIZE: usize = 12;
        let sizes: IdMap<Block, usize> = split::sizes(&self.func);
        let of_region = |region: &Region| {
            let copied: usize = region.blocks.iter().map(|&block| sizes[block]).sum();
            copied + LOOP_OVERHEAD + TRANSFER_SIZE * (region.needs.len() + region.changes.len())
        };
        self.regions.iter().map(of_region).collect()
    }

    /// Checks whether a value, or a sum that is reassembled from it, may be live at the start of a region.
    pub(super) fn is_alive(&self, value: Value, region: &Region) -> bool {
        let sums = self.sums_of.get(&value).into_iter().flatten();
        [value].iter().chain(sums).any(|&value| self.alive.at(&self.dom, value, region.head))
    }
}

/// Forms the regions of a copy of `kernel`. `has_sub_groups` is true if it uses sub-groups.
/// `is_formed_as_large` is true if a test requests the code that otherwise only large kernels get.
pub(super) fn form(kernel: &Function, has_sub_groups: bool, is_formed_as_large: bool) -> KernelRegions {
    let mut func = kernel.clone();
    let mut heads = split(&mut func);
    prune_unreachable(&mut func);
    let mut analyses = Analyses::default();
    let mut cfg = analyses.cfg(&func);
    heads.retain(|head| cfg.is_reachable(head.block));
    let exceeds_budget =
        if is_formed_as_large { heads.len() > 1 } else { exceeds_copy_budget(&func, &heads) };
    let is_round_robin = has_sub_groups && (exceeds_budget || region_entries::may_wait(&func));
    let has_divergent_regions = exceeds_budget || is_round_robin;
    if is_round_robin {
        region_entries::add_for_sub_groups(&mut func, &mut heads);
    }
    if exceeds_budget {
        region_entries::add(&mut func, &mut heads);
    }
    if has_divergent_regions {
        analyses.forget(PreservedAnalyses::None);
        cfg = analyses.cfg(&func);
        heads.retain(|head| cfg.is_reachable(head.block));
        // The start of the kernel stays first; regions after barriers come last.
        let loops = analyses.loops(&func);
        if is_round_robin && loops.is_reducible() {
            let order = BlockOrder::new(&func, &cfg, &loops);
            heads[1..].sort_by_key(|head| (head.barrier.is_some(), order.position(head.block)));
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
    // Only its parameters are live at the start of the kernel.
    for region in regions.iter_mut().skip(1) {
        region.needs = values_of(&func, region).filter(|&v| alive.at(&dom, v, region.head)).collect();
        region.needs.sort_unstable();
        region.needs.dedup();
    }
    let mut live_across: Vec<Value> = regions.iter().flat_map(|r| r.needs.iter().copied()).collect();
    live_across.sort_unstable();
    live_across.dedup();
    // Uniformity analysis assumes that all work-items are in the same region.
    let uniform = if has_divergent_regions || regions.len() == 1 {
        Uniformity::unknown()
    } else {
        uniformity::find(&func, &mut analyses)
    };
    live_across.retain(|&value| {
        let is_sum = || !uniform.values[value] && rematerialize::is_sum(&func, value);
        !rematerialize::is_group_result(&func, value) && !rematerialize::is_cheap(&func, value) && !is_sum()
    });
    let mut reassembled = FastSet::default();
    let mut sums_of: FastMap<Value, Vec<Value>> = FastMap::default();
    for &value in &live_across {
        let Some(operands) = rematerialize::uniform_operands(&func, &uniform, value) else { continue };
        // `is_alive` tests each of the sums that a value belongs to, hence the limit.
        if operands.iter().all(|value| sums_of.get(value).is_none_or(|sums| sums.len() < MAX_SUMS)) {
            reassembled.insert(value);
            operands.into_iter().for_each(|operand| sums_of.entry(operand).or_default().push(value));
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
    KernelRegions {
        func,
        regions,
        live_across,
        reassembled,
        uniform,
        has_divergent_regions,
        is_formed_as_large,
        is_round_robin,
        is_head,
        cyclic,
        alive,
        dom,
        sums_of,
    }
}

/// Returns the values that a region's blocks define.
fn definitions<'a>(func: &'a Function, region: &'a Region) -> impl Iterator<Item = Value> + 'a {
    region.blocks.iter().flat_map(|&block| {
        let data = &func.blocks[block];
        data.params.iter().copied().chain(data.insts.iter().filter_map(|&id| func.insts[id].result))
    })
}

/// Returns the values that a region's blocks use or define, with repetitions.
fn values_of<'a>(func: &'a Function, region: &'a Region) -> impl Iterator<Item = Value> + 'a {
    let insts = region.blocks.iter().flat_map(|&block| &func.blocks[block].insts);
    let uses = insts.flat_map(|&id| {
        let inst = &func.insts[id];
        inst.uses()
    });
    uses.chain(definitions(func, region))
}

/// Start of a region.
#[derive(Clone, Copy)]
pub(super) struct Head {
    pub block: Block,
    /// Barrier before it; none if work-items need not arrive together.
    pub barrier: Option<InstId>,
}

/// Ends a block after each barrier; returns the start of the kernel and all blocks after barriers.
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

/// Returns the barrier at the end of this block, where control leaves the region.
pub(super) fn barrier_at_end(func: &Function, block: Block) -> Option<InstId> {
    let insts = &func.blocks[block].insts;
    let before_last = *insts.get(insts.len().checked_sub(2)?)?;
    func.insts[before_last].op.is_group_barrier().then_some(before_last)
}

/// Returns the blocks reachable from `head` without passing another head, in preorder. `seen` is reused for
/// all heads.
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

/// Checks whether more blocks would be copied into several regions than a small budget allows.
fn exceeds_copy_budget(func: &Function, heads: &[Head]) -> bool {
    // Arbitrary.
    const MAX_COPY_FACTOR: usize = 4;
    /// Budget of small kernels in instructions. It may exceed the factor, because divergent regions take a
    /// few instructions for each work-item.
    // Arbitrary.
    const MIN_BUDGET: usize = 4_000;
    let size = |block: Block| func.blocks[block].insts.len();
    let total: usize = func.layout.iter().map(|&b| size(b)).sum();
    let mut is_head = IdMap::with_len(false, func.blocks.len());
    heads.iter().for_each(|head| is_head[head.block] = true);
    let mut seen = IdMap::with_len(None, func.blocks.len());
    let mut copied = 0;
    heads.iter().any(|head| {
        copied += reach(func, head.block, &is_head, &mut seen).into_iter().map(size).sum::<usize>();
        copied > MAX_COPY_FACTOR * total + MIN_BUDGET
    })
}
