//! Replacement of values: passes note replacements while they walk a function, and apply them afterwards.

use grus_ir::{Block, Function, Inst, InstId, Value};
use grus_support::{FastMap, IdMap};

/// Replaces instructions that `is_candidate` accepts by the value that `write` emits, if any. `write` appends to
/// the end of the given block, which contains its instructions up to the current one. Returns whether anything
/// changed.
pub(crate) fn rewrite(
    func: &mut Function,
    is_candidate: impl Fn(&Inst) -> bool,
    write: impl Fn(&mut Function, Block, &Inst) -> Option<Value>,
) -> bool {
    if !func.instructions().any(&is_candidate) {
        return false;
    }
    let mut replaced = Replacements::new(func);
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        for id in insts {
            let candidate = Some(&func.insts[id]).filter(|inst| is_candidate(inst)).cloned();
            match candidate.and_then(|inst| inst.result.zip(write(func, block, &inst))) {
                Some((old, new)) => replaced.set(old, new),
                None => func.blocks[block].insts.push(id),
            }
        }
    }
    replaced.apply(func);
    !replaced.is_empty()
}

/// Several instructions of a block that are replaced together, at the position of one of them.
pub(crate) trait Combined {
    /// Returns the instruction at whose position the replacement is written.
    fn insertion_point(&self) -> InstId;
    /// Returns all replaced instructions.
    fn members(&self) -> impl Iterator<Item = InstId>;
    /// Writes the replacement at the end of a block, which contains its instructions up to the insertion point.
    fn write(&self, func: &mut Function, block: Block, replaced: &mut Replacements);
}

/// Replaces the instructions that `find` returns for each block. Returns whether there were any.
pub(crate) fn combine<J: Combined>(func: &mut Function, find: impl Fn(&Function, Block) -> Vec<J>) -> bool {
    let mut replaced = Replacements::new(func);
    let mut has_changed = false;
    for block in func.layout.clone() {
        let found = find(func, block);
        if found.is_empty() {
            continue;
        }
        has_changed = true;
        let insertion_points: FastMap<InstId, usize> =
            found.iter().enumerate().map(|(at, combined)| (combined.insertion_point(), at)).collect();
        let covered: FastMap<InstId, ()> =
            found.iter().flat_map(Combined::members).map(|member| (member, ())).collect();
        for id in std::mem::take(&mut func.blocks[block].insts) {
            if let Some(&at) = insertion_points.get(&id) {
                found[at].write(func, block, &mut replaced);
            } else if !covered.contains_key(&id) {
                func.blocks[block].insts.push(id);
            }
        }
    }
    replaced.apply(func);
    has_changed
}

/// Replacement of each value.
pub(crate) struct Replacements {
    with: IdMap<Value, Option<Value>>,
    has_any: bool,
}

impl Replacements {
    /// Creates an empty set of replacements.
    pub(crate) fn new(func: &Function) -> Replacements {
        Replacements { with: IdMap::with_len(None, func.values.len()), has_any: false }
    }
    /// Checks whether there are no replacements.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_any
    }
    /// Replaces `old` by `new`.
    pub(crate) fn set(&mut self, old: Value, new: Value) {
        let new = self.get(new);
        if new != old {
            self.with[old] = Some(new);
            self.has_any = true;
        }
    }
    /// Returns the replacement of a value, or the value itself.
    pub(crate) fn get(&self, mut value: Value) -> Value {
        while let Some(new) = self.with[value] {
            value = new;
        }
        value
    }
    /// Replaces the operands of an instruction.
    pub(crate) fn resolve(&self, inst: &mut Inst) {
        for arg in inst.uses_mut() {
            *arg = self.get(*arg);
        }
    }
    /// Replaces the operands of every instruction.
    pub(crate) fn apply(&self, func: &mut Function) {
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
