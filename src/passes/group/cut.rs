//! Cuts a kernel at its barriers and finds what lives across them.

use super::remat;
use crate::ir::cfg::{Cfg, DomTree, loop_headers, prune_unreachable};
use crate::ir::{Block, Builder, Function, InstId, Op, Value};
use crate::support::IdMap;

/// A kernel whose barriers end their blocks, and its regions.
pub(super) struct Cut {
    pub func: Function,
    pub regions: Vec<Region>,
    /// Values that go through context arrays, in order of their ids.
    pub carried: Vec<Value>,
}

/// What runs between two barriers.
pub(super) struct Region {
    pub head: Block,
    /// The barrier instruction in front of it; none for the kernel's start, and for
    /// heads that were made to keep the code linear.
    pub barrier: Option<InstId>,
    /// Blocks of the region, the head first.
    pub blocks: Vec<Block>,
    /// Values alive at the head, sorted.
    pub live: Vec<Value>,
}

/// Cuts a copy of `kernel`.
pub(super) fn cut(kernel: &Function) -> Cut {
    let mut func = kernel.clone();
    let mut heads = split(&mut func);
    prune_unreachable(&mut func);
    let cfg = Cfg::new(&func);
    heads.retain(|(block, _)| cfg.is_reachable(*block));
    bound_copies(&func, &cfg, &mut heads);
    let mut is_head = IdMap::with_len(false, func.blocks.len());
    for &(block, _) in &heads {
        is_head[block] = true;
    }
    let live_in = liveness(&func, &cfg);
    let mut regions: Vec<Region> = heads
        .iter()
        .map(|&(head, barrier)| Region {
            head,
            barrier,
            blocks: reach(&func, head, &is_head),
            live: Vec::new(),
        })
        .collect();
    // Nothing is alive at the kernel's start but its parameters.
    for region in regions.iter_mut().skip(1) {
        region.live = live_in[region.head].clone();
    }
    let mut carried: Vec<Value> = regions.iter().flat_map(|r| r.live.iter().copied()).collect();
    carried.sort_unstable();
    carried.dedup();
    carried.retain(|&value| {
        let uniform = func.def_inst(value).is_some_and(|inst| inst.op.is_collective_uniform());
        !uniform && !remat::is_cheap(&func, value)
    });
    Cut { func, regions, carried }
}

/// Ends a block after each barrier; returns the kernel's start and all blocks after barriers.
fn split(func: &mut Function) -> Vec<(Block, Option<InstId>)> {
    let mut heads = vec![(func.entry(), None)];
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut here = block;
        for inst in insts {
            func.blocks[here].insts.push(inst);
            if func.insts[inst].op.is_group_barrier() {
                let next = func.add_block();
                Builder::new(func, here).jump(next, &[]);
                heads.push((next, Some(inst)));
                here = next;
            }
        }
    }
    heads
}

/// Whether control leaves the region at the end of this block: it ends in a barrier.
pub(super) fn barrier_at_end(func: &Function, block: Block) -> Option<InstId> {
    let insts = &func.blocks[block].insts;
    let before_last = *insts.get(insts.len().checked_sub(2)?)?;
    func.insts[before_last].op.is_group_barrier().then_some(before_last)
}

/// Blocks that can be reached from `head` without passing another head, in preorder.
fn reach(func: &Function, head: Block, is_head: &IdMap<Block, bool>) -> Vec<Block> {
    let mut seen = IdMap::with_len(false, func.blocks.len());
    seen[head] = true;
    let mut blocks = Vec::new();
    let mut work = vec![head];
    while let Some(block) = work.pop() {
        blocks.push(block);
        for next in func.successors(block) {
            if !is_head[next] && !seen[next] {
                seen[next] = true;
                work.push(next);
            }
        }
    }
    blocks
}

