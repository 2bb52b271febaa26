//! Generation of vector expressions: literals, swizzles, conversions, loads and shuffles.

use crate::types::{Kind, Ty};
use crate::writer::Generator;

const DIGITS: &[u8] = b"0123456789abcdef";

/// Returns the suffix that selects `lanes`, in the form `xyzw` if `short` is set and it is possible, else in the
/// form `s0123`.
pub fn lanes_suffix(lanes: &[u32], short: bool) -> String {
    if short && lanes.iter().all(|&l| l < 4) && lanes.len() <= 4 {
        return lanes.iter().map(|&l| char::from(b"xyzw"[l as usize])).collect();
    }
    let digits = lanes.iter().map(|&l| char::from(DIGITS[l as usize]));
    std::iter::once('s').chain(digits).collect()
}

impl Generator {
    /// Picks a suffix that selects `count` lanes of a vector of `from` lanes, without repetition if `distinct` is
    /// set.
    pub fn lane_names(&mut self, from: u32, count: u32, distinct: bool) -> String {
        // `hi` and `odd` of a vector of three lanes would select the fourth, which is undefined.
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

    /// Generates a swizzle of another vector.
    pub(super) fn swizzled(&mut self, ty: Ty, d: u32) -> String {
        let lanes = self.random.pick(&[2, 3, 4, 8, 16]);
        let from = Ty { lanes, ..ty };
        let value = self.expression(from, d);
        let names = self.lane_names(lanes, ty.lanes, false);
        format!("({value}).{names}")
    }

    /// Generates a vector literal from scalars and shorter vectors, or from one scalar.
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
            // Most elements are terms, to keep the literal short.
            let depth = if self.random.chance(60) { 0 } else { d.min(1) };
            parts.push(self.expression(Ty { lanes, ..ty }, depth));
        }
        format!("({ty})({})", parts.join(", "))
    }

    /// Generates a conversion or reinterpretation of an expression of another type.
    pub(super) fn converted(&mut self, ty: Ty, d: u32) -> String {
        let kind = self.integer_kind();
        let from = match self.random.below(3) {
            // Elements of another size with the same total number of bits.
            0 if ty.lanes != 3 => {
                let lanes = ty.size() / kind.bits();
                if [1, 2, 4, 8, 16].contains(&lanes) { Ty { kind, lanes } } else { ty.of(kind) }
            }
            _ => ty.of(kind),
        };
        let value = self.expression(from, d);
        self.convert(&value, from, ty)
    }

    /// Converts or reinterprets the expression `text` from one type to another.
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
            // Floating-point values are small, so they are exact in both types.
            return format!("convert_{to}({text})");
        }
        match self.random.below(3) {
            0 if to.is_scalar() => format!("({to}){text}"),
            1 => format!("convert_{to}_sat({text})"),
            _ => format!("convert_{to}({text})"),
        }
    }

    /// Changes the number of lanes of `text`: widens a scalar or selects lanes of a vector.
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

    /// Generates a `vloadn` from an array.
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

    /// Generates a call of `shuffle` or `shuffle2` with any mask. The builtins ignore the high bits of its
    /// elements.
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

    /// Generates a comparison of floating-point values with a relational builtin. Its result is a signed integer of
    /// the same size.
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
