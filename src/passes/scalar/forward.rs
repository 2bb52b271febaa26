//! Loads from private memory that hold what was stored or loaded just before, and stores that nobody reads.
//!
//! For what `promote` leaves: arrays with variable indices whose address stays here (`private.rs`). Values are handed on
//! within blocks and along chains of blocks with one predecessor, as in value numbering over extended basic blocks (Muchnick:
//! Advanced Compiler Design and Implementation, 1997, section 12.4); stores are dead if they are overwritten before the end
//! of their block, if the function ends first, or if nobody ever reads the array. What is remembered is bounded, so that the
//! pass stays linear. Equal indices must be one value, so `gvn` comes before.
//!
//! Nothing is handed on over a barrier: there it would be kept in a context array instead of its own.

use std::rc::Rc;

use super::super::pass_manager::PassContext;
use super::private_memory::{PrivateAccess, PrivateBytes, PrivateMemory};
use super::replace::Replacements;
use crate::ir::{Attr, Block, Function, InstId, Kind, Op, Type, Value};
use crate::support::{FastSet, IdMap};

/// Places remembered at once; the oldest go first.
const MOST: usize = 64;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let cfg = context.analyses.cfg(func);
    let memory = PrivateMemory::new(func, &cfg);
    if memory.is_empty() {
        return false;
    }
    let mut changed = unread(func, &memory, cfg.rpo());
    let replaced = Replacements::new(func);
    let mut forward = Forward { func, memory: &memory, replaced, changed: false };
    let mut ends: IdMap<Block, Option<Rc<Known>>> = IdMap::with_len(None, forward.func.blocks.len());
    for &block in cfg.rpo() {
        let mut known = match cfg.preds(block) {
            [pred] => ends[*pred].clone().map_or_else(Known::default, Rc::unwrap_or_clone),
            _ => Known::default(),
        };
        forward.block(block, &mut known);
        let hands_on = forward.func.successors(block).any(|next| cfg.preds(next).len() == 1);
        if hands_on && !known.entries.is_empty() {
            ends[block] = Some(Rc::new(known));
        }
    }
    changed |= forward.changed;
    let replaced = forward.replaced;
    replaced.apply(func);
    for &block in cfg.rpo() {
        changed |= overwritten(func, &memory, block);
    }
    changed
}

/// What memory holds.
#[derive(Clone, Default)]
struct Known {
    entries: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    place: PrivateBytes,
    size: u64,
    holds: Holds,
}

#[derive(Clone, Copy)]
enum Holds {
    Value(Value, Type),
    Zeros,
}

impl Known {
    fn forget(&mut self, place: PrivateBytes, size: u64) {
        self.entries.retain(|entry| !entry.place.overlaps(entry.size, place, size));
    }
    fn add(&mut self, place: PrivateBytes, size: u64, holds: Holds) {
        if self.entries.len() == MOST {
            self.entries.remove(0);
        }
        self.entries.push(Entry { place, size, holds });
    }
    /// What a load would find.
    fn find(&self, place: PrivateBytes, ty: Type) -> Option<Holds> {
        let size = u64::from(ty.bytes());
        let fits = |entry: &&Entry| match entry.holds {
            Holds::Value(_, other) => entry.place == place && (ty == other || has_bits_of(ty, other)),
            Holds::Zeros => !ty.is_vector() && place.is_within(size, entry.place, entry.size),
        };
        self.entries.iter().rev().find(fits).map(|entry| entry.holds)
    }
}

/// Whether one can be the other by a change of type.
fn has_bits_of(a: Type, b: Type) -> bool {
    a.bits() == b.bits() && a.kind != Kind::I1 && b.kind != Kind::I1
}

struct Forward<'f> {
    func: &'f mut Function,
    memory: &'f PrivateMemory,
    replaced: Replacements,
    changed: bool,
}

