//! Values that others take the place of: noted while a pass walks, put in afterwards.

use crate::ir::{Block, Function, Inst, Value};
use crate::support::IdMap;

/// Puts what `write` makes in the place of instructions that `is_meant` names: it writes at the end of the block that it is
/// given, as far as that has been walked. Says whether anything changed.
pub(super) fn rewrite(
    func: &mut Function,
    is_meant: impl Fn(&Inst) -> bool,
    write: impl Fn(&mut Function, Block, &Inst) -> Option<Value>,
) -> bool {
    if !func.instructions().any(&is_meant) {
        return false;
    }
    let mut replaced = Replacements::new(func);
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        for id in insts {
            let meant = Some(&func.insts[id]).filter(|inst| is_meant(inst)).cloned();
            match meant.and_then(|inst| inst.result.zip(write(func, block, &inst))) {
                Some((old, new)) => replaced.set(old, new),
                None => func.blocks[block].insts.push(id),
            }
        }
    }
    replaced.apply(func);
    !replaced.is_empty()
}

/// For each value the one that takes its place.
pub(super) struct Replacements {
    with: IdMap<Value, Option<Value>>,
    any: bool,
}

impl Replacements {
    /// None yet.
    pub(super) fn new(func: &Function) -> Replacements {
        Replacements { with: IdMap::with_len(None, func.values.len()), any: false }
    }
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        !self.any
    }
    /// From now on `new` stands for `old`.
    pub(super) fn set(&mut self, old: Value, new: Value) {
        let new = self.get(new);
        if new != old {
            self.with[old] = Some(new);
            self.any = true;
        }
    }
    /// What stands for a value: itself, if nothing does.
    pub(super) fn get(&self, mut value: Value) -> Value {
        while let Some(new) = self.with[value] {
            value = new;
        }
        value
    }
    /// Puts them into an instruction.
    pub(super) fn resolve(&self, inst: &mut Inst) {
        for arg in inst.uses_mut() {
            *arg = self.get(*arg);
        }
    }
    /// Puts them into every instruction.
    pub(super) fn apply(&self, func: &mut Function) {
        if self.is_empty() {
            return;
        }
        for &block in &func.layout {
            for &id in &func.blocks[block].insts {
                self.resolve(&mut func.insts[id]);
            }
        }
    }
}
