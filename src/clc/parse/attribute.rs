//! `__attribute__((...))` (s6.9 and s6.11): those of the language are understood,
//! others are skipped with a warning.

use crate::clc::names::Keyword;
use crate::clc::sema::suggestion;
use crate::clc::session::Session;
use crate::clc::token::{Kind, Token};
use crate::clc::types::{Access, Opaque, QualType, Scalar, Type, TypeId};
use crate::diag::Span;

/// What attributes said.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    pub aligned: Option<u64>,
    pub packed: bool,
    /// Functions of one name, told apart by their parameters.
    pub overloadable: bool,
    pub reqd_work_group_size: Option<[u32; 3]>,
    pub work_group_size_hint: Option<[u32; 3]>,
    pub vec_type_hint: Option<String>,
    /// Texts of the attributes a kernel reports, in order.
    pub kernel: Vec<String>,
    /// Where the first attribute is that only a kernel can have.
    pub kernel_span: Option<Span>,
    /// What it is on may go unused.
    pub unused: bool,
    /// `noinline`.
    pub no_inline: bool,
    /// Where a loop hint is.
    pub unroll: Option<Span>,
}

/// Names that are known to mean nothing here.
const IGNORED: &[&str] = &[
    "nosvm",
    "always_inline",
    "noinline",
    "unused",
    "used",
    "pure",
    "const",
    "flatten",
    "may_alias",
    "weak",
    "visibility",
    "nothrow",
    "noduplicate",
    "convergent",
    "deprecated",
    "no_sanitize",
];

/// Attributes of kernels that other vendors define; reported by the kernel, without effect.
const VENDOR_KERNEL: &[&str] = &["intel_reqd_sub_group_size", "uniform_work_group_size"];

/// Names that are understood, for "did you mean".
const UNDERSTOOD: &[&str] = &[
    "aligned",
    "packed",
    "reqd_work_group_size",
    "work_group_size_hint",
    "vec_type_hint",
    "opencl_unroll_hint",
    "endian",
];

