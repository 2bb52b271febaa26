//! Vectors that are filled lane by lane are built at once: a chain of inserts is as long to wait for as it has links.

use smallvec::SmallVec;

use crate::ir::{Attr, Function, Inst, InstId, Op, Value};
use crate::support::IdMap;

/// Builds them; says whether there were any.
pub(super) fn run(func: &mut Function) -> bool {
    let Some(inserts) = Inserts::of(func) else { return false };
    let mut changed = false;
    for id in inserts.ends(func) {
        if let Some(lanes) = filled(func, inserts.chain(func, id)) {
            let inst = &mut func.insts[id];
            (inst.op, inst.attr, inst.args) = (Op::BuildVector, Attr::None, lanes);
            changed = true;
        }
    }
    changed
}

/// What is known of the inserts of a function.
pub(super) struct Inserts {
    uses: IdMap<Value, u32>,
    /// What something is inserted into.
    is_link: IdMap<Value, bool>,
}

/// Inserts one after the other, of which nobody else uses any but the last: what they begin with, and the lanes that they set.
pub(super) struct Chain {
    pub start: Value,
    pub lanes: SmallVec<[Option<Value>; 4]>,
}

impl Inserts {
    /// None if there are none.
    pub(super) fn of(func: &Function) -> Option<Inserts> {
        let is_insert = |inst: &Inst| inst.op == Op::Insert;
        if !func.instructions().any(is_insert) {
            return None;
        }
        let mut is_link = IdMap::with_len(false, func.values.len());
        func.instructions().filter(|inst| is_insert(inst)).for_each(|inst| is_link[inst.args[0]] = true);
        Some(Inserts { uses: func.use_counts(), is_link })
    }

    /// Those that chains end with.
    pub(super) fn ends(&self, func: &Function) -> Vec<InstId> {
        let all = func.layout.iter().flat_map(|&block| &func.blocks[block].insts).copied();
        all.filter(|&id| self.is_end(&func.insts[id])).collect()
    }

    /// Whether a chain ends with an instruction.
    pub(super) fn is_end(&self, inst: &Inst) -> bool {
        let is_no_link = |result: Value| !self.is_link[result] || self.uses[result] > 1;
        inst.op == Op::Insert && inst.result.is_some_and(is_no_link)
    }

    /// The chain that ends so, as far as it says what lanes are.
    pub(super) fn chain(&self, func: &Function, end: InstId) -> Chain {
        let mut link = &func.insts[end];
        let mut lanes: SmallVec<[Option<Value>; 4]> = SmallVec::from_elem(None, link.ty.lanes.into());
        loop {
            lanes[link.int() as usize].get_or_insert(link.args[1]);
            let start = link.args[0];
            match func.def_inst(start) {
                Some(def) if def.op == Op::Insert && self.uses[start] == 1 && lanes.contains(&None) => {
                    link = def;
                }
                _ => return Chain { start, lanes },
            }
        }
    }
}

/// All lanes of what a chain ends with: those that it sets, at least half of them, and those of what it begins with.
fn filled(func: &Function, Chain { start, lanes }: Chain) -> Option<SmallVec<[Value; 3]>> {
    let set = lanes.iter().flatten().count();
    if set == lanes.len() {
        return lanes.into_iter().collect();
    }
    let def = func.def_inst(start)?;
    let begun = |at: usize| match def.op {
        Op::Splat => Some(def.args[0]),
        Op::BuildVector => Some(def.args[at]),
        _ => None,
    };
    if 2 * set < lanes.len() {
        return None;
    }
    lanes.into_iter().enumerate().map(|(at, lane)| lane.or_else(|| begun(at))).collect()
}
