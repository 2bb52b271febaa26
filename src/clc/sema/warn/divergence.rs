//! Barriers that only some work-items of a group may reach (s6.13.8), because a condition differs between them.
//!
//! A value is *divergent* if it is computed from the ids of the work-item. Functions that return such values, and
//! functions that contain barriers, are found by propagation through the call graph from the library functions
//! marked `__varies` and `__gathers`. The analysis reports obvious cases only. Values assumed to be uniform are:
//! loads from memory; results of divisions and masks, which may be equal again; variables that are assigned on some
//! paths only; and loop counters, since the trip count may well be uniform.

use super::{PendingWarning, operands};
use crate::session::Session;
use crate::tree::{
    BinaryOp, Expr, ExprKind, Function, FunctionBody, FunctionId, Init, LocalId, Lvalue, LvalueKind, Stmt,
    StmtKind,
};
use crate::types::Type;
use grus_support::diag::Span;
use grus_support::{Id, IdMap, post_order};

/// Properties of functions, propagated through the call graph.
struct FunctionSummaries {
    /// True if the function calls a divergent operation, perhaps through other functions.
    calls_divergent: IdMap<FunctionId, bool>,
    /// True if the function executes a barrier of the work-group.
    has_barrier: IdMap<FunctionId, bool>,
    /// True if the result is divergent whatever the arguments are.
    is_divergent: IdMap<FunctionId, bool>,
}

/// Checks all functions of the program.
pub(super) fn check(session: &Session<'_>, out: &mut Vec<PendingWarning>) {
    let mut summary = FunctionSummaries {
        calls_divergent: IdMap::new(false),
        has_barrier: IdMap::new(false),
        is_divergent: IdMap::new(false),
    };
    // A function that contains a block literal need not call it: the block may only be enqueued.
    let mut is_block = IdMap::new(false);
    session.blocks.literals.iter().for_each(|b| is_block[b.invoke] = true);
    for id in callees_first(session) {
        let function = &session.unit.functions[id];
        for &(callee, _) in session.unit.infos[id].callees.iter().filter(|c| !is_block[c.0]) {
            summary.calls_divergent[id] = summary.calls_divergent[id] || summary.calls_divergent[callee];
            summary.has_barrier[id] = summary.has_barrier[id] || summary.has_barrier[callee];
        }
        match &function.body {
            FunctionBody::Op(_) => {
                let info = &session.unit.infos[id];
                (summary.calls_divergent[id], summary.is_divergent[id]) =
                    (info.is_divergent, info.is_divergent);
                summary.has_barrier[id] = info.is_convergent;
            }
            FunctionBody::Block(body) if summary.calls_divergent[id] => {
                let mut walk = DivergenceWalk::new(session, &summary, function);
                walk.list(body);
                let (is_divergent, warnings) = (walk.returns_divergent, walk.warnings);
                summary.is_divergent[id] = is_divergent;
                if session.is_program_function(id) && !is_single_item(function) {
                    out.extend(warnings);
                }
            }
            FunctionBody::Block(_) | FunctionBody::Declared | FunctionBody::Elementwise(_) => {}
        }
    }
}

/// Checks whether the kernel's work-groups have one work-item, so that every barrier is uniform.
fn is_single_item(function: &Function) -> bool {
    function.kernel.as_ref().is_some_and(|k| k.reqd_work_group_size == Some([1, 1, 1]))
}

/// Returns all functions in post-order of the call graph, callees first; there is no recursion.
fn callees_first(session: &Session<'_>) -> Vec<FunctionId> {
    let called = |id| session.unit.infos[id].callees.iter().map(|&(callee, _)| callee).collect();
    post_order(session.unit.functions.ids(), session.unit.functions.len(), called)
}

struct DivergenceWalk<'s> {
    session: &'s Session<'s>,
    summary: &'s FunctionSummaries,
    /// True, for each variable, if its current value is divergent.
    divergent: Vec<bool>,
    /// Nesting depth of conditional code at each variable's declaration, and `clock` at its last assignment.
    declared: Vec<u32>,
    assigned: Vec<u32>,
    assignments: u32,
    depth: u32,
    /// Divergent variables read since the last condition began.
    reads: Vec<LocalId>,
    /// Barriers that are not yet known to be divergent.
    barriers: Vec<(Span, FunctionId)>,
    returns_divergent: bool,
    warnings: Vec<PendingWarning>,
}

