//! Loop-invariant code goes before the loop.
//!
//! One walk in reverse postorder: the home of a value is the innermost loop that it has to be computed in, and an
//! instruction goes before the outermost loop that none of its operands is at home in. Where its operands have gone is known
//! by then, so that no loop is looked at twice and chains go together (Muchnick: Advanced Compiler Design and
//! Implementation, 1997, section 13.2, done for all levels at once).
//!
//! Pure ops never trap and may always be moved; dear ones (division, roots) only out of blocks that every turn goes through.
//! Loads go where no turn is without them and nothing in the loop could write there, but another work-item: see [`Loads`]. Blocks before loops are
//! made where there are none. Constants stay where they are unless something that moves needs them.

use super::super::pass_manager::PassContext;
use super::super::workgroup::ItemIds;
use super::cost::is_dear;
use super::private_memory::{PrivateAccess, PrivateMemory};
use crate::ir::analysis::{Cfg, DomTree, LoopId, Loops, prune_unreachable};
use crate::ir::{Attr, Block, Builder, Def, Effect, Function, Inst, InstId, Kind, Op, Target, Type, Value};
use crate::support::{FastSet, IdMap};

/// Sweeps that settle what is written before, where loops are not nested out of all proportion.
const SWEEPS: usize = 8;

/// Loops that an instruction leaves at most.
const MOST_LEVELS: usize = 8;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let loops = context.analyses.loops(func);
    if loops.ids().next().is_none() {
        return false;
    }
    let cfg = context.analyses.cfg(func);
    let dom = context.analyses.dominators(func);
    let memory = PrivateMemory::new(func, &cfg);
    let facts = Facts::of(func, &cfg, &dom, &loops, &memory);
    let items = ItemLoops::of(func, &cfg, &loops, &memory, context.items);
    let mut mover = Mover {
        home: IdMap::with_len(None, func.values.len()),
        moved: IdMap::new(Vec::new()),
        constants: IdMap::new(None),
        is_unwritten: false,
        func,
        dom: &dom,
        loops: &loops,
        loads: Loads { memory: &memory, facts: &facts, items: &items },
        changed: false,
    };
    for &block in cfg.rpo() {
        mover.block(block);
    }
    let Mover { moved, constants, changed, .. } = mover;
    if changed {
        place(func, &cfg, &dom, &loops, &moved, &constants);
    }
    changed
}

/// Puts what has moved before the loops, and takes constants from where they were.
fn place(
    func: &mut Function,
    cfg: &Cfg,
    dom: &DomTree,
    loops: &Loops,
    moved: &IdMap<LoopId, Vec<InstId>>,
    constants: &IdMap<Value, Option<LoopId>>,
) {
    let constant = |func: &Function, id: InstId| {
        let inst = &func.insts[id];
        inst.result.filter(|_| is_constant(inst)).map(|result| constants[result])
    };
    for &block in cfg.rpo().iter().filter(|&&block| loops.of(block).is_some()) {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&id| constant(func, id).flatten().is_none());
        func.blocks[block].insts = insts;
    }
    for id in loops.ids() {
        // A constant may have gone further.
        let is_here = |&inst: &InstId| constant(func, inst).is_none_or(|before| before == Some(id));
        let insts: Vec<InstId> = moved[id].iter().copied().filter(is_here).collect();
        if !insts.is_empty() {
            let before = preheader(func, cfg, dom, loops.get(id).header);
            let list = &mut func.blocks[before].insts;
            let end = list.len() - 1;
            list.splice(end..end, insts);
        }
    }
    prune_unreachable(func);
}

/// What is known of each loop.
struct Facts {
    /// The last block that every turn goes through which goes on.
    turns: IdMap<LoopId, Option<Block>>,
    /// The last one that every turn goes through, the last turn too.
    always: IdMap<LoopId, Option<Block>>,
    /// It holds writes, calls, atomics or barriers; private memory aside.
    writes: IdMap<LoopId, bool>,
    /// Private memory that is written in the loop itself or in one inside.
    written: FastSet<(LoopId, Value)>,
}

impl Facts {
    fn of(func: &Function, cfg: &Cfg, dom: &DomTree, loops: &Loops, memory: &PrivateMemory) -> Facts {
        let mut facts = Facts {
            turns: IdMap::new(None),
            always: IdMap::new(None),
            writes: IdMap::new(false),
            written: FastSet::default(),
        };
        for id in loops.ids() {
            let latches = loops.get(id).latches.iter().copied();
            facts.turns[id] = latches.reduce(|a, b| common(dom, a, b));
            facts.always[id] = facts.turns[id];
        }
        for &block in cfg.rpo() {
            let Some(inner) = loops.of(block) else { continue };
            for &id in &func.blocks[block].insts {
                facts.look_at(&func.insts[id], inner, memory);
            }
            for id in loops.around(block) {
                if func.successors(block).all(|next| loops.contains(id, next)) {
                    break;
                }
                facts.always[id] = facts.always[id].map(|always| common(dom, always, block));
            }
        }
        let mut outwards: Vec<(LoopId, Value)> = facts.written.iter().copied().collect();
        while let Some((id, root)) = outwards.pop() {
            if let Some(parent) = loops.get(id).parent
                && facts.written.insert((parent, root))
            {
                outwards.push((parent, root));
            }
        }
        for id in loops.ids().rev() {
            if let Some(parent) = loops.get(id).parent {
                facts.writes[parent] |= facts.writes[id];
            }
        }
        facts
    }

