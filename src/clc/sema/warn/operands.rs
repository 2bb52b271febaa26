//! Operands of tree nodes, for walks that treat most nodes alike.

use crate::tree::{Expr, ExprKind, Init, LocalId, Lvalue, LvalueKind, Stmt, StmtKind};

/// Calls `each` for every direct operand of `expr`, in order of evaluation.
pub(super) fn of_expr<'e>(expr: &'e Expr, each: &mut dyn FnMut(&'e Expr)) {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zero => {}
        ExprKind::Load(lvalue) | ExprKind::AddressOf(lvalue) | ExprKind::IncDec { lvalue, .. } => {
            of_lvalue(lvalue, each);
        }
        ExprKind::Unary(_, a) | ExprKind::Convert(a) | ExprKind::Bitcast(a) | ExprKind::Swizzle(a, _) => {
            each(a);
        }
        ExprKind::Binary(_, a, b)
        | ExprKind::PtrAdd(a, b)
        | ExprKind::PtrDiff(a, b)
        | ExprKind::Comma(a, b)
        | ExprKind::Logical { lhs: a, rhs: b, .. } => {
            each(a);
            each(b);
        }
        ExprKind::Conditional(a, b, c) | ExprKind::Blend(a, b, c) => {
            each(a);
            each(b);
            each(c);
        }
        ExprKind::Statements(list, last) => {
            statements(list, &mut |statement| of_statement(statement, each));
            each(last);
        }
        ExprKind::VectorLiteral(list) | ExprKind::Call(_, list) => list.iter().for_each(each),
        ExprKind::CallBlock(block, args) => {
            each(block);
            args.iter().for_each(each);
        }
        ExprKind::Assign(lvalue, value) | ExprKind::CompoundAssign { lvalue, rhs: value, .. } => {
            of_lvalue(lvalue, each);
            each(value);
        }
    }
}

/// Calls `each` for every expression directly in a statement; nested statements are not visited.
fn of_statement<'e>(statement: &'e Stmt, each: &mut dyn FnMut(&'e Expr)) {
    match &statement.kind {
        StmtKind::Expr(value) | StmtKind::If(value, ..) | StmtKind::While(value, _) => each(value),
        StmtKind::DoWhile(_, value) | StmtKind::Switch { value, .. } => each(value),
        StmtKind::Decl(_, init) => init.iter().for_each(|init| of_init(init, each)),
        StmtKind::For { cond, step, .. } => cond.iter().chain(step).for_each(each),
        StmtKind::Return(value) => value.iter().for_each(each),
        StmtKind::Empty
        | StmtKind::Unroll(_)
        | StmtKind::Block(_)
        | StmtKind::Label(_)
        | StmtKind::Goto(_)
        | StmtKind::Break
        | StmtKind::Continue => {}
    }
}

/// Calls `each` for every expression directly in an lvalue.
pub(super) fn of_lvalue<'e>(lvalue: &'e Lvalue, each: &mut dyn FnMut(&'e Expr)) {
    match &lvalue.kind {
        LvalueKind::Local(_) | LvalueKind::Global(_) => {}
        LvalueKind::Deref(value) | LvalueKind::Temporary(value) => each(value),
        LvalueKind::Field(of, _) | LvalueKind::Swizzle(of, _) => of_lvalue(of, each),
        LvalueKind::CompoundLiteral(_, init) => of_init(init, each),
    }
}

/// Calls `each` for every expression directly in an initializer.
pub(super) fn of_init<'e>(init: &'e Init, each: &mut dyn FnMut(&'e Expr)) {
    match init {
        Init::Value(value) => each(value),
        Init::Parts(parts) => parts.iter().for_each(|p| each(&p.1)),
    }
}

/// Returns the variable that contains the lvalue, and `true` if the lvalue is all of it.
pub(super) fn root(lvalue: &Lvalue) -> Option<(LocalId, bool)> {
    match &lvalue.kind {
        LvalueKind::Local(id) => Some((*id, true)),
        LvalueKind::CompoundLiteral(id, _) => Some((*id, true)),
        LvalueKind::Field(of, _) | LvalueKind::Swizzle(of, _) => Some((root(of)?.0, false)),
        LvalueKind::Global(_) | LvalueKind::Deref(_) | LvalueKind::Temporary(_) => None,
    }
}

/// Calls `each` for every statement in `list`, at any depth.
pub(super) fn statements<'s>(list: &'s [Stmt], each: &mut dyn FnMut(&'s Stmt)) {
    for statement in list {
        each(statement);
        match &statement.kind {
            StmtKind::Block(list) => statements(list, each),
            StmtKind::If(_, then, or) => {
                statements(std::slice::from_ref(then), each);
                if let Some(or) = or {
                    statements(std::slice::from_ref(or), each);
                }
            }
            StmtKind::While(_, body) | StmtKind::DoWhile(body, _) | StmtKind::Switch { body, .. } => {
                statements(std::slice::from_ref(body), each);
            }
            StmtKind::For { init, body, .. } => {
                statements(init, each);
                statements(std::slice::from_ref(body), each);
            }
            StmtKind::Empty
            | StmtKind::Unroll(_)
            | StmtKind::Expr(_)
            | StmtKind::Decl(..)
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_) => {}
        }
    }
}
