//! Primary expressions: names, constants, strings, parentheses (C99 s6.5.1).

use super::Operand;
use crate::literal::{self, FloatSuffix};
use crate::names::Keyword as K;
use crate::scope::{Entity, FoundName};
use crate::session::{ExternUse, Session};
use crate::token::{Token, TokenKind};
use crate::tree::{ConstData, Expr, ExprKind, GlobalId, Lvalue, LvalueKind};
use crate::types::{QualType, Scalar, Space, Type};
use grus_support::diag::Span;

impl Session<'_> {
    /// primary = name | constant | string+ | "(" expression ")"
    pub(super) fn primary(&mut self) -> Operand {
        let token = self.peek();
        let span = token.span();
        match token.kind {
            TokenKind::Ident => self.name_expression(token),
            TokenKind::Number => {
                self.bump();
                Operand::Value(self.number_constant(token))
            }
            TokenKind::Char => {
                self.bump();
                Operand::Value(self.character_constant(token))
            }
            TokenKind::Str => {
                let (bytes, span) = self.string_tokens();
                self.string_lvalue(bytes, span)
            }
            TokenKind::LParen => self.parenthesized(),
            TokenKind::Caret => Operand::Value(self.parse_enclosing_expr(Self::block_literal)),
            _ => {
                let found = self.token_text(token);
                self.error(span, format!("expected an expression before {found}"));
                Operand::Value(self.error_expr(span))
            }
        }
    }

    fn parenthesized(&mut self) -> Operand {
        let open = self.bump().span();
        if self.kind() == TokenKind::LBrace {
            return Operand::Value(self.parse_enclosing_expr(|s| s.statement_expression(open)));
        }
        let inner = self.nested(open, Self::expression);
        self.expect_closing(TokenKind::RParen, "')'", open);
        let span = open.to(self.last_span());
        inner.with_span(span)
    }

    fn name_expression(&mut self, token: Token) -> Operand {
        let span = token.span();
        if let Some(word) = self.keyword() {
            if word == K::Func {
                self.bump();
                return self.function_name(span);
            }
            if let K::Builtin(what) = word {
                return self.parse_enclosing_expr(|s| s.parser_builtin(what));
            }
            if word == K::GenericSelection {
                return self.parse_enclosing_expr(Self::generic_selection);
            }
            if matches!(word, K::True | K::False) {
                self.bump();
                let kind = ExprKind::Int(u64::from(word == K::True));
                return Operand::Value(Expr { kind, ty: self.types.common.bool, span });
            }
            let text = self.token_text(token);
            self.error(span, format!("unexpected {text} in an expression"));
            if self.begins_declaration(token) {
                self.bump();
            }
            return Operand::Value(self.error_expr(span));
        }
        self.bump();
        let entity = match self.scopes.find(token.symbol) {
            Some(FoundName { decl: Entity::Local(id), depth, .. }) => {
                return self.local_operand(id, depth, span);
            }
            Some(found) => Some(found.decl),
            None => self.find_library_entity(token.symbol),
        };
        match entity {
            Some(entity) => self.entity_operand(entity, token),
            None if self.is_library_function(token.symbol) => Operand::Library(token.symbol, span),
            None => self.undeclared(token),
        }
    }

    fn entity_operand(&mut self, entity: Entity, token: Token) -> Operand {
        let span = token.span();
        match entity {
            Entity::Local(_) => unreachable!("seen by the caller"),
            Entity::Global(id) => {
                if self.unit.globals[id].is_extern && !self.context.is_unevaluated() {
                    let user = self.function.as_ref().map(|function| function.id);
                    self.unit.add_extern_use(ExternUse { global: id, user, span });
                }
                Operand::Lvalue(self.global_lvalue(id, span))
            }
            Entity::Function(id) => {
                self.usage.mark_function_used(id);
                Operand::Function(id, span)
            }
            Entity::Constant(bits, ty) => Operand::Value(Expr { kind: ExprKind::Int(bits), ty, span }),
            Entity::Typedef(_) => {
                let text = self.token_text(token);
                self.error(span, format!("unexpected type {text} in an expression"));
                Operand::Value(self.error_expr(span))
            }
        }
    }

    /// Returns the lvalue of a global variable.
    pub fn global_lvalue(&self, id: GlobalId, span: Span) -> Lvalue {
        Lvalue { kind: LvalueKind::Global(id), ty: self.unit.globals[id].ty, span }
    }

    /// Returns an `int` constant.
    pub fn int_constant(&self, value: i64, span: Span) -> Expr {
        Expr { kind: ExprKind::Int(value as u32 as u64), ty: self.types.common.int, span }
    }

    fn undeclared(&mut self, token: Token) -> Operand {
        let span = token.span();
        let text = self.token_text(token);
        if let Some(requires) = self.builtins.library.missing_requirements(self.names.text(token.symbol)) {
            let what = match requires.extension {
                "" => format!("OpenCL C {}.{}", requires.since / 100, requires.since / 10 % 10),
                images if images.starts_with("images") => "images, which this device does not have".into(),
                "pipes" => "pipes, which this device does not have".into(),
                "device_enqueue" => "device-side enqueue, which this device does not have".into(),
                extension => format!("the extension {extension}"),
            };
            self.error(span, format!("{text} needs {what}"));
            return Operand::Value(self.error_expr(span));
        }
        // Report each undeclared name once per function.
        if self.function.is_none() || self.usage.add_undeclared(token.symbol) {
            let suggestion = self.suggest(token.symbol);
            let message = format!("use of undeclared identifier {text}{}", suggestion.hint);
            let report = self.error(span, message);
            if let Some(declared) = suggestion.declared {
                report.note(declared, "declared here");
            }
        }
        Operand::Value(self.error_expr(span))
    }

    fn character_constant(&mut self, token: Token) -> Expr {
        match literal::character(self.names.text(token.symbol)) {
            Ok(value) => self.int_constant(i64::from(value), token.span()),
            Err(error) => {
                self.error(token.span(), error.to_string());
                self.error_expr(token.span())
            }
        }
    }

    fn number_constant(&mut self, token: Token) -> Expr {
        let text = self.names.text(token.symbol);
        let result = if literal::is_floating(text) {
            literal::floating(text).map(|f| self.floating_constant(f, token.span()))
        } else {
            literal::integer(text).map(|i| self.integer_constant(i, token.span()))
        };
        match result {
            Ok(expr) => expr,
            Err(error) => {
                self.error(token.span(), error.to_string());
                self.error_expr(token.span())
            }
        }
    }

    fn floating_constant(&mut self, number: literal::Floating, span: Span) -> Expr {
        // The library computes in double precision regardless of the program's options.
        let single = (self.options.single_precision_constant || !self.target.fp64) && !self.in_library();
        let (scalar, value) = match number.suffix {
            FloatSuffix::None if !single => (Scalar::Double, number.as_double),
            FloatSuffix::Half => {
                if !self.target.fp16 {
                    self.error(span, "'half' constants need cl_khr_fp16");
                }
                (Scalar::Half, super::super::sema::round_half(number.as_double))
            }
            _ => (Scalar::Float, f64::from(number.as_float)),
        };
        Expr { kind: ExprKind::Float(value), ty: self.arithmetic_type(scalar, 1), span }
    }

    /// Gives an integer constant the first type of C99 s6.4.4.1p5 that can represent its value; `long` has 64 bits.
    fn integer_constant(&mut self, number: literal::Integer, span: Span) -> Expr {
        let value = number.value;
        let fits = |scalar| match scalar {
            Scalar::Int => value <= i32::MAX as u64,
            Scalar::UInt => value <= u64::from(u32::MAX),
            Scalar::Long => value <= i64::MAX as u64,
            _ => true,
        };
        let scalar = [Scalar::Int, Scalar::UInt, Scalar::Long, Scalar::ULong]
            .into_iter()
            .filter(|s| !number.unsigned || s.is_unsigned())
            .filter(|s| !number.long || s.size() == 8)
            .filter(|s| number.unsigned || number.may_be_unsigned || s.is_signed_int())
            .find(|s| fits(*s));
        if scalar.is_none() {
            self.context.set_oversized_decimal(span);
        }
        let scalar = scalar.unwrap_or(Scalar::ULong);
        Expr { kind: ExprKind::Int(value), ty: self.arithmetic_type(scalar, 1), span }
    }

    /// string+ : adjacent literals are concatenated
    pub(super) fn string_tokens(&mut self) -> (Vec<u8>, Span) {
        let mut bytes = Vec::new();
        let mut span = self.peek().span();
        while self.kind() == TokenKind::Str {
            let token = self.bump();
            span = span.to(token.span());
            match literal::string(self.names.text(token.symbol)) {
                Ok(part) => bytes.extend(part),
                Err(error) => {
                    self.error(token.span(), error.to_string());
                }
            }
        }
        bytes.push(0);
        (bytes, span)
    }

    /// Returns the constant array of a string literal (s6.7.8). Equal literals share one object.
    pub(super) fn string_lvalue(&mut self, bytes: Vec<u8>, span: Span) -> Operand {
        let id = match self.unit.find_string(&bytes) {
            Some(id) => id,
            None => {
                let elem =
                    QualType { is_const: true, ..QualType::new(self.types.common.char, Space::Private) };
                let ty = self.intern(Type::Array(elem, Some(bytes.len() as u64)));
                let data = ConstData { bytes: bytes.clone(), relocs: Vec::new() };
                let id = self.constant_global(ty, data, span);
                self.unit.add_string(bytes, id);
                id
            }
        };
        Operand::Lvalue(self.global_lvalue(id, span))
    }

    /// `__func__`
    fn function_name(&mut self, span: Span) -> Operand {
        let Some(function) = &self.function else {
            self.error(span, "'__func__' outside of a function");
            return Operand::Value(self.error_expr(span));
        };
        let mut bytes = self.names.text(function.name).as_bytes().to_vec();
        bytes.push(0);
        self.string_lvalue(bytes, span)
    }
}
