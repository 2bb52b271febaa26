//! Attributes (`__attribute__((...))`, s6.9 and s6.11). Unknown attributes are skipped with a warning.

use crate::attributes::{self, AttributeKind};
use crate::names::Keyword;
use crate::sema::suggestion;
use crate::session::Session;
use crate::token::{Token, TokenKind};
use crate::types::{AccessQualifier, Opaque, QualType, Scalar, Type, TypeId};
use grus_support::diag::Span;

/// Values of parsed attributes.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    pub aligned: Option<u64>,
    pub packed: bool,
    /// Maximum alignment of the struct's members, from `#pragma pack`.
    pub max_member_align: Option<u64>,
    /// True if functions of this name are distinguished by their parameters.
    pub overloadable: bool,
    pub reqd_work_group_size: Option<[u32; 3]>,
    pub work_group_size_hint: Option<[u32; 3]>,
    pub vec_type_hint: Option<String>,
    pub sub_group_size: Option<u16>,
    /// Texts of the attributes that a kernel reports, in order.
    pub kernel: Vec<String>,
    /// Position of the first attribute that only a kernel can have.
    pub kernel_span: Option<Span>,
    /// True if the declared entity may be unused without a warning.
    pub unused: bool,
    /// True for `noinline`.
    pub no_inline: bool,
    /// True for `noreturn`.
    pub no_return: bool,
    /// Vector whose element is the declared type.
    pub vector: Option<VectorAttribute>,
    /// Position of a loop hint and its unroll count; 0 means full unrolling.
    pub unroll: Option<(Span, u32)>,
}

/// Size of a vector type that an attribute declares.
#[derive(Clone, Copy, Debug)]
pub struct VectorAttribute {
    pub count: u64,
    /// True if `count` is in bytes, false if it is in lanes.
    pub bytes: bool,
    pub span: Span,
}

