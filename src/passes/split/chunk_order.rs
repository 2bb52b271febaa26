//! Order of the blocks, and division of the order into chunks.

use super::{size, weight};
use grus_ir::analysis::Loops;
use grus_ir::{Block, Builder, Function};
use grus_support::IdMap;

/// Splits blocks that are larger than `max_size`.
pub(super) fn split_blocks(func: &mut Function, max_size: usize) {
    for block in func.layout.clone() {
        if size(func, block) <= max_size {
            continue;
        }
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let (mut here, mut sum) = (block, 0);
        for inst in insts {
            let more = weight(func, inst);
            if sum > 0 && sum + more > max_size {
                let next = func.add_block();
                Builder::new(func, here).jump(next, &[]);
                (here, sum) = (next, 0);
            }
            sum += more;
            func.blocks[here].insts.push(inst);
        }
    }
}

/// Returns chunks of blocks of at most about `max_size`, separated where few loops are cut.
pub(super) fn chunks(func: &Function, loops: &Loops, max_size: usize) -> Vec<Vec<Block>> {
    let order = loop_contiguous_order(func, loops);
    let mut chunks = Vec::new();
    let mut start = 0;
    while start < order.len() {
        let (mut sum, mut end, mut fewest_loops) = (0, start, u32::MAX);
        for at in start..order.len() {
            sum += size(func, order[at]);
            if sum > max_size && at > start && fewest_loops < u32::MAX {
                break;
            }
            let loops_cut = order.get(at + 1).map_or(0, |&next| loops.shared(order[at], next));
            if (sum >= max_size / 2 || at + 1 == order.len()) && loops_cut <= fewest_loops {
                (end, fewest_loops) = (at + 1, loops_cut);
            }
        }
        chunks.push(order[start..end.max(start + 1)].to_vec());
        start = end.max(start + 1);
    }
    chunks
}

/// Returns the reverse postorder of a walk that leaves loops first: blocks after a loop are finished before the
/// loop, so the blocks of a loop are contiguous and its header comes first.
fn loop_contiguous_order(func: &Function, loops: &Loops) -> Vec<Block> {
    let successors = |block: Block| {
        let mut next: Vec<Block> = func.successors(block).collect();
        next.sort_by_key(|&next| std::cmp::Reverse(loops.shared(block, next)));
        next
    };
    let mut seen = IdMap::with_len(false, func.blocks.len());
    let mut order = Vec::with_capacity(func.layout.len());
    let mut stack = vec![(func.entry(), successors(func.entry()))];
    seen[func.entry()] = true;
    while let Some((block, next)) = stack.last_mut() {
        match next.pop() {
            Some(next) => {
                if !std::mem::replace(&mut seen[next], true) {
                    stack.push((next, successors(next)));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
