//! Expressions (C99 s6.5), by precedence climbing for binary operators.

use super::DeclaredType;
use crate::names::{Keyword as K, Symbol};
use crate::session::Session;
use crate::token::{Token, TokenKind};
use crate::tree::{BinaryOp, Expr, FunctionId, Lvalue};
use crate::types::Type;
use grus_support::diag::Span;

/// Parsed expression whose use is not known yet.
#[derive(Clone, Debug)]
pub enum Operand {
    Value(Expr),
    Lvalue(Lvalue),
    /// Name of a function of the program.
    Function(FunctionId, Span),
    /// Name of one or more functions of the library.
    Library(Symbol, Span),
}

impl Operand {
    /// Returns the source range.
    pub fn span(&self) -> Span {
        match self {
            Operand::Value(e) => e.span,
            Operand::Lvalue(p) => p.span,
            Operand::Function(_, span) | Operand::Library(_, span) => *span,
        }
    }

    /// Returns the operand with another source range.
    pub fn with_span(mut self, new: Span) -> Operand {
        match &mut self {
            Operand::Value(e) => e.span = new,
            Operand::Lvalue(p) => p.span = new,
            Operand::Function(_, span) | Operand::Library(_, span) => *span = new,
        }
        self
    }
}

/// Prefix operator or cast that precedes an operand.
enum Prefix {
    /// Prefix operator.
    Operator(Token),
    /// Type of a cast, and the range of its parenthesis.
    Cast(Option<DeclaredType>, Span),
}

/// Returns the precedence and the operation of a binary operator.
pub(super) fn binary_operator(kind: TokenKind) -> Option<(u8, BinaryOp)> {
    Some(match kind {
        TokenKind::OrOr => (1, BinaryOp::Or),
        TokenKind::AndAnd => (2, BinaryOp::And),
        TokenKind::Pipe => (3, BinaryOp::BitOr),
        TokenKind::Caret => (4, BinaryOp::BitXor),
        TokenKind::Amp => (5, BinaryOp::BitAnd),
        TokenKind::EqEq => (6, BinaryOp::Eq),
        TokenKind::Ne => (6, BinaryOp::Ne),
        TokenKind::Lt => (7, BinaryOp::Lt),
        TokenKind::Gt => (7, BinaryOp::Gt),
        TokenKind::Le => (7, BinaryOp::Le),
        TokenKind::Ge => (7, BinaryOp::Ge),
        TokenKind::Shl => (8, BinaryOp::Shl),
        TokenKind::Shr => (8, BinaryOp::Shr),
        TokenKind::Plus => (9, BinaryOp::Add),
        TokenKind::Minus => (9, BinaryOp::Sub),
        TokenKind::Star => (10, BinaryOp::Mul),
        TokenKind::Slash => (10, BinaryOp::Div),
        TokenKind::Percent => (10, BinaryOp::Rem),
        _ => return None,
    })
}

/// Returns the operation of an assignment operator; the inner `None` means plain assignment.
fn assignment_operator(kind: TokenKind) -> Option<Option<BinaryOp>> {
    Some(match kind {
        TokenKind::Assign => None,
        TokenKind::StarAssign => Some(BinaryOp::Mul),
        TokenKind::SlashAssign => Some(BinaryOp::Div),
        TokenKind::PercentAssign => Some(BinaryOp::Rem),
        TokenKind::PlusAssign => Some(BinaryOp::Add),
        TokenKind::MinusAssign => Some(BinaryOp::Sub),
        TokenKind::ShlAssign => Some(BinaryOp::Shl),
        TokenKind::ShrAssign => Some(BinaryOp::Shr),
        TokenKind::AmpAssign => Some(BinaryOp::BitAnd),
        TokenKind::CaretAssign => Some(BinaryOp::BitXor),
        TokenKind::PipeAssign => Some(BinaryOp::BitOr),
        _ => return None,
    })
}