impl Session<'_> {
    /// Checks whether attributes begin at the current token.
    pub fn at_attribute(&self) -> bool {
        match self.kind() {
            TokenKind::LBracket => self.peek_at(1).kind == TokenKind::LBracket,
            TokenKind::Ident => self.keyword() == Some(Keyword::Attribute),
            _ => false,
        }
    }

    /// attributes = ("__attribute__" "((" attribute ("," attribute)* "))" | standard)*
    pub fn attributes(&mut self, into: &mut Attributes) {
        while self.at_attribute() {
            if self.kind() == TokenKind::LBracket {
                self.standard_attributes(into);
                continue;
            }
            self.bump();
            if !self.expect(TokenKind::LParen, "'(('") || !self.expect(TokenKind::LParen, "'('") {
                return;
            }
            loop {
                if self.kind() == TokenKind::Ident {
                    self.attribute(into);
                }
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            self.expect(TokenKind::RParen, "'))'");
            self.expect(TokenKind::RParen, "')'");
        }
    }

    /// standard = "[" "[" (scope "::")? attribute ("," (scope "::")? attribute)* "]" "]" (C23 s6.7.12)
    fn standard_attributes(&mut self, into: &mut Attributes) {
        self.bump();
        self.bump();
        while !matches!(self.kind(), TokenKind::RBracket | TokenKind::Eof) {
            let has_scope =
                self.peek_at(1).kind == TokenKind::Colon && self.peek_at(2).kind == TokenKind::Colon;
            let scope = self.peek();
            if has_scope {
                for _ in 0..3 {
                    self.bump();
                }
            }
            if self.kind() == TokenKind::Ident {
                let known = attributes::is_gnu_scope(has_scope.then(|| self.names.text(scope.symbol)));
                if known { self.attribute(into) } else { self.skip_unknown_attribute() }
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RBracket, "']]'");
        self.expect(TokenKind::RBracket, "']'");
    }

    fn skip_unknown_attribute(&mut self) {
        let token = self.bump();
        let text = self.token_text(token);
        self.warning(token.span(), format!("unknown attribute {text} ignored"));
        self.skip_arguments();
    }

    /// attribute = name ("(" arguments ")")?
    fn attribute(&mut self, into: &mut Attributes) {
        let token = self.bump();
        let text = self.names.text(token.symbol).to_owned();
        let name = attributes::without_underscores(&text);
        match attributes::attribute(name) {
            Some(AttributeKind::Aligned) => self.aligned(token, into),
            Some(AttributeKind::Packed) => into.packed = true,
            Some(AttributeKind::Endian) => self.endian(token),
            Some(AttributeKind::Overloadable) => into.overloadable = true,
            Some(AttributeKind::ReqdWorkGroupSize) => {
                let sizes = self.work_group_sizes(token, into);
                self.check_same_sizes(token, into.reqd_work_group_size, sizes);
                into.reqd_work_group_size = sizes.or(into.reqd_work_group_size);
            }
            Some(AttributeKind::WorkGroupSizeHint) => {
                let sizes = self.work_group_sizes(token, into);
                self.check_same_sizes(token, into.work_group_size_hint, sizes);
                into.work_group_size_hint = sizes.or(into.work_group_size_hint);
            }
            Some(AttributeKind::VecTypeHint) => self.vec_type_hint(token, into),
            Some(AttributeKind::UnrollHint) => self.unroll_hint(token, into),
            Some(AttributeKind::VectorLanes) => self.vector_of(token, false, into),
            Some(AttributeKind::VectorBytes) => self.vector_of(token, true, into),
            Some(AttributeKind::SubGroupSize) => self.sub_group_size(token, into),
            Some(AttributeKind::Vendor) => {
                let start = self.cursor.position();
                self.skip_arguments();
                let arguments = self.spelling(start, self.cursor.position());
                into.kernel.push(format!("{name}{arguments}"));
                into.kernel_span.get_or_insert(token.span());
            }
            Some(AttributeKind::Unsupported) => {
                self.warning(token.span(), format!("attribute '{name}' is not supported and ignored"));
                self.skip_arguments();
            }
            Some(
                meaning @ (AttributeKind::Unused
                | AttributeKind::NoInline
                | AttributeKind::NoReturn
                | AttributeKind::NoEffect),
            ) => {
                into.unused |= meaning == AttributeKind::Unused;
                into.no_inline |= meaning == AttributeKind::NoInline;
                into.no_return |= meaning == AttributeKind::NoReturn;
                self.skip_arguments();
            }
            None => {
                let hint = suggestion(name, attributes::names());
                let message = format!("unknown attribute '{name}' ignored{hint}");
                self.warning(token.span(), message);
                self.skip_arguments();
            }
        }
    }

    /// ("ext_vector_type" | "vector_size") "(" constant ")"
    fn vector_of(&mut self, token: Token, bytes: bool, into: &mut Attributes) {
        if !self.expect(TokenKind::LParen, "'('") {
            return;
        }
        let number = self.constant_expression();
        self.expect(TokenKind::RParen, "')'");
        if let Some(number) = number {
            let count = u64::try_from(number).unwrap_or(0);
            into.vector = Some(VectorAttribute { count, bytes, span: token.span() });
        }
    }

    /// Returns the vector type that an attribute creates from a declared type. `vector_size` applies to the pointee
    /// of a pointer and the element of an array.
    pub fn vector_type(&mut self, ty: TypeId, of: VectorAttribute) -> TypeId {
        let scalar = match *self.types.get(ty) {
            Type::Error => return ty,
            Type::Scalar(scalar) => scalar,
            Type::Pointer(to) if of.bytes => {
                let to = QualType { ty: self.vector_type(to.ty, of), ..to };
                return self.pointer(to);
            }
            Type::Array(elem, len) if of.bytes => {
                let elem = QualType { ty: self.vector_type(elem.ty, of), ..elem };
                return self.intern(Type::Array(elem, len));
            }
            _ => {
                let name = self.type_text(ty);
                self.error(of.span, format!("there are no vectors of '{name}'"));
                return self.types.common.error;
            }
        };
        let lanes = if of.bytes { of.count / scalar.size() } else { of.count };
        let is_whole = !of.bytes || of.count.is_multiple_of(scalar.size());
        if !is_whole || !matches!(lanes, 2 | 3 | 4 | 8 | 16) {
            let (name, count) = (scalar.name(), of.count);
            let unit = if of.bytes { "bytes" } else { "lanes" };
            let message = format!(
                "OpenCL C has no vector of {count} {unit} of '{name}': there are 2, 3, 4, 8 and 16 lanes"
            );
            self.error(of.span, message);
            return self.types.common.error;
        }
        self.arithmetic_type(scalar, lanes as u8)
    }

    /// Returns the concatenated spellings of tokens.
    fn spelling(&self, from: usize, to: usize) -> String {
        self.cursor.tokens(from..to).iter().map(|t| self.names.text(t.symbol)).collect()
    }

    fn skip_arguments(&mut self) {
        if self.kind() == TokenKind::LParen {
            self.skip_balanced();
        }
    }

    /// Skips from an opening bracket past the matching closing one.
    pub fn skip_balanced(&mut self) {
        let mut depth = 0u32;
        loop {
            match self.kind() {
                TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace => depth += 1,
                TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => {
                    depth = depth.saturating_sub(1)
                }
                TokenKind::Eof => return,
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return;
            }
        }
    }

    /// aligned = "aligned" ("(" constant ")")?
    fn aligned(&mut self, token: Token, into: &mut Attributes) {
        let mut value = 128;
        if self.eat(TokenKind::LParen) {
            let expr = self.constant_expression();
            self.expect(TokenKind::RParen, "')'");
            let Some(number) = expr else { return };
            if !(number as u64).is_power_of_two() || number > 1 << 28 {
                self.error(token.span(), "alignment must be a power of two");
                return;
            }
            value = number as u64;
        }
        into.aligned = Some(into.aligned.unwrap_or(1).max(value));
    }

    /// "intel_reqd_sub_group_size" "(" constant ")" (cl_intel_required_subgroup_size). The size must be a power of
    /// two. Building fails if a kernel cannot be compiled for sub-groups of that size.
    fn sub_group_size(&mut self, token: Token, into: &mut Attributes) {
        into.kernel_span.get_or_insert(token.span());
        if !self.expect(TokenKind::LParen, "'('") {
            return;
        }
        let span = self.peek().span();
        let size = self.constant_expression();
        self.expect(TokenKind::RParen, "')'");
        let Some(size) = size else { return };
        let known = u16::try_from(size).ok().filter(|size| size.is_power_of_two() && *size <= 64);
        let Some(known) = known else {
            self.error(span, "the size of a sub-group is a power of two up to 64");
            return;
        };
        if into.sub_group_size.is_some_and(|other| other != known) {
            self.error(token.span(), "conflicts with an earlier attribute");
        }
        into.sub_group_size = Some(known);
        let text = format!("intel_reqd_sub_group_size({known})");
        if !into.kernel.contains(&text) {
            into.kernel.push(text);
        }
    }

    /// "(" constant "," constant "," constant ")"
    fn work_group_sizes(&mut self, token: Token, into: &mut Attributes) -> Option<[u32; 3]> {
        into.kernel_span.get_or_insert(token.span());
        let mut sizes = Vec::new();
        if self.expect(TokenKind::LParen, "'('") {
            loop {
                let span = self.peek().span();
                match self.constant_expression() {
                    Some(value) if (1..=i64::from(u32::MAX)).contains(&value) => {
                        sizes.push(value as u32);
                    }
                    Some(_) => {
                        self.error(span, "work-group sizes must be positive");
                        sizes.push(1);
                    }
                    None => sizes.push(1),
                }
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            self.expect(TokenKind::RParen, "')'");
        }
        let name = self.names.text(token.symbol).to_owned();
        let Ok(found) = <[u32; 3]>::try_from(sizes.as_slice()) else {
            self.error(token.span(), format!("'{name}' takes three sizes"));
            return None;
        };
        let [x, y, z] = found;
        let text = format!("{}({x},{y},{z})", name.trim_matches('_'));
        if !into.kernel.contains(&text) {
            into.kernel.push(text);
        }
        Some(found)
    }

    fn check_same_sizes(&mut self, token: Token, old: Option<[u32; 3]>, new: Option<[u32; 3]>) {
        if old.is_some() && new.is_some() && old != new {
            self.error(token.span(), "conflicts with an earlier attribute");
        }
    }

    /// vec_type_hint "(" type ")"
    fn vec_type_hint(&mut self, token: Token, into: &mut Attributes) {
        into.kernel_span.get_or_insert(token.span());
        if !self.expect(TokenKind::LParen, "'('") {
            return;
        }
        let ty = self.type_name();
        self.expect(TokenKind::RParen, "')'");
        let ty = ty.map_or(self.types.common.error, |t| t.ty);
        match self.types.get(ty) {
            Type::Scalar(_) | Type::Vector(..) => {
                let name = self.type_text(ty);
                into.kernel.push(format!("vec_type_hint({name})"));
                into.vec_type_hint = Some(name);
            }
            Type::Error => {}
            _ => {
                let message = "'vec_type_hint' takes a scalar or vector type";
                self.error(token.span(), message);
            }
        }
    }

    /// endian "(" ("host" | "device") ")" : both byte orders are that of the CPU.
    fn endian(&mut self, token: Token) {
        let start = self.cursor.position();
        self.skip_arguments();
        if !matches!(self.spelling(start, self.cursor.position()).as_str(), "(host)" | "(device)") {
            self.error(token.span(), "'endian' takes host or device");
        }
    }

    /// opencl_unroll_hint ("(" constant ")")?
    fn unroll_hint(&mut self, token: Token, into: &mut Attributes) {
        into.unroll = Some((token.span(), 0));
        if !self.eat(TokenKind::LParen) {
            return;
        }
        if self.kind() != TokenKind::RParen
            && let Some(value) = self.constant_expression()
        {
            if value <= 0 {
                self.error(token.span(), "the unroll factor must be positive");
            }
            into.unroll = Some((token.span(), u32::try_from(value).unwrap_or(0)));
        }
        self.expect(TokenKind::RParen, "')'");
    }

    /// Reports kernel attributes on a declaration that is not a kernel.
    pub fn reject_kernel_attributes(&mut self, attributes: &Attributes) {
        if let Some(span) = attributes.kernel_span {
            self.error(span, "this attribute is for kernels only");
        }
    }

    /// Returns the spelling of a type for diagnostics.
    pub fn type_text(&self, ty: TypeId) -> String {
        match self.types.get(ty) {
            Type::Error => "<error>".into(),
            Type::Void => "void".into(),
            Type::Bool => "bool".into(),
            Type::Scalar(s) => s.name().into(),
            Type::Vector(s, n) => format!("{}{n}", s.name()),
            Type::Pointer(to) => {
                let to = *to;
                if let Type::Pointer(_) = self.types.get(to.ty) {
                    // Qualifiers of a pointer are written after its `*`.
                    let quals = self.qualifiers_text(to);
                    return format!("{}{quals}*", self.type_text(to.ty));
                }
                let text = self.qual_text(to);
                match self.types.get(to.ty) {
                    Type::Array(..) => format!("{text} (*)"),
                    _ => format!("{text} *"),
                }
            }
            Type::Array(elem, len) => {
                let (elem, len) = (*elem, *len);
                let len = len.map(|n| n.to_string()).unwrap_or_default();
                format!("{}[{len}]", self.type_text(elem.ty))
            }
            Type::Struct(id) => {
                let def = &self.types.structs[*id];
                let word = if def.is_union { "union" } else { "struct" };
                match def.name.as_str() {
                    "" => format!("{word} <unnamed>"),
                    name => format!("{word} {name}"),
                }
            }
            Type::Function(_) => "function".into(),
            Type::Block(ty) => self.block_text(ty),
            Type::Atomic(Scalar::Int) => "atomic_int".into(),
            Type::Atomic(s) => format!("atomic_{}", s.name()),
            Type::Opaque(Opaque::Image(name, access)) => format!("{}{name}", access_text(*access)),
            Type::Opaque(opaque) => super::specifiers::opaque_name(*opaque).into(),
            Type::Pipe(packet, access) => format!("{}pipe {}", access_text(*access), self.type_text(*packet)),
        }
    }

    /// Returns the spelling of a qualified type for diagnostics.
    pub fn qual_text(&self, ty: QualType) -> String {
        self.qualifiers_text(ty) + &self.type_text(ty.ty)
    }

    fn qualifiers_text(&self, ty: QualType) -> String {
        let mut text = String::new();
        if ty.space != self.default_pointee() {
            text.push_str(super::specifiers::space_name(ty.space));
            text.push(' ');
        }
        let is_const = ty.is_const && ty.space != crate::types::Space::Constant;
        for (set, word) in [(is_const, "const "), (ty.is_volatile, "volatile ")] {
            if set {
                text.push_str(word);
            }
        }
        text
    }
}

fn access_text(access: AccessQualifier) -> &'static str {
    match access {
        AccessQualifier::None => "",
        AccessQualifier::ReadOnly => "read_only ",
        AccessQualifier::WriteOnly => "write_only ",
        AccessQualifier::ReadWrite => "read_write ",
    }
}
