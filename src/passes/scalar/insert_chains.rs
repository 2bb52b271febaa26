//! Combines chains of inserts that fill a vector into one `build_vector`: the latency of a chain is proportional to
//! its number of links.

use smallvec::SmallVec;

use grus_ir::{Attr, Function, Inst, InstId, Op, Value};
use grus_support::IdMap;

/// Combines all chains of a function. Returns whether there were any.
pub(super) fn run(func: &mut Function) -> bool {
    let Some(inserts) = Inserts::of(func) else { return false };
    let mut changed = false;
    for id in inserts.ends(func) {
        if let Some(lanes) = all_lanes(func, inserts.chain(func, id)) {
            let inst = &mut func.insts[id];
            (inst.op, inst.attr, inst.args) = (Op::BuildVector, Attr::None, lanes);
            changed = true;
        }
    }
    changed
}

/// Inserts of a function.
pub(super) struct Inserts {
    uses: IdMap<Value, u32>,
    /// True for vectors that an insert extends.
    is_link: IdMap<Value, bool>,
}

/// Chain of inserts of which only the last one has other uses.
pub(super) struct Chain {
    /// Vector that the first insert extends.
    pub start: Value,
    /// Values of the lanes that the chain sets.
    pub lanes: SmallVec<[Option<Value>; 4]>,
}

impl Inserts {
    /// Returns the inserts of a function, or `None` if there are none.
    pub(super) fn of(func: &Function) -> Option<Inserts> {
        let is_insert = |inst: &Inst| inst.op == Op::Insert;
        if !func.instructions().any(is_insert) {
            return None;
        }
        let mut is_link = IdMap::with_len(false, func.values.len());
        func.instructions().filter(|inst| is_insert(inst)).for_each(|inst| is_link[inst.args[0]] = true);
        Some(Inserts { uses: func.use_counts(), is_link })
    }

    /// Returns the last inserts of all chains.
    pub(super) fn ends(&self, func: &Function) -> Vec<InstId> {
        let all = func.layout.iter().flat_map(|&block| &func.blocks[block].insts).copied();
        all.filter(|&id| self.is_end(&func.insts[id])).collect()
    }

    /// Checks whether an instruction is the last insert of a chain.
    pub(super) fn is_end(&self, inst: &Inst) -> bool {
        let is_last = |result: Value| !self.is_link[result] || self.uses[result] > 1;
        inst.op == Op::Insert && inst.result.is_some_and(is_last)
    }

    /// Returns the chain that ends with an insert, until all its lanes are known.
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

/// Returns all lanes of a chain's result: those that it sets, which must be at least half of them, and those of its
/// start.
fn all_lanes(func: &Function, Chain { start, lanes }: Chain) -> Option<SmallVec<[Value; 3]>> {
    let set = lanes.iter().flatten().count();
    if set == lanes.len() {
        return lanes.into_iter().collect();
    }
    let def = func.def_inst(start)?;
    let start_lane = |at: usize| match def.op {
        Op::Splat => Some(def.args[0]),
        Op::BuildVector => Some(def.args[at]),
        _ => None,
    };
    if 2 * set < lanes.len() {
        return None;
    }
    lanes.into_iter().enumerate().map(|(at, lane)| lane.or_else(|| start_lane(at))).collect()
}
