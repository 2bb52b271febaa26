//! Initializers (C99 s6.7.8): converts lists with designators, elided braces, vectors and strings into values at
//! byte offsets.

use super::expression::binary_operator;
use super::{DeclaredType, Operand};
use crate::sema::AssignAction;
use crate::session::Session;
use crate::token::TokenKind;
use crate::tree::{Expr, ExprKind, Init, Lvalue, LvalueKind};
use crate::types::{QualType, Scalar, Space, Type, TypeId};
use grus_support::diag::Span;

/// Values collected from an initializer list so far.
struct InitList {
    parts: Vec<(u64, Expr)>,
    /// Expression that was parsed before its position in the object was known.
    pending: Option<Operand>,
}

/// Maximum number of elements of a list, including those of strings.
// Arbitrary.
const MAX_INITIALIZERS: usize = 4_000_000;

impl Session<'_> {
    /// Consumes the `}` of an initializer list. If other tokens precede it, reports an error and skips them.
    fn end_of_list(&mut self) {
        if self.expect(TokenKind::RBrace, "',' or '}'") {
            return;
        }
        while !matches!(self.kind(), TokenKind::RBrace | TokenKind::Semi | TokenKind::Eof) {
            if matches!(self.kind(), TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace) {
                self.skip_balanced();
            } else {
                self.bump();
            }
        }
        self.eat(TokenKind::RBrace);
    }

    /// initializer = assignment | list. Returns the type too, which a list may complete.
    pub(super) fn initializer(&mut self, ty: QualType) -> (Init, TypeId) {
        if !self.enter() {
            self.leave();
            let span = self.peek().span();
            return (Init::Value(self.error_expr(span)), ty.ty);
        }
        let found = self.initializer_production(ty);
        self.leave();
        found
    }

    fn initializer_production(&mut self, ty: QualType) -> (Init, TypeId) {
        let is_array = matches!(self.types.get(ty.ty), Type::Array(..));
        let is_struct = matches!(self.types.get(ty.ty), Type::Struct(_));
        let brace = self.kind() == TokenKind::LBrace;
        if brace && (is_array || is_struct) {
            let mut list = InitList { parts: Vec::new(), pending: None };
            let complete = self.list(ty.ty, 0, &mut list);
            return (Init::Parts(list.parts), complete);
        }
        if is_array && self.at_string_initializer() && self.is_char_array(ty.ty) {
            let mut parts = Vec::new();
            let complete = self.string_initializer(ty.ty, 0, &mut parts);
            return (Init::Parts(parts), complete);
        }
        if brace {
            return (Init::Value(self.braced_scalar(ty.ty)), ty.ty);
        }
        let operand = self.assignment();
        if is_array {
            let span = operand.span();
            if let Operand::Lvalue(lvalue) = &operand
                && lvalue.ty.ty == ty.ty
                && matches!(lvalue.kind, LvalueKind::CompoundLiteral(..))
            {
                // GNU C: an array may be initialized by a compound literal of its type.
                if let LvalueKind::CompoundLiteral(_, init) = &lvalue.kind {
                    return ((**init).clone(), ty.ty);
                }
            }
            self.error(span, "an array must be initialized by a list in braces");
            return (Init::Value(self.error_expr(span)), ty.ty);
        }
        let value = self.convert_assign(operand, ty.ty, AssignAction::Initialize);
        (Init::Value(value), ty.ty)
    }

    fn is_char_array(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Array(elem, _) => {
                matches!(self.types.get(elem.ty), Type::Scalar(Scalar::Char | Scalar::UChar))
            }
            _ => false,
        }
    }

    /// Checks whether the first subobject of type `ty` that a string can initialize is an array of `char`.
    fn begins_with_char_array(&self, mut ty: TypeId) -> bool {
        while !self.is_char_array(ty) {
            let Some((first, _)) = self.element(ty, 0) else { return false };
            ty = first;
        }
        true
    }

    /// Checks whether the initializer at the current token is only a string literal, possibly in parentheses (C99
    /// s6.5.1p5).
    fn at_string_initializer(&self) -> bool {
        let mut ahead = 0;
        let run = |kind: TokenKind, ahead: &mut usize| {
            let start = *ahead;
            while self.peek_at(*ahead).kind == kind {
                *ahead += 1;
            }
            *ahead - start
        };
        let opened = run(TokenKind::LParen, &mut ahead);
        if run(TokenKind::Str, &mut ahead) == 0
            || (0..opened).any(|i| self.peek_at(ahead + i).kind != TokenKind::RParen)
        {
            return false;
        }
        // `"abc"[1]`, `"abc" + 1` and `*"abc"` are values of an element.
        let next = self.peek_at(ahead + opened).kind;
        next != TokenKind::LBracket && next != TokenKind::Question && binary_operator(next).is_none()
    }

    /// Parses a string, possibly in parentheses, as the contents of a `char` array.
    fn string_initializer(&mut self, ty: TypeId, offset: u64, parts: &mut Vec<(u64, Expr)>) -> TypeId {
        let mut opened = 0;
        while self.eat(TokenKind::LParen) {
            opened += 1;
        }
        let (bytes, span) = self.string_tokens();
        for _ in 0..opened {
            self.expect(TokenKind::RParen, "')'");
        }
        let Type::Array(elem, len) = *self.types.get(ty) else { unreachable!("the caller saw an array") };
        let array_len = len.unwrap_or(bytes.len() as u64);
        if bytes.len() as u64 - 1 > array_len {
            self.warning(span, "the string is longer than the array; the rest of it is dropped");
        }
        for (i, byte) in bytes.iter().enumerate().take(array_len as usize) {
            let kind = ExprKind::Int(u64::from(*byte));
            let ty = elem.ty;
            parts.push((offset + i as u64, Expr { kind, ty, span }));
        }
        self.intern(Type::Array(elem, Some(array_len)))
    }

    /// "{" scalar or vector components "}"
    fn braced_scalar(&mut self, ty: TypeId) -> Expr {
        if ty == self.types.common.error {
            // The error in the type has already been reported.
            let span = self.peek().span();
            self.skip_balanced();
            return self.error_expr(span);
        }
        let open = self.bump().span();
        if let Type::Vector(scalar, lanes) = *self.types.get(ty) {
            let value = self.braced_vector(ty, scalar, lanes, open);
            return value;
        }
        if self.kind() == TokenKind::RBrace {
            self.bump();
            let span = open.to(self.last_span());
            self.error(span, "an empty initializer for a scalar");
            return self.error_expr(span);
        }
        let (value, _) = self.initializer(QualType::new(ty, Space::Private));
        if self.eat(TokenKind::Comma) && self.kind() != TokenKind::RBrace {
            self.skip_excess_values("a scalar");
        }
        self.end_of_list();
        match value {
            Init::Value(value) => value,
            Init::Parts(_) => self.error_expr(open),
        }
    }

    fn braced_vector(&mut self, ty: TypeId, scalar: Scalar, lanes: u8, open: Span) -> Expr {
        let elem = self.arithmetic_type(scalar, 1);
        let mut parts = Vec::new();
        let mut filled = 0;
        while !matches!(self.kind(), TokenKind::RBrace | TokenKind::Eof) {
            if filled == u32::from(lanes) {
                self.skip_excess_values("the vector");
                break;
            }
            let operand = self.assignment();
            let span = operand.span();
            let (part, width) = self.vector_part(operand, elem, scalar);
            filled += u32::from(width);
            if filled > u32::from(lanes) {
                self.error(span, "too many values for the vector");
                filled = 0;
                parts.clear();
            } else {
                parts.push(part);
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.end_of_list();
        let span = open.to(self.last_span());
        self.complete_vector(ty, scalar, u32::from(lanes) - filled, parts, span)
    }

    /// Builds a vector from operands; missing last lanes are zero.
    fn complete_vector(
        &mut self,
        ty: TypeId,
        scalar: Scalar,
        missing: u32,
        mut parts: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let elem = self.arithmetic_type(scalar, 1);
        for _ in 0..missing {
            let kind = if scalar.is_float() { ExprKind::Float(0.0) } else { ExprKind::Int(0) };
            let ty = elem;
            parts.push(Expr { kind, ty, span });
        }
        let kind = match parts.len() {
            1 if parts[0].ty == ty => return parts.pop().expect("one part"),
            _ => ExprKind::VectorLiteral(parts),
        };
        Expr { kind, ty, span }
    }

    /// Converts one operand of a vector's list. Returns it with its number of lanes.
    fn vector_part(&mut self, operand: Operand, elem: TypeId, scalar: Scalar) -> (Expr, u8) {
        let value = self.value(operand);
        match *self.types.get(value.ty) {
            Type::Vector(s, n) if s == scalar => (value, n),
            _ => (self.convert_assign(Operand::Value(value), elem, AssignAction::Initialize), 1),
        }
    }

    /// list = "{" string ","? "}" for an array of `char` | "{" ((designator+ "=")? initializer ","?)* "}"
    fn list(&mut self, ty: TypeId, base: u64, list: &mut InitList) -> TypeId {
        if !self.enter() {
            self.leave();
            return ty;
        }
        self.bump();
        if self.is_char_array(ty) && self.at_string_initializer() {
            let complete = self.string_initializer(ty, base, &mut list.parts);
            if self.eat(TokenKind::Comma) && self.kind() != TokenKind::RBrace {
                self.skip_excess_values("the array");
            }
            self.leave();
            self.end_of_list();
            return complete;
        }
        let mut index = 0u64;
        let mut len = 0u64;
        while !matches!(self.kind(), TokenKind::RBrace | TokenKind::Eof) {
            if self.at_designator() {
                self.designated(ty, base, &mut index, list);
            } else if let Some((elem, offset)) = self.element(ty, index) {
                self.fill_element(elem, base + offset, list);
            } else {
                self.skip_excess_elements(ty);
            }
            index += 1;
            len = len.max(index);
            if list.parts.len() > MAX_INITIALIZERS {
                let span = self.peek().span();
                self.error(span, "the initializer is too long");
                self.abort();
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.leave();
        self.end_of_list();
        match *self.types.get(ty) {
            Type::Array(elem, None) => self.intern(Type::Array(elem, Some(len.max(1)))),
            _ => ty,
        }
    }

    /// Returns the type and offset of element `index` of a struct, union or array.
    fn element(&self, ty: TypeId, index: u64) -> Option<(TypeId, u64)> {
        match self.types.get(ty) {
            Type::Array(elem, len) => {
                let inside = len.is_none_or(|n| index < n);
                inside.then(|| (elem.ty, index * self.types.size_of(elem.ty)))
            }
            Type::Struct(id) => {
                let def = &self.types.structs[*id];
                if def.is_union && index > 0 {
                    return None;
                }
                let field = def.fields.get(index as usize)?;
                if matches!(self.types.get(field.ty.ty), Type::Array(_, None)) {
                    // A flexible array member occupies no memory in the object.
                    return None;
                }
                Some((field.ty.ty, field.offset))
            }
            _ => None,
        }
    }

    /// Skips values after the last element, up to a designator, which may refer to an earlier element.
    fn skip_excess_elements(&mut self, ty: TypeId) {
        let what = match self.types.get(ty) {
            Type::Struct(id) if self.types.structs[*id].is_union => "the union",
            Type::Struct(_) => "the struct",
            _ => "the array",
        };
        self.skip_excess_values(what);
    }

    /// Parses and drops values that have no element. They are not evaluated, as in other compilers.
    fn skip_excess_values(&mut self, what: &str) {
        let span = self.peek().span();
        self.warning(span, format!("too many values for {what}; those that are left are dropped"));
        self.parse_unevaluated(|s| {
            loop {
                s.skip_excess_value();
                let ends = matches!(
                    s.peek_at(1).kind,
                    TokenKind::RBrace | TokenKind::Eof | TokenKind::Dot | TokenKind::LBracket
                );
                if s.kind() != TokenKind::Comma || ends {
                    break;
                }
                s.bump();
            }
        });
    }

    /// assignment | "{" (assignment | ...)* "}"
    fn skip_excess_value(&mut self) {
        if self.kind() != TokenKind::LBrace {
            let operand = self.assignment();
            self.discarded_value(operand);
            return;
        }
        if self.enter() {
            self.bump();
            while !matches!(self.kind(), TokenKind::RBrace | TokenKind::Eof) {
                if matches!(self.kind(), TokenKind::Dot | TokenKind::LBracket) {
                    // The type that the designator refers to is unknown.
                    self.skip_designated();
                } else {
                    self.skip_excess_value();
                }
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            self.end_of_list();
        }
        self.leave();
    }

    /// Checks whether a designator begins at the current token, including GNU's `name:`.
    fn at_designator(&self) -> bool {
        match self.kind() {
            TokenKind::Dot | TokenKind::LBracket => true,
            TokenKind::Ident => self.peek_at(1).kind == TokenKind::Colon,
            _ => false,
        }
    }

    /// designator+ "="? initializer | name ":" initializer, where
    /// designator = "." name | "[" constant ("..." constant)? "]"
    fn designated(&mut self, ty: TypeId, base: u64, index: &mut u64, list: &mut InitList) {
        let (mut at, mut offset, mut first) = (ty, base, true);
        let mut repeats = Vec::new();
        if self.kind() == TokenKind::Ident {
            let Some((next, step, position)) = self.member_designator(at) else {
                self.skip_designated();
                return;
            };
            (*index, at, offset) = (position, next, offset + step);
            self.bump();
            self.fill_element(at, offset, list);
            return;
        }
        while matches!(self.kind(), TokenKind::Dot | TokenKind::LBracket) {
            let found = self.designator(at).and_then(|found| Some((found, self.range_end(at, found.2)?)));
            let Some(((next, step, position), last)) = found else {
                self.skip_designated();
                return;
            };
            if first {
                *index = last;
            }
            if last > position {
                repeats.push((last - position, self.types.size_of(next)));
            }
            (at, offset, first) = (next, offset + step, false);
        }
        // GNU C permits omitting the `=`.
        if self.cursor.lookbehind(1).is_none_or(|token| token.kind != TokenKind::RBracket)
            || self.kind() == TokenKind::Assign
        {
            self.expect(TokenKind::Assign, "'='");
        }
        let start = list.parts.len();
        self.fill_element(at, offset, list);
        for (times, stride) in repeats.into_iter().rev() {
            self.repeat(start, times, stride, list);
        }
    }

    /// Parses the last index of a range `[first ... last]` up to the `]`. Returns `first` if there is no range.
    pub(super) fn range_end(&mut self, array: TypeId, first: u64) -> Option<u64> {
        let is_index = matches!(self.types.get(array), Type::Array(..));
        if !is_index {
            return Some(first);
        }
        let mut last = first;
        if self.eat(TokenKind::Ellipsis) {
            let span = self.peek().span();
            let index = self.constant_expression();
            last = u64::try_from(index?).ok().filter(|n| *n < 1 << 32).unwrap_or(u64::MAX);
            if last < first || self.element(array, last).is_none() {
                self.error(span, "there is no such range of array elements to initialize");
                return None;
            }
        }
        self.expect(TokenKind::RBracket, "']'");
        Some(last)
    }

    /// Stores the values from index `start` on `times` more times, each time `stride` bytes further. Each value is
    /// computed only once.
    fn repeat(&mut self, start: usize, times: u64, stride: u64, list: &mut InitList) {
        let count = list.parts.len() - start;
        if times.saturating_mul(count as u64) > MAX_INITIALIZERS as u64 {
            let span = self.peek().span();
            self.error(span, "the initializer is too long");
            self.abort();
            return;
        }
        let mut repeated = Vec::with_capacity(count);
        for (offset, value) in &mut list.parts[start..] {
            let zero = self.error_expr(value.span);
            let (first, second) = self.evaluate_once(std::mem::replace(value, zero));
            *value = first;
            repeated.push((*offset, second));
        }
        for step in 1..=times {
            list.parts.extend(repeated.iter().map(|(offset, value)| (offset + step * stride, value.clone())));
        }
    }

    fn skip_designated(&mut self) {
        while !matches!(self.kind(), TokenKind::Comma | TokenKind::RBrace | TokenKind::Eof | TokenKind::Semi)
        {
            if matches!(self.kind(), TokenKind::LBrace | TokenKind::LParen | TokenKind::LBracket) {
                self.skip_balanced();
            } else {
                self.bump();
            }
        }
    }

    /// Parses a designator in `ty`, without the `]` and a range. Returns the type, offset and index of the element.
    pub(super) fn designator(&mut self, ty: TypeId) -> Option<(TypeId, u64, u64)> {
        let token = self.bump();
        if token.kind == TokenKind::LBracket {
            let span = self.peek().span();
            let index = self.constant_expression();
            let index = u64::try_from(index?).ok();
            let is_array = matches!(self.types.get(ty), Type::Array(..));
            let found =
                index.filter(|n| is_array && *n < 1 << 32).and_then(|n| Some((self.element(ty, n)?, n)));
            let Some(((elem, offset), index)) = found else {
                if ty != self.types.common.error {
                    self.error(span, "there is no such array element to initialize");
                }
                return None;
            };
            return Some((elem, offset, index));
        }
        self.member_designator(ty)
    }

    /// Parses the name of a member in `ty`. Returns the type, offset and index of the member.
    pub(super) fn member_designator(&mut self, ty: TypeId) -> Option<(TypeId, u64, u64)> {
        let name = self.bump();
        let text = self.names.text(name.symbol).to_owned();
        let Type::Struct(id) = *self.types.get(ty) else {
            if ty != self.types.common.error {
                self.error(name.span(), format!("there is no member '{text}' here"));
            }
            return None;
        };
        let Some(path) = self.find_field(id, &text) else {
            self.error(name.span(), format!("there is no member '{text}'"));
            return None;
        };
        let (mut at, mut offset) = (ty, 0);
        for field in &path {
            let Type::Struct(id) = self.types.get(at) else {
                return None;
            };
            let field = &self.types.structs[*id].fields[*field as usize];
            (at, offset) = (field.ty.ty, offset + field.offset);
        }
        Some((at, offset, u64::from(path[0])))
    }

    /// Fills one element at `offset` from a list, a string or a value. If the braces of an aggregate are omitted,
    /// consumes as many values as it has elements.
    fn fill_element(&mut self, ty: TypeId, offset: u64, list: &mut InitList) {
        if matches!(self.types.get(ty), Type::Array(_, None)) {
            let span = self.peek().span();
            self.error(span, "a member of open size cannot be initialized: it has no room in the object");
            self.skip_excess_value();
            return;
        }
        let is_aggregate = matches!(self.types.get(ty), Type::Array(..) | Type::Struct(_));
        if list.pending.is_none() {
            if self.kind() == TokenKind::LBrace {
                if is_aggregate {
                    self.list(ty, offset, list);
                } else {
                    let value = self.braced_scalar(ty);
                    list.parts.push((offset, value));
                }
                return;
            }
            if self.at_string_initializer() && self.begins_with_char_array(ty) {
                if self.is_char_array(ty) {
                    self.string_initializer(ty, offset, &mut list.parts);
                } else {
                    self.fill_without_braces(ty, offset, list);
                }
                return;
            }
            list.pending = Some(self.assignment());
        }
        let operand = list.pending.take().expect("read just above");
        if !is_aggregate {
            self.fill_single(ty, offset, operand, list);
            return;
        }
        if self.type_of_operand(&operand) == Some(ty) {
            let value = self.value(operand);
            list.parts.push((offset, value));
            return;
        }
        list.pending = Some(operand);
        self.fill_without_braces(ty, offset, list);
    }

    /// Fills a scalar or vector. A vector is no aggregate (C99 s6.2.5p21): a single value is converted to it, so that a
    /// scalar is the value of all components. Shorter vectors, which cannot be converted, are its first components, and
    /// what follows them the others.
    fn fill_single(&mut self, ty: TypeId, offset: u64, operand: Operand, list: &mut InitList) {
        let is_shorter = |s: &Self, (scalar, lanes): (Scalar, u8)| {
            let of = s.type_of_operand(&operand).map(|ty| s.types.get(ty));
            matches!(of, Some(&Type::Vector(s, n)) if s == scalar && n < lanes)
        };
        let vector = match *self.types.get(ty) {
            Type::Vector(scalar, lanes) => Some((scalar, lanes)),
            _ => None,
        };
        let Some((scalar, lanes)) = vector.filter(|&vector| is_shorter(self, vector)) else {
            let value = self.convert_assign(operand, ty, AssignAction::Initialize);
            list.parts.push((offset, value));
            return;
        };
        let span = operand.span();
        let elem = self.arithmetic_type(scalar, 1);
        let (mut part, mut width) = self.vector_part(operand, elem, scalar);
        let mut parts = Vec::new();
        let mut filled = 0;
        loop {
            filled += u32::from(width);
            parts.push(part);
            let more = self.kind() == TokenKind::Comma
                && !matches!(
                    self.peek_at(1).kind,
                    TokenKind::RBrace | TokenKind::LBrace | TokenKind::Dot | TokenKind::LBracket
                );
            if filled >= u32::from(lanes) || !more {
                break;
            }
            self.bump();
            let operand = self.assignment();
            (part, width) = self.vector_part(operand, elem, scalar);
        }
        if filled > u32::from(lanes) {
            self.error(span, "too many values for the vector");
            return;
        }
        let missing = u32::from(lanes) - filled;
        let value = self.complete_vector(ty, scalar, missing, parts, span);
        list.parts.push((offset, value));
    }

    /// Fills the elements of `ty` from the enclosing list. `pending` is the first value.
    fn fill_without_braces(&mut self, ty: TypeId, offset: u64, list: &mut InitList) {
        let mut index = 0;
        if !self.enter() {
            self.leave();
            return;
        }
        while let Some((elem, step)) = self.element(ty, index) {
            if index > 0 {
                let next = self.peek_at(1).kind;
                let ends = matches!(next, TokenKind::RBrace | TokenKind::Dot | TokenKind::LBracket);
                if self.kind() != TokenKind::Comma || ends {
                    break;
                }
                self.bump();
            }
            self.fill_element(elem, offset + step, list);
            index += 1;
        }
        self.leave();
        if let Some(unused) = list.pending.take() {
            self.warning(unused.span(), "a value for an aggregate without members is dropped");
        }
    }

    fn type_of_operand(&self, operand: &Operand) -> Option<TypeId> {
        match operand {
            Operand::Value(value) => Some(value.ty),
            Operand::Lvalue(lvalue) => Some(lvalue.ty.ty),
            _ => None,
        }
    }

    /// compound-literal = "(" type ")" list (C99 s6.5.2.5)
    pub(super) fn compound_literal(&mut self, ty: DeclaredType, open: Span) -> Operand {
        let qual = QualType {
            ty: ty.ty,
            space: Space::Private,
            is_const: ty.is_const,
            is_volatile: ty.is_volatile,
            is_restrict: false,
        };
        let (init, complete) = self.initializer(qual);
        let span = open.to(self.last_span());
        let qual = QualType { ty: complete, ..qual };
        let init = match init {
            Init::Value(value) if self.function.is_none() || value.ty == self.types.common.error => {
                return Operand::Value(value);
            }
            init => init,
        };
        if self.function.is_none() {
            let data = self.static_data(&init, complete, span);
            let id = self.constant_global(complete, data.unwrap_or_default(), span);
            return Operand::Lvalue(self.global_lvalue(id, span));
        }
        let id = self.new_local(String::new(), qual, 1, span);
        Operand::Lvalue(Lvalue { kind: LvalueKind::CompoundLiteral(id, Box::new(init)), ty: qual, span })
    }
}
