//! Alias analysis without knowledge of the arguments: addresses in different objects, and distances between
//! addresses.

use smallvec::SmallVec;

use grus_ir::interp::signed;
use grus_ir::{Def, Function, Inst, Kind, Op, Type, Value};

/// Maximum number of additions that are looked through on the way to an object.
// Arbitrary.
pub(crate) const MAX_ADDITIONS: usize = 16;

/// Checks whether two addresses are known to be in different objects.
pub(crate) fn no_alias(func: &Function, a: Value, b: Value) -> bool {
    let [a, b] = [a, b].map(|pointer| object(func, pointer));
    let [kind_a, kind_b] = [a, b].map(|object| func.ty(object).kind);
    if kind_a != kind_b {
        return kind_a != Kind::PtrGeneric && kind_b != Kind::PtrGeneric;
    }
    if a == b {
        return false;
    }
    let is_object = |value: Value| {
        let op = func.def_inst(value).map(|inst| inst.op);
        matches!(op, Some(Op::Alloca | Op::LocalAddr | Op::GlobalAddr))
    };
    let is_restrict_param = |value: Value| match param(func, value) {
        Some(at) => Some(func.param_facts.get(at).is_some_and(|facts| facts.is_restrict)),
        None => is_object(value).then_some(false),
    };
    match (is_restrict_param(a), is_restrict_param(b)) {
        (Some(a_restrict), Some(b_restrict)) => {
            a_restrict || b_restrict || is_object(a) && is_object(b) && !is_same_variable(func, a, b)
        }
        _ => false,
    }
}

/// Checks whether two values are the address of the same variable.
fn is_same_variable(func: &Function, a: Value, b: Value) -> bool {
    match (func.def_inst(a), func.def_inst(b)) {
        (Some(a), Some(b)) => a.op == b.op && a.op != Op::Alloca && a.attr == b.attr,
        _ => false,
    }
}

/// Returns the base of an address, looking through a bounded number of additions.
fn object(func: &Function, pointer: Value) -> Value {
    let mut object = pointer;
    for _ in 0..MAX_ADDITIONS {
        let Some(Inst { op: Op::PtrAdd, args, .. }) = func.def_inst(object) else { break };
        object = args[0];
    }
    object
}

/// Returns the position of a parameter of the function.
pub(crate) fn param(func: &Function, value: Value) -> Option<usize> {
    match func.values[value].def {
        Def::Param(block, at) if block == func.entry() => Some(at as usize),
        _ => None,
    }
}

/// Aliasing of two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlap {
    /// Equal bytes, with equal types.
    Same,
    /// No common byte.
    Disjoint,
    Unknown,
}

/// Returns how accesses of these types at these addresses alias, both in the same iteration of all loops.
pub(crate) fn overlap(
    func: &Function,
    canonical: &dyn Fn(Value) -> Value,
    [(a, ty_a), (b, ty_b)]: [(Value, Type); 2],
) -> Overlap {
    let [sum_a, sum_b] = [a, b].map(|pointer| Sum::of(func, pointer, &|_| None, canonical));
    if sum_a.terms == sum_b.terms {
        let distance = sum_b.constant.wrapping_sub(sum_a.constant);
        let [size_a, size_b] = [ty_a, ty_b].map(|ty| i64::from(ty.bytes()));
        return match distance {
            0 if ty_a == ty_b => Overlap::Same,
            _ if distance >= size_a || distance <= -size_b => Overlap::Disjoint,
            _ => Overlap::Unknown,
        };
    }
    if no_alias(func, a, b) { Overlap::Disjoint } else { Overlap::Unknown }
}

