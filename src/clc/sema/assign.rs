//! Assignments (C99 s6.5.16, s6.5.2.4): checks that the left side is modifiable and converts the right side to its
//! type.

use super::binary::requires_integers;
use super::convert::AssignAction;
use crate::parse::Operand;
use crate::session::Session;
use crate::tree::{BinaryOp, Expr, ExprKind, Lvalue, LvalueKind};
use crate::types::{Opaque, QualType, Space, Type, TypeId};
use grus_support::diag::Span;

impl Session<'_> {
    /// Returns the lvalue of `operand`; reports an error and returns `None` if it cannot be modified.
    fn modifiable_lvalue(&mut self, operand: Operand, at: Span) -> Option<Lvalue> {
        let span = operand.span();
        let lvalue = match operand {
            Operand::Lvalue(lvalue) => lvalue,
            Operand::Value(value) if value.ty == self.types.common.error => return None,
            _ => {
                self.error(at, "this cannot be assigned to");
                return None;
            }
        };
        let message = match (&lvalue.kind, self.types.get(lvalue.ty.ty)) {
            _ if is_temporary(&lvalue) => "this is a value and cannot be assigned to",
            (LvalueKind::Swizzle(_, lanes), _) if has_duplicate(lanes) => {
                "a component occurs twice in what is assigned to"
            }
            (_, Type::Block(_)) => "a block variable is 'const' and cannot be assigned to",
            _ if lvalue.ty.space == Space::Constant => "cannot write to the constant address space",
            _ if lvalue.ty.is_const => "cannot write to something 'const'",
            (_, Type::Array(..)) => "an array cannot be assigned to",
            (_, Type::Opaque(Opaque::Image(..) | Opaque::Sampler)) => {
                "images and samplers cannot be assigned to"
            }
            (_, Type::Pipe(..)) => "pipes cannot be assigned to",
            (_, Type::Struct(id)) if self.has_const_member(*id) => {
                "cannot write to a struct with a 'const' member"
            }
            (_, Type::Void) => "cannot write to 'void'",
            (_, Type::Atomic(_)) => "an atomic variable can only be used through the atomic functions",
            _ => return self.check_half_store(lvalue),
        };
        if let Some(captured) = self.captured_variable(&lvalue) {
            let (name, declared) = (captured.name.clone(), captured.declared);
            self.error(span, format!("cannot write to '{name}': the block holds a 'const' copy of it"))
                .note(declared, "declared here, outside of the block");
            return None;
        }
        let declared = self.declaration_of(&lvalue);
        let report = self.error(span, message);
        if let Some(declared) = declared {
            report.note(declared, "declared here");
        }
        None
    }

    /// Returns the span of the declaration of the variable that contains `lvalue`, or that `lvalue` is reached from
    /// through pointers.
    fn declaration_of(&self, lvalue: &Lvalue) -> Option<Span> {
        let (mut lvalue, mut depth) = (lvalue, 0);
        loop {
            depth += 1;
            match &lvalue.kind {
                LvalueKind::Local(id) => return Some(self.function.as_ref()?.locals.get(*id)?.span),
                LvalueKind::Global(id) => return Some(self.unit.globals[*id].span),
                LvalueKind::Field(of, _) | LvalueKind::Swizzle(of, _) => lvalue = of,
                LvalueKind::Deref(pointer) if depth < 100 => {
                    let mut value = pointer;
                    while let ExprKind::PtrAdd(inner, _) = &value.kind {
                        value = inner;
                    }
                    match &value.kind {
                        ExprKind::Load(inner) | ExprKind::AddressOf(inner) => lvalue = inner,
                        _ => return None,
                    }
                }
                _ => return None,
            }
        }
    }

    fn check_half_store(&mut self, lvalue: Lvalue) -> Option<Lvalue> {
        let is_half = self.elem_and_lanes(lvalue.ty.ty).is_some_and(|(s, _)| s == crate::types::Scalar::Half);
        if is_half && !self.target.fp16 {
            let message = "a 'half' cannot be stored without cl_khr_fp16; use vstore_half";
            self.error(lvalue.span, message);
            return None;
        }
        Some(lvalue)
    }

    fn has_const_member(&self, id: crate::types::StructId) -> bool {
        self.types.structs[id].fields.iter().any(|field| {
            field.ty.is_const
                || matches!(self.types.get(field.ty.ty), Type::Struct(inner)
                    if self.has_const_member(*inner))
        })
    }

    /// Builds the simple assignment `lhs = rhs`.
    pub fn assign(&mut self, lhs: Operand, rhs: Operand, at: Span) -> Expr {
        let span = lhs.span().to(rhs.span());
        let Some(lvalue) = self.modifiable_lvalue(lhs, at) else {
            self.value(rhs);
            return self.error_expr(span);
        };
        let ty = lvalue.ty.ty;
        let before = self.diags.error_count();
        let value = self.convert_assign(rhs, ty, AssignAction::Assign);
        if self.diags.error_count() > before {
            let text = self.type_text(ty);
            if let Some(report) = self.diags.last_mut() {
                report.label(lvalue.span, text);
            }
        }
        if value.ty == self.types.common.error {
            return self.error_expr(span);
        }
        Expr { kind: ExprKind::Assign(lvalue, Box::new(value)), ty, span }
    }

    /// Builds the compound assignment `lhs op= rhs`.
    pub fn compound_assign(&mut self, op: BinaryOp, lhs: Operand, rhs: Operand, at: Span) -> Expr {
        let span = lhs.span().to(rhs.span());
        let rhs = self.value(rhs);
        let Some(lvalue) = self.modifiable_lvalue(lhs, at) else {
            return self.error_expr(span);
        };
        if rhs.ty == self.types.common.error || lvalue.ty.ty == self.types.common.error {
            return self.error_expr(span);
        }
        let (ty, rhs_ty) = (lvalue.ty.ty, rhs.ty);
        let sides = [lvalue.span, rhs.span];
        self.check_suspicious_operation(op, None, &rhs);
        match self.compound_operand(op, &lvalue, rhs) {
            Ok((rhs, compute)) => {
                Expr { kind: ExprKind::CompoundAssign { lvalue, op, rhs: Box::new(rhs), compute }, ty, span }
            }
            Err(reason) => {
                self.invalid_operands(op, [ty, rhs_ty], sides, at, reason);
                self.error_expr(span)
            }
        }
    }

    /// Returns the converted right side of a compound assignment, and the type in which the operation is computed.
    fn compound_operand(
        &mut self,
        op: BinaryOp,
        lvalue: &Lvalue,
        rhs: Expr,
    ) -> Result<(Expr, TypeId), &'static str> {
        let ty = lvalue.ty.ty;
        if self.pointee(ty).is_some() {
            if !matches!(op, BinaryOp::Add | BinaryOp::Sub) {
                return Err("");
            }
            let pointer = self.opaque_value(ty, lvalue.span);
            let ExprKind::PtrAdd(_, index) = self.pointer_offset(BinaryOp::Add, pointer, rhs)? else {
                return Err("");
            };
            return Ok((*index, ty));
        }
        let lhs = self.opaque_value(ty, lvalue.span);
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            let lhs = self.promote(lhs);
            let rhs = self.shift_count(&lhs, rhs)?;
            return Ok((rhs, lhs.ty));
        }
        let (lhs, rhs) = self.usual_arithmetic_conversions(lhs, rhs)?;
        let (scalar, lanes) = self.elem_and_lanes(lhs.ty).ok_or("")?;
        if requires_integers(op) && scalar.is_float() {
            return Err(": the operands must be integers");
        }
        if lanes > 1 && self.vector_elem_and_lanes(ty).is_none() {
            return Err(": a vector does not fit into a scalar");
        }
        Ok((rhs, lhs.ty))
    }

    /// Returns a value of type `ty` that is only used to try conversions: it is not a constant and never part of
    /// the tree.
    pub fn opaque_value(&self, ty: TypeId, span: Span) -> Expr {
        let kind = LvalueKind::Local(crate::tree::LocalId(u32::MAX));
        let lvalue = Lvalue { kind, ty: QualType::new(ty, Space::Private), span };
        Expr { kind: ExprKind::Load(lvalue), ty, span }
    }

    /// Builds a prefix or postfix `++` or `--`.
    pub fn inc_dec(&mut self, operand: Operand, increment: bool, prefix: bool, at: Span) -> Expr {
        let span = at.to(operand.span());
        let Some(lvalue) = self.modifiable_lvalue(operand, at) else {
            return self.error_expr(span);
        };
        let ty = lvalue.ty.ty;
        let ok = match self.types.get(ty) {
            Type::Bool | Type::Scalar(_) | Type::Vector(..) => true,
            Type::Pointer(to) => {
                let to = *to;
                self.warn_void_arithmetic(to, lvalue.span);
                true
            }
            Type::Error => return self.error_expr(span),
            _ => false,
        };
        if !ok {
            let name = self.type_text(ty);
            let op = if increment { "++" } else { "--" };
            self.error(at, format!("invalid operand to '{op}': '{name}'"));
            return self.error_expr(span);
        }
        Expr { kind: ExprKind::IncDec { lvalue, increment, prefix }, ty, span }
    }

    /// Converts the operand of `return` to the return type `ret`.
    pub fn return_value(&mut self, operand: Operand, ret: TypeId, at: Span) -> Option<Expr> {
        if ret != self.types.common.void {
            let value = self.convert_assign(operand, ret, AssignAction::Return);
            return Some(value);
        }
        let value = self.discarded_value(operand);
        let is_void = value.ty == self.types.common.error
            || matches!(&value.kind, ExprKind::Call(..) | ExprKind::CallBlock(..))
                && value.ty == self.types.common.void;
        if !is_void {
            self.error(at, "this function returns nothing");
        }
        Some(value)
    }
}

fn is_temporary(lvalue: &Lvalue) -> bool {
    match &lvalue.kind {
        LvalueKind::Temporary(_) => true,
        LvalueKind::Field(of, _) | LvalueKind::Swizzle(of, _) => is_temporary(of),
        _ => false,
    }
}

fn has_duplicate(lanes: &[u8]) -> bool {
    lanes.iter().enumerate().any(|(i, lane)| lanes[..i].contains(lane))
}