impl Session<'_> {
    /// attributes = ("__attribute__" "((" attribute ("," attribute)* "))")*
    pub fn attributes(&mut self, into: &mut Attributes) {
        while self.eat_keyword(Keyword::Attribute) {
            if !self.expect(Kind::LParen, "'(('") || !self.expect(Kind::LParen, "'('") {
                return;
            }
            loop {
                if self.kind() == Kind::Name {
                    self.attribute(into);
                }
                if !self.eat(Kind::Comma) {
                    break;
                }
            }
            self.expect(Kind::RParen, "'))'");
            self.expect(Kind::RParen, "')'");
        }
    }

    /// attribute = name ("(" arguments ")")?
    fn attribute(&mut self, into: &mut Attributes) {
        let token = self.bump();
        let text = self.names.text(token.symbol).to_owned();
        let name = text.trim_start_matches("__").trim_end_matches("__");
        match name {
            "aligned" => self.aligned(token, into),
            "packed" => into.packed = true,
            "endian" => self.endian(token),
            "overloadable" => into.overloadable = true,
            "reqd_work_group_size" => {
                let sizes = self.work_group_sizes(token, into);
                self.same_sizes(token, into.reqd_work_group_size, sizes);
                into.reqd_work_group_size = sizes.or(into.reqd_work_group_size);
            }
            "work_group_size_hint" => {
                let sizes = self.work_group_sizes(token, into);
                self.same_sizes(token, into.work_group_size_hint, sizes);
                into.work_group_size_hint = sizes.or(into.work_group_size_hint);
            }
            "vec_type_hint" => self.vec_type_hint(token, into),
            "opencl_unroll_hint" => self.unroll_hint(token, into),
            _ if VENDOR_KERNEL.contains(&name) => {
                let start = self.cursor.at;
                self.skip_arguments();
                let arguments = self.spelling(start, self.cursor.at);
                into.kernel.push(format!("{name}{arguments}"));
                into.kernel_span.get_or_insert(token.span());
            }
            _ => {
                into.unused |= matches!(name, "unused" | "used");
                into.no_inline |= name == "noinline";
                if !IGNORED.contains(&name) {
                    let known = IGNORED.iter().chain(VENDOR_KERNEL).chain(UNDERSTOOD);
                    let hint = suggestion(name, known.copied());
                    let message = format!("unknown attribute '{name}' ignored{hint}");
                    self.warning(token.span(), message);
                }
                self.skip_arguments();
            }
        }
    }

    /// Spellings of tokens without blanks.
    fn spelling(&self, from: usize, to: usize) -> String {
        self.cursor.tokens[from..to].iter().map(|t| self.names.text(t.symbol)).collect()
    }

    fn skip_arguments(&mut self) {
        if self.kind() == Kind::LParen {
            self.skip_balanced();
        }
    }

    /// From an opening mark to behind the one that closes it.
    pub fn skip_balanced(&mut self) {
        let mut depth = 0u32;
        loop {
            match self.kind() {
                Kind::LParen | Kind::LBracket | Kind::LBrace => depth += 1,
                Kind::RParen | Kind::RBracket | Kind::RBrace => depth = depth.saturating_sub(1),
                Kind::Eof => return,
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
        if self.eat(Kind::LParen) {
            let expr = self.constant_expression();
            self.expect(Kind::RParen, "')'");
            let Some(number) = expr else { return };
            if !(number as u64).is_power_of_two() || number > 1 << 28 {
                self.error(token.span(), "alignment must be a power of two");
                return;
            }
            value = number as u64;
        }
        into.aligned = Some(into.aligned.unwrap_or(1).max(value));
    }

    /// "(" constant "," constant "," constant ")"
    fn work_group_sizes(&mut self, token: Token, into: &mut Attributes) -> Option<[u32; 3]> {
        into.kernel_span.get_or_insert(token.span());
        let mut sizes = Vec::new();
        if self.expect(Kind::LParen, "'('") {
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
                if !self.eat(Kind::Comma) {
                    break;
                }
            }
            self.expect(Kind::RParen, "')'");
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

    fn same_sizes(&mut self, token: Token, old: Option<[u32; 3]>, new: Option<[u32; 3]>) {
        if old.is_some() && new.is_some() && old != new {
            self.error(token.span(), "conflicts with an earlier attribute");
        }
    }

    /// vec_type_hint "(" type ")"
    fn vec_type_hint(&mut self, token: Token, into: &mut Attributes) {
        into.kernel_span.get_or_insert(token.span());
        if !self.expect(Kind::LParen, "'('") {
            return;
        }
        let ty = self.type_name();
        self.expect(Kind::RParen, "')'");
        let ty = ty.map_or(self.common.error, |t| t.ty);
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

    /// endian "(" ("host" | "device") ")" : both orders are the machine's own.
    fn endian(&mut self, token: Token) {
        let start = self.cursor.at;
        self.skip_arguments();
        if !matches!(self.spelling(start, self.cursor.at).as_str(), "(host)" | "(device)") {
            self.error(token.span(), "'endian' takes host or device");
        }
    }

    /// opencl_unroll_hint ("(" constant ")")?
    fn unroll_hint(&mut self, token: Token, into: &mut Attributes) {
        into.unroll = Some(token.span());
        if !self.eat(Kind::LParen) {
            return;
        }
        if self.kind() != Kind::RParen
            && let Some(value) = self.constant_expression()
            && value <= 0
        {
            self.error(token.span(), "the unroll factor must be positive");
        }
        self.expect(Kind::RParen, "')'");
    }

    /// Reports kernel attributes on something that is no kernel.
    pub fn no_kernel_attributes(&mut self, attributes: &Attributes) {
        if let Some(span) = attributes.kernel_span {
            self.error(span, "this attribute is for kernels only");
        }
    }

    /// A type for messages.
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
                    // Qualifiers of a pointer stand behind its star.
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

    /// A qualified type for messages.
    pub fn qual_text(&self, ty: QualType) -> String {
        self.qualifiers_text(ty) + &self.type_text(ty.ty)
    }

    fn qualifiers_text(&self, ty: QualType) -> String {
        let mut text = String::new();
        if ty.space != self.default_pointee() {
            text.push_str(super::specifiers::space_name(ty.space));
            text.push(' ');
        }
        let is_const = ty.is_const && ty.space != crate::clc::types::Space::Constant;
        for (set, word) in [(is_const, "const "), (ty.is_volatile, "volatile ")] {
            if set {
                text.push_str(word);
            }
        }
        text
    }
}

fn access_text(access: Access) -> &'static str {
    match access {
        Access::None => "",
        Access::ReadOnly => "read_only ",
        Access::WriteOnly => "write_only ",
        Access::ReadWrite => "read_write ",
    }
}
