//! Declarators (C99 s6.7.5) and type names.
//!
//! A declarator is read from the inside out: a parenthesized inner declarator is skipped at first, the suffixes
//! after it are applied to the type, and then the inner declarator is parsed with the resulting type.

use super::{Attributes, DeclaredType, Specifiers, TypeSpelling};
use crate::names::Keyword as K;
use crate::session::{MAX_NESTING, Session};
use crate::token::{Token, TokenKind};
use crate::types::{AccessQualifier, FunctionType, Opaque, QualType, Space, Type, TypeId};
use grus_support::diag::Span;

/// Parameter of a function declarator.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: Option<Token>,
    pub ty: QualType,
    pub host_sized: bool,
    /// Type name that clGetKernelArgInfo reports.
    pub type_name: String,
    pub access: AccessQualifier,
    pub span: Span,
    pub align: Option<u64>,
}

/// Declared name and its type.
#[derive(Clone, Debug)]
pub struct Declarator {
    pub name: Option<Token>,
    pub ty: DeclaredType,
    /// Parameters, if a function is declared.
    pub params: Option<Vec<Parameter>>,
    pub attributes: Attributes,
    pub span: Span,
}

/// Maximum size of an object in bytes.
// Arbitrary.
const MAX_OBJECT_SIZE: u64 = 1 << 40;

