//! Redundant load elimination for memory that is not private.
//!
//! Values are forwarded within blocks and along chains of blocks with one predecessor, as in value numbering over
//! extended basic blocks (Muchnick: Advanced Compiler Design and Implementation, 1997, section 12.4). A store of
//! another work-item in between would be a data race unless the two synchronize: at barriers, atomics, fences and
//! calls all knowledge is dropped. A store of the work-item itself drops the locations that it may overlap. The
//! number of known locations is bounded, so that the pass is linear.

use std::rc::Rc;

use super::super::alias::{Overlap, overlap};
use super::super::pass_manager::PassContext;
use super::gvn;
use super::replace::Replacements;
use grus_ir::{Block, Effect, Function, Kind, Op, Type, Value};
use grus_support::IdMap;

/// Maximum number of instructions of a function.
// Arbitrary.
const MAX_FUNCTION_SIZE: usize = 4_000;

/// Maximum number of locations that are known at once; the oldest ones are dropped.
// Arbitrary.
const MAX_KNOWN: usize = 16;

/// Maximum size of a forwarded value: one vector register. Larger values would be spilled to memory anyway.
// Source: size of a 256-bit register.
const MAX_BYTES: u32 = 32;

/// Known contents of memory at an address.
#[derive(Clone, Copy)]
struct KnownLoad {
    pointer: Value,
    ty: Type,
    value: Value,
}

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let cfg = context.analyses.cfg(func);
    let canonical = gvn::canonical_values(func, &cfg);
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
            let is_eligible = !inst.is_volatile()
                && ty.bytes() <= MAX_BYTES
                && !ty.is_mask()
                && func.ty(pointer).kind != Kind::PtrPrivate;
            let overlap_with = |entry: &KnownLoad| {
                overlap(func, &|value| canonical[value], [(entry.pointer, entry.ty), (pointer, ty)])
            };
            if !is_load {
                known.retain(|entry| overlap_with(entry) == Overlap::Disjoint);
            } else if is_eligible
                && let Some(entry) = known.iter().find(|entry| overlap_with(entry) == Overlap::Same)
            {
                replaced.set(value, entry.value);
                return false;
            }
            if is_eligible {
                if known.len() == MAX_KNOWN {
                    known.remove(0);
                }
                known.push(KnownLoad { pointer, ty, value });
            }
            true
        });
        func.blocks[block].insts = insts;
        let is_used_later = func.successors(block).any(|next| cfg.preds(next).len() == 1);
        if is_used_later && !known.is_empty() {
            ends[block] = Some(Rc::new(known));
        }
    }
    replaced.apply(func);
    !replaced.is_empty()
}

/// Checks whether a function may have loads to eliminate.
pub fn may_run(func: &Function) -> bool {
    let is_not_private = |pointer: Value| func.ty(pointer).kind != Kind::PtrPrivate;
    let loads =
        func.instructions().filter(|inst| inst.op == Op::Load && is_not_private(inst.args[0])).count();
    let stores =
        func.instructions().filter(|inst| inst.op == Op::Store && is_not_private(inst.args[0])).count();
    func.size() <= MAX_FUNCTION_SIZE && loads > 0 && loads + stores > 1
}
