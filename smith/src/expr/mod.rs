//! Generation of expressions. They are pure and have exactly the requested type.
//!
//! The result of every operator is converted to the requested type, so that a generating function can use an
//! operand as it is. No expression has a side effect, so neither the order of evaluation nor the number of
//! evaluations matters.

mod builtin;
mod float;
mod int;
mod literal;
mod vector;

use crate::scope::{Address, Path};
use crate::types::{Kind, Ty};
use crate::writer::Generator;

/// Kinds of integer expressions.
#[derive(Clone, Copy)]
enum IntExpression {
    Term,
    Bitwise,
    Arithmetic,
    Shift,
    Divide,
    Compare,
    Ternary,
    Builtin,
    Convert,
    Swizzle,
    Build,
    Call,
    Unary,
    Mixed,
    Float,
    Load,
}

const INT_EXPRESSION_WEIGHTS: [(u32, IntExpression); 16] = [
    (10, IntExpression::Term),
    (8, IntExpression::Bitwise),
    (12, IntExpression::Arithmetic),
    (6, IntExpression::Shift),
    (6, IntExpression::Divide),
    (7, IntExpression::Compare),
    (7, IntExpression::Ternary),
    (14, IntExpression::Builtin),
    (8, IntExpression::Convert),
    (7, IntExpression::Swizzle),
    (6, IntExpression::Build),
    (10, IntExpression::Call),
    (4, IntExpression::Unary),
    (4, IntExpression::Mixed),
    (4, IntExpression::Float),
    (2, IntExpression::Load),
];

impl Generator {
    /// Generates an expression of type `ty` with at most `depth` levels of operators.
    pub fn expression(&mut self, ty: Ty, depth: u32) -> String {
        if ty.kind.is_float() {
            return self.bounded_float(ty, depth);
        }
        if depth == 0 {
            return self.term(ty);
        }
        let d = depth - 1;
        match self.random.weighted(&INT_EXPRESSION_WEIGHTS) {
            IntExpression::Term => self.term(ty),
            IntExpression::Bitwise => self.bitwise(ty, d),
            IntExpression::Arithmetic => self.arithmetic(ty, d),
            IntExpression::Shift => self.shift(ty, d),
            IntExpression::Divide => self.divide(ty, d),
            IntExpression::Compare => self.compare(ty, d),
            IntExpression::Ternary => self.ternary(ty, d),
            IntExpression::Builtin => self.builtin(ty, d),
            IntExpression::Convert => self.converted(ty, d),
            IntExpression::Swizzle => self.swizzled(ty, d),
            IntExpression::Build if ty.is_scalar() => self.any_all(ty, d),
            IntExpression::Build => self.vector_literal(ty, d),
            IntExpression::Call => self.pure_call(ty, d),
            IntExpression::Unary => self.unary(ty, d),
            IntExpression::Mixed => self.mixed(ty, d),
            IntExpression::Float => self.float_as_integer(ty, d),
            IntExpression::Load => self.load(ty, d),
        }
    }

    /// Generates a literal or the name of an object.
    pub fn term(&mut self, ty: Ty) -> String {
        if self.random.chance(25) {
            return self.literal(ty);
        }
        if ty.is_scalar() && self.random.chance(8) {
            return self.particular(ty);
        }
        let exact = self.leaf(0, |_, t| t == ty);
        if let Some((text, _)) = exact.filter(|_| self.random.chance(80)) {
            return text;
        }
        match self.leaf(0, |_, t| t.kind.is_float() == ty.kind.is_float()) {
            Some((text, from)) => self.convert(&text, from, ty),
            None => self.literal(ty),
        }
    }