impl<'s> DivergenceWalk<'s> {
    fn new(session: &'s Session<'s>, summary: &'s FunctionSummaries, function: &Function) -> Self {
        let count = function.locals.len();
        DivergenceWalk {
            session,
            summary,
            divergent: vec![false; count],
            declared: vec![0; count],
            assigned: vec![0; count],
            assignments: 0,
            depth: 0,
            reads: Vec::new(),
            barriers: Vec::new(),
            returns_divergent: false,
            warnings: Vec::new(),
        }
    }

    fn list(&mut self, list: &[Stmt]) {
        list.iter().for_each(|s| self.statement(s));
    }

    /// Visits code that is executed under a condition.
    fn in_conditional(&mut self, inner: impl FnOnce(&mut Self)) {
        self.depth += 1;
        inner(self);
        self.depth -= 1;
    }

    /// Reports the barriers recorded after the first `before` ones.
    fn report(&mut self, before: usize, condition: &Expr) {
        for (at, callee) in self.barriers.drain(before..) {
            let name = &self.session.unit.functions[callee].name;
            let name = name.split('$').next().unwrap_or_default();
            let message =
                format!("all work-items of a group must reach '{name}', but here only some of them may");
            let found =
                PendingWarning::new(at, message).note(condition.span, "this condition differs between them");
            self.warnings.push(found);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Expr(value) => _ = self.value(value),
            StmtKind::Decl(id, init) => {
                let is_divergent = init.as_ref().is_some_and(|i| self.initial(i));
                self.declared[id.index()] = self.depth;
                self.assign(*id, is_divergent);
            }
            StmtKind::Block(list) => self.list(list),
            StmtKind::If(condition, then, or) => {
                let is_divergent = self.value(condition);
                let before = self.barriers.len();
                self.in_conditional(|w| w.statement(then));
                if let Some(or) = or {
                    self.in_conditional(|w| w.statement(or));
                }
                if is_divergent {
                    self.report(before, condition);
                }
            }
            StmtKind::While(condition, body) => {
                self.visit_loop(Some(condition), |w| w.statement(body));
            }
            StmtKind::DoWhile(body, condition) => {
                let before = self.barriers.len();
                let start = self.assignments;
                self.in_conditional(|w| w.statement(body));
                self.reads.clear();
                if self.value(condition) && !self.reads_since(start) {
                    self.report(before, condition);
                }
            }
            StmtKind::For { init, cond, step, body } => {
                self.list(init);
                self.visit_loop(cond.as_ref(), |w| {
                    w.statement(body);
                    step.iter().for_each(|s| _ = w.value(s));
                });
            }
            StmtKind::Switch { value, body, .. } => {
                let is_divergent = self.value(value);
                let before = self.barriers.len();
                self.in_conditional(|w| w.statement(body));
                if is_divergent {
                    self.report(before, value);
                }
            }
            StmtKind::Return(Some(value)) => self.returns_divergent |= self.value(value),
            StmtKind::Empty
            | StmtKind::Unroll(_)
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(None) => {}
        }
    }

    fn visit_loop(&mut self, condition: Option<&Expr>, body: impl FnOnce(&mut Self)) {
        self.reads.clear();
        let is_divergent = condition.is_some_and(|c| self.value(c));
        let reads = std::mem::take(&mut self.reads);
        let (before, start) = (self.barriers.len(), self.assignments);
        self.in_conditional(body);
        self.reads = reads;
        if let Some(condition) = condition.filter(|_| is_divergent && !self.reads_since(start)) {
            self.report(before, condition);
        }
    }

    /// Checks whether a variable that the condition read was assigned after `start`: then the trip count is not
    /// obvious.
    fn reads_since(&self, start: u32) -> bool {
        self.reads.iter().any(|id| self.assigned[id.index()] > start)
    }

    fn initial(&mut self, init: &Init) -> bool {
        let mut is_divergent = false;
        operands::of_init(init, &mut |e| is_divergent |= self.value(e));
        is_divergent
    }

    fn assign(&mut self, id: LocalId, is_divergent: bool) {
        self.assignments += 1;
        let index = id.index();
        self.assigned[index] = self.assignments;
        // An assignment under a condition makes the value divergent only if it was divergent before.
        let always = self.declared[index] == self.depth;
        self.divergent[index] = is_divergent && (always || self.divergent[index]);
    }

    fn store(&mut self, lvalue: &Lvalue, is_divergent: bool) {
        operands::of_lvalue(lvalue, &mut |e| _ = self.value(e));
        match operands::root(lvalue) {
            Some((id, true)) => self.assign(id, is_divergent),
            Some((id, false)) => {
                let is_divergent = is_divergent || self.divergent[id.index()];
                self.assign(id, is_divergent);
            }
            None => {}
        }
    }

