//! Places in memory that a loop reads in each turn are carried through it in registers: read once before it, and if turns write
//! there written once behind it. `c[i] += a[k] * b[k]` waits in each turn for what the turn before has stored, and lanes gather
//! and scatter it.
//!
//! It is register promotion (Cooper and Lu, Register Promotion in C Programs, PLDI 1997), of addresses that no turn changes.
//! Nothing else in the loop may get there: another item's access would be a data race, and of the item's own all must be
//! at the same place, or in another object. Every turn must write what is written behind the loop, and read what is only read; a
//! loop that has no turn does neither, which its first condition says:
//!
//! ```text
//! before:  brif the first turn is taken -> fill, start
//! fill:    slot = load p;  jump -> start
//! start:   jump -> header            header: ... brif -> turn, end
//! end:     brif the first turn was taken -> spill, after
//! spill:   store slot to p;  jump -> after
//! ```
//! Where all turns are taken there is no condition. The slot is private memory, of which `promote` makes values.

use smallvec::SmallVec;

use super::super::alias::{self, Overlap};
use super::super::loop_variant::LoopVariant;
use super::super::pass_manager::PassContext;
use super::gvn;
use super::licm::preheader;
use crate::ir::analysis::{Analyses, Cfg, DomTree, LoopId, Loops};
use crate::ir::{
    Args, Attr, Block, Builder, Effect, Function, Inst, InstId, Kind, Mem, Op, ParamFacts, Target, Type,
    Value,
};
use crate::support::{FastMap, IdMap};

/// Larger functions and loops stay as they are.
const MOST_SIZE: usize = 4_000;
const MOST_IN_LOOP: usize = 1_000;

/// Loops that places are carried through.
const MOST_LOOPS: usize = 16;

/// Places that one loop carries, and accesses of it that are compared with each.
const MOST_PLACES: usize = 8;
const MOST_ACCESSES: usize = 64;

/// Instructions that an address is made of.
const MOST_OPERATIONS: usize = 32;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let mut changed = false;
    for _ in 0..MOST_LOOPS {
        let Some(found) = find(func, &mut context.analyses) else { break };
        let (cfg, dom) = (context.analyses.cfg(func), context.analyses.dominators(func));
        write(func, &found, &cfg, &dom);
        context.changed();
        changed = true;
    }
    changed
}

/// Whether loops of a kernel write to where one parameter leads and read where another does, so that it is of use to know that
/// these are apart.
pub fn wants_no_alias(func: &Function) -> bool {
    let mut analyses = Analyses::default();
    let loops = analyses.loops(func);
    if loops.ids().next().is_none() {
        return false;
    }
    let (mut read, mut written): (SmallVec<[Value; 8]>, SmallVec<[Value; 8]>) = Default::default();
    for &block in func.layout.iter().filter(|&&block| loops.depth(block) > 0) {
        for inst in func.blocks[block].insts.iter().map(|&id| &func.insts[id]) {
            let list = match inst.op {
                Op::Load => &mut read,
                Op::Store => &mut written,
                _ => continue,
            };
            if let Some(param) = func.root(inst.args[0]).filter(|param| !list.contains(param)) {
                list.push(param);
            }
        }
    }
    written.iter().any(|at| read.iter().any(|other| other != at))
}

/// The parameters that a kernel may write to, a bit for each; all of them if that is not known.
pub fn written_params(func: &Function) -> u64 {
    let mut written = 0;
    for inst in func.instructions().filter(|inst| inst.op.effect() == Effect::Write) {
        let to = match inst.op {
            Op::Alloca | Op::Barrier | Op::Fence | Op::ImageStore => continue,
            Op::Store | Op::MemZero | Op::MemCopy | Op::AtomicRmw | Op::AtomicCas | Op::AtomicStore => {
                inst.args[0]
            }
            Op::AtomicLoad => continue,
            _ => return u64::MAX,
        };
        if matches!(func.ty(to).kind, Kind::PtrPrivate | Kind::PtrLocal) {
            continue;
        }
        match func.root(to).and_then(|root| func.params().iter().position(|&param| param == root)) {
            Some(at) if at < 64 => written |= 1 << at,
            _ => return u64::MAX,
        }
    }
    written
}

