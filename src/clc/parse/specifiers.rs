//! Declaration specifiers: storage class, qualifiers, and the type that they denote (C99 s6.7, OpenCL C s6.3, s6.5
//! to s6.8).

use super::Attributes;
use crate::names::{Keyword as K, NamedType, Symbol, named_type};
use crate::scope::{Entity, Typedef};
use crate::session::Session;
use crate::token::{Token, TokenKind};
use crate::tree::AccessQualifier;
use crate::types::{Opaque, Scalar, Space, Type, TypeId};
use grus_support::diag::Span;

/// Storage class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageClass {
    Typedef,
    Extern,
    Static,
}

/// Spelling of a type, for clGetKernelArgInfo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeSpelling {
    /// Keywords; the reported name is that of the type.
    Keywords,
    /// Name declared by the program or the language.
    Name(Symbol),
}

/// Type as written in the program; the address space is not decided yet.
#[derive(Clone, Copy, Debug)]
pub struct DeclaredType {
    pub ty: TypeId,
    pub space: Option<Space>,
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
    /// True for `size_t` and similar types, whose size may differ on the host.
    pub host_sized: bool,
}

impl DeclaredType {
    /// Returns `ty` without qualifiers.
    pub fn unqualified(ty: TypeId) -> Self {
        Self { ty, space: None, is_const: false, is_volatile: false, is_restrict: false, host_sized: false }
    }
}

/// Parsed declaration specifiers.
#[derive(Clone, Debug)]
pub struct Specifiers {
    pub storage: Option<(StorageClass, Span)>,
    pub is_inline: bool,
    pub kernel: Option<Span>,
    pub base: DeclaredType,
    pub spelling: TypeSpelling,
    /// Position of the address space qualifier.
    pub space_span: Option<Span>,
    pub restrict_span: Option<Span>,
    pub access: AccessQualifier,
    pub access_span: Option<Span>,
    /// Position of `pipe`; `base` is then a pipe type.
    pub pipe: Option<Span>,
    pub attributes: Attributes,
    pub span: Span,
    /// Position of `__auto_type`; the initial value determines `base`.
    pub auto_type: Option<Span>,
    /// True if the specifiers only declare a struct, union or enum, so that no declarator is required.
    pub declares_tag: bool,
    /// True if the `;` after the specifiers is missing and has been reported.
    pub is_missing_semicolon: bool,
}

/// Keywords that together denote an arithmetic type.
#[derive(Default)]
struct TypeKeywords {
    base: Option<K>,
    long_count: u8,
    has_short: bool,
    sign: Option<K>,
    span: Option<Span>,
}

impl TypeKeywords {
    fn is_present(&self) -> bool {
        self.base.is_some() || self.long_count > 0 || self.has_short || self.sign.is_some()
    }
}

