//! `#if` expressions (C99 s6.10.1) in signed or unsigned 64-bit arithmetic.

use super::{Preprocessor, Token, TokenKind};
use crate::literal;

/// Maximum depth of nested subexpressions.
// Arbitrary.
const MAX_SUBEXPRESSION_DEPTH: u32 = 200;

/// Value of a subexpression, signed or unsigned.
#[derive(Clone, Copy)]
struct IfValue {
    bits: u64,
    unsigned: bool,
}

impl IfValue {
    fn from_bool(value: bool) -> Self {
        Self { bits: u64::from(value), unsigned: false }
    }
    fn truth(self) -> bool {
        self.bits != 0
    }
}

/// Evaluator of the tokens of one `#if` line.
struct Evaluator<'p, 'a> {
    pp: &'p mut Preprocessor<'a>,
    tokens: Vec<Token>,
    at: usize,
    /// Number of enclosing operands that are parsed but not evaluated, in `&&`, `||` and `?:`.
    skipped: u32,
    depth: u32,
    directive: Token,
    failed: bool,
}

impl Preprocessor<'_> {
    /// Evaluates the rest of the line of an `#if` or `#elif`. Returns true if it is nonzero.
    pub(super) fn condition(&mut self, directive: Token) -> bool {
        let line = self.line_tokens();
        if line.is_empty() {
            let message = format!("'#{}' needs an expression", self.names.text(directive.symbol));
            self.diags.error(directive.span(), message);
            return false;
        }
        let errors = self.diags.error_count();
        let was_in_condition = std::mem::replace(&mut self.in_condition, true);
        let tokens = self.expand_list(line);
        self.in_condition = was_in_condition;
        if self.diags.error_count() > errors {
            return false;
        }
        let mut evaluator =
            Evaluator { pp: self, tokens, at: 0, skipped: 0, depth: 0, directive, failed: false };
        let value = evaluator.conditional();
        if !evaluator.failed && evaluator.at < evaluator.tokens.len() {
            evaluator.fail("unexpected token in preprocessor expression");
        }
        !evaluator.failed && value.truth()
    }

    /// Evaluates `defined name` or `defined(name)` after the token `defined`. The name is not expanded. The
    /// operator may come from macro expansion: C99 leaves that undefined (s6.10.1p4), and other compilers evaluate
    /// it.
    pub(super) fn evaluate_defined(&mut self, defined: Token) -> Token {
        let mut name = self.fetch();
        let parenthesized = name.kind == TokenKind::LParen;
        if parenthesized {
            name = self.fetch();
        }
        if name.kind != TokenKind::Ident || parenthesized && self.fetch().kind != TokenKind::RParen {
            self.diags.error(defined.span(), "'defined' needs a macro name");
        }
        let value = self.find_macro(name.symbol).is_some();
        let symbol = self.names.intern(if value { "1" } else { "0" });
        Token { kind: TokenKind::Number, symbol, ..defined }
    }
}

/// Returns the precedence of a binary operator, or 0 for any other token.
fn precedence(kind: TokenKind) -> u8 {
    match kind {
        TokenKind::OrOr => 1,
        TokenKind::AndAnd => 2,
        TokenKind::Pipe => 3,
        TokenKind::Caret => 4,
        TokenKind::Amp => 5,
        TokenKind::EqEq | TokenKind::Ne => 6,
        TokenKind::Lt | TokenKind::Gt | TokenKind::Le | TokenKind::Ge => 7,
        TokenKind::Shl | TokenKind::Shr => 8,
        TokenKind::Plus | TokenKind::Minus => 9,
        TokenKind::Star | TokenKind::Slash | TokenKind::Percent => 10,
        _ => 0,
    }
}

impl Evaluator<'_, '_> {
    fn peek(&self) -> TokenKind {
        self.tokens.get(self.at).map_or(TokenKind::Eof, |t| t.kind)
    }

