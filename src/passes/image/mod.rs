//! Images: kernels made for the formats and samplers of their arguments, and what is left of
//! image operations as plain ones.
//!
//! A kernel is specialised before the group pass, since there the parameters still are what they are. The functions of
//! the library that tell modes and formats apart are inlined only then; all but a few operations of them goes. After the
//! group pass [`expand`] writes out reads and writes of texels. Where nothing is known the same operations
//! are calls of the runtime library, with the same results.

mod expand;
mod texel;

use super::pass_manager::PassContext;
use crate::image::{ArgumentKey, Format};
use crate::ir::{Attr, Builder, Function, Inst, Op, Type, Value};
use crate::support::{FastMap, IdMap};

pub use expand::expand;

/// Puts in what is known of images and samplers.
pub fn specialize(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let mut formats = FastMap::default();
    let mut samplers = Vec::new();
    for &(index, known) in context.known {
        let param = func.params()[index];
        match known {
            ArgumentKey::Image(format) => {
                formats.insert(param, format);
            }
            ArgumentKey::Sampler(bits) => samplers.push((param, bits)),
        }
    }
    let fixed = fix(func, &samplers);
    fold_queries(func, &formats) || fixed
}

/// Replaces parameters by constants. Returns whether any was used.
fn fix(func: &mut Function, values: &[(Value, u32)]) -> bool {
    let is_meant = |used: Value| values.iter().any(|&(param, _)| param == used);
    if !func.instructions().flat_map(Inst::uses).any(is_meant) {
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

/// Answers what formats answer. Returns whether there was a question.
fn fold_queries(func: &mut Function, formats: &FastMap<Value, Format>) -> bool {
    let mut changed = false;
    for inst in func.insts.values_mut() {
        let Some(&format) = inst.args.first().and_then(|image| formats.get(image)) else { continue };
        match (inst.op, &inst.attr) {
            (Op::ImageQuery, Attr::Field(field)) => {
                if let Some(answer) = field.of_format(format) {
                    (inst.op, inst.attr) = (Op::Iconst, Attr::Int(u64::from(answer)));
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
