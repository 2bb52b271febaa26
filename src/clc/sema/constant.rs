//! Constant evaluation (C99 s6.6): values of expressions whose operands are constants.

use smallvec::SmallVec;

use super::evaluate::{self, ScalarConst, sign_extend};
use crate::session::Session;
use crate::tree::{BinaryOp, Expr, ExprKind, GlobalId, Lvalue, LvalueKind, UnaryOp};
use crate::types::{QualType, Scalar, Space, Type, TypeId};

/// A constant value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ConstValue {
    Scalar(ScalarConst),
    Lanes(Vec<ScalarConst>),
    /// Address of a global (or null) plus an offset in bytes.
    Address(Option<GlobalId>, i64),
}

/// Maximum nesting of an expression that is evaluated.
// Arbitrary.
const MAX_EVALUATION_DEPTH: u32 = 2000;

impl Session<'_> {
    /// Evaluates an integer constant expression and sign-extends the value according to its type.
    pub fn constant_integer(&self, expr: &Expr) -> Option<i64> {
        let bits = self.constant_bits(expr)?;
        match self.types.get(expr.ty) {
            Type::Scalar(s) => Some(sign_extend(bits, *s)),
            _ => Some(bits as i64),
        }
    }

    /// Evaluates an integer constant expression to a zero-extended bit pattern.
    pub fn constant_bits(&self, expr: &Expr) -> Option<u64> {
        match self.evaluate(expr)? {
            ConstValue::Scalar(ScalarConst::Int(bits)) => Some(bits),
            _ => None,
        }
    }

    /// Evaluates a constant condition: `true` if the value is not zero.
    pub fn constant_truth(&self, expr: &Expr) -> Option<bool> {
        self.truth(&self.evaluate(expr)?)
    }

    /// Checks whether the value is a constant.
    pub fn is_constant(&self, expr: &Expr) -> bool {
        self.evaluate(expr).is_some()
    }

    /// Replaces a constant expression by a literal, or an address computation, of the same type.
    pub fn fold_to_literal(&mut self, expr: &Expr) -> Option<Expr> {
        let (ty, span) = (expr.ty, expr.span);
        let literal = |number: ScalarConst, ty: TypeId| match number {
            ScalarConst::Int(bits) => Expr { kind: ExprKind::Int(bits), ty, span },
            ScalarConst::Float(value) => Expr { kind: ExprKind::Float(value), ty, span },
        };
        match self.evaluate(expr)? {
            ConstValue::Scalar(number) => self.is_scalar_number(ty).then(|| literal(number, ty)),
            ConstValue::Lanes(lanes) => {
                let elem = self.arithmetic_type(self.vector_elem_and_lanes(ty)?.0, 1);
                let parts = lanes.into_iter().map(|lane| literal(lane, elem)).collect();
                Some(Expr { kind: ExprKind::VectorLiteral(parts), ty, span })
            }
            ConstValue::Address(global, offset) => {
                let long = self.types.common.long;
                let offset = Expr { kind: ExprKind::Int(offset as u64), ty: long, span };
                let Some(id) = global else {
                    return Some(Expr { kind: ExprKind::Convert(Box::new(offset)), ty, span });
                };
                let lvalue = self.global_lvalue(id, span);
                let pointer_ty = self.pointer(lvalue.ty);
                let bytes = self.pointer(QualType::new(self.types.common.char, lvalue.ty.space));
                let start = Expr { kind: ExprKind::AddressOf(lvalue), ty: pointer_ty, span };
                let start = Expr { kind: ExprKind::Convert(Box::new(start)), ty: bytes, span };
                let kind = ExprKind::PtrAdd(Box::new(start), Box::new(offset));
                let at = Expr { kind, ty: bytes, span };
                Some(Expr { kind: ExprKind::Convert(Box::new(at)), ty, span })
            }
        }
    }

    /// Converts a literal at compile time.
    pub(super) fn fold_conversion(&self, value: &Expr, to: TypeId) -> Option<ExprKind> {
        if !matches!(value.kind, ExprKind::Int(_) | ExprKind::Float(_)) {
            return None;
        }
        let number = self.evaluate(value)?;
        match self.convert_const(number, value.ty, to)? {
            ConstValue::Scalar(ScalarConst::Int(bits)) if self.is_integer(to) => Some(ExprKind::Int(bits)),
            ConstValue::Scalar(ScalarConst::Float(v)) => Some(ExprKind::Float(v)),
            _ => None,
        }
    }

    pub(super) fn evaluate(&self, expr: &Expr) -> Option<ConstValue> {
        self.evaluate_at(expr, 0)
    }

    fn evaluate_at(&self, expr: &Expr, depth: u32) -> Option<ConstValue> {
        if depth > MAX_EVALUATION_DEPTH {
            return None;
        }
        let of = |e: &Expr| self.evaluate_at(e, depth + 1);
        match &expr.kind {
            ExprKind::Int(bits) => Some(ConstValue::Scalar(ScalarConst::Int(*bits))),
            ExprKind::Float(value) => Some(ConstValue::Scalar(ScalarConst::Float(*value))),
            ExprKind::Zero => self.zero_const(expr.ty),
            ExprKind::Load(lvalue) => self.constant_contents(lvalue),
            ExprKind::AddressOf(lvalue) => {
                let (global, offset) = self.constant_address(lvalue)?;
                Some(ConstValue::Address(global, offset))
            }
            ExprKind::Unary(op, value) => self.constant_unary(*op, of(value)?, value.ty, expr.ty),
            ExprKind::Binary(..) | ExprKind::Logical { .. } => self.evaluate_chain(expr, depth),
            ExprKind::PtrAdd(pointer, index) => {
                let ConstValue::Address(global, offset) = of(pointer)? else {
                    return None;
                };
                let ConstValue::Scalar(ScalarConst::Int(index)) = of(index)? else {
                    return None;
                };
                let size = self.types.size_of(self.pointee(pointer.ty)?.ty) as i64;
                let step = (index as i64).wrapping_mul(size);
                Some(ConstValue::Address(global, offset.wrapping_add(step)))
            }
            ExprKind::PtrDiff(a, b) => {
                let (ConstValue::Address(x, p), ConstValue::Address(y, q)) = (of(a)?, of(b)?) else {
                    return None;
                };
                let size = self.types.size_of(self.pointee(a.ty)?.ty) as i64;
                let bytes = p.wrapping_sub(q);
                (x == y && size != 0).then(|| ConstValue::Scalar(ScalarConst::Int((bytes / size) as u64)))
            }
            ExprKind::Conditional(..) => {
                // Chains of conditionals can be long, so this is a loop rather than a recursion.
                let mut at = expr;
                while let ExprKind::Conditional(c, yes, no) = &at.kind {
                    at = if self.truth(&of(c)?)? { yes } else { no };
                }
                of(at)
            }
            ExprKind::Blend(c, yes, no) => self.constant_select(c, of(c)?, of(yes)?, of(no)?),
            ExprKind::Convert(value) => self.convert_const(of(value)?, value.ty, expr.ty),
            ExprKind::Bitcast(value) => self.bitcast_const(of(value)?, value.ty, expr.ty),
            ExprKind::VectorLiteral(parts) => {
                let mut lanes = Vec::new();
                for part in parts {
                    match of(part)? {
                        ConstValue::Scalar(number) => lanes.push(number),
                        ConstValue::Lanes(more) => lanes.extend(more),
                        ConstValue::Address(..) => return None,
                    }
                }
                Some(ConstValue::Lanes(lanes))
            }
            ExprKind::Swizzle(value, components) => {
                let ConstValue::Lanes(lanes) = of(value)? else {
                    return None;
                };
                Some(select_lanes(&lanes, components))
            }
            ExprKind::Assign(..)
            | ExprKind::CompoundAssign { .. }
            | ExprKind::IncDec { .. }
            | ExprKind::Call(..)
            | ExprKind::CallBlock(..)
            | ExprKind::Comma(..)
            | ExprKind::Statements(..) => None,
        }
    }

    /// Evaluates a chain such as `a + b + c`, which can be long, from its first operand on.
    fn evaluate_chain(&self, expr: &Expr, depth: u32) -> Option<ConstValue> {
        let of = |e: &Expr| self.evaluate_at(e, depth + 1);
        let mut chain = SmallVec::<[&Expr; 8]>::new();
        let mut at = expr;
        while let ExprKind::Binary(_, lhs, _) | ExprKind::Logical { lhs, .. } = &at.kind {
            chain.push(at);
            at = lhs;
        }
        let mut value = of(at)?;
        for part in chain.into_iter().rev() {
            value = match &part.kind {
                ExprKind::Binary(op, a, b) => {
                    self.constant_binary(*op, value, of(b)?, a.ty, b.ty, part.ty)?
                }
                ExprKind::Logical { and, rhs, .. } => {
                    let lhs = self.truth(&value)?;
                    let truth = if lhs == *and { self.truth(&of(rhs)?)? } else { lhs };
                    ConstValue::Scalar(ScalarConst::Int(u64::from(truth)))
                }
                _ => return None,
            };
        }
        Some(value)
    }

    fn zero_const(&self, ty: TypeId) -> Option<ConstValue> {
        match *self.types.get(ty) {
            Type::Bool | Type::Opaque(_) => Some(ConstValue::Scalar(ScalarConst::Int(0))),
            Type::Scalar(s) => Some(ConstValue::Scalar(ScalarConst::zero(s))),
            Type::Vector(s, n) => Some(ConstValue::Lanes(vec![ScalarConst::zero(s); usize::from(n)])),
            Type::Pointer(_) => Some(ConstValue::Address(None, 0)),
            _ => None,
        }
    }

    fn truth(&self, value: &ConstValue) -> Option<bool> {
        match value {
            ConstValue::Scalar(number) => Some(number.truth()),
            ConstValue::Address(None, offset) => Some(*offset != 0),
            ConstValue::Address(Some(_), _) => Some(true),
            ConstValue::Lanes(_) => None,
        }
    }

    /// Returns the global and the byte offset of an lvalue; the global is `None` for a number used as an address.
    pub(super) fn constant_address(&self, lvalue: &Lvalue) -> Option<(Option<GlobalId>, i64)> {
        match &lvalue.kind {
            LvalueKind::Global(id) => Some((Some(*id), 0)),
            LvalueKind::Deref(pointer) => match self.evaluate(pointer)? {
                ConstValue::Address(global, offset) => Some((global, offset)),
                _ => None,
            },
            LvalueKind::Field(of, index) => {
                let (global, offset) = self.constant_address(of)?;
                let Type::Struct(id) = self.types.get(of.ty.ty) else {
                    return None;
                };
                let field = &self.types.structs[*id].fields[*index as usize];
                Some((global, offset + field.offset as i64))
            }
            _ => None,
        }
    }

    /// Returns the value of a variable that cannot change.
    fn constant_contents(&self, lvalue: &Lvalue) -> Option<ConstValue> {
        match &lvalue.kind {
            LvalueKind::Local(id) => {
                let function = self.function.as_ref()?;
                let bits = function.constants.get(id)?;
                let scalar = self.elem_and_lanes(lvalue.ty.ty).map_or(Scalar::ULong, |n| n.0);
                let number = ScalarConst::Int(evaluate::truncate(*bits, scalar));
                return Some(ConstValue::Scalar(number));
            }
            LvalueKind::Swizzle(of, components) => {
                let ConstValue::Lanes(lanes) = self.constant_contents(of)? else {
                    return None;
                };
                return Some(select_lanes(&lanes, components));
            }
            _ => {}
        }
        let (Some(global), offset) = self.constant_address(lvalue)? else {
            return None;
        };
        let global = &self.unit.globals[global];
        if global.ty.space != Space::Constant || global.ty.is_volatile {
            return None;
        }
        let data = global.init.as_ref()?;
        let (scalar, lanes) = match self.types.get(lvalue.ty.ty) {
            Type::Bool => (Scalar::UChar, 1),
            _ => self.elem_and_lanes(lvalue.ty.ty)?,
        };
        let start = usize::try_from(offset).ok()?;
        let size = scalar.size() as usize;
        let mut numbers = Vec::new();
        for lane in 0..usize::from(lanes) {
            let bytes = data.bytes.get(start + lane * size..start + (lane + 1) * size)?;
            let bits = bytes.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
            numbers.push(evaluate::from_bits(bits, scalar));
        }
        Some(if lanes == 1 { ConstValue::Scalar(numbers[0]) } else { ConstValue::Lanes(numbers) })
    }

    fn constant_unary(&self, op: UnaryOp, value: ConstValue, from: TypeId, to: TypeId) -> Option<ConstValue> {
        if let (UnaryOp::LogicalNot, ConstValue::Address(..)) = (op, &value) {
            let truth = self.truth(&value)?;
            return Some(ConstValue::Scalar(ScalarConst::Int(u64::from(!truth))));
        }
        let scalar = self.elem_and_lanes(from).map_or(Scalar::Int, |n| n.0);
        match value {
            ConstValue::Scalar(number) => Some(ConstValue::Scalar(evaluate::unary(op, number, scalar))),
            ConstValue::Lanes(lanes) => {
                let result = self.elem_and_lanes(to)?.0;
                let lanes = lanes.into_iter().map(|lane| match evaluate::unary(op, lane, scalar) {
                    ScalarConst::Int(1) if op == UnaryOp::LogicalNot => all_ones(result),
                    other => other,
                });
                Some(ConstValue::Lanes(lanes.collect()))
            }
            ConstValue::Address(..) => None,
        }
    }

    fn constant_binary(
        &self,
        op: BinaryOp,
        a: ConstValue,
        b: ConstValue,
        a_ty: TypeId,
        b_ty: TypeId,
        to: TypeId,
    ) -> Option<ConstValue> {
        let scalar = self.elem_and_lanes(a_ty).map_or(Scalar::ULong, |n| n.0);
        match (a, b) {
            (ConstValue::Scalar(x), ConstValue::Scalar(y)) => {
                let y = self.shift_operand(op, y, b_ty, scalar);
                Some(ConstValue::Scalar(evaluate::binary(op, x, y, scalar)?))
            }
            (ConstValue::Lanes(x), ConstValue::Lanes(y)) => {
                let result = self.elem_and_lanes(to)?.0;
                let mut lanes = Vec::with_capacity(x.len());
                for (x, y) in x.into_iter().zip(y) {
                    let y = self.shift_operand(op, y, b_ty, scalar);
                    let lane = evaluate::binary(op, x, y, scalar)?;
                    lanes.push(match lane {
                        ScalarConst::Int(1) if is_comparison_or_logical(op) => all_ones(result),
                        other => other,
                    });
                }
                Some(ConstValue::Lanes(lanes))
            }
            (ConstValue::Address(x, p), ConstValue::Address(y, q)) if x == y => {
                let (p, q) = (ScalarConst::Int(p as u64), ScalarConst::Int(q as u64));
                Some(ConstValue::Scalar(evaluate::binary(op, p, q, Scalar::ULong)?))
            }
            (ConstValue::Address(..), ConstValue::Address(..)) => match op {
                BinaryOp::Eq => Some(ConstValue::Scalar(ScalarConst::Int(0))),
                BinaryOp::Ne => Some(ConstValue::Scalar(ScalarConst::Int(1))),
                _ => None,
            },
            _ => None,
        }
    }

    /// Converts the count of a shift, which may have a type of its own; only its low bits matter.
    fn shift_operand(&self, op: BinaryOp, count: ScalarConst, ty: TypeId, scalar: Scalar) -> ScalarConst {
        if !matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            return count;
        }
        let from = self.elem_and_lanes(ty).map_or(Scalar::Int, |n| n.0);
        evaluate::convert(count, from, scalar)
    }

    fn constant_select(
        &self,
        condition: &Expr,
        c: ConstValue,
        yes: ConstValue,
        no: ConstValue,
    ) -> Option<ConstValue> {
        let scalar = self.elem_and_lanes(condition.ty)?.0;
        let top = 1u64 << (scalar.size() * 8 - 1);
        let (ConstValue::Lanes(c), ConstValue::Lanes(yes), ConstValue::Lanes(no)) = (c, yes, no) else {
            return None;
        };
        let lanes = c.iter().zip(yes).zip(no);
        let chosen = lanes.map(|((c, yes), no)| match c {
            ScalarConst::Int(bits) if bits & top != 0 => yes,
            _ => no,
        });
        Some(ConstValue::Lanes(chosen.collect()))
    }

    pub(super) fn convert_const(&self, value: ConstValue, from: TypeId, to: TypeId) -> Option<ConstValue> {
        let from_scalar = match self.types.get(from) {
            Type::Bool => Some(Scalar::UChar),
            Type::Scalar(s) => Some(*s),
            _ => None,
        };
        match (value, self.types.get(to)) {
            (value, _) if from == to => Some(value),
            (value, Type::Bool) => {
                let truth = self.truth(&value)?;
                Some(ConstValue::Scalar(ScalarConst::Int(u64::from(truth))))
            }
            (ConstValue::Scalar(number), Type::Scalar(s)) => {
                Some(ConstValue::Scalar(evaluate::convert(number, from_scalar?, *s)))
            }
            (ConstValue::Scalar(number), Type::Vector(s, n)) => {
                let lane = match (self.types.get(from), s.is_float(), number) {
                    (Type::Bool, false, ScalarConst::Int(1)) => all_ones(*s),
                    _ => evaluate::convert(number, from_scalar?, *s),
                };
                Some(ConstValue::Lanes(vec![lane; usize::from(*n)]))
            }
            (ConstValue::Scalar(number), Type::Opaque(_)) => {
                Some(ConstValue::Scalar(evaluate::convert(number, from_scalar?, Scalar::ULong)))
            }
            (ConstValue::Scalar(number), Type::Pointer(_)) => {
                match evaluate::convert(number, from_scalar?, Scalar::ULong) {
                    ScalarConst::Int(bits) => Some(ConstValue::Address(None, bits as i64)),
                    ScalarConst::Float(_) => None,
                }
            }
            (ConstValue::Address(global, offset), Type::Pointer(_)) => {
                Some(ConstValue::Address(global, offset))
            }
            (ConstValue::Address(global, offset), Type::Scalar(s)) if s.size() == 8 => match global {
                None => Some(ConstValue::Scalar(ScalarConst::Int(offset as u64))),
                Some(_) => Some(ConstValue::Address(global, offset)),
            },
            (ConstValue::Address(None, offset), Type::Scalar(s)) => {
                Some(ConstValue::Scalar(ScalarConst::Int(evaluate::truncate(offset as u64, *s))))
            }
            _ => None,
        }
    }

    fn bitcast_const(&self, value: ConstValue, from: TypeId, to: TypeId) -> Option<ConstValue> {
        let (from_scalar, _) = self.elem_and_lanes(from)?;
        let (scalar, lanes) = self.elem_and_lanes(to)?;
        let numbers = match value {
            ConstValue::Scalar(number) => vec![number],
            ConstValue::Lanes(lanes) => lanes,
            ConstValue::Address(..) => return None,
        };
        let mut bytes = Vec::new();
        for number in numbers {
            let bits = evaluate::bits(number, from_scalar);
            bytes.extend_from_slice(&bits.to_le_bytes()[..from_scalar.size() as usize]);
        }
        let size = scalar.size() as usize;
        bytes.resize(bytes.len().max(size * usize::from(lanes)), 0);
        let mut out = Vec::new();
        for chunk in bytes.chunks(size).take(usize::from(lanes)) {
            let bits = chunk.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
            out.push(evaluate::from_bits(bits, scalar));
        }
        Some(if lanes == 1 { ConstValue::Scalar(out[0]) } else { ConstValue::Lanes(out) })
    }
}

fn select_lanes(lanes: &[ScalarConst], components: &[u8]) -> ConstValue {
    match components {
        [one] => ConstValue::Scalar(lanes[usize::from(*one)]),
        many => ConstValue::Lanes(many.iter().map(|l| lanes[usize::from(*l)]).collect()),
    }
}

fn is_comparison_or_logical(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::And
            | BinaryOp::Or
    )
}

fn all_ones(scalar: Scalar) -> ScalarConst {
    ScalarConst::Int(evaluate::truncate(u64::MAX, scalar))
}
