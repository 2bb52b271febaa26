//! Specialization for stride arguments that are one.
//!
//! In `x[i * incx]` work-items gather adjacent elements, because `incx` is not known before the launch: BLAS and
//! array libraries pass a stride for each vector and matrix. It is almost always one. A launch with such an
//! argument (`compile/specialize.rs`) uses a variant of the kernel in which the parameter is the constant one.
//! LLVM's loop versioning tests this at run time instead, once per loop.

use super::super::pass_manager::PassContext;
use super::super::scalar::replace::Replacements;
use grus_ir::{Args, Attr, Function, Inst, Op, Query, Value};
use grus_support::{FastMap, FastSet};

/// Maximum number of parameters that are examined, which is the number of bits of the mask.
// Source: number of bits of the mask.
const MAX_PARAMS: usize = 64;

/// Maximum number of sweeps that propagate ids through loops; divergent values that are found later are missed.
// Arbitrary.
const MAX_SWEEPS: usize = 4;

/// Returns the set of parameters that are multiplied by divergent values, as a bit mask of positions.
pub fn find(func: &Function) -> u64 {
    let positions: FastMap<Value, usize> =
        func.params().iter().enumerate().take(MAX_PARAMS).map(|(at, &param)| (param, at)).collect();
    let factor = |value: Value| positions.get(&without_conversions(func, value)).copied();
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
    let divergent = divergent(func);
    let found = products.iter().filter(|(_, other)| divergent.contains(other));
    found.fold(0, |all, &(at, _)| all | 1 << at)
}

/// Replaces the parameters of the context's bit mask by one.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let is_one = |at: usize| at < MAX_PARAMS && context.facts.unit_strides >> at & 1 == 1;
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

/// Looks through integer conversions.
fn without_conversions(func: &Function, mut value: Value) -> Value {
    while let Some(inst) = func.def_inst(value)
        && matches!(inst.op, Op::Sext | Op::Zext | Op::Trunc)
    {
        value = inst.args[0];
    }
    value
}

/// Returns values that are computed from ids of work-items by the ops that compute indices.
fn divergent(func: &Function) -> FastSet<Value> {
    let mut found: FastSet<Value> = FastSet::default();
    for _ in 0..MAX_SWEEPS {
        let before = found.len();
        for inst in func.instructions() {
            let is_divergent = match inst.op {
                Op::WorkItem => matches!(inst.query().0, Query::GlobalId | Query::LocalId),
                Op::Iadd | Op::Isub | Op::Imul | Op::Shl | Op::Sext | Op::Zext | Op::Trunc | Op::Select => {
                    inst.args.iter().any(|arg| found.contains(arg))
                }
                _ => false,
            };
            found.extend(inst.result.filter(|_| is_divergent));
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
