//! Loop-invariant code motion.
//!
//! The pass makes one walk in reverse postorder. Each value has an innermost loop in which it must be computed, and
//! an instruction is hoisted before the outermost loop in which none of its operands must be computed. It is known
//! by then where the operands have been hoisted to, so no loop is visited twice and chains are hoisted together
//! (Muchnick: Advanced Compiler Design and Implementation, 1997, section 13.2, done for all levels at once).
//!
//! Pure ops never trap and may always be hoisted; expensive ones (divisions, roots) only from blocks that every
//! iteration executes. Loads are hoisted if every iteration executes them and nothing in the loop except another
//! work-item may write to their address: see [`LoadMotion`]. Preheaders are created where they are missing.
//! Constants stay where they are unless a hoisted instruction needs them.

use super::super::pass_manager::PassContext;
use super::cost::is_expensive;
use super::private_memory::{PrivateAccess, PrivateMemory};
use grus_ir::analysis::{Cfg, DomTree, LoopId, Loops, prune_unreachable};
use grus_ir::group_code::ItemIds;
use grus_ir::{Attr, Block, Builder, Def, Effect, Function, Inst, InstId, Kind, Op, Target, Type, Value};
use grus_support::{FastSet, IdMap};

/// Maximum number of sweeps of the data-flow analysis of writes. They suffice unless loops are nested extremely
/// deep.
// Arbitrary.
const MAX_SWEEPS: usize = 8;

/// Maximum number of loops that an instruction is hoisted out of.
// Arbitrary.
const MAX_LEVELS: usize = 8;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let loops = context.analyses.loops(func);
    if loops.ids().next().is_none() {
        return false;
    }
    let cfg = context.analyses.cfg(func);
    let dom = context.analyses.dominators(func);
    let memory = PrivateMemory::new(func, &cfg);
    let facts = LoopFacts::of(func, &cfg, &dom, &loops, &memory);
    let items = ItemLoops::of(func, &cfg, &loops, &memory, context.facts.items);
    let mut mover = Mover {
        loop_of: IdMap::with_len(None, func.values.len()),
        hoisted: IdMap::new(Vec::new()),
        constants: IdMap::new(None),
        is_unwritten: false,
        func,
        dom: &dom,
        loops: &loops,
        loads: LoadMotion { memory: &memory, facts: &facts, items: &items },
        changed: false,
    };
    for &block in cfg.rpo() {
        mover.block(block);
    }
    let Mover { hoisted, constants, changed, .. } = mover;
    if changed {
        insert_hoisted(func, &cfg, &dom, &loops, &hoisted, &constants);
    }
    changed
}

/// Inserts hoisted instructions into preheaders, and removes hoisted constants from their blocks.
fn insert_hoisted(
    func: &mut Function,
    cfg: &Cfg,
    dom: &DomTree,
    loops: &Loops,
    hoisted: &IdMap<LoopId, Vec<InstId>>,
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
        // A constant may have been hoisted further.
        let is_here = |&inst: &InstId| constant(func, inst).is_none_or(|before| before == Some(id));
        let insts: Vec<InstId> = hoisted[id].iter().copied().filter(is_here).collect();
        if !insts.is_empty() {
            let before = preheader(func, cfg, dom, loops.get(id).header);
            let list = &mut func.blocks[before].insts;
            let end = list.len() - 1;
            list.splice(end..end, insts);
        }
    }
    prune_unreachable(func);
}

/// Properties of each loop.
struct LoopFacts {
    /// Last block that every iteration executes which continues with a next one.
    latch_dominator: IdMap<LoopId, Option<Block>>,
    /// Last block that every iteration executes, including the last iteration.
    always_executed: IdMap<LoopId, Option<Block>>,
    /// True if the loop contains writes, calls, atomics or barriers, except accesses to private memory.
    writes: IdMap<LoopId, bool>,
    /// Allocas that are written in the loop or in one of its inner loops.
    written: FastSet<(LoopId, Value)>,
}

