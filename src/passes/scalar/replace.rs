//! Values that others take the place of: noted while a pass walks, put in afterwards.

use crate::ir::{Block, Function, Inst, InstId, Value};
use crate::support::{FastMap, IdMap};

/// Puts what `write` makes in the place of instructions that `is_meant` names: it writes at the end of the block that it is
/// given, as far as that has been walked. Says whether anything changed.
pub(in crate::passes) fn rewrite(
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

/// Instructions of a block that become others, all at the place of one of them.
pub(in crate::passes) trait Joined {
    /// The one in whose place the others are written.
    fn place(&self) -> InstId;
    /// All of them.
    fn members(&self) -> impl Iterator<Item = InstId>;
    /// Writes the others at the end of a block, as far as that has been walked.
    fn write(&self, func: &mut Function, block: Block, replaced: &mut Replacements);
}

/// Joins what is found in each block; says whether there was any.
pub(in crate::passes) fn join<J: Joined>(
    func: &mut Function,
    find: impl Fn(&Function, Block) -> Vec<J>,
) -> bool {
    let mut replaced = Replacements::new(func);
    let mut has_changed = false;
    for block in func.layout.clone() {
        let found = find(func, block);
        if found.is_empty() {
            continue;
        }
        has_changed = true;
        let places: FastMap<InstId, usize> =
            found.iter().enumerate().map(|(at, joined)| (joined.place(), at)).collect();
        let covered: FastMap<InstId, ()> =
            found.iter().flat_map(Joined::members).map(|member| (member, ())).collect();
        for id in std::mem::take(&mut func.blocks[block].insts) {
            if let Some(&at) = places.get(&id) {
                found[at].write(func, block, &mut replaced);
            } else if !covered.contains_key(&id) {
                func.blocks[block].insts.push(id);
            }
        }
    }
    replaced.apply(func);
    has_changed
}

/// For each value the one that takes its place.
pub(in crate::passes) struct Replacements {
    with: IdMap<Value, Option<Value>>,
    any: bool,
}

impl Replacements {
    /// None yet.
    pub(in crate::passes) fn new(func: &Function) -> Replacements {
        Replacements { with: IdMap::with_len(None, func.values.len()), any: false }
    }
    /// Whether there are none.
    pub(in crate::passes) fn is_empty(&self) -> bool {
        !self.any
    }
    /// From now on `new` stands for `old`.
    pub(in crate::passes) fn set(&mut self, old: Value, new: Value) {
        let new = self.get(new);
        if new != old {
            self.with[old] = Some(new);
            self.any = true;
        }
    }
    /// What stands for a value: itself, if nothing does.
    pub(in crate::passes) fn get(&self, mut value: Value) -> Value {
        while let Some(new) = self.with[value] {
            value = new;
        }
        value
    }
    /// Puts them into an instruction.
    pub(in crate::passes) fn resolve(&self, inst: &mut Inst) {
        for arg in inst.uses_mut() {
            *arg = self.get(*arg);
        }
    }
    /// Puts them into every instruction.
    pub(in crate::passes) fn apply(&self, func: &mut Function) {
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