impl Session<'_> {
    /// expression = assignment ("," assignment)*
    pub fn expression(&mut self) -> Operand {
        let mut lhs = self.assignment();
        while self.kind() == TokenKind::Comma {
            self.bump();
            let rhs = self.parse_rhs(self.depth.last_expr(), Self::assignment);
            lhs = self.comma(lhs, rhs);
        }
        lhs
    }

    /// Calls `read` for the operand of the operator at `at`, unless the nesting is too deep.
    pub(super) fn nested(&mut self, at: Span, read: impl FnOnce(&mut Self) -> Operand) -> Operand {
        let found = if self.enter() { read(self) } else { Operand::Value(self.error_expr(at)) };
        self.leave();
        found
    }

    /// assignment = conditional (assignment-operator assignment)?
    pub fn assignment(&mut self) -> Operand {
        let lhs = self.conditional();
        let Some(op) = assignment_operator(self.kind()) else {
            return lhs;
        };
        let at = self.bump().span();
        let depth = self.depth.last_expr();
        let rhs = self.nested(at, |s| s.parse_rhs(depth, Self::assignment));
        Operand::Value(match op {
            None => self.assign(lhs, rhs, at),
            Some(op) => self.compound_assign(op, lhs, rhs, at),
        })
    }

    /// conditional = (binary "?" expression? ":")* binary
    pub fn conditional(&mut self) -> Operand {
        // A chain `a ? b : c ? d : e` is parsed in a loop, so that its length does not count as nesting.
        let mut chain: Vec<(Operand, Option<Operand>, Span)> = Vec::new();
        let mut depth = 0;
        let mut last = self.binary(1);
        while self.kind() == TokenKind::Question {
            depth = self.depth.last_expr().max(depth);
            let at = self.bump().span();
            if self.eat(TokenKind::Colon) {
                // GNU's `a ?: b`
                chain.push((last, None, at));
            } else {
                let yes = self.nested(at, Self::expression);
                depth = self.depth.last_expr().max(depth);
                self.expect(TokenKind::Colon, "':'");
                chain.push((last, Some(yes), at));
            }
            last = self.binary(1);
        }
        if !chain.is_empty() {
            self.set_expr_depth(depth.max(self.depth.last_expr()) + chain.len() as u32);
        }
        while let Some((condition, yes, at)) = chain.pop() {
            last = match yes {
                Some(yes) => Operand::Value(self.conditional_operator(condition, yes, last, at)),
                None => self.conditional_with_omitted_operand(condition, last, at),
            };
        }
        last
    }

    /// binary = cast (operator cast)*
    fn binary(&mut self, min_precedence: u8) -> Operand {
        let mut lhs = self.cast();
        while let Some((precedence, op)) = binary_operator(self.kind()) {
            if precedence < min_precedence {
                break;
            }
            let at = self.bump().span();
            // `^ ^` with a blank is an operator and a block literal, `^^` is reserved.
            if self.kind() == TokenKind::Caret && op == BinaryOp::BitXor && self.peek().lo == at.hi {
                self.error(at, "the operator '^^' is reserved");
                self.bump();
            }
            let rhs = self.parse_rhs(self.depth.last_expr(), |s| s.binary(precedence + 1));
            lhs = Operand::Value(self.binary_expression(op, lhs, rhs, at));
        }
        lhs
    }

    /// cast = ("(" type ")" | operator)* (vector-literal | compound-literal | unprefixed)
    ///
    /// Prefixes are parsed in a loop, so that `- - - x` does not count as nesting. C does not permit `++` before a
    /// cast; here the error is that the operand is not an lvalue.
    fn cast(&mut self) -> Operand {
        let mut prefixes = Vec::new();
        let mut operand = loop {
            let token = self.peek();
            match token.kind {
                TokenKind::LParen if self.begins_type(self.peek_at(1)) => {
                    self.bump();
                    let ty = if self.enter() { self.type_name() } else { None };
                    self.leave();
                    self.expect(TokenKind::RParen, "')'");
                    if let Some(ty) = ty
                        && self.begins_literal(ty)
                    {
                        break self.literal_with_type(ty, token.span());
                    }
                    prefixes.push(Prefix::Cast(ty, token.span()));
                }
                TokenKind::Inc
                | TokenKind::Dec
                | TokenKind::Amp
                | TokenKind::Star
                | TokenKind::Plus
                | TokenKind::Minus
                | TokenKind::Tilde
                | TokenKind::Not
                | TokenKind::AndAnd => {
                    self.bump();
                    prefixes.push(Prefix::Operator(token));
                }
                _ if self.keyword() == Some(K::Extension) => {
                    self.bump();
                }
                _ => break self.unprefixed(),
            }
        };
        if !prefixes.is_empty() {
            self.set_expr_depth(self.depth.last_expr() + prefixes.len() as u32);
        }
        while let Some(prefix) = prefixes.pop() {
            operand = self.apply_prefix(prefix, operand);
        }
        operand
    }

    /// unprefixed = "sizeof" ... | "vec_step" ... | "_Alignof" ... | postfix
    fn unprefixed(&mut self) -> Operand {
        self.depth.set_primary();
        match self.keyword() {
            Some(K::Sizeof) => self.sizeof_expression(),
            Some(K::VecStep) => self.vec_step_expression(),
            Some(K::Alignof) => self.alignof_expression(),
            _ => {
                let primary = self.primary();
                self.postfix(primary)
            }
        }
    }

    fn apply_prefix(&mut self, prefix: Prefix, operand: Operand) -> Operand {
        match prefix {
            Prefix::Cast(Some(ty), open) => Operand::Value(self.cast_to(ty, operand, open)),
            Prefix::Cast(None, open) => Operand::Value(self.error_expr(open)),
            Prefix::Operator(token) => {
                let at = token.span();
                match token.kind {
                    TokenKind::Inc | TokenKind::Dec => {
                        Operand::Value(self.inc_dec(operand, token.kind == TokenKind::Inc, true, at))
                    }
                    TokenKind::Amp => Operand::Value(self.address_of(operand, at)),
                    TokenKind::Star => self.dereference(operand, at),
                    kind => Operand::Value(self.unary_expression(kind, operand, at)),
                }
            }
        }
    }

    /// Checks whether a compound or vector literal of type `ty` begins after the type in parentheses.
    fn begins_literal(&self, ty: DeclaredType) -> bool {
        let is_vector = matches!(self.types.get(ty.ty), Type::Vector(..));
        match self.kind() {
            TokenKind::LBrace => true,
            TokenKind::LParen => is_vector && !self.begins_type(self.peek_at(1)),
            _ => false,
        }
    }

    /// Parses a compound or vector literal with its postfix operators.
    fn literal_with_type(&mut self, ty: DeclaredType, open: Span) -> Operand {
        self.nested(open, |s| {
            if s.kind() != TokenKind::LBrace {
                return s.vector_literal(ty, open);
            }
            let literal = s.parse_enclosing_expr(|s| s.compound_literal(ty, open));
            s.postfix(literal)
        })
    }

    /// vector-literal = "(" type ")" "(" assignment ("," assignment)* ")"
    fn vector_literal(&mut self, ty: DeclaredType, open: Span) -> Operand {
        let inner = self.bump().span();
        let mut parts = self.parse_enclosing_expr(|s| {
            let mut parts = vec![s.assignment()];
            while s.eat(TokenKind::Comma) {
                parts.push(s.assignment());
            }
            parts
        });
        self.expect(TokenKind::RParen, "')'");
        let close = self.last_span();
        if parts.len() == 1 {
            // `(float4)(v).x` casts `(v).x`.
            let only = parts.pop().expect("one part");
            let only = self.postfix(only.with_span(inner.to(close)));
            return Operand::Value(self.cast_to(ty, only, open));
        }
        let literal = self.vector_literal_of(ty.ty, parts, open.to(close));
        self.postfix(Operand::Value(literal))
    }

    /// Operand of `sizeof` and `vec_step`: "(" type ")" | unary. It is not evaluated.
    pub(super) fn unevaluated_operand(&mut self) -> (Option<DeclaredType>, Option<Operand>) {
        self.bump();
        self.parse_unevaluated(|s| {
            let operand = if s.enter() { s.type_or_unary() } else { (None, None) };
            s.leave();
            operand
        })
    }

    /// type-or-unary = "(" type ")" | "(" type ")" list postfix | unary
    fn type_or_unary(&mut self) -> (Option<DeclaredType>, Option<Operand>) {
        if self.kind() == TokenKind::LParen && self.begins_type(self.peek_at(1)) {
            let open = self.bump().span();
            let ty = self.type_name();
            self.expect(TokenKind::RParen, "')'");
            match ty {
                Some(ty) if self.kind() == TokenKind::LBrace => {
                    let literal = self.compound_literal(ty, open);
                    (None, Some(self.postfix(literal)))
                }
                ty => (ty, None),
            }
        } else {
            (None, Some(self.cast()))
        }
    }

    /// sizeof = "sizeof" (unary | "(" type ")")
    fn sizeof_expression(&mut self) -> Operand {
        let start = self.peek().span();
        let (ty, operand) = self.unevaluated_operand();
        let span = start.to(self.last_span());
        Operand::Value(self.size_of(ty, operand, span))
    }

    /// vec_step = "vec_step" (unary | "(" type ")")
    fn vec_step_expression(&mut self) -> Operand {
        let start = self.peek().span();
        let (ty, operand) = self.unevaluated_operand();
        let span = start.to(self.last_span());
        Operand::Value(self.vec_step(ty, operand, span))
    }

    /// postfix = primary ("[" e "]" | "(" args ")" | "." name | "->" name | "++" | "--")*
    pub(super) fn postfix(&mut self, mut operand: Operand) -> Operand {
        loop {
            let token = self.peek();
            let (at, depth) = (token.span(), self.depth.last_expr());
            operand = match token.kind {
                TokenKind::LBracket => {
                    self.bump();
                    // A subscript has two levels: an addition and a load.
                    let index = self.nested(at, |s| s.parse_rhs(depth + 1, Self::expression));
                    self.expect(TokenKind::RBracket, "']'");
                    let span = operand.span().to(self.last_span());
                    self.subscript(operand, index, span)
                }
                TokenKind::LParen => {
                    let args = self.parse_enclosing_expr(|s| {
                        s.set_expr_depth(depth);
                        s.arguments()
                    });
                    let span = operand.span().to(self.last_span());
                    Operand::Value(self.call(operand, args, span))
                }
                TokenKind::Dot | TokenKind::Arrow => {
                    self.bump();
                    self.set_expr_depth(depth + 2);
                    self.member_name(operand, token.kind == TokenKind::Arrow)
                }
                TokenKind::Inc | TokenKind::Dec => {
                    self.bump();
                    self.set_expr_depth(depth + 1);
                    Operand::Value(self.inc_dec(operand, token.kind == TokenKind::Inc, false, at))
                }
                _ => return operand,
            };
        }
    }

    fn member_name(&mut self, operand: Operand, arrow: bool) -> Operand {
        let name = self.peek();
        if name.kind != TokenKind::Ident {
            let found = self.token_text(name);
            let message = format!("expected the name of a member before {found}");
            self.error(name.span(), message);
            return Operand::Value(self.error_expr(operand.span()));
        }
        self.bump();
        self.member_access(operand, name, arrow)
    }

    /// arguments = "(" (assignment ("," assignment)*)? ")"
    fn arguments(&mut self) -> Vec<Operand> {
        let open = self.bump().span();
        let mut args = Vec::new();
        if !self.enter() {
            self.leave();
            return args;
        }
        while !matches!(self.kind(), TokenKind::RParen | TokenKind::Eof | TokenKind::Semi) {
            args.push(self.assignment());
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.leave();
        self.expect_closing(TokenKind::RParen, "')'", open);
        args
    }

    /// constant-expression = conditional, an integer that is known at compile time
    pub fn constant_expression(&mut self) -> Option<i64> {
        let operand = self.conditional();
        let expr = self.value(operand);
        self.constant_of(expr)
    }

    /// Returns the value of an integer constant expression. Reports an error if it is none.
    pub(super) fn constant_of(&mut self, expr: Expr) -> Option<i64> {
        if expr.ty == self.types.common.error {
            return None;
        }
        if !self.is_integer(expr.ty) {
            self.error(expr.span, "expected an integer constant");
            return None;
        }
        let value = self.constant_integer(&expr);
        if value.is_none() {
            self.error(expr.span, "this must be a constant");
        }
        value
    }
}
