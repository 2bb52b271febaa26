//! Liveness: the values that are live at the start of each block.

use std::collections::BinaryHeap;

use super::cfg::Cfg;
use super::dominators::DomTree;
use crate::function::{Block, Function, Value};
use grus_support::{IdMap, set_bits};

/// Values that are live at the start of each block.
///
/// Computed by walking from uses up to definitions, for 64 values at once, because values that are defined
/// near each other are live in much the same blocks. The walks would take long for many values that are live
/// in many blocks; once a budget is used up, the remaining values count as live in every block that their
/// definition dominates.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// Values that are used in another block than the one that defines them, in ascending order.
    values: Vec<Value>,
    /// Non-empty sets of live values, grouped by block; those of a block in ascending order.
    sets: Vec<LiveChunk>,
    /// Range of each block's elements in the list of sets.
    ranges: IdMap<Block, (u32, u32)>,
    /// First value that was not analyzed because the budget was used up.
    end: Value,
    def_block: IdMap<Value, Option<Block>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct LiveChunk {
    chunk: u32,
    alive: u64,
}

const CHUNK_SIZE: usize = 64;

impl Liveness {
    /// Computes the live values of `func`.
    pub fn new(func: &Function, cfg: &Cfg) -> Liveness {
        Liveness::of(func, cfg, |_| true)
    }

    /// Computes the liveness of those values only that `is_selected` selects.
    pub fn of(func: &Function, cfg: &Cfg, is_selected: impl Fn(Value) -> bool) -> Liveness {
        let mut def_block: IdMap<Value, Option<Block>> = IdMap::with_len(None, func.values.len());
        // A definition comes before its uses in reverse postorder.
        let mut uses: Vec<(Value, Block)> = Vec::new();
        let mut last: IdMap<Value, Option<Block>> = IdMap::with_len(None, func.values.len());
        for &block in cfg.rpo() {
            for &param in &func.blocks[block].params {
                def_block[param] = Some(block);
            }
            for &id in &func.blocks[block].insts {
                let inst = &func.insts[id];
                for arg in inst.uses() {
                    let is_in_other_block = def_block[arg].is_some_and(|def| def != block);
                    if is_in_other_block && is_selected(arg) && last[arg].replace(block) != Some(block) {
                        uses.push((arg, block));
                    }
                }
                if let Some(result) = inst.result {
                    def_block[result] = Some(block);
                }
            }
        }
        uses.sort_unstable();
        let mut values: Vec<Value> = uses.iter().map(|&(value, _)| value).collect();
        values.dedup();
        let mut walk = LivenessWalk::new(func, cfg);
        let mut found: Vec<(Block, LiveChunk)> = Vec::new();
        let mut end = Value(u32::MAX);
        let mut next = 0;
        for (number, chunk) in values.chunks(CHUNK_SIZE).enumerate() {
            let Some(last) = chunk.last() else { break };
            let count = uses[next..].partition_point(|(value, _)| value <= last);
            let defs = chunk.iter().map(|&value| def_block[value]);
            if !walk.run(chunk, defs, &uses[next..next + count]) {
                end = chunk[0];
                break;
            }
            next += count;
            let chunk = number as u32;
            found.extend(walk.take().map(|(block, alive)| (block, LiveChunk { chunk, alive })));
        }
        let mut counts: IdMap<Block, u32> = IdMap::with_len(0, func.blocks.len());
        found.iter().for_each(|&(block, _)| counts[block] += 1);
        let mut ranges = IdMap::with_len((0, 0), func.blocks.len());
        let mut sum = 0;
        for &block in cfg.rpo() {
            ranges[block] = (sum, sum);
            sum += counts[block];
        }
        let mut sets = vec![LiveChunk::default(); found.len()];
        for (block, set) in found {
            let (_, next) = &mut ranges[block];
            sets[*next as usize] = set;
            *next += 1;
        }
        Liveness { values, sets, ranges, end, def_block }
    }

    fn sets_of(&self, block: Block) -> &[LiveChunk] {
        let (start, end) = self.ranges[block];
        &self.sets[start as usize..end as usize]
    }

    /// Returns the values that are live at the start of a block, without its parameters, in ascending order.
    /// Values past the budget are missing.
    pub fn alive(&self, block: Block) -> impl Iterator<Item = Value> + '_ {
        self.sets_of(block).iter().flat_map(move |set| {
            let values = &self.values[set.chunk as usize * CHUNK_SIZE..];
            set_bits(set.alive).map(|bit| values[bit])
        })
    }

    /// Checks whether a value may be live at the start of a block, before its parameters are defined.
    pub fn at(&self, dom: &DomTree, value: Value, block: Block) -> bool {
        if value >= self.end {
            let def_block = self.def_block[value];
            return def_block.is_some_and(|def| def != block && dom.dominates(def, block));
        }
        let Ok(at) = self.values.binary_search(&value) else { return false };
        let sets = self.sets_of(block);
        let set = sets.binary_search_by_key(&((at / CHUNK_SIZE) as u32), |set| set.chunk);
        set.is_ok_and(|set| sets[set].alive >> (at % CHUNK_SIZE) & 1 == 1)
    }
}

/// Backward walk over the blocks of a function, repeated for each chunk of 64 values.
struct LivenessWalk<'c> {
    cfg: &'c Cfg,
    /// Values of the chunk that are live at the start of a block, and those that are defined in it.
    alive: IdMap<Block, u64>,
    defined: IdMap<Block, u64>,
    /// Blocks with a live value.
    seen: Vec<Block>,
    /// Positions of the blocks whose predecessors are still to be updated. The last block comes first, so
    /// that the code after a loop is complete before the loop.
    work: BinaryHeap<u32>,
    is_queued: IdMap<Block, bool>,
    /// Number of blocks that may still be visited.
    budget: usize,
}

