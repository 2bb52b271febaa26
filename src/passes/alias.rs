//! What is known of addresses without knowing what the arguments are: which cannot be in one object, and how far others are
//! apart.

use smallvec::SmallVec;

use crate::ir::interp::signed;
use crate::ir::{Attr, Def, Function, Inst, Kind, Op, Type, Value};

/// Additions that are looked through on the way to an object.
const MOST_ADDED: usize = 16;

/// Whether two addresses are known to be in different objects.
pub(in crate::passes) fn are_apart(func: &Function, a: Value, b: Value) -> bool {
    let [a, b] = [a, b].map(|pointer| object(func, pointer));
    let [kind_a, kind_b] = [a, b].map(|object| func.ty(object).kind);
    if kind_a != kind_b {
        return kind_a != Kind::PtrGeneric && kind_b != Kind::PtrGeneric;
    }
    if a == b {
        return false;
    }
    let is_made = |value: Value| {
        let op = func.def_inst(value).map(|inst| inst.op);
        matches!(op, Some(Op::Alloca | Op::LocalAddr | Op::GlobalAddr))
    };
    let is_alone = |value: Value| match param(func, value) {
        Some(at) => Some(func.param_facts.get(at).is_some_and(|facts| facts.is_restrict)),
        None => is_made(value).then_some(false),
    };
    match (is_alone(a), is_alone(b)) {
        (Some(a_alone), Some(b_alone)) => {
            a_alone || b_alone || is_made(a) && is_made(b) && !names_one(func, a, b)
        }
        _ => false,
    }
}

/// Whether two values are the address of one variable.
fn names_one(func: &Function, a: Value, b: Value) -> bool {
    match (func.def_inst(a), func.def_inst(b)) {
        (Some(a), Some(b)) => a.op == b.op && a.op != Op::Alloca && a.attr == b.attr,
        _ => false,
    }
}

/// What an address was before numbers were added; not far.
fn object(func: &Function, pointer: Value) -> Value {
    let mut object = pointer;
    for _ in 0..MOST_ADDED {
        let Some(Inst { op: Op::PtrAdd, args, .. }) = func.def_inst(object) else { break };
        object = args[0];
    }
    object
}

/// The position of a parameter of the function.
fn param(func: &Function, value: Value) -> Option<usize> {
    match func.values[value].def {
        Def::Param(block, at) if block == func.entry() => Some(at as usize),
        _ => None,
    }
}

/// How two accesses are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::passes) enum Overlap {
    /// The same bytes, as the same type.
    Same,
    /// No byte of one is one of the other.
    Apart,
    Unknown,
}

/// How accesses of these types at these addresses are to each other, both in the same turn of all loops.
pub(in crate::passes) fn overlap(
    func: &Function,
    same: &dyn Fn(Value) -> Value,
    [(a, ty_a), (b, ty_b)]: [(Value, Type); 2],
) -> Overlap {
    let [sum_a, sum_b] = [a, b].map(|pointer| Sum::of(func, pointer, &|_| None, same));
    if sum_a.terms == sum_b.terms {
        let distance = sum_b.constant.wrapping_sub(sum_a.constant);
        let [of_a, of_b] = [ty_a, ty_b].map(|ty| i64::from(ty.bytes()));
        return match distance {
            0 if ty_a == ty_b => Overlap::Same,
            _ if distance >= of_a || distance <= -of_b => Overlap::Apart,
            _ => Overlap::Unknown,
        };
    }
    if are_apart(func, a, b) { Overlap::Apart } else { Overlap::Unknown }
}

/// How a value changes from one to the next, which sums and constant factors put together.
pub(in crate::passes) trait Change: Sized {
    /// The change of a sum, or with `sign` -1 of a difference.
    fn plus(self, other: Self, sign: i64) -> Option<Self>;
    fn times(self, by: i64) -> Option<Self>;
}

impl Change for i64 {
    fn plus(self, other: i64, sign: i64) -> Option<i64> {
        self.checked_add(other.checked_mul(sign)?)
    }

    fn times(self, by: i64) -> Option<i64> {
        self.checked_mul(by)
    }
}

/// How a value changes, modulo the widths that it is computed in, if it is put together from what is `known`.
pub(in crate::passes) fn change<C: Change>(
    func: &Function,
    value: Value,
    known: &impl Fn(Value) -> Option<C>,
    budget: &mut usize,
) -> Option<C> {
    if let Some(known) = known(value) {
        return Some(known);
    }
    *budget = budget.checked_sub(1)?;
    let inst = func.def_inst(value)?;
    let mut of = |at: usize| change(func, inst.args[at], known, budget);
    let constant = |at: usize| {
        let number = func.as_const_of_lanes(inst.args[at])?;
        Some(signed(func.ty(inst.args[at]).kind.bits(), number))
    };
    match inst.op {
        Op::Iadd | Op::PtrAdd => of(0)?.plus(of(1)?, 1),
        Op::Isub => of(0)?.plus(of(1)?, -1),
        Op::Imul if constant(1).is_some() => of(0)?.times(constant(1)?),
        Op::Imul if constant(0).is_some() => of(1)?.times(constant(0)?),
        Op::Shl => {
            let by = constant(1).filter(|by| (0..16).contains(by))?;
            of(0)?.times(1 << by)
        }
        Op::Sext | Op::Zext | Op::Trunc
            if !func.ty(inst.args[0]).is_mask() && func.ty(inst.args[0]).bits() > 1 =>
        {
            of(0)
        }
        Op::Splat => of(0),
        _ => None,
    }
}

