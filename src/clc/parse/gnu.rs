//! Productions of C11, GNU C and Clang that C99 does not have but programs use: types of expressions, alignments,
//! static assertions and generic selections. Inline assembly is recognized only to be rejected in one diagnostic.

use super::{Attributes, DeclaredType, Operand, Specifiers};
use crate::literal;
use crate::names::Keyword as K;
use crate::scope::Entity;
use crate::session::Session;
use crate::token::TokenKind;
use crate::tree::{Expr, ExprKind, Init, LvalueKind, Stmt, StmtKind};
use crate::types::{QualType, Space, Type, TypeId};
use grus_support::diag::Span;

impl Session<'_> {
    /// typeof = "__typeof__" "(" (type | expression) ")". Returns true if the operand is an expression.
    pub(super) fn typeof_specifier(&mut self, base: &mut DeclaredType) -> bool {
        self.bump();
        let open = self.peek().span();
        if !self.expect(TokenKind::LParen, "'('") {
            return false;
        }
        let is_operand = !self.begins_type(self.peek());
        let found = self.parse_unevaluated(|s| {
            let mut found = None;
            if s.enter() {
                found = if is_operand {
                    let operand = s.expression();
                    Some(s.typeof_operand(operand))
                } else {
                    s.type_name()
                };
            }
            s.leave();
            found
        });
        self.expect_closing(TokenKind::RParen, "')'", open);
        if let Some(found) = found {
            base.ty = found.ty;
            base.is_const |= found.is_const;
            base.is_volatile |= found.is_volatile;
            base.is_restrict |= found.is_restrict;
            base.host_sized |= found.host_sized;
            base.space = base.space.or(found.space);
        }
        is_operand
    }

    fn typeof_operand(&mut self, operand: Operand) -> DeclaredType {
        match operand {
            Operand::Lvalue(lvalue) => DeclaredType {
                space: Some(lvalue.ty.space).filter(|space| *space != Space::Private),
                // An object in constant memory has a const type, but a variable declared by `__typeof__` need not
                // be const.
                is_const: lvalue.ty.is_const && lvalue.ty.space != Space::Constant,
                is_volatile: lvalue.ty.is_volatile,
                is_restrict: lvalue.ty.is_restrict,
                ..DeclaredType::unqualified(lvalue.ty.ty)
            },
            Operand::Value(value) => DeclaredType::unqualified(value.ty),
            Operand::Function(id, _) => DeclaredType::unqualified(self.unit.infos[id].ty),
            operand @ Operand::Library(..) => DeclaredType::unqualified(self.value(operand).ty),
        }
    }

    /// alignas = "_Alignas" "(" (type | constant) ")"
    pub(super) fn alignas(&mut self, into: &mut Attributes) {
        let span = self.bump().span();
        if !self.expect(TokenKind::LParen, "'('") {
            return;
        }
        let align = if self.begins_type(self.peek()) {
            let ty = self.type_name();
            ty.map(|ty| self.types.align_of(ty.ty))
        } else {
            self.constant_expression().map(|value| value as u64)
        };
        self.expect(TokenKind::RParen, "')'");
        match align {
            // An alignment of zero has no effect (C11 s6.7.5p6).
            None | Some(0) => {}
            Some(align) if align.is_power_of_two() && align <= 1 << 28 => {
                into.aligned = Some(into.aligned.unwrap_or(1).max(align));
            }
            Some(_) => {
                self.error(span, "alignment must be a power of two");
            }
        }
    }

    /// alignof = "_Alignof" (unary | "(" type ")")
    pub(super) fn alignof_expression(&mut self) -> Operand {
        let start = self.peek().span();
        let (ty, operand) = self.unevaluated_operand();
        let span = start.to(self.last_span());
        let variable_align = match &operand {
            Some(Operand::Lvalue(lvalue)) => match (&lvalue.kind, &self.function) {
                (LvalueKind::Local(id), Some(function)) => function.locals.get(*id).map(|local| local.align),
                _ => None,
            },
            _ => None,
        };
        let size = self.size_of(ty, operand.clone(), span);
        if size.ty == self.types.common.error {
            return Operand::Value(size);
        }
        let ty = match (ty, operand) {
            (Some(ty), _) => ty.ty,
            (None, Some(Operand::Lvalue(lvalue))) => lvalue.ty.ty,
            (None, Some(Operand::Value(value))) => value.ty,
            _ => self.types.common.error,
        };
        let align = variable_align.unwrap_or_else(|| self.types.align_of(ty));
        Operand::Value(Expr { kind: ExprKind::Int(align), ty: self.types.common.ulong, span })
    }

    /// static-assert = "_Static_assert" "(" constant ("," string)? ")" ";"
    pub(super) fn static_assert(&mut self) {
        self.bump();
        let open = self.peek().span();
        if !self.expect(TokenKind::LParen, "'('") {
            self.skip_to_semi();
            return;
        }
        let at = self.peek().span();
        let value = self.constant_expression();
        let span = at.to(self.last_span());
        let mut text = String::new();
        if self.eat(TokenKind::Comma) {
            while self.kind() == TokenKind::Str {
                let token = self.bump();
                let part = literal::string(self.names.text(token.symbol)).unwrap_or_default();
                text += &String::from_utf8_lossy(&part);
            }
        }
        if value == Some(0) {
            let text = if text.is_empty() { text } else { format!(": {text}") };
            self.error(span, format!("static assertion failed{text}"));
        }
        if !self.expect_closing(TokenKind::RParen, "')'", open) || !self.expect(TokenKind::Semi, "';'") {
            self.skip_to_semi();
        }
    }

    /// selection = "_Generic" "(" assignment ("," (type | "default") ":" assignment)+ ")" (C11 s6.5.1.1)
    pub(super) fn generic_selection(&mut self) -> Operand {
        let start = self.bump().span();
        let error = Operand::Value(self.error_expr(start));
        let open = self.peek().span();
        if !self.expect(TokenKind::LParen, "'('") {
            return error;
        }
        if !self.enter() {
            self.leave();
            return error;
        }
        let controlling = self.parse_unevaluated(|s| {
            let operand = s.assignment();
            s.value(operand).ty
        });
        let (mut chosen, mut default, mut seen) = (None, None, Vec::new());
        while self.eat(TokenKind::Comma) {
            let label = self.peek().span();
            if self.eat_keyword(K::Default) {
                self.expect(TokenKind::Colon, "':'");
                if default.replace(self.cursor.position()).is_some() {
                    self.error(label, "more than one 'default' in '_Generic'");
                }
                // The default association is parsed after all others.
                self.skip_association();
                continue;
            }
            let ty = self.type_name().map_or(self.types.common.error, |ty| ty.ty);
            self.expect(TokenKind::Colon, "':'");
            let is_known = ty != self.types.common.error;
            if seen.contains(&ty) && is_known {
                self.error(label, "a type occurs twice in '_Generic'");
            }
            seen.push(ty);
            let is_chosen = ty == controlling && chosen.is_none() && is_known;
            let operand = self.parse_evaluated_if(is_chosen, Self::assignment);
            if is_chosen {
                chosen = Some(operand);
            }
        }
        if let Some(begins) = default
            && !self.depth.is_aborted()
        {
            let end = self.cursor.seek(begins);
            let is_chosen = chosen.is_none();
            let operand = self.parse_evaluated_if(is_chosen, Self::assignment);
            if is_chosen {
                chosen = Some(operand);
            }
            if !self.depth.is_aborted() {
                self.cursor.seek(end);
            }
        }
        self.leave();
        self.expect_closing(TokenKind::RParen, "')'", open);
        let span = start.to(self.last_span());
        match chosen {
            Some(operand) => operand.with_span(span),
            None => {
                if controlling != self.types.common.error {
                    let name = self.type_text(controlling);
                    self.error(span, format!("'_Generic' has nothing for '{name}'"));
                }
                error
            }
        }
    }

    /// Skips to the `,` or `)` after an association of a generic selection.
    fn skip_association(&mut self) {
        while !matches!(
            self.kind(),
            TokenKind::Comma
                | TokenKind::RParen
                | TokenKind::Semi
                | TokenKind::RBrace
                | TokenKind::RBracket
                | TokenKind::Eof
        ) {
            if matches!(self.kind(), TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace) {
                self.skip_balanced();
            } else {
                self.bump();
            }
        }
    }

    /// assembly = "__asm__" (qualifier | "goto")* "(" ... ")"
    pub(super) fn assembly(&mut self) {
        let start = self.bump().span();
        while self.kind() == TokenKind::Ident {
            self.bump();
        }
        if matches!(self.kind(), TokenKind::LParen | TokenKind::LBrace) {
            self.skip_balanced();
        }
        let span = start.to(self.last_span());
        let message = "inline assembly is not supported: it is written for one processor";
        self.error(span, message);
    }

    /// assembly ";"
    pub(super) fn assembly_statement(&mut self) {
        self.assembly();
        self.eat(TokenKind::Semi);
    }

    /// Parses the assembly names that follow a declarator.
    pub(super) fn assembly_name(&mut self) {
        while self.keyword() == Some(K::Asm) {
            self.assembly();
        }
    }

    /// Reports `__auto_type` on a declaration from which no type can be deduced.
    pub(super) fn reject_auto_type(&mut self, specs: &Specifiers) {
        if let Some(span) = specs.auto_type {
            self.error(span, "'__auto_type' is for variables of a function that have an initial value");
        }
    }

    /// "__auto_type" name "=" assignment ("," name "=" assignment)* ";"
    pub(super) fn auto_declaration(&mut self, specs: &Specifiers, out: &mut Vec<Stmt>) {
        let before = self.cursor.position();
        let is_automatic = specs.storage.is_none() && specs.base.space.is_none_or(|s| s == Space::Private);
        loop {
            let name = self.peek();
            let is_name = name.kind == TokenKind::Ident && self.keyword().is_none();
            if !is_automatic || !is_name || self.peek_at(1).kind != TokenKind::Assign {
                self.reject_auto_type(specs);
                self.skip_to_semi();
                return;
            }
            self.bump();
            self.bump();
            let operand = self.assignment();
            let mut value = self.value(operand);
            if value.ty == self.types.common.void || self.is_block(value.ty) {
                let text = self.type_text(value.ty);
                self.error(value.span, format!("'__auto_type' cannot become '{text}'"));
                value = self.error_expr(value.span);
            }
            let ty = QualType {
                is_const: specs.base.is_const,
                is_volatile: specs.base.is_volatile,
                ..QualType::new(value.ty, Space::Private)
            };
            let text = self.names.text(name.symbol).to_owned();
            let id = self.new_local(text, ty, specs.attributes.aligned.unwrap_or(1), name.span());
            self.declare(name, Entity::Local(id));
            let is_used = specs.attributes.unused || !self.is_constant(&value);
            if is_used {
                self.function.as_mut().expect("inside a function").mark_used(id);
            }
            let init = Init::Value(value);
            self.check_opaque_variable(ty, Some(&init), name);
            self.record_constant(id, ty, Some(&init));
            out.push(Stmt { kind: StmtKind::Decl(id, Some(init)), span: name.span() });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if !self.expect(TokenKind::Semi, "';'") {
            self.skip_to_next_statement(before);
        }
    }

    /// Builds the conditional without a second operand, `a ?: b`. The condition is computed once and is also the
    /// value.
    pub(super) fn conditional_with_omitted_operand(
        &mut self,
        condition: Operand,
        no: Operand,
        at: Span,
    ) -> Operand {
        let value = self.value(condition);
        let (first, reload) = match self.constant_truth(&value) {
            Some(truth) => (self.int_constant(i64::from(truth), value.span), value),
            None => self.evaluate_once(value),
        };
        Operand::Value(self.conditional_operator(Operand::Value(first), Operand::Value(reload), no, at))
    }

    /// Splits a value that is used twice. The first result computes and stores it, the second, which is cheap,
    /// loads it.
    pub(super) fn evaluate_once(&mut self, value: Expr) -> (Expr, Expr) {
        let (ty, span) = (value.ty, value.span);
        if let Some(folded) = self.fold_to_literal(&value) {
            return (folded.clone(), folded);
        }
        if self.context.is_unevaluated() || self.function.is_none() || ty == self.types.common.error {
            // Either only the type is used, or the expression will be rejected because it is not constant.
            return (value, Expr { kind: ExprKind::Zero, ty, span });
        }
        let lvalue = self.new_temporary(ty, span);
        let reload = Expr { kind: ExprKind::Load(lvalue.clone()), ty, span };
        (Expr { kind: ExprKind::Assign(lvalue, Box::new(value)), ty, span }, reload)
    }

    /// Returns the lvalue of a new unnamed variable.
    pub(super) fn new_temporary(&mut self, ty: TypeId, span: Span) -> crate::tree::Lvalue {
        let ty = QualType::new(ty, Space::Private);
        let id = self.new_local(String::new(), ty, 1, span);
        crate::tree::Lvalue { kind: LvalueKind::Local(id), ty, span }
    }

    /// Checks whether two types are equal, except that one of them may be an array of unknown length.
    pub(super) fn is_compatible(&self, a: TypeId, b: TypeId) -> bool {
        a == b
            || match (self.types.get(a), self.types.get(b)) {
                (Type::Array(x, m), Type::Array(y, n)) => x.ty == y.ty && (m.is_none() || n.is_none()),
                _ => false,
            }
    }
}
