//! Limits on the depth of a program. The parser and the stages after it are recursive, and their stack is finite.

use super::Session;
use grus_support::memory;

/// Maximum depth of an expression, or of a chain of `else if`. The stages after the parser traverse trees by
/// recursion.
// Source: `tests/it/hostile.rs` compiles the deepest programs, which use a sixth of `clc::STACK_SIZE`.
pub const MAX_TREE_DEPTH: u32 = 10_000;

/// Maximum depth of nested productions. Each level needs stack in the parser and in later stages.
// Arbitrary.
pub const MAX_NESTING: u32 = 500;

/// Depth of the productions that are being parsed, and of the trees that they return. Flat text such as
/// `a + b + c` or a chain of `else if` makes a tree that is deeper than its productions are nested.
#[derive(Debug, Default)]
pub struct ParseDepth {
    /// Number of enclosing nested productions.
    nesting: u32,
    /// Depth of the last expression.
    last_expr: u32,
    /// Maximum depth of the expressions since this field was last reset.
    max_expr: u32,
    /// Number of `else if` branches that enclose the current statement.
    else_ifs: u32,
    /// True once a limit on the size or nesting of the program is exceeded. All further tokens are skipped.
    aborted: bool,
}

/// Depths outside of a chain of `else if`, saved while the chain is parsed.
#[derive(Clone, Copy, Debug)]
pub struct ElseIfChain {
    max_expr: u32,
    else_ifs: u32,
}

impl ParseDepth {
    /// Returns the depth of the last expression.
    pub fn last_expr(&self) -> u32 {
        self.last_expr
    }

    /// Sets the depth of an expression that has no operands.
    pub fn set_primary(&mut self) {
        self.last_expr = 1;
    }

    /// Checks whether a limit was exceeded, so that the rest of the program is skipped.
    pub fn is_aborted(&self) -> bool {
        self.aborted
    }

    /// Begins a chain of `else if`.
    pub fn begin_else_ifs(&mut self) -> ElseIfChain {
        ElseIfChain { max_expr: std::mem::take(&mut self.max_expr), else_ifs: self.else_ifs }
    }

    /// Ends a chain of `count` `if` statements.
    pub fn end_else_ifs(&mut self, outside: ElseIfChain, count: usize) {
        self.else_ifs = outside.else_ifs;
        self.max_expr = outside.max_expr.max(self.max_expr + count as u32);
    }
}

impl Session<'_> {
    /// Enters a nested production. If the nesting is too deep, reports an error, skips the rest of the program and
    /// returns false.
    pub fn enter(&mut self) -> bool {
        memory::check();
        self.depth.nesting += 1;
        if self.depth.nesting > MAX_NESTING && !self.depth.aborted {
            let span = self.peek().span();
            self.error(span, "the program is nested too deeply");
            self.abort();
        }
        !self.depth.aborted
    }

    /// Leaves a production that [`Session::enter`] entered.
    pub fn leave(&mut self) {
        self.depth.nesting -= 1;
    }

    /// Sets the depth of the expression that was just parsed, and aborts if it exceeds the limit.
    pub fn set_expr_depth(&mut self, depth: u32) {
        self.depth.last_expr = depth;
        self.depth.max_expr = self.depth.max_expr.max(depth);
        self.check_tree_depth(depth);
    }

    /// Parses the right operand of an operator whose left operand has depth `lhs_depth`. The depth of the resulting
    /// expression is one more than the maximum of both.
    pub fn parse_rhs<T>(&mut self, lhs_depth: u32, parse: impl FnOnce(&mut Self) -> T) -> T {
        self.depth.last_expr = 0;
        let rhs = parse(self);
        self.set_expr_depth(lhs_depth.max(self.depth.last_expr) + 1);
        rhs
    }

    /// Parses an expression that contains other expressions, possibly in statements. Its depth is one more than
    /// their maximum.
    pub fn parse_enclosing_expr<T>(&mut self, parse: impl FnOnce(&mut Self) -> T) -> T {
        let max_expr = std::mem::take(&mut self.depth.max_expr);
        let expr = parse(self);
        let depth = self.depth.max_expr + 1;
        self.depth.max_expr = max_expr;
        self.set_expr_depth(depth);
        expr
    }

    /// Counts one more branch of a chain of `else if`, and aborts if the chain is too long.
    pub fn add_else_if(&mut self) {
        self.depth.else_ifs += 1;
        self.check_tree_depth(self.depth.else_ifs);
    }

    /// Reports an error and aborts if a tree of this depth exceeds the limit.
    fn check_tree_depth(&mut self, depth: u32) {
        if depth > MAX_TREE_DEPTH && !self.depth.aborted {
            let span = self.peek().span();
            self.error(
                span,
                "the program is nested too deeply: this has too many parts, one within the other",
            );
            self.abort();
        }
    }

    /// Skips all remaining tokens.
    pub fn abort(&mut self) {
        self.depth.aborted = true;
        self.cursor.seek_end();
    }
}
