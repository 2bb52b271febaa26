//! Warnings about valid code that is probably a mistake. They are a subset of the warnings that Clang gives by
//! default, plus some that kernel programmers asked for; docs/diagnostics.md has the list. Doubtful cases are not
//! reported, since some hosts show every log that is not empty.
//!
//! Most checks walk the finished tree of a program without errors, in which every conversion is explicit. Facts
//! that are not in the tree (whether something was written, named, or implicit) are recorded by hooks of the
//! parser, in `usage.rs`, `constant_conversion.rs` and `suspicious.rs`. Every check is linear in the size of the
//! program.

mod constant_conversion;
mod divergence;
mod flow;
mod format;
mod operands;
mod statements;
mod suspicious;
mod usage;
mod values;

use crate::session::Session;
use crate::tree::{FunctionBody, FunctionId, Stmt};
use grus_support::diag::Span;

/// Warning that is to be reported, with the positions that explain it.
struct PendingWarning {
    span: Span,
    message: String,
    /// Second range to underline.
    second_span: Option<Span>,
    notes: Vec<(Span, String)>,
}

impl PendingWarning {
    fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), second_span: None, notes: Vec::new() }
    }

    fn second_span(mut self, span: Span) -> Self {
        self.second_span = Some(span);
        self
    }

    fn note(mut self, span: Span, message: impl Into<String>) -> Self {
        self.notes.push((span, message.into()));
        self
    }
}

impl Session<'_> {
    /// Reports the warnings of a whole program without errors.
    pub fn check_warnings(&mut self) {
        if self.options.no_warnings {
            return;
        }
        let mut warnings = Vec::new();
        for id in self.unit.functions.ids().filter(|id| self.is_program_function(*id)) {
            if let FunctionBody::Block(body) = &self.unit.functions[id].body {
                if self.usage.is_suspicious(id) {
                    values::check(self, id, body, &mut warnings);
                }
                statements::check(self, body, &mut warnings);
                self.check_missing_return(id, body, &mut warnings);
            }
        }
        divergence::check(self, &mut warnings);
        // Programs are put together from files of helpers, so unused functions are common.
        if self.options.all_warnings {
            self.unused_functions(&mut warnings);
        }
        for pending in warnings {
            let warning = self.warning(pending.span, pending.message);
            if let Some(span) = pending.second_span {
                warning.label(span, "");
            }
            for (span, note) in pending.notes {
                warning.note(span, note);
            }
        }
    }

    /// Checks whether the body of `id` is in the program, not in the library.
    fn is_program_function(&self, id: FunctionId) -> bool {
        let span = self.unit.functions[id].span;
        span != Span::default() && !self.source.map.in_library(span.lo)
    }

    fn check_missing_return(&self, id: FunctionId, body: &[Stmt], out: &mut Vec<PendingWarning>) {
        let function = &self.unit.functions[id];
        let returns_nothing =
            function.ret == self.types.common.void || function.ret == self.types.common.error;
        if !returns_nothing && flow::reaches_end(self, body, function.labels) {
            let end = self.usage.closing_brace(id).unwrap_or(function.span);
            let message = format!("'{}' may end without returning a value", function.name);
            out.push(PendingWarning::new(end, message));
        }
    }

    /// Checks whether the code at `span` is a macro expansion, which may be meaningful for other arguments or
    /// options.
    fn is_from_macro(&self, span: Span) -> bool {
        self.source.map.macro_at(span.lo).is_some()
    }
}

pub use usage::Usage;
