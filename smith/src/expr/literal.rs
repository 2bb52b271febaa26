//! Generation of literals.

use super::typed;
use crate::types::{Kind, Ty};
use crate::writer::Generator;

impl Generator {
    /// Generates a constant of type `ty`.
    pub fn literal(&mut self, ty: Ty) -> String {
        if ty.is_scalar() {
            return self.scalar_literal(ty.kind);
        }
        let splat = self.random.chance(30);
        let count = if splat { 1 } else { ty.lanes };
        let parts: Vec<String> = (0..count).map(|_| self.scalar_literal(ty.kind)).collect();
        format!("({ty})({})", parts.join(", "))
    }

    fn scalar_literal(&mut self, kind: Kind) -> String {
        match kind {
            Kind::Float => format!("{}.0f", self.random.below(64)),
            Kind::Double => format!("{}.0", self.random.below(64)),
            _ if self.random.chance(12) => limit(kind, self.random.chance(50)),
            _ => self.number(kind),
        }
    }

    fn number(&mut self, kind: Kind) -> String {
        let small = self.random.chance(60);
        let bits = if small { 5 } else { 1 + self.random.below(kind.bits() - 1) };
        let value = self.random.bits() & ((1 << bits) - 1);
        let suffix = match kind {
            Kind::UInt => "u",
            Kind::Long => "L",
            Kind::ULong => "UL",
            _ => "",
        };
        let hex = !small && self.random.chance(60);
        let digits = if hex { format!("{value:#x}{suffix}") } else { format!("{value}{suffix}") };
        let negative = kind.is_signed() && self.random.chance(40);
        match (negative, kind.is_promoted()) {
            (true, _) => typed(Ty::scalar(kind), &format!("-{digits}")),
            (false, true) => format!("({}){digits}", kind.name()),
            (false, false) => digits,
        }
    }
}

/// Returns the greatest or the least value of a kind. The least values of `int` and `long` cannot be written as a
/// literal.
fn limit(kind: Kind, greatest: bool) -> String {
    let name = match kind {
        Kind::Char => "CHAR",
        Kind::UChar => "UCHAR",
        Kind::Short => "SHRT",
        Kind::UShort => "USHRT",
        Kind::Int => "INT",
        Kind::UInt => "UINT",
        Kind::Long => "LONG",
        _ => "ULONG",
    };
    let text = match (greatest, kind.is_signed()) {
        (true, _) => format!("{name}_MAX"),
        (false, true) => format!("{name}_MIN"),
        (false, false) => "1".into(),
    };
    format!("({}){text}", kind.name())
}