/// The arguments in local memory, a bit for each: of a kernel that is launched each is memory of its own.
pub fn local_params(func: &Function) -> u64 {
    let are_local = func.params().iter().map(|&param| func.ty(param).kind == Kind::PtrLocal);
    are_local.enumerate().take(64).fold(0, |all, (at, is_local)| all | u64::from(is_local) << at)
}

/// Notes that what these parameters lead to, a bit for each, no other leads to.
pub fn set_apart(func: &mut Function, params: u64) {
    let count = func.params().len();
    func.param_facts.resize(count, ParamFacts::default());
    for at in (0..count.min(64)).filter(|at| params >> at & 1 == 1) {
        let is_pointer = func.ty(func.params()[at]).kind.is_ptr();
        func.param_facts[at].is_restrict |= is_pointer;
    }
}

/// What a loop carries.
struct Promotion {
    header: Block,
    places: Vec<PromotedLocation>,
    /// Edges out of the loop.
    exits: Vec<(Block, usize)>,
    /// If there may be no turn: which target of the header stays in the loop.
    stays: Option<usize>,
    /// Values that are computed in the loop.
    inside: LoopVariant,
}

/// One place.
struct PromotedLocation {
    pointer: Value,
    ty: Type,
    mem: Mem,
    loc: u32,
    accesses: Vec<InstId>,
    is_written: bool,
}

/// A load or store.
struct LoopAccess {
    id: InstId,
    block: Block,
    pointer: Value,
    ty: Type,
    is_store: bool,
}

fn find(func: &Function, analyses: &mut Analyses) -> Option<Promotion> {
    let is_far = |inst: &Inst| {
        matches!(inst.op, Op::Load | Op::Store) && func.ty(inst.args[0]).kind != Kind::PtrPrivate
    };
    if func.size() > MOST_SIZE || !func.instructions().any(is_far) {
        return None;
    }
    let loops = analyses.loops(func);
    if !loops.is_reducible() || loops.ids().next().is_none() {
        return None;
    }
    let (cfg, dom) = (analyses.cfg(func), analyses.dominators(func));
    let same = gvn::same(func, &cfg);
    let finder = PromotionFinder { func, loops: &loops, cfg: &cfg, dom: &dom, same: &same };
    loops.ids().find_map(|id| finder.look_at(id))
}

struct PromotionFinder<'a> {
    func: &'a Function,
    loops: &'a Loops,
    cfg: &'a Cfg,
    dom: &'a DomTree,
    same: &'a IdMap<Value, Value>,
}

