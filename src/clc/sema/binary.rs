//! Binary operators, `?:` and the comma (C99 s6.5.5 to s6.5.17, OpenCL C s6.5).

use super::convert::zero;
use crate::parse::Operand;
use crate::session::Session;
use crate::tree::{BinaryOp, Expr, ExprKind};
use crate::types::{Opaque, QualType, Scalar, Space, Type, TypeId};
use grus_support::diag::Span;

/// Returns the spelling of an operator.
pub(super) fn operator_spelling(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul | BinaryOp::MulUnrounded => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}

/// Checks whether the operator takes only integers.
pub(super) fn requires_integers(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor
    )
}

impl Session<'_> {
    /// Builds `lhs op rhs`.
    pub fn binary_expression(&mut self, op: BinaryOp, lhs: Operand, rhs: Operand, at: Span) -> Expr {
        let (lhs, rhs) = (self.value(lhs), self.value(rhs));
        let span = lhs.span.to(rhs.span);
        if lhs.ty == self.types.common.error || rhs.ty == self.types.common.error {
            return self.error_expr(span);
        }
        let (from, to) = (lhs.ty, rhs.ty);
        let sides = [lhs.span, rhs.span];
        self.check_suspicious_operation(op, Some(&lhs), &rhs);
        let result = match op {
            BinaryOp::And | BinaryOp::Or => self.logical(op, lhs, rhs),
            BinaryOp::Shl | BinaryOp::Shr => self.shift(op, lhs, rhs),
            _ if self.pointee(from).is_some() || self.pointee(to).is_some() => {
                self.pointer_operation(op, lhs, rhs, at)
            }
            BinaryOp::Eq | BinaryOp::Ne if self.is_handle(from) || self.is_handle(to) => {
                self.handle_comparison(op, lhs, rhs)
            }
            _ => self.arithmetic_operation(op, lhs, rhs),
        };
        match result {
            Ok((kind, ty)) => Expr { kind, ty, span },
            Err(reason) => {
                self.invalid_operands(op, [from, to], sides, at, reason);
                self.error_expr(span)
            }
        }
    }

    pub(super) fn invalid_operands(
        &mut self,
        op: BinaryOp,
        types: [TypeId; 2],
        sides: [Span; 2],
        at: Span,
        reason: &str,
    ) {
        let [l, r] = types.map(|ty| self.type_text(ty));
        let op = operator_spelling(op);
        let message = format!("invalid operands to '{op}': '{l}' and '{r}'{reason}");
        self.error(at, message).label(sides[0], l).label(sides[1], r);
    }

    fn arithmetic_operation(
        &mut self,
        op: BinaryOp,
        lhs: Expr,
        rhs: Expr,
    ) -> Result<(ExprKind, TypeId), &'static str> {
        let (lhs, rhs) = self.usual_arithmetic_conversions(lhs, rhs)?;
        let (scalar, lanes) = self.elem_and_lanes(lhs.ty).ok_or("")?;
        if requires_integers(op) && scalar.is_float() {
            return Err(": the operands must be integers");
        }
        let ty = match lanes {
            _ if !is_comparison(op) => lhs.ty,
            1 => self.types.common.int,
            _ => self.arithmetic_type(scalar.signed_same_size(), lanes),
        };
        // Library code is never contracted: every product in it is rounded.
        let has_fma = if scalar == Scalar::Half { self.target.half_fma } else { self.target.fma };
        let may_contract = self.context.fp_contract() && has_fma && !self.in_library();
        let op = match op {
            BinaryOp::Mul if may_contract && scalar.is_float() => BinaryOp::MulUnrounded,
            op => op,
        };
        let kind = ExprKind::Binary(op, Box::new(lhs), Box::new(rhs));
        Ok((kind, ty))
    }

    /// Builds a shift (s6.5.10); the type of the left operand is the type of the result.
    pub(super) fn shift(
        &mut self,
        op: BinaryOp,
        lhs: Expr,
        rhs: Expr,
    ) -> Result<(ExprKind, TypeId), &'static str> {
        let lhs = self.promote(lhs);
        let rhs = self.shift_count(&lhs, rhs)?;
        let ty = lhs.ty;
        Ok((ExprKind::Binary(op, Box::new(lhs), Box::new(rhs)), ty))
    }

    /// Converts the right operand of a shift to as many lanes as the left one has.
    pub(super) fn shift_count(&mut self, lhs: &Expr, rhs: Expr) -> Result<Expr, &'static str> {
        let rhs = self.promote(rhs);
        let (Some((ls, ln)), Some((rs, rn))) = (self.elem_and_lanes(lhs.ty), self.elem_and_lanes(rhs.ty))
        else {
            return Err("");
        };
        if ls.is_float() || rs.is_float() {
            return Err(": the operands must be integers");
        }
        match (ln, rn) {
            _ if ln == rn => Ok(rhs),
            (1, _) => Err(": a scalar cannot be shifted by a vector"),
            (_, 1) => {
                // Only the low bits of a shift count matter, so conversion to the element type of the left operand
                // is safe.
                let counts = self.arithmetic_type(ls, ln);
                Ok(self.convert_value(rhs, counts))
            }
            _ => Err(": the vectors have different numbers of components"),
        }
    }

    /// Builds `&&` or `||` (s6.5.8).
    fn logical(&mut self, op: BinaryOp, lhs: Expr, rhs: Expr) -> Result<(ExprKind, TypeId), &'static str> {
        if self.vector_elem_and_lanes(lhs.ty).is_some() || self.vector_elem_and_lanes(rhs.ty).is_some() {
            let (lhs, rhs) = self.usual_arithmetic_conversions(lhs, rhs)?;
            let (scalar, lanes) = self.elem_and_lanes(lhs.ty).ok_or("")?;
            let ty = self.arithmetic_type(scalar.signed_same_size(), lanes);
            return Ok((ExprKind::Binary(op, Box::new(lhs), Box::new(rhs)), ty));
        }
        for side in [&lhs, &rhs] {
            let truth = self.is_scalar_number(side.ty) || self.pointee(side.ty).is_some();
            if !truth {
                return Err("");
            }
        }
        let kind = ExprKind::Logical { and: op == BinaryOp::And, lhs: Box::new(lhs), rhs: Box::new(rhs) };
        Ok((kind, self.types.common.int))
    }

    /// Checks whether values of a type can be compared with each other and with null. Other compilers allow it;
    /// s6.5 does not, although functions return CLK_NULL_QUEUE.
    fn is_handle(&self, ty: TypeId) -> bool {
        matches!(
            self.types.get(ty),
            Type::Opaque(Opaque::Queue | Opaque::ClkEvent | Opaque::ReserveId | Opaque::Event)
        )
    }

    fn handle_comparison(
        &mut self,
        op: BinaryOp,
        lhs: Expr,
        rhs: Expr,
    ) -> Result<(ExprKind, TypeId), &'static str> {
        let (lhs, rhs) = if self.is_null(&rhs) {
            let null = zero(lhs.ty, rhs.span);
            (lhs, null)
        } else if self.is_null(&lhs) {
            (zero(rhs.ty, lhs.span), rhs)
        } else {
            (lhs, rhs)
        };
        if lhs.ty != rhs.ty {
            return Err("");
        }
        Ok((ExprKind::Binary(op, Box::new(lhs), Box::new(rhs)), self.types.common.int))
    }

    fn pointer_operation(
        &mut self,
        op: BinaryOp,
        lhs: Expr,
        rhs: Expr,
        at: Span,
    ) -> Result<(ExprKind, TypeId), &'static str> {
        match (self.pointee(lhs.ty), self.pointee(rhs.ty)) {
            (Some(a), Some(b)) if op == BinaryOp::Sub => self.pointer_difference(lhs, rhs, a, b),
            (Some(_), Some(_)) if is_comparison(op) => self.pointer_comparison(op, lhs, rhs, at),
            (Some(_), None) if matches!(op, BinaryOp::Add | BinaryOp::Sub) => {
                let ty = lhs.ty;
                let kind = self.pointer_offset(op, lhs, rhs)?;
                Ok((kind, ty))
            }
            (None, Some(_)) if op == BinaryOp::Add => {
                let ty = rhs.ty;
                let kind = self.pointer_offset(op, rhs, lhs)?;
                Ok((kind, ty))
            }
            (Some(_), None) if is_comparison(op) && self.is_null(&rhs) => {
                let rhs = zero(lhs.ty, rhs.span);
                self.pointer_comparison(op, lhs, rhs, at)
            }
            (None, Some(_)) if is_comparison(op) && self.is_null(&lhs) => {
                let lhs = zero(rhs.ty, lhs.span);
                self.pointer_comparison(op, lhs, rhs, at)
            }
            _ => Err(""),
        }
    }

    /// Builds `pointer + integer` or `pointer - integer`.
    pub(super) fn pointer_offset(
        &mut self,
        op: BinaryOp,
        pointer: Expr,
        index: Expr,
    ) -> Result<ExprKind, &'static str> {
        let to = self.pointee(pointer.ty).ok_or("")?;
        if !self.is_integer(index.ty) {
            return Err("");
        }
        self.check_pointee_size(to)?;
        self.warn_void_arithmetic(to, pointer.span);
        let mut index = self.convert_value(index, self.types.common.long);
        if op == BinaryOp::Sub {
            let span = index.span;
            index = self.negate(index, span);
        }
        Ok(ExprKind::PtrAdd(Box::new(pointer), Box::new(index)))
    }

    fn check_pointee_size(&self, to: QualType) -> Result<(), &'static str> {
        match self.types.get(to.ty) {
            Type::Struct(id) if !self.types.structs[*id].complete => Err(": the struct is not defined"),
            _ => Ok(()),
        }
    }

    /// Warns of arithmetic on `void *`, which counts bytes as in GNU C, if all warnings are enabled.
    pub(super) fn warn_void_arithmetic(&mut self, to: QualType, span: Span) {
        if to.ty == self.types.common.void && self.options.all_warnings {
            self.warning(span, "arithmetic on a pointer to 'void' counts bytes: this is GNU C");
        }
    }

    fn pointer_difference(
        &mut self,
        lhs: Expr,
        rhs: Expr,
        a: QualType,
        b: QualType,
    ) -> Result<(ExprKind, TypeId), &'static str> {
        if a.ty != b.ty {
            return Err(": the pointers are to different types");
        }
        self.check_pointee_size(a)?;
        self.warn_void_arithmetic(a, lhs.span);
        let (lhs, rhs, _) = self.composite_pointers(lhs, rhs)?;
        let kind = ExprKind::PtrDiff(Box::new(lhs), Box::new(rhs));
        Ok((kind, self.types.common.long))
    }

    fn pointer_comparison(
        &mut self,
        op: BinaryOp,
        lhs: Expr,
        rhs: Expr,
        at: Span,
    ) -> Result<(ExprKind, TypeId), &'static str> {
        let (lhs, rhs, other) = self.composite_pointers(lhs, rhs)?;
        if other {
            self.warning(at, "the pointers compared are to different types");
        }
        let kind = ExprKind::Binary(op, Box::new(lhs), Box::new(rhs));
        Ok((kind, self.types.common.int))
    }

    /// Converts two pointers to a common type, and returns `true` with them if their pointees differ. The address
    /// spaces must overlap (s6.7.9); a null pointer converts to any.
    fn composite_pointers(&mut self, lhs: Expr, rhs: Expr) -> Result<(Expr, Expr, bool), &'static str> {
        let (Some(a), Some(b)) = (self.pointee(lhs.ty), self.pointee(rhs.ty)) else {
            return Err("");
        };
        if self.is_null(&lhs) {
            let lhs = zero(rhs.ty, lhs.span);
            return Ok((lhs, rhs, false));
        }
        if self.is_null(&rhs) {
            let rhs = zero(lhs.ty, rhs.span);
            return Ok((lhs, rhs, false));
        }
        let space = match (a.space, b.space) {
            (x, y) if x == y => x,
            (Space::Generic, other) | (other, Space::Generic) if other != Space::Constant => Space::Generic,
            _ => return Err(": the address spaces do not overlap"),
        };
        let is_void = |t: QualType| t.ty == self.types.common.void;
        let other = a.ty != b.ty && !is_void(a) && !is_void(b);
        let ty = if is_void(a) { a.ty } else { b.ty };
        let common = QualType {
            ty: if a.ty == b.ty { a.ty } else { ty },
            space,
            is_const: a.is_const || b.is_const,
            is_volatile: a.is_volatile || b.is_volatile,
            is_restrict: false,
        };
        let ty = self.pointer(common);
        let (lhs, rhs) = (self.convert_value(lhs, ty), self.convert_value(rhs, ty));
        Ok((lhs, rhs, other))
    }

    /// Builds the comma expression `lhs, rhs`.
    pub fn comma(&mut self, lhs: Operand, rhs: Operand) -> Operand {
        let lhs = self.discarded_value(lhs);
        let rhs = match rhs {
            Operand::Lvalue(p) if p.ty.ty == self.types.common.void => {
                self.discarded_value(Operand::Lvalue(p))
            }
            rhs => self.value(rhs),
        };
        let span = lhs.span.to(rhs.span);
        let ty = rhs.ty;
        Operand::Value(Expr { kind: ExprKind::Comma(Box::new(lhs), Box::new(rhs)), ty, span })
    }

    /// Builds `condition ? yes : no` (s6.5.9).
    pub fn conditional_operator(&mut self, condition: Operand, yes: Operand, no: Operand, at: Span) -> Expr {
        let condition = self.value(condition);
        let is_void = |s: &Self, o: &Operand| match o {
            Operand::Value(e) => e.ty == s.types.common.void,
            Operand::Lvalue(p) => p.ty.ty == s.types.common.void,
            _ => false,
        };
        if is_void(self, &yes) && is_void(self, &no) {
            let condition = self.condition(Operand::Value(condition));
            let (yes, no) = (self.discarded_value(yes), self.discarded_value(no));
            let span = condition.span.to(no.span);
            let kind = ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no));
            let ty = self.types.common.void;
            return Expr { kind, ty, span };
        }
        let (yes, no) = (self.value(yes), self.value(no));
        let span = condition.span.to(no.span);
        let error = self.types.common.error;
        if condition.ty == error || yes.ty == error || no.ty == error {
            return self.error_expr(span);
        }
        if self.is_block(yes.ty) || self.is_block(no.ty) {
            self.error(at, "a block cannot be an operand of '?:'");
            return self.error_expr(span);
        }
        if self.vector_elem_and_lanes(condition.ty).is_some() {
            return self.vector_conditional(condition, yes, no, span);
        }
        let condition = self.condition(Operand::Value(condition));
        let (from, to) = (yes.ty, no.ty);
        let sides = [yes.span, no.span];
        match self.conditional_operands(yes, no, at) {
            Ok((yes, no)) => {
                let ty = yes.ty;
                let kind = ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no));
                Expr { kind, ty, span }
            }
            Err(reason) => {
                let (a, b) = (self.type_text(from), self.type_text(to));
                let message = format!("the choices of '?:' do not go together: '{a}' and '{b}'");
                self.error(at, format!("{message}{reason}")).label(sides[0], a).label(sides[1], b);
                self.error_expr(span)
            }
        }
    }

    fn conditional_operands(&mut self, yes: Expr, no: Expr, at: Span) -> Result<(Expr, Expr), &'static str> {
        if yes.ty == no.ty {
            // Small integers are promoted, as operands of any other operator are.
            return Ok((self.promote(yes), self.promote(no)));
        }
        match (self.pointee(yes.ty), self.pointee(no.ty)) {
            (Some(_), Some(_)) => {
                let (yes, no, other) = self.composite_pointers(yes, no)?;
                if other {
                    self.warning(at, "the choices of '?:' are pointers to different types");
                }
                Ok((yes, no))
            }
            (Some(_), None) if self.is_null(&no) => {
                let no = zero(yes.ty, no.span);
                Ok((yes, no))
            }
            (None, Some(_)) if self.is_null(&yes) => {
                let yes = zero(no.ty, yes.span);
                Ok((yes, no))
            }
            _ => self.usual_arithmetic_conversions(yes, no),
        }
    }

    fn vector_conditional(&mut self, condition: Expr, yes: Expr, no: Expr, span: Span) -> Expr {
        let (scalar, lanes) = self.vector_elem_and_lanes(condition.ty).expect("the caller saw a vector");
        if scalar.is_float() {
            let message = "the condition of a vector '?:' must be of integers";
            self.error(condition.span, message);
            return self.error_expr(span);
        }
        let (from, to) = (yes.ty, no.ty);
        let joined = match (self.vector_elem_and_lanes(from), self.vector_elem_and_lanes(to)) {
            (None, None) => match (self.elem_and_lanes(from), self.elem_and_lanes(to)) {
                // Vector elements are not promoted: the common element type is the one of higher rank.
                (Some((a, _)), Some((b, _))) => {
                    let wide = self.arithmetic_type(a.max(b), lanes);
                    Ok((self.convert_value(yes, wide), self.convert_value(no, wide)))
                }
                _ => self.usual_arithmetic_conversions(yes, no),
            },
            _ => self.usual_arithmetic_conversions(yes, no),
        };
        let fits = |s: &Self, ty: TypeId| {
            s.elem_and_lanes(ty).is_some_and(|(element, n)| n == lanes && element.size() == scalar.size())
        };
        match joined {
            Ok((yes, no)) if fits(self, yes.ty) => {
                let ty = yes.ty;
                let kind = ExprKind::Blend(Box::new(condition), Box::new(yes), Box::new(no));
                Expr { kind, ty, span }
            }
            Ok((yes, _)) => {
                let (c, v) = (self.type_text(condition.ty), self.type_text(yes.ty));
                let message = format!("a condition of type '{c}' cannot choose lanes of '{v}'");
                self.error(condition.span, message);
                self.error_expr(span)
            }
            Err(reason) => {
                let (a, b) = (self.type_text(from), self.type_text(to));
                let message = format!("the choices of '?:' do not go together: '{a}' and '{b}'");
                self.error(span, format!("{message}{reason}"));
                self.error_expr(span)
            }
        }
    }
}
