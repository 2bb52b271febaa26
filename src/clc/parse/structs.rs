//! Structs, unions and enumerations (C99 s6.7.2, OpenCL C s6.9 and s6.11).

use super::{Attributes, Specifiers};
use crate::names::Keyword as K;
use crate::scope::{Entity, Tag};
use crate::session::Session;
use crate::token::{Token, TokenKind};
use crate::types::{Field, Opaque, QualType, Space, StructDef, StructId, Type, TypeId};
use grus_support::FastMap;
use grus_support::diag::Span;

impl Session<'_> {
    /// struct = ("struct" | "union") attributes tag? ("{" member* "}" attributes)?
    pub(super) fn struct_specifier(&mut self, specs: &mut Specifiers) -> TypeId {
        let keyword = self.bump();
        let is_union = self.as_keyword(keyword) == Some(K::Union);
        specs.declares_tag = true;
        let mut attributes = Attributes::default();
        self.attributes(&mut attributes);
        let tag = (self.kind() == TokenKind::Ident && self.keyword().is_none()).then(|| self.bump());
        if self.kind() != TokenKind::LBrace {
            let Some(tag) = tag else {
                self.error(keyword.span(), "a struct needs a tag or members");
                return self.types.common.error;
            };
            return self.named_struct(tag, is_union);
        }
        let id = self.open_struct(tag, is_union);
        let ty = self.intern(Type::Struct(id));
        self.structs.begin_members(id);
        if self.enter() {
            self.members(id, &mut attributes);
        }
        self.leave();
        self.structs.end_members();
        ty
    }

    /// Returns the struct named by `struct tag`: one declared earlier, or a new incomplete one.
    fn named_struct(&mut self, tag: Token, is_union: bool) -> TypeId {
        let found = self.scopes.find_tag(tag.symbol);
        let declares = self.kind() == TokenKind::Semi;
        let usable = found.filter(|f| f.is_innermost || !declares);
        let id = match usable.map(|f| (f.decl, f.span)) {
            Some((Tag::Struct(id), span)) => {
                if self.types.structs[id].is_union != is_union {
                    self.report_wrong_tag_kind(tag, span);
                }
                id
            }
            Some((Tag::Enum(_), span)) => {
                self.report_wrong_tag_kind(tag, span);
                return self.types.common.error;
            }
            None => self.new_struct(Some(tag), is_union),
        };
        self.intern(Type::Struct(id))
    }

    fn report_wrong_tag_kind(&mut self, tag: Token, earlier: Span) {
        let name = self.token_text(tag);
        self.error(tag.span(), format!("{name} is another kind of tag")).note(earlier, "declared here");
    }

    fn new_struct(&mut self, tag: Option<Token>, is_union: bool) -> StructId {
        let name = tag.map_or(String::new(), |t| self.names.text(t.symbol).to_owned());
        let id = self.types.structs.push(StructDef { name, is_union, ..StructDef::default() });
        let span = tag.map_or(self.last_span(), |t| t.span());
        self.usage.define_struct(id, span);
        if let Some(tag) = tag {
            self.scopes.bind_tag(tag.symbol, Tag::Struct(id), tag.span());
        }
        id
    }

    /// Returns the struct that the following `{` defines.
    fn open_struct(&mut self, tag: Option<Token>, is_union: bool) -> StructId {
        let Some(tag) = tag else {
            return self.new_struct(None, is_union);
        };
        let found = self.scopes.find_tag(tag.symbol);
        match found.filter(|f| f.is_innermost).map(|f| (f.decl, f.span)) {
            Some((Tag::Struct(id), span)) => {
                let old = &self.types.structs[id];
                if old.is_union != is_union {
                    self.report_wrong_tag_kind(tag, span);
                } else if old.complete || self.structs.is_open(id) {
                    let name = self.token_text(tag);
                    self.error(tag.span(), format!("redefinition of {name}"))
                        .note(span, "first defined here");
                } else {
                    return id;
                }
                self.new_struct(None, is_union)
            }
            Some((Tag::Enum(_), span)) => {
                self.report_wrong_tag_kind(tag, span);
                self.new_struct(None, is_union)
            }
            None => self.new_struct(Some(tag), is_union),
        }
    }

    /// members = "{" (specifiers declarator ("," declarator)* ";")* "}" attributes
    fn members(&mut self, id: StructId, attributes: &mut Attributes) {
        attributes.max_member_align = self.pack_alignment();
        let open = self.bump().span();
        let mut fields = Vec::new();
        let mut seen = FastMap::default();
        while !matches!(self.kind(), TokenKind::RBrace | TokenKind::Eof) {
            if self.eat(TokenKind::Semi) {
                continue;
            }
            let before = self.cursor.position();
            self.struct_member(id, &mut fields, &mut seen);
            if self.cursor.position() == before {
                self.bump();
            }
        }
        self.expect(TokenKind::RBrace, "'}'");
        self.attributes(attributes);
        self.reject_kernel_attributes(attributes);
        if fields.is_empty() && !self.in_library() {
            self.warning(open, "a struct without members");
        }
        self.check_flexible_arrays(id, &fields);
        self.set_layout(id, fields, attributes);
    }

    /// Reports members with a flexible array type that are not the last member of a struct. Such a member occupies
    /// no memory in the struct.
    fn check_flexible_arrays(&mut self, id: StructId, fields: &[(Field, Attributes)]) {
        let is_union = self.types.structs[id].is_union;
        let last = fields.len().saturating_sub(1);
        for (index, (field, _)) in fields.iter().enumerate() {
            if matches!(self.types.get(field.ty.ty), Type::Array(_, None)) && index < last && !is_union {
                let span = self.last_span();
                let message =
                    format!("'{}' has no size, so it must be the last member of the struct", field.name);
                self.error(span, message);
            }
        }
    }

    fn struct_member(
        &mut self,
        id: StructId,
        fields: &mut Vec<(Field, Attributes)>,
        seen: &mut FastMap<String, Span>,
    ) {
        if self.keyword() == Some(K::StaticAssert) {
            return self.static_assert();
        }
        let specs = self.specifiers();
        self.reject_auto_type(&specs);
        if let Some((_, span)) = specs.storage {
            self.error(span, "a member has no storage class");
        }
        if specs.is_missing_semicolon || self.kind() == TokenKind::Semi {
            self.anonymous_member(id, &specs, fields, seen);
            self.eat(TokenKind::Semi);
            return;
        }
        loop {
            let found = self.declarator(specs.base);
            let span = found.span;
            if self.kind() == TokenKind::Colon {
                self.error(span, "bit-fields are not supported");
                self.bump();
                self.constant_expression();
            }
            let Some(name) = found.name else {
                let token = self.peek();
                let text = self.token_text(token);
                let message = format!("expected the name of a member before {text}");
                self.error(token.span(), message);
                self.skip_to_semi();
                return;
            };
            let text = self.names.text(name.symbol).to_owned();
            if let Some(first) = seen.insert(text.clone(), span) {
                self.error(span, format!("duplicate member '{text}'")).note(first, "first declared here");
            }
            if found.ty.space.is_some_and(|s| s != Space::Private) {
                let message = "a member of a struct has no address space of its own";
                self.error(span, message);
            }
            let mut attributes = specs.attributes.clone();
            merge(&mut attributes, &found.attributes);
            let host_sized = specs.base.host_sized && found.ty.ty == specs.base.ty || found.ty.host_sized;
            let ty = self.check_member(id, found.ty.ty, host_sized, span);
            let field = Field {
                name: text,
                ty: QualType {
                    ty,
                    space: Space::Private,
                    is_const: found.ty.is_const,
                    is_volatile: found.ty.is_volatile,
                    is_restrict: found.ty.is_restrict,
                },
                offset: 0,
            };
            fields.push((field, attributes));
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if !self.expect(TokenKind::Semi, "';'") {
            self.skip_to_semi();
        }
    }

    /// Skips past the next `;`, or to a `}`.
    pub(super) fn skip_to_semi(&mut self) {
        loop {
            match self.kind() {
                TokenKind::Semi => {
                    self.bump();
                    return;
                }
                TokenKind::RBrace | TokenKind::Eof => return,
                TokenKind::LBrace | TokenKind::LParen | TokenKind::LBracket => self.skip_balanced(),
                _ => {
                    self.bump();
                }
            }
        }
    }

    fn anonymous_member(
        &mut self,
        id: StructId,
        specs: &Specifiers,
        fields: &mut Vec<(Field, Attributes)>,
        seen: &mut FastMap<String, Span>,
    ) {
        let Type::Struct(inner) = *self.types.get(specs.base.ty) else {
            if specs.base.ty != self.types.common.error {
                self.warning(specs.span, "declaration declares nothing");
            }
            return;
        };
        let is_nameless = self.types.structs[inner].name.is_empty();
        if !is_nameless {
            if self.types.structs[inner].complete && !specs.declares_tag {
                self.warning(specs.span, "declaration declares nothing");
            }
            return;
        }
        for name in self.member_names(inner) {
            if let Some(first) = seen.insert(name.clone(), specs.span) {
                self.error(specs.span, format!("duplicate member '{name}'"))
                    .note(first, "first declared here");
            }
        }
        if let Some(member) = self.structs.bad_kernel_arg(inner) {
            self.structs.set_bad_kernel_arg(id, member);
        }
        let field = Field {
            name: String::new(),
            ty: QualType {
                is_const: specs.base.is_const,
                is_volatile: specs.base.is_volatile,
                ..QualType::new(specs.base.ty, Space::Private)
            },
            offset: 0,
        };
        fields.push((field, specs.attributes.clone()));
    }

    pub fn member_names(&self, id: StructId) -> Vec<String> {
        let mut names = Vec::new();
        for field in &self.types.structs[id].fields {
            match *self.types.get(field.ty.ty) {
                Type::Struct(inner) if field.name.is_empty() => {
                    names.extend(self.member_names(inner));
                }
                _ => names.push(field.name.clone()),
            }
        }
        names
    }

    /// Returns the type of a member, or the error type if a member cannot have it. Records members that cannot be
    /// passed to a kernel.
    fn check_member(&mut self, id: StructId, ty: TypeId, host_sized: bool, span: Span) -> TypeId {
        let message = match self.types.get(ty) {
            Type::Void => Some("a member cannot be 'void'"),
            Type::Function(_) => Some("a member cannot be a function"),
            Type::Block(_) => Some("a member cannot be a block"),
            Type::Struct(inner) if !self.types.structs[*inner].complete => {
                Some("a member must have a complete type")
            }
            Type::Opaque(
                Opaque::Image(..)
                | Opaque::Sampler
                | Opaque::Event
                | Opaque::ClkEvent
                | Opaque::ReserveId
                | Opaque::Queue
                | Opaque::NdRange,
            )
            | Type::Pipe(..) => Some("a member cannot have this type"),
            _ => None,
        };
        if let Some(message) = message {
            self.error(span, message);
            return self.types.common.error;
        }
        self.check_half_object(ty, span);
        let mut element = ty;
        while let Type::Array(of, _) = self.types.get(element) {
            element = of.ty;
        }
        let bad_kernel_arg = match self.types.get(element) {
            _ if host_sized => Some("'size_t' or its like"),
            Type::Bool => Some("'bool'"),
            // Shared virtual memory made pointers in structs useful (s6.9.p of 1.2, removed in 2.0).
            Type::Pointer(_) if self.options.std < 200 => Some("a pointer"),
            Type::Struct(inner) => self.structs.bad_kernel_arg(*inner),
            _ => None,
        };
        if let Some(member) = bad_kernel_arg {
            self.structs.add_bad_kernel_arg(id, member);
        }
        ty
    }

    /// Computes offsets, size and alignment, as the host's compiler does.
    fn set_layout(&mut self, id: StructId, fields: Vec<(Field, Attributes)>, all: &Attributes) {
        let is_union = self.types.structs[id].is_union;
        let (mut size, mut align, mut laid_out) = (0u64, 1u64, Vec::new());
        for (mut field, attributes) in fields {
            let packed = all.packed || attributes.packed;
            let natural = if packed { 1 } else { self.types.align_of(field.ty.ty) };
            let field_align = natural.max(attributes.aligned.unwrap_or(1));
            let field_align = field_align.min(all.max_member_align.unwrap_or(field_align));
            let offset = if is_union { 0 } else { size.next_multiple_of(field_align) };
            field.offset = offset;
            size = size.max(offset.saturating_add(self.types.size_of(field.ty.ty)));
            align = align.max(field_align);
            laid_out.push(field);
        }
        align = align.max(all.aligned.unwrap_or(1));
        let def = &mut self.types.structs[id];
        def.fields = laid_out;
        def.align = align;
        def.size = size.next_multiple_of(align);
        def.complete = true;
    }

    /// enum = "enum" attributes tag? ("{" enumerator ("," enumerator)* ","? "}" attributes)?
    pub(super) fn enum_specifier(&mut self, specs: &mut Specifiers) -> TypeId {
        let keyword = self.bump();
        specs.declares_tag = true;
        self.attributes(&mut Attributes::default());
        let tag = (self.kind() == TokenKind::Ident && self.keyword().is_none()).then(|| self.bump());
        if self.kind() != TokenKind::LBrace {
            return match tag {
                Some(tag) => self.named_enum(tag),
                None => {
                    self.error(keyword.span(), "an enumeration needs a tag or constants");
                    self.types.common.error
                }
            };
        }
        let ty = self.enumerators();
        if let Some(tag) = tag {
            self.define_enum(tag, ty);
        }
        self.attributes(&mut Attributes::default());
        ty
    }

    fn named_enum(&mut self, tag: Token) -> TypeId {
        match self.scopes.find_tag(tag.symbol).map(|f| (f.decl, f.span)) {
            Some((Tag::Enum(ty), _)) => ty,
            Some((Tag::Struct(_), span)) => {
                self.report_wrong_tag_kind(tag, span);
                self.types.common.error
            }
            None => {
                let name = self.token_text(tag);
                self.error(tag.span(), format!("enumeration {name} is not defined"));
                self.types.common.int
            }
        }
    }

    fn define_enum(&mut self, tag: Token, ty: TypeId) {
        let found = self.scopes.find_tag(tag.symbol).filter(|f| f.is_innermost);
        match found.map(|f| (f.decl, f.span)) {
            Some((Tag::Struct(_), span)) => self.report_wrong_tag_kind(tag, span),
            Some((Tag::Enum(_), span)) => {
                let name = self.token_text(tag);
                self.error(tag.span(), format!("redefinition of {name}")).note(span, "first defined here");
            }
            None => self.scopes.bind_tag(tag.symbol, Tag::Enum(ty), tag.span()),
        }
    }

    /// enumerator = name ("=" constant)?. The type is `int`, or a wider type if a value needs one, as in other
    /// compilers.
    fn enumerators(&mut self) -> TypeId {
        self.bump();
        let mut ty = self.types.common.int;
        let mut next = (0, ty);
        while self.kind() == TokenKind::Ident && self.keyword().is_none() {
            let name = self.bump();
            self.attributes(&mut Attributes::default());
            if self.eat(TokenKind::Assign) {
                next = self.enumerator_value().unwrap_or(next);
            }
            let (value, value_ty) = next;
            let fits = i32::try_from(value as i64).is_ok()
                && (value_ty != self.types.common.ulong || value >> 63 == 0);
            let constant_ty = if fits { self.types.common.int } else { value_ty };
            if self.types.size_of(constant_ty) >= self.types.size_of(ty) {
                ty = if fits { ty } else { constant_ty };
            }
            let bits = if constant_ty == self.types.common.int { value as u32 as u64 } else { value };
            self.declare(name, Entity::Constant(bits, constant_ty));
            let wide = if i32::try_from(value.wrapping_add(1) as i64).is_ok() {
                constant_ty
            } else {
                self.types.common.long
            };
            next = (
                value.wrapping_add(1),
                if constant_ty == self.types.common.int { wide } else { constant_ty },
            );
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if !self.expect(TokenKind::RBrace, "'}'") {
            self.skip_to_semi();
        }
        ty
    }

    /// Parses an enumeration constant's value. Returns it, sign-extended, with its type.
    fn enumerator_value(&mut self) -> Option<(u64, TypeId)> {
        let operand = self.conditional();
        let expr = self.value(operand);
        let ty = expr.ty;
        let value = self.constant_of(expr)?;
        let ty = if self.types.size_of(ty) < 4 { self.types.common.int } else { ty };
        Some((value as u64, ty))
    }
}

fn merge(into: &mut Attributes, more: &Attributes) {
    into.packed |= more.packed;
    into.aligned = match (into.aligned, more.aligned) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    };
}