impl PromotionFinder<'_> {
    fn look_at(&self, id: LoopId) -> Option<Promotion> {
        let func = self.func;
        let header = self.loops.get(id).header;
        let blocks: Vec<Block> =
            self.cfg.rpo().iter().copied().filter(|&block| self.loops.contains(id, block)).collect();
        let accesses = self.accesses(&blocks)?;
        let inside = LoopVariant::of(func, &blocks);
        let mut exits = Vec::new();
        for &block in &blocks {
            let targets = func.terminator(block).targets.iter().enumerate();
            let leaves = targets.filter(|(_, target)| !self.loops.contains(id, target.block));
            exits.extend(leaves.map(|(at, _)| (block, at)));
        }
        let mut found = Promotion { header, places: Vec::new(), exits, stays: None, inside };
        // What is written first: it gains more.
        let stores = accesses.iter().filter(|access| access.is_store);
        for access in stores.chain(accesses.iter().filter(|access| !access.is_store)) {
            let is_known = found.places.iter().any(|place| place.accesses.contains(&access.id));
            if found.places.len() == MOST_PLACES || is_known {
                continue;
            }
            if let Some((place, stays)) = self.place(id, &found, access, &accesses) {
                found.stays = found.stays.or(stays);
                found.places.push(place);
            }
        }
        (!found.places.is_empty()).then_some(found)
    }

    /// The accesses of a loop; none if it does anything else to memory.
    fn accesses(&self, blocks: &[Block]) -> Option<Vec<LoopAccess>> {
        let size: usize = blocks.iter().map(|&block| self.func.blocks[block].insts.len()).sum();
        if size > MOST_IN_LOOP {
            return None;
        }
        let mut accesses = Vec::new();
        for &block in blocks {
            for &id in &self.func.blocks[block].insts {
                let inst = &self.func.insts[id];
                match inst.op {
                    Op::Load | Op::Store if inst.is_volatile() || accesses.len() == MOST_ACCESSES => {
                        return None;
                    }
                    Op::Load | Op::Store => {
                        let is_store = inst.op == Op::Store;
                        let ty = if is_store { self.func.ty(inst.args[1]) } else { inst.ty };
                        accesses.push(LoopAccess { id, block, pointer: inst.args[0], ty, is_store });
                    }
                    Op::ImageLoad => {}
                    op if matches!(op.effect(), Effect::Pure | Effect::End) => {}
                    _ => return None,
                }
            }
        }
        Some(accesses)
    }

    /// The place of an access, if it can be carried, and which target of the header stays in the loop if there may be no turn.
    fn place(
        &self,
        id: LoopId,
        found: &Promotion,
        first: &LoopAccess,
        accesses: &[LoopAccess],
    ) -> Option<(PromotedLocation, Option<usize>)> {
        let func = self.func;
        let is_far = func.ty(first.pointer).kind != Kind::PtrPrivate && !first.ty.is_mask();
        let mut budget = MOST_OPERATIONS;
        if !is_far || !found.inside.is_invariant(func, first.pointer, &mut budget) {
            return None;
        }
        let mut members = Vec::new();
        for access in accesses {
            // Two that read are in nobody's way.
            match self.overlap(access, first) {
                Overlap::Same => members.push(access),
                Overlap::Unknown if access.is_store || first.is_store => return None,
                Overlap::Unknown | Overlap::Apart => {}
            }
        }
        let is_written = members.iter().any(|access| access.is_store);
        if is_written && !first.is_store {
            // Its stores have been looked at, and cannot be carried.
            return None;
        }
        let always = members.iter().filter(|access| access.is_store == is_written).find(|access| {
            self.loops.get(id).latches.iter().all(|&latch| self.dom.dominates(access.block, latch))
        })?;
        if members.iter().all(|access| access.is_store) {
            return None;
        }
        let mut stays = None;
        for &(block, at) in &found.exits {
            if !self.dom.dominates(always.block, block) {
                stays = Some(self.first_condition(found, block, at)?);
            }
        }
        let inst = &func.insts[always.id];
        let accesses = members.iter().map(|access| access.id).collect();
        let place = PromotedLocation {
            pointer: inst.args[0],
            ty: first.ty,
            mem: inst.mem(),
            loc: inst.loc,
            accesses,
            is_written,
        };
        Some((place, stays))
    }

    /// The other target of the header, if this is the one by which a loop has no turn.
    fn first_condition(&self, found: &Promotion, block: Block, at: usize) -> Option<usize> {
        let insts = &self.func.blocks[block].insts;
        let is_pure = |&id: &InstId| matches!(self.func.insts[id].op.effect(), Effect::Pure | Effect::End);
        let is_first = block == found.header
            && self.func.terminator(block).op == Op::BrIf
            && found.exits.iter().filter(|exit| exit.0 == block).count() == 1
            && insts.iter().all(is_pure);
        is_first.then_some(1 - at)
    }

    fn overlap(&self, a: &LoopAccess, b: &LoopAccess) -> Overlap {
        alias::overlap(self.func, &|value| self.same[value], [(a.pointer, a.ty), (b.pointer, b.ty)])
    }
}

