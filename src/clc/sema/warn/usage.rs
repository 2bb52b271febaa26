//! Unused declarations, and expression statements whose value is unused. Uses are name lookups rather than tree
//! nodes: `sizeof(x)` and `(void)x` use `x` and leave no node.

use super::PendingWarning;
use crate::names::Symbol;
use crate::parse::Operand;
use crate::session::Session;
use crate::tree::{BinaryOp, Expr, ExprKind, FunctionBody, FunctionId};
use crate::types::{StructId, TypeId};
use grus_support::diag::Span;
use grus_support::{FastMap, FastSet};

/// Facts that the parser records and the tree does not contain.
#[derive(Debug, Default)]
pub struct Usage {
    functions: FastSet<FunctionId>,
    /// Closing braces of functions.
    closing_braces: FastMap<FunctionId, Span>,
    /// Positions of struct definitions.
    structs: FastMap<StructId, Span>,
    /// Functions that `values.rs` should examine.
    suspicious: FastSet<FunctionId>,
    /// Labels that a `goto` in the function being parsed uses.
    labels: FastSet<Symbol>,
    /// Names reported as undeclared in the function being parsed.
    undeclared: FastSet<Symbol>,
}

impl Usage {
    /// Records that a function was named.
    pub fn mark_function_used(&mut self, id: FunctionId) {
        self.functions.insert(id);
    }

    /// Marks a function for `values.rs`.
    pub fn mark_suspicious(&mut self, id: FunctionId) {
        self.suspicious.insert(id);
    }

    /// Checks whether [`Usage::mark_suspicious`] was called with `id`.
    pub fn is_suspicious(&self, id: FunctionId) -> bool {
        self.suspicious.contains(&id)
    }

    /// Records the closing brace of a function.
    pub fn set_closing_brace(&mut self, id: FunctionId, brace: Span) {
        self.closing_braces.insert(id, brace);
    }

    /// Returns the closing brace of a function.
    pub fn closing_brace(&self, id: FunctionId) -> Option<Span> {
        self.closing_braces.get(&id).copied()
    }

    /// Records the position of a struct's definition.
    pub fn define_struct(&mut self, id: StructId, at: Span) {
        self.structs.insert(id, at);
    }

    /// Returns the position of a struct's definition.
    pub fn struct_span(&self, id: StructId) -> Option<Span> {
        self.structs.get(&id).copied()
    }

    /// Records an undeclared name; returns `true` for the first time.
    pub fn add_undeclared(&mut self, name: Symbol) -> bool {
        self.undeclared.insert(name)
    }

    /// Records that a label is used by a `goto`, or marked as intentionally unused.
    pub fn mark_label_used(&mut self, name: Symbol) {
        self.labels.insert(name);
    }
}

