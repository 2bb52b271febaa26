//! What is declared and never used, and values that nobody takes. Uses are names that
//! were looked up, not nodes of the tree: `sizeof(x)` and `(void)x` use `x` and leave no
//! node.

use super::Finding;
use crate::clc::names::Symbol;
use crate::clc::parse::Operand;
use crate::clc::session::Session;
use crate::clc::tree::{BinaryOp, Expr, ExprKind, FunctionBody, FunctionId};
use crate::clc::types::{StructId, TypeId};
use crate::diag::Span;
use crate::support::{FastMap, FastSet};

/// What the parser saw beside the tree.
#[derive(Debug, Default)]
pub struct Usage {
    functions: FastSet<FunctionId>,
    /// Closing braces of functions.
    ends: FastMap<FunctionId, Span>,
    /// Where structs are defined.
    structs: FastMap<StructId, Span>,
    /// Functions that `values.rs` should look at.
    odd: FastSet<FunctionId>,
    /// Labels that were jumped to in the function being read.
    labels: FastSet<Symbol>,
    /// Names reported as undeclared in the function being read.
    undeclared: FastSet<Symbol>,
}

impl Usage {
    /// Notes that a function was named.
    pub fn function(&mut self, id: FunctionId) {
        self.functions.insert(id);
    }

    /// Notes a function that `values.rs` should look at.
    pub fn odd(&mut self, id: FunctionId) {
        self.odd.insert(id);
    }

    /// Whether [`Usage::odd`] was told of `id`.
    pub fn is_odd(&self, id: FunctionId) -> bool {
        self.odd.contains(&id)
    }

    /// Notes where a function ends.
    pub fn end(&mut self, id: FunctionId, brace: Span) {
        self.ends.insert(id, brace);
    }

    /// Where a function ends.
    pub fn end_of(&self, id: FunctionId) -> Option<Span> {
        self.ends.get(&id).copied()
    }

    /// Notes where a struct is defined.
    pub fn define_struct(&mut self, id: StructId, at: Span) {
        self.structs.insert(id, at);
    }

    /// Where a struct is defined.
    pub fn struct_at(&self, id: StructId) -> Option<Span> {
        self.structs.get(&id).copied()
    }

    /// Notes an undeclared name; true for the first time.
    pub fn undeclared(&mut self, name: Symbol) -> bool {
        self.undeclared.insert(name)
    }

    /// Notes that a label was jumped to, or is marked as unused on purpose.
    pub fn label(&mut self, name: Symbol) {
        self.labels.insert(name);
    }
}

impl Session<'_> {
    /// Variables and labels of the function that was just read and that nobody names.
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

    /// Variables of the function or block that was just read.
    pub fn check_unused_variables(&mut self) {
        if self.in_library() || self.diags.error_count() > 0 {
            return;
        }
        let function = self.function.as_ref().expect("inside a function");
        let params = self.infos[function.id].params.len();
        let mut unused: Vec<(Span, String)> = Vec::new();
        for (id, local) in function.locals.iter().skip(params) {
            if !local.name.is_empty() && !function.used.contains(&id) && !self.is_from_macro(local.span) {
                unused.push((local.span, format!("unused variable '{}'", local.name)));
            }
        }
        for (span, message) in unused {
            self.warning(span, message);
        }
    }

    /// Static functions of the main file that nobody names.
    pub(super) fn unused_functions(&self, out: &mut Vec<Finding>) {
        for id in self.functions.ids().filter(|id| self.is_program_function(*id)) {
            let function = &self.functions[id];
            let wanted = self.usage.functions.contains(&id)
                || !function.is_static
                || function.kernel.is_some()
                || self.infos[id].overloadable
                || !matches!(function.body, FunctionBody::Block(_));
            if !wanted && self.map.in_main_file(function.span.lo) && !self.is_from_macro(function.span) {
                out.push(Finding::new(function.span, format!("unused function '{}'", function.name)));
            }
        }
    }

    /// Whether `id` takes more arguments than it declares.
    pub(super) fn is_variadic(&self, id: FunctionId) -> bool {
        use crate::clc::types::Type;
        matches!(self.types.get(self.infos[id].ty), Type::Function(ty) if ty.variadic)
    }

    /// Whether a condition is known.
    pub(super) fn known_truth(&self, condition: &Expr) -> Option<bool> {
        match condition.kind {
            ExprKind::Load(_) | ExprKind::Call(..) => None,
            _ => self.constant_truth(condition),
        }
    }

    /// A statement that is an expression: its value should have been wanted.
    pub fn check_result(&mut self, operand: &Operand) {
        if self.in_library() || self.unevaluated > 0 || self.diags.error_count() > 0 {
            return;
        }
        let (span, message) = match operand {
            Operand::Lvalue(place) if !place.ty.is_volatile && place.ty.ty != self.common.void => {
                (place.span, "the value of this expression is not used")
            }
            Operand::Value(value) if is_idle(value, self.common.void) => {
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

/// The value of a comma expression.
fn last_of(value: &Expr) -> &Expr {
    match &value.kind {
        ExprKind::Comma(_, last) | ExprKind::Statements(_, last) => last_of(last),
        _ => value,
    }
}

/// Whether computing `value` does nothing but make it. A choice or `&&` of which one
/// side does something is a statement in disguise.
fn is_idle(value: &Expr, void: TypeId) -> bool {
    if value.ty == void {
        return false;
    }
    match &value.kind {
        ExprKind::Load(place) => !place.ty.is_volatile,
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
        ExprKind::Convert(inner) => is_idle(inner, void) || !matches!(inner.kind, ExprKind::Call(..)),
        ExprKind::Logical { lhs, rhs, .. } => is_idle(lhs, void) && is_idle(rhs, void),
        ExprKind::Conditional(_, yes, no) => is_idle(yes, void) && is_idle(no, void),
        ExprKind::Comma(_, last) => is_idle(last, void),
        ExprKind::Assign(..)
        | ExprKind::CompoundAssign { .. }
        | ExprKind::IncDec { .. }
        | ExprKind::Call(..)
        | ExprKind::CallBlock(..)
        | ExprKind::Statements(..) => false,
    }
}
