//! Lowering of statements.

use super::func::{Lowering, is_struct};
use grus_clc::tree::{Case, Expr, Init, LabelId, LocalId, Stmt, StmtKind};
use grus_ir::{Attr, Block, IntCond, Op, Target, Type, Value};
use grus_support::memory;

impl Lowering<'_> {
    pub(super) fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        memory::check();
        self.at(stmt.span);
        match &stmt.kind {
            StmtKind::Empty => {}
            StmtKind::Unroll(times) => self.unroll = Some(*times),
            StmtKind::Expr(expr) => {
                self.expr(expr);
            }
            StmtKind::Decl(local, init) => self.declaration(*local, init.as_ref()),
            StmtKind::Block(stmts) => self.stmts(stmts),
            StmtKind::If(cond, then, otherwise) => self.if_stmt(cond, then, otherwise.as_deref()),
            StmtKind::While(cond, body) => self.loop_stmt(Some(cond), None, body),
            StmtKind::DoWhile(body, cond) => self.do_while(body, cond),
            StmtKind::For { init, cond, step, body } => {
                let unroll = self.unroll.take();
                self.stmts(init);
                self.unroll = unroll;
                self.loop_stmt(cond.as_ref(), step.as_ref(), body);
            }
            StmtKind::Switch { value, cases, default, body } => self.switch(value, cases, *default, body),
            StmtKind::Label(label) => {
                let block = self.label(*label);
                self.start_block(block);
            }
            StmtKind::Goto(label) => {
                let block = self.label(*label);
                self.jump_away(block);
            }
            StmtKind::Break => {
                let block = *self.breaks.last().expect("break is inside a loop or switch");
                self.jump_away(block);
            }
            StmtKind::Continue => {
                let block = *self.continues.last().expect("continue is inside a loop");
                self.jump_away(block);
            }
            StmtKind::Return(value) => self.return_stmt(value.as_ref()),
        }
    }

    fn declaration(&mut self, local: LocalId, init: Option<&Init>) {
        if let Some(init) = init {
            self.record_block(local, init);
            let slot = self.slot(local);
            self.initialize(self.function.locals[local].ty.ty, slot, init);
        }
    }

    fn if_stmt(&mut self, cond: &Expr, then: &Stmt, otherwise: Option<&Stmt>) {
        let then_block = self.b.func.add_block();
        let join = self.b.func.add_block();
        let else_block = if otherwise.is_some() { self.b.func.add_block() } else { join };
        self.branch(cond, then_block, else_block);
        self.b.switch_to(then_block);
        self.stmt(then);
        self.go_to(join);
        if let Some(otherwise) = otherwise {
            self.b.switch_to(else_block);
            self.stmt(otherwise);
            self.go_to(join);
        }
        self.b.switch_to(join);
    }

    /// Lowers `while` and `for`.
    fn loop_stmt(&mut self, cond: Option<&Expr>, step: Option<&Expr>, body: &Stmt) {
        let unroll = self.unroll.take();
        let header = self.b.func.add_block();
        let body_block = self.b.func.add_block();
        let latch = self.b.func.add_block();
        let exit = self.b.func.add_block();
        self.b.func.blocks[header].unroll = unroll;
        self.start_block(header);
        match cond {
            Some(cond) => self.branch(cond, body_block, exit),
            None => self.go_to(body_block),
        }
        self.b.switch_to(body_block);
        self.loop_body(body, exit, latch);
        self.start_block(latch);
        if let Some(step) = step {
            self.at(step.span);
            self.expr(step);
        }
        self.go_to(header);
        self.b.switch_to(exit);
    }

    fn do_while(&mut self, body: &Stmt, cond: &Expr) {
        let body_block = self.b.func.add_block();
        self.b.func.blocks[body_block].unroll = self.unroll.take();
        let latch = self.b.func.add_block();
        let exit = self.b.func.add_block();
        self.start_block(body_block);
        self.loop_body(body, exit, latch);
        self.start_block(latch);
        self.branch(cond, body_block, exit);
        self.b.switch_to(exit);
    }

    fn loop_body(&mut self, body: &Stmt, exit: Block, latch: Block) {
        self.breaks.push(exit);
        self.continues.push(latch);
        self.stmt(body);
        self.breaks.pop();
        self.continues.pop();
    }

    fn switch(&mut self, value: &Expr, cases: &[Case], default: Option<LabelId>, body: &Stmt) {
        let exit = self.b.func.add_block();
        let value = self.expr(value).expect("a switch value is an integer");
        let default = default.map_or(exit, |label| self.label(label));
        let mut targets = vec![Target::new(default, &[])];
        let mut values = Vec::new();
        for case in cases {
            let label = self.label(case.label);
            if case.first == case.last {
                targets.push(Target::new(label, &[]));
                values.push(case.first);
            } else {
                self.case_range(value, case, label);
            }
        }
        self.b.inst(Op::Switch, Type::VOID, &[value], Attr::Cases(values.into()), targets);
        // Code before the first label is unreachable.
        let body_block = self.b.func.add_block();
        self.b.switch_to(body_block);
        self.breaks.push(exit);
        self.stmt(body);
        self.breaks.pop();
        self.start_block(exit);
    }

    /// Branches to `label` if `value` is in the range of the case, by an unsigned comparison of its distance
    /// from the first value.
    fn case_range(&mut self, value: Value, case: &Case, label: Block) {
        let ty = self.b.func.ty(value);
        let first = self.b.iconst(ty, case.first);
        let length = self.b.iconst(ty, case.last.wrapping_sub(case.first));
        let distance = self.b.value(Op::Isub, ty, &[value, first], Attr::None);
        let is_inside = self.b.icmp(IntCond::Ule, distance, length);
        let other = self.b.func.add_block();
        self.b.br_if(is_inside, label, other);
        self.b.switch_to(other);
    }

    fn return_stmt(&mut self, value: Option<&Expr>) {
        let value = value.and_then(|expr| Some((expr.ty, self.expr(expr)?)));
        match (value, self.result_slot) {
            (Some((ty, value)), Some(slot)) if is_struct(self.cx, ty) => {
                self.store_value(ty, value, slot);
                self.b.ret(&[]);
            }
            (Some((_, value)), _) if self.b.func.ret != Type::VOID => self.b.ret(&[value]),
            _ if self.b.func.ret == Type::VOID => self.b.ret(&[]),
            _ => {
                let zero = self.b.zero(self.b.func.ret);
                self.b.ret(&[zero]);
            }
        }
        self.start_unreachable();
    }

    pub(super) fn label(&mut self, label: LabelId) -> Block {
        match self.labels[label] {
            Some(block) => block,
            None => {
                let block = self.b.func.add_block();
                self.labels[label] = Some(block);
                block
            }
        }
    }

    /// Jumps to `block` unless the current block is terminated.
    pub(super) fn go_to(&mut self, block: Block) {
        if !self.b.is_terminated() {
            self.b.jump(block, &[]);
        }
    }

    /// Jumps to `block` and continues in it.
    pub(super) fn start_block(&mut self, block: Block) {
        self.go_to(block);
        self.b.switch_to(block);
    }

    /// Jumps to `block`; the code that follows is reachable by a label only.
    fn jump_away(&mut self, block: Block) {
        self.go_to(block);
        self.start_unreachable();
    }

    fn start_unreachable(&mut self) {
        let block = self.b.func.add_block();
        self.b.switch_to(block);
    }
}
