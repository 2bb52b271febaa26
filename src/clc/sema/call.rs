//! Calls of the program's functions and of the library's (C99 s6.5.2.2).

use crate::clc::parse::Operand;
use crate::clc::session::Session;
use crate::clc::tree::{Expr, ExprKind, FunctionId, LvalueKind};
use crate::clc::types::Type;
use crate::diag::Span;

impl Session<'_> {
    /// `callee(args)`
    pub fn call(&mut self, callee: Operand, args: Vec<Operand>, span: Span) -> Expr {
        match callee {
            Operand::Function(id, at) => self.call_function(id, at, args, span),
            Operand::Library(symbol, at) => self.call_library(symbol, at, args, span),
            other => {
                let value = self.value(other);
                if let Type::Block(ty) = self.types.get(value.ty) {
                    let ty = ty.clone();
                    return self.call_block(value, &ty, args, span);
                }
                if value.ty != self.common.error {
                    self.error(value.span, "this is not a function");
                }
                for arg in args {
                    self.discard(arg);
                }
                self.error_expr(span)
            }
        }
    }

    fn call_function(&mut self, id: FunctionId, at: Span, args: Vec<Operand>, span: Span) -> Expr {
        if self.overloads.contains_key(&id) || self.infos[id].overloadable {
            return self.call_overloaded(id, at, args, span);
        }
        self.call_one(id, at, args, span)
    }

    /// Calls the very function `id`.
    pub(super) fn call_one(&mut self, id: FunctionId, at: Span, args: Vec<Operand>, span: Span) -> Expr {
        let ret = self.infos[id].ret;
        let wanted = self.infos[id].params.len();
        if args.len() != wanted {
            let how = if args.len() < wanted { "few" } else { "many" };
            let name = self.functions[id].name.clone();
            let given = args.len();
            let declared = self.functions[id].span;
            let message = format!("too {how} arguments to function '{name}': {given} given, {wanted} wanted");
            self.error(span, message).note(declared, "declared here");
            return self.error_expr(span);
        }
        let mut values = Vec::with_capacity(args.len());
        for (index, arg) in args.into_iter().enumerate() {
            let ty = self.infos[id].params[index].ty;
            let before = self.diags.error_count();
            values.push(self.convert_assign(arg, ty, "pass"));
            let declared = self.functions[id].locals.iter().nth(index).map(|l| l.1.span);
            if self.diags.error_count() > before
                && let (Some(report), Some(declared)) = (self.diags.last_mut(), declared)
            {
                report.note(declared, "the parameter is declared here");
            }
        }
        values.iter().for_each(|value| self.note_block_use(value));
        self.record_call(id, at);
        Expr { kind: ExprKind::Call(id, values), ty: ret, span }
    }

    /// Notes that the function being read calls `id`.
    pub fn record_call(&mut self, id: FunctionId, at: Span) {
        self.usage.function(id);
        if self.unevaluated > 0 {
            return;
        }
        let Some(caller) = self.function.as_ref().map(|f| f.id) else {
            self.error(at, "a function cannot be called in a constant expression");
            return;
        };
        if self.called.insert((caller, id)) {
            self.infos[caller].calls.push((id, at));
        }
    }

    /// A format (the fixed argument of a variadic function) must be a string literal.
    pub fn check_format(&mut self, format: &Expr) {
        let literal = match &format.kind {
            ExprKind::AddressOf(place) => match place.kind {
                LvalueKind::Global(id) => self.globals[id].name.is_empty(),
                _ => false,
            },
            _ => false,
        };
        if !literal && format.ty != self.common.error {
            self.error(format.span, "the format must be a string literal");
        }
    }
}