impl Session<'_> {
    /// declarator = pointer* (name | "(" declarator ")")? suffix*
    pub fn declarator(&mut self, base: DeclaredType) -> Declarator {
        let start = self.peek().span();
        let mut found =
            Declarator { name: None, ty: base, params: None, attributes: Attributes::default(), span: start };
        if self.enter() {
            self.inner_declarator(base, &mut found);
            let mut attributes = std::mem::take(&mut found.attributes);
            while self.at_attribute() || self.keyword() == Some(K::Asm) {
                self.attributes(&mut attributes);
                self.assembly_name();
            }
            if let Some(of) = attributes.vector.take() {
                found.ty.ty = self.vector_type(found.ty.ty, of);
            }
            found.attributes = attributes;
        }
        self.leave();
        found.span = match found.name {
            Some(name) => name.span(),
            None => start,
        };
        found
    }

    fn inner_declarator(&mut self, base: DeclaredType, found: &mut Declarator) {
        let base = self.pointers(base, &mut found.attributes);
        if self.kind() == TokenKind::LParen && self.nests_declarator() {
            let open = self.cursor.position();
            self.skip_balanced();
            let outer = self.suffixes(base, &mut None);
            let end = self.cursor.position();
            self.cursor.seek(open + 1);
            if self.enter() {
                self.inner_declarator(outer, found);
            }
            self.leave();
            self.expect(TokenKind::RParen, "')'");
            if !self.depth.is_aborted() {
                self.cursor.seek(end);
            }
            return;
        }
        if self.kind() == TokenKind::Ident && self.keyword().is_none() {
            found.name = Some(self.bump());
        }
        found.ty = self.suffixes(base, &mut found.params);
    }

    /// Checks whether this `(` opens an inner declarator, not parameters.
    fn nests_declarator(&self) -> bool {
        let next = self.peek_at(1);
        match next.kind {
            TokenKind::Star | TokenKind::Caret | TokenKind::LParen => true,
            TokenKind::Ident => {
                self.as_keyword(next) == Some(K::Attribute)
                    || self.as_keyword(next).is_none() && !self.begins_type(next)
            }
            _ => false,
        }
    }

    /// pointers = (("*" | "^") qualifier*)*
    fn pointers(&mut self, mut base: DeclaredType, attributes: &mut Attributes) -> DeclaredType {
        let mut depth = 0;
        loop {
            if !matches!(self.kind(), TokenKind::Star | TokenKind::Caret) {
                return base;
            }
            let is_block = self.kind() == TokenKind::Caret;
            let span = self.bump().span();
            depth += 1;
            if depth == MAX_NESTING {
                self.error(span, "the program is nested too deeply");
                self.abort();
            }
            base = if is_block { self.block_type(base, span) } else { self.pointer_to(base, span) };
            self.pointer_qualifiers(&mut base, attributes);
        }
    }

    fn pointer_qualifiers(&mut self, pointer: &mut DeclaredType, attributes: &mut Attributes) {
        loop {
            if self.at_attribute() {
                self.attributes(attributes);
            }
            let Some(word) = self.keyword() else { return };
            let span = self.peek().span();
            match word {
                K::Const => pointer.is_const = true,
                K::Volatile => pointer.is_volatile = true,
                K::Restrict => pointer.is_restrict = true,
                K::Global | K::Local | K::Constant | K::Private | K::Generic => {
                    let space = self.space_of_keyword(word, span);
                    self.set_space(&mut pointer.space, space, span);
                }
                _ => return,
            }
            self.bump();
        }
    }

    fn pointer_to(&mut self, to: DeclaredType, span: Span) -> DeclaredType {
        match self.types.get(to.ty) {
            Type::Error => return to,
            Type::Function(_) => {
                self.error(span, "pointers to functions are not supported");
                return DeclaredType::unqualified(self.types.common.error);
            }
            Type::Opaque(Opaque::Image(..) | Opaque::Sampler) | Type::Pipe(..) | Type::Block(_) => {
                let name = self.type_text(to.ty);
                self.error(span, format!("pointers to '{name}' are not allowed"));
                return DeclaredType::unqualified(self.types.common.error);
            }
            _ => {}
        }
        let pointee = QualType {
            ty: to.ty,
            space: to.space.unwrap_or(self.default_pointee()),
            is_const: to.is_const,
            is_volatile: to.is_volatile,
            is_restrict: to.is_restrict,
        };
        DeclaredType::unqualified(self.pointer(pointee))
    }

    /// suffix = "[" constant? "]" suffix | "(" parameters ")"
    fn suffixes(&mut self, base: DeclaredType, params: &mut Option<Vec<Parameter>>) -> DeclaredType {
        match self.kind() {
            TokenKind::LBracket if !self.at_attribute() => self.array_suffix(base),
            TokenKind::LParen => {
                let open = self.bump().span();
                self.function_suffix(base, open, params)
            }
            _ => base,
        }
    }

    fn array_suffix(&mut self, base: DeclaredType) -> DeclaredType {
        let open = self.bump().span();
        while matches!(self.keyword(), Some(K::Static | K::Const | K::Restrict | K::Volatile)) {
            self.bump();
        }
        let len = self.array_length(open);
        self.expect(TokenKind::RBracket, "']'");
        let elem = if self.enter() { self.suffixes(base, &mut None) } else { base };
        self.leave();
        self.array_of(elem, len, open)
    }

    /// Parses an array length. Returns `None` for `[]`, and 1 after an error.
    fn array_length(&mut self, open: Span) -> Option<u64> {
        if self.kind() == TokenKind::RBracket {
            return None;
        }
        let start = self.peek().span();
        let operand = self.assignment();
        let expr = self.value(operand);
        let span = start.to(expr.span);
        if expr.ty == self.types.common.error {
            return Some(1);
        }
        if !self.is_integer(expr.ty) {
            self.error(span, "the size of an array must be an integer");
            return Some(1);
        }
        let Some(value) = self.constant_integer(&expr) else {
            let message = "variable length arrays are not supported: the size must be constant";
            self.error(span, message);
            return Some(1);
        };
        if value < 0 {
            self.error(open.to(span), "the size of an array is negative");
            return Some(1);
        }
        Some(value as u64)
    }

    fn array_of(&mut self, elem: DeclaredType, len: Option<u64>, span: Span) -> DeclaredType {
        let problem = match self.types.get(elem.ty) {
            Type::Error => return elem,
            Type::Void => Some("an array of 'void' is not allowed"),
            Type::Function(_) => Some("an array of functions is not allowed"),
            Type::Block(_) => Some("an array of blocks is not allowed"),
            Type::Array(_, None) => Some("the elements of an array must be complete"),
            Type::Opaque(Opaque::Image(..) | Opaque::Sampler) => {
                Some("arrays of images or samplers are not allowed")
            }
            Type::Pipe(..) => Some("arrays of pipes are not allowed"),
            Type::Struct(id) if !self.types.structs[*id].complete => {
                Some("the elements of an array must be complete")
            }
            _ => None,
        };
        let mut written = elem;
        if let Some(problem) = problem {
            self.error(span, problem);
            written.ty = self.types.common.error;
            return written;
        }
        let size = self.types.size_of(elem.ty).saturating_mul(len.unwrap_or(1));
        if size > MAX_OBJECT_SIZE {
            self.error(span, "the array is too large");
            written.ty = self.types.common.error;
            return written;
        }
        let elem_type = QualType {
            ty: elem.ty,
            space: Space::Private,
            is_const: elem.is_const,
            is_volatile: elem.is_volatile,
            is_restrict: elem.is_restrict,
        };
        written.ty = self.intern(Type::Array(elem_type, len));
        written.is_restrict = false;
        written
    }

    /// parameters = ("void" | parameter ("," parameter)* ("," "...")?)? ")"
    pub(super) fn function_suffix(
        &mut self,
        ret: DeclaredType,
        open: Span,
        params: &mut Option<Vec<Parameter>>,
    ) -> DeclaredType {
        let mut list = Vec::new();
        let mut variadic = false;
        let name = self.cursor.lookbehind(2);
        self.scopes.push();
        while self.kind() != TokenKind::RParen && self.kind() != TokenKind::Eof {
            if self.eat(TokenKind::Ellipsis) {
                variadic = true;
                break;
            }
            let before = self.cursor.position();
            let only_void = self.keyword() == Some(K::Void)
                && self.peek_at(1).kind == TokenKind::RParen
                && list.is_empty();
            if only_void {
                self.bump();
                break;
            }
            list.push(self.parameter());
            if self.kind() != TokenKind::Comma && self.begins_type(self.peek()) {
                let token = self.peek();
                let text = self.token_text(token);
                self.error(token.span(), format!("expected ',' before {text}"));
            } else if !self.eat(TokenKind::Comma) {
                break;
            }
            if self.cursor.position() == before {
                break;
            }
        }
        self.scopes.pop();
        if !self.expect_closing(TokenKind::RParen, "')'", open) {
            self.skip_parameters();
        }
        let ret = if self.check_return_type(&ret, open) { ret.ty } else { self.types.common.error };
        let ty =
            Type::Function(FunctionType { ret, params: list.iter().map(|p| p.ty.ty).collect(), variadic });
        *params = Some(list);
        let is_known = |name: Token| name.kind == TokenKind::Ident && self.is_variadic_builtin(name.symbol);
        if variadic && !self.in_library() && !name.is_some_and(is_known) {
            self.error(open, "functions with variable arguments are not supported");
        }
        DeclaredType::unqualified(self.intern(ty))
    }

    /// Skips past the `)` after an invalid parameter, unless the function body begins earlier.
    fn skip_parameters(&mut self) {
        while !matches!(
            self.kind(),
            TokenKind::RParen | TokenKind::LBrace | TokenKind::Semi | TokenKind::RBrace | TokenKind::Eof
        ) {
            if matches!(self.kind(), TokenKind::LParen | TokenKind::LBracket) {
                self.skip_balanced();
            } else {
                self.bump();
            }
        }
        self.eat(TokenKind::RParen);
    }

    pub(super) fn check_return_type(&mut self, ret: &DeclaredType, span: Span) -> bool {
        let message = match self.types.get(ret.ty) {
            Type::Array(..) => "a function cannot return an array",
            Type::Function(_) => "a function cannot return a function",
            Type::Block(_) => "a function cannot return a block",
            Type::Opaque(Opaque::Image(..) | Opaque::Sampler) => {
                "a function cannot return an image or sampler"
            }
            Type::Pipe(..) => "a function cannot return a pipe",
            _ if ret.space.is_some() => {
                "an address space on a returned value; it may only be on what a pointer points at"
            }
            _ => return true,
        };
        self.error(span, message);
        false
    }

    /// parameter = specifiers declarator
    fn parameter(&mut self) -> Parameter {
        let specs = self.specifiers();
        if let Some((_, span)) = specs.storage {
            self.error(span, "a parameter has no storage class");
        }
        self.reject_auto_type(&specs);
        let mut found = self.declarator(specs.base);
        let type_name = self.argument_type_name(&specs, found.ty.ty);
        let span = found.name.map_or(specs.span, |n| n.span());
        self.adjust_parameter(&mut found.ty, span);
        self.check_parameter(&specs, &found.ty, span);
        Parameter {
            name: found.name,
            ty: QualType {
                ty: found.ty.ty,
                space: Space::Private,
                is_const: found.ty.is_const,
                is_volatile: found.ty.is_volatile,
                is_restrict: found.ty.is_restrict,
            },
            host_sized: found.ty.host_sized || specs.base.host_sized && found.ty.ty == specs.base.ty,
            type_name,
            access: self.access_of(found.ty.ty),
            span,
            align: specs.attributes.aligned.or(found.attributes.aligned),
        }
    }

    /// Adjusts the type of a parameter: arrays become pointers (C99 s6.7.5.3p7).
    fn adjust_parameter(&mut self, ty: &mut DeclaredType, span: Span) {
        match *self.types.get(ty.ty) {
            Type::Array(elem, _) => {
                let pointee = QualType { space: ty.space.unwrap_or(self.default_pointee()), ..elem };
                *ty = DeclaredType::unqualified(self.pointer(pointee));
            }
            Type::Function(_) => {
                self.error(span, "pointers to functions are not supported");
                *ty = DeclaredType::unqualified(self.types.common.error);
            }
            // Images without an access qualifier are `read_only` (s6.6).
            Type::Opaque(Opaque::Image(name, AccessQualifier::None)) => {
                ty.ty = self.intern(Type::Opaque(Opaque::Image(name, AccessQualifier::ReadOnly)));
            }
            _ => {}
        }
    }

    /// Returns the access qualifier of a type.
    fn access_of(&self, ty: TypeId) -> AccessQualifier {
        match *self.types.get(ty) {
            Type::Opaque(Opaque::Image(_, access)) | Type::Pipe(_, access) => access,
            _ => AccessQualifier::None,
        }
    }

    fn check_parameter(&mut self, specs: &Specifiers, ty: &DeclaredType, span: Span) {
        if ty.ty == self.types.common.error {
            return;
        }
        if ty.space.is_some_and(|s| s != Space::Private) {
            let message = "a parameter is private itself; the address space is not allowed here";
            self.error(specs.space_span.unwrap_or(span), message);
        }
        let is_pointer = matches!(self.types.get(ty.ty), Type::Pointer(_));
        let is_image = matches!(self.types.get(ty.ty), Type::Opaque(Opaque::Image(..)));
        if ty.is_restrict && !is_pointer && ty.ty != self.types.common.error {
            let message = "'restrict' is for pointers only";
            self.error(specs.restrict_span.unwrap_or(span), message);
        }
        if is_image && (ty.is_const || ty.is_volatile) {
            self.error(span, "an image cannot be 'const' or 'volatile'");
        }
        let is_pipe = matches!(self.types.get(ty.ty), Type::Pipe(..));
        if let Some(access_span) = specs.access_span
            && !(is_image || is_pipe || ty.ty == self.types.common.error)
        {
            self.error(access_span, "an access qualifier is for images and pipes only");
        }
        if ty.ty == self.types.common.void {
            self.error(span, "a parameter cannot be 'void'");
        }
        self.check_half_object(ty.ty, span);
        self.check_complete(ty.ty, span);
        self.reject_kernel_attributes(&specs.attributes);
    }

    /// Returns the type name that clGetKernelArgInfo reports (API s5.9.4): the declared type without blanks and
    /// qualifiers, with short names of unsigned types.
    fn argument_type_name(&self, specs: &Specifiers, ty: TypeId) -> String {
        let mut text = match specs.spelling {
            TypeSpelling::Name(symbol) => self.names.text(symbol).to_owned(),
            TypeSpelling::Keywords => match *self.types.get(specs.base.ty) {
                Type::Pipe(packet, _) => self.type_text(packet),
                _ => self.type_text(specs.base.ty),
            },
        };
        let mut at = ty;
        while at != specs.base.ty {
            match self.types.get(at) {
                Type::Pointer(to) | Type::Array(to, _) => {
                    text.push('*');
                    at = to.ty;
                }
                _ => break,
            }
        }
        text
    }

    /// type-name = specifiers abstract-declarator
    pub fn type_name(&mut self) -> Option<DeclaredType> {
        if !self.begins_type(self.peek()) {
            let token = self.peek();
            let found = self.token_text(token);
            self.error(token.span(), format!("expected a type before {found}"));
            return None;
        }
        let specs = self.specifiers();
        if let Some((_, span)) = specs.storage {
            self.error(span, "a storage class is not allowed here");
        }
        self.reject_auto_type(&specs);
        let found = self.declarator(specs.base);
        if let Some(name) = found.name {
            self.error(name.span(), "a name is not allowed in a type name");
        }
        Some(found.ty)
    }
}
