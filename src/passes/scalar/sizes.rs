//! Sizes of work-groups that are known are constants: loops over them can be unrolled, indices be computed ahead.

use crate::ir::{Attr, Function, Op};
use crate::passes::pipeline::Context;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut Context<'_>) -> bool {
    let mut changed = false;
    for inst in func.insts.values_mut().filter(|inst| inst.op == Op::WorkItem) {
        let (query, dim) = inst.query();
        if let Some(known) = context.range.query(query, dim) {
            (inst.op, inst.attr) = (Op::Iconst, Attr::Int(known));
            changed = true;
        }
    }
    changed
}
