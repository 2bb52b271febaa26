//! Derived induction variables become functions of a basic one: LLVM's loop strength reduction, undone.
//!
//! ```text
//! for (i = s, p = a + 4 * s; i < n; i += d, p += 4 * d)    becomes    for (i = s; i < n; i += d) { p = a + 4 * i; ... }
//! ```
//!
//! Passes recognize accesses that consecutive work-items make to consecutive addresses by the counter that the loop's
//! test compares: they check how it changes from one work-item to the next. Nothing is known of pointers that step on
//! their own where they begin with a sum that may wrap (`a + 4 * (long)(int)(uniform + id)`).
//!
//! A parameter of a loop header is derived if its first value is computed from the first value of a basic one by
//! additions of invariant values, shifts and multiplications by constants, and its step is that multiple of the basic
//! one's step, in each iteration. Both have 64 bits, so that the equation holds whatever wraps.

use smallvec::SmallVec;

use super::super::pass_manager::PassContext;
use super::equality::are_equal;
use super::replace::Replacements;
use grus_ir::analysis::SimpleLoop;
use grus_ir::{Block, Builder, Function, Op, Value};
use grus_support::FastSet;

/// Maximum number of parameters of a header that are looked at.
// Arbitrary.
const MAX_PARAMS: usize = 16;
/// Maximum number of operations between the first value of a counter and that of one that is derived from it.
// Arbitrary.
const MAX_OPERATIONS: usize = 6;

/// Runs on a function. Returns whether something changed.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let loops = context.analyses.loops(func);
    let steps =
        |block: Block| func.blocks[block].params.iter().filter(|&&param| func.ty(param).bits() == 64).count();
    if !loops.is_reducible() || !loops.ids().any(|id| steps(loops.get(id).header) > 1) {
        return false;
    }
    let cfg = context.analyses.cfg(func);
    let mut replaced = Replacements::new(func);
    for id in loops.ids() {
        let Some(shape) = loops.simple(func, &cfg, id) else { continue };
        let header = shape.header;
        let found = Counters::of(func, shape).derived(func, header);
        let insts = std::mem::take(&mut func.blocks[header].insts);
        let mut b = Builder::new(func, header);
        for (at, derived) in found {
            let new = derived.write(&mut b);
            replaced.set(b.func.blocks[header].params[at], new);
        }
        func.blocks[header].insts.extend(insts);
    }
    replaced.apply(func);
    !replaced.is_empty()
}

/// A parameter of a header that grows by a step.
#[derive(Clone, Copy)]
struct Counter {
    at: usize,
    start: Value,
    step: Value,
}

/// Parameters of a header that grow by steps. Steps need not be invariant: those of a derived and of its basic one are
/// compared within an iteration.
struct Counters(SmallVec<[Counter; 8]>);

impl Counters {
    fn of(func: &Function, shape: SimpleLoop) -> Counters {
        let (starts, nexts) = (shape.starts(func), shape.nexts(func));
        let counter = |(at, &param): (usize, &Value)| {
            let inst = func.def_inst(nexts[at]).filter(|inst| matches!(inst.op, Op::Iadd | Op::PtrAdd))?;
            let mine = inst.args.iter().position(|&arg| arg == param)?;
            let is_wide = func.ty(param).bits() == 64 && !func.ty(param).is_vector();
            (is_wide && (inst.op == Op::Iadd || mine == 0)).then(|| Counter {
                at,
                start: starts[at],
                step: inst.args[1 - mine],
            })
        };
        let params = func.blocks[shape.header].params.iter().enumerate().take(MAX_PARAMS);
        Counters(params.filter_map(counter).collect())
    }

    /// Returns the positions of derived parameters, and how they are computed.
    fn derived(&self, func: &Function, header: Block) -> Vec<(usize, Derived)> {
        let mut found = Vec::new();
        let mut basics: FastSet<usize> = FastSet::default();
        let mut replaced: FastSet<usize> = FastSet::default();
        for counter in &self.0 {
            for basic in &self.0 {
                let param = func.blocks[header].params[basic.at];
                if counter.at == basic.at
                    || !func.ty(param).kind.is_int()
                    || basics.contains(&counter.at)
                    || replaced.contains(&basic.at)
                {
                    continue;
                }
                let Some(derived) = Derived::of(func, counter, basic, param) else { continue };
                found.push((counter.at, derived));
                basics.insert(basic.at);
                replaced.insert(counter.at);
                break;
            }
        }
        found
    }
}