impl Session<'_> {
    /// Reports unused variables and labels of the function that was just parsed.
    pub fn check_unused(&mut self) {
        let labels = std::mem::take(&mut self.usage.labels);
        self.usage.undeclared.clear();
        if self.in_library() || self.diags.error_count() > 0 {
            return;
        }
        self.check_unused_variables();
        let function = self.function.as_ref().expect("inside a function");
        let mut unused: Vec<(Span, String)> = Vec::new();
        for (name, label) in &function.labels {
            if !labels.contains(name) && !self.is_from_macro(label.span) {
                unused.push((label.span, format!("unused label '{}'", self.names.text(*name))));
            }
        }
        unused.sort_by_key(|u| u.0.lo);
        for (span, message) in unused {
            self.warning(span, message);
        }
    }

    /// Reports unused variables of the function or block that was just parsed.
    pub fn check_unused_variables(&mut self) {
        if self.in_library() || self.diags.error_count() > 0 {
            return;
        }
        let function = self.function.as_ref().expect("inside a function");
        let params = self.unit.infos[function.id].params.len();
        let mut unused: Vec<(Span, String)> = Vec::new();
        for (id, local) in function.locals.iter().skip(params) {
            if !local.name.is_empty() && !function.is_used(id) && !self.is_from_macro(local.span) {
                unused.push((local.span, format!("unused variable '{}'", local.name)));
            }
        }
        for (span, message) in unused {
            self.warning(span, message);
        }
    }

    /// Adds findings for the unused static functions of the main file.
    pub(super) fn unused_functions(&self, out: &mut Vec<PendingWarning>) {
        for id in self.unit.functions.ids().filter(|id| self.is_program_function(*id)) {
            let function = &self.unit.functions[id];
            let is_exempt = self.usage.functions.contains(&id)
                || !function.is_static
                || function.kernel.is_some()
                || self.unit.infos[id].is_overloadable
                || !matches!(function.body, FunctionBody::Block(_));
            if !is_exempt
                && self.source.map.in_main_file(function.span.lo)
                && !self.is_from_macro(function.span)
            {
                out.push(PendingWarning::new(function.span, format!("unused function '{}'", function.name)));
            }
        }
    }

    /// Checks whether `id` takes more arguments than it declares.
    pub(super) fn is_variadic(&self, id: FunctionId) -> bool {
        use crate::types::Type;
        matches!(self.types.get(self.unit.infos[id].ty), Type::Function(ty) if ty.variadic)
    }

    /// Evaluates a condition, if it is constant.
    pub(super) fn known_truth(&self, condition: &Expr) -> Option<bool> {
        match condition.kind {
            ExprKind::Load(_) | ExprKind::Call(..) => None,
            _ => self.constant_truth(condition),
        }
    }

    /// Warns of an expression statement whose value is unused.
    pub fn check_unused_value(&mut self, operand: &Operand) {
        if self.in_library() || self.context.is_unevaluated() || self.diags.error_count() > 0 {
            return;
        }
        let (span, message) = match operand {
            Operand::Lvalue(lvalue) if !lvalue.ty.is_volatile && lvalue.ty.ty != self.types.common.void => {
                (lvalue.span, "the value of this expression is not used")
            }
            Operand::Value(value) if has_no_side_effects(value, self.types.common.void) => {
                let message = match value.kind {
                    ExprKind::Binary(BinaryOp::Eq, ..) => {
                        "the result of this comparison is not used; '=' assigns"
                    }
                    _ => "the value of this expression is not used",
                };
                (last_of(value).span, message)
            }
            _ => return,
        };
        if !self.is_from_macro(span) {
            self.warning(span, message);
        }
    }
}

/// Returns the last operand of a comma expression or statement expression.
fn last_of(value: &Expr) -> &Expr {
    match &value.kind {
        ExprKind::Comma(_, last) | ExprKind::Statements(_, last) => last_of(last),
        _ => value,
    }
}

/// Checks whether evaluating `value` has no side effects. A conditional, `&&` or `||` with side effects in one
/// operand is used as a statement and does not count.
fn has_no_side_effects(value: &Expr, void: TypeId) -> bool {
    if value.ty == void {
        return false;
    }
    match &value.kind {
        ExprKind::Load(lvalue) => !lvalue.ty.is_volatile,
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Zero
        | ExprKind::AddressOf(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::PtrAdd(..)
        | ExprKind::PtrDiff(..)
        | ExprKind::Blend(..)
        | ExprKind::Bitcast(_)
        | ExprKind::VectorLiteral(_)
        | ExprKind::Swizzle(..) => true,
        ExprKind::Convert(inner) => {
            has_no_side_effects(inner, void) || !matches!(inner.kind, ExprKind::Call(..))
        }
        ExprKind::Logical { lhs, rhs, .. } => {
            has_no_side_effects(lhs, void) && has_no_side_effects(rhs, void)
        }
        ExprKind::Conditional(_, yes, no) => has_no_side_effects(yes, void) && has_no_side_effects(no, void),
        ExprKind::Comma(_, last) => has_no_side_effects(last, void),
        ExprKind::Assign(..)
        | ExprKind::CompoundAssign { .. }
        | ExprKind::IncDec { .. }
        | ExprKind::Call(..)
        | ExprKind::CallBlock(..)
        | ExprKind::Statements(..) => false,
    }
}
