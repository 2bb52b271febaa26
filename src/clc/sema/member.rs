//! Members, vector components and subscripts (C99 s6.5.2, OpenCL C s6.1.7).

use super::convert::AssignAction;
use super::suggest::suggestion;
use crate::parse::Operand;
use crate::session::Session;
use crate::token::Token;
use crate::tree::{BinaryOp, Components, Expr, ExprKind, Lvalue, LvalueKind};
use crate::types::{QualType, Scalar, StructId, Type};
use grus_support::diag::Span;

impl Session<'_> {
    /// Builds `operand.name` or `operand->name`.
    pub fn member_access(&mut self, operand: Operand, name: Token, arrow: bool) -> Operand {
        let span = operand.span().to(name.span());
        let base = if arrow { self.dereference(operand, name.span()) } else { operand };
        let lvalue = match base {
            Operand::Lvalue(lvalue) => lvalue,
            other => {
                let value = self.value(other);
                if value.ty == self.types.common.error {
                    return Operand::Value(self.error_expr(span));
                }
                Lvalue {
                    ty: QualType::new(value.ty, crate::types::Space::Private),
                    span: value.span,
                    kind: LvalueKind::Temporary(Box::new(value)),
                }
            }
        };
        match *self.types.get(lvalue.ty.ty) {
            Type::Struct(id) => self.field(lvalue, id, name, span),
            Type::Vector(scalar, lanes) => self.components(lvalue, scalar, lanes, name, span),
            Type::Error => Operand::Value(self.error_expr(span)),
            _ => {
                let ty = self.type_text(lvalue.ty.ty);
                let text = self.token_text(name);
                let hint = match self.pointee(lvalue.ty.ty) {
                    Some(_) if !arrow => "; use '->'",
                    _ => "",
                };
                self.error(name.span(), format!("'{ty}' has no member {text}{hint}"));
                Operand::Value(self.error_expr(span))
            }
        }
    }

    /// Returns the indices that lead to a member, through anonymous structs and unions.
    pub fn find_field(&self, id: StructId, name: &str) -> Option<Vec<u32>> {
        let def = &self.types.structs[id];
        for (index, field) in def.fields.iter().enumerate() {
            if field.name == name {
                return Some(vec![index as u32]);
            }
            if field.name.is_empty()
                && let Type::Struct(inner) = *self.types.get(field.ty.ty)
                && let Some(mut rest) = self.find_field(inner, name)
            {
                rest.insert(0, index as u32);
                return Some(rest);
            }
        }
        None
    }

    fn field(&mut self, lvalue: Lvalue, id: StructId, name: Token, span: Span) -> Operand {
        let text = self.names.text(name.symbol).to_owned();
        let Some(path) = self.find_field(id, &text) else {
            let ty = self.type_text(lvalue.ty.ty);
            let message = if self.types.structs[id].complete {
                let hint = suggestion(&text, self.member_names(id).iter().map(String::as_str));
                format!("'{ty}' has no member '{text}'{hint}")
            } else {
                format!("'{ty}' is not defined")
            };
            let defined = self.usage.struct_span(id);
            let report = self.error(name.span(), message);
            if let Some(defined) = defined {
                report.note(defined, "it is declared here");
            }
            return Operand::Value(self.error_expr(span));
        };
        let mut lvalue = lvalue;
        for index in path {
            let Type::Struct(id) = *self.types.get(lvalue.ty.ty) else {
                break;
            };
            let field = &self.types.structs[id].fields[index as usize];
            let ty = QualType {
                space: lvalue.ty.space,
                is_const: field.ty.is_const || lvalue.ty.is_const,
                is_volatile: field.ty.is_volatile || lvalue.ty.is_volatile,
                ..field.ty
            };
            lvalue = Lvalue { kind: LvalueKind::Field(Box::new(lvalue), index), ty, span };
        }
        Operand::Lvalue(lvalue)
    }

    /// Builds a component access such as `vector.xyzw`.
    fn components(&mut self, lvalue: Lvalue, scalar: Scalar, count: u8, name: Token, span: Span) -> Operand {
        let text = self.names.text(name.symbol);
        let lanes = match selector(text, count) {
            Ok(lanes) => lanes,
            Err(reason) => {
                let ty = self.type_text(lvalue.ty.ty);
                let message = format!("'{ty}' has no component '{text}': {reason}");
                self.error(name.span(), message);
                return Operand::Value(self.error_expr(span));
            }
        };
        let ty = QualType { ty: self.arithmetic_type(scalar, lanes.len() as u8), ..lvalue.ty };
        let kind = match lvalue.kind {
            LvalueKind::Swizzle(of, outer) => {
                let lanes = lanes.iter().map(|l| outer[usize::from(*l)]).collect();
                LvalueKind::Swizzle(of, lanes)
            }
            kind => LvalueKind::Swizzle(Box::new(Lvalue { kind, ..lvalue }), lanes),
        };
        Operand::Lvalue(Lvalue { kind, ty, span })
    }

    /// Builds `operand[index]`.
    pub fn subscript(&mut self, operand: Operand, index: Operand, span: Span) -> Operand {
        if let Operand::Lvalue(lvalue) = &operand
            && self.vector_elem_and_lanes(lvalue.ty.ty).is_some()
        {
            let Operand::Lvalue(lvalue) = operand else { unreachable!("matched above") };
            return self.vector_subscript(lvalue, index, span);
        }
        let (mut pointer, mut index) = (self.value(operand), self.value(index));
        if pointer.ty == self.types.common.error || index.ty == self.types.common.error {
            return Operand::Value(self.error_expr(span));
        }
        if self.vector_elem_and_lanes(pointer.ty).is_some() {
            let lvalue = Lvalue {
                ty: QualType::new(pointer.ty, crate::types::Space::Private),
                span: pointer.span,
                kind: LvalueKind::Temporary(Box::new(pointer)),
            };
            return self.vector_subscript(lvalue, Operand::Value(index), span);
        }
        if self.pointee(pointer.ty).is_none() {
            std::mem::swap(&mut pointer, &mut index);
        }
        let Some(to) = self.pointee(pointer.ty) else {
            let name = self.type_text(index.ty);
            self.error(span, format!("'{name}' cannot be subscripted"));
            return Operand::Value(self.error_expr(span));
        };
        let (pointer_ty, index_ty) = (pointer.ty, index.ty);
        match self.pointer_offset(BinaryOp::Add, pointer, index) {
            Ok(kind) => Operand::Lvalue(Lvalue {
                kind: LvalueKind::Deref(Box::new(Expr { kind, ty: pointer_ty, span })),
                ty: to,
                span,
            }),
            Err(reason) => {
                let (a, b) = (self.type_text(pointer_ty), self.type_text(index_ty));
                self.error(span, format!("cannot subscript '{a}' with '{b}'{reason}"));
                Operand::Value(self.error_expr(span))
            }
        }
    }

    /// Builds `vector[index]`, an extension of other compilers: the vector is accessed as an array.
    fn vector_subscript(&mut self, lvalue: Lvalue, index: Operand, span: Span) -> Operand {
        let (scalar, lanes) = self.vector_elem_and_lanes(lvalue.ty.ty).expect("the caller saw a vector");
        let index = self.value(index);
        if !self.is_integer(index.ty) {
            if index.ty != self.types.common.error {
                self.error(index.span, "a subscript must be an integer");
            }
            return Operand::Value(self.error_expr(span));
        }
        let elem = QualType { ty: self.arithmetic_type(scalar, 1), ..lvalue.ty };
        if let Some(constant) = self.constant_integer(&index) {
            if !(0..i64::from(lanes)).contains(&constant) {
                self.error(index.span, "the vector has no such component");
                return Operand::Value(self.error_expr(span));
            }
            let lanes = Components::from_slice(&[constant as u8]);
            return Operand::Lvalue(Lvalue {
                kind: LvalueKind::Swizzle(Box::new(lvalue), lanes),
                ty: elem,
                span,
            });
        }
        if matches!(lvalue.kind, LvalueKind::Swizzle(..)) {
            let message = "the components of a component cannot be subscripted";
            self.error(span, message);
            return Operand::Value(self.error_expr(span));
        }
        let pointer_ty = self.pointer(lvalue.ty);
        let address = Expr { kind: ExprKind::AddressOf(lvalue), ty: pointer_ty, span };
        let ty = self.pointer(elem);
        let first = self.convert_value(address, ty);
        let index = self.convert_value(index, self.types.common.long);
        let at = Expr { kind: ExprKind::PtrAdd(Box::new(first), Box::new(index)), ty, span };
        Operand::Lvalue(Lvalue { kind: LvalueKind::Deref(Box::new(at)), ty: elem, span })
    }

    /// Builds a vector literal (s6.1.6) from its elements.
    pub fn vector_literal_of(&mut self, ty: crate::types::TypeId, parts: Vec<Operand>, span: Span) -> Expr {
        let (scalar, lanes) = self.vector_elem_and_lanes(ty).expect("the caller saw a vector");
        let elem = self.arithmetic_type(scalar, 1);
        let mut list = Vec::with_capacity(parts.len());
        let mut filled = 0u32;
        for part in parts {
            let value = self.value(part);
            let (at, from) = (value.span, value.ty);
            if from == self.types.common.error {
                return self.error_expr(span);
            }
            match self.elem_and_lanes(from) {
                Some((s, n)) if n > 1 => {
                    if s != scalar {
                        let (from, to) = (self.type_text(from), self.type_text(ty));
                        let message = format!("'{from}' cannot be part of a '{to}'");
                        self.error(at, message);
                        return self.error_expr(span);
                    }
                    filled += u32::from(n);
                    list.push(value);
                }
                _ => {
                    filled += 1;
                    let value = self.convert_assign(Operand::Value(value), elem, AssignAction::Initialize);
                    list.push(value);
                }
            }
        }
        if filled != u32::from(lanes) {
            let ty = self.type_text(ty);
            let few_or_many = if filled < u32::from(lanes) { "few" } else { "many" };
            let message = format!("too {few_or_many} components for '{ty}': {filled}");
            self.error(span, message);
            return self.error_expr(span);
        }
        Expr { kind: ExprKind::VectorLiteral(list), ty, span }
    }
}

