//! Calls of functions of the program and of the library (C99 s6.5.2.2).

use super::convert::AssignAction;
use crate::parse::Operand;
use crate::session::Session;
use crate::tree::{Expr, ExprKind, FunctionId, Lvalue, LvalueKind};
use crate::types::{Space, Type};
use grus_support::Id;
use grus_support::diag::Span;

impl Session<'_> {
    /// Builds `callee(args)`.
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
                if value.ty != self.types.common.error {
                    self.error(value.span, "this is not a function");
                }
                for arg in args {
                    self.discarded_value(arg);
                }
                self.error_expr(span)
            }
        }
    }

    fn call_function(&mut self, id: FunctionId, at: Span, args: Vec<Operand>, span: Span) -> Expr {
        if self.unit.is_overloaded(id) || self.unit.infos[id].is_overloadable {
            return self.call_overloaded(id, at, args, span);
        }
        let Some(symbol) = self.library_name(id) else {
            return self.call_resolved(id, at, args, span);
        };
        // A function of the program hides a builtin from the calls that it can take only, as an overload without the
        // attribute does beside Clang's declarations of builtins.
        let values: Vec<Expr> = args.into_iter().map(|arg| self.value(arg)).collect();
        let is_builtin_meant =
            self.overload_ranks(id, &values).is_none() && self.library_ranks(symbol, &values).is_some();
        let args = values.into_iter().map(Operand::Value).collect();
        match is_builtin_meant {
            true => self.call_library(symbol, at, args, span),
            false => self.call_resolved(id, at, args, span),
        }
    }

    /// Builds a call of the function `id`, without overload resolution.
    pub(super) fn call_resolved(&mut self, id: FunctionId, at: Span, args: Vec<Operand>, span: Span) -> Expr {
        let ret = self.unit.infos[id].ret;
        let param_count = self.unit.infos[id].params.len();
        if args.len() != param_count {
            let few_or_many = if args.len() < param_count { "few" } else { "many" };
            let name = self.unit.functions[id].name.clone();
            let arg_count = args.len();
            let declared = self.unit.functions[id].span;
            let message = format!(
                "too {few_or_many} arguments to function '{name}': {arg_count} given, {param_count} wanted"
            );
            self.error(span, message).note(declared, "declared here");
            return self.error_expr(span);
        }
        let mut values = Vec::with_capacity(args.len());
        for (index, arg) in args.into_iter().enumerate() {
            let ty = self.unit.infos[id].params[index].ty;
            let before = self.diags.error_count();
            values.push(self.convert_assign(arg, ty, AssignAction::Pass));
            let declared = self.unit.functions[id].locals.iter().nth(index).map(|l| l.1.span);
            if self.diags.error_count() > before
                && let (Some(report), Some(declared)) = (self.diags.last_mut(), declared)
            {
                report.note(declared, "the parameter is declared here");
            }
        }
        values.iter().for_each(|value| self.record_block_use(value));
        self.record_call(id, at);
        Expr { kind: ExprKind::Call(id, values), ty: ret, span }
    }

    /// Records that the function being parsed calls `id`.
    pub fn record_call(&mut self, id: FunctionId, at: Span) {
        self.usage.mark_function_used(id);
        if self.context.is_unevaluated() {
            return;
        }
        let Some(caller) = self.function.as_ref().map(|f| f.id) else {
            self.error(at, "a function cannot be called in a constant expression");
            return;
        };
        self.unit.add_call(caller, id, at);
    }

    /// Reports a format (the fixed argument of a variadic function) that may come from the host (s6.13.13.2).
    pub fn check_format_is_constant(&mut self, format: &Expr) {
        let function = self.function.as_ref().map(|function| function.id);
        if format.ty != self.types.common.error && !self.is_program_text(format, function) {
            self.error(
                format.span,
                "the format must be known when the program is built: a string literal, or constant data",
            );
        }
    }

    /// Checks whether a pointer into constant memory, used in `user`, points to text of the program itself rather
    /// than to a buffer that the host passed to a kernel. Parameters of helper functions and contents of variables
    /// are assumed to point to text of the program.
    pub fn is_program_text(&self, pointer: &Expr, caller: Option<FunctionId>) -> bool {
        let is_constant = self.pointee(pointer.ty).is_some_and(|to| to.space == Space::Constant);
        is_constant && self.points_to_program_text(pointer, caller)
    }

    fn points_to_program_text(&self, pointer: &Expr, caller: Option<FunctionId>) -> bool {
        match &pointer.kind {
            ExprKind::Load(lvalue) | ExprKind::AddressOf(lvalue) => {
                self.lvalue_in_program_text(lvalue, caller)
            }
            ExprKind::Convert(of)
            | ExprKind::PtrAdd(of, _)
            | ExprKind::Comma(_, of)
            | ExprKind::Statements(_, of) => self.points_to_program_text(of, caller),
            ExprKind::Conditional(_, yes, no) => {
                self.points_to_program_text(yes, caller) && self.points_to_program_text(no, caller)
            }
            ExprKind::Call(..) | ExprKind::CallBlock(..) | ExprKind::Assign(..) => true,
            _ => false,
        }
    }

    fn lvalue_in_program_text(&self, lvalue: &Lvalue, caller: Option<FunctionId>) -> bool {
        match &lvalue.kind {
            LvalueKind::Global(_) | LvalueKind::Temporary(_) | LvalueKind::CompoundLiteral(..) => true,
            LvalueKind::Local(id) => {
                let is_parameter = |caller: FunctionId| id.index() < self.unit.infos[caller].params.len();
                !caller.is_some_and(|caller| self.unit.infos[caller].is_kernel && is_parameter(caller))
            }
            LvalueKind::Deref(pointer) => self.points_to_program_text(pointer, caller),
            LvalueKind::Field(of, _) | LvalueKind::Swizzle(of, _) => self.lvalue_in_program_text(of, caller),
        }
    }
}
