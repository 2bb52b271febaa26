//! Overloaded functions of the program (`__attribute__((overloadable))`, an extension of Clang): one name with
//! several parameter lists. Overload resolution uses the ranks of library calls, and library functions with the
//! same name are candidates.
//!
//! Names of overloaded functions in the IR and in diagnostics contain the parameter types, so that linked units
//! agree on them. At most one function of a set may lack the attribute.

use crate::library::resolve::{CONVERSION, EXACT, PROMOTION, SPLAT, best_viable, scalar_rank};
use crate::names::Symbol;
use crate::parse::Operand;
use crate::scope::Entity;
use crate::session::Session;
use crate::token::Token;
use crate::tree::{Expr, FunctionId};
use crate::types::{FunctionType, Opaque, QualType, Scalar, Space, Type, TypeId};
use grus_support::diag::Span;

/// Maximum number of candidates that a diagnostic lists.
// Arbitrary.
const MAX_CANDIDATE_NOTES: usize = 8;

impl Session<'_> {
    /// Checks whether a function of type `ty` may be added to the overloads of `first`. Functions that differ only
    /// in the return type may not.
    pub fn may_overload(&self, first: FunctionId, ty: TypeId, overloadable: bool) -> bool {
        let set = self.unit.overloads_of(first);
        let plain = set.iter().filter(|f| !self.unit.infos[**f].is_overloadable).count();
        let params = |ty: TypeId| match self.types.get(ty) {
            Type::Function(ty) => Some(&ty.params),
            _ => None,
        };
        let differ = set.iter().all(|f| params(self.unit.infos[*f].ty) != params(ty));
        differ && plain + usize::from(!overloadable) <= 1
    }

    /// Returns `name(types)`.
    pub fn overload_name(&self, name: &str, ty: &FunctionType) -> String {
        let params: Vec<String> = ty.params.iter().map(|p| self.type_text(*p)).collect();
        format!("{name}({})", params.join(", "))
    }

    /// Adds a function to the overloads of its name; returns `false` if it is the first one, or may not be added.
    pub fn add_overload(&mut self, name: Token, id: FunctionId) -> bool {
        let Some(Entity::Function(first)) = self.scopes.find(name.symbol).map(|b| b.decl) else {
            return false;
        };
        let info = &self.unit.infos[id];
        if !self.may_overload(first, info.ty, info.is_overloadable) {
            return false;
        }
        self.unit.add_overload(first, id);
        true
    }

    /// Builds a call of the best match among the overloads of `first`.
    pub(super) fn call_overloaded(
        &mut self,
        first: FunctionId,
        at: Span,
        args: Vec<Operand>,
        span: Span,
    ) -> Expr {
        let values: Vec<Expr> = args.into_iter().map(|a| self.value(a)).collect();
        if values.iter().any(|v| v.ty == self.types.common.error) {
            return self.error_expr(span);
        }
        let mut viable = Vec::new();
        for id in self.unit.overloads_of(first) {
            viable.extend(self.overload_ranks(id, &values).map(|ranks| (id, ranks)));
        }
        // The best library function is a candidate too; if neither is better, the program's function is called.
        let name = self.library_name(first);
        let library_ranks = name.and_then(|symbol| self.library_ranks(symbol, &values));
        let program_ranks: Vec<&[u8]> = viable.iter().map(|f| &f.1[..]).collect();
        let all: Vec<&[u8]> = program_ranks.iter().copied().chain(library_ranks.as_deref()).collect();
        let chosen =
            best_viable(&all).or_else(|| best_viable(&program_ranks)).map(|i| viable.get(i).map(|f| f.0));
        let args = |values: Vec<Expr>| values.into_iter().map(Operand::Value).collect();
        match (chosen, name) {
            (Some(Some(id)), _) => return self.call_resolved(id, at, args(values), span),
            (Some(None), Some(symbol)) => return self.call_library(symbol, at, args(values), span),
            _ => {}
        }
        let candidates = match viable.is_empty() {
            true => self.unit.overloads_of(first),
            false => viable.iter().map(|f| f.0).collect(),
        };
        self.report_no_overload(at, &candidates, &values, !viable.is_empty());
        self.error_expr(span)
    }

    /// Returns the name that a function has in the source.
    fn source_name(&self, id: FunctionId) -> String {
        self.unit.functions[id].name.split('(').next().unwrap_or_default().to_owned()
    }

    /// Returns the name of a function if the library has functions with that name.
    pub fn library_name(&mut self, id: FunctionId) -> Option<Symbol> {
        let text = self.source_name(id);
        let symbol = self.names.intern(&text);
        self.is_library_function(symbol).then_some(symbol)
    }

    fn report_no_overload(&mut self, at: Span, candidates: &[FunctionId], values: &[Expr], ambiguous: bool) {
        let types: Vec<String> = values.iter().map(|v| self.type_text(v.ty)).collect();
        let types = types.join(", ");
        let name = self.source_name(candidates[0]);
        let message = match ambiguous {
            true => format!("the call of '{name}' is ambiguous with ({types})"),
            false => format!("no function '{name}' takes ({types})"),
        };
        let notes: Vec<Span> =
            candidates.iter().take(MAX_CANDIDATE_NOTES).map(|f| self.unit.functions[*f].span).collect();
        let report = self.error(at, message);
        for note in notes {
            report.note(note, "this is one");
        }
    }

    /// Returns the rank of the conversion of each argument, or `None` if one does not convert.
    pub(super) fn overload_ranks(&self, id: FunctionId, values: &[Expr]) -> Option<Vec<u8>> {
        let params = &self.unit.infos[id].params;
        let pairs = params.iter().zip(values).map(|(param, value)| self.overload_rank(value, param.ty));
        (params.len() == values.len()).then(|| pairs.collect())?
    }

    fn overload_rank(&self, value: &Expr, to: TypeId) -> Option<u8> {
        if value.ty == to {
            return Some(EXACT);
        }
        match (self.types.get(value.ty), self.types.get(to)) {
            (Type::Bool, Type::Scalar(Scalar::Int)) => Some(PROMOTION),
            (Type::Scalar(from), Type::Scalar(to)) => Some(scalar_rank(*from, *to)),
            (Type::Bool | Type::Scalar(_), Type::Bool | Type::Scalar(_)) => Some(CONVERSION),
            (Type::Scalar(from), Type::Vector(to, _)) => Some(SPLAT + u8::from(from != to)),
            (Type::Pointer(from), Type::Pointer(to)) => self.pointer_rank(*from, *to),
            (_, Type::Pointer(_) | Type::Opaque(_)) if self.is_null(value) => Some(CONVERSION),
            (Type::Scalar(_), Type::Opaque(Opaque::Sampler)) => Some(CONVERSION),
            _ => None,
        }
    }

    fn pointer_rank(&self, from: QualType, to: QualType) -> Option<u8> {
        let drops = from.is_const && !to.is_const && to.space != Space::Constant
            || from.is_volatile && !to.is_volatile;
        if drops || !self.is_space_convertible(from.space, to.space) {
            return None;
        }
        if from.ty == to.ty {
            return Some(PROMOTION);
        }
        (to.ty == self.types.common.void).then_some(CONVERSION)
    }
}
