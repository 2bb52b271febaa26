//! Cheap filter during parsing: marks the functions in which `values.rs` may find something to report.
//! Most functions are not marked and need no second walk.

use crate::session::Session;
use crate::tree::{BinaryOp, Expr, ExprKind, LvalueKind};

/// Depth to which an operand is examined.
// Arbitrary.
const MAX_OPERAND_DEPTH: u32 = 4;

impl Session<'_> {
    /// Marks the function if an operation may be suspicious; `lhs` is missing for compound assignments.
    pub fn check_suspicious_operation(&mut self, op: BinaryOp, lhs: Option<&Expr>, rhs: &Expr) {
        let is_suspicious = match op {
            BinaryOp::Div | BinaryOp::Rem => {
                !matches!(rhs.kind, ExprKind::Int(1..)) && is_constant(rhs, MAX_OPERAND_DEPTH)
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                is_constant(rhs, MAX_OPERAND_DEPTH)
                    && lhs.is_some_and(|lhs| is_constant(lhs, MAX_OPERAND_DEPTH))
            }
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                lhs.is_some_and(|lhs| same_variable(lhs, rhs))
            }
            _ => false,
        };
        if is_suspicious {
            self.mark_suspicious();
        }
    }

    /// Marks the function being parsed for `values.rs`.
    pub fn mark_suspicious(&mut self) {
        if let Some(function) = &self.function {
            self.usage.mark_suspicious(function.id);
        }
    }
}

/// Checks whether `expr` may consist of constants only.
fn is_constant(expr: &Expr, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return true;
    };
    match &expr.kind {
        ExprKind::Int(_) => true,
        ExprKind::Unary(_, a) | ExprKind::Convert(a) => is_constant(a, depth),
        ExprKind::Binary(_, a, b) | ExprKind::Logical { lhs: a, rhs: b, .. } => {
            is_constant(a, depth) && is_constant(b, depth)
        }
        ExprKind::Conditional(c, a, b) => {
            is_constant(c, depth) && (is_constant(a, depth) || is_constant(b, depth))
        }
        _ => false,
    }
}

/// Checks whether both expressions load the same variable.
pub(super) fn same_variable(lhs: &Expr, rhs: &Expr) -> bool {
    let local = |e: &Expr| match &e.kind {
        ExprKind::Load(lvalue) => match lvalue.kind {
            LvalueKind::Local(id) if !lvalue.ty.is_volatile => Some(id),
            _ => None,
        },
        _ => None,
    };
    local(lhs).is_some() && local(lhs) == local(rhs)
}
