//! Numbers that go in steps unless one of them wraps: unsigned indices of 32 bits, `a[get_global_id(0) + n]`.
//!
//! Where such a number is made wider, it is asked once whether any lane wraps, which the first lane tells. Memory is then
//! accessed in one of two ways: in steps, or where each lane says, which is as good as never taken. For all else these
//! values vary; their lanes are computed where they are needed, since that is mostly there.

use super::order::Order;
use super::shape::{Shape, Shapes};
use super::stride::{full, signed};
use super::widen::Widener;
use crate::ir::{Attr, Function, Inst, IntCond, Kind, Op, Target, Type, Value};
use crate::support::FastMap;

/// The steps of values that have some unless a lane wraps.
pub(super) type Steps = FastMap<Value, Step>;

/// A step that is likely, and how many instructions there are from where it is made wider.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub step: i64,
    depth: u32,
}

/// The value of the first lane, how much more it is in each of the others, and whether that is so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Likely {
    pub first: Value,
    pub step: i64,
    pub is_so: Value,
}

/// Longer chains of instructions are not followed: lanes are computed anew for each block that needs them.
const MOST_DEPTH: u32 = 8;

/// Finds such values.
pub(super) fn find(func: &Function, order: &Order, shapes: &Shapes<'_>, lanes: u16) -> Steps {
    let mut found = Steps::default();
    for &block in &order.blocks {
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            let Some(result) = inst.result.filter(|&result| shapes.of(result) == Shape::Varying) else {
                continue;
            };
            if inst.ty.is_vector() {
                continue;
            }
            let of = |i: usize| match shapes.at(inst.args[i], block) {
                Shape::Stride(stride) => Some(Step { step: stride.step, depth: 0 }),
                _ if shapes.leaves(inst.args[i], block) => None,
                _ => found.get(&inst.args[i]).copied(),
            };
            let step = step(func, inst, lanes, of);
            if let Some(step) = step.filter(|step| step.step != 0 && step.depth <= MOST_DEPTH) {
                found.insert(result, step);
            }
        }
    }
    found
}

/// The step of a result, if operands have the steps that `of` says.
fn step(func: &Function, inst: &Inst, lanes: u16, of: impl Fn(usize) -> Option<Step>) -> Option<Step> {
    let constant = |i: usize| func.as_const(inst.args[i]).map(|bits| signed(inst.ty.kind, bits));
    let both = |step: Option<i64>| Some(Step { step: step?, depth: of(0)?.depth.max(of(1)?.depth) + 1 });
    let by = |factor: i64| {
        let Step { step, depth } = of(0)?;
        Some(Step { step: step.checked_mul(factor)?, depth: depth + 1 })
    };
    match inst.op {
        Op::Zext | Op::Sext => {
            let (from, Step { step, depth: 0 }) = (func.ty(inst.args[0]).kind, of(0)?) else { return None };
            let step = signed(from, step as u64);
            (from != Kind::I1).then_some(())?;
            limit(inst.op, from, step, lanes)?;
            Some(Step { step, depth: 1 })
        }
        Op::Iadd | Op::PtrAdd => both(of(0)?.step.checked_add(of(1)?.step)),
        Op::Isub => both(of(0)?.step.checked_sub(of(1)?.step)),
        Op::Imul => by(constant(1)?),
        Op::Shl => by(1i64.checked_shl(u32::try_from(constant(1)?).ok().filter(|&by| by < 32)?)?),
        _ => None,
    }
}

/// What the first lane must be compared with so that no lane wraps, as bits, and how.
fn limit(op: Op, kind: Kind, step: i64, lanes: u16) -> Option<(IntCond, u64)> {
    let last = step.unsigned_abs().checked_mul(u64::from(lanes) - 1)?;
    let all = full(kind);
    if last > all >> 1 {
        return None;
    }
    Some(match (op == Op::Sext, step > 0) {
        (false, true) => (IntCond::Ule, all - last),
        (false, false) => (IntCond::Uge, last),
        (true, true) => (IntCond::Sle, (all >> 1) - last),
        (true, false) => (IntCond::Sge, (all ^ all >> 1) + last),
    })
}

impl Widener<'_, '_> {
    /// Notes the first lane of a value that goes in steps unless a lane wraps; says whether it is one.
    pub(super) fn note_likely(&mut self, inst: &Inst) -> bool {
        let Some(result) = inst.result else { return false };
        let Some(&Step { step, .. }) = self.source.likely.get(&result) else { return false };
        let mut is_so = None;
        let mut args = Vec::new();
        for &arg in &inst.args {
            if let Some(known) = self.likely.get(&arg).copied() {
                args.push(known.first);
                is_so = Some(match is_so {
                    Some(other) if other != known.is_so => self.b.same(Op::And, &[other, known.is_so]),
                    _ => known.is_so,
                });
            } else {
                args.push(self.scalar(arg));
            }
        }
        let is_so = match is_so {
            Some(is_so) => is_so,
            None => {
                let from = self.b.func.ty(args[0]);
                let (cond, bits) = limit(inst.op, from.kind, step, self.lanes).expect("asked before");
                let bits = self.b.iconst(from, bits);
                self.b.icmp(cond, args[0], bits)
            }
        };
        let first = self.b.value(inst.op, inst.ty, &args, inst.attr.clone());
        self.likely.insert(result, Likely { first, step, is_so });
        true
    }

    /// What is likely of an address, as the current block sees it.
    pub(super) fn likely_at(&self, pointer: Value) -> Option<Likely> {
        let leaves = self.source.shapes.leaves(pointer, self.here);
        self.likely.get(&pointer).copied().filter(|_| !leaves)
    }

    /// All lanes of a value that likely goes in steps, whether it does or not.
    pub(super) fn lanes_of_likely(&mut self, value: Value) -> Value {
        let inst = self.source.func.def_inst(value).expect("no parameter is one");
        let args: Vec<Value> = inst.args.iter().map(|&arg| self.vector(arg)).collect();
        let ty = self.wide(inst.ty);
        let op = if inst.op == Op::PtrAdd { Op::Iadd } else { inst.op };
        self.b.value(op, ty, &args, Attr::None)
    }

    /// Writes both ways of an access, what is likely first; what they load is the result.
    pub(super) fn either_way(
        &mut self,
        is_so: Value,
        mut access: impl FnMut(&mut Self, bool) -> Option<Value>,
    ) -> Option<Value> {
        let [so, not, after] = [(); 3].map(|()| self.b.func.add_block());
        let ways = vec![Target::new(so, &[]), Target::new(not, &[])];
        self.b.inst(Op::BrIf, Type::VOID, &[is_so], Attr::None, ways);
        let mut result = None;
        for (block, is_so) in [(so, true), (not, false)] {
            self.b.switch_to(block);
            let made = access(self, is_so);
            let given: Vec<Value> = made.into_iter().collect();
            self.b.jump(after, &given);
            result = made.map(|value| self.b.func.ty(value));
        }
        self.cold.insert(not);
        self.b.switch_to(after);
        result.map(|ty| self.b.func.add_param(after, ty))
    }
}
