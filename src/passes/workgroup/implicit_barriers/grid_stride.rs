//! Detection of kernels that consist of one grid-stride loop whose iterations could be separate work-items.
//!
//! If such a kernel is launched over few work-items, each thread gets short segments of memory, or one thread
//! gets them all. If iterations are independent, the launch may use as many work-items as there are
//! iterations instead (`exec::grid_stride` checks the arguments). They are independent if every access
//! advances by its stride in each iteration, and none touches memory that another iteration writes; if only
//! the counter is carried between iterations; and if the ids and the size of the range are used for nothing
//! else.

use super::find::{CandidateLoop, Next};
use grus_ir::abi::{GridStride, Iterations, Param, StridedArray};
use grus_ir::analysis::Analyses;
use grus_ir::interp::signed;
use grus_ir::{Block, Def, Effect, Function, Inst, IntCond, Kind, Op, Query, Value};

/// Maximum number of operations in an address.
// Arbitrary.
const MAX_OPERATIONS: usize = 32;

/// A kernel that is a grid-stride loop. Its parameters lie in the argument block as `params` says.
pub struct GridStrideKernel {
    pub iterations: Iterations,
    /// The loop, if its iterations could be separate work-items.
    pub grid_stride: Option<GridStride>,
}

/// Returns the loop if the kernel is one.
pub fn find(func: &Function, params: &[Param]) -> Option<GridStrideKernel> {
    let mut analyses = Analyses::default();
    let (loops, cfg) = (analyses.loops(func), analyses.cfg(func));
    let mut ids = loops.ids();
    let (Some(id), None) = (ids.next(), ids.next()) else { return None };
    let blocks: Vec<Block> = cfg.rpo().iter().copied().filter(|&block| loops.contains(id, block)).collect();
    let candidate = CandidateLoop::of(func, &loops, &cfg, id, &blocks)?;
    let kernel = Kernel { func, params };
    kernel.is_the_loop(&candidate).then_some(())?;
    let [Next::Step(step)] = candidate.params[..] else { return None };
    let counter = func.blocks[candidate.shape.header].params[0];
    let start = candidate.shape.starts(func)[0];
    (kernel.query(start) == Some(Query::GlobalId) && kernel.query(step) == Some(Query::GlobalSize))
        .then_some(())?;
    let [exit] = candidate.exits[..] else { return None };
    let is_first = exit.block == candidate.shape.header && matches!(exit.cond, IntCond::Slt | IntCond::Ult);
    is_first.then_some(())?;
    kernel.has_no_other_queries(counter, start, step).then_some(())?;
    let iterations = Iterations { bound: kernel.number(exit.bound)?, is_signed: exit.is_signed };
    let mut arrays =
        Arrays { kernel: &kernel, counter, found: Vec::new(), max_iterations: i64::from(i32::MAX) / 2 };
    let mut insts = candidate.blocks.iter().flat_map(|&block| &func.blocks[block].insts);
    let are_known = insts.all(|&id| arrays.record(&func.insts[id]).is_some());
    let is_disjoint = |array: &StridedArray| !array.is_written || array.end - array.begin <= array.stride;
    let are_independent = are_known && arrays.found.iter().all(is_disjoint);
    let grid_stride = are_independent.then(|| GridStride {
        iterations,
        max_iterations: arrays.max_iterations as u64,
        arrays: arrays.found.into(),
    });
    Some(GridStrideKernel { iterations, grid_stride })
}

struct Kernel<'f> {
    func: &'f Function,
    params: &'f [Param],
}

