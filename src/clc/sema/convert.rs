//! Conversions (C99 s6.3, OpenCL C s6.4 and s6.7.9): implicit ones as if by assignment, and casts.

use std::fmt;

use crate::parse::{DeclaredType, Operand};
use crate::session::Session;
use crate::tree::{Expr, ExprKind};
use crate::types::{Opaque, QualType, Scalar, Space, Type, TypeId};
use grus_support::diag::Span;

/// Compatibility of two pointer types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PointerCompatibility {
    Compatible,
    /// The conversion loses qualifiers of the pointee.
    DropsQualifiers,
    /// The pointees differ; the address spaces are equal or convertible.
    DifferentPointees,
    /// The address spaces do not convert.
    IncompatibleSpaces,
    /// The address spaces differ at a second level of indirection.
    IncompatibleNestedSpaces,
}

/// Construct that converts a value implicitly, as if by assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignAction {
    Assign,
    Initialize,
    /// Passes an argument to a parameter.
    Pass,
    Return,
}

/// Implicit conversion between two types, for diagnostics.
#[derive(Clone, Debug)]
struct AssignConversion {
    action: AssignAction,
    /// Spellings of the types.
    from: String,
    to: String,
}

impl fmt::Display for AssignConversion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { action, from, to } = self;
        match action {
            AssignAction::Initialize => write!(f, "initialize '{to}' from '{from}'"),
            AssignAction::Assign => write!(f, "assign '{from}' to '{to}'"),
            AssignAction::Pass => write!(f, "pass '{from}' to a parameter of type '{to}'"),
            AssignAction::Return => write!(f, "return '{from}' as '{to}'"),
        }
    }
}

/// Reason for which an implicit conversion is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConversionProblem {
    IncompatibleTypes,
    /// The address spaces of two pointees do not convert.
    AddressSpaces,
    /// The address spaces differ at a second level of indirection.
    NestedAddressSpaces,
}

/// Error of an implicit conversion. The text is the message of a diagnostic, to which the caller adds the position.
#[derive(Clone, Debug)]
pub struct ConversionError {
    conversion: AssignConversion,
    problem: ConversionProblem,
}

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problem = match self.problem {
            ConversionProblem::IncompatibleTypes => "",
            ConversionProblem::AddressSpaces => ": the address spaces do not convert",
            ConversionProblem::NestedAddressSpaces => ": the address space of a nested pointer differs",
        };
        write!(f, "cannot {}{problem}", self.conversion)
    }
}

impl std::error::Error for ConversionError {}

