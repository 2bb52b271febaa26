//! Vectors: literals, swizzles, conversions, loads.

use crate::types::{Kind, Ty};
use crate::writer::Generator;

const DIGITS: &[u8] = b"0123456789abcdef";

/// Names for lanes of a vector as a suffix.
pub fn lanes_suffix(lanes: &[u32], short: bool) -> String {
    if short && lanes.iter().all(|&l| l < 4) && lanes.len() <= 4 {
        return lanes.iter().map(|&l| char::from(b"xyzw"[l as usize])).collect();
    }
    let digits = lanes.iter().map(|&l| char::from(DIGITS[l as usize]));
    std::iter::once('s').chain(digits).collect()
}

impl Generator {
    /// Lanes of a vector of `from` lanes, `count` of them; each once if `distinct`.
    pub fn lane_names(&mut self, from: u32, count: u32, distinct: bool) -> String {
        // Of three lanes, `hi` and `odd` would name the fourth.
        if from == 2 * count && self.random.chance(50) {
            return self.random.pick(&["lo", "hi", "even", "odd"]).into();
        }
        let mut lanes: Vec<u32> = Vec::new();
        while lanes.len() < count as usize {
            let lane = self.random.below(from);
            if !distinct || !lanes.contains(&lane) {
                lanes.push(lane);
            }
        }
        let short = from <= 4 && self.random.chance(60);
        lanes_suffix(&lanes, short)
    }

    /// Some lanes of another vector.
    pub(super) fn swizzled(&mut self, ty: Ty, d: u32) -> String {
        let lanes = self.random.pick(&[2, 3, 4, 8, 16]);
        let from = Ty { lanes, ..ty };
        let value = self.expression(from, d);
        let names = self.lane_names(lanes, ty.lanes, false);
        format!("({value}).{names}")
    }

    /// A vector of scalars and shorter vectors, or of one scalar.
    pub fn vector_literal(&mut self, ty: Ty, d: u32) -> String {
        if self.random.chance(15) {
            return format!("({ty})({})", self.expression(ty.element(), d));
        }
        let mut left = ty.lanes;
        let mut parts = Vec::new();
        while left > 0 {
            let fitting: Vec<u32> =
                [1, 1, 2, 3, 4, 8].into_iter().filter(|&l| l <= left && l < ty.lanes).collect();
            let lanes = self.random.pick(&fitting);
            left -= lanes;
            // Few of many parts are more than names.
            let depth = if self.random.chance(60) { 0 } else { d.min(1) };
            parts.push(self.expression(Ty { lanes, ..ty }, depth));
        }
        format!("({ty})({})", parts.join(", "))
    }

    /// An expression of another type, converted or reinterpreted.
    pub(super) fn converted(&mut self, ty: Ty, d: u32) -> String {
        let kind = self.integer_kind();
        let from = match self.random.below(3) {
            // As many bits in other elements.
            0 if ty.lanes != 3 => {
                let lanes = ty.size() / kind.bits();
                if [1, 2, 4, 8, 16].contains(&lanes) { Ty { kind, lanes } } else { ty.of(kind) }
            }
            _ => ty.of(kind),
        };
        let value = self.expression(from, d);
        self.convert(&value, from, ty)
    }

    /// A value of one type as another one.
    pub fn convert(&mut self, text: &str, from: Ty, to: Ty) -> String {
        if from == to {
            return text.to_owned();
        }
        if from.kind.is_float() && !to.kind.is_float() {
            let (text, _) = self.with_lanes(text, from, to.lanes);
            return format!("convert_{to}_sat({text})");
        }
        if to.kind.is_float() && !from.kind.is_float() {
            return self.literal(to);
        }
        if !to.kind.is_float()
            && from.size() == to.size()
            && from.lanes != 3
            && to.lanes != 3
            && self.random.chance(60)
        {
            return format!("as_{to}({text})");
        }
        let (text, from) = self.with_lanes(text, from, to.lanes);
        if from == to {
            return text;
        }
        if to.kind.is_float() {
            // Small as all floating values are, it is exact in both types.
            return format!("convert_{to}({text})");
        }
        match self.random.below(3) {
            0 if to.is_scalar() => format!("({to}){text}"),
            1 => format!("convert_{to}_sat({text})"),
            _ => format!("convert_{to}({text})"),
        }
    }

    /// A value with as many lanes as are wanted.
    fn with_lanes(&mut self, text: &str, from: Ty, lanes: u32) -> (String, Ty) {
        let ty = Ty { lanes, ..from };
        let text = if from.lanes == lanes {
            text.to_owned()
        } else if from.is_scalar() {
            format!("({ty})({text})")
        } else {
            let names = self.lane_names(from.lanes, lanes, false);
            format!("({text}).{names}")
        };
        (text, ty)
    }

    /// `vloadn` from an array.
    pub(super) fn load(&mut self, ty: Ty, d: u32) -> String {
        let arrays = self.scope.arrays.iter();
        let fitting: Vec<_> =
            arrays.filter(|(_, t, len)| *t == ty.element() && *len >= ty.lanes).cloned().collect();
        if fitting.is_empty() || ty.is_scalar() {
            return self.term(ty);
        }
        let (path, _, len) = &fitting[self.random.below(fitting.len() as u32) as usize];
        let array = self.path(path, d.min(1));
        let start = self.random.below(len - ty.lanes + 1);
        format!("vload{}(0, {array} + {start})", ty.lanes)
    }

    /// `shuffle` and `shuffle2`: lanes chosen by a mask whose high bits do not count.
    pub(super) fn shuffled(&mut self, ty: Ty, d: u32) -> String {
        let lanes = self.random.pick(&[2, 4, 8, 16]);
        let from = Ty { lanes, ..ty };
        let mask = ty.of(ty.kind.unsigned());
        let mask = self.expression(mask, d.min(1));
        let value = self.expression(from, d);
        if self.random.chance(50) {
            return format!("shuffle({value}, {mask})");
        }
        format!("shuffle2({value}, {}, {mask})", self.expression(from, d))
    }

    /// Values of a floating type, compared: a signed integer of as many bits.
    pub(super) fn float_compared(&mut self, ty: Ty, d: u32) -> String {
        let kind = if ty.kind.bits() == 64 { Kind::Double } else { Kind::Float };
        let operand = ty.of(kind);
        let (a, b) = (self.bounded_float(operand, d), self.bounded_float(operand, d));
        let name = self.random.pick(&[
            "isequal",
            "isnotequal",
            "isless",
            "isgreater",
            "islessequal",
            "isgreaterequal",
        ]);
        if ty.is_scalar() {
            format!("({ty}){name}({a}, {b})")
        } else {
            self.signed_as(ty, &format!("{name}({a}, {b})"))
        }
    }
}
