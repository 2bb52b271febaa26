//! Loads from memory that others see, of what was loaded or stored just before.
//!
//! Within blocks and along chains of blocks with one predecessor, as `forward` does it for private memory. Another item's
//! store in between would be a data race, until the two meet: at barriers, atomics, fences and calls all is forgotten. A store
//! of the item's own forgets what it may overlap. What is remembered is bounded, so that the pass stays linear.

use std::rc::Rc;

use super::super::alias::{Overlap, overlap};
use super::super::pass_manager::PassContext;
use super::gvn;
use super::replace::Replacements;
use crate::ir::{Block, Effect, Function, Kind, Op, Type, Value};
use crate::support::IdMap;

/// Larger functions stay as they are.
const MOST_SIZE: usize = 4_000;

/// Places remembered at once; the oldest go first.
const MOST: usize = 16;

/// Bytes of what is remembered: a register. More would be kept in memory anyway.
const MOST_BYTES: u32 = 32;

/// What memory holds at an address.
#[derive(Clone, Copy)]
struct KnownLoad {
    pointer: Value,
    ty: Type,
    value: Value,
}

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let cfg = context.analyses.cfg(func);
    let same = gvn::same(func, &cfg);
    let mut replaced = Replacements::new(func);
    let mut ends: IdMap<Block, Option<Rc<Vec<KnownLoad>>>> = IdMap::with_len(None, func.blocks.len());
    for &block in cfg.rpo() {
        let mut known = match cfg.preds(block) {
            [pred] => ends[*pred].clone().map_or_else(Vec::new, Rc::unwrap_or_clone),
            _ => Vec::new(),
        };
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&id| {
            if !replaced.is_empty() {
                replaced.resolve(&mut func.insts[id]);
            }
            let inst = &func.insts[id];
            let (ty, value) = match inst.op {
                Op::Load => (inst.ty, inst.result),
                Op::Store => (func.ty(inst.args[1]), Some(inst.args[1])),
                op => {
                    let is_known = matches!(op.effect(), Effect::Pure | Effect::Read | Effect::End);
                    if !is_known && op != Op::Alloca {
                        known.clear();
                    }
                    return true;
                }
            };
            let (Some(value), pointer) = (value, inst.args[0]) else { return true };
            let is_load = inst.op == Op::Load;
            let may_keep = !inst.is_volatile()
                && ty.bytes() <= MOST_BYTES
                && !ty.is_mask()
                && func.ty(pointer).kind != Kind::PtrPrivate;
            let compared = |entry: &KnownLoad| {
                overlap(func, &|value| same[value], [(entry.pointer, entry.ty), (pointer, ty)])
            };
            if !is_load {
                known.retain(|entry| compared(entry) == Overlap::Apart);
            } else if may_keep
                && let Some(entry) = known.iter().find(|entry| compared(entry) == Overlap::Same)
            {
                replaced.set(value, entry.value);
                return false;
            }
            if may_keep {
                if known.len() == MOST {
                    known.remove(0);
                }
                known.push(KnownLoad { pointer, ty, value });
            }
            true
        });
        func.blocks[block].insts = insts;
        let hands_on = func.successors(block).any(|next| cfg.preds(next).len() == 1);
        if hands_on && !known.is_empty() {
            ends[block] = Some(Rc::new(known));
        }
    }
    replaced.apply(func);
    !replaced.is_empty()
}

/// Whether there may be loads to reuse.
pub fn may_run(func: &Function) -> bool {
    let is_far = |pointer: Value| func.ty(pointer).kind != Kind::PtrPrivate;
    let loads = func.instructions().filter(|inst| inst.op == Op::Load && is_far(inst.args[0])).count();
    let stores = func.instructions().filter(|inst| inst.op == Op::Store && is_far(inst.args[0])).count();
    func.size() <= MOST_SIZE && loads > 0 && loads + stores > 1
}