    fn look_at(&mut self, inst: &Inst, inner: LoopId, memory: &PrivateMemory) {
        if inst.op.effect() != Effect::Write {
            return;
        }
        match memory.access(inst) {
            Some(
                PrivateAccess::Store(place) | PrivateAccess::Zero(place) | PrivateAccess::Copy(Some(place)),
            ) => {
                self.written.insert((inner, place.root));
            }
            _ => self.writes[inner] |= inst.op != Op::Alloca,
        }
    }
}

/// Loops each of whose turns is that of other work-items: what is written in another turn is of another item, so that it would
/// be a data race if it was read. Only what a turn itself writes before counts. A loop that has no turn has neighbours that
/// have the others of the group, and do the same.
struct ItemLoops {
    are: IdMap<LoopId, bool>,
    /// Nothing was written in this turn where a block begins, private memory aside.
    is_unwritten: IdMap<Block, bool>,
}

impl ItemLoops {
    fn of(func: &Function, cfg: &Cfg, loops: &Loops, memory: &PrivateMemory, items: &[ItemIds]) -> ItemLoops {
        let mut found =
            ItemLoops { are: IdMap::new(false), is_unwritten: IdMap::with_len(false, func.blocks.len()) };
        for counter in items.iter().filter(|items| items.are_all).flat_map(ItemIds::counters) {
            let Def::Param(header, _) = func.values[counter].def else { continue };
            if let Some(id) = loops.of(header).filter(|&id| loops.get(id).header == header) {
                found.are[id] = true;
            }
        }
        if !loops.ids().any(|id| found.are[id]) {
            return found;
        }
        let is_inside = |block: &Block| loops.around(*block).any(|id| found.are[id]);
        let inside: Vec<Block> = cfg.rpo().iter().copied().filter(is_inside).collect();
        let mut writing = IdMap::with_len(false, func.blocks.len());
        for &block in &inside {
            writing[block] = func.blocks[block].insts.iter().any(|&id| writes(&func.insts[id], memory));
            found.is_unwritten[block] = true;
        }
        let mut sweep = || {
            let mut changed = false;
            for &block in &inside {
                let is_start =
                    loops.of(block).is_some_and(|id| found.are[id] && loops.get(id).header == block);
                let is_left_so = |pred: &Block| found.is_unwritten[*pred] && !writing[*pred];
                let is = is_start || cfg.preds(block).iter().all(is_left_so);
                changed |= std::mem::replace(&mut found.is_unwritten[block], is) != is;
            }
            changed
        };
        if (0..SWEEPS).all(|_| sweep()) {
            inside.iter().for_each(|&block| found.is_unwritten[block] = false);
        }
        found
    }
}

/// Whether an instruction may change memory that is not private.
fn writes(inst: &Inst, memory: &PrivateMemory) -> bool {
    let is_private = matches!(
        memory.access(inst),
        Some(PrivateAccess::Store(_) | PrivateAccess::Zero(_) | PrivateAccess::Copy(Some(_)))
    );
    inst.op.effect() == Effect::Write && inst.op != Op::Alloca && !is_private
}

/// The closest block that dominates both.
fn common(dom: &DomTree, mut a: Block, b: Block) -> Block {
    while !dom.dominates(a, b) {
        a = dom.idom(a).expect("the entry dominates all");
    }
    a
}

/// Which loads are invariant. What a loop does not write stays as it is: if another work-item wrote there, that would be a
/// data race. A load must not fault where there was none: it is moved if every turn comes by and there is a first one, or if
/// it is of private memory at a place that exists.
struct Loads<'a> {
    memory: &'a PrivateMemory,
    facts: &'a Facts,
    items: &'a ItemLoops,
}

impl Loads<'_> {
    fn is_invariant(&self, func: &Function, inst: &Inst, id: LoopId, is_always: bool) -> bool {
        if inst.is_volatile() {
            return false;
        }
        match self.memory.access(inst) {
            Some(PrivateAccess::Load(place, ty)) => {
                let exists = || {
                    let whole = self.memory.place(place.root);
                    let size = func.def_inst(place.root).map_or(0, |alloca| alloca.size_align().0);
                    whole.is_some_and(|whole| place.is_within(u64::from(ty.bytes()), whole, size))
                };
                !self.facts.written.contains(&(id, place.root)) && (is_always || exists())
            }
            _ => !self.facts.writes[id] && is_always,
        }
    }
}