impl Session<'_> {
    /// Checks whether `token` can begin a type name.
    pub fn begins_type(&self, token: Token) -> bool {
        if token.kind != TokenKind::Ident {
            return false;
        }
        match self.as_keyword(token) {
            Some(
                K::Void
                | K::Bool
                | K::Char
                | K::Short
                | K::Int
                | K::Long
                | K::Half
                | K::Float
                | K::Double
                | K::Signed
                | K::Unsigned
                | K::Struct
                | K::Union
                | K::Enum
                | K::Const
                | K::Volatile
                | K::Restrict
                | K::Global
                | K::Local
                | K::Constant
                | K::Private
                | K::Generic
                | K::ReadOnly
                | K::WriteOnly
                | K::ReadWrite
                | K::Pipe
                | K::Typeof
                | K::AutoType
                | K::Alignas,
            ) => true,
            Some(_) => false,
            None => self.is_type_name(token.symbol),
        }
    }

    /// Checks whether `token` can begin a declaration.
    pub fn begins_declaration(&self, token: Token) -> bool {
        self.begins_type(token)
            || matches!(
                self.as_keyword(token),
                Some(
                    K::Typedef
                        | K::Extern
                        | K::Static
                        | K::Inline
                        | K::Auto
                        | K::Register
                        | K::Kernel
                        | K::Attribute
                        | K::Extension
                        | K::Noreturn
                        | K::StaticAssert
                        | K::Reserved
                )
            )
    }

    /// Checks whether `symbol` names a type in the current scope.
    fn is_type_name(&self, symbol: Symbol) -> bool {
        if let Some(found) = self.scopes.find(symbol) {
            return matches!(found.decl, Entity::Typedef(_));
        }
        named_type(symbol, self.options.std).is_some() || self.is_library_type(symbol)
    }

    /// Returns the type that `symbol` names in the current scope.
    pub fn find_type(&mut self, symbol: Symbol) -> Option<Typedef> {
        if let Some(found) = self.scopes.find(symbol) {
            return match found.decl {
                Entity::Typedef(found) => Some(found),
                _ => None,
            };
        }
        if let Some(named) = named_type(symbol, self.options.std) {
            return Some(self.named(named));
        }
        self.find_library_type(symbol)
    }

    fn named(&mut self, named: NamedType) -> Typedef {
        let ty = match named {
            NamedType::Scalar(s) | NamedType::HostSized(s) => Type::Scalar(s),
            NamedType::Vector(s, n) => Type::Vector(s, n),
            NamedType::Atomic(s) => Type::Atomic(s),
            NamedType::Opaque(o) => Type::Opaque(o),
        };
        Typedef {
            ty: self.types.intern(ty),
            space: None,
            is_const: false,
            is_volatile: false,
            host_sized: matches!(named, NamedType::HostSized(_)),
        }
    }

    /// specifiers = (storage | qualifier | type-specifier | attributes)+
    pub fn specifiers(&mut self) -> Specifiers {
        let mut specs = Specifiers {
            storage: None,
            is_inline: false,
            kernel: None,
            base: DeclaredType::unqualified(self.types.common.error),
            spelling: TypeSpelling::Keywords,
            space_span: None,
            restrict_span: None,
            access: AccessQualifier::None,
            access_span: None,
            pipe: None,
            auto_type: None,
            attributes: Attributes::default(),
            span: self.peek().span(),
            declares_tag: false,
            is_missing_semicolon: false,
        };
        let mut words = TypeKeywords::default();
        let mut has_type = false;
        let mut space_of_operand = false;
        while self.kind() == TokenKind::Ident || self.at_attribute() {
            let token = self.peek();
            match self.keyword() {
                _ if token.kind == TokenKind::LBracket => self.attributes(&mut specs.attributes),
                Some(K::Typeof) if !has_type && !words.is_present() => {
                    let had_space = specs.base.space.is_some();
                    space_of_operand = self.typeof_specifier(&mut specs.base) && !had_space;
                    has_type = true;
                }
                Some(K::AutoType) if !has_type && !words.is_present() => {
                    specs.auto_type = Some(self.bump().span());
                    has_type = true;
                }
                Some(K::Alignas) => self.alignas(&mut specs.attributes),
                Some(K::Attribute) => {
                    let mut attributes = std::mem::take(&mut specs.attributes);
                    self.attributes(&mut attributes);
                    specs.attributes = attributes;
                }
                Some(K::Struct | K::Union) if !has_type && !words.is_present() => {
                    specs.base.ty = self.struct_specifier(&mut specs);
                    has_type = true;
                }
                Some(K::Enum) if !has_type && !words.is_present() => {
                    specs.base.ty = self.enum_specifier(&mut specs);
                    has_type = true;
                }
                Some(word) => {
                    if has_type && specs.declares_tag && self.is_semicolon_missing(word) {
                        let span = self.end_of_last();
                        self.error(span, "expected ';' after this definition");
                        specs.is_missing_semicolon = true;
                        break;
                    } else if has_type && is_type_keyword(word) {
                        self.error(token.span(), "two types in one declaration");
                        self.bump();
                    } else if !self.specifier_keyword(word, &mut specs, &mut words) {
                        break;
                    }
                }
                None if self.library_space(token.symbol).is_some() => {
                    specs.base.space = self.library_space(token.symbol);
                    self.bump();
                }
                None if !has_type && !words.is_present() => match self.find_type(token.symbol) {
                    Some(found) => {
                        self.bump();
                        apply_typedef(&mut specs, found, token.symbol);
                        has_type = true;
                    }
                    None => break,
                },
                None => break,
            }
        }
        if !has_type {
            specs.base.ty = self.type_of_keywords(&words, &mut specs);
        }
        if space_of_operand && self.kind() != TokenKind::Star {
            // The address space of the operand matters only if a pointer to its type is declared.
            specs.base.space = None;
        }
        if let Some(of) = specs.attributes.vector.take() {
            specs.base.ty = self.vector_type(specs.base.ty, of);
        }
        specs.span = specs.span.to(self.last_span());
        self.check_is_supported(specs.base.ty, specs.span);
        self.apply_access(&mut specs);
        specs
    }

    /// Checks whether a keyword on a new line after `}` begins the next declaration.
    fn is_semicolon_missing(&self, word: K) -> bool {
        let last = self.cursor.lookbehind(1).unwrap_or(self.peek());
        let begins = is_type_keyword(word) || matches!(word, K::Kernel | K::Typedef | K::Static | K::Inline);
        last.kind == TokenKind::RBrace && self.peek().at_line_start() && begins
    }

    /// Consumes a keyword of a declaration. Returns false if `word` is not such a keyword.
    fn specifier_keyword(&mut self, word: K, specs: &mut Specifiers, words: &mut TypeKeywords) -> bool {
        let span = self.peek().span();
        match word {
            K::Typedef => self.storage_class(specs, StorageClass::Typedef),
            K::Extern => self.storage_class(specs, StorageClass::Extern),
            K::Static => self.storage_class(specs, StorageClass::Static),
            K::Inline => specs.is_inline = true,
            K::Extension => {}
            K::Noreturn => specs.attributes.no_return = true,
            K::Kernel => specs.kernel = Some(span),
            K::Auto | K::Register => {
                let message = "the 'auto' and 'register' storage classes are not supported";
                self.error(span, message);
                let next = self.peek_at(1);
                if next.kind == TokenKind::Ident && !self.begins_declaration(next) && !words.is_present() {
                    (words.base, words.span) = (Some(K::Int), Some(span));
                }
            }
            K::Const => specs.base.is_const = true,
            K::Volatile => specs.base.is_volatile = true,
            K::Restrict => {
                specs.base.is_restrict = true;
                specs.restrict_span = Some(span);
            }
            K::Global | K::Local | K::Constant | K::Private | K::Generic => {
                let space = self.space_of_keyword(word, span);
                self.set_space(&mut specs.base.space, space, span);
                specs.space_span = Some(span);
            }
            K::ReadOnly | K::WriteOnly | K::ReadWrite => {
                if specs.access != AccessQualifier::None {
                    self.error(span, "more than one access qualifier");
                }
                specs.access_span = Some(span);
                specs.access = match word {
                    K::ReadOnly => AccessQualifier::ReadOnly,
                    K::WriteOnly => AccessQualifier::WriteOnly,
                    _ => AccessQualifier::ReadWrite,
                };
                if word == K::ReadWrite && self.options.std < 200 {
                    self.error(span, "'read_write' needs OpenCL C 2.0");
                }
            }
            K::Pipe => {
                if specs.pipe.replace(span).is_some() {
                    self.error(span, "'pipe' is written twice");
                }
            }
            K::Reserved => {
                let token = self.peek();
                let name = self.token_text(token);
                self.error(span, format!("{name} is reserved and has no meaning"));
            }
            _ if is_type_keyword(word) => {
                words.span = Some(words.span.unwrap_or(span).to(span));
                self.type_keyword(word, words, span);
            }
            _ => return false,
        }
        self.bump();
        true
    }

    /// Applies the access qualifier to the type of an image or a pipe, which includes it (s6.6).
    fn apply_access(&mut self, specs: &mut Specifiers) {
        let access = specs.access;
        if specs.pipe.is_some() {
            let access = if access == AccessQualifier::None { AccessQualifier::ReadOnly } else { access };
            if access == AccessQualifier::ReadWrite {
                let span = specs.access_span.unwrap_or(specs.span);
                self.error(span, "a pipe is 'read_only' or 'write_only'");
            }
            self.check_packet(specs.base.ty, specs.span);
            specs.access = access;
            specs.base.ty = self.intern(Type::Pipe(specs.base.ty, access));
            return;
        }
        let Type::Opaque(Opaque::Image(name, before)) = *self.types.get(specs.base.ty) else { return };
        if access == AccessQualifier::None {
            specs.access = before;
            return;
        }
        if before != AccessQualifier::None && before != access {
            let span = specs.access_span.unwrap_or(specs.span);
            self.error(span, "another access qualifier than the type's");
        }
        specs.base.ty = self.intern(Type::Opaque(Opaque::Image(name, access)));
    }

    /// Reports a packet type that a pipe cannot have. A packet needs values of a known size (s6.13.16).
    fn check_packet(&mut self, ty: TypeId, span: Span) {
        let usable = match *self.types.get(ty) {
            Type::Void | Type::Function(_) | Type::Array(..) | Type::Pipe(..) => false,
            Type::Opaque(opaque) => matches!(opaque, Opaque::ClkEvent | Opaque::ReserveId),
            Type::Struct(id) => self.types.structs[id].complete,
            _ => true,
        };
        if !usable {
            let name = self.type_text(ty);
            self.error(span, format!("'{name}' cannot be the type of a packet"));
        }
    }

    fn storage_class(&mut self, specs: &mut Specifiers, storage: StorageClass) {
        let span = self.peek().span();
        if specs.storage.is_some() {
            self.error(span, "more than one storage class");
        }
        specs.storage = Some((storage, span));
    }

    /// Sets an address space. A second, different one is an error.
    pub fn set_space(&mut self, current: &mut Option<Space>, space: Space, span: Span) {
        if current.is_some_and(|c| c != space) {
            self.error(span, "more than one address space");
        }
        *current = Some(space);
    }

    /// Returns the address space that a keyword names.
    pub fn space_of_keyword(&mut self, word: K, span: Span) -> Space {
        match word {
            K::Global => Space::Global,
            K::Local => Space::Local,
            K::Constant => Space::Constant,
            K::Generic => {
                if self.options.std < 200 {
                    self.error(span, "'generic' is reserved before OpenCL C 2.0");
                }
                Space::Generic
            }
            _ => Space::Private,
        }
    }

    fn type_keyword(&mut self, word: K, words: &mut TypeKeywords, span: Span) {
        let is_conflict = match word {
            K::Long => {
                words.long_count += 1;
                words.long_count > 2 || words.has_short
            }
            K::Short => std::mem::replace(&mut words.has_short, true) || words.long_count > 0,
            K::Signed | K::Unsigned => words.sign.replace(word).is_some(),
            _ => words.base.replace(word).is_some(),
        };
        if is_conflict {
            self.error(span, "two types in one declaration");
        }
    }

    /// Reports an unknown type name.
    pub(super) fn unknown_type(&mut self, token: Token) {
        let name = self.token_text(token);
        let suggestion = self.suggest_type(token.symbol);
        let what = self.reserved_type(token.symbol);
        let report = self.error(token.span(), format!("{what} {name}{}", suggestion.hint));
        if let Some(declared) = suggestion.declared {
            report.note(declared, "declared here");
        }
    }

    /// Returns the type that the keywords denote together.
    fn type_of_keywords(&mut self, words: &TypeKeywords, specs: &mut Specifiers) -> TypeId {
        let Some(span) = words.span else {
            let token = self.peek();
            let name = self.token_text(token);
            let next = self.peek_at(1);
            if self.function.is_none() && self.scopes.at_program_scope() && next.kind == TokenKind::LParen {
                self.error(token.span(), format!("the return type of {name} is missing"));
                return if specs.kernel.is_some() { self.types.common.void } else { self.types.common.int };
            }
            if token.kind == TokenKind::Ident && self.keyword().is_none() {
                self.unknown_type(token);
                // A name that follows is the declared one. Otherwise the unknown name itself may be the declared
                // one.
                if matches!(next.kind, TokenKind::Ident | TokenKind::Star) {
                    self.bump();
                }
                if self.begins_type(self.peek()) {
                    let rest = self.specifiers();
                    if self.function.is_some() {
                        specs.base = rest.base;
                        return rest.base.ty;
                    }
                }
            } else {
                self.error(token.span(), format!("expected a type before {name}"));
            }
            return self.types.common.error;
        };
        let unsigned = words.sign == Some(K::Unsigned);
        let sized = words.has_short || words.long_count > 0;
        let pick = |signed, other| Some(if unsigned { other } else { signed });
        let scalar = match words.base {
            None | Some(K::Int) if words.long_count > 0 => pick(Scalar::Long, Scalar::ULong),
            None | Some(K::Int) if words.has_short => pick(Scalar::Short, Scalar::UShort),
            None | Some(K::Int) => pick(Scalar::Int, Scalar::UInt),
            _ if sized => None,
            Some(K::Char) => pick(Scalar::Char, Scalar::UChar),
            _ if words.sign.is_some() => None,
            Some(K::Half) => Some(Scalar::Half),
            Some(K::Float) => Some(Scalar::Float),
            Some(K::Double) => Some(Scalar::Double),
            Some(K::Void) => return self.types.common.void,
            Some(K::Bool) => {
                specs.base.host_sized = false;
                return self.types.common.bool;
            }
            _ => None,
        };
        if words.long_count == 2 {
            let message = "'long long' is reserved; it is taken as 'long'";
            self.warning(span, message);
        }
        match scalar {
            Some(scalar) => self.arithmetic_type(scalar, 1),
            None if words.base == Some(K::Double) => {
                self.error(span, "'long double' is reserved and not supported");
                self.types.common.error
            }
            None => {
                self.error(span, "no type is spelled like this");
                self.types.common.error
            }
        }
    }

    /// Reports types that the device does not support.
    fn check_is_supported(&mut self, ty: TypeId, span: Span) {
        let element = match self.types.get(ty) {
            Type::Scalar(s) | Type::Vector(s, _) | Type::Atomic(s) => *s,
            _ => return,
        };
        if element == Scalar::Double && !self.target.fp64 && !self.in_library() {
            self.error(span, "this device has no 'double'");
        }
    }
}

