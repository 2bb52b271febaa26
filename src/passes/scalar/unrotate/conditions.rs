//! Conditions of branches, and what one says about another.

use smallvec::SmallVec;

use super::super::equality::are_equal;
use crate::alias::full;
use grus_ir::interp::signed;
use grus_ir::{Function, IntCond, Op, Type, Value};

/// Maximum number of conditions that one truth value is split into.
// Arbitrary.
const MAX_CONDITIONS: usize = 16;

/// A condition of a branch.
#[derive(Clone, Copy, Debug)]
pub(super) enum Condition {
    Compare(IntCond, Value, Value),
    /// Any other truth value, and the value that it must have.
    Other(Value, bool),
}

impl Condition {
    pub(super) fn operands(self) -> SmallVec<[Value; 2]> {
        match self {
            Condition::Compare(_, a, b) => SmallVec::from_slice(&[a, b]),
            Condition::Other(value, _) => SmallVec::from_slice(&[value]),
        }
    }
}

/// Splits a truth value into conditions that hold together if and only if it is `holds`.
pub(super) fn conjunction(func: &Function, value: Value, holds: bool) -> SmallVec<[Condition; 2]> {
    let mut found = SmallVec::new();
    let mut work: SmallVec<[(Value, bool); 4]> = SmallVec::from_slice(&[(value, holds)]);
    while let Some((value, holds)) = work.pop() {
        let is = |value: Value, bits: u64| func.as_const(value) == Some(bits);
        let inst = func.def_inst(value).filter(|_| found.len() + work.len() < MAX_CONDITIONS);
        match inst.map(|inst| (inst, inst.op, &inst.args[..])) {
            Some((_, Op::And, &[a, b])) if holds => work.extend([(b, true), (a, true)]),
            Some((_, Op::Or, &[a, b])) if !holds => work.extend([(b, false), (a, false)]),
            Some((_, Op::Select, &[a, b, other])) if holds && is(other, 0) => {
                work.extend([(b, true), (a, true)]);
            }
            Some((_, Op::Select, &[a, other, b])) if !holds && is(other, 1) => {
                work.extend([(b, false), (a, false)]);
            }
            Some((_, Op::Xor, &[a, one])) if is(one, 1) => work.push((a, !holds)),
            Some((inst, Op::Icmp, &[a, b])) if !func.ty(a).is_vector() => {
                let cond = if holds { inst.int_cond() } else { inst.int_cond().negated() };
                found.push(Condition::Compare(cond, a, b));
            }
            _ => found.push(Condition::Other(value, holds)),
        }
    }
    found
}

/// Value of an operand when the loop is entered.
#[derive(Clone, Copy, Debug)]
pub(super) enum AtEntry {
    Constant(u64),
    Value(Value),
}

/// A comparison of values at the entry, with a constant on the right, and less or greater instead of "or equal" where
/// one is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relation {
    pub(super) cond: IntCond,
    pub(super) a: AtEntry,
    pub(super) b: AtEntry,
    pub(super) ty: Type,
}

impl Relation {
    pub(super) fn new(cond: IntCond, a: AtEntry, b: AtEntry, ty: Type) -> Relation {
        let (cond, a, b) = match (a, b) {
            (AtEntry::Constant(_), AtEntry::Value(_)) => (cond.swapped(), b, a),
            _ => (cond, a, b),
        };
        let AtEntry::Constant(bits) = b else { return Relation { cond, a, b, ty } };
        let (mask, min) = (full(ty.kind), 1 << (ty.bits() - 1));
        let (cond, bits) = match cond {
            IntCond::Sle if bits != min - 1 => (IntCond::Slt, bits.wrapping_add(1) & mask),
            IntCond::Sge if bits != min => (IntCond::Sgt, bits.wrapping_sub(1) & mask),
            IntCond::Ule if bits != mask => (IntCond::Ult, bits + 1),
            IntCond::Uge if bits != 0 => (IntCond::Ugt, bits - 1),
            cond => (cond, bits),
        };
        let cond = if (cond, bits) == (IntCond::Ugt, 0) { IntCond::Ne } else { cond };
        Relation { cond, a, b: AtEntry::Constant(bits), ty }
    }

    /// Returns the comparison of the operands before they were extended, if it is equivalent.
    pub(super) fn narrowed(self, func: &Function) -> Option<Relation> {
        let AtEntry::Value(a) = self.a else { return None };
        let inst = func.def_inst(a)?;
        if !matches!(inst.op, Op::Sext | Op::Zext) {
            return None;
        }
        let is_sext = inst.op == Op::Sext;
        let (a, ty) = (inst.args[0], func.ty(inst.args[0]));
        let b = match self.b {
            AtEntry::Constant(bits) => {
                let narrow = bits & full(ty.kind);
                let back =
                    if is_sext { signed(ty.bits(), narrow) as u64 & full(self.ty.kind) } else { narrow };
                AtEntry::Constant((back == bits).then_some(narrow)?)
            }
            AtEntry::Value(b) => {
                let other = func.def_inst(b).filter(|other| other.op == inst.op)?;
                AtEntry::Value(other.args[0])
            }
        };
        let fits =
            func.ty(a) == ty && if is_sext { !self.cond.is_unsigned() } else { !self.cond.is_signed() };
        let is_same_type = !matches!(b, AtEntry::Value(b) if func.ty(b) != ty);
        (fits && is_same_type).then(|| Relation::new(self.cond, AtEntry::Value(a), b, ty))
    }

    pub(super) fn swapped(self) -> Relation {
        Relation { cond: self.cond.swapped(), a: self.b, b: self.a, ty: self.ty }
    }

    /// Checks whether a relation that holds implies another one.
    pub(super) fn implies(self, other: Relation, func: &Function) -> bool {
        let is_same = |a: AtEntry, b: AtEntry| match (a, b) {
            (AtEntry::Constant(a), AtEntry::Constant(b)) => a == b,
            (AtEntry::Value(a), AtEntry::Value(b)) => are_equal(func, a, b),
            _ => false,
        };
        self.ty == other.ty
            && implies(self.cond, other.cond)
            && is_same(self.a, other.a)
            && is_same(self.b, other.b)
    }
}

/// Checks whether a condition that holds for two numbers implies another one.
pub(super) fn implies(cond: IntCond, other: IntCond) -> bool {
    cond == other
        || match cond {
            IntCond::Slt => matches!(other, IntCond::Sle | IntCond::Ne),
            IntCond::Sgt => matches!(other, IntCond::Sge | IntCond::Ne),
            IntCond::Ult => matches!(other, IntCond::Ule | IntCond::Ne),
            IntCond::Ugt => matches!(other, IntCond::Uge | IntCond::Ne),
            IntCond::Eq => matches!(other, IntCond::Sle | IntCond::Sge | IntCond::Ule | IntCond::Uge),
            _ => false,
        }
}
