//! Unary operators, addresses, `sizeof` and `vec_step` (C99 s6.5.3, OpenCL C s6.5).

use crate::parse::{DeclaredType, Operand};
use crate::session::Session;
use crate::token::TokenKind;
use crate::tree::{Expr, ExprKind, Lvalue, LvalueKind, UnaryOp};
use crate::types::{Opaque, QualType, Scalar, Type, TypeId};
use grus_support::diag::Span;

/// Magnitude of the smallest `long`.
const MIN_LONG_MAGNITUDE: u64 = 1 << 63;

impl Session<'_> {
    /// Builds `+`, `-`, `~` or `!` applied to an operand.
    pub fn unary_expression(&mut self, kind: TokenKind, operand: Operand, at: Span) -> Expr {
        let value = self.value(operand);
        let span = at.to(value.span);
        if value.ty == self.types.common.error {
            return self.error_expr(span);
        }
        let is_pointer = self.pointee(value.ty).is_some();
        let number = self.elem_and_lanes(value.ty);
        let is_bool = value.ty == self.types.common.bool;
        match kind {
            TokenKind::Not if is_pointer || is_bool || number.is_some() => {
                let ty = match number {
                    Some((scalar, lanes)) if lanes > 1 => {
                        self.arithmetic_type(scalar.signed_same_size(), lanes)
                    }
                    _ => self.types.common.int,
                };
                return unary(UnaryOp::LogicalNot, value, ty, span);
            }
            TokenKind::Tilde if is_bool || number.is_some_and(|(s, _)| !s.is_float()) => {
                let value = self.promote(value);
                let ty = value.ty;
                return unary(UnaryOp::BitNot, value, ty, span);
            }
            TokenKind::Plus if is_bool || number.is_some() => {
                let mut value = self.promote(value);
                value.span = span;
                return value;
            }
            TokenKind::Minus if is_bool || number.is_some() => {
                let value = self.promote(value);
                return self.negate(value, span);
            }
            TokenKind::AndAnd => {
                self.error(at, "addresses of labels are not supported");
                return self.error_expr(span);
            }
            _ => {}
        }
        let name = self.type_text(value.ty);
        let op = match kind {
            TokenKind::Not => "!",
            TokenKind::Tilde => "~",
            TokenKind::Plus => "+",
            _ => "-",
        };
        self.error(at, format!("invalid operand to unary '{op}': '{name}'"));
        self.error_expr(span)
    }

    /// Builds `-value`; constants are folded.
    pub(super) fn negate(&mut self, value: Expr, span: Span) -> Expr {
        // No type of the language holds 9223372036854775808 (C99 s6.4.4.1p6). Compilers with a wider type compute a
        // `long` here.
        let contains = |inner: Span| value.span.lo <= inner.lo && inner.hi <= value.span.hi;
        let is_min_long = matches!(value.kind, ExprKind::Int(MIN_LONG_MAGNITUDE))
            && self.context.oversized_decimal().is_some_and(contains);
        let ty = if is_min_long { self.arithmetic_type(Scalar::Long, 1) } else { value.ty };
        let kind = match (&value.kind, self.types.get(ty)) {
            (ExprKind::Int(bits), Type::Scalar(s)) => ExprKind::Int(truncate(bits.wrapping_neg(), *s)),
            (ExprKind::Float(number), _) => ExprKind::Float(-number),
            _ => return unary(UnaryOp::Neg, value, ty, span),
        };
        Expr { kind, ty, span }
    }

    /// Builds `&operand`.
    pub fn address_of(&mut self, operand: Operand, at: Span) -> Expr {
        let span = at.to(operand.span());
        let message = match operand {
            Operand::Lvalue(lvalue) => match &lvalue.kind {
                LvalueKind::Swizzle(..) => "the address of a vector component cannot be taken",
                LvalueKind::Temporary(_) => "the address of a value cannot be taken",
                _ => return self.address(lvalue, span),
            },
            Operand::Value(value) if value.ty == self.types.common.error => {
                return self.error_expr(span);
            }
            Operand::Value(_) => "the address of a value cannot be taken",
            Operand::Function(..) | Operand::Library(..) => "pointers to functions are not supported",
        };
        self.error(at, message);
        self.error_expr(span)
    }

    fn address(&mut self, lvalue: Lvalue, span: Span) -> Expr {
        if let Type::Opaque(Opaque::Image(..) | Opaque::Sampler) | Type::Pipe(..) =
            self.types.get(lvalue.ty.ty)
        {
            self.error(span, "pointers to images, samplers and pipes are not allowed");
            return self.error_expr(span);
        }
        if self.is_block(lvalue.ty.ty) {
            self.error(span, "the address of a block cannot be taken");
            return self.error_expr(span);
        }
        // `&*p` is `p`.
        if let LvalueKind::Deref(pointer) = lvalue.kind {
            return Expr { span, ..*pointer };
        }
        let ty = self.pointer(QualType { is_restrict: false, ..lvalue.ty });
        Expr { kind: ExprKind::AddressOf(lvalue), ty, span }
    }

    /// Builds `*operand`.
    pub fn dereference(&mut self, operand: Operand, at: Span) -> Operand {
        let pointer = self.value(operand);
        let span = at.to(pointer.span);
        if pointer.ty == self.types.common.error {
            return Operand::Value(self.error_expr(span));
        }
        match self.pointee(pointer.ty) {
            Some(to) => Operand::Lvalue(Lvalue { kind: LvalueKind::Deref(Box::new(pointer)), ty: to, span }),
            None => {
                let name = self.type_text(pointer.ty);
                self.error(at, format!("'*' needs a pointer, not '{name}'"));
                Operand::Value(self.error_expr(span))
            }
        }
    }

    fn operand_type(&mut self, ty: Option<DeclaredType>, operand: Option<Operand>, span: Span) -> TypeId {
        match (ty, operand) {
            (Some(ty), _) => ty.ty,
            (None, Some(Operand::Lvalue(lvalue))) => lvalue.ty.ty,
            (None, Some(Operand::Value(value))) => value.ty,
            (None, Some(_)) => {
                self.error(span, "a function has no size");
                self.types.common.error
            }
            (None, None) => self.types.common.error,
        }
    }

    /// Builds `sizeof`.
    pub fn size_of(&mut self, ty: Option<DeclaredType>, operand: Option<Operand>, span: Span) -> Expr {
        let ty = self.operand_type(ty, operand, span);
        let problem = match self.types.get(ty) {
            Type::Error => return self.error_expr(span),
            Type::Function(_) => Some("a function has no size"),
            Type::Array(_, None) => Some("the array's size is not known"),
            Type::Struct(id) if !self.types.structs[*id].complete => Some("the struct is not defined"),
            // The size of opaque types is implementation-defined (s6.3): it is the size of a kernel parameter of
            // that type.
            _ => None,
        };
        if let Some(problem) = problem {
            self.error(span, problem);
            return self.error_expr(span);
        }
        Expr { kind: ExprKind::Int(self.types.size_of(ty)), ty: self.types.common.ulong, span }
    }

    /// Builds `vec_step` (s6.13.12): the number of elements, and 4 for vectors of three.
    pub fn vec_step(&mut self, ty: Option<DeclaredType>, operand: Option<Operand>, span: Span) -> Expr {
        let ty = self.operand_type(ty, operand, span);
        let lanes = match self.types.get(ty) {
            Type::Error => return self.error_expr(span),
            Type::Scalar(_) | Type::Bool | Type::Void => 1,
            Type::Vector(_, 3) => 4,
            Type::Vector(_, n) => i64::from(*n),
            _ => {
                self.error(span, "'vec_step' takes a scalar or vector");
                return self.error_expr(span);
            }
        };
        self.int_constant(lanes, span)
    }
}

fn unary(op: UnaryOp, value: Expr, ty: TypeId, span: Span) -> Expr {
    Expr { kind: ExprKind::Unary(op, Box::new(value)), ty, span }
}

/// Clears the bits of `bits` that `scalar` does not have.
pub(super) fn truncate(bits: u64, scalar: Scalar) -> u64 {
    match scalar.size() {
        1 => bits & 0xff,
        2 => bits & 0xffff,
        4 => bits & 0xffff_ffff,
        _ => bits,
    }
}
