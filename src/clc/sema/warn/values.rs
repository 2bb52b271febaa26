//! Constant operands that are probably a mistake: division by zero, overflow, a variable compared with itself.
//! Values are computed bottom-up, once for each node; code that a constant condition excludes is not examined.

use super::super::evaluate::{self, ScalarConst};
use super::suspicious::same_variable;
use super::{PendingWarning, format, operands};
use crate::session::Session;
use crate::tree::{BinaryOp, Expr, ExprKind, FunctionId, Stmt, StmtKind};
use crate::types::{Scalar, Type, TypeId};

struct ValueWalk<'s, 'o> {
    session: &'s Session<'s>,
    /// Function whose body is examined.
    function: FunctionId,
    out: &'o mut Vec<PendingWarning>,
}

/// Checks all expressions in `body`, the body of `function`.
pub(super) fn check(
    session: &Session<'_>,
    function: FunctionId,
    body: &[Stmt],
    out: &mut Vec<PendingWarning>,
) {
    ValueWalk { session, function, out }.list(body);
}

impl ValueWalk<'_, '_> {
    fn list(&mut self, list: &[Stmt]) {
        list.iter().for_each(|s| self.statement(s));
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Expr(value) | StmtKind::Return(Some(value)) => _ = self.value(value),
            StmtKind::Decl(_, Some(init)) => operands::of_init(init, &mut |e| _ = self.value(e)),
            StmtKind::Block(list) => self.list(list),
            StmtKind::If(condition, then, or) => {
                let known = self.value(condition).map(ScalarConst::truth);
                if known != Some(false) {
                    self.statement(then);
                }
                if let Some(or) = or.as_ref().filter(|_| known != Some(true)) {
                    self.statement(or);
                }
            }
            StmtKind::While(condition, body) => {
                if self.value(condition).map(ScalarConst::truth) != Some(false) {
                    self.statement(body);
                }
            }
            StmtKind::DoWhile(body, condition) => {
                self.statement(body);
                self.value(condition);
            }
            StmtKind::For { init, cond, step, body } => {
                self.list(init);
                let known = cond.as_ref().and_then(|c| self.value(c)).map(ScalarConst::truth);
                if known != Some(false) {
                    step.iter().for_each(|s| _ = self.value(s));
                    self.statement(body);
                }
            }
            StmtKind::Switch { value, body, .. } => {
                self.value(value);
                self.statement(body);
            }
            StmtKind::Empty
            | StmtKind::Unroll(_)
            | StmtKind::Decl(_, None)
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(None) => {}
        }
    }

    fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        match self.session.types.get(ty) {
            Type::Bool => Some(Scalar::UChar),
            Type::Scalar(s) => Some(*s),
            _ => None,
        }
    }

    /// Returns the value of a constant scalar.
    fn value(&mut self, expr: &Expr) -> Option<ScalarConst> {
        match &expr.kind {
            ExprKind::Int(bits) => Some(ScalarConst::Int(*bits)),
            ExprKind::Float(value) => Some(ScalarConst::Float(*value)),
            ExprKind::Unary(op, operand) => {
                let value = self.value(operand)?;
                Some(evaluate::unary(*op, value, self.scalar(operand.ty)?))
            }
            ExprKind::Convert(operand) => {
                let value = self.value(operand)?;
                let (from, to) = (self.scalar(operand.ty)?, self.scalar(expr.ty)?);
                if expr.ty == self.session.types.common.bool {
                    return Some(ScalarConst::Int(u64::from(value.truth())));
                }
                Some(evaluate::convert(value, from, to))
            }
            ExprKind::Binary(op, lhs, rhs) => {
                let (a, b) = (self.value(lhs), self.value(rhs));
                self.binary(expr, *op, (lhs, a), (rhs, b))
            }
            ExprKind::Logical { and, lhs, rhs } => {
                let lhs = self.value(lhs).map(ScalarConst::truth);
                if lhs == Some(!and) {
                    return Some(ScalarConst::Int(u64::from(!and)));
                }
                let rhs = self.value(rhs).map(ScalarConst::truth);
                lhs.and(rhs).map(|truth| ScalarConst::Int(u64::from(truth)))
            }
            ExprKind::Conditional(condition, yes, no) => {
                match self.value(condition).map(ScalarConst::truth) {
                    Some(true) => self.value(yes),
                    Some(false) => self.value(no),
                    None => {
                        self.value(yes);
                        self.value(no);
                        None
                    }
                }
            }
            ExprKind::CompoundAssign { lvalue, op, rhs, .. } => {
                operands::of_lvalue(lvalue, &mut |e| _ = self.value(e));
                let value = self.value(rhs);
                self.check_divisor(*op, rhs, value);
                None
            }
            ExprKind::Call(callee, args) => {
                args.iter().for_each(|a| _ = self.value(a));
                if self.session.is_variadic(*callee) {
                    let fixed = self.session.unit.infos[*callee].params.len();
                    format::check(self.session, self.function, args, fixed, self.out);
                }
                None
            }
            _ => {
                operands::of_expr(expr, &mut |e| _ = self.value(e));
                None
            }
        }
    }

    fn binary(
        &mut self,
        expr: &Expr,
        op: BinaryOp,
        (lhs, a): (&Expr, Option<ScalarConst>),
        (rhs, b): (&Expr, Option<ScalarConst>),
    ) -> Option<ScalarConst> {
        self.check_same(expr, op, lhs, rhs);
        let scalar = self.scalar(lhs.ty)?;
        self.check_divisor(op, rhs, b);
        let (a, b) = (a?, b?);
        self.check_overflow(expr, op, a, b, scalar);
        let b = evaluate::convert(b, self.scalar(rhs.ty)?, scalar);
        evaluate::binary(op, a, b, scalar)
    }

    fn check_divisor(&mut self, op: BinaryOp, rhs: &Expr, value: Option<ScalarConst>) {
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) && value == Some(ScalarConst::Int(0)) {
            let what = if op == BinaryOp::Div { "division" } else { "remainder" };
            self.out.push(PendingWarning::new(rhs.span, format!("{what} by zero")));
        }
    }

    fn check_overflow(&mut self, expr: &Expr, op: BinaryOp, a: ScalarConst, b: ScalarConst, scalar: Scalar) {
        let (ScalarConst::Int(a), ScalarConst::Int(b)) = (a, b) else {
            return;
        };
        let wide = |bits| i128::from(evaluate::sign_extend(bits, scalar));
        let exact = match op {
            BinaryOp::Add => wide(a) + wide(b),
            BinaryOp::Sub => wide(a) - wide(b),
            BinaryOp::Mul | BinaryOp::MulUnrounded => wide(a) * wide(b),
            _ => return,
        };
        let wrapped = wide(evaluate::truncate(exact as u64, scalar));
        if scalar.is_signed_int() && exact != wrapped {
            let ty = scalar.name();
            let message = format!("overflow in expression; the result is {wrapped} with type '{ty}'");
            self.out.push(PendingWarning::new(expr.span, message));
        }
    }

    /// Warns of `x == x` for integers. For floats the comparison is a test for NaN.
    fn check_same(&mut self, expr: &Expr, op: BinaryOp, lhs: &Expr, rhs: &Expr) {
        let always = match op {
            BinaryOp::Eq | BinaryOp::Le | BinaryOp::Ge => "true",
            BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Gt => "false",
            _ => return,
        };
        let same = same_variable(lhs, rhs);
        if same && self.session.is_integer(lhs.ty) && !self.session.is_from_macro(expr.span) {
            self.out.push(PendingWarning::new(expr.span, format!("self-comparison is always {always}")));
        }
    }
}
