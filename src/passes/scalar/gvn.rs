//! Global value numbering: of several pure instructions that compute the same value, the one that dominates the
//! others stays.
//!
//! The pass walks the dominator tree with one hash table (Briggs, Cooper, Simpson: Value Numbering, 1997, section
//! 4.1; Click: Global Code Motion, Global Value Numbering, 1995). The walk visits each subtree contiguously, so an
//! entry whose block does not dominate the current one never will again: it is overwritten, and no scope has to be
//! undone. Operands of commutative ops are sorted, and comparisons swapped accordingly. Nothing is reassociated;
//! loads are handled by `redundant_loads`.

use std::hash::Hash;

use super::super::pass_manager::PassContext;
use super::replace::Replacements;
use grus_ir::analysis::Cfg;
use grus_ir::{Args, Attr, Block, Def, Effect, Function, Inst, Op, Type, Value};
use grus_support::{FastMap, IdMap};

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let dom = context.analyses.dominators(func);
    let mut replaced = Replacements::new(func);
    let mut table: FastMap<ExpressionKey, (Value, Block)> = FastMap::default();
    let mut stack = vec![func.entry()];
    while let Some(block) = stack.pop() {
        stack.extend(dom.children(block));
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&id| {
            let inst = &mut func.insts[id];
            if !replaced.is_empty() {
                replaced.resolve(inst);
            }
            let (Some(result), Some(key)) = (inst.result, ExpressionKey::of(inst)) else { return true };
            let entry = table.entry(key).or_insert((result, block));
            if entry.0 == result {
                return true;
            }
            if !dom.dominates(entry.1, block) {
                *entry = (result, block);
                return true;
            }
            replaced.set(result, entry.0);
            let (kept, no_wrap) = (entry.0, inst.no_wrap());
            if let Def::Inst(kept) = func.values[kept].def
                && let kept = &mut func.insts[kept]
                && let Attr::NoWrap(guaranteed) = kept.attr
            {
                kept.attr = guaranteed.intersection(no_wrap).attr();
            }
            false
        });
        func.blocks[block].insts = insts;
    }
    // Loop-carried arguments were visited before their definitions.
    replaced.apply(func);
    !replaced.is_empty()
}

/// Returns for each value the canonical value of its congruence class: two values with the same canonical value are
/// equal wherever both are computed.
pub(super) fn canonical_values(func: &Function, cfg: &Cfg) -> IdMap<Value, Value> {
    let mut canonical_values: IdMap<Value, Value> = IdMap::with_len(Value(0), func.values.len());
    for value in func.values.ids() {
        canonical_values[value] = value;
    }
    let mut table: FastMap<ExpressionKey, Value> = FastMap::default();
    for inst in cfg.rpo().iter().flat_map(|&block| &func.blocks[block].insts).map(|&id| &func.insts[id]) {
        let Some(result) = inst.result else { continue };
        let mut inst = inst.clone();
        inst.args.iter_mut().for_each(|arg| *arg = canonical_values[*arg]);
        if let Some(key) = ExpressionKey::of(&inst) {
            canonical_values[result] = *table.entry(key).or_insert(result);
        }
    }
    canonical_values
}

/// Properties that are equal for two instructions that compute the same value.
#[derive(PartialEq, Eq, Hash)]
struct ExpressionKey {
    op: Op,
    ty: Type,
    attr: u64,
    lanes: Option<Box<[u16]>>,
    args: Args,
}

impl ExpressionKey {
    /// Returns the key of an instruction, or `None` if it is not pure.
    fn of(inst: &Inst) -> Option<ExpressionKey> {
        if inst.op.effect() != Effect::Pure {
            return None;
        }
        let mut args = inst.args.clone();
        let swap = args.len() >= 2 && args[1] < args[0];
        let mut lanes = None;
        let attr = match &inst.attr {
            // The one that stays keeps what both guarantee.
            Attr::None | Attr::NoWrap(_) => 0,
            Attr::Int(n) => *n,
            Attr::IntCond(cond) if swap => cond.swapped() as u64,
            Attr::IntCond(cond) => *cond as u64,
            Attr::FloatCond(cond) if swap => cond.swapped() as u64,
            Attr::FloatCond(cond) => *cond as u64,
            Attr::Lanes(list) => {
                lanes = Some(list.clone());
                0
            }
            Attr::Global(global) => u64::from(global.0),
            Attr::Query(query, dim) => u64::from(*dim) << 8 | *query as u64,
            Attr::Field(field) => *field as u64,
            _ => return None,
        };
        if swap && (inst.op.is_commutative() || matches!(inst.op, Op::Icmp | Op::Fcmp)) {
            args.swap(0, 1);
        }
        Some(ExpressionKey { op: inst.op, ty: inst.ty, attr, lanes, args })
    }
}
