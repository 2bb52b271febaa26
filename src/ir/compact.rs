//! Compaction of functions: drops blocks, instructions and values that passes have left outside the layout,
//! and renumbers the rest without gaps.

use super::function::{Block, Def, Function, InstId, Value, ValueData};
use grus_support::{Id, IdMap, IdVec};

impl Function {
    /// Returns a copy of the function whose blocks, values and instructions are numbered in the order of the
    /// layout.
    pub fn compacted(&self) -> Function {
        let mut new = Function { layout: Vec::new(), ..self.clone() };
        (new.blocks, new.insts, new.values) = (IdVec::new(), IdVec::new(), IdVec::new());
        let mut blocks: IdMap<Block, Block> = IdMap::with_len(Block::new(0), self.blocks.len());
        let mut values: IdMap<Value, Value> = IdMap::with_len(Value::new(0), self.values.len());
        for &block in &self.layout {
            let copy = new.add_block();
            new.blocks[copy].unroll = self.blocks[block].unroll;
            blocks[block] = copy;
            for &param in &self.blocks[block].params {
                values[param] = new.add_param(copy, self.ty(param));
            }
            for &id in &self.blocks[block].insts {
                if let Some(result) = self.insts[id].result {
                    // The definition is corrected when the instruction is copied.
                    let def = Def::Inst(InstId::new(0));
                    values[result] = new.values.push(ValueData { ty: self.ty(result), def });
                }
            }
        }
        for &block in &self.layout {
            for &id in &self.blocks[block].insts {
                let mut inst = self.insts[id].clone();
                inst.uses_mut().for_each(|arg| *arg = values[*arg]);
                inst.targets.iter_mut().for_each(|target| target.block = blocks[target.block]);
                inst.result = inst.result.map(|result| values[result]);
                let result = inst.result;
                let copy = new.insts.push(inst);
                if let Some(result) = result {
                    new.values[result].def = Def::Inst(copy);
                }
                new.blocks[blocks[block]].insts.push(copy);
            }
        }
        new
    }
}