/// An operation with an invariant operand.
enum Operation {
    /// Addition of a value: an address or a number.
    Add(Value),
    Shift(u64),
    Multiply(u64),
}

/// A parameter that is a linear function of another one.
struct Derived {
    basic: Value,
    /// Operations on the basic parameter, the last one first.
    operations: SmallVec<[Operation; 4]>,
}

impl Derived {
    fn of(func: &Function, counter: &Counter, basic: &Counter, param: Value) -> Option<Derived> {
        let mut operations = SmallVec::new();
        let mut factor = 1u64;
        let mut value = counter.start;
        while !are_equal(func, value, basic.start) {
            let inst = func.def_inst(value).filter(|_| operations.len() < MAX_OPERATIONS)?;
            let &[a, b] = &inst.args[..] else { return None };
            value = match inst.op {
                Op::PtrAdd => {
                    operations.push(Operation::Add(a));
                    b
                }
                Op::Iadd if contains(func, a, basic.start, MAX_OPERATIONS) => {
                    operations.push(Operation::Add(b));
                    a
                }
                Op::Iadd => {
                    operations.push(Operation::Add(a));
                    b
                }
                Op::Shl => {
                    let by = func.as_const(b).filter(|&by| by < 64)?;
                    operations.push(Operation::Shift(by));
                    factor = factor.wrapping_mul(1 << by);
                    a
                }
                Op::Imul => {
                    let by = func.as_const(b)?;
                    operations.push(Operation::Multiply(by));
                    factor = factor.wrapping_mul(by);
                    a
                }
                _ => return None,
            };
        }
        is_multiple(func, counter.step, basic.step, factor).then_some(Derived { basic: param, operations })
    }

    /// Computes the parameter at the end of a block.
    fn write(&self, b: &mut Builder<'_>) -> Value {
        let mut value = self.basic;
        for operation in self.operations.iter().rev() {
            let ty = b.func.ty(value);
            value = match *operation {
                Operation::Add(base) if b.func.ty(base).kind.is_ptr() => b.ptr_add(base, value),
                Operation::Add(other) => b.same(Op::Iadd, &[other, value]),
                Operation::Shift(by) => {
                    let by = b.iconst(ty, by);
                    b.same(Op::Shl, &[value, by])
                }
                Operation::Multiply(by) => {
                    let by = b.iconst(ty, by);
                    b.same(Op::Imul, &[value, by])
                }
            };
        }
        value
    }
}

/// Checks whether a value is computed from another one by such operations.
fn contains(func: &Function, value: Value, other: Value, depth: usize) -> bool {
    are_equal(func, value, other)
        || depth > 0
            && func.def_inst(value).is_some_and(|inst| match inst.op {
                Op::Iadd => inst.args.iter().any(|&arg| contains(func, arg, other, depth / 2)),
                Op::Shl | Op::Imul => contains(func, inst.args[0], other, depth - 1),
                _ => false,
            })
}

/// Checks whether a step is another one times a factor, in 64 bits.
fn is_multiple(func: &Function, step: Value, of: Value, factor: u64) -> bool {
    if let (Some(step), Some(of)) = (func.as_const(step), func.as_const(of)) {
        return step == of.wrapping_mul(factor);
    }
    let is_same = |value: Value| are_equal(func, value, of);
    match func.def_inst(step).map(|inst| (inst.op, &inst.args[..])) {
        _ if factor == 1 => is_same(step),
        Some((Op::Shl, &[value, by])) => {
            let by = func.as_const(by).filter(|&by| by < 64);
            by.is_some_and(|by| factor == 1 << by) && is_same(value)
        }
        Some((Op::Imul, &[value, by])) => func.as_const(by) == Some(factor) && is_same(value),
        _ => false,
    }
}