    fn fail(&mut self, message: &str) -> IfValue {
        if !self.failed {
            let at = self.tokens.get(self.at).unwrap_or(&self.directive);
            self.pp.diags.error(at.span(), message);
        }
        self.failed = true;
        self.at = self.tokens.len();
        IfValue::from_bool(false)
    }

    /// conditional = (binary "?" conditional ":")* binary
    fn conditional(&mut self) -> IfValue {
        let (mut chosen, mut unsigned, mut skips) = (None, false, 0);
        let last = loop {
            let condition = self.binary(1);
            if self.peek() != TokenKind::Question {
                break condition;
            }
            self.at += 1;
            let yes = self.nested(|e| e.skipping_if(!condition.truth(), Self::conditional));
            if self.peek() != TokenKind::Colon {
                break self.fail("expected ':' in preprocessor expression");
            }
            self.at += 1;
            unsigned |= yes.unsigned;
            if condition.truth() && chosen.is_none() {
                chosen = Some(yes);
                skips = 1;
                self.skipped += 1;
            }
        };
        self.skipped -= skips;
        IfValue { bits: chosen.unwrap_or(last).bits, unsigned: unsigned || last.unsigned }
    }

    /// Calls `read` for a nested subexpression, unless the nesting is too deep.
    fn nested(&mut self, read: impl FnOnce(&mut Self) -> IfValue) -> IfValue {
        self.depth += 1;
        let value = if self.depth > MAX_SUBEXPRESSION_DEPTH {
            self.fail("preprocessor expression is nested too deeply")
        } else {
            read(self)
        };
        self.depth -= 1;
        value
    }

    fn skipping_if(&mut self, skip: bool, part: impl FnOnce(&mut Self) -> IfValue) -> IfValue {
        self.skipped += u32::from(skip);
        let value = part(self);
        self.skipped -= u32::from(skip);
        value
    }

    /// binary = unary (operator unary)*, by precedence
    fn binary(&mut self, min_precedence: u8) -> IfValue {
        let mut lhs = self.unary();
        loop {
            let operator = self.peek();
            let precedence = precedence(operator);
            if precedence < min_precedence || precedence == 0 {
                return lhs;
            }
            self.at += 1;
            let skip = match operator {
                TokenKind::AndAnd => !lhs.truth(),
                TokenKind::OrOr => lhs.truth(),
                _ => false,
            };
            let rhs = self.skipping_if(skip, |e| e.binary(precedence + 1));
            lhs = self.apply(operator, lhs, rhs);
        }
    }

    /// unary = ("+" | "-" | "!" | "~")* primary
    fn unary(&mut self) -> IfValue {
        let first = self.at;
        while matches!(self.peek(), TokenKind::Plus | TokenKind::Minus | TokenKind::Not | TokenKind::Tilde) {
            self.at += 1;
        }
        let operators = first..self.at;
        let mut value = self.primary();
        for at in operators.rev() {
            value = match self.tokens[at].kind {
                TokenKind::Minus => IfValue { bits: value.bits.wrapping_neg(), ..value },
                TokenKind::Tilde => IfValue { bits: !value.bits, ..value },
                TokenKind::Not => IfValue::from_bool(!value.truth()),
                _ => value,
            };
        }
        value
    }