impl Kernel<'_> {
    /// Checks whether all work-items enter the loop and nothing has an effect outside of it.
    fn is_the_loop(&self, candidate: &CandidateLoop) -> bool {
        let func = self.func;
        let is_quiet = |inst: &Inst| matches!(inst.op.effect(), Effect::Pure | Effect::End);
        let outside = func.layout.iter().filter(|block| !candidate.blocks.contains(block));
        let mut outside = outside.flat_map(|&block| &func.blocks[block].insts).map(|&id| &func.insts[id]);
        candidate.shape.entering == func.entry()
            && func.terminator(candidate.shape.entering).op == Op::Jump
            && outside.all(is_quiet)
    }

    /// Strips conversions of width, which do not change the small numbers that are considered.
    fn strip_conversions(&self, mut value: Value) -> Value {
        while let Some(inst) = self.func.def_inst(value)
            && matches!(inst.op, Op::Sext | Op::Zext | Op::Trunc)
            && inst.ty.bits() >= 32
        {
            value = inst.args[0];
        }
        value
    }

    /// Returns the query of the first dimension that a value is the result of.
    fn query(&self, value: Value) -> Option<Query> {
        let inst =
            self.func.def_inst(self.strip_conversions(value)).filter(|inst| inst.op == Op::WorkItem)?;
        let (query, dim) = inst.query();
        (dim == 0).then_some(query)
    }

    /// Checks whether ids and sizes are used for the counter only.
    fn has_no_other_queries(&self, counter: Value, start: Value, step: Value) -> bool {
        let known = [start, step];
        let is_next = |inst: &Inst| {
            inst.op == Op::Iadd
                && inst.args.iter().any(|&arg| self.strip_conversions(arg) == counter)
                && inst.args.contains(&step)
        };
        self.func.instructions().all(|inst| {
            if inst.op == Op::WorkItem {
                return inst.result.is_some_and(|result| {
                    known.iter().any(|&value| self.strip_conversions(value) == result)
                });
            }
            let is_query = |value: Value| self.query(value).is_some();
            match inst.op {
                Op::Sext | Op::Zext | Op::Trunc if inst.ty.bits() >= 32 => true,
                Op::Jump => inst.uses().all(|value| !is_query(value) || value == start),
                _ => !inst.uses().any(is_query) || is_next(inst),
            }
        })
    }

    /// Returns the offset of an integer parameter in the argument block, and its size in bytes.
    fn number(&self, value: Value) -> Option<(u32, u32)> {
        let extended = self.func.def_inst(value).filter(|inst| matches!(inst.op, Op::Sext | Op::Zext));
        let value = extended.map_or(value, |inst| inst.args[0]);
        let bytes = self.func.ty(value).bytes();
        let (array_offset, _) = self.parameter(value)?;
        (self.func.ty(value).kind.is_int() && bytes >= 4).then_some((array_offset, bytes))
    }

    /// Returns the offset of a parameter in the argument block, and its kind.
    fn parameter(&self, value: Value) -> Option<(u32, Kind)> {
        let Def::Param(block, at) = self.func.values[value].def else { return None };
        let Param::Value(offset) = *self.params.get(at as usize)? else { return None };
        (block == self.func.entry()).then_some((offset, self.func.ty(value).kind))
    }
}

/// Affine function of the iteration: `stride * i + begin`.
#[derive(Clone, Copy)]
struct Affine {
    stride: i64,
    begin: i64,
}

impl Affine {
    fn plus(self, other: Affine, sign: i64) -> Option<Affine> {
        let stride = self.stride.checked_add(other.stride.checked_mul(sign)?)?;
        Some(Affine { stride, begin: self.begin.checked_add(other.begin.checked_mul(sign)?)? })
    }

    fn times(self, by: i64) -> Option<Affine> {
        Some(Affine { stride: self.stride.checked_mul(by)?, begin: self.begin.checked_mul(by)? })
    }
}

/// Arrays that a loop accesses.
struct Arrays<'k> {
    kernel: &'k Kernel<'k>,
    counter: Value,
    found: Vec<StridedArray>,
    /// Maximum number of iterations for which the analyzed computations are exact.
    max_iterations: i64,
}

