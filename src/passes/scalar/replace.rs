//! Values that others take the place of: noted while a pass walks, put in afterwards.

use crate::ir::{Function, Inst, Value};
use crate::support::IdMap;

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
