//! Context of the expression that is being parsed.

use super::Session;
use grus_support::diag::Span;

/// Context of the expression that is being parsed.
#[derive(Debug)]
pub struct ExprContext {
    /// Number of enclosing unevaluated operands (`sizeof`, `vec_step` and similar). Calls in them are not recorded.
    unevaluated: u32,
    /// True if products may stay unrounded where they are added (s6.12.2, FP_CONTRACT).
    fp_contract: bool,
    /// Block depth of the enclosing statement expression; 0 if there is none.
    statement_expr_depth: u32,
    /// Source range of the last decimal constant without a `u` suffix that exceeds all signed types.
    oversized_decimal: Option<Span>,
}

impl Default for ExprContext {
    fn default() -> Self {
        Self { unevaluated: 0, fp_contract: true, statement_expr_depth: 0, oversized_decimal: None }
    }
}

impl ExprContext {
    /// Checks whether the current expression is an unevaluated operand or part of one.
    pub fn is_unevaluated(&self) -> bool {
        self.unevaluated > 0
    }

    /// Begins code that is evaluated regardless of the expression that contains it. Returns the argument for
    /// [`ExprContext::end_evaluated`].
    pub fn begin_evaluated(&mut self) -> u32 {
        std::mem::take(&mut self.unevaluated)
    }

    /// Ends code that [`ExprContext::begin_evaluated`] began.
    pub fn end_evaluated(&mut self, unevaluated: u32) {
        self.unevaluated = unevaluated;
    }

    /// Checks whether FP_CONTRACT is on.
    pub fn fp_contract(&self) -> bool {
        self.fp_contract
    }

    /// Turns FP_CONTRACT on or off.
    pub fn set_fp_contract(&mut self, is_on: bool) {
        self.fp_contract = is_on;
    }

    /// Returns the block depth of the enclosing statement expression, or 0.
    pub fn statement_expr_depth(&self) -> u32 {
        self.statement_expr_depth
    }

    /// Enters or leaves a statement expression. Returns the depth of the one before.
    pub fn set_statement_expr_depth(&mut self, depth: u32) -> u32 {
        std::mem::replace(&mut self.statement_expr_depth, depth)
    }

    /// Returns the source range of the last decimal constant that exceeds all signed types.
    pub fn oversized_decimal(&self) -> Option<Span> {
        self.oversized_decimal
    }

    /// Records a decimal constant that exceeds all signed types.
    pub fn set_oversized_decimal(&mut self, span: Span) {
        self.oversized_decimal = Some(span);
    }
}

impl Session<'_> {
    /// Parses an operand that is not evaluated.
    pub fn parse_unevaluated<T>(&mut self, parse: impl FnOnce(&mut Self) -> T) -> T {
        self.parse_evaluated_if(false, parse)
    }

    /// Parses an operand that is evaluated only if `is_evaluated` is true.
    pub fn parse_evaluated_if<T>(&mut self, is_evaluated: bool, parse: impl FnOnce(&mut Self) -> T) -> T {
        self.context.unevaluated += u32::from(!is_evaluated);
        let operand = parse(self);
        self.context.unevaluated -= u32::from(!is_evaluated);
        operand
    }
}
