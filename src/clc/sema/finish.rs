//! What can only be said of the whole program: calls of functions without a body,
//! recursion (s6.9), unresolved variables.

use crate::clc::session::Session;
use crate::clc::tree::{
    Expr, ExprKind, FunctionBody, FunctionId, Local, LocalId, Lvalue, LvalueKind, Stmt, StmtKind,
};
use crate::diag::Span;
use crate::support::{Id, IdMap};

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    Open,
    Done,
}

impl Session<'_> {
    /// Checks after everything was read.
    pub fn check_program(&mut self) {
        self.join_blocks();
        self.check_recursion();
        self.check_undefined();
    }

    /// Depth-first over calls, with a stack of its own.
    fn check_recursion(&mut self) {
        let mut marks = IdMap::new(Mark::New);
        for root in self.functions.ids() {
            if marks[root] != Mark::New {
                continue;
            }
            marks[root] = Mark::Open;
            let mut path: Vec<(FunctionId, usize)> = vec![(root, 0)];
            while let Some((function, next)) = path.last_mut() {
                let Some(&(callee, at)) = self.infos[*function].calls.get(*next) else {
                    marks[*function] = Mark::Done;
                    path.pop();
                    continue;
                };
                *next += 1;
                match marks[callee] {
                    Mark::Done => {}
                    Mark::New => {
                        marks[callee] = Mark::Open;
                        path.push((callee, 0));
                    }
                    Mark::Open => self.report_recursion(callee, at),
                }
            }
        }
    }

    fn report_recursion(&mut self, callee: FunctionId, at: Span) {
        let name = self.functions[callee].name.clone();
        let message = format!("recursion is not supported: '{name}' calls itself");
        self.error(at, message);
    }

    /// Reports what is used and not defined, unless another unit can define it. What a function does that neither kernels
    /// nor blocks reach is nobody's concern: other compilers drop such helpers before they link.
    fn check_undefined(&mut self) {
        let elsewhere = self.options.allow_unresolved;
        let reached = self.reached_functions();
        let mut missing = Vec::new();
        for caller in self.functions.ids().filter(|id| reached[*id]) {
            for &(callee, at) in &self.infos[caller].calls {
                let elsewhere = elsewhere && !self.functions[callee].is_static;
                if self.is_undefined(callee) && !elsewhere {
                    missing.push((at, callee));
                }
            }
        }
        for (id, user, at) in std::mem::take(&mut self.extern_uses) {
            let is_reached = user.is_none_or(|user| reached[user]);
            if self.globals[id].is_extern && !elsewhere && is_reached {
                let name = self.globals[id].name.clone();
                self.error(at, format!("undefined reference to variable '{name}'"));
            }
        }
        missing.sort_by_key(|(at, callee)| (at.lo, callee.index()));
        for (at, callee) in missing {
            let name = self.functions[callee].name.clone();
            let message = format!("undefined reference to function '{name}'");
            self.error(at, message);
        }
    }

    /// Returns whether `id` is declared and has no body.
    fn is_undefined(&self, id: FunctionId) -> bool {
        matches!(self.functions[id].body, FunctionBody::Declared) && !self.infos[id].defined
    }

    /// Marks the functions that are compiled: those that kernels and blocks reach, and in a unit that is linked later all
    /// that others may call.
    fn reached_functions(&self) -> IdMap<FunctionId, bool> {
        let mut reached = IdMap::new(false);
        let is_root = |id: &FunctionId| {
            let function = &self.functions[*id];
            let is_exported = self.options.allow_unresolved && !function.is_static;
            self.infos[*id].is_kernel || is_exported && self.infos[*id].defined
        };
        let blocks = self.blocks.literals.iter().map(|block| block.invoke);
        let mut waiting: Vec<FunctionId> = self.functions.ids().filter(is_root).chain(blocks).collect();
        while let Some(id) = waiting.pop() {
            if !std::mem::replace(&mut reached[id], true) {
                waiting.extend(self.infos[id].calls.iter().map(|call| call.0));
            }
        }
        reached
    }

    /// Gives a body to each function of the library that the program declares again, calls, and defines nowhere: it calls
    /// the library's. In a unit that is linked later this holds for overloadable ones; another unit may define the others.
    pub fn define_declared_builtins(&mut self) {
        let elsewhere = self.options.allow_unresolved;
        let is_one = |id: &FunctionId| self.is_undefined(*id) && (!elsewhere || self.infos[*id].overloadable);
        let called = self.infos.values().flat_map(|info| info.calls.iter().map(|call| call.0));
        let mut declared: Vec<FunctionId> = called.filter(is_one).collect();
        declared.sort_unstable();
        declared.dedup();
        for id in declared {
            if let Some(builtin) = self.builtin_like(id) {
                self.forward(id, builtin);
            }
        }
    }

    /// Makes `from` a function that calls `to`, which has the same parameters and result, with its own arguments.
    fn forward(&mut self, from: FunctionId, to: FunctionId) {
        let function = &self.functions[from];
        let (span, ret) = (function.span, function.ret);
        let load = |(id, local): (LocalId, &Local)| {
            let place = Lvalue { kind: LvalueKind::Local(id), ty: local.ty, span };
            Expr { kind: ExprKind::Load(place), ty: local.ty.ty, span }
        };
        let args = function.locals.iter().map(load).collect();
        let call = Expr { kind: ExprKind::Call(to, args), ty: ret, span };
        let kind = if ret == self.common.void { StmtKind::Expr(call) } else { StmtKind::Return(Some(call)) };
        self.functions[from].body = FunctionBody::Block(vec![Stmt { kind, span }]);
        self.functions[from].is_static = true;
        self.infos[from].defined = true;
        self.infos[from].calls.push((to, span));
    }
}
