//! Built-in functions of Clang whose arguments are types or have any type: see [`ParserBuiltin`].

use super::Operand;
use crate::names::ParserBuiltin;
use crate::session::Session;
use crate::token::TokenKind;
use crate::tree::{BinaryOp, Components, Expr, ExprKind, Lvalue, LvalueKind};
use crate::types::{QualType, Space, Type, TypeId};
use grus_support::diag::Span;

impl Session<'_> {
    /// special = name "(" arguments ")"
    pub(super) fn parser_builtin(&mut self, what: ParserBuiltin) -> Operand {
        let start = self.bump().span();
        let open = self.peek().span();
        if !self.expect(TokenKind::LParen, "'('") {
            return Operand::Value(self.error_expr(start));
        }
        if !self.enter() {
            self.leave();
            return Operand::Value(self.error_expr(start));
        }
        let found = match what {
            ParserBuiltin::AsType => self.as_type(start),
            ParserBuiltin::ConvertVector => self.convert_vector(start),
            ParserBuiltin::ShuffleVector => self.shuffle_vector(start),
            ParserBuiltin::ChooseExpr => self.choose_expr(start),
            ParserBuiltin::TypesCompatible => self.types_compatible(start),
            ParserBuiltin::ConstantP => self.constant_p(start),
            ParserBuiltin::OffsetOf => self.offset_of(start),
        };
        self.leave();
        if !self.expect_closing(TokenKind::RParen, "')'", open) {
            self.skip_remaining_arguments();
        }
        let span = start.to(self.last_span());
        found.unwrap_or_else(|| Operand::Value(self.error_expr(span))).with_span(span)
    }

    /// Skips past the `)` after an invalid argument.
    fn skip_remaining_arguments(&mut self) {
        while !matches!(self.kind(), TokenKind::RParen | TokenKind::Semi | TokenKind::RBrace | TokenKind::Eof)
        {
            if matches!(self.kind(), TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace) {
                self.skip_balanced();
            } else {
                self.bump();
            }
        }
        self.eat(TokenKind::RParen);
    }

    fn value_argument(&mut self) -> Expr {
        let operand = self.assignment();
        self.value(operand)
    }

    /// "," type
    fn type_argument(&mut self) -> Option<TypeId> {
        if !self.expect(TokenKind::Comma, "','") {
            return None;
        }
        self.type_name().map(|ty| ty.ty)
    }

    fn as_type(&mut self, span: Span) -> Option<Operand> {
        let value = self.value_argument();
        let ty = self.type_argument()?;
        let error = self.types.common.error;
        if value.ty == error || ty == error {
            return None;
        }
        let same_size = self.types.size_of(value.ty) == self.types.size_of(ty);
        if self.elem_and_lanes(value.ty).is_none() || self.elem_and_lanes(ty).is_none() || !same_size {
            let (from, to) = (self.type_text(value.ty), self.type_text(ty));
            self.error(span, format!("the bits of '{from}' cannot be a '{to}'"));
            return None;
        }
        Some(Operand::Value(Expr { kind: ExprKind::Bitcast(Box::new(value)), ty, span }))
    }

    fn convert_vector(&mut self, span: Span) -> Option<Operand> {
        let value = self.value_argument();
        let ty = self.type_argument()?;
        let error = self.types.common.error;
        if value.ty == error || ty == error {
            return None;
        }
        let lanes = |of: Option<(crate::types::Scalar, u8)>| of.map(|v| v.1);
        let (from, to) = (lanes(self.vector_elem_and_lanes(value.ty)), lanes(self.vector_elem_and_lanes(ty)));
        if from.is_none() || from != to {
            let (from, to) = (self.type_text(value.ty), self.type_text(ty));
            self.error(span, format!("'{from}' and '{to}' are no vectors of as many components"));
            return None;
        }
        if value.ty == ty {
            return Some(Operand::Value(value));
        }
        Some(Operand::Value(Expr { kind: ExprKind::Convert(Box::new(value)), ty, span }))
    }

    /// (vector "," vector ("," constant)+) | (vector "," lanes)
    fn shuffle_vector(&mut self, span: Span) -> Option<Operand> {
        let first = self.value_argument();
        if !self.expect(TokenKind::Comma, "','") {
            return None;
        }
        let second = self.value_argument();
        let mut picked = Vec::new();
        while self.eat(TokenKind::Comma) {
            let at = self.peek().span();
            let lane = self.constant_expression();
            picked.push((lane?, at));
        }
        if first.ty == self.types.common.error || second.ty == self.types.common.error {
            return None;
        }
        let (a, b) = (self.vector_elem_and_lanes(first.ty), self.vector_elem_and_lanes(second.ty));
        match (a, b) {
            (Some((_, n)), Some((index, m))) if picked.is_empty() && n == m && !index.is_float() => {
                Some(Operand::Value(self.variable_shuffle(first, second, span)))
            }
            (Some((_, n)), Some(_)) if first.ty == second.ty && !picked.is_empty() => {
                self.constant_shuffle(first, second, n, &picked, span)
            }
            _ => {
                let (a, b) = (self.type_text(first.ty), self.type_text(second.ty));
                self.error(span, format!("'{a}' and '{b}' are no vectors that can be shuffled together"));
                None
            }
        }
    }

    /// Builds a shuffle of two vectors with constant lane indices. Index -1 means an undefined lane.
    fn constant_shuffle(
        &mut self,
        first: Expr,
        second: Expr,
        lanes: u8,
        picked: &[(i64, Span)],
        span: Span,
    ) -> Option<Operand> {
        let both = i64::from(lanes) * 2;
        if let Some(&(_, at)) = picked.iter().find(|(lane, _)| !(-1..both).contains(lane)) {
            self.error(at, format!("there are {both} components to choose from, from 0"));
            return None;
        }
        let (scalar, _) = self.vector_elem_and_lanes(first.ty)?;
        let count = picked.len();
        if !matches!(count, 2 | 3 | 4 | 8 | 16) {
            self.error(span, format!("OpenCL C has no vector of {count} lanes of '{}'", scalar.name()));
            return None;
        }
        let (set_first, first) = self.evaluate_once(first);
        let (set_second, second) = self.evaluate_once(second);
        // Consecutive lanes of the same vector become one swizzle.
        let mut parts: Vec<Expr> = Vec::new();
        let mut run: Option<(bool, Components)> = None;
        for &(lane, _) in picked {
            let from_second = lane >= i64::from(lanes);
            let lane = lane.max(0) as u8 % lanes;
            match &mut run {
                Some((of, picks)) if *of == from_second => picks.push(lane),
                _ => {
                    let ended = run.replace((from_second, Components::from_slice(&[lane])));
                    self.push_swizzles(ended, [&first, &second], span, &mut parts);
                }
            }
        }
        self.push_swizzles(run, [&first, &second], span, &mut parts);
        let ty = self.arithmetic_type(scalar, count as u8);
        let kind = match parts.len() {
            1 => parts.pop().expect("one part").kind,
            _ => ExprKind::VectorLiteral(parts),
        };
        let vector = Expr { kind, ty, span };
        Some(Operand::Value(self.with_side_effects([set_first, set_second], vector)))
    }

    /// Appends swizzles of one of two vectors. Each has as many lanes as a vector type can have.
    fn push_swizzles(
        &mut self,
        run: Option<(bool, Components)>,
        from: [&Expr; 2],
        span: Span,
        parts: &mut Vec<Expr>,
    ) {
        let Some((second, lanes)) = run else { return };
        let source = from[usize::from(second)];
        let Some((scalar, _)) = self.vector_elem_and_lanes(source.ty) else { return };
        let mut rest = lanes.as_slice();
        while !rest.is_empty() {
            let count = [16, 8, 4, 2, 1].into_iter().find(|n| *n <= rest.len()).expect("1 is");
            let (now, later) = rest.split_at(count);
            let ty = self.arithmetic_type(scalar, count as u8);
            let kind = ExprKind::Swizzle(Box::new(source.clone()), Components::from_slice(now));
            parts.push(Expr { kind, ty, span });
            rest = later;
        }
    }

    /// Returns `value` with the side effects of `effects` evaluated before it.
    fn with_side_effects(&mut self, effects: [Expr; 2], value: Expr) -> Expr {
        let (ty, span) = (value.ty, value.span);
        effects.into_iter().rev().fold(value, |value, effect| {
            if !matches!(effect.kind, ExprKind::Assign(..)) {
                return value;
            }
            let effect = self.cast_to_void(effect);
            Expr { kind: ExprKind::Comma(Box::new(effect), Box::new(value)), ty, span }
        })
    }

    /// Builds a shuffle of `vector` whose indices are the components of `lanes`, modulo their number.
    fn variable_shuffle(&mut self, vector: Expr, lanes: Expr, span: Span) -> Expr {
        let ty = vector.ty;
        let (scalar, count) = self.vector_elem_and_lanes(ty).expect("the caller saw a vector");
        let (set_vector, vector) = self.evaluate_once(vector);
        let (set_lanes, lanes) = self.evaluate_once(lanes);
        let elem = self.arithmetic_type(scalar, 1);
        let (index_scalar, _) = self.vector_elem_and_lanes(lanes.ty).expect("the caller saw a vector");
        let index_ty = self.arithmetic_type(index_scalar, 1);
        let mask = u64::from(count.next_power_of_two() - 1);
        let mut parts = Vec::with_capacity(usize::from(count));
        for lane in 0..count {
            let kind = ExprKind::Swizzle(Box::new(lanes.clone()), Components::from_slice(&[lane]));
            let index = self.convert_value(Expr { kind, ty: index_ty, span }, self.types.common.long);
            let ty = self.types.common.long;
            let mask = Expr { kind: ExprKind::Int(mask), ty, span };
            let kind = ExprKind::Binary(BinaryOp::BitAnd, Box::new(index), Box::new(mask));
            let index = Operand::Value(Expr { kind, ty, span });
            let of = match &vector.kind {
                ExprKind::Load(lvalue) => lvalue.clone(),
                _ => Lvalue {
                    ty: QualType::new(vector.ty, Space::Private),
                    span,
                    kind: LvalueKind::Temporary(Box::new(vector.clone())),
                },
            };
            let component = self.subscript(Operand::Lvalue(of), index, span);
            let component = self.value(component);
            parts.push(Expr { ty: elem, ..component });
        }
        let value = Expr { kind: ExprKind::VectorLiteral(parts), ty, span };
        self.with_side_effects([set_vector, set_lanes], value)
    }

    /// (constant "," expression "," expression): only the selected expression is evaluated.
    fn choose_expr(&mut self, _span: Span) -> Option<Operand> {
        let condition = self.constant_expression();
        let mut chosen = None;
        for is_chosen in [condition.is_some_and(|c| c != 0), condition == Some(0)] {
            if !self.expect(TokenKind::Comma, "','") {
                return None;
            }
            let operand = self.parse_evaluated_if(is_chosen, Self::assignment);
            if is_chosen {
                chosen = Some(operand);
            }
        }
        chosen
    }

    /// (type "," type)
    fn types_compatible(&mut self, span: Span) -> Option<Operand> {
        let a = self.type_name()?.ty;
        let b = self.type_argument()?;
        let same = self.is_compatible(a, b) && a != self.types.common.error;
        Some(Operand::Value(self.int_constant(i64::from(same), span)))
    }

    /// Checks whether the value of an expression is a compile-time constant. The operand is not evaluated.
    fn constant_p(&mut self, span: Span) -> Option<Operand> {
        let value = self.parse_unevaluated(Self::value_argument);
        let is_number = !matches!(self.types.get(value.ty), Type::Pointer(_));
        let is_known = (is_number || self.is_null(&value)) && self.is_constant(&value);
        Some(Operand::Value(self.int_constant(i64::from(is_known), span)))
    }

    /// (type "," name ("." name | "[" constant "]")*)
    fn offset_of(&mut self, span: Span) -> Option<Operand> {
        let ty = self.type_name()?.ty;
        if !self.expect(TokenKind::Comma, "','") {
            return None;
        }
        let (mut at, mut offset) = (ty, 0u64);
        let mut first = true;
        while first || matches!(self.kind(), TokenKind::Dot | TokenKind::LBracket) {
            let found = if first { self.member_designator(at) } else { self.designator(at) };
            let (next, step, index) = found?;
            if self.range_end(at, index)? != index {
                self.error(span, "a range is no part of an object");
            }
            (at, offset, first) = (next, offset.saturating_add(step), false);
        }
        Some(Operand::Value(Expr { kind: ExprKind::Int(offset), ty: self.types.common.ulong, span }))
    }
}
