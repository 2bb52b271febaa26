//! Conversions between values (s6.4).

use super::func::Lowering;
use grus_clc::types::{Scalar, Type as CType, TypeId};
use grus_ir::{Attr, FloatCond, IntCond, Kind, Op, Type, Value};

impl Lowering<'_> {
    /// Emits the C conversion of `value` from one type to another; none for void.
    pub(super) fn convert(&mut self, value: Value, from: TypeId, to: TypeId) -> Option<Value> {
        let (source, target) = (self.cx.ty(from), self.cx.ty(to));
        Some(match (self.cx.types().get(from).clone(), self.cx.types().get(to).clone()) {
            (_, CType::Void) => return None,
            (a, b) if a == b => value,
            (_, CType::Bool) => {
                let truth = self.truth(value);
                self.b.convert(Op::Zext, Type::I8, truth)
            }
            (CType::Bool, CType::Vector(element, _)) => {
                let scalar = self.bool_to_element(value, element);
                self.b.splat(target, scalar)
            }
            (CType::Bool, _) => self.number(value, Some(Scalar::UChar), target),
            (from, CType::Vector(element, _)) if !source.is_vector() => {
                let from = scalar_of(&from);
                let signed = Some(element);
                let scalar = self.number_between(value, from, signed, target.lane());
                self.b.splat(target, scalar)
            }
            (from, to) => self.number_between(value, scalar_of(&from), scalar_of(&to), target),
        })
    }

    /// Converts a bool to a vector element: true becomes -1 in an integer vector and 1 in a floating-point
    /// one.
    fn bool_to_element(&mut self, value: Value, element: Scalar) -> Value {
        let ty = Type::scalar(super::scalar_kind(element));
        let number = self.number(value, Some(Scalar::UChar), ty);
        if element.is_float() {
            return number;
        }
        let zero = self.b.zero(ty);
        self.b.same(Op::Isub, &[zero, number])
    }

    /// Emits the test whether a scalar or pointer is not zero, as `i1`.
    pub(super) fn truth(&mut self, value: Value) -> Value {
        let ty = self.b.func.ty(value);
        if ty == Type::I1 {
            return value;
        }
        // The test of an extended comparison is the comparison.
        if let Some(inst) = self.b.func.def_inst(value)
            && inst.op == Op::Zext
            && self.b.func.ty(inst.args[0]) == Type::I1
        {
            return inst.args[0];
        }
        let zero = self.b.zero(ty);
        if ty.kind.is_float() {
            self.b.fcmp(FloatCond::Une, value, zero)
        } else {
            self.b.icmp(IntCond::Ne, value, zero)
        }
    }

    fn number(&mut self, value: Value, from: Option<Scalar>, to: Type) -> Value {
        self.number_between(value, from, None, to)
    }

    /// Converts between arithmetic types and pointers with as many lanes. `from` and `to_scalar` give the
    /// signedness; none stands for pointers and handles, which count as unsigned.
    fn number_between(
        &mut self,
        value: Value,
        from: Option<Scalar>,
        to_scalar: Option<Scalar>,
        to: Type,
    ) -> Value {
        let ty = self.b.func.ty(value);
        if ty == to {
            return value;
        }
        let signed = from.is_some_and(Scalar::is_signed_int);
        if ty.kind.is_ptr() || to.kind.is_ptr() {
            return self.pointer(value, signed, to);
        }
        let op = match (ty.kind.is_float(), to.kind.is_float()) {
            (true, true) if ty.kind.bits() < to.kind.bits() => Op::Fpext,
            (true, true) => Op::Fptrunc,
            (false, true) if signed => Op::Sitofp,
            (false, true) => Op::Uitofp,
            (true, false) if to_scalar.is_some_and(Scalar::is_unsigned) => Op::Fptoui,
            (true, false) => Op::Fptosi,
            (false, false) if ty.kind.bits() > to.kind.bits() => Op::Trunc,
            (false, false) if signed => Op::Sext,
            (false, false) => Op::Zext,
        };
        self.b.value(op, to, &[value], Attr::None)
    }

    fn pointer(&mut self, value: Value, signed: bool, to: Type) -> Value {
        let mut value = value;
        let ty = self.b.func.ty(value);
        if !ty.kind.is_ptr() && ty.kind != Kind::I64 {
            let op = if signed { Op::Sext } else { Op::Zext };
            value = self.b.convert(op, Type::I64, value);
        }
        if to.kind.is_ptr() || to.kind == Kind::I64 {
            return self.b.value(Op::Bitcast, to, &[value], Attr::None);
        }
        let bits = self.b.convert(Op::Bitcast, Type::I64, value);
        self.b.convert(Op::Trunc, to, bits)
    }

    /// Reinterprets the bits; between 3 and 4 lanes the last one is dropped or undefined.
    pub(super) fn bitcast(&mut self, value: Value, to: Type) -> Value {
        let from = self.b.func.ty(value);
        if from == to {
            return value;
        }
        if from.bits() == to.bits() {
            return self.b.value(Op::Bitcast, to, &[value], Attr::None);
        }
        if from.lanes == 3 {
            let wide = self.b.shuffle(value, value, &[0, 1, 2, 2]);
            return self.bitcast(wide, to);
        }
        let wide = Type::vector(to.kind, 4);
        let cast = self.bitcast(value, wide);
        self.b.shuffle(cast, cast, &[0, 1, 2])
    }
}

/// Returns the scalar type of a scalar or the element of a vector; none for other types.
pub(super) fn scalar_of(ty: &CType) -> Option<Scalar> {
    match ty {
        CType::Scalar(s) | CType::Vector(s, _) | CType::Atomic(s) => Some(*s),
        CType::Bool => Some(Scalar::UChar),
        _ => None,
    }
}
