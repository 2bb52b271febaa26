//! Statements that are probably not meant: an assignment as a condition, `;` as a body, the address of a local
//! variable returned.

use super::{PendingWarning, operands};
use crate::session::Session;
use crate::tree::{Expr, ExprKind, LvalueKind, Stmt, StmtKind};
use grus_support::diag::Span;

/// Checks all statements in `body`.
pub(super) fn check(session: &Session<'_>, body: &[Stmt], out: &mut Vec<PendingWarning>) {
    operands::statements(body, &mut |statement| match &statement.kind {
        StmtKind::If(condition, then, or) => {
            assigned_condition(session, condition, out);
            if or.is_none() && matches!(then.kind, StmtKind::Empty) {
                empty_body(session, condition, then.span, out);
            }
        }
        StmtKind::While(condition, _) | StmtKind::DoWhile(_, condition) => {
            assigned_condition(session, condition, out);
        }
        StmtKind::For { cond: Some(condition), .. } => assigned_condition(session, condition, out),
        StmtKind::Return(Some(value)) => returned_address(session, value, out),
        _ => {}
    });
}

/// Warns of `if (a = b)`; the extra parentheses of `if ((a = b))` mark it as intended.
fn assigned_condition(session: &Session<'_>, condition: &Expr, out: &mut Vec<PendingWarning>) {
    if let ExprKind::Assign(lvalue, _) = &condition.kind
        && lvalue.span.lo == condition.span.lo
        && !session.is_from_macro(condition.span)
    {
        let message = "an assignment is used as a condition; '==' compares, a second pair of \
                       parentheses says that this is meant";
        out.push(PendingWarning::new(condition.span, message));
    }
}

/// Warns of `if (a);` if the semicolon follows immediately. A semicolon on another line, or from a macro, is an
/// intentionally empty body.
fn empty_body(session: &Session<'_>, condition: &Expr, semicolon: Span, out: &mut Vec<PendingWarning>) {
    let between = Span { lo: condition.span.hi, hi: semicolon.lo };
    let text = if between.lo <= between.hi { session.source.map.text_of(between) } else { None };
    let is_tight = text.is_some_and(|t| t.chars().all(|c| matches!(c, ')' | ' ' | '\t')));
    if is_tight && !session.is_from_macro(semicolon) && !session.is_from_macro(condition.span) {
        out.push(PendingWarning::new(semicolon, "the body of this 'if' is empty"));
    }
}

fn returned_address(session: &Session<'_>, value: &Expr, out: &mut Vec<PendingWarning>) {
    let mut at = value;
    loop {
        match &at.kind {
            ExprKind::Convert(inner) | ExprKind::PtrAdd(inner, _) if session.pointee(inner.ty).is_some() => {
                at = inner;
            }
            ExprKind::AddressOf(lvalue) => {
                let is_local = operands::root(lvalue).is_some();
                if is_local && !matches!(lvalue.kind, LvalueKind::Deref(_)) {
                    let message = "the variable whose address is returned ends with the function";
                    out.push(PendingWarning::new(value.span, message));
                }
                return;
            }
            _ => return,
        }
    }
}