impl LoopFacts {
    fn of(func: &Function, cfg: &Cfg, dom: &DomTree, loops: &Loops, memory: &PrivateMemory) -> LoopFacts {
        let mut facts = LoopFacts {
            latch_dominator: IdMap::new(None),
            always_executed: IdMap::new(None),
            writes: IdMap::new(false),
            written: FastSet::default(),
        };
        for id in loops.ids() {
            let latches = loops.get(id).latches.iter().copied();
            facts.latch_dominator[id] = latches.reduce(|a, b| common_dominator(dom, a, b));
            facts.always_executed[id] = facts.latch_dominator[id];
        }
        for &block in cfg.rpo() {
            let Some(inner) = loops.of(block) else { continue };
            for &id in &func.blocks[block].insts {
                facts.visit(&func.insts[id], inner, memory);
            }
            for id in loops.around(block) {
                if func.successors(block).all(|next| loops.contains(id, next)) {
                    break;
                }
                facts.always_executed[id] = facts.always_executed[id]
                    .map(|always_executed| common_dominator(dom, always_executed, block));
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

    fn visit(&mut self, inst: &Inst, inner: LoopId, memory: &PrivateMemory) {
        if inst.op.effect() != Effect::Write {
            return;
        }
        match memory.access(inst) {
            Some(
                PrivateAccess::Store(location)
                | PrivateAccess::Zero(location)
                | PrivateAccess::Copy(Some(location)),
            ) => {
                self.written.insert((inner, location.root));
            }
            _ => self.writes[inner] |= inst.op != Op::Alloca,
        }
    }
}

/// Loops over the work-items of a group. A write in another iteration is a write of another work-item, so reading
/// it would be a data race; only writes earlier in the same iteration count. If such a loop has no iterations,
/// loops next to it run the other work-items of the group, and these do the same.
struct ItemLoops {
    /// True if a loop iterates over work-items.
    is_item_loop: IdMap<LoopId, bool>,
    /// True if the current iteration has written no memory, except private memory, where a block begins.
    is_unwritten: IdMap<Block, bool>,
}

impl ItemLoops {
    fn of(func: &Function, cfg: &Cfg, loops: &Loops, memory: &PrivateMemory, items: &[ItemIds]) -> ItemLoops {
        let mut found = ItemLoops {
            is_item_loop: IdMap::new(false),
            is_unwritten: IdMap::with_len(false, func.blocks.len()),
        };
        for counter in items.iter().filter(|items| items.covers_all_items).flat_map(ItemIds::counters) {
            let Def::Param(header, _) = func.values[counter].def else { continue };
            if let Some(id) = loops.of(header).filter(|&id| loops.get(id).header == header) {
                found.is_item_loop[id] = true;
            }
        }
        if !loops.ids().any(|id| found.is_item_loop[id]) {
            return found;
        }
        let is_inside = |block: &Block| loops.around(*block).any(|id| found.is_item_loop[id]);
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
                    loops.of(block).is_some_and(|id| found.is_item_loop[id] && loops.get(id).header == block);
                let is_left_so = |pred: &Block| found.is_unwritten[*pred] && !writing[*pred];
                let is = is_start || cfg.preds(block).iter().all(is_left_so);
                changed |= std::mem::replace(&mut found.is_unwritten[block], is) != is;
            }
            changed
        };
        if (0..MAX_SWEEPS).all(|_| sweep()) {
            inside.iter().for_each(|&block| found.is_unwritten[block] = false);
        }
        found
    }
}

/// Checks whether an instruction may write memory that is not private.
fn writes(inst: &Inst, memory: &PrivateMemory) -> bool {
    let is_private = matches!(
        memory.access(inst),
        Some(PrivateAccess::Store(_) | PrivateAccess::Zero(_) | PrivateAccess::Copy(Some(_)))
    );
    inst.op.effect() == Effect::Write && inst.op != Op::Alloca && !is_private
}

/// Returns the nearest common dominator of two blocks.
fn common_dominator(dom: &DomTree, mut a: Block, b: Block) -> Block {
    while !dom.dominates(a, b) {
        a = dom.idom(a).expect("the entry dominates all");
    }
    a
}

/// Rules for hoisting loads. Memory that a loop does not write is invariant: a write of another work-item would be
/// a data race. A hoisted load must not fault where there was none before: it is hoisted if every iteration
/// executes it and there is at least one iteration, or if it is of private memory within the bounds of the alloca.
struct LoadMotion<'a> {
    memory: &'a PrivateMemory,
    facts: &'a LoopFacts,
    items: &'a ItemLoops,
}

impl LoadMotion<'_> {
    fn is_invariant(&self, func: &Function, inst: &Inst, id: LoopId, is_always: bool) -> bool {
        if inst.is_volatile() {
            return false;
        }
        match self.memory.access(inst) {
            Some(PrivateAccess::Load(location, ty)) => {
                let exists = || {
                    let whole = self.memory.location(location.root);
                    let size = func.def_inst(location.root).map_or(0, |alloca| alloca.size_align().0);
                    whole.is_some_and(|whole| location.is_within(u64::from(ty.bytes()), whole, size))
                };
                !self.facts.written.contains(&(id, location.root)) && (is_always || exists())
            }
            _ => !self.facts.writes[id] && is_always,
        }
    }
}

