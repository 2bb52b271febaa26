//! Strides that are arguments, and one.
//!
//! `x[i * incx]` has items gather what lies side by side, since nobody knows `incx` before the launch: BLAS and array libraries
//! pass a stride for each vector and matrix. Almost always it is one. A launch says so (`compile/specialize.rs`), and has
//! code in which such parameters are constants. LLVM's loop versioning asks at run time instead, once for each loop.

use super::super::pass_manager::PassContext;
use super::super::scalar::replace::Replacements;
use crate::ir::{Args, Attr, Function, Inst, Op, Query, Value};
use crate::support::{FastMap, FastSet};

/// Parameters that are looked at: there is a bit for each.
const MOST: usize = 64;

/// Sweeps that follow ids through loops; what comes later is not found.
const SWEEPS: usize = 4;

/// The parameters that are factors of what differs from item to item, a bit for each position.
pub fn find(func: &Function) -> u64 {
    let positions: FastMap<Value, usize> =
        func.params().iter().enumerate().take(MOST).map(|(at, &param)| (param, at)).collect();
    let factor = |value: Value| positions.get(&extended(func, value)).copied();
    let is_product = |inst: &&Inst| inst.op == Op::Imul && !inst.ty.is_vector();
    let mut products: Vec<(usize, Value)> = Vec::new();
    for inst in func.instructions().filter(is_product) {
        for (param, other) in [(0, 1), (1, 0)] {
            products.extend(factor(inst.args[param]).map(|at| (at, inst.args[other])));
        }
    }
    if products.is_empty() {
        return 0;
    }
    let differing = differing(func);
    let found = products.iter().filter(|(_, other)| differing.contains(other));
    found.fold(0, |all, &(at, _)| all | 1 << at)
}

/// Makes these parameters one.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let is_one = |at: usize| at < MOST && context.unit_strides >> at & 1 == 1;
    let entry = func.entry();
    let mut replaced = Replacements::new(func);
    let params: Vec<Value> =
        func.params().iter().enumerate().filter(|&(at, _)| is_one(at)).map(|(_, &param)| param).collect();
    for param in params {
        let ty = func.ty(param);
        let id = func.make_inst(Op::Iconst, ty, Args::new(), Attr::Int(1), Vec::new(), 0);
        func.blocks[entry].insts.insert(0, id);
        replaced.set(param, func.insts[id].result.expect("a constant"));
    }
    replaced.apply(func);
    !replaced.is_empty()
}

/// A number as it was before it was made wider or narrower.
fn extended(func: &Function, mut value: Value) -> Value {
    while let Some(inst) = func.def_inst(value)
        && matches!(inst.op, Op::Sext | Op::Zext | Op::Trunc)
    {
        value = inst.args[0];
    }
    value
}

/// Numbers that are put together from ids of items, by what indices are made of.
fn differing(func: &Function) -> FastSet<Value> {
    let mut found: FastSet<Value> = FastSet::default();
    for _ in 0..SWEEPS {
        let before = found.len();
        for inst in func.instructions() {
            let is_put_together = match inst.op {
                Op::WorkItem => matches!(inst.query().0, Query::GlobalId | Query::LocalId),
                Op::Iadd | Op::Isub | Op::Imul | Op::Shl | Op::Sext | Op::Zext | Op::Trunc | Op::Select => {
                    inst.args.iter().any(|arg| found.contains(arg))
                }
                _ => false,
            };
            found.extend(inst.result.filter(|_| is_put_together));
            for target in &inst.targets {
                let params = &func.blocks[target.block].params;
                let pairs = params.iter().zip(&target.args);
                found.extend(
                    pairs.filter(|(_, arg)| found.contains(arg)).map(|(&p, _)| p).collect::<Vec<_>>(),
                );
            }
        }
        if found.len() == before {
            break;
        }
    }
    found
}