/// Returns the lanes that a selector picks from `count`; the error is the end of a sentence.
fn selector(text: &str, count: u8) -> Result<Components, &'static str> {
    // Halves of a vector of three are those of four (s6.1.7); the fourth lane is undefined, so the last lane is
    // used for it.
    let even = if count == 3 { 4 } else { count };
    let last = count - 1;
    let pick = |f: &dyn Fn(u8) -> u8| (0..even / 2).map(|i| f(i).min(last)).collect();
    let lanes: Components = match text {
        "lo" => pick(&|i| i),
        "hi" => pick(&|i| even / 2 + i),
        "even" => pick(&|i| 2 * i),
        "odd" => pick(&|i| 2 * i + 1),
        _ => {
            let (digits, numeric) = match text.strip_prefix(['s', 'S']) {
                Some(digits) if !digits.is_empty() => (digits, true),
                _ => (text, false),
            };
            let mut lanes = Components::new();
            for c in digits.chars() {
                let lane = if numeric { c.to_digit(16).map(|d| d as u8) } else { letter(c, text) };
                lanes.push(lane.ok_or("it is not a selector")?);
            }
            lanes
        }
    };
    if lanes.iter().any(|l| *l >= count) {
        return Err("it is out of range");
    }
    if !matches!(lanes.len(), 1 | 2 | 3 | 4 | 8 | 16) {
        return Err("a selector has 1, 2, 3, 4, 8 or 16 components");
    }
    Ok(lanes)
}

/// Returns the lane of one letter of a selector; a selector cannot mix `xyzw` and `rgba`.
fn letter(c: char, text: &str) -> Option<u8> {
    let set = if "xyzw".contains(text.chars().next()?) { "xyzw" } else { "rgba" };
    set.find(c).map(|n| n as u8)
}
