//! Checks that need the whole program: calls of functions without a body, recursion (s6.9), undefined variables.

use crate::session::{ExternUse, Session};
use crate::tree::{
    Expr, ExprKind, FunctionBody, FunctionId, Local, LocalId, Lvalue, LvalueKind, Stmt, StmtKind,
};
use grus_support::diag::Span;
use grus_support::{Id, IdMap};

#[derive(Clone, Copy, PartialEq)]
enum VisitState {
    Unvisited,
    OnPath,
    Visited,
}

impl Session<'_> {
    /// Runs the checks after the whole program was parsed.
    pub fn check_program(&mut self) {
        self.resolve_block_calls();
        self.check_recursion();
        self.check_undefined();
    }

    /// Reports recursion: a depth-first search of the call graph with an explicit stack.
    fn check_recursion(&mut self) {
        let mut states = IdMap::new(VisitState::Unvisited);
        for root in self.unit.functions.ids() {
            if states[root] != VisitState::Unvisited {
                continue;
            }
            states[root] = VisitState::OnPath;
            let mut path: Vec<(FunctionId, usize)> = vec![(root, 0)];
            while let Some((function, next)) = path.last_mut() {
                let Some(&(callee, at)) = self.unit.infos[*function].callees.get(*next) else {
                    states[*function] = VisitState::Visited;
                    path.pop();
                    continue;
                };
                *next += 1;
                match states[callee] {
                    VisitState::Visited => {}
                    VisitState::Unvisited => {
                        states[callee] = VisitState::OnPath;
                        path.push((callee, 0));
                    }
                    VisitState::OnPath => self.report_recursion(callee, at),
                }
            }
        }
    }

    fn report_recursion(&mut self, callee: FunctionId, at: Span) {
        let name = self.unit.functions[callee].name.clone();
        let message = format!("recursion is not supported: '{name}' calls itself");
        self.error(at, message);
    }

    /// Reports functions and variables that are used and not defined, unless another unit can define them.
    /// Functions that neither kernels nor blocks reach are ignored: other compilers drop such helpers before they
    /// link.
    fn check_undefined(&mut self) {
        let may_be_external = self.options.allow_unresolved;
        let reachable = self.reachable_functions();
        let mut missing = Vec::new();
        for caller in self.unit.functions.ids().filter(|id| reachable[*id]) {
            for &(callee, at) in &self.unit.infos[caller].callees {
                let may_be_external = may_be_external && !self.unit.functions[callee].is_static;
                if self.is_undefined(callee) && !may_be_external {
                    missing.push((at, callee));
                }
            }
        }
        for ExternUse { global: id, user, span } in self.unit.take_extern_uses() {
            let is_reachable = user.is_none_or(|user| reachable[user]);
            if self.unit.globals[id].is_extern && !may_be_external && is_reachable {
                let name = self.unit.globals[id].name.clone();
                self.error(span, format!("undefined reference to variable '{name}'"));
            }
        }
        missing.sort_by_key(|(at, callee)| (at.lo, callee.index()));
        for (at, callee) in missing {
            let name = self.unit.functions[callee].name.clone();
            let message = format!("undefined reference to function '{name}'");
            self.error(at, message);
        }
    }

    /// Checks whether `id` is declared and has no body.
    fn is_undefined(&self, id: FunctionId) -> bool {
        matches!(self.unit.functions[id].body, FunctionBody::Declared) && !self.unit.infos[id].is_defined
    }

    /// Marks the functions that are compiled: those reachable from kernels and blocks and, in a unit that is linked
    /// later, from all functions with external linkage.
    fn reachable_functions(&self) -> IdMap<FunctionId, bool> {
        let mut reachable = IdMap::new(false);
        let is_root = |id: &FunctionId| {
            let function = &self.unit.functions[*id];
            let is_exported = self.options.allow_unresolved && !function.is_static;
            self.unit.infos[*id].is_kernel || is_exported && self.unit.infos[*id].is_defined
        };
        let blocks = self.blocks.literals.iter().map(|block| block.invoke);
        let mut worklist: Vec<FunctionId> = self.unit.functions.ids().filter(is_root).chain(blocks).collect();
        while let Some(id) = worklist.pop() {
            if !std::mem::replace(&mut reachable[id], true) {
                worklist.extend(self.unit.infos[id].callees.iter().map(|call| call.0));
            }
        }
        reachable
    }

    /// Defines each library function that the program redeclares and calls but does not define: its body calls the
    /// library function. In a unit that is linked later only overloadable functions are defined, since another unit
    /// may define the remaining ones.
    pub fn define_declared_builtins(&mut self) {
        let may_be_external = self.options.allow_unresolved;
        let is_declared_builtin = |id: &FunctionId| {
            self.is_undefined(*id) && (!may_be_external || self.unit.infos[*id].is_overloadable)
        };
        let called = self.unit.infos.values().flat_map(|info| info.callees.iter().map(|call| call.0));
        let mut declared: Vec<FunctionId> = called.filter(is_declared_builtin).collect();
        declared.sort_unstable();
        declared.dedup();
        for id in declared {
            if let Some(builtin) = self.builtin_with_signature_of(id) {
                self.define_as_call(id, builtin);
            }
        }
    }

    /// Gives `from` a body that calls `to`, which has the same parameters and return type, with the parameters of
    /// `from`.
    fn define_as_call(&mut self, from: FunctionId, to: FunctionId) {
        let function = &self.unit.functions[from];
        let (span, ret) = (function.span, function.ret);
        let load = |(id, local): (LocalId, &Local)| {
            let lvalue = Lvalue { kind: LvalueKind::Local(id), ty: local.ty, span };
            Expr { kind: ExprKind::Load(lvalue), ty: local.ty.ty, span }
        };
        let args = function.locals.iter().map(load).collect();
        let call = Expr { kind: ExprKind::Call(to, args), ty: ret, span };
        let kind =
            if ret == self.types.common.void { StmtKind::Expr(call) } else { StmtKind::Return(Some(call)) };
        self.unit.functions[from].body = FunctionBody::Block(vec![Stmt { kind, span }]);
        self.unit.functions[from].is_static = true;
        self.unit.infos[from].is_defined = true;
        self.unit.infos[from].callees.push((to, span));
    }
}