/// The largest unsigned number of a kind.
pub(in crate::passes) fn full(kind: Kind) -> u64 {
    u64::MAX >> (64 - kind.bits().clamp(1, 64))
}

/// A value as it goes into a sum: as it is, or made wider before.
type Leaf = (Option<Op>, Value);

/// `value * times + ...`, sorted, with every value once.
pub(in crate::passes) type Terms = SmallVec<[(Leaf, i64); 4]>;

/// A number taken apart.
pub(in crate::passes) struct Sum<'f> {
    func: &'f Function,
    /// The largest number that a value is known to be.
    bound: &'f dyn Fn(Value) -> Option<u64>,
    /// One value of those that are the same.
    same: &'f dyn Fn(Value) -> Value,
    pub terms: Terms,
    pub constant: i64,
    /// Instructions that may still be looked at.
    left: u32,
}

impl<'f> Sum<'f> {
    /// Instructions that are looked at for one.
    const MOST: u32 = 16;

    /// Takes an address, or a number of 64 bits, apart.
    pub(in crate::passes) fn of(
        func: &'f Function,
        value: Value,
        bound: &'f dyn Fn(Value) -> Option<u64>,
        same: &'f dyn Fn(Value) -> Value,
    ) -> Sum<'f> {
        let mut sum = Sum { func, bound, same, terms: Terms::new(), constant: 0, left: Sum::MOST };
        sum.add(None, value, 1);
        sum.terms.retain(|&mut (_, times)| times != 0);
        sum.terms.sort_unstable_by_key(|&((op, value), times)| (value, op.map(|op| op as u8), times));
        sum
    }

    /// Adds a value times a constant; `widened` says by what it is made wider first.
    fn add(&mut self, widened: Option<Op>, value: Value, times: i64) {
        let ty = self.func.ty(value);
        if let Some(bits) = self.func.as_const(value) {
            let number = if widened == Some(Op::Zext) { bits as i64 } else { signed(ty.kind.bits(), bits) };
            self.constant = self.constant.wrapping_add(number.wrapping_mul(times));
            return;
        }
        let inst = self.func.def_inst(value).filter(|_| self.left > 0);
        self.left = self.left.saturating_sub(1);
        let Some(inst) = inst.filter(|inst| inst.op == Op::PtrAdd || self.keeps(widened, inst)) else {
            return self.leaf(widened, value, times);
        };
        let constant = |i: usize| self.func.as_const(inst.args[i]).map(|bits| signed(ty.kind.bits(), bits));
        match inst.op {
            Op::Iadd | Op::PtrAdd | Op::Or | Op::Xor => {
                self.add(widened, inst.args[0], times);
                self.add(widened, inst.args[1], times);
            }
            Op::Isub => {
                self.add(widened, inst.args[0], times);
                self.add(widened, inst.args[1], times.wrapping_neg());
            }
            Op::Imul => match constant(1) {
                Some(by) => self.add(widened, inst.args[0], times.wrapping_mul(by)),
                None => self.leaf(widened, value, times),
            },
            Op::Shl => match constant(1).filter(|by| (0..i64::from(ty.kind.bits())).contains(by)) {
                Some(by) => self.add(widened, inst.args[0], times.wrapping_shl(by as u32)),
                None => self.leaf(widened, value, times),
            },
            // What fits is the same by whichever way.
            Op::Sext | Op::Zext if widened.is_none() => self.add(Some(inst.op), inst.args[0], times),
            _ => self.leaf(widened, value, times),
        }
    }

    /// Whether what an instruction computes is the same if its operands are made wider first.
    fn keeps(&self, widened: Option<Op>, inst: &Inst) -> bool {
        let all = full(inst.ty.kind);
        let most = if widened == Some(Op::Sext) { all >> 1 } else { all };
        let is_bounded = inst.result.and_then(self.bound).is_some_and(|max| max <= most);
        match inst.op {
            // Bits that are in no lane, which only what goes in steps tells.
            Op::Or | Op::Xor => is_bounded && self.func.as_const(inst.args[1]).is_some(),
            _ if widened.is_none() => true,
            _ if widened == Some(Op::Sext) && inst.attr == Attr::NoSignedWrap => true,
            Op::Isub => false,
            _ => is_bounded,
        }
    }

    fn leaf(&mut self, widened: Option<Op>, value: Value, times: i64) {
        let leaf = (widened, (self.same)(value));
        match self.terms.iter_mut().find(|(other, _)| *other == leaf) {
            Some((_, all)) => *all = all.wrapping_add(times),
            None => self.terms.push((leaf, times)),
        }
    }
}