fn apply_typedef(specs: &mut Specifiers, found: Typedef, name: Symbol) {
    specs.base.ty = found.ty;
    specs.base.is_const |= found.is_const;
    specs.base.is_volatile |= found.is_volatile;
    specs.base.host_sized |= found.host_sized;
    specs.base.space = specs.base.space.or(found.space);
    specs.spelling = TypeSpelling::Name(name);
}

fn is_type_keyword(word: K) -> bool {
    matches!(
        word,
        K::Void
            | K::Bool
            | K::Char
            | K::Short
            | K::Int
            | K::Long
            | K::Half
            | K::Float
            | K::Double
            | K::Signed
            | K::Unsigned
            | K::Struct
            | K::Union
            | K::Enum
    )
}

/// Returns the keyword of an address space.
pub fn space_name(space: Space) -> &'static str {
    match space {
        Space::Private => "private",
        Space::Global => "global",
        Space::Local => "local",
        Space::Constant => "constant",
        Space::Generic => "generic",
    }
}

/// Returns the name of an opaque type.
pub fn opaque_name(opaque: Opaque) -> &'static str {
    match opaque {
        Opaque::Event => "event_t",
        Opaque::Sampler => "sampler_t",
        Opaque::Queue => "queue_t",
        Opaque::ClkEvent => "clk_event_t",
        Opaque::ReserveId => "reserve_id_t",
        Opaque::NdRange => "ndrange_t",
        Opaque::Image(name, _) => name,
    }
}
