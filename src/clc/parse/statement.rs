//! Statements (C99 s6.8).

use super::Attributes;
use crate::names::{Keyword as K, Symbol};
use crate::sema::suggestion;
use crate::session::{LabelState, Session, SwitchState};
use crate::token::{Token, TokenKind};
use crate::tree::{Case, Expr, ExprKind, LabelId, Stmt, StmtKind};
use crate::types::{Scalar, Type, TypeId};
use grus_support::diag::Span;

impl Session<'_> {
    /// body = "{" item* "}" : the function's outermost scope, shared with its parameters
    pub(super) fn body_block(&mut self) -> Vec<Stmt> {
        let mut items = Vec::new();
        let open = self.peek().span();
        if self.expect(TokenKind::LBrace, "'{'") {
            self.change_block_depth(1);
            self.items(&mut items, open);
        }
        items
    }

    fn change_block_depth(&mut self, change: i32) {
        let function = self.function.as_mut().expect("inside a function");
        function.block_depth = function.block_depth.wrapping_add_signed(change);
    }

    /// item* "}"
    fn items(&mut self, out: &mut Vec<Stmt>, open: Span) {
        let fp_contract = self.context.fp_contract();
        while !matches!(self.kind(), TokenKind::RBrace | TokenKind::Eof) {
            let before = self.cursor.position();
            self.apply_fp_contract_pragma();
            self.item(out);
            if self.cursor.position() == before {
                let token = self.bump();
                let text = self.token_text(token);
                self.error(token.span(), format!("unexpected {text}"));
            }
            if self.diags.too_many() {
                self.abort();
            }
        }
        // A pragma in a block applies to the end of that block.
        self.context.set_fp_contract(fp_contract);
        self.change_block_depth(-1);
        self.expect_closing(TokenKind::RBrace, "'}'", open);
    }

    /// item = label* (declaration | statement)
    fn item(&mut self, out: &mut Vec<Stmt>) {
        while self.label(out) {
            if self.kind() == TokenKind::RBrace {
                return;
            }
        }
        let token = self.peek();
        let is_label = self.peek_at(1).kind == TokenKind::Colon;
        if self.begins_declaration(token) && !is_label {
            if self.keyword() == Some(K::Attribute) {
                return self.attributed_item(out);
            }
            self.declaration(out);
        } else if token.kind == TokenKind::LBracket && self.at_attribute() {
            self.attributed_item(out);
        } else if self.is_type_missing_in_statement() {
            self.declaration(out);
        } else {
            let statement = self.statement();
            out.push(statement);
        }
    }

    /// Checks for two consecutive names, or `name * name =`: the first name is probably meant to be a type.
    fn is_type_missing_in_statement(&self) -> bool {
        let (token, mut next) = (self.peek(), self.peek_at(1));
        let is_pointer = next.kind == TokenKind::Star;
        if is_pointer {
            next = self.peek_at(2);
            if !matches!(self.peek_at(3).kind, TokenKind::Assign | TokenKind::Semi) {
                return false;
            }
        }
        let is_name = self.as_keyword(next).is_none() || !is_pointer && self.begins_type(next);
        token.kind == TokenKind::Ident
            && next.kind == TokenKind::Ident
            && !next.at_line_start()
            && self.keyword().is_none()
            && is_name
            && self.scopes.find(token.symbol).is_none()
            && self.builtins.library.find(self.names.text(token.symbol)).is_none()
    }

    /// Parses attributes, and the loop or declaration that they apply to.
    fn attributed_item(&mut self, out: &mut Vec<Stmt>) {
        let start = self.cursor.position();
        let mut attributes = Attributes::default();
        self.attributes(&mut attributes);
        if self.begins_declaration(self.peek()) && attributes.unroll.is_none() {
            self.cursor.seek(start);
            self.declaration(out);
            return;
        }
        let statement = self.statement_with_attributes(&attributes);
        out.push(statement);
    }

    /// Parses the statement that follows attributes.
    fn statement_with_attributes(&mut self, attributes: &Attributes) -> Stmt {
        let Some((span, count)) = attributes.unroll else { return self.statement() };
        if !self.at_loop() {
            self.error(span, "an unroll hint must stand before a loop");
        }
        let statement = self.statement();
        with_unroll_hint(statement, count)
    }

    fn at_loop(&self) -> bool {
        matches!(self.keyword(), Some(K::For | K::While | K::Do))
    }

    /// label = "case" constant ("..." constant)? ":" | "default" ":" | name ":"
    fn label(&mut self, out: &mut Vec<Stmt>) -> bool {
        let token = self.peek();
        let label = match self.keyword() {
            Some(K::Case) => self.case_label(),
            Some(K::Default) => self.default_label(),
            None if token.kind == TokenKind::Ident && self.peek_at(1).kind == TokenKind::Colon => {
                self.bump();
                self.bump();
                let mut attributes = Attributes::default();
                self.attributes(&mut attributes);
                if attributes.unused {
                    self.usage.mark_label_used(token.symbol);
                }
                Some(self.define_label(token))
            }
            _ => return false,
        };
        if let Some(label) = label {
            out.push(Stmt { kind: StmtKind::Label(label), span: token.span() });
        }
        true
    }

    fn new_label(&mut self) -> LabelId {
        self.function.as_mut().expect("inside a function").new_label()
    }

    fn find_label(&mut self, name: Token) -> &mut LabelState {
        let function = self.function.as_mut().expect("inside a function");
        function.find_label(name.symbol, name.span())
    }

    fn define_label(&mut self, name: Token) -> LabelId {
        let label = self.find_label(name);
        let (id, is_redefinition, first) = (label.id, label.is_defined, label.span);
        label.is_defined = true;
        label.span = name.span();
        if is_redefinition {
            let text = self.token_text(name);
            self.error(name.span(), format!("redefinition of label {text}"))
                .note(first, "first defined here");
        }
        id
    }

    /// Reports labels that a `goto` names but that are not defined.
    pub(super) fn check_labels(&mut self) {
        let function = self.function.as_ref().expect("inside a function");
        let mut missing: Vec<_> = function
            .labels
            .iter()
            .filter(|l| !l.1.is_defined)
            .map(|(symbol, label)| (label.span, *symbol))
            .collect();
        missing.sort_by_key(|m| m.0.lo);
        let function = self.function.as_ref().expect("inside a function");
        let defined: Vec<Symbol> = function.labels.iter().filter(|l| l.1.is_defined).map(|l| *l.0).collect();
        for (span, symbol) in missing {
            let text = self.names.text(symbol).to_owned();
            let hint = suggestion(&text, defined.iter().map(|s| self.names.text(*s)));
            self.error(span, format!("use of undeclared label '{text}'{hint}"));
        }
    }

    fn case_label(&mut self) -> Option<LabelId> {
        let token = self.bump();
        let operand = self.conditional();
        let value = self.value(operand);
        let mut last = None;
        if self.eat(TokenKind::Ellipsis) {
            let operand = self.conditional();
            last = Some(self.value(operand));
        }
        self.expect(TokenKind::Colon, "':'");
        let Some(ty) = self.innermost_switch().map(|s| s.ty) else {
            self.error(token.span(), "'case' outside of a switch");
            return None;
        };
        let span = last.as_ref().map_or(value.span, |last| value.span.to(last.span));
        let first = self.case_value(value, ty)?;
        let last = match last {
            Some(last) => self.case_value(last, ty)?,
            None => first,
        };
        let label = self.new_label();
        self.add_case(Case { first, last, label }, ty, span);
        Some(label)
    }

    /// Converts the constant of a `case` to the type of the switch.
    fn case_value(&mut self, value: Expr, ty: TypeId) -> Option<u64> {
        if value.ty == self.types.common.error || ty == self.types.common.error {
            return None;
        }
        let span = value.span;
        if !self.is_integer(value.ty) {
            self.error(span, "a case value must be an integer");
            return None;
        }
        let value = self.convert_value(value, ty);
        let number = self.constant_bits(&value);
        if number.is_none() {
            self.error(span, "a case value must be constant");
        }
        number
    }

    /// Adds the values of a case to the innermost switch. They are compared as values of its type.
    fn add_case(&mut self, case: Case, ty: TypeId, span: Span) {
        let order = |bits: u64| match self.types.get(ty) {
            Type::Scalar(Scalar::Int) => i128::from(bits as u32 as i32),
            Type::Scalar(Scalar::Long) => i128::from(bits as i64),
            _ => i128::from(bits),
        };
        let (first, last) = (order(case.first), order(case.last));
        if last < first {
            self.warning(span, "this range of case values is empty");
            return;
        }
        let switch = self.innermost_switch().expect("seen by the caller");
        let earlier = switch.case_ranges.range(..=last).next_back().map(|(_, range)| *range);
        if let Some((end, earlier)) = earlier
            && end >= first
        {
            self.error(span, "duplicate case value").note(earlier, "first used here");
            return;
        }
        switch.case_ranges.insert(first, (last, span));
        switch.cases.push(case);
    }

    fn innermost_switch(&mut self) -> Option<&mut SwitchState> {
        let function = self.function.as_mut().expect("inside a function");
        function.innermost_switch()
    }

    fn default_label(&mut self) -> Option<LabelId> {
        let token = self.bump();
        self.expect(TokenKind::Colon, "':'");
        if self.innermost_switch().is_none() {
            self.error(token.span(), "'default' outside of a switch");
            return None;
        }
        let label = self.new_label();
        let switch = self.innermost_switch().expect("seen above");
        if let Some((_, first)) = switch.default.replace((label, token.span())) {
            self.error(token.span(), "more than one 'default' in a switch").note(first, "the first is here");
        }
        Some(label)
    }

    /// statement = label* unlabeled
    fn statement(&mut self) -> Stmt {
        let span = self.peek().span();
        if !self.enter() {
            self.leave();
            return empty(span);
        }
        let mut labels = Vec::new();
        while self.label(&mut labels) {}
        let unrolling = self.unroll_count().filter(|_| self.at_loop());
        let mut statement = self.unlabeled();
        if let Some(count) = unrolling {
            statement = with_unroll_hint(statement, count);
        }
        self.leave();
        if labels.is_empty() {
            return statement;
        }
        labels.push(statement);
        Stmt { kind: StmtKind::Block(labels), span }
    }

    fn unlabeled(&mut self) -> Stmt {
        let token = self.peek();
        let span = token.span();
        let kind = match token.kind {
            TokenKind::Semi => {
                self.bump();
                StmtKind::Empty
            }
            TokenKind::LBrace => self.block(),
            TokenKind::Ident => match self.keyword() {
                Some(K::If) => self.if_statement(),
                Some(K::While) => self.while_statement(),
                Some(K::Do) => self.do_statement(),
                Some(K::For) => self.for_statement(),
                Some(K::Switch) => self.switch_statement(),
                Some(K::Break) => self.break_statement(),
                Some(K::Continue) => self.continue_statement(),
                Some(K::Return) => self.return_statement(),
                Some(K::Goto) => self.goto_statement(),
                Some(K::Asm) => {
                    self.assembly_statement();
                    StmtKind::Empty
                }
                Some(K::Attribute) => {
                    let mut attributes = Attributes::default();
                    self.attributes(&mut attributes);
                    return self.statement_with_attributes(&attributes);
                }
                Some(K::Else) => {
                    self.bump();
                    self.error(span, "'else' without 'if'");
                    return self.statement();
                }
                _ if self.begins_declaration(token) => {
                    self.error(span, "a declaration cannot stand here; it needs a block");
                    self.skip_to_semi();
                    StmtKind::Empty
                }
                _ => self.expression_statement(),
            },
            TokenKind::LBracket if self.at_attribute() => {
                let mut attributes = Attributes::default();
                self.attributes(&mut attributes);
                return self.statement_with_attributes(&attributes);
            }
            _ => self.expression_statement(),
        };
        Stmt { kind, span }
    }

    /// block = "{" item* "}"
    fn block(&mut self) -> StmtKind {
        let open = self.bump().span();
        self.scopes.push();
        self.change_block_depth(1);
        let mut items = Vec::new();
        self.items(&mut items, open);
        self.scopes.pop();
        StmtKind::Block(items)
    }

    /// statement-expression = "(" block ")" : an extension of GNU C, often used in macros
    pub(super) fn statement_expression(&mut self, open: Span) -> Expr {
        if self.function.is_none() {
            self.error(open, "statements in an expression need a function around them");
            self.skip_balanced();
            self.expect(TokenKind::RParen, "')'");
            return self.error_expr(open);
        }
        let brace = self.bump().span();
        let mut items = Vec::new();
        if self.enter() {
            self.scopes.push();
            self.change_block_depth(1);
            let depth = self.function.as_ref().map_or(0, |f| f.block_depth);
            let outer = self.context.set_statement_expr_depth(depth);
            self.items(&mut items, brace);
            self.context.set_statement_expr_depth(outer);
            self.scopes.pop();
        }
        self.leave();
        self.expect_closing(TokenKind::RParen, "')'", open);
        let span = open.to(self.last_span());
        let last = match items.pop() {
            Some(Stmt { kind: StmtKind::Expr(value), .. }) => value,
            other => {
                items.extend(other);
                Expr { kind: ExprKind::Zero, ty: self.types.common.void, span }
            }
        };
        let ty = last.ty;
        Expr { kind: ExprKind::Statements(items, Box::new(last)), ty, span }
    }

    /// Checks whether the expression just parsed is the value of the enclosing statement expression.
    fn is_last_value(&self) -> bool {
        self.kind() == TokenKind::Semi
            && self.peek_at(1).kind == TokenKind::RBrace
            && self.function.as_ref().is_some_and(|f| f.block_depth == self.context.statement_expr_depth())
    }

    fn expression_statement(&mut self) -> StmtKind {
        let before = self.cursor.position();
        let first = self.peek().span();
        let operand = self.expression();
        let expr = if self.is_last_value() {
            self.value(operand)
        } else {
            self.check_unused_value(&operand);
            self.discarded_value(operand)
        };
        if self.kind() == TokenKind::LBrace && self.diags.has_error(Some(first), "use of undeclared") {
            // This is probably a misspelt `if` or `while`, whose block is parsed as a statement.
            return StmtKind::Expr(expr);
        }
        if !self.expect(TokenKind::Semi, "';'") {
            self.skip_to_next_statement(before);
        }
        StmtKind::Expr(expr)
    }

    /// Skips past the `;` of an invalid statement, unless the next line already begins another statement.
    pub(super) fn skip_to_next_statement(&mut self, before: usize) {
        let token = self.peek();
        let begins =
            token.at_line_start() && self.cursor.position() != before && token.kind == TokenKind::Ident;
        if !begins {
            self.skip_to_semi();
        }
    }

    /// "(" expression ")" as a condition
    fn parenthesized_condition(&mut self) -> Expr {
        let open = self.peek().span();
        let opened = self.expect(TokenKind::LParen, "'('");
        let operand = self.expression();
        let condition = self.condition(operand);
        if opened {
            self.expect_closing(TokenKind::RParen, "')'", open);
        } else {
            self.eat(TokenKind::RParen);
        }
        condition
    }

    /// if = "if" "(" expression ")" statement ("else" statement)?
    fn if_statement(&mut self) -> StmtKind {
        // A chain of `else if` is parsed in a loop, so that its length does not count as nesting.
        let mut chain = Vec::new();
        let mut last = None;
        let outside = self.depth.begin_else_ifs();
        loop {
            let span = self.bump().span();
            let condition = self.parenthesized_condition();
            let then = self.substatement();
            chain.push((span, condition, then));
            if !self.eat_keyword(K::Else) {
                break;
            }
            self.add_else_if();
            if self.keyword() != Some(K::If) {
                last = Some(Box::new(self.substatement()));
                break;
            }
        }
        self.depth.end_else_ifs(outside, chain.len());
        while let Some((span, condition, then)) = chain.pop() {
            let kind = StmtKind::If(condition, Box::new(then), last.take());
            if chain.is_empty() {
                return kind;
            }
            last = Some(Box::new(Stmt { kind, span }));
        }
        StmtKind::Empty
    }

    /// Parses a statement that is a scope of its own (C99 s6.8.4p3).
    fn substatement(&mut self) -> Stmt {
        self.scopes.push();
        self.change_block_depth(1);
        let statement = self.statement();
        self.change_block_depth(-1);
        self.scopes.pop();
        statement
    }

    fn loop_body(&mut self) -> Box<Stmt> {
        self.function.as_mut().expect("inside a function").enter_loop();
        let body = self.substatement();
        self.function.as_mut().expect("inside a function").leave_loop();
        Box::new(body)
    }

    /// while = "while" "(" expression ")" statement
    fn while_statement(&mut self) -> StmtKind {
        self.bump();
        let condition = self.parenthesized_condition();
        StmtKind::While(condition, self.loop_body())
    }

    /// do = "do" statement "while" "(" expression ")" ";"
    fn do_statement(&mut self) -> StmtKind {
        self.bump();
        let body = self.loop_body();
        if !self.eat_keyword(K::While) {
            let span = self.end_of_last();
            self.error(span, "expected 'while' after the body of 'do'");
            self.skip_to_semi();
            return StmtKind::Empty;
        }
        let condition = self.parenthesized_condition();
        self.expect(TokenKind::Semi, "';'");
        StmtKind::DoWhile(body, condition)
    }

    /// for = "for" "(" (declaration | expression? ";") expression? ";" expression? ")" statement
    fn for_statement(&mut self) -> StmtKind {
        self.bump();
        let close = self.find_header_end();
        if !self.expect(TokenKind::LParen, "'('") {
            return self.recover_loop_header();
        }
        self.scopes.push();
        self.change_block_depth(1);
        let mut init = Vec::new();
        if self.begins_declaration(self.peek()) {
            self.declaration(&mut init);
        } else if !self.eat(TokenKind::Semi) {
            let span = self.peek().span();
            let kind = self.expression_statement();
            init.push(Stmt { kind, span });
        }
        // After an error in the header, parsing continues after its closing parenthesis.
        let is_past_header = |s: &Self| close.is_some_and(|close| s.cursor.position() > close);
        let seek_header_end = |s: &mut Self| s.cursor.seek(close.unwrap_or(s.cursor.position()));
        let cond = (self.kind() != TokenKind::Semi && !is_past_header(self)).then(|| {
            let operand = self.expression();
            self.condition(operand)
        });
        if is_past_header(self) || !self.expect(TokenKind::Semi, "';'") {
            seek_header_end(self);
        }
        let step = (self.kind() != TokenKind::RParen).then(|| {
            let operand = self.expression();
            self.check_unused_value(&operand);
            self.discarded_value(operand)
        });
        if !self.expect(TokenKind::RParen, "')'") {
            seek_header_end(self);
            self.eat(TokenKind::RParen);
        }
        let body = self.loop_body();
        self.change_block_depth(-1);
        self.scopes.pop();
        StmtKind::For { init, cond, step, body }
    }

    /// Skips the header of a `for` in another language's syntax. Parses its body if that is a block.
    fn recover_loop_header(&mut self) -> StmtKind {
        while !matches!(self.kind(), TokenKind::LBrace | TokenKind::RBrace | TokenKind::Semi | TokenKind::Eof)
        {
            self.bump();
        }
        if self.kind() == TokenKind::LBrace {
            return StmtKind::DoWhile(self.loop_body(), self.error_expr(Span::default()));
        }
        self.eat(TokenKind::Semi);
        StmtKind::Empty
    }

    /// Returns the position of the `)` that closes the parenthesis at the current token, unless it is too far away.
    fn find_header_end(&mut self) -> Option<usize> {
        let mut depth = 0u32;
        // The limit of 400 tokens is arbitrary.
        for n in 0..400 {
            match self.peek_at(n).kind {
                TokenKind::LParen => depth += 1,
                TokenKind::RParen if depth == 1 => return Some(self.cursor.position() + n),
                TokenKind::RParen => depth = depth.saturating_sub(1),
                TokenKind::LBrace | TokenKind::RBrace | TokenKind::Eof => return None,
                _ => {}
            }
        }
        None
    }

    /// switch = "switch" "(" expression ")" statement
    fn switch_statement(&mut self) -> StmtKind {
        self.bump();
        self.expect(TokenKind::LParen, "'('");
        let operand = self.expression();
        let mut value = self.value(operand);
        self.expect(TokenKind::RParen, "')'");
        if self.is_integer(value.ty) {
            value = self.promote(value);
        } else if value.ty != self.types.common.error {
            self.error(value.span, "the value of a switch must be an integer");
            value = self.error_expr(value.span);
        }
        self.function.as_mut().expect("inside a function").enter_switch(value.ty);
        let body = Box::new(self.substatement());
        let state = self.function.as_mut().expect("inside a function").leave_switch();
        StmtKind::Switch { value, cases: state.cases, default: state.default.map(|d| d.0), body }
    }

    fn break_statement(&mut self) -> StmtKind {
        let span = self.bump().span();
        if self.function.as_ref().is_some_and(|f| !f.may_break()) {
            self.error(span, "'break' outside of a loop or switch");
        }
        self.expect(TokenKind::Semi, "';'");
        StmtKind::Break
    }

    fn continue_statement(&mut self) -> StmtKind {
        let span = self.bump().span();
        if self.function.as_ref().is_some_and(|f| !f.may_continue()) {
            self.error(span, "'continue' outside of a loop");
        }
        self.expect(TokenKind::Semi, "';'");
        StmtKind::Continue
    }

    /// return = "return" expression? ";"
    fn return_statement(&mut self) -> StmtKind {
        let before = self.cursor.position();
        let span = self.bump().span();
        let ret = self.function.as_ref().map_or(self.types.common.void, |f| f.ret);
        let mut value = None;
        if self.kind() != TokenKind::Semi {
            let operand = self.expression();
            value = match self.infers_return_type() {
                true => Some(self.convert_inferred_return(operand)),
                false => self.return_value(operand, ret, span),
            };
        } else if self.infers_return_type() {
            self.infer_return_type(self.types.common.void, span);
        } else if ret != self.types.common.void && ret != self.types.common.error {
            self.error(span, "this function must return a value");
        }
        if !self.expect(TokenKind::Semi, "';'") {
            self.skip_to_next_statement(before);
        }
        StmtKind::Return(value)
    }

    fn goto_statement(&mut self) -> StmtKind {
        self.bump();
        let name = self.peek();
        if name.kind != TokenKind::Ident || self.keyword().is_some() {
            self.error(name.span(), "expected the name of a label");
            self.skip_to_semi();
            return StmtKind::Empty;
        }
        self.bump();
        self.usage.mark_label_used(name.symbol);
        let label = self.find_label(name).id;
        self.expect(TokenKind::Semi, "';'");
        StmtKind::Goto(label)
    }
}

/// Returns a loop preceded by its unroll hint.
fn with_unroll_hint(statement: Stmt, count: u32) -> Stmt {
    let span = statement.span;
    let hint = Stmt { kind: StmtKind::Unroll(count), span };
    Stmt { kind: StmtKind::Block(vec![hint, statement]), span }
}

fn empty(span: Span) -> Stmt {
    Stmt { kind: StmtKind::Empty, span }
}
