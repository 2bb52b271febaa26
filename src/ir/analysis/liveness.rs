//! Which values are alive where.

use std::collections::BinaryHeap;

use super::cfg::Cfg;
use super::dominators::DomTree;
use crate::ir::function::{Block, Function, Value};
use crate::support::{IdMap, ones};

/// Values alive at the start of blocks.
///
/// Upward walks from uses to definitions, of 64 values at once: those that are defined near each other live in much the same
/// blocks. Many values that live through many blocks would still make that long: once a budget is used up, a value counts as
/// alive wherever its definition has been passed.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// Those that are used in another block than their own, in order.
    values: Vec<Value>,
    /// For each block which of 64 values are alive, if any is, and which 64; those of a block in order, one block's after
    /// another's.
    rows: Vec<LiveRow>,
    /// Where those of a block begin, and where they end.
    places: IdMap<Block, (u32, u32)>,
    /// Values from this one on were not looked at.
    end: Value,
    def_block: IdMap<Value, Option<Block>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct LiveRow {
    chunk: u32,
    alive: u64,
}

const LANES: usize = 64;

impl Liveness {
    /// Computes what is alive in `func`.
    pub fn new(func: &Function, cfg: &Cfg) -> Liveness {
        Liveness::of(func, cfg, |_| true)
    }

    /// The same for those values only that somebody asks for.
    pub fn of(func: &Function, cfg: &Cfg, is_asked: impl Fn(Value) -> bool) -> Liveness {
        let mut def_block: IdMap<Value, Option<Block>> = IdMap::with_len(None, func.values.len());
        // Definitions come before uses in reverse postorder.
        let mut uses: Vec<(Value, Block)> = Vec::new();
        let mut last: IdMap<Value, Option<Block>> = IdMap::with_len(None, func.values.len());
        for &block in cfg.rpo() {
            for &param in &func.blocks[block].params {
                def_block[param] = Some(block);
            }
            for &id in &func.blocks[block].insts {
                let inst = &func.insts[id];
                for arg in inst.uses() {
                    let is_elsewhere = def_block[arg].is_some_and(|def| def != block);
                    if is_elsewhere && is_asked(arg) && last[arg].replace(block) != Some(block) {
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
        let mut found: Vec<(Block, LiveRow)> = Vec::new();
        let mut end = Value(u32::MAX);
        let mut next = 0;
        for (number, chunk) in values.chunks(LANES).enumerate() {
            let Some(last) = chunk.last() else { break };
            let count = uses[next..].partition_point(|(value, _)| value <= last);
            let defs = chunk.iter().map(|&value| def_block[value]);
            if !walk.run(chunk, defs, &uses[next..next + count]) {
                end = chunk[0];
                break;
            }
            next += count;
            let chunk = number as u32;
            found.extend(walk.take().map(|(block, alive)| (block, LiveRow { chunk, alive })));
        }
        let mut counts: IdMap<Block, u32> = IdMap::with_len(0, func.blocks.len());
        found.iter().for_each(|&(block, _)| counts[block] += 1);
        let mut places = IdMap::with_len((0, 0), func.blocks.len());
        let mut sum = 0;
        for &block in cfg.rpo() {
            places[block] = (sum, sum);
            sum += counts[block];
        }
        let mut rows = vec![LiveRow::default(); found.len()];
        for (block, row) in found {
            let (_, next) = &mut places[block];
            rows[*next as usize] = row;
            *next += 1;
        }
        Liveness { values, rows, places, end, def_block }
    }

    fn of_block(&self, block: Block) -> &[LiveRow] {
        let (start, end) = self.places[block];
        &self.rows[start as usize..end as usize]
    }

    /// Values that are alive at the start of a block, its parameters not among them, in order; of very large functions not all.
    pub fn alive(&self, block: Block) -> impl Iterator<Item = Value> + '_ {
        self.of_block(block).iter().flat_map(move |row| {
            let values = &self.values[row.chunk as usize * LANES..];
            ones(row.alive).map(|bit| values[bit])
        })
    }

    /// Whether a value may be alive at the start of a block without parameters.
    pub fn at(&self, dom: &DomTree, value: Value, block: Block) -> bool {
        if value >= self.end {
            let def_block = self.def_block[value];
            return def_block.is_some_and(|def| def != block && dom.dominates(def, block));
        }
        let Ok(at) = self.values.binary_search(&value) else { return false };
        let rows = self.of_block(block);
        let row = rows.binary_search_by_key(&((at / LANES) as u32), |row| row.chunk);
        row.is_ok_and(|row| rows[row].alive >> (at % LANES) & 1 == 1)
    }
}

/// Walks over the blocks of a function for 64 values after another.
struct LivenessWalk<'c> {
    cfg: &'c Cfg,
    /// Which of the values are alive at the start of a block, and which are defined there.
    alive: IdMap<Block, u64>,
    defined: IdMap<Block, u64>,
    /// Blocks where any is alive.
    seen: Vec<Block>,
    /// Positions of blocks whose predecessors are to be told; the last block first, so that what follows a loop is known in it.
    work: BinaryHeap<u32>,
    waits: IdMap<Block, bool>,
    /// Blocks that may be looked at.
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
            waits: IdMap::with_len(false, blocks),
            budget: 64 * func.size() + (1 << 20),
        }
    }

    /// Finds where these values are alive; says whether the budget allowed for it.
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
            self.waits[block] = false;
            let Some(left) = self.budget.checked_sub(1) else { return false };
            self.budget = left;
            for &before in self.cfg.preds(block) {
                self.enter(before, self.alive[block] & !self.defined[before]);
            }
        }
        defs.flatten().for_each(|def| self.defined[def] = 0);
        true
    }

    /// These values are alive at the start of a block.
    fn enter(&mut self, block: Block, values: u64) {
        let alive = &mut self.alive[block];
        if values & !*alive == 0 {
            return;
        }
        if *alive == 0 {
            self.seen.push(block);
        }
        *alive |= values;
        if !std::mem::replace(&mut self.waits[block], true) {
            self.work.push(self.cfg.position(block));
        }
    }

    /// What was found; nothing is left of it.
    fn take(&mut self) -> impl Iterator<Item = (Block, u64)> + '_ {
        self.seen.drain(..).map(|block| (block, std::mem::take(&mut self.alive[block])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{FuncId, parse_module};

    /// Nested loops, ways around blocks and 90 values; which of them a block uses depends on its number.
    fn function() -> String {
        let edges: [&[usize]; 9] = [&[1], &[2, 6], &[3, 4], &[4], &[2, 5], &[1, 7], &[7, 8], &[1, 8], &[]];
        let mut text = String::from("func f0 \"k\" void kernel {\n");
        let mut next = 2;
        let mut defined: Vec<Vec<usize>> = Vec::new();
        for (block, to) in edges.iter().enumerate() {
            let head = if block == 0 { "b0(v0: i32, v1: i1)".to_owned() } else { format!("b{block}()") };
            text += &format!("{head}:\n");
            // What the blocks before on every way define: 0 and 1 dominate all, 2 those up to 5.
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