    /// Generates an id, a size, a counter, or a constant such as `sizeof` or an enumerator.
    fn particular(&mut self, ty: Ty) -> String {
        let counters: Vec<String> = self.scope.counters.iter().map(|(name, _)| name.clone()).collect();
        if !counters.is_empty() && self.random.chance(60) {
            let name = &counters[self.random.below(counters.len() as u32) as usize];
            return format!("({ty}){name}");
        }
        match self.random.below(9) {
            0 => {
                let any = self.any_type();
                format!("({ty})sizeof({any})")
            }
            6 | 7 if !self.scope.arrays.is_empty() => {
                let which = self.random.below(self.scope.arrays.len() as u32) as usize;
                let (path, _, len) = self.scope.arrays[which].clone();
                let (at, array) = (self.random.below(len), path.name.clone());
                if path.steps.is_empty() {
                    format!("({ty})(&{array}[{at}] - {array})")
                } else {
                    self.literal(ty)
                }
            }
            8 => self.byte(ty),
            1 if !self.structs.is_empty() => {
                let which = self.random.below(self.structs.len() as u32) as usize;
                format!("({ty})sizeof(struct {})", self.structs[which].name)
            }
            2 => format!("({ty}){}", self.random.pick(&["RED", "GREEN", "BLUE"])),
            3 => format!("({ty})get_local_size(0)"),
            4 => format!("({ty})get_group_id(0)"),
            _ => format!("({ty})get_local_id(0)"),
        }
    }

    /// Generates a read of one byte of a variable through a `uchar` pointer. Vectors of three lanes are excluded
    /// because they have padding.
    fn byte(&mut self, ty: Ty) -> String {
        let fits =
            |path: &Path, t: Ty| path.address == Address::Private && !t.kind.is_float() && t.lanes != 3;
        match self.leaf(0, fits) {
            Some((place, of)) => {
                let at = self.random.below(of.size() / 8);
                format!("({ty})((uchar *)&{place})[{at}]")
            }
            None => self.literal(ty),
        }
    }

    /// Generates a condition: an `int` that is only compared with 0.
    pub fn condition(&mut self, depth: u32) -> String {
        if depth == 0 {
            let ty = Ty::scalar(self.integer_kind());
            let (a, b) = (self.term(ty), self.term(ty));
            let op = self.random.pick(&["<", ">", "<=", ">=", "!=", "=="]);
            return format!("{a} {op} {b}");
        }
        match self.random.below(6) {
            0 => format!("({}) && ({})", self.condition(depth - 1), self.condition(depth - 1)),
            1 => format!("({}) || ({})", self.condition(depth - 1), self.condition(depth - 1)),
            2 => format!("!({})", self.condition(depth - 1)),
            3 => {
                let ty = Ty::scalar(self.integer_kind());
                let value = self.expression(ty, depth - 1);
                format!("({value} & {}) != 0", 1 + self.random.below(7))
            }
            4 => self.any_all(Ty::scalar(Kind::Int), depth - 1),
            _ => {
                let ty = Ty::scalar(self.integer_kind());
                let (a, b) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
                let op = self.random.pick(&["<", ">", "<=", ">=", "!="]);
                format!("{a} {op} {b}")
            }
        }
    }

    /// Generates a condition that has the same value in all work-items of a work-group.
    pub fn shared_condition(&mut self) -> String {
        let value = self.shared_value();
        match self.random.below(3) {
            0 => format!("({value} & {}) != 0", 1 + self.random.below(3)),
            1 => format!("{value} < {}", self.random.below(6)),
            _ => format!("{value} % 3 != {}", self.random.below(3)),
        }
    }

    /// Generates a small non-negative `int` that has the same value in all work-items of a work-group.
    pub fn shared_value(&mut self) -> String {
        let names = self.scope.shared.clone();
        if !names.is_empty() && self.random.chance(40) {
            let name = &names[self.random.below(names.len() as u32) as usize];
            return format!("({name} + {})", self.random.below(4));
        }
        match self.random.below(4) {
            0 => format!("(int)(get_group_id(0) + {})", self.random.below(3)),
            1 => "((n + (int)get_group_id(0)) & 3)".into(),
            _ => format!("((n + {}) & 7)", self.random.below(4)),
        }
    }
}

/// Casts the result of an integer operation back to its operands' type, if it was promoted to `int`.
fn typed(ty: Ty, text: &str) -> String {
    if ty.is_scalar() && ty.kind.is_promoted() { format!("({ty})({text})") } else { format!("({text})") }
}
