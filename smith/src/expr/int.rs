//! Generation of integer operators with defined results. Signed sums and products are computed on unsigned operands
//! and reinterpreted, divisors are never 0, quotients never overflow, and shift counts are below the width.

use super::typed;
use crate::types::{Kind, Ty};
use crate::writer::Generator;

impl Generator {
    pub(super) fn bitwise(&mut self, ty: Ty, d: u32) -> String {
        let (a, b) = (self.expression(ty, d), self.operand(ty, d));
        let op = self.random.pick(&["&", "|", "^"]);
        typed(ty, &format!("{a} {op} {b}"))
    }

    /// Generates the right operand of a binary operator. For a vector it may be a scalar, which is widened.
    fn operand(&mut self, ty: Ty, d: u32) -> String {
        let ty = if self.random.chance(20) { ty.element() } else { ty };
        self.expression(ty, d)
    }

    pub(super) fn arithmetic(&mut self, ty: Ty, d: u32) -> String {
        if ty.kind.is_signed() {
            let unsigned = ty.of(ty.kind.unsigned());
            return format!("as_{ty}({})", self.arithmetic(unsigned, d));
        }
        let (a, b) = (self.expression(ty, d), self.operand(ty, d));
        let op = self.random.pick(&["+", "-", "*"]);
        if op == "*" && ty.is_scalar() && ty.kind.is_promoted() {
            // The product of two `ushort` can overflow `int`.
            return format!("({ty})((uint){a} * {b})");
        }
        typed(ty, &format!("{a} {op} {b}"))
    }

    pub(super) fn shift(&mut self, ty: Ty, d: u32) -> String {
        let op = self.random.pick(&["<<", ">>"]);
        let value = self.expression(ty, d);
        // The type of the count does not affect the result, but a vector requires a scalar count or one with as
        // many lanes.
        let kind = if ty.is_scalar() { self.integer_kind() } else { ty.kind };
        let count = ty.of(kind);
        let count = if self.random.chance(30) { count.element() } else { count };
        let mask = (ty.kind.bits() - 1).min(127);
        let by = if self.random.chance(40) {
            format!("({count})({})", self.random.below(mask + 1))
        } else {
            typed(count, &format!("{} & ({count})({mask})", self.expression(count, d)))
        };
        if op == "<<" && ty.kind.is_signed() {
            return format!("as_{ty}({})", {
                let unsigned = ty.of(ty.kind.unsigned());
                typed(
                    unsigned,
                    &format!("as_{unsigned}({value}) << {}", self.reinterpret_count(&by, count, unsigned)),
                )
            });
        }
        typed(ty, &format!("{value} {op} {by}"))
    }

    /// Reinterprets a shift count for an operand that was made unsigned, because compilers require vectors of the
    /// same type.
    fn reinterpret_count(&mut self, by: &str, count: Ty, value: Ty) -> String {
        if value.is_scalar() { by.to_owned() } else { format!("as_{}({by})", count.of(value.kind)) }
    }

    pub(super) fn divide(&mut self, ty: Ty, d: u32) -> String {
        let op = self.random.pick(&["/", "%"]);
        let value = self.expression(ty, d);
        let divisor = match self.random.below(3) {
            0 => format!("({ty})({})", 1 + self.random.below(100)),
            1 if ty.kind.is_signed() => format!("({ty})(-{})", 2 + self.random.below(90)),
            _ => format!("({} | ({ty})(1))", self.expression(ty, d)),
        };
        // Halving the dividend excludes the overflow of the least value divided by -1.
        let value = if ty.kind.is_signed() { format!("({value} >> ({ty})(1))") } else { value };
        typed(ty, &format!("{value} {op} {divisor}"))
    }

    pub(super) fn unary(&mut self, ty: Ty, d: u32) -> String {
        match self.random.below(3) {
            0 => {
                let value = self.expression(ty, d);
                typed(ty, &format!("~{value}"))
            }
            1 if ty.is_scalar() => {
                let operand = Ty::scalar(self.integer_kind());
                format!("({ty})(!{})", self.expression(operand, d))
            }
            _ => {
                let unsigned = ty.of(ty.kind.unsigned());
                let negated = typed(unsigned, &format!("-{}", self.expression(unsigned, d)));
                if ty == unsigned { negated } else { format!("as_{ty}({negated})") }
            }
        }
    }

    /// Generates a comparison or a logical operation: 0 or 1 for scalars, 0 or -1 in each lane for vectors.
    pub(super) fn compare(&mut self, ty: Ty, d: u32) -> String {
        let op = self.random.pick(&["<", ">", "<=", ">=", "==", "!=", "&&", "||"]);
        if ty.is_scalar() {
            let operand = Ty::scalar(self.integer_kind());
            let (a, b) = (self.expression(operand, d), self.expression(operand, d));
            return format!("({ty})({a} {op} {b})");
        }
        let signed = self.random.chance(50);
        let operand = ty.of(Kind::integer(ty.kind.bits(), signed));
        let (a, b) = (self.expression(operand, d), self.expression(operand, d));
        self.signed_as(ty, &format!("({a} {op} {b})"))
    }

    /// Reinterprets the result of a vector comparison, which is signed, as `ty`, which has elements of the same
    /// size.
    pub(super) fn signed_as(&mut self, ty: Ty, text: &str) -> String {
        if ty.kind.is_signed() { text.to_owned() } else { format!("as_{ty}({text})") }
    }

    /// Generates an operation on scalars of two types, to which the usual arithmetic conversions apply.
    pub(super) fn mixed(&mut self, ty: Ty, d: u32) -> String {
        if !ty.is_scalar() {
            return self.vector_literal(ty, d);
        }
        let other = Ty::scalar(self.integer_kind());
        let (a, b) = (self.expression(ty, d), self.expression(other, d));
        let wide = if ty.kind.bits() > other.kind.bits() { ty.kind } else { other.kind };
        let unsigned = !wide.is_signed() && wide.bits() >= 32;
        let op = if unsigned {
            self.random.pick(&["+", "-", "*", "&", "|", "^"])
        } else {
            self.random.pick(&["&", "|", "^"])
        };
        format!("({ty})({a} {op} {b})")
    }

    pub(super) fn ternary(&mut self, ty: Ty, d: u32) -> String {
        let (a, b) = (self.expression(ty, d), self.expression(ty, d));
        if ty.is_scalar() || self.random.chance(40) {
            let condition = self.condition(d.min(2));
            return typed(ty, &format!("({condition}) ? {a} : {b}"));
        }
        let mask = ty.of(ty.kind.signed());
        format!("({} ? {a} : {b})", self.expression(mask, d))
    }

    /// Generates a call of `any` or `all`, which test the sign bits of the lanes.
    pub(super) fn any_all(&mut self, ty: Ty, d: u32) -> String {
        let kind = self.integer_kind().signed();
        let lanes = self.random.pick(&[2, 3, 4, 8, 16]);
        let name = self.random.pick(&["any", "all"]);
        let (a, b) = (self.expression(Ty { kind, lanes }, d), self.expression(Ty { kind, lanes }, d));
        let text = if self.random.chance(50) { format!("{name}({a} < {b})") } else { format!("{name}({a})") };
        if ty.kind == Kind::Int { text } else { format!("({ty}){text}") }
    }
}
