//! In which order blocks stand, and where the order is cut.

use super::{size, weight};
use crate::ir::analysis::Loops;
use crate::ir::{Block, Builder, Function};
use crate::support::IdMap;

/// Cuts blocks that are larger than `most`.
pub(super) fn cut_blocks(func: &mut Function, most: usize) {
    for block in func.layout.clone() {
        if size(func, block) <= most {
            continue;
        }
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let (mut here, mut sum) = (block, 0);
        for inst in insts {
            let more = weight(func, inst);
            if sum > 0 && sum + more > most {
                let next = func.add_block();
                Builder::new(func, here).jump(next, &[]);
                (here, sum) = (next, 0);
            }
            sum += more;
            func.blocks[here].insts.push(inst);
        }
    }
}

/// Blocks in chunks of about this size, cut where few loops go on.
pub(super) fn chunks(func: &Function, loops: &Loops, most: usize) -> Vec<Vec<Block>> {
    let order = loops_together(func, loops);
    let mut chunks = Vec::new();
    let mut start = 0;
    while start < order.len() {
        let (mut sum, mut end, mut best) = (0, start, u32::MAX);
        for at in start..order.len() {
            sum += size(func, order[at]);
            if sum > most && at > start && best < u32::MAX {
                break;
            }
            let around = order.get(at + 1).map_or(0, |&next| loops.shared(order[at], next));
            if (sum >= most / 2 || at + 1 == order.len()) && around <= best {
                (end, best) = (at + 1, around);
            }
        }
        chunks.push(order[start..end.max(start + 1)].to_vec());
        start = end.max(start + 1);
    }
    chunks
}

/// Reverse postorder of a walk that leaves loops first: what follows a loop is finished before the loop is, so that the
/// blocks of a loop stand together, the header first.
fn loops_together(func: &Function, loops: &Loops) -> Vec<Block> {
    let sorted = |block: Block| {
        let mut next: Vec<Block> = func.successors(block).collect();
        next.sort_by_key(|&next| std::cmp::Reverse(loops.shared(block, next)));
        next
    };
    let mut seen = IdMap::with_len(false, func.blocks.len());
    let mut order = Vec::with_capacity(func.layout.len());
    let mut stack = vec![(func.entry(), sorted(func.entry()))];
    seen[func.entry()] = true;
    while let Some((block, next)) = stack.last_mut() {
        match next.pop() {
            Some(next) => {
                if !std::mem::replace(&mut seen[next], true) {
                    stack.push((next, sorted(next)));
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