/// Change of a value from one iteration or work-item to the next, which is computed through sums and constant
/// factors.
pub(crate) trait Change: Sized {
    /// Returns the change of a sum, or with `sign` -1 of a difference.
    fn plus(self, other: Self, sign: i64) -> Option<Self>;
    /// Returns the change of a multiple.
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

/// Returns the change of a value, modulo the integer types in which it is computed, if it is a linear function of
/// values with a `known` change.
pub(crate) fn change<C: Change>(
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

/// Returns the largest unsigned number of a kind.
pub(crate) fn full(kind: Kind) -> u64 {
    u64::MAX >> (64 - kind.bits().clamp(1, 64))
}

/// Value of a term, and the op that extends it first, if any.
type Leaf = (Option<Op>, Value);

/// Terms `value * factor`, sorted, with every value once.
pub(crate) type Terms = SmallVec<[(Leaf, i64); 4]>;

/// Linear decomposition of a number.
pub(crate) struct Sum<'f> {
    func: &'f Function,
    /// Upper bound of a value, if one is known.
    bound: &'f dyn Fn(Value) -> Option<u64>,
    /// Canonical value of a value's congruence class.
    canonical: &'f dyn Fn(Value) -> Value,
    pub terms: Terms,
    pub constant: i64,
    /// Number of instructions that may still be visited.
    budget: u32,
}

impl<'f> Sum<'f> {
    /// Maximum number of instructions that are visited for one number.
    // Arbitrary.
    const MAX_INSTRUCTIONS: u32 = 16;

    /// Decomposes an address or a number of 64 bits.
    pub(crate) fn of(
        func: &'f Function,
        value: Value,
        bound: &'f dyn Fn(Value) -> Option<u64>,
        canonical: &'f dyn Fn(Value) -> Value,
    ) -> Sum<'f> {
        let mut sum =
            Sum { func, bound, canonical, terms: Terms::new(), constant: 0, budget: Sum::MAX_INSTRUCTIONS };
        sum.add(None, value, 1);
        sum.terms.retain(|&mut (_, times)| times != 0);
        sum.terms.sort_unstable_by_key(|&((op, value), times)| (value, op.map(|op| op as u8), times));
        sum
    }

    /// Adds a value times a constant. `widened` is the op that extends the value first.
    fn add(&mut self, widened: Option<Op>, value: Value, times: i64) {
        let ty = self.func.ty(value);
        if let Some(bits) = self.func.as_const(value) {
            let number = if widened == Some(Op::Zext) { bits as i64 } else { signed(ty.kind.bits(), bits) };
            self.constant = self.constant.wrapping_add(number.wrapping_mul(times));
            return;
        }
        let inst = self.func.def_inst(value).filter(|_| self.budget > 0);
        self.budget = self.budget.saturating_sub(1);
        let Some(inst) =
            inst.filter(|inst| inst.op == Op::PtrAdd || self.commutes_with_extension(widened, inst))
        else {
            return self.leaf(widened, value, times);
        };
        let number = |bits: u64| {
            if widened == Some(Op::Zext) { bits as i64 } else { signed(ty.kind.bits(), bits) }
        };
        let constant = |i: usize| self.func.as_const(inst.args[i]).map(number);
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
            // A non-negative value that fits is equal under sign and zero extension of its operands.
            Op::Sext | Op::Zext if widened.is_none() => self.add(Some(inst.op), inst.args[0], times),
            _ => self.leaf(widened, value, times),
        }
    }

    /// Checks whether the result of an instruction is unchanged if its operands are extended before it.
    fn commutes_with_extension(&self, widened: Option<Op>, inst: &Inst) -> bool {
        let all = full(inst.ty.kind);
        let max_unsigned = if widened == Some(Op::Sext) { all >> 1 } else { all };
        let is_bounded = inst.result.and_then(self.bound).is_some_and(|max| max <= max_unsigned);
        match inst.op {
            // These are sums if the bits of the constant are zero in the other operand. Stride analysis gives a bound
            // only to results for which it has proved that.
            Op::Or | Op::Xor => is_bounded && self.func.as_const(inst.args[1]).is_some(),
            _ if widened.is_none() => true,
            _ if widened.is_some_and(|extension| inst.no_wrap().allows(extension)) => true,
            Op::Isub => false,
            _ => is_bounded,
        }
    }

    fn leaf(&mut self, widened: Option<Op>, value: Value, times: i64) {
        let leaf = (widened, (self.canonical)(value));
        match self.terms.iter_mut().find(|(other, _)| *other == leaf) {
            Some((_, all)) => *all = all.wrapping_add(times),
            None => self.terms.push((leaf, times)),
        }
    }
}