impl Arrays<'_> {
    /// Records the access of an instruction; none if it is not affine or the instruction has other effects.
    fn record(&mut self, inst: &Inst) -> Option<()> {
        let func = self.kernel.func;
        let is_written = inst.op == Op::Store;
        match inst.op {
            Op::Load | Op::Store if !inst.is_volatile() => {}
            op => return matches!(op.effect(), Effect::Pure | Effect::End).then_some(()),
        }
        let mut budget = MAX_OPERATIONS;
        let (array_offset, at) = self.array_offset(inst.args[0], &mut budget)?;
        let bytes = i64::from(if is_written { func.ty(inst.args[1]) } else { inst.ty }.bytes());
        let (stride, begin, end) = (at.stride, at.begin, at.begin.checked_add(bytes)?);
        (stride >= 0 && stride.checked_mul(self.max_iterations)?.checked_add(end).is_some()).then_some(())?;
        match self.found.iter_mut().find(|known| known.offset == array_offset) {
            Some(known) => {
                (known.stride == stride).then_some(())?;
                known.begin = known.begin.min(begin);
                known.end = known.end.max(end);
                known.is_written |= is_written;
            }
            None => self.found.push(StridedArray { offset: array_offset, stride, begin, end, is_written }),
        }
        Some(())
    }

    /// Returns the parameter that an address is based on, and the affine offset from it.
    fn array_offset(&mut self, pointer: Value, budget: &mut usize) -> Option<(u32, Affine)> {
        *budget = budget.checked_sub(1)?;
        match self.kernel.func.def_inst(pointer) {
            None => {
                let (array_offset, kind) = self.kernel.parameter(pointer)?;
                let is_far = matches!(kind, Kind::PtrGlobal | Kind::PtrConstant);
                is_far.then_some((array_offset, Affine { stride: 0, begin: 0 }))
            }
            Some(inst) if inst.op == Op::PtrAdd => {
                let (array_offset, base) = self.array_offset(inst.args[0], budget)?;
                let bytes = self.affine(inst.args[1], budget)?;
                Some((array_offset, base.plus(bytes, 1)?))
            }
            Some(_) => None,
        }
    }

    /// Returns an integer as an affine function of the counter, which is exact up to `max_iterations` iterations.
    fn affine(&mut self, value: Value, budget: &mut usize) -> Option<Affine> {
        *budget = budget.checked_sub(1)?;
        let func = self.kernel.func;
        let ty = func.ty(value);
        if value == self.counter {
            return Some(Affine { stride: 1, begin: 0 });
        }
        let inst = func.def_inst(value).filter(|_| !ty.is_vector() && ty.bits() >= 32)?;
        let constant = |at: usize| Some(signed(func.ty(inst.args[at]).bits(), func.as_const(inst.args[at])?));
        let found = match inst.op {
            Op::Iconst => Affine { stride: 0, begin: signed(ty.bits(), inst.int()) },
            Op::Sext | Op::Trunc => self.affine(inst.args[0], budget)?,
            Op::Zext => {
                let is_small = |inner: &Affine| inner.stride >= 0 && inner.begin >= 0;
                // The difference of unsigned numbers that does not wrap is not negative.
                let is_difference = func.def_inst(inst.args[0]).is_some_and(|inner| {
                    inner.op == Op::Isub
                        && inner.no_wrap().unsigned
                        && func.as_const(inner.args[1]).is_some_and(|by| signed(inner.ty.bits(), by) >= 0)
                });
                self.affine(inst.args[0], budget).filter(|inner| is_small(inner) || is_difference)?
            }
            Op::Iadd | Op::Isub => {
                let [a, b] = [0, 1].map(|at| self.affine(inst.args[at], budget));
                a?.plus(b?, if inst.op == Op::Iadd { 1 } else { -1 })?
            }
            Op::Imul => match (constant(0), constant(1)) {
                (_, Some(by)) => self.affine(inst.args[0], budget)?.times(by)?,
                (Some(by), _) => self.affine(inst.args[1], budget)?.times(by)?,
                _ => return None,
            },
            Op::Shl => {
                let by = constant(1).filter(|by| (0..31).contains(by))?;
                self.affine(inst.args[0], budget)?.times(1 << by)?
            }
            _ => return None,
        };
        if ty.bits() == 32 {
            let slack = i64::from(i32::MAX).checked_sub(found.begin.checked_abs()?)?;
            self.max_iterations = self
                .max_iterations
                .min(slack.checked_div(found.stride.checked_abs()?).unwrap_or(self.max_iterations));
            (slack >= 0).then_some(())?;
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grus_ir::parse_module;

    /// Returns the grid-stride loop found in a loop over two arrays. Arguments: the counter's first query,
    /// the code before the store, and the store's address.
    fn found(start: &str, code: &str, to: &str) -> Option<GridStride> {
        let text = format!(
            "func f0 \"k\" void kernel {{
b0(v0: ptr.global, v1: ptr.global, v2: i32):
    v3 = workitem.i64 {start} 0
    v4 = trunc.i32 v3
    jump -> b1(v4)
b1(v5: i32):
    v6 = icmp.i1 slt v5, v2
    brif v6 -> b2, b3
b2():
    v7 = sext.i64 v5
    v8 = iconst.i64 0x4
    v9 = imul.i64 v7, v8
    v10 = ptradd.ptr.global v0, v9
    v11 = load.i32 align 4 v10
{code}
    store align 4 {to}, v11
    v12 = workitem.i64 global_size 0
    v13 = iadd.i64 v7, v12
    v14 = trunc.i32 v13
    jump -> b1(v14)
b3():
    ret
}}"
        );
        let module = parse_module(&text).expect("it is text of the IR");
        let func = module.funcs.values().next().expect("one function");
        find(func, &[Param::Value(0), Param::Value(8), Param::Value(16)])?.grid_stride
    }

    const OTHER: &str = "    v20 = ptradd.ptr.global v1, v9";

    #[test]
    fn arrays_are_found() {
        let found = found("global_id", OTHER, "v20").expect("turns do not depend on each other");
        let array = |offset, is_written| StridedArray { offset, stride: 4, begin: 0, end: 4, is_written };
        assert_eq!(found.iterations, Iterations { bound: (16, 4), is_signed: true });
        assert_eq!(found.arrays[..], [array(0, false), array(8, true)]);
        assert_eq!(found.max_iterations, (1 << 30) - 1);
    }

    #[test]
    fn what_depends_on_other_iterations_stays() {
        let none = |start: &str, code: &str, to: &str| assert_eq!(found(start, code, to), None, "{code}");
        // Counted by another query; indexed by the id instead of the counter; stored one element ahead of the
        // load; stored to one place in all iterations.
        none("local_id", OTHER, "v20");
        none("global_id", "    v20 = ptradd.ptr.global v1, v3", "v20");
        none(
            "global_id",
            "    v19 = iconst.i64 0x4\n    v18 = iadd.i64 v9, v19\n    v20 = ptradd.ptr.global v0, v18",
            "v20",
        );
        none("global_id", "", "v1");
        // Indexed by a loaded value.
        none("global_id", "    v19 = sext.i64 v11\n    v20 = ptradd.ptr.global v1, v19", "v20");
    }

    #[test]
    fn a_difference_that_does_not_wrap_is_affine() {
        let begin = |difference: &str| {
            let code = format!(
                "    v20 = iconst.i32 0x1\n    v21 = {difference} v5, v20\n    v22 = zext.i64 v21\n    \
                v23 = imul.i64 v22, v8\n    v24 = ptradd.ptr.global v1, v23"
            );
            found("global_id", &code, "v24").map(|found| found.arrays[1].begin)
        };
        assert_eq!(begin("isub.i32 nuw"), Some(-4));
        assert_eq!(begin("isub.i32 nsw"), None);
        assert_eq!(begin("iadd.i32"), Some(4));
    }
}
