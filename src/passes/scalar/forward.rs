//! Store-to-load forwarding and dead store elimination in private memory.
//!
//! The pass handles allocas that `promote` leaves: arrays with variable indices whose address does not escape
//! (`private_memory`). Values are forwarded within blocks and along chains of blocks with one predecessor, as in
//! value numbering over extended basic blocks (Muchnick: Advanced Compiler Design and Implementation, 1997, section
//! 12.4). A store is dead if it is overwritten before the end of its block, if the function ends first, or if the
//! array is never read. The number of known locations is bounded, so that the pass is linear. Equal indices must be
//! the same value, so `gvn` runs before.
//!
//! Nothing is forwarded across a barrier: the value would have to be kept in a context array of its own.

use std::rc::Rc;

use super::super::pass_manager::PassContext;
use super::private_memory::{PrivateAccess, PrivateBytes, PrivateMemory};
use super::replace::Replacements;
use crate::ir::{Attr, Block, Function, InstId, Kind, Op, Type, Value};
use crate::support::{FastSet, IdMap};

/// Maximum number of locations that are known at once; the oldest ones are dropped.
// Arbitrary.
const MAX_KNOWN: usize = 64;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let cfg = context.analyses.cfg(func);
    let memory = PrivateMemory::new(func, &cfg);
    if memory.is_empty() {
        return false;
    }
    let mut changed = remove_unread(func, &memory, cfg.rpo());
    let replaced = Replacements::new(func);
    let mut forward = Forward { func, memory: &memory, replaced, changed: false };
    let mut ends: IdMap<Block, Option<Rc<Known>>> = IdMap::with_len(None, forward.func.blocks.len());
    for &block in cfg.rpo() {
        let mut known = match cfg.preds(block) {
            [pred] => ends[*pred].clone().map_or_else(Known::default, Rc::unwrap_or_clone),
            _ => Known::default(),
        };
        forward.block(block, &mut known);
        let is_used_later = forward.func.successors(block).any(|next| cfg.preds(next).len() == 1);
        if is_used_later && !known.entries.is_empty() {
            ends[block] = Some(Rc::new(known));
        }
    }
    changed |= forward.changed;
    let replaced = forward.replaced;
    replaced.apply(func);
    for &block in cfg.rpo() {
        changed |= remove_overwritten(func, &memory, block);
    }
    changed
}

/// Known contents of memory.
#[derive(Clone, Default)]
struct Known {
    entries: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    location: PrivateBytes,
    size: u64,
    holds: Holds,
}

#[derive(Clone, Copy)]
enum Holds {
    Value(Value, Type),
    Zeros,
}

impl Known {
    fn forget(&mut self, location: PrivateBytes, size: u64) {
        self.entries.retain(|entry| !entry.location.overlaps(entry.size, location, size));
    }
    fn add(&mut self, location: PrivateBytes, size: u64, holds: Holds) {
        if self.entries.len() == MAX_KNOWN {
            self.entries.remove(0);
        }
        self.entries.push(Entry { location, size, holds });
    }
    /// Returns the contents that a load would read.
    fn find(&self, location: PrivateBytes, ty: Type) -> Option<Holds> {
        let size = u64::from(ty.bytes());
        let fits = |entry: &&Entry| match entry.holds {
            Holds::Value(_, other) => entry.location == location && (ty == other || has_bits_of(ty, other)),
            Holds::Zeros => !ty.is_vector() && location.is_within(size, entry.location, entry.size),
        };
        self.entries.iter().rev().find(fits).map(|entry| entry.holds)
    }
}

/// Checks whether a value of one type can be converted to the other by a bitcast.
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
                Some(PrivateAccess::Load(location, ty)) => match known.find(location, ty) {
                    Some(holds) => return !self.load(id, holds),
                    None => {
                        let value = inst.result.expect("a load has a result");
                        known.add(location, u64::from(ty.bytes()), Holds::Value(value, ty));
                    }
                },
                Some(PrivateAccess::Store(location, ty)) => {
                    let (value, size) = (inst.args[1], u64::from(ty.bytes()));
                    known.forget(location, size);
                    known.add(location, size, Holds::Value(value, ty));
                }
                Some(PrivateAccess::Zero(location, size)) => {
                    known.forget(location, size);
                    known.add(location, size, Holds::Zeros);
                }
                Some(PrivateAccess::Copy(to, _, size)) => {
                    to.into_iter().for_each(|to| known.forget(to, size))
                }
            }
            true
        });
        self.func.blocks[block].insts = insts;
    }

    /// Replaces a load. Returns true if the load is to be removed, false if it has become another instruction.
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

/// Removes stores to arrays that are never read.
fn remove_unread(func: &mut Function, memory: &PrivateMemory, blocks: &[Block]) -> bool {
    let mut read: FastSet<Value> = FastSet::default();
    let mut written = false;
    for &block in blocks {
        for &id in &func.blocks[block].insts {
            match memory.access(func, &func.insts[id]) {
                Some(PrivateAccess::Load(location, _) | PrivateAccess::Copy(_, Some(location), _)) => {
                    read.insert(location.root);
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
            let is_unread = match memory.access(func, &func.insts[id]) {
                Some(PrivateAccess::Store(location, _) | PrivateAccess::Zero(location, _)) => {
                    !read.contains(&location.root)
                }
                Some(PrivateAccess::Copy(Some(to), _, _)) => !read.contains(&to.root),
                _ => false,
            };
            changed |= is_unread;
            !is_unread
        });
        func.blocks[block].insts = insts;
    }
    changed
}

/// Removes stores that are overwritten, or whose function ends, before they are read. Walks backwards from the end
/// of a block.
fn remove_overwritten(func: &mut Function, memory: &PrivateMemory, block: Block) -> bool {
    let mut later: Vec<(PrivateBytes, u64)> = Vec::new();
    // If the block ends the function, only these later reads keep a store alive.
    let ends = matches!(func.terminator(block).op, Op::Ret | Op::Unreachable);
    let mut read: Vec<PrivateBytes> = Vec::new();
    let mut sizes: Vec<u64> = Vec::new();
    let mut has_unknown_reads = !ends;
    let mut changed = false;
    let mut insts = std::mem::take(&mut func.blocks[block].insts);
    let mut keep = vec![true; insts.len()];
    for (at, &id) in insts.iter().enumerate().rev() {
        let (to, from, size) = match memory.access(func, &func.insts[id]) {
            None => continue,
            Some(PrivateAccess::Load(location, ty)) => (None, Some(location), u64::from(ty.bytes())),
            Some(PrivateAccess::Store(location, ty)) => (Some(location), None, u64::from(ty.bytes())),
            Some(PrivateAccess::Zero(location, size)) => (Some(location), None, size),
            Some(PrivateAccess::Copy(to, from, size)) => (to, from, size),
        };
        // A copy from memory that is not private is kept, because it could fault.
        let is_copy = func.insts[id].op == Op::MemCopy;
        if let Some(to) = to {
            let is_overwritten = later.iter().any(|&(location, bytes)| to.is_within(size, location, bytes));
            let is_unread =
                || !read.iter().zip(&sizes).any(|(location, &bytes)| to.overlaps(size, *location, bytes));
            if !is_copy && (is_overwritten || !has_unknown_reads && is_unread()) {
                keep[at] = false;
                changed = true;
                continue;
            }
            if later.len() < MAX_KNOWN {
                later.push((to, size));
            }
        }
        if let Some(from) = from {
            later.retain(|&(location, bytes)| !from.overlaps(size, location, bytes));
            has_unknown_reads |= read.len() == MAX_KNOWN;
            if !has_unknown_reads {
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