struct Mover<'a> {
    func: &'a mut Function,
    dom: &'a DomTree,
    loops: &'a Loops,
    loads: LoadMotion<'a>,
    /// Innermost loop in which a value is computed, as far as it has been hoisted.
    loop_of: IdMap<Value, Option<LoopId>>,
    /// Instructions that are hoisted before each loop.
    hoisted: IdMap<LoopId, Vec<InstId>>,
    /// Loops before which constants are hoisted.
    constants: IdMap<Value, Option<LoopId>>,
    /// True if the current iteration of a work-item loop has written no memory yet.
    is_unwritten: bool,
    changed: bool,
}

impl Mover<'_> {
    fn block(&mut self, block: Block) {
        let inner = self.loops.of(block);
        for &param in &self.func.blocks[block].params {
            self.loop_of[param] = inner;
        }
        let insts = std::mem::take(&mut self.func.blocks[block].insts);
        let mut kept = Vec::with_capacity(insts.len());
        self.is_unwritten = self.loads.items.is_unwritten[block];
        for id in insts {
            self.is_unwritten = self.is_unwritten && !writes(&self.func.insts[id], self.loads.memory);
            let hoist_target = inner.and_then(|_| self.hoist_target(block, id));
            if let Some(result) = self.func.insts[id].result {
                let loop_of = hoist_target.map_or(inner, |target| self.loops.get(target).parent);
                self.loop_of[result] = loop_of;
            }
            match hoist_target {
                Some(target) => self.hoist(target, id),
                None => kept.push(id),
            }
        }
        self.func.blocks[block].insts = kept;
    }

    /// Returns the outermost loop that an instruction can be hoisted out of.
    fn hoist_target(&self, block: Block, id: InstId) -> Option<LoopId> {
        let inst = &self.func.insts[id];
        let is_load = inst.op == Op::Load;
        if is_constant(inst) || !is_load && inst.op.effect() != Effect::Pure {
            return None;
        }
        let is_expensive = is_expensive(inst.op);
        let mut hoist_target = None;
        for around in self.loops.around(block).take(MAX_LEVELS) {
            let dominates_block =
                |last: Option<Block>| last.is_some_and(|last| self.dom.dominates(block, last));
            let can_hoist = if is_load {
                let LoadMotion { facts, items, memory } = self.loads;
                let pointer = inst.args[0];
                // Writes to private memory have not been counted as writes, and a generic pointer may point there.
                let is_private =
                    self.func.ty(pointer).kind == Kind::PtrPrivate || memory.location(pointer).is_some();
                let is_read_first =
                    items.is_item_loop[around] && self.is_unwritten && !is_private && !inst.is_volatile();
                is_read_first && dominates_block(facts.latch_dominator[around])
                    || self.loads.is_invariant(
                        self.func,
                        inst,
                        around,
                        dominates_block(facts.always_executed[around]),
                    )
            } else {
                !is_expensive || dominates_block(self.loads.facts.latch_dominator[around])
            };
            if !can_hoist || inst.args.iter().any(|&arg| self.is_inside(around, arg)) {
                break;
            }
            hoist_target = Some(around);
        }
        hoist_target
    }

    /// Checks whether a value is computed in a loop and is not a constant, which would be hoisted along.
    fn is_inside(&self, id: LoopId, value: Value) -> bool {
        let Some(loop_of) = self.loop_of[value] else { return false };
        let depth = self.loops.get(id).depth;
        self.loops.get(loop_of).depth >= depth
            && self.loops.contains(id, self.loops.get(loop_of).header)
            && !self.func.def_inst(value).is_some_and(is_constant)
    }

    /// Hoists an instruction and the constants that it uses.
    fn hoist(&mut self, target: LoopId, id: InstId) {
        for arg in self.func.insts[id].args.clone() {
            let Some(loop_of) = self.loop_of[arg] else { continue };
            if let Def::Inst(constant) = self.func.values[arg].def
                && self.loops.contains(target, self.loops.get(loop_of).header)
            {
                self.loop_of[arg] = self.loops.get(target).parent;
                self.constants[arg] = Some(target);
                self.hoisted[target].push(constant);
            }
        }
        self.hoisted[target].push(id);
        self.changed = true;
    }
}

/// Checks whether an instruction has no operands, so that it is rematerialized rather than kept.
fn is_constant(inst: &Inst) -> bool {
    inst.args.is_empty() && inst.op.effect() == Effect::Pure
}

/// Returns the block before a loop: the only predecessor of the header outside the loop, with no other successor.
/// Creates it if there is none.
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