    fn load(&mut self, lvalue: &Lvalue) -> bool {
        let mut inner = false;
        operands::of_lvalue(lvalue, &mut |e| inner |= self.value(e));
        let Some((id, _)) = operands::root(lvalue) else {
            let of = if let LvalueKind::Swizzle(of, _) = &lvalue.kind { of } else { lvalue };
            return inner && matches!(of.kind, LvalueKind::Temporary(_));
        };
        let is_divergent = self.divergent[id.index()];
        if is_divergent {
            self.reads.push(id);
        }
        is_divergent
    }

    /// Returns true if the value is divergent; records barriers inside of the expression.
    fn value(&mut self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Load(lvalue) => self.load(lvalue),
            ExprKind::Binary(op, lhs, rhs) => {
                let (a, b) = (self.value(lhs), self.value(rhs));
                is_divergent_result(*op, a, b, rhs)
            }
            ExprKind::Logical { lhs, rhs, .. } => {
                let is_divergent = self.value(lhs);
                let before = self.barriers.len();
                let mut both = is_divergent;
                self.in_conditional(|w| both |= w.value(rhs));
                if is_divergent {
                    self.report(before, lhs);
                }
                both
            }
            ExprKind::Conditional(condition, yes, no) => {
                let mut is_divergent = self.value(condition);
                let before = self.barriers.len();
                let is_condition_divergent = is_divergent;
                self.in_conditional(|w| is_divergent |= w.value(yes));
                self.in_conditional(|w| is_divergent |= w.value(no));
                if is_condition_divergent {
                    self.report(before, condition);
                }
                is_divergent
            }
            ExprKind::Assign(lvalue, value) => {
                let is_divergent = self.value(value);
                self.store(lvalue, is_divergent);
                is_divergent
            }
            ExprKind::CompoundAssign { lvalue, op, rhs, .. } => {
                let b = self.value(rhs);
                let a = operands::root(lvalue).is_some_and(|(id, _)| self.divergent[id.index()]);
                let is_divergent = is_divergent_result(*op, a, b, rhs);
                self.store(lvalue, is_divergent);
                is_divergent
            }
            ExprKind::IncDec { lvalue, .. } => {
                let is_divergent = operands::root(lvalue).is_some_and(|(id, _)| self.divergent[id.index()]);
                self.store(lvalue, is_divergent);
                is_divergent
            }
            ExprKind::Call(callee, args) => self.call(*callee, args, expr.span),
            ExprKind::Comma(first, last) => {
                self.value(first);
                self.value(last)
            }
            ExprKind::AddressOf(lvalue) => {
                operands::of_lvalue(lvalue, &mut |e| _ = self.value(e));
                // Stores through a pointer are not tracked, so the variable is assumed to be uniform from here on.
                if let Some((id, _)) = operands::root(lvalue) {
                    self.assign(id, false);
                }
                false
            }
            ExprKind::PtrAdd(..) | ExprKind::PtrDiff(..) | ExprKind::CallBlock(..) => {
                operands::of_expr(expr, &mut |e| _ = self.value(e));
                false
            }
            _ => {
                let mut is_divergent = false;
                operands::of_expr(expr, &mut |e| is_divergent |= self.value(e));
                is_divergent
            }
        }
    }

    fn call(&mut self, callee: FunctionId, args: &[Expr], at: Span) -> bool {
        let mut is_divergent = false;
        for arg in args {
            is_divergent |= self.value(arg);
        }
        if self.summary.has_barrier[callee] {
            self.barriers.push((at, callee));
            return false;
        }
        // Library functions without pointer parameters compute their result from the arguments; functions with
        // pointers may load a uniform value.
        let computes = !self.session.is_program_function(callee)
            && args
                .iter()
                .all(|a| matches!(self.session.types.get(a.ty), Type::Scalar(_) | Type::Vector(..)));
        self.summary.is_divergent[callee] || computes && is_divergent
    }
}

/// Checks whether the result is divergent if the operands are. A difference of two ids is often uniform, and so is a
/// divided or masked one.
fn is_divergent_result(op: BinaryOp, a: bool, b: bool, rhs: &Expr) -> bool {
    match op {
        BinaryOp::Add
        | BinaryOp::Mul
        | BinaryOp::MulUnrounded
        | BinaryOp::Shl
        | BinaryOp::BitOr
        | BinaryOp::BitXor => a || b,
        BinaryOp::And | BinaryOp::Or | BinaryOp::Rem => a || b,
        BinaryOp::BitAnd => a != b && matches!(rhs.kind, ExprKind::Int(mask) if mask & 1 != 0),
        BinaryOp::Div | BinaryOp::Shr => false,
        BinaryOp::Sub
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => a != b,
    }
}
