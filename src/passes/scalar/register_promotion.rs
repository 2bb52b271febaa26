//! Promotes memory locations that a loop accesses in every iteration to registers: a location is loaded once before
//! the loop and, if the loop writes it, stored once after it. Without this, each iteration of `c[i] += a[k] * b[k]`
//! waits for the store of the previous one, and vectorized code gathers and scatters the location.
//!
//! This is register promotion (Cooper and Lu, Register Promotion in C Programs, PLDI 1997), for loop-invariant
//! addresses. No other access of the loop may alias the location: an access of another work-item would be a data
//! race, and all accesses of the work-item itself must be to the same location or to other objects. Every iteration
//! must write a location that is stored after the loop, and must read one that is only read. A loop may have no
//! iterations, in which case it does neither; then the first exit condition is evaluated before the loop:
//!
//! ```text
//! before:       brif the loop has an iteration -> load_block, start
//! load_block:   slot = load p;  jump -> start
//! start:        jump -> header            header: ... brif -> body, end
//! end:          brif the loop had an iteration -> store_block, after
//! store_block:  store slot to p;  jump -> after
//! ```
//!
//! If the loop has at least one iteration, there is no condition. The slot is private memory, which `promote` turns
//! into SSA values.

use smallvec::SmallVec;

use super::super::alias::{self, Overlap};
use super::super::loop_variant::LoopVariant;
use super::super::pass_manager::PassContext;
use super::gvn;
use super::licm::preheader;
use grus_ir::analysis::{Analyses, Cfg, DomTree, LoopId, Loops};
use grus_ir::{
    Args, Attr, Block, Builder, Effect, Function, Inst, InstId, Kind, Mem, Op, ParamFacts, Target, Type,
    Value,
};
use grus_support::{FastMap, IdMap};

/// Maximum number of instructions of a function.
// Arbitrary.
const MAX_FUNCTION_SIZE: usize = 4_000;
/// Maximum number of instructions of a loop.
// Arbitrary.
const MAX_LOOP_SIZE: usize = 1_000;

/// Maximum number of loops that are transformed.
// Arbitrary.
const MAX_LOOPS: usize = 16;

/// Maximum number of locations that are promoted in one loop.
// Arbitrary.
const MAX_LOCATIONS: usize = 8;
/// Maximum number of loads and stores of a loop, which are compared in pairs.
// Arbitrary.
const MAX_ACCESSES: usize = 64;

/// Maximum number of instructions that an address is computed from.
// Arbitrary.
const MAX_OPERATIONS: usize = 32;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let mut changed = false;
    for _ in 0..MAX_LOOPS {
        let Some(found) = find(func, &mut context.analyses) else { break };
        let (cfg, dom) = (context.analyses.cfg(func), context.analyses.dominators(func));
        write(func, &found, &cfg, &dom);
        context.changed();
        changed = true;
    }
    changed
}

/// Checks whether loops of a kernel write through one parameter and read through another, so that it helps to know
/// that these do not alias.
pub fn benefits_from_no_alias(func: &Function) -> bool {
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

/// Returns the set of parameters that a kernel may write through, as a bit mask; all bits are set if it is not
/// known.
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

/// Returns the set of parameters that point to local memory, as a bit mask. At a launch each of them is a separate
/// allocation.
pub fn local_params(func: &Function) -> u64 {
    let are_local = func.params().iter().map(|&param| func.ty(param).kind == Kind::PtrLocal);
    are_local.enumerate().take(64).fold(0, |all, (at, is_local)| all | u64::from(is_local) << at)
}

/// Marks the pointer parameters of a bit mask as `restrict`: no other parameter aliases them.
pub fn set_no_alias(func: &mut Function, params: u64) {
    let count = func.params().len();
    func.param_facts.resize(count, ParamFacts::default());
    for at in (0..count.min(64)).filter(|at| params >> at & 1 == 1) {
        let is_pointer = func.ty(func.params()[at]).kind.is_ptr();
        func.param_facts[at].is_restrict |= is_pointer;
    }
}

/// Locations of one loop to promote.
struct Promotion {
    header: Block,
    locations: Vec<PromotedLocation>,
    /// Edges that leave the loop: the block, and the index of the target.
    exits: Vec<(Block, usize)>,
    /// Index of the header's target that stays in the loop, if the loop may have no iterations.
    stay_target: Option<usize>,
    /// Values that are computed in the loop.
    variant: LoopVariant,
}

/// Memory location that is promoted.
struct PromotedLocation {
    pointer: Value,
    ty: Type,
    mem: Mem,
    loc: u32,
    accesses: Vec<InstId>,
    is_written: bool,
}

/// Load or store in a loop.
struct LoopAccess {
    id: InstId,
    block: Block,
    pointer: Value,
    ty: Type,
    is_store: bool,
}

fn find(func: &Function, analyses: &mut Analyses) -> Option<Promotion> {
    let is_not_private = |inst: &Inst| {
        matches!(inst.op, Op::Load | Op::Store) && func.ty(inst.args[0]).kind != Kind::PtrPrivate
    };
    if func.size() > MAX_FUNCTION_SIZE || !func.instructions().any(is_not_private) {
        return None;
    }
    let loops = analyses.loops(func);
    if !loops.is_reducible() || loops.ids().next().is_none() {
        return None;
    }
    let (cfg, dom) = (analyses.cfg(func), analyses.dominators(func));
    let canonical = gvn::canonical_values(func, &cfg);
    let finder = PromotionFinder { func, loops: &loops, cfg: &cfg, dom: &dom, canonical: &canonical };
    loops.ids().find_map(|id| finder.promotion(id))
}

struct PromotionFinder<'a> {
    func: &'a Function,
    loops: &'a Loops,
    cfg: &'a Cfg,
    dom: &'a DomTree,
    canonical: &'a IdMap<Value, Value>,
}