impl Session<'_> {
    /// Converts `value` to `ty` without checks; the caller knows that the types convert.
    pub fn convert_value(&mut self, value: Expr, ty: TypeId) -> Expr {
        if value.ty == ty || value.ty == self.types.common.error {
            return value;
        }
        let span = value.span;
        if let Some(kind) = self.fold_conversion(&value, ty) {
            return Expr { kind, ty, span };
        }
        Expr { kind: ExprKind::Convert(Box::new(value)), ty, span }
    }

    /// Converts as if by assignment. Reports an error if that is not allowed.
    pub fn convert_assign(&mut self, operand: Operand, to: TypeId, action: AssignAction) -> Expr {
        let value = self.value(operand);
        let span = value.span;
        match self.implicit_conversion(value, to, action) {
            Ok(value) => value,
            Err(error) => {
                self.error(span, error.to_string());
                self.error_expr(span)
            }
        }
    }

    /// Converts implicitly.
    fn implicit_conversion(
        &mut self,
        value: Expr,
        to: TypeId,
        action: AssignAction,
    ) -> Result<Expr, ConversionError> {
        let from = value.ty;
        if from == to || from == self.types.common.error || to == self.types.common.error {
            return Ok(value);
        }
        let (from_type, to_type) = (self.types.get(from).clone(), self.types.get(to).clone());
        match (&from_type, &to_type) {
            (Type::Bool | Type::Scalar(_), Type::Bool | Type::Scalar(_) | Type::Vector(..)) => {
                self.warn_constant_conversion(&value, to);
                Ok(self.convert_value(value, to))
            }
            (Type::Pointer(_), Type::Bool) => Ok(self.convert_value(value, to)),
            // An atomic variable is initialized with a value of the type that it holds.
            (Type::Bool | Type::Scalar(_), Type::Atomic(s)) if action == AssignAction::Initialize => {
                let held = self.arithmetic_type(*s, 1);
                Ok(self.convert_value(value, held))
            }
            (_, Type::Pointer(_)) if self.is_null(&value) => Ok(zero(to, value.span)),
            (Type::Pointer(a), Type::Pointer(b)) => {
                let (a, b) = (*a, *b);
                self.check_pointers([a, b], [from, to], action, value.span)?;
                Ok(self.convert_value(value, to))
            }
            (Type::Bool | Type::Scalar(_), Type::Opaque(opaque)) => {
                self.opaque_from_integer(value, *opaque, to, action)
            }
            _ => Err(self.conversion_error(from, to, action, ConversionProblem::IncompatibleTypes)),
        }
    }

    fn conversion_error(
        &self,
        from: TypeId,
        to: TypeId,
        action: AssignAction,
        problem: ConversionProblem,
    ) -> ConversionError {
        ConversionError { conversion: self.assign_conversion(from, to, action), problem }
    }

    fn assign_conversion(&self, from: TypeId, to: TypeId, action: AssignAction) -> AssignConversion {
        AssignConversion { action, from: self.type_text(from), to: self.type_text(to) }
    }

    /// Converts 0 to an event or another opaque type, or an integer to a sampler.
    fn opaque_from_integer(
        &mut self,
        value: Expr,
        opaque: Opaque,
        to: TypeId,
        action: AssignAction,
    ) -> Result<Expr, ConversionError> {
        let is_zero = self.is_null(&value);
        match opaque {
            Opaque::Event | Opaque::Queue | Opaque::ClkEvent | Opaque::ReserveId if is_zero => {
                Ok(zero(to, value.span))
            }
            Opaque::Sampler if self.is_integer(value.ty) => Ok(self.convert_value(value, to)),
            _ => Err(self.conversion_error(value.ty, to, action, ConversionProblem::IncompatibleTypes)),
        }
    }

    /// Checks whether `value` is a null pointer constant: 0, or 0 cast to `void *`.
    pub fn is_null(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Zero => self.pointee(value.ty).is_some_and(|to| to.ty == self.types.common.void),
            ExprKind::Load(_) | ExprKind::Call(..) => false,
            _ => self.is_integer(value.ty) && self.constant_integer(value) == Some(0),
        }
    }

    /// Checks whether a pointer into `from` converts implicitly to one into `to` (s6.7.9).
    pub fn is_space_convertible(&self, from: Space, to: Space) -> bool {
        from == to || to == Space::Generic && from != Space::Constant
    }

    fn pointer_compatibility(&self, from: QualType, to: QualType) -> PointerCompatibility {
        if !self.is_space_convertible(from.space, to.space) {
            return PointerCompatibility::IncompatibleSpaces;
        }
        let is_void = from.ty == self.types.common.void || to.ty == self.types.common.void;
        if self.same_elements(from.ty, to.ty) {
            return PointerCompatibility::Compatible;
        }
        if from.ty != to.ty && !is_void {
            return match (self.pointee(from.ty), self.pointee(to.ty)) {
                (Some(a), Some(b)) if self.spaces_differ(a, b) => {
                    PointerCompatibility::IncompatibleNestedSpaces
                }
                _ => PointerCompatibility::DifferentPointees,
            };
        }
        let drops_const = from.is_const && !to.is_const && to.space != Space::Constant;
        if drops_const || from.is_volatile && !to.is_volatile {
            return PointerCompatibility::DropsQualifiers;
        }
        PointerCompatibility::Compatible
    }

    /// Checks whether two array types differ only in qualifiers of their elements, and the conversion loses none.
    fn same_elements(&self, from: TypeId, to: TypeId) -> bool {
        match (self.types.get(from), self.types.get(to)) {
            (Type::Array(a, m), Type::Array(b, n)) => {
                from != to
                    && a.ty == b.ty
                    && m == n
                    && a.is_const <= b.is_const
                    && a.is_volatile <= b.is_volatile
            }
            _ => false,
        }
    }

    fn spaces_differ(&self, a: QualType, b: QualType) -> bool {
        if a.space != b.space {
            return true;
        }
        match (self.pointee(a.ty), self.pointee(b.ty)) {
            (Some(a), Some(b)) => self.spaces_differ(a, b),
            _ => false,
        }
    }

    /// Checks an implicit conversion between pointers; each array has the source, then the target.
    fn check_pointers(
        &mut self,
        pointees: [QualType; 2],
        types: [TypeId; 2],
        action: AssignAction,
        span: Span,
    ) -> Result<(), ConversionError> {
        let ([from_pointee, to_pointee], [from, to]) = (pointees, types);
        match self.pointer_compatibility(from_pointee, to_pointee) {
            PointerCompatibility::Compatible => {}
            PointerCompatibility::DropsQualifiers => {
                let conversion = self.assign_conversion(from, to, action);
                let message = format!("{conversion}: this drops 'const' or 'volatile'");
                self.warning(span, message);
            }
            PointerCompatibility::DifferentPointees => {
                let conversion = self.assign_conversion(from, to, action);
                let message = format!("{conversion}: the pointers are to different types");
                self.warning(span, message);
            }
            PointerCompatibility::IncompatibleSpaces => {
                return Err(self.conversion_error(from, to, action, ConversionProblem::AddressSpaces));
            }
            PointerCompatibility::IncompatibleNestedSpaces => {
                return Err(self.conversion_error(from, to, action, ConversionProblem::NestedAddressSpaces));
            }
        }
        Ok(())
    }

    /// Builds the cast `(ty)operand` (C99 s6.5.4, OpenCL C s6.4.2).
    pub fn cast_to(&mut self, ty: DeclaredType, operand: Operand, open: Span) -> Expr {
        let to = ty.ty;
        let span = open.to(operand.span());
        if ty.space.is_some() && self.elem_and_lanes(to).is_some() && !self.in_library() {
            self.error(open, "a cast cannot have an address space of its own");
        }
        if to == self.types.common.void {
            let mut value = self.discarded_value(operand);
            value.span = span;
            return value;
        }
        let value = self.value(operand);
        if value.ty == self.types.common.error || to == self.types.common.error {
            return self.error_expr(span);
        }
        self.check_half_object(to, open);
        let from = value.ty;
        match self.cast_kind(&value, to) {
            Ok(()) => {}
            Err(reason) => {
                let (from, to) = (self.type_text(from), self.type_text(to));
                self.error(span, format!("cannot cast '{from}' to '{to}'{reason}"));
                return self.error_expr(span);
            }
        }
        if self.pointee(to).is_some() && self.is_integer(from) && self.is_null(&value) {
            return zero(to, span);
        }
        if matches!(self.types.get(to), Type::Opaque(o) if !matches!(o, Opaque::Sampler)) && from != to {
            return zero(to, span);
        }
        let mut value = self.convert_value(value, to);
        value.span = span;
        value
    }

    /// Checks whether the cast is allowed; the error is the end of a sentence.
    fn cast_kind(&self, value: &Expr, to: TypeId) -> Result<(), &'static str> {
        if value.ty == to {
            return Ok(());
        }
        match (self.types.get(value.ty), self.types.get(to)) {
            (Type::Vector(..), Type::Vector(..)) => Err("; use convert_ or as_"),
            (Type::Bool | Type::Scalar(_), Type::Bool | Type::Scalar(_) | Type::Vector(..)) => Ok(()),
            (Type::Pointer(_), Type::Bool) => Ok(()),
            (Type::Pointer(_), Type::Scalar(s)) if !s.is_float() => Ok(()),
            (Type::Bool, Type::Pointer(_)) => Ok(()),
            (Type::Scalar(s), Type::Pointer(_)) if !s.is_float() => Ok(()),
            (Type::Pointer(a), Type::Pointer(b)) => self.cast_spaces(value, a.space, b.space),
            (Type::Scalar(_), Type::Opaque(Opaque::Sampler)) => Ok(()),
            (
                Type::Scalar(_) | Type::Bool,
                Type::Opaque(Opaque::Event | Opaque::Queue | Opaque::ClkEvent | Opaque::ReserveId),
            ) if self.is_null(value) => Ok(()),
            _ => Err(""),
        }
    }

    fn cast_spaces(&self, value: &Expr, from: Space, to: Space) -> Result<(), &'static str> {
        let generic = |a: Space, b: Space| a == Space::Generic && b != Space::Constant;
        if from == to || generic(from, to) || generic(to, from) || self.is_null(value) {
            return Ok(());
        }
        Err(": the address spaces do not convert")
    }

    /// Performs the usual arithmetic conversions (C99 s6.3.1.8, OpenCL C s6.4.6) of both operands to one type. The
    /// error is the end of a sentence that gives the reason.
    pub fn usual_arithmetic_conversions(&mut self, a: Expr, b: Expr) -> Result<(Expr, Expr), &'static str> {
        let (Some(a), Some(b)) = (self.promote_bool(a), self.promote_bool(b)) else {
            return Err("");
        };
        let (x, y) = (self.elem_and_lanes(a.ty), self.elem_and_lanes(b.ty));
        let (Some((sx, nx)), Some((sy, ny))) = (x, y) else {
            return Err("");
        };
        match (nx, ny) {
            (1, 1) => {
                let (a, b) = (self.promote(a), self.promote(b));
                let (Some((sx, _)), Some((sy, _))) = (self.elem_and_lanes(a.ty), self.elem_and_lanes(b.ty))
                else {
                    return Err("");
                };
                let common = self.arithmetic_type(sx.max(sy), 1);
                Ok((self.convert_value(a, common), self.convert_value(b, common)))
            }
            _ if nx == ny => match sx == sy {
                true => Ok((a, b)),
                false => Err(": vectors of different types do not convert to each other"),
            },
            (1, _) => {
                let a = self.splat(a, sx, sy, b.ty)?;
                Ok((a, b))
            }
            (_, 1) => {
                let b = self.splat(b, sy, sx, a.ty)?;
                Ok((a, b))
            }
            _ => Err(": the vectors have different numbers of components"),
        }
    }

    /// Broadcasts a scalar to all lanes of a vector; its type must not have a higher rank than the element type.
    fn splat(
        &mut self,
        value: Expr,
        scalar: Scalar,
        element: Scalar,
        vector: TypeId,
    ) -> Result<Expr, &'static str> {
        let outranks = scalar > element;
        if outranks {
            return Err(": the scalar's type has a higher rank than the vector's element");
        }
        Ok(self.convert_value(value, vector))
    }

    /// Converts `bool` to `int`; returns `None` for a value that is not a number.
    fn promote_bool(&mut self, value: Expr) -> Option<Expr> {
        if value.ty == self.types.common.bool {
            return Some(self.promote(value));
        }
        self.elem_and_lanes(value.ty)?;
        Some(value)
    }

    /// Performs the default argument promotions (C99 s6.5.2.2p6).
    pub fn promote_argument(&mut self, value: Expr) -> Expr {
        if let Type::Scalar(s @ (Scalar::Float | Scalar::Half)) = *self.types.get(value.ty) {
            let wide = if self.target.fp64 { Scalar::Double } else { Scalar::Float };
            if s != wide {
                let wide = self.arithmetic_type(wide, 1);
                return self.convert_value(value, wide);
            }
            return value;
        }
        self.promote(value)
    }
}

/// Returns a value of type `ty` with all bytes zero.
pub fn zero(ty: TypeId, span: Span) -> Expr {
    Expr { kind: ExprKind::Zero, ty, span }
}
