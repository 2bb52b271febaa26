//! Block literals (s6.12, in Clang's syntax). The body becomes a separate function, which is parsed while the
//! enclosing function is suspended. `sema/block.rs` describes which names of the enclosing function it can use.

use super::{Attributes, DeclaredType, Parameter};
use crate::session::Session;
use crate::token::TokenKind;
use crate::tree::Expr;
use crate::types::{QualType, Space, StructDef, Type, TypeId};
use grus_support::diag::Span;

impl Session<'_> {
    /// block-literal = "^" (parameters | type declarator)? attributes body
    pub(super) fn block_literal(&mut self) -> Expr {
        let start = self.bump().span();
        self.require_blocks(start);
        let mut literal = self.error_expr(start);
        if self.enter() {
            let (ret, params) = self.block_signature(start);
            self.attributes(&mut Attributes::default());
            if self.kind() == TokenKind::LBrace {
                literal = self.block_body(ret, params, start);
            } else {
                self.expect(TokenKind::LBrace, "the body of a block");
                self.skip_expression();
            }
        }
        self.leave();
        literal
    }

    /// Skips the rest of an expression that cannot be parsed.
    fn skip_expression(&mut self) {
        while !matches!(
            self.kind(),
            TokenKind::Semi
                | TokenKind::Eof
                | TokenKind::RParen
                | TokenKind::RBrace
                | TokenKind::RBracket
                | TokenKind::Comma
        ) {
            if matches!(self.kind(), TokenKind::LParen | TokenKind::LBrace | TokenKind::LBracket) {
                self.skip_balanced();
            } else {
                self.bump();
            }
        }
    }

    /// Parses the text between `^` and the body: the optional result type and the parameters.
    fn block_signature(&mut self, start: Span) -> (Option<TypeId>, Vec<Parameter>) {
        let mut params = None;
        if self.kind() == TokenKind::LParen {
            let open = self.bump().span();
            self.function_suffix(DeclaredType::unqualified(self.types.common.void), open, &mut params);
            return (None, params.unwrap_or_default());
        }
        if !self.begins_type(self.peek()) {
            return (None, Vec::new());
        }
        let specs = self.specifiers();
        let found = self.declarator(specs.base);
        if let Some(name) = found.name {
            self.error(name.span(), "a block literal has no name");
        }
        if let Type::Function(ty) = self.types.get(found.ty.ty) {
            return (Some(ty.ret), found.params.unwrap_or_default());
        }
        let is_allowed = self.check_return_type(&found.ty, start);
        (Some(if is_allowed { found.ty.ty } else { self.types.common.error }), Vec::new())
    }

    fn block_body(&mut self, ret: Option<TypeId>, params: Vec<Parameter>, start: Span) -> Expr {
        let closure = self.types.structs.push(StructDef::default());
        let pointee = self.intern(Type::Struct(closure));
        let pointee = QualType { is_const: true, ..QualType::new(pointee, Space::Private) };
        let hidden = QualType::new(self.pointer(pointee), Space::Private);
        let mut types = vec![hidden];
        types.extend(params.iter().map(|p| p.ty));
        let id = self.new_block_function(ret, types, start);
        // The body is evaluated when the block is called, even if the literal is in an unevaluated operand.
        let unevaluated = self.context.begin_evaluated();
        self.begin_block(id, closure, ret.is_some());
        self.new_local(String::new(), hidden, 1, start);
        for param in params {
            self.bind_parameter(param);
        }
        let body = self.body_block();
        self.scopes.pop();
        self.check_labels();
        self.context.end_evaluated(unevaluated);
        self.end_block(id, body, start.to(self.last_span()))
    }
}
