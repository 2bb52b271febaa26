//! Constants that an implicit conversion changes, by the rules of Clang: an integer that needs more bits than the
//! type has, a positive integer that becomes negative, a literal whose fraction is lost. `uint u = -1` is idiomatic
//! and not reported.

use super::super::constant::ConstValue;
use super::super::evaluate::{self, ScalarConst, sign_extend};
use crate::session::Session;
use crate::tree::{Expr, ExprKind};
use crate::types::{Scalar, Type, TypeId};

impl Session<'_> {
    /// Warns of an implicit conversion that changes a constant.
    pub fn warn_constant_conversion(&mut self, value: &Expr, to: TypeId) {
        let quiet = self.in_library() || self.context.is_unevaluated() || self.options.no_warnings;
        if quiet || matches!(value.kind, ExprKind::Load(_) | ExprKind::Call(..)) {
            return;
        }
        let (Type::Scalar(from), Type::Scalar(into)) = (self.types.get(value.ty), self.types.get(to)) else {
            return;
        };
        let (from, into) = (*from, *into);
        let Some(ConstValue::Scalar(number)) = self.evaluate(value) else {
            return;
        };
        let is_literal = matches!(value.kind, ExprKind::Int(_) | ExprKind::Float(_));
        let (before, after) = match (number, into.is_float()) {
            (ScalarConst::Int(bits), false) if loses_bits(bits, from, into) => {
                (int_text(bits, from), int_text(evaluate::truncate(bits, into), into))
            }
            (ScalarConst::Int(bits), true) if is_literal && into != Scalar::Half => {
                let ScalarConst::Float(converted) = evaluate::convert(number, from, into) else {
                    return;
                };
                let exact =
                    if from.is_signed_int() { i128::from(sign_extend(bits, from)) } else { bits.into() };
                if converted as i128 == exact {
                    return;
                }
                (int_text(bits, from), format!("{converted}"))
            }
            (ScalarConst::Float(v), false) if is_literal && v.fract() != 0.0 => {
                let ScalarConst::Int(bits) = evaluate::convert(number, from, into) else {
                    return;
                };
                (format!("{v}"), int_text(bits, into))
            }
            _ => return,
        };
        let (a, b) = (from.name(), into.name());
        let message = format!("conversion from '{a}' to '{b}' changes the value from {before} to {after}");
        self.warning(value.span, message);
    }
}

fn int_text(bits: u64, scalar: Scalar) -> String {
    if scalar.is_signed_int() { sign_extend(bits, scalar).to_string() } else { bits.to_string() }
}

/// Checks whether the value needs more bits than `to` has; a positive value of a signed type also needs a zero sign
/// bit.
fn loses_bits(bits: u64, from: Scalar, to: Scalar) -> bool {
    let width = to.size() as u32 * 8;
    let value = sign_extend(bits, from);
    if from.is_signed_int() && value < 0 {
        return 65 - value.leading_ones() > width;
    }
    let needed = 64 - bits.leading_zeros();
    needed > width || needed == width && to.is_signed_int() && from.is_signed_int()
}