impl PromotionFinder<'_> {
    fn promotion(&self, id: LoopId) -> Option<Promotion> {
        let func = self.func;
        let header = self.loops.get(id).header;
        let blocks: Vec<Block> =
            self.cfg.rpo().iter().copied().filter(|&block| self.loops.contains(id, block)).collect();
        let accesses = self.accesses(&blocks)?;
        let variant = LoopVariant::of(func, &blocks);
        let mut exits = Vec::new();
        for &block in &blocks {
            let targets = func.terminator(block).targets.iter().enumerate();
            let leaves = targets.filter(|(_, target)| !self.loops.contains(id, target.block));
            exits.extend(leaves.map(|(at, _)| (block, at)));
        }
        let mut found = Promotion { header, locations: Vec::new(), exits, stay_target: None, variant };
        // Stores come first, because promoting them gains more.
        let stores = accesses.iter().filter(|access| access.is_store);
        for access in stores.chain(accesses.iter().filter(|access| !access.is_store)) {
            let is_known = found.locations.iter().any(|location| location.accesses.contains(&access.id));
            if found.locations.len() == MAX_LOCATIONS || is_known {
                continue;
            }
            if let Some((location, stay_target)) = self.location(id, &found, access, &accesses) {
                found.stay_target = found.stay_target.or(stay_target);
                found.locations.push(location);
            }
        }
        (!found.locations.is_empty()).then_some(found)
    }

    /// Returns the accesses of a loop, or `None` if it has other memory effects.
    fn accesses(&self, blocks: &[Block]) -> Option<Vec<LoopAccess>> {
        let size: usize = blocks.iter().map(|&block| self.func.blocks[block].insts.len()).sum();
        if size > MAX_LOOP_SIZE {
            return None;
        }
        let mut accesses = Vec::new();
        for &block in blocks {
            for &id in &self.func.blocks[block].insts {
                let inst = &self.func.insts[id];
                match inst.op {
                    Op::Load | Op::Store if inst.is_volatile() || accesses.len() == MAX_ACCESSES => {
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

    /// Returns the location of an access if it can be promoted. Also returns the index of the header's target that
    /// stays in the loop if the loop may have no iterations.
    fn location(
        &self,
        id: LoopId,
        found: &Promotion,
        first: &LoopAccess,
        accesses: &[LoopAccess],
    ) -> Option<(PromotedLocation, Option<usize>)> {
        let func = self.func;
        let is_not_private = func.ty(first.pointer).kind != Kind::PtrPrivate && !first.ty.is_mask();
        let mut budget = MAX_OPERATIONS;
        if !is_not_private || !found.variant.is_invariant(func, first.pointer, &mut budget) {
            return None;
        }
        let mut members = Vec::new();
        for access in accesses {
            // Two loads do not conflict.
            match self.overlap(access, first) {
                Overlap::Same => members.push(access),
                Overlap::Unknown if access.is_store || first.is_store => return None,
                Overlap::Unknown | Overlap::Disjoint => {}
            }
        }
        let is_written = members.iter().any(|access| access.is_store);
        if is_written && !first.is_store {
            // The stores to this location have been examined before and cannot be promoted.
            return None;
        }
        let always = members.iter().filter(|access| access.is_store == is_written).find(|access| {
            self.loops.get(id).latches.iter().all(|&latch| self.dom.dominates(access.block, latch))
        })?;
        if members.iter().all(|access| access.is_store) {
            return None;
        }
        let mut stay_target = None;
        for &(block, at) in &found.exits {
            if !self.dom.dominates(always.block, block) {
                stay_target = Some(self.first_condition(found, block, at)?);
            }
        }
        let inst = &func.insts[always.id];
        let accesses = members.iter().map(|access| access.id).collect();
        let location = PromotedLocation {
            pointer: inst.args[0],
            ty: first.ty,
            mem: inst.mem(),
            loc: inst.loc,
            accesses,
            is_written,
        };
        Some((location, stay_target))
    }

    /// Returns the index of the header's other target if `at` is the exit that is taken when the loop has no
    /// iterations.
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
        alias::overlap(self.func, &|value| self.canonical[value], [(a.pointer, a.ty), (b.pointer, b.ty)])
    }
}

/// Promotes the locations of a loop.
fn write(func: &mut Function, found: &Promotion, cfg: &Cfg, dom: &DomTree) {
    let before = preheader(func, cfg, dom, found.header);
    let initial_args: Args = func.terminator(before).targets[0].args.iter().copied().collect();
    func.blocks[before].insts.pop();
    let entry = func.entry();
    let mut slots: Vec<PromotedSlot<'_>> = Vec::new();
    // Values that are computed before the first iteration, in which the header's parameters have their initial
    // values.
    let params = func.blocks[found.header].params.iter().copied();
    let mut computed: FastMap<Value, Value> = params.zip(initial_args.iter().copied()).collect();
    for location in &found.locations {
        let attr = Attr::SizeAlign(u64::from(location.ty.bytes()), location.ty.kind.bytes());
        let slot = func.make_inst(Op::Alloca, Type::PRIVATE, Args::new(), attr, Vec::new(), 0);
        func.blocks[entry].insts.insert(0, slot);
        let slot = func.insts[slot].result.expect("an address");
        for &id in &location.accesses {
            func.insts[id].args[0] = slot;
            func.insts[id].attr = Attr::Mem(Mem::natural(location.ty));
        }
        let pointer = found.variant.before(&mut Builder::new(func, before), location.pointer, &mut computed);
        slots.push(PromotedSlot { location, slot, pointer });
    }
    let start = Target::new(found.header, &initial_args);
    let mut b = Builder::new(func, before);
    let mut first = None;
    if let Some(stay_target) = found.stay_target {
        let cond = b.func.terminator(found.header).args[0];
        let cond = found.variant.before(&mut b, cond, &mut computed);
        first = Some((cond, stay_target));
        let [load_block, start_block] = [0; 2].map(|_| b.func.add_block());
        branch(&mut b, (cond, stay_target), load_block, Target::new(start_block, &[]));
        b.switch_to(load_block);
        transfer_all(&mut b, &slots, true);
        b.jump(start_block, &[]);
        b.switch_to(start_block);
    } else {
        transfer_all(&mut b, &slots, true);
    }
    b.inst(Op::Jump, Type::VOID, &[], Attr::None, vec![start]);
    slots.retain(|slot| slot.location.is_written);
    let exits = if slots.is_empty() { &[][..] } else { &found.exits };
    for &(block, at) in exits {
        let end = b.func.add_block();
        let target = &mut b.func.terminator_mut(block).targets[at];
        let after = std::mem::replace(target, Target::new(end, &[]));
        b.switch_to(end);
        if let Some(first) = first.filter(|_| block == found.header) {
            let store_block = b.func.add_block();
            branch(&mut b, first, store_block, after.clone());
            b.switch_to(store_block);
        }
        transfer_all(&mut b, &slots, false);
        b.inst(Op::Jump, Type::VOID, &[], Attr::None, vec![after]);
    }
}

/// Branches to `taken` if the loop has a first iteration according to its condition, and to `otherwise` if not.
fn branch(b: &mut Builder<'_>, (cond, stay_target): (Value, usize), taken: Block, otherwise: Target) {
    let mut targets = vec![otherwise.clone(), otherwise];
    targets[stay_target] = Target::new(taken, &[]);
    b.inst(Op::BrIf, Type::VOID, &[cond], Attr::None, targets);
}

/// Promoted location, its slot, and its address before the loop.
struct PromotedSlot<'a> {
    location: &'a PromotedLocation,
    slot: Value,
    pointer: Value,
}

/// Loads all locations into their slots, or stores the slots to their locations.
fn transfer_all(b: &mut Builder<'_>, slots: &[PromotedSlot<'_>], loads: bool) {
    for &PromotedSlot { location, slot, pointer } in slots {
        b.loc = location.loc;
        let own = Mem::natural(location.ty);
        if loads {
            let value = b.load(location.ty, pointer, location.mem);
            b.store(value, slot, own);
        } else {
            let value = b.load(location.ty, slot, own);
            b.store(value, pointer, location.mem);
        }
    }
}