    /// primary = number | character | name | "(" conditional ")"
    fn primary(&mut self) -> IfValue {
        let Some(&token) = self.tokens.get(self.at) else {
            return self.fail("the preprocessor expression ends too early");
        };
        let text = self.pp.names.text(token.symbol);
        match token.kind {
            TokenKind::Number => match literal::integer(text) {
                Ok(number) => {
                    self.at += 1;
                    let unsigned = number.unsigned || number.value > i64::MAX as u64;
                    IfValue { bits: number.value, unsigned }
                }
                Err(_) => self.fail("not an integer in preprocessor expression"),
            },
            TokenKind::Char => match literal::character(text) {
                Ok(value) => {
                    self.at += 1;
                    IfValue { bits: i64::from(value) as u64, unsigned: false }
                }
                Err(error) => self.fail(&error.to_string()),
            },
            // An identifier that is not a macro has the value 0; the keyword `true` has the value 1.
            TokenKind::Ident => {
                let is_true = self.pp.names.text(self.tokens[self.at].symbol) == "true";
                if self.tokens.get(self.at + 1).is_some_and(|next| next.kind == TokenKind::LParen) {
                    return self.undefined_call(token);
                }
                self.at += 1;
                IfValue::from_bool(is_true)
            }
            TokenKind::LParen => {
                self.at += 1;
                let value = self.nested(Self::conditional);
                if self.peek() != TokenKind::RParen {
                    return self.fail("expected ')' in preprocessor expression");
                }
                self.at += 1;
                value
            }
            _ => self.fail("unexpected token in preprocessor expression"),
        }
    }

    /// Reports `name(...)` where the name is not a macro. Its arguments cannot be parsed, so this is an error even
    /// in an operand that is not evaluated.
    fn undefined_call(&mut self, name: Token) -> IfValue {
        let first = !self.failed;
        let text = self.pp.names.text(name.symbol).to_owned();
        let value = self.fail(&format!("function-like macro '{text}' is not defined"));
        if first
            && self.skipped > 0
            && let Some(report) = self.pp.diags.last_mut()
        {
            let advice = format!(
                "an operand that is not evaluated is read all the same; \
                 write '#if defined({text})' and the rest as an '#if' inside it"
            );
            report.note(grus_support::diag::Span::default(), advice);
        }
        value
    }

    fn apply(&mut self, operator: TokenKind, a: IfValue, b: IfValue) -> IfValue {
        let unsigned = a.unsigned || b.unsigned;
        let (x, y) = (a.bits, b.bits);
        let (sx, sy) = (x as i64, y as i64);
        let less = |strict: bool, p: u64, q: u64| {
            let order = if unsigned { p.cmp(&q) } else { (p as i64).cmp(&(q as i64)) };
            IfValue::from_bool(order.is_lt() || (!strict && order.is_eq()))
        };
        let bits = match operator {
            TokenKind::OrOr => return IfValue::from_bool(a.truth() || b.truth()),
            TokenKind::AndAnd => return IfValue::from_bool(a.truth() && b.truth()),
            TokenKind::EqEq => return IfValue::from_bool(x == y),
            TokenKind::Ne => return IfValue::from_bool(x != y),
            TokenKind::Lt => return less(true, x, y),
            TokenKind::Le => return less(false, x, y),
            TokenKind::Gt => return less(true, y, x),
            TokenKind::Ge => return less(false, y, x),
            TokenKind::Pipe => x | y,
            TokenKind::Caret => x ^ y,
            TokenKind::Amp => x & y,
            TokenKind::Shl | TokenKind::Shr => {
                let bits = shift(operator == TokenKind::Shl, a, y as u32 & 63);
                return IfValue { bits, ..a };
            }
            TokenKind::Plus => x.wrapping_add(y),
            TokenKind::Minus => x.wrapping_sub(y),
            TokenKind::Star => x.wrapping_mul(y),
            _ if y == 0 && self.skipped > 0 => 0,
            _ if y == 0 => return self.fail("division by zero in preprocessor expression"),
            TokenKind::Slash if unsigned => x / y,
            TokenKind::Slash => sx.wrapping_div(sy) as u64,
            _ if unsigned => x % y,
            _ => sx.wrapping_rem(sy) as u64,
        };
        IfValue { bits, unsigned }
    }
}

fn shift(left: bool, value: IfValue, count: u32) -> u64 {
    match (left, value.unsigned) {
        (true, _) => value.bits << count,
        (false, true) => value.bits >> count,
        (false, false) => ((value.bits as i64) >> count) as u64,
    }
}
