//! Generation of floating-point expressions. All values are integers with so few bits that every operation on them
//! is exact. Nothing is rounded, so contraction and the error bounds of builtins make no difference. Variables stay
//! within ±4096; the range of an expression is tracked as a number of bits. A zero may have either sign, so only
//! operations that ignore the sign of zero are applied to values.

use crate::types::{Kind, Ty};
use crate::writer::Generator;

/// Number of bits of a variable's value.
const VARIABLE: u32 = 13;

impl Generator {
    /// Generates a value within the range of variables.
    pub(super) fn bounded_float(&mut self, ty: Ty, depth: u32) -> String {
        if depth == 0 || self.random.chance(25) {
            return self.float_term(ty);
        }
        let most = if ty.kind == Kind::Double { 40 } else { 23 };
        let value = self.float(ty, depth, most);
        let suffix = if ty.kind == Kind::Float { "f" } else { "" };
        format!("clamp({value}, ({ty})(-4096.0{suffix}), ({ty})(4096.0{suffix}))")
    }

    fn float_term(&mut self, ty: Ty) -> String {
        self.term(ty)
    }

    /// Generates a value whose magnitude is below 2 to the power of `bits`.
    fn float(&mut self, ty: Ty, depth: u32, bits: u32) -> String {
        if bits < VARIABLE {
            return self.small_float(ty, bits);
        }
        if depth == 0 {
            return self.float_term(ty);
        }
        let (d, suffix) = (depth - 1, if ty.kind == Kind::Float { "f" } else { "" });
        match self.random.below(12) {
            0 | 1 => {
                let op = self.random.pick(&["+", "-"]);
                format!("({} {op} {})", self.float(ty, d, bits - 1), self.float(ty, d, bits - 1))
            }
            2 => format!("({} * {})", self.float(ty, d, bits / 2), self.float(ty, d, bits / 2)),
            3 => {
                let name = self.random.pick(&["fmin", "fmax"]);
                format!("{name}({}, {})", self.float(ty, d, bits), self.float(ty, d, bits))
            }
            4 => format!("fabs({})", self.float(ty, d, bits)),
            5 => {
                let name = self.random.pick(&["floor", "ceil", "trunc", "rint", "round"]);
                format!("{name}({} * ({ty})(0.5{suffix}))", self.float(ty, d, bits - 1))
            }
            6 => {
                let (value, sign) = (self.float(ty, d, bits), self.float(ty, d, bits.min(20)));
                // Adding 0.5 to an integer excludes zero, so the sign is defined.
                format!("copysign({value}, {sign} + ({ty})(0.5{suffix}))")
            }
            7 => format!("ldexp({}, {})", self.float(ty, d, bits - 3), self.random.below(4)),
            8 => {
                let (a, b) = (self.float(ty, d, bits / 2 - 1), self.float(ty, d, bits / 2 - 1));
                format!("fma({a}, {b}, {})", self.float(ty, d, bits - 1))
            }
            9 => {
                let condition = self.condition(d.min(1));
                format!("(({condition}) ? {} : {})", self.float(ty, d, bits), self.float(ty, d, bits))
            }
            10 => {
                let kind = if ty.kind == Kind::Float { Kind::Double } else { Kind::Float };
                let value = self.float(ty.of(kind), d, bits.min(23));
                format!("convert_{ty}({value})")
            }
            _ if ty.is_scalar() => format!("(-{})", self.float(ty, d, bits)),
            _ => self.vector_literal(ty, d.min(1)),
        }
    }

    /// Generates a value from a few bits of an integer.
    fn small_float(&mut self, ty: Ty, bits: u32) -> String {
        let kind = self.random.pick(&[Kind::Int, Kind::UInt, Kind::Short, Kind::Long]);
        let from = ty.of(kind);
        let value = self.expression(from, 1);
        if kind.is_signed() && self.random.chance(50) {
            // An arithmetic shift keeps the upper bits, with the sign.
            return format!("convert_{ty}({value} >> ({from})({}))", kind.bits() - bits.min(kind.bits() - 1));
        }
        format!("convert_{ty}({value} & ({from})({}))", (1u32 << bits) - 1)
    }

    /// Generates an integer from a floating-point value.
    pub(super) fn float_as_integer(&mut self, ty: Ty, d: u32) -> String {
        let kind = if self.random.chance(40) { Kind::Double } else { Kind::Float };
        let from = ty.of(kind);
        let suffix = if kind == Kind::Float { "f" } else { "" };
        let value = self.float(from, d, 23);
        match self.random.below(4) {
            0 => format!("convert_{ty}_sat({value})"),
            1 => {
                let mode = self.random.pick(&["_rte", "_rtz", "_rtp", "_rtn"]);
                format!("convert_{ty}_sat{mode}({value} * ({from})(0.5{suffix}))")
            }
            2 if kind.bits() == ty.kind.bits() => format!("as_{ty}({value} + ({from})(0.5{suffix}))"),
            _ if ty.is_scalar() && ty.kind.is_signed() && ty.kind.bits() >= 32 => format!("({ty}){value}"),
            _ => format!("convert_{ty}_sat(fabs({value}))"),
        }
    }
}