impl<'c> LivenessWalk<'c> {
    fn new(func: &Function, cfg: &'c Cfg) -> LivenessWalk<'c> {
        let blocks = func.blocks.len();
        LivenessWalk {
            cfg,
            alive: IdMap::with_len(0, blocks),
            defined: IdMap::with_len(0, blocks),
            seen: Vec::new(),
            work: BinaryHeap::new(),
            is_queued: IdMap::with_len(false, blocks),
            // Arbitrary.
            budget: 64 * func.size() + (1 << 20),
        }
    }

    /// Finds the blocks where the values of a chunk are live; returns false if the budget is used up.
    fn run(
        &mut self,
        chunk: &[Value],
        defs: impl Iterator<Item = Option<Block>> + Clone,
        uses: &[(Value, Block)],
    ) -> bool {
        for (bit, def) in defs.clone().enumerate() {
            if let Some(def) = def {
                self.defined[def] |= 1 << bit;
            }
        }
        let mut bit = 0;
        for &(value, block) in uses {
            bit += usize::from(chunk[bit] != value);
            self.enter(block, 1 << bit);
        }
        while let Some(at) = self.work.pop() {
            let block = self.cfg.rpo()[at as usize];
            self.is_queued[block] = false;
            let Some(left) = self.budget.checked_sub(1) else { return false };
            self.budget = left;
            for &pred in self.cfg.preds(block) {
                self.enter(pred, self.alive[block] & !self.defined[pred]);
            }
        }
        defs.flatten().for_each(|def| self.defined[def] = 0);
        true
    }

    /// Marks values as live at the start of a block.
    fn enter(&mut self, block: Block, values: u64) {
        let alive = &mut self.alive[block];
        if values & !*alive == 0 {
            return;
        }
        if *alive == 0 {
            self.seen.push(block);
        }
        *alive |= values;
        if !std::mem::replace(&mut self.is_queued[block], true) {
            self.work.push(self.cfg.position(block));
        }
    }

    /// Returns the result of a run and clears it.
    fn take(&mut self) -> impl Iterator<Item = (Block, u64)> + '_ {
        self.seen.drain(..).map(|block| (block, std::mem::take(&mut self.alive[block])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FuncId, parse_module};

    /// Returns a function with nested loops, branches around blocks and 90 values; the number of a block
    /// determines the values it uses.
    fn function() -> String {
        let edges: [&[usize]; 9] = [&[1], &[2, 6], &[3, 4], &[4], &[2, 5], &[1, 7], &[7, 8], &[1, 8], &[]];
        let mut text = String::from("func f0 \"k\" void kernel {\n");
        let mut next = 2;
        let mut defined: Vec<Vec<usize>> = Vec::new();
        for (block, to) in edges.iter().enumerate() {
            let head = if block == 0 { "b0(v0: i32, v1: i1)".to_owned() } else { format!("b{block}()") };
            text += &format!("{head}:\n");
            // Values whose definitions dominate the block: blocks 0 and 1 dominate all, block 2 those up to
            // 5.
            let known = match block {
                0 => vec![],
                1 => vec![0],
                2 | 6..=8 => vec![0, 1],
                _ => vec![0, 1, 2],
            };
            let known: Vec<usize> = known.into_iter().flat_map(|of: usize| defined[of].clone()).collect();
            let mut here = Vec::new();
            for at in 0..10 {
                let used = known.get((block * 7 + at * 5) % known.len().max(1)).copied().unwrap_or(0);
                text += &format!("    v{next} = iadd.i32 v{used}, v{used}\n");
                here.push(next);
                next += 1;
            }
            defined.push(here);
            text += &match to {
                [] => "    ret\n".to_owned(),
                [one] => format!("    jump -> b{one}\n"),
                _ => format!("    brif v1 -> b{}, b{}\n", to[0], to[1]),
            };
        }
        text + "}\n"
    }

    #[test]
    fn a_value_is_alive_where_a_way_leads_to_a_use_before_its_definition() {
        let module = parse_module(&function()).expect("it is IR");
        let func = &module.funcs[FuncId(0)];
        let cfg = Cfg::new(func);
        let (dom, alive) = (DomTree::new(func, &cfg), Liveness::new(func, &cfg));
        let odd = Liveness::of(func, &cfg, |value| value.0 % 2 == 1);
        assert!(alive.values.len() > 20);
        let mut count = 0;
        for &block in cfg.rpo() {
            let mut expected = Vec::new();
            for value in func.values.ids() {
                let (mut work, mut seen, mut is_alive) = (vec![block], Vec::new(), false);
                while let Some(at) = work.pop() {
                    let data = &func.blocks[at];
                    let defines = data.params.contains(&value)
                        || data.insts.iter().any(|&id| func.insts[id].result == Some(value));
                    if defines || seen.contains(&at) {
                        continue;
                    }
                    seen.push(at);
                    is_alive |= data.insts.iter().any(|&id| func.insts[id].uses().any(|used| used == value));
                    work.extend(func.successors(at));
                }
                assert_eq!(alive.at(&dom, value, block), is_alive, "{value} in {block}");
                expected.extend(is_alive.then_some(value));
            }
            assert_eq!(alive.alive(block).collect::<Vec<_>>(), expected, "{block}");
            count += expected.len();
            expected.retain(|value| value.0 % 2 == 1);
            assert_eq!(odd.alive(block).collect::<Vec<_>>(), expected, "{block}");
        }
        assert!(count > 60);
    }
}