/// Keeps the copies linear: where blocks would be copied into more regions than a small
/// budget allows, joins that every work-item reaches become heads of their own.
///
/// Such a join post-dominates a head and lies in the same loops, so control is as
/// uniform there as at the barrier.
fn bound_copies(func: &Function, cfg: &Cfg, heads: &mut Vec<(Block, Option<InstId>)>) {
    const FACTOR: usize = 4;
    let size = |block: Block| func.blocks[block].insts.len();
    let total: usize = func.layout.iter().map(|&b| size(b)).sum();
    let mut is_head = IdMap::with_len(false, func.blocks.len());
    for &(block, _) in heads.iter() {
        is_head[block] = true;
    }
    let mut copied = 0;
    let mut over = false;
    for &(head, _) in heads.iter() {
        copied += reach(func, head, &is_head).into_iter().map(size).sum::<usize>();
        if copied > FACTOR * total + 256 {
            over = true;
            break;
        }
    }
    if !over {
        return;
    }
    let dom = DomTree::new(func, cfg);
    let loops = loop_headers(func, cfg, &dom);
    let post = PostDom::new(func, cfg);
    // Walk up from each head to its immediate post-dominators.
    for (head, _) in heads.clone() {
        let mut at = head;
        while let Some(next) = post.parent(at) {
            if is_head[next] {
                break;
            }
            if cfg.preds(next).len() > 1
                && func.blocks[next].params.is_empty()
                && loops[next] == loops[head]
                && next != func.entry()
            {
                is_head[next] = true;
                heads.push((next, None));
            }
            at = next;
        }
    }
}

/// Immediate post-dominators, by the algorithm of [`DomTree`] on the reversed graph with
/// a virtual exit.
struct PostDom {
    parent: IdMap<Block, Option<Block>>,
}

impl PostDom {
    fn new(func: &Function, cfg: &Cfg) -> PostDom {
        // The reversed graph as a function of its own: entry is the virtual exit.
        let mut reversed = Function::new("", crate::ir::Type::VOID);
        let exit = reversed.add_block();
        let mut copy: IdMap<Block, Option<Block>> = IdMap::with_len(None, func.blocks.len());
        let mut back: IdMap<Block, Option<Block>> = IdMap::with_len(None, func.blocks.len() + 1);
        for &block in cfg.rpo() {
            let new = reversed.add_block();
            copy[block] = Some(new);
            back[new] = Some(block);
        }
        let mut edges: IdMap<Block, Vec<Block>> = IdMap::with_len(Vec::new(), func.blocks.len() + 1);
        for &block in cfg.rpo() {
            let Some(new) = copy[block] else { continue };
            if func.terminator(block).targets.is_empty() {
                edges[exit].push(new);
            }
            edges[new] = cfg.preds(block).iter().filter_map(|&p| copy[p]).collect();
        }
        for block in reversed.layout.clone() {
            let targets = edges[block].iter().map(|&t| crate::ir::Target::new(t, &[])).collect::<Vec<_>>();
            let mut b = Builder::new(&mut reversed, block);
            b.inst(Op::Jump, crate::ir::Type::VOID, &[], crate::ir::Attr::None, targets);
        }
        let graph = Cfg::new(&reversed);
        let dom = DomTree::new(&reversed, &graph);
        let mut parent = IdMap::with_len(None, func.blocks.len());
        for &block in cfg.rpo() {
            let up = copy[block].and_then(|new| dom.idom(new));
            parent[block] = up.and_then(|p| back[p]);
        }
        PostDom { parent }
    }
    fn parent(&self, block: Block) -> Option<Block> {
        self.parent[block]
    }
}

/// Values alive at the start of each block (its own parameters included), sorted.
///
/// Upward walk from each use to the definition; each (value, block) pair is visited once.
fn liveness(func: &Function, cfg: &Cfg) -> IdMap<Block, Vec<Value>> {
    let mut live: IdMap<Block, Vec<Value>> = IdMap::with_len(Vec::new(), func.blocks.len());
    let mut home: IdMap<Value, Option<Block>> = IdMap::with_len(None, func.values.len());
    let mut uses: IdMap<Value, Vec<Block>> = IdMap::with_len(Vec::new(), func.values.len());
    for &block in cfg.rpo() {
        for &param in &func.blocks[block].params {
            home[param] = Some(block);
        }
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            for &arg in inst.args.iter().chain(inst.targets.iter().flat_map(|t| &t.args)) {
                if uses[arg].last() != Some(&block) {
                    uses[arg].push(block);
                }
            }
            if let Some(result) = inst.result {
                home[result] = Some(block);
            }
        }
    }
    let mut stamp: IdMap<Block, Option<Value>> = IdMap::with_len(None, func.blocks.len());
    for value in func.values.ids() {
        let Some(def) = home[value] else { continue };
        let mut work = std::mem::take(&mut uses[value]);
        let is_param = func.blocks[def].params.contains(&value);
        while let Some(block) = work.pop() {
            if stamp[block] == Some(value) {
                continue;
            }
            stamp[block] = Some(value);
            if block == def {
                continue;
            }
            live[block].push(value);
            work.extend(cfg.preds(block));
        }
        if is_param {
            live[def].push(value);
        }
    }
    live
}