/// Carries the places through their loop.
fn write(func: &mut Function, found: &Promotion, cfg: &Cfg, dom: &DomTree) {
    let before = preheader(func, cfg, dom, found.header);
    let starts: Args = func.terminator(before).targets[0].args.iter().copied().collect();
    func.blocks[before].insts.pop();
    let entry = func.entry();
    let mut carried: Vec<Carried<'_>> = Vec::new();
    // What is computed before the first turn, for which the header's parameters are what they begin with.
    let params = func.blocks[found.header].params.iter().copied();
    let mut made: FastMap<Value, Value> = params.zip(starts.iter().copied()).collect();
    for place in &found.places {
        let attr = Attr::SizeAlign(u64::from(place.ty.bytes()), place.ty.kind.bytes());
        let slot = func.make_inst(Op::Alloca, Type::PRIVATE, Args::new(), attr, Vec::new(), 0);
        func.blocks[entry].insts.insert(0, slot);
        let slot = func.insts[slot].result.expect("an address");
        for &id in &place.accesses {
            func.insts[id].args[0] = slot;
            func.insts[id].attr = Attr::Mem(Mem::natural(place.ty));
        }
        let pointer = found.inside.before(&mut Builder::new(func, before), place.pointer, &mut made);
        carried.push(Carried { place, slot, pointer });
    }
    let start = Target::new(found.header, &starts);
    let mut b = Builder::new(func, before);
    let mut first = None;
    if let Some(stays) = found.stays {
        let cond = b.func.terminator(found.header).args[0];
        let cond = found.inside.before(&mut b, cond, &mut made);
        first = Some((cond, stays));
        let [fill, go] = [0; 2].map(|_| b.func.add_block());
        branch(&mut b, (cond, stays), fill, Target::new(go, &[]));
        b.switch_to(fill);
        move_all(&mut b, &carried, true);
        b.jump(go, &[]);
        b.switch_to(go);
    } else {
        move_all(&mut b, &carried, true);
    }
    b.inst(Op::Jump, Type::VOID, &[], Attr::None, vec![start]);
    carried.retain(|carried| carried.place.is_written);
    let exits = if carried.is_empty() { &[][..] } else { &found.exits };
    for &(block, at) in exits {
        let end = b.func.add_block();
        let target = &mut b.func.terminator_mut(block).targets[at];
        let after = std::mem::replace(target, Target::new(end, &[]));
        b.switch_to(end);
        if let Some(first) = first.filter(|_| block == found.header) {
            let spill = b.func.add_block();
            branch(&mut b, first, spill, after.clone());
            b.switch_to(spill);
        }
        move_all(&mut b, &carried, false);
        b.inst(Op::Jump, Type::VOID, &[], Attr::None, vec![after]);
    }
}

/// Goes to a block if the first turn is taken, as a condition and the target for it say, and else elsewhere.
fn branch(b: &mut Builder<'_>, (cond, stays): (Value, usize), taken: Block, otherwise: Target) {
    let mut targets = vec![otherwise.clone(), otherwise];
    targets[stays] = Target::new(taken, &[]);
    b.inst(Op::BrIf, Type::VOID, &[cond], Attr::None, targets);
}

/// A place, its slot and its address before the loop.
struct Carried<'a> {
    place: &'a PromotedLocation,
    slot: Value,
    pointer: Value,
}

/// Fills all slots, or writes what they hold.
fn move_all(b: &mut Builder<'_>, carried: &[Carried<'_>], fills: bool) {
    for &Carried { place, slot, pointer } in carried {
        b.loc = place.loc;
        let own = Mem::natural(place.ty);
        if fills {
            let value = b.load(place.ty, pointer, place.mem);
            b.store(value, slot, own);
        } else {
            let value = b.load(place.ty, slot, own);
            b.store(value, pointer, place.mem);
        }
    }
}
