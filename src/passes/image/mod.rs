//! Image support: specialization of kernels for the formats and samplers of their arguments, and expansion of the
//! remaining image operations.
//!
//! A kernel is specialized before the work-group pass, because its parameters are still unchanged there. The
//! library functions that distinguish modes and formats are inlined only then, and most of their code folds away.
//! After the work-group pass, [`mod@expand`] emits loads and stores of texels. If a format is not known, the same
//! operations are calls of the runtime library, with the same results.

mod expand;
mod texel;

use super::pass_manager::PassContext;
use grus_ir::image::{ArgumentKey, Format};
use grus_ir::{Attr, Builder, Function, Inst, Op, Type, Value};
use grus_support::{FastMap, IdMap};

pub use expand::expand;

/// Substitutes the known formats and samplers.
pub fn specialize(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let mut formats = FastMap::default();
    let mut samplers = Vec::new();
    for &(index, known) in context.facts.images {
        let param = func.params()[index];
        match known {
            ArgumentKey::Image(format) => {
                formats.insert(param, format);
            }
            ArgumentKey::Sampler(bits) => samplers.push((param, bits)),
        }
    }
    let substituted = substitute_samplers(func, &samplers);
    fold_queries(func, &formats) || substituted
}

/// Replaces parameters by constants. Returns whether any was used.
fn substitute_samplers(func: &mut Function, values: &[(Value, u32)]) -> bool {
    let is_known = |used: Value| values.iter().any(|&(param, _)| param == used);
    if !func.instructions().flat_map(Inst::uses).any(is_known) {
        return false;
    }
    let entry = func.entry();
    let rest = std::mem::take(&mut func.blocks[entry].insts);
    let mut constants: IdMap<Value, Option<Value>> = IdMap::with_len(None, func.values.len());
    for &(param, bits) in values {
        let constant = Builder::new(func, entry).iconst(Type::I32, u64::from(bits));
        constants[param] = Some(constant);
    }
    func.blocks[entry].insts.extend(rest);
    for inst in func.insts.values_mut() {
        for arg in inst.uses_mut() {
            *arg = constants[*arg].unwrap_or(*arg);
        }
    }
    true
}

/// Folds queries that a format answers, and sets the formats of accesses. Returns whether anything changed.
fn fold_queries(func: &mut Function, formats: &FastMap<Value, Format>) -> bool {
    let mut changed = false;
    for inst in func.insts.values_mut() {
        let Some(&format) = inst.args.first().and_then(|image| formats.get(image)) else { continue };
        match (inst.op, &inst.attr) {
            (Op::ImageQuery, Attr::Field(field)) => {
                if let Some(value) = field.of_format(format) {
                    (inst.op, inst.attr) = (Op::Iconst, Attr::Int(u64::from(value)));
                    inst.args.clear();
                    changed = true;
                }
            }
            (Op::ImageLoad | Op::ImageStore, attr) if *attr != Attr::Format(Some(format)) => {
                inst.attr = Attr::Format(Some(format));
                changed = true;
            }
            _ => {}
        }
    }
    changed
}
