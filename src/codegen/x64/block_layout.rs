//! Block layout: orders blocks in chains in which control mostly falls from block to block (Pettis, Hansen: Profile
//! Guided Code Positioning, PLDI 1990, section 3), with the loop depth as profile.
//!
//! A jump that falls through needs no code at all, a branch that falls through saves a jump: among edges of the same
//! depth jumps come first. So a loop whose header has the exit test gets its header at the end, and has one branch in
//! each iteration.

use super::vcode::VCode;

/// Order of blocks in memory.
pub struct BlockLayout {
    pub order: Vec<usize>,
    /// Position of each block in the order.
    pub position: Vec<usize>,
    /// True for blocks at which each iteration of an innermost loop begins.
    pub begins_loop: Vec<bool>,
}

/// Orders the blocks of a function, the entry first.
pub fn layout_blocks(code: &VCode) -> BlockLayout {
    let count = code.blocks.len();
    let next = chains(code);
    let mut has_previous = vec![false; count];
    next.iter().flatten().for_each(|&block| has_previous[block] = true);
    // Chains are ordered by their smallest block index, which is not always that of the head.
    let mut first_of: Vec<(usize, usize)> = Vec::new();
    for head in (0..count).filter(|&block| !has_previous[block]) {
        let blocks = std::iter::successors(Some(head), |&block| next[block]);
        first_of.push((blocks.min().unwrap_or(head), head));
    }
    first_of.sort_unstable();
    let mut order = Vec::with_capacity(count);
    for (_, head) in first_of {
        order.extend(std::iter::successors(Some(head), |&block| next[block]));
    }
    let mut position = vec![0; count];
    order.iter().enumerate().for_each(|(at, &block)| position[block] = at);
    let begins_loop = innermost_loop_starts(code, &order, &position);
    BlockLayout { order, position, begins_loop }
}

/// Returns for each block its successor in its chain.
fn chains(code: &VCode) -> Vec<Option<usize>> {
    let count = code.blocks.len();
    let mut edges = Vec::new();
    for (from, block) in code.blocks.iter().enumerate() {
        let is_branch = block.successors.len() > 1;
        if block.successors.len() > 2 {
            // A switch never falls through.
            continue;
        }
        for successor in &block.successors {
            let to = successor.index();
            let depth = block.depth.min(code.blocks[to].depth);
            edges.push((std::cmp::Reverse(depth), is_branch, from, to));
        }
    }
    edges.sort_unstable();
    let mut next = vec![None; count];
    let mut has_previous = vec![false; count];
    let mut chain: Vec<usize> = (0..count).collect();
    for (_, _, from, to) in edges {
        if to == 0 || next[from].is_some() || has_previous[to] {
            continue;
        }
        let (first, second) = (find_chain(&mut chain, from), find_chain(&mut chain, to));
        if first != second {
            chain[second] = first;
            next[from] = Some(to);
            has_previous[to] = true;
        }
    }
    next
}

/// Returns the representative of a block's chain (union-find with path halving).
fn find_chain(chain: &mut [usize], mut block: usize) -> usize {
    while chain[block] != block {
        chain[block] = chain[chain[block]];
        block = chain[block];
    }
    block
}

/// Finds blocks that are the target of a backward jump within their loop, if no other such block lies between the
/// target and the jump.
fn innermost_loop_starts(code: &VCode, order: &[usize], position: &[usize]) -> Vec<bool> {
    let back = || {
        order.iter().enumerate().flat_map(|(at, &from)| {
            let block = &code.blocks[from];
            let in_same_loop = block.successors.iter().map(|to| to.index()).filter(|&to| {
                block.innermost_loop.is_some() && code.blocks[to].innermost_loop == block.innermost_loop
            });
            in_same_loop.map(move |to| (position[to], at)).filter(|&(to, at)| to <= at)
        })
    };
    let mut begins = vec![false; order.len()];
    back().for_each(|(to, _)| begins[to] = true);
    let mut before = vec![0u32; order.len() + 1];
    for (at, &is_begin) in begins.iter().enumerate() {
        before[at + 1] = before[at] + u32::from(is_begin);
    }
    let mut result = vec![false; order.len()];
    for (to, at) in back() {
        if before[at + 1] == before[to + 1] {
            result[order[to]] = true;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use regalloc2::Block;

    use super::super::vcode::MachineBlock;
    use super::*;
    use grus_ir::analysis::LoopId;

    /// Lays out blocks that are given by their successors and loop.
    fn laid_out(blocks: &[(&[usize], Option<u32>)]) -> BlockLayout {
        let mut code = VCode::new();
        code.blocks = blocks
            .iter()
            .map(|&(successors, innermost_loop)| MachineBlock {
                successors: successors.iter().map(|&to| Block::new(to)).collect(),
                innermost_loop: innermost_loop.map(LoopId),
                depth: u32::from(innermost_loop.is_some()),
                ..MachineBlock::default()
            })
            .collect();
        layout_blocks(&code)
    }

    #[test]
    fn a_loop_that_decides_first_stands_with_that_at_its_end() {
        let layout = laid_out(&[(&[1], None), (&[2, 3], Some(0)), (&[1], Some(0)), (&[], None)]);
        assert_eq!(layout.order, [0, 2, 1, 3]);
        assert_eq!(layout.begins_loop, [false, false, true, false]);
    }

    #[test]
    fn a_loop_that_decides_last_stays_as_it_is() {
        let layout = laid_out(&[(&[1], None), (&[2], Some(0)), (&[1, 3], Some(0)), (&[], None)]);
        assert_eq!(layout.order, [0, 1, 2, 3]);
        assert_eq!(layout.begins_loop, [false, true, false, false]);
    }

    #[test]
    fn the_entry_comes_first_and_every_block_once() {
        let layout = laid_out(&[(&[2, 1], None), (&[3], None), (&[3], None), (&[], None)]);
        let mut order = layout.order.clone();
        assert_eq!(order[0], 0);
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3]);
        assert!((0..4).all(|block| layout.order[layout.position[block]] == block));
    }
}
