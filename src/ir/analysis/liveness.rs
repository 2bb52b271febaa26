//! Which values are alive where.

use super::cfg::Cfg;
use super::dominators::DomTree;
use crate::ir::function::{Block, Function, Value};
use crate::support::IdMap;

/// Values alive at the start of blocks.
///
/// Upward walk from each use to the definition; each (value, block) pair is visited once. Many values that live through
/// many blocks would make that long: once a budget is used up, a value counts as alive wherever its definition has been
/// passed.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// Those of each block in order, one block's after another's.
    live: Vec<Value>,
    /// Where those of a block begin, and where they end.
    places: IdMap<Block, (u32, u32)>,
    /// Values from this one on were not looked at.
    end: Value,
    def_block: IdMap<Value, Option<Block>>,
}

impl Liveness {
    /// Computes what is alive in `func`.
    pub fn new(func: &Function, cfg: &Cfg) -> Liveness {
        let mut budget = 64 * func.size() + (1 << 20);
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
                    if def_block[arg] != Some(block) && last[arg].replace(block) != Some(block) {
                        uses.push((arg, block));
                    }
                }
                if let Some(result) = inst.result {
                    def_block[result] = Some(block);
                }
            }
        }
        uses.sort_unstable();
        let mut stamp: IdMap<Block, Option<Value>> = IdMap::with_len(None, func.blocks.len());
        let mut counts: IdMap<Block, u32> = IdMap::with_len(0, func.blocks.len());
        let mut found: Vec<(Value, Block)> = Vec::with_capacity(uses.len());
        let mut end = Value(u32::MAX);
        let mut work = Vec::new();
        for of_value in uses.chunk_by(|a, b| a.0 == b.0) {
            let value = of_value[0].0;
            let Some(def) = def_block[value] else { continue };
            if budget == 0 {
                end = value;
                break;
            }
            work.extend(of_value.iter().map(|&(_, block)| block));
            while let Some(block) = work.pop() {
                if stamp[block] == Some(value) || block == def {
                    continue;
                }
                stamp[block] = Some(value);
                budget = budget.saturating_sub(1);
                counts[block] += 1;
                found.push((value, block));
                work.extend(cfg.preds(block));
            }
        }
        let mut places = IdMap::with_len((0, 0), func.blocks.len());
        let mut sum = 0;
        for &block in cfg.rpo() {
            places[block] = (sum, sum);
            sum += counts[block];
        }
        let mut live = vec![Value(0); found.len()];
        for (value, block) in found {
            let (_, next) = &mut places[block];
            live[*next as usize] = value;
            *next += 1;
        }
        Liveness { live, places, end, def_block }
    }

    /// Values that are alive at the start of a block, its parameters not among them; of very large functions not all.
    pub fn alive(&self, block: Block) -> impl Iterator<Item = Value> + '_ {
        self.of(block).iter().copied()
    }

    fn of(&self, block: Block) -> &[Value] {
        let (start, end) = self.places[block];
        &self.live[start as usize..end as usize]
    }

    /// Whether a value may be alive at the start of a block without parameters.
    pub fn at(&self, dom: &DomTree, value: Value, block: Block) -> bool {
        if value < self.end {
            return self.of(block).binary_search(&value).is_ok();
        }
        self.def_block[value].is_some_and(|def_block| def_block != block && dom.dominates(def_block, block))
    }
}
