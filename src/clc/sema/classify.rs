//! Classification of types, and conversion of operands to values.

use crate::parse::Operand;
use crate::session::Session;
use crate::tree::{Expr, ExprKind, Init, Lvalue, LvalueKind};
use crate::types::{QualType, Scalar, Type, TypeId};
use grus_support::diag::Span;

impl Session<'_> {
    /// Checks whether a type is `bool` or an integer scalar.
    pub fn is_integer(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Bool => true,
            Type::Scalar(s) => !s.is_float(),
            _ => false,
        }
    }

    /// Checks whether a type is `bool` or an arithmetic scalar.
    pub fn is_scalar_number(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Bool | Type::Scalar(_))
    }

    /// Returns the element type and the number of lanes of a scalar or vector; `None` for `bool`.
    pub fn elem_and_lanes(&self, ty: TypeId) -> Option<(Scalar, u8)> {
        match *self.types.get(ty) {
            Type::Scalar(s) => Some((s, 1)),
            Type::Vector(s, n) => Some((s, n)),
            _ => None,
        }
    }

    /// Returns the element type and the number of lanes of a vector.
    pub fn vector_elem_and_lanes(&self, ty: TypeId) -> Option<(Scalar, u8)> {
        match *self.types.get(ty) {
            Type::Vector(s, n) => Some((s, n)),
            _ => None,
        }
    }

    /// Returns the pointee of a pointer type.
    pub fn pointee(&self, ty: TypeId) -> Option<QualType> {
        match *self.types.get(ty) {
            Type::Pointer(to) => Some(to),
            _ => None,
        }
    }

    /// Reports objects and values of type `half` without cl_khr_fp16 (s6.3.1.1).
    pub fn check_half_object(&mut self, ty: TypeId, span: Span) {
        let mut element = ty;
        while let Type::Array(of, _) = self.types.get(element) {
            element = of.ty;
        }
        let is_half =
            matches!(self.types.get(element), Type::Scalar(Scalar::Half) | Type::Vector(Scalar::Half, _));
        if is_half && !self.target.fp16 {
            let message = "'half' can only be what a pointer points at; \
                           values of it need cl_khr_fp16";
            self.error(span, message);
        }
    }

    /// Converts an operand to a value (C99 s6.3.2.1): loads an lvalue, or takes the address of an array.
    pub fn value(&mut self, operand: Operand) -> Expr {
        match operand {
            Operand::Value(expr) => expr,
            Operand::Lvalue(lvalue) => self.load(lvalue),
            Operand::Function(_, span) => {
                self.error(span, "a function can only be called");
                self.error_expr(span)
            }
            Operand::Library(symbol, span) => {
                let name = self.names.text(symbol).to_owned();
                self.error(span, format!("the built-in function '{name}' can only be called"));
                self.error_expr(span)
            }
        }
    }

    fn load(&mut self, lvalue: Lvalue) -> Expr {
        let (span, ty) = (lvalue.span, lvalue.ty);
        match *self.types.get(ty.ty) {
            Type::Array(elem, _) => {
                let pointee = QualType {
                    space: ty.space,
                    is_const: elem.is_const || ty.is_const,
                    is_volatile: elem.is_volatile || ty.is_volatile,
                    ..elem
                };
                let ty = self.pointer(pointee);
                Expr { kind: ExprKind::AddressOf(lvalue), ty, span }
            }
            Type::Scalar(Scalar::Half) | Type::Vector(Scalar::Half, _)
                if !self.target.fp16 && !self.context.is_unevaluated() =>
            {
                let message = "a 'half' cannot be loaded without cl_khr_fp16; use vload_half";
                self.error(span, message);
                self.error_expr(span)
            }
            Type::Atomic(_) if !self.context.is_unevaluated() => {
                let message = "an atomic variable can only be used through the atomic functions";
                self.error(span, message);
                self.error_expr(span)
            }
            Type::Void => {
                self.error(span, "the value of 'void' cannot be used");
                self.error_expr(span)
            }
            Type::Struct(id) if !self.types.structs[id].complete => {
                let name = self.type_text(ty.ty);
                self.error(span, format!("'{name}' is not defined"));
                self.error_expr(span)
            }
            _ => Expr {
                kind: match lvalue.kind {
                    LvalueKind::Temporary(value) => return *value,
                    LvalueKind::CompoundLiteral(id, init) => match *init {
                        // The address of this literal was never taken, so no object is needed.
                        Init::Value(value) => return value,
                        parts => ExprKind::Load(Lvalue {
                            kind: LvalueKind::CompoundLiteral(id, Box::new(parts)),
                            ty,
                            span,
                        }),
                    },
                    LvalueKind::Swizzle(inner, lanes) if matches!(inner.kind, LvalueKind::Temporary(_)) => {
                        let LvalueKind::Temporary(value) = inner.kind else { unreachable!("matched above") };
                        ExprKind::Swizzle(value, lanes)
                    }
                    _ => ExprKind::Load(lvalue),
                },
                ty: ty.ty,
                span,
            },
        }
    }

    /// Evaluates an operand, which may be `void`, for its side effects.
    pub fn discarded_value(&mut self, operand: Operand) -> Expr {
        match operand {
            // An lvalue whose value is not used, and is not volatile, is not loaded.
            Operand::Lvalue(lvalue) if !lvalue.ty.is_volatile => {
                let span = lvalue.span;
                let ty = self.types.common.void;
                match self.address_of_discarded(lvalue) {
                    Some(effects) => Expr { kind: ExprKind::Convert(Box::new(effects)), ty, span },
                    None => Expr { kind: ExprKind::Convert(Box::new(self.int_constant(0, span))), ty, span },
                }
            }
            operand => {
                let value = self.value(operand);
                self.cast_to_void(value)
            }
        }
    }

    /// Converts `value` to void.
    pub fn cast_to_void(&mut self, value: Expr) -> Expr {
        if value.ty == self.types.common.void || value.ty == self.types.common.error {
            return value;
        }
        Expr { span: value.span, ty: self.types.common.void, kind: ExprKind::Convert(Box::new(value)) }
    }

    /// Returns the expression that computes the address of an lvalue, if there is one.
    fn address_of_discarded(&mut self, lvalue: Lvalue) -> Option<Expr> {
        match lvalue.kind {
            LvalueKind::Local(_) | LvalueKind::Global(_) | LvalueKind::CompoundLiteral(..) => None,
            LvalueKind::Deref(pointer) => Some(*pointer),
            LvalueKind::Field(of, _) | LvalueKind::Swizzle(of, _) => self.address_of_discarded(*of),
            LvalueKind::Temporary(value) => Some(*value),
        }
    }

    /// Converts an operand to a condition (s6.8), which must be a scalar or a pointer.
    pub fn condition(&mut self, operand: Operand) -> Expr {
        let value = self.value(operand);
        match self.types.get(value.ty) {
            Type::Bool | Type::Scalar(_) | Type::Pointer(_) | Type::Error => value,
            _ => {
                let name = self.type_text(value.ty);
                let message = format!("a condition must be a scalar, not '{name}'");
                self.error(value.span, message);
                self.error_expr(value.span)
            }
        }
    }

    /// Performs the integer promotions (C99 s6.3.1.1): small integers become `int`.
    pub fn promote(&mut self, value: Expr) -> Expr {
        let small = match self.types.get(value.ty) {
            Type::Bool => true,
            Type::Scalar(s) => !s.is_float() && s.size() < 4,
            _ => false,
        };
        if small {
            return self.convert_value(value, self.types.common.int);
        }
        value
    }
}
