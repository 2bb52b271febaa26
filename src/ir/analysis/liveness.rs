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
    live: IdMap<Block, Vec<Value>>,
    /// Values from this one on were not looked at.
    end: Value,
    def_block: IdMap<Value, Option<Block>>,
}

impl Liveness {
    /// Computes what is alive in `func`.
    pub fn new(func: &Function, cfg: &Cfg) -> Liveness {
        let mut budget = 64 * func.size() + (1 << 20);
        let mut live: IdMap<Block, Vec<Value>> = IdMap::with_len(Vec::new(), func.blocks.len());
        let mut def_block: IdMap<Value, Option<Block>> = IdMap::with_len(None, func.values.len());
        let mut uses: IdMap<Value, Vec<Block>> = IdMap::with_len(Vec::new(), func.values.len());
        for &block in cfg.rpo() {
            for &param in &func.blocks[block].params {
                def_block[param] = Some(block);
            }
            for &id in &func.blocks[block].insts {
                let inst = &func.insts[id];
                for arg in inst.uses() {
                    if uses[arg].last() != Some(&block) {
                        uses[arg].push(block);
                    }
                }
                if let Some(result) = inst.result {
                    def_block[result] = Some(block);
                }
            }
        }
        let mut stamp: IdMap<Block, Option<Value>> = IdMap::with_len(None, func.blocks.len());
        for value in func.values.ids() {
            let Some(def) = def_block[value] else { continue };
            if budget == 0 {
                return Liveness { live, end: value, def_block };
            }
            let mut work = std::mem::take(&mut uses[value]);
            while let Some(block) = work.pop() {
                if stamp[block] == Some(value) || block == def {
                    continue;
                }
                stamp[block] = Some(value);
                budget = budget.saturating_sub(1);
                live[block].push(value);
                work.extend(cfg.preds(block));
            }
        }
        Liveness { live, end: Value(u32::MAX), def_block }
    }

    /// Values that are alive at the start of a block, its parameters not among them; of very large functions not all.
    pub fn alive(&self, block: Block) -> impl Iterator<Item = Value> + '_ {
        self.live[block].iter().copied()
    }

    /// Whether a value may be alive at the start of a block without parameters.
    pub fn at(&self, dom: &DomTree, value: Value, block: Block) -> bool {
        if value < self.end {
            return self.live[block].binary_search(&value).is_ok();
        }
        self.def_block[value].is_some_and(|def_block| def_block != block && dom.dominates(def_block, block))
    }
}