struct Mover<'a> {
    func: &'a mut Function,
    dom: &'a DomTree,
    loops: &'a Loops,
    loads: Loads<'a>,
    /// The innermost loop that a value is computed in, by now.
    home: IdMap<Value, Option<LoopId>>,
    /// What goes before each loop.
    moved: IdMap<LoopId, Vec<InstId>>,
    /// The loops that constants have gone before.
    constants: IdMap<Value, Option<LoopId>>,
    /// Nothing has been written before in the turns of loops over items.
    is_unwritten: bool,
    changed: bool,
}

impl Mover<'_> {
    fn block(&mut self, block: Block) {
        let inner = self.loops.of(block);
        for &param in &self.func.blocks[block].params {
            self.home[param] = inner;
        }
        let insts = std::mem::take(&mut self.func.blocks[block].insts);
        let mut stay = Vec::with_capacity(insts.len());
        self.is_unwritten = self.loads.items.is_unwritten[block];
        for id in insts {
            self.is_unwritten = self.is_unwritten && !writes(&self.func.insts[id], self.loads.memory);
            let leaves = inner.and_then(|_| self.leaves(block, id));
            if let Some(result) = self.func.insts[id].result {
                let home = leaves.map_or(inner, |left| self.loops.get(left).parent);
                self.home[result] = home;
            }
            match leaves {
                Some(left) => self.put_before(left, id),
                None => stay.push(id),
            }
        }
        self.func.blocks[block].insts = stay;
    }

    /// The outermost loop that an instruction can go before.
    fn leaves(&self, block: Block, id: InstId) -> Option<LoopId> {
        let inst = &self.func.insts[id];
        let is_load = inst.op == Op::Load;
        if is_constant(inst) || !is_load && inst.op.effect() != Effect::Pure {
            return None;
        }
        let is_dear = is_dear(inst.op);
        let mut leaves = None;
        for around in self.loops.around(block).take(MOST_LEVELS) {
            let goes_by = |last: Option<Block>| last.is_some_and(|last| self.dom.dominates(block, last));
            let may = if is_load {
                let Loads { facts, items, memory } = self.loads;
                let pointer = inst.args[0];
                // What is written to private memory before has not been counted; a generic pointer may lead there.
                let is_private =
                    self.func.ty(pointer).kind == Kind::PtrPrivate || memory.place(pointer).is_some();
                let is_read_first =
                    items.are[around] && self.is_unwritten && !is_private && !inst.is_volatile();
                is_read_first && goes_by(facts.turns[around])
                    || self.loads.is_invariant(self.func, inst, around, goes_by(facts.always[around]))
            } else {
                !is_dear || goes_by(self.loads.facts.turns[around])
            };
            if !may || inst.args.iter().any(|&arg| self.is_inside(around, arg)) {
                break;
            }
            leaves = Some(around);
        }
        leaves
    }

    /// Whether a value is computed in a loop, and cannot be taken out with what needs it.
    fn is_inside(&self, id: LoopId, value: Value) -> bool {
        let Some(home) = self.home[value] else { return false };
        let depth = self.loops.get(id).depth;
        self.loops.get(home).depth >= depth
            && self.loops.contains(id, self.loops.get(home).header)
            && !self.func.def_inst(value).is_some_and(is_constant)
    }

    /// Constants that it needs go, too.
    fn put_before(&mut self, left: LoopId, id: InstId) {
        for arg in self.func.insts[id].args.clone() {
            let Some(home) = self.home[arg] else { continue };
            if let Def::Inst(constant) = self.func.values[arg].def
                && self.loops.contains(left, self.loops.get(home).header)
            {
                self.home[arg] = self.loops.get(left).parent;
                self.constants[arg] = Some(left);
                self.moved[left].push(constant);
            }
        }
        self.moved[left].push(id);
        self.changed = true;
    }
}

/// A value without operands, which is made anew rather than kept.
fn is_constant(inst: &Inst) -> bool {
    inst.args.is_empty() && inst.op.effect() == Effect::Pure
}

/// The block before a loop: its only predecessor that is not in the loop, and leads nowhere else.
pub(super) fn preheader(func: &mut Function, cfg: &Cfg, dom: &DomTree, header: Block) -> Block {
    let outside: Vec<Block> =
        cfg.preds(header).iter().copied().filter(|&pred| !dom.dominates(header, pred)).collect();
    if let [only] = outside[..]
        && func.terminator(only).op == Op::Jump
    {
        return only;
    }
    let types: Vec<Type> = func.blocks[header].params.iter().map(|&param| func.ty(param)).collect();
    let before = func.add_detached_block();
    func.layout.push(before);
    let params: Vec<Value> = types.into_iter().map(|ty| func.add_param(before, ty)).collect();
    for pred in outside {
        let targets = &mut func.terminator_mut(pred).targets;
        targets.iter_mut().filter(|target| target.block == header).for_each(|target| target.block = before);
    }
    Builder::new(func, before).inst(
        Op::Jump,
        Type::VOID,
        &[],
        Attr::None,
        vec![Target::new(header, &params)],
    );
    before
}