impl Forward<'_> {
    fn block(&mut self, block: Block, known: &mut Known) {
        let mut insts = std::mem::take(&mut self.func.blocks[block].insts);
        insts.retain(|&id| {
            if !self.replaced.is_empty() {
                self.replaced.resolve(&mut self.func.insts[id]);
            }
            let inst = &self.func.insts[id];
            if inst.op.is_group_barrier() {
                known.entries.clear();
            }
            match self.memory.access(self.func, inst) {
                None => {}
                Some(PrivateAccess::Load(place, ty)) => match known.find(place, ty) {
                    Some(holds) => return !self.load(id, holds),
                    None => {
                        let value = inst.result.expect("a load has a result");
                        known.add(place, u64::from(ty.bytes()), Holds::Value(value, ty));
                    }
                },
                Some(PrivateAccess::Store(place, ty)) => {
                    let (value, size) = (inst.args[1], u64::from(ty.bytes()));
                    known.forget(place, size);
                    known.add(place, size, Holds::Value(value, ty));
                }
                Some(PrivateAccess::Zero(place, size)) => {
                    known.forget(place, size);
                    known.add(place, size, Holds::Zeros);
                }
                Some(PrivateAccess::Copy(to, _, size)) => {
                    to.into_iter().for_each(|to| known.forget(to, size))
                }
            }
            true
        });
        self.func.blocks[block].insts = insts;
    }

    /// Takes the place of a load; true if it goes.
    fn load(&mut self, id: InstId, holds: Holds) -> bool {
        self.changed = true;
        let inst = &mut self.func.insts[id];
        match holds {
            Holds::Value(value, ty) if ty == inst.ty => {
                self.replaced.set(inst.result.expect("a load has a result"), value);
                return true;
            }
            Holds::Value(value, _) => {
                (inst.op, inst.attr) = (Op::Bitcast, Attr::None);
                inst.args = [value].as_slice().into();
            }
            Holds::Zeros => {
                inst.op = if inst.ty.kind.is_float() { Op::Fconst } else { Op::Iconst };
                inst.attr = Attr::Int(0);
                inst.args.clear();
            }
        }
        false
    }
}

/// Removes what is written to arrays that nobody reads.
fn unread(func: &mut Function, memory: &PrivateMemory, blocks: &[Block]) -> bool {
    let mut read: FastSet<Value> = FastSet::default();
    let mut written = false;
    for &block in blocks {
        for &id in &func.blocks[block].insts {
            match memory.access(func, &func.insts[id]) {
                Some(PrivateAccess::Load(place, _) | PrivateAccess::Copy(_, Some(place), _)) => {
                    read.insert(place.root);
                }
                Some(_) => written = true,
                None => {}
            }
        }
    }
    if !written {
        return false;
    }
    let mut changed = false;
    for &block in blocks {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&id| {
            let unread = match memory.access(func, &func.insts[id]) {
                Some(PrivateAccess::Store(place, _) | PrivateAccess::Zero(place, _)) => {
                    !read.contains(&place.root)
                }
                Some(PrivateAccess::Copy(Some(to), _, _)) => !read.contains(&to.root),
                _ => false,
            };
            changed |= unread;
            !unread
        });
        func.blocks[block].insts = insts;
    }
    changed
}

/// Removes stores to what is written again, or gone, before anybody reads it; seen from the end of a block.
fn overwritten(func: &mut Function, memory: &PrivateMemory, block: Block) -> bool {
    let mut later: Vec<(PrivateBytes, u64)> = Vec::new();
    // Once the function has ended nobody reads; these places are read before.
    let ends = matches!(func.terminator(block).op, Op::Ret | Op::Unreachable);
    let mut read: Vec<PrivateBytes> = Vec::new();
    let mut sizes: Vec<u64> = Vec::new();
    let mut forgot = !ends;
    let mut changed = false;
    let mut insts = std::mem::take(&mut func.blocks[block].insts);
    let mut keep = vec![true; insts.len()];
    for (at, &id) in insts.iter().enumerate().rev() {
        let (to, from, size) = match memory.access(func, &func.insts[id]) {
            None => continue,
            Some(PrivateAccess::Load(place, ty)) => (None, Some(place), u64::from(ty.bytes())),
            Some(PrivateAccess::Store(place, ty)) => (Some(place), None, u64::from(ty.bytes())),
            Some(PrivateAccess::Zero(place, size)) => (Some(place), None, size),
            Some(PrivateAccess::Copy(to, from, size)) => (to, from, size),
        };
        // A copy out of memory that others reach stays: it could fault.
        let is_copy = func.insts[id].op == Op::MemCopy;
        if let Some(to) = to {
            let again = later.iter().any(|&(place, bytes)| to.is_within(size, place, bytes));
            let gone = || !read.iter().zip(&sizes).any(|(place, &bytes)| to.overlaps(size, *place, bytes));
            if !is_copy && (again || !forgot && gone()) {
                keep[at] = false;
                changed = true;
                continue;
            }
            if later.len() < MOST {
                later.push((to, size));
            }
        }
        if let Some(from) = from {
            later.retain(|&(place, bytes)| !from.overlaps(size, place, bytes));
            forgot |= read.len() == MOST;
            if !forgot {
                read.push(from);
                sizes.push(size);
            }
        }
    }
    let mut keep = keep.into_iter();
    insts.retain(|_| keep.next().unwrap_or(true));
    func.blocks[block].insts = insts;
    changed
}
