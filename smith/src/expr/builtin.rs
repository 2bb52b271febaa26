//! Generation of calls: integer builtins (s6.13.3, s6.13.6, s6.13.12), the program's functions, and blocks.

use crate::data::Shape;
use crate::types::{Kind, Ty};
use crate::writer::Generator;

/// Builtins of two operands whose result has the operands' type.
const PAIRS: [&str; 8] = ["add_sat", "sub_sat", "mul_hi", "rotate", "hadd", "rhadd", "min", "max"];

impl Generator {
    pub(super) fn builtin(&mut self, ty: Ty, d: u32) -> String {
        let unsigned = !ty.kind.is_signed();
        match self.random.below(15) {
            0 if unsigned => {
                let kind = Kind::integer(ty.kind.bits(), self.random.chance(70));
                format!("abs({})", self.expression(ty.of(kind), d))
            }
            1 if unsigned => {
                let operand = ty.of(Kind::integer(ty.kind.bits(), self.random.chance(70)));
                format!("abs_diff({}, {})", self.expression(operand, d), self.expression(operand, d))
            }
            2 => self.one(ty, d),
            3 => {
                let (a, b, c) = (self.expression(ty, d), self.expression(ty, d), self.expression(ty, d));
                // The last operand is halved so that the sum cannot overflow.
                let c = if unsigned { c } else { format!("({ty})({c} >> ({ty})(1))") };
                format!("mad_hi({a}, {b}, {c})")
            }
            4 => {
                let (a, b, c) = (self.expression(ty, d), self.expression(ty, d), self.expression(ty, d));
                format!("mad_sat({a}, {b}, {c})")
            }
            5 => {
                let low = self.random.below(40);
                let high = low + self.random.below(80);
                format!("clamp({}, ({ty})({low}), ({ty})({high}))", self.expression(ty, d))
            }
            6 if ty.kind.bits() > 8 => {
                let half = ty.kind.bits() / 2;
                let high = ty.of(Kind::integer(half, ty.kind.is_signed()));
                let low = ty.of(Kind::integer(half, false));
                format!("upsample({}, {})", self.expression(high, d), self.expression(low, d))
            }
            7 => {
                let (a, b, c) = (self.expression(ty, d), self.expression(ty, d), self.expression(ty, d));
                format!("bitselect({a}, {b}, {c})")
            }
            8 => {
                let mask = ty.of(Kind::integer(ty.kind.bits(), self.random.chance(50)));
                let (a, b) = (self.expression(ty, d), self.expression(ty, d));
                format!("select({a}, {b}, {})", self.expression(mask, d))
            }
            9 | 10 if !ty.is_scalar() && ty.lanes != 3 => self.shuffled(ty, d),
            11 if ty.kind.bits() == 32 => self.mul24(ty, d),
            12 if ty.kind.bits() >= 32 => self.float_compared(ty, d.min(1)),
            _ => {
                let name = self.random.pick(&PAIRS);
                format!("{name}({}, {})", self.expression(ty, d), self.expression(ty, d))
            }
        }
    }

    fn one(&mut self, ty: Ty, d: u32) -> String {
        let name = self.random.pick(&["clz", "popcount"]);
        format!("{name}({})", self.expression(ty, d))
    }

    /// Generates a call of `mul24` or `mad24`. The operands are masked so that the product is defined.
    fn mul24(&mut self, ty: Ty, d: u32) -> String {
        let (a, b) = (self.expression(ty, d), self.expression(ty, d));
        let product = format!("({a} & ({ty})(0x7ff)), ({b} & ({ty})(0xfff))");
        if self.random.chance(50) {
            return format!("mul24({product})");
        }
        format!("mad24({product}, ({} & ({ty})(0xffff)))", self.expression(ty, d))
    }

    /// Generates a call of a function or a block without side effects and converts its result to `ty`.
    pub(super) fn pure_call(&mut self, ty: Ty, d: u32) -> String {
        if self.is_20() && self.random.chance(35) {
            return self.block_call(ty, d);
        }
        let room = self.budget.saturating_sub(self.cost) / self.weight;
        let fitting: Vec<usize> = (0..self.functions.len())
            .filter(|&i| self.functions[i].is_pure && self.functions[i].cost <= room)
            .collect();
        if fitting.is_empty() {
            return self.term(ty);
        }
        let function = self.functions[self.random.pick(&fitting)].clone();
        self.cost += function.cost * self.weight;
        let args: Vec<String> = function.params.iter().map(|param| self.argument(param, d)).collect();
        let call = format!("{}({})", function.name, args.join(", "));
        match function.result {
            Shape::Struct(which) | Shape::Structs(which, _) => {
                let leaves = self.structs[which].direct_leaves();
                let (member, from) = leaves[self.random.below(leaves.len() as u32) as usize].clone();
                self.convert(&format!("{call}{member}"), from, ty)
            }
            Shape::Value(from) | Shape::Array(from, _) => self.convert(&call, from, ty),
        }
    }

    /// Generates a call of a block by its name, of a block literal, or of a function that takes a block. The call
    /// is cast to its type because some compilers treat the call of a block as a block, and reject it where blocks
    /// are not allowed, such as in `?:`.
    fn block_call(&mut self, ty: Ty, d: u32) -> String {
        let blocks = self.scope.blocks.clone();
        self.cost += 4 * self.weight;
        if !blocks.is_empty() && self.random.chance(50) {
            let (name, param, result) = &blocks[self.random.below(blocks.len() as u32) as usize];
            let call = format!("({result})({name}({}))", self.expression(*param, d));
            return self.convert(&call, *result, ty);
        }
        if !self.appliers.is_empty() && self.random.chance(60) {
            let (name, of) = self.appliers[self.random.below(self.appliers.len() as u32) as usize].clone();
            let fitting: Vec<String> =
                blocks.iter().filter(|b| b.1 == of && b.2 == of).map(|b| b.0.clone()).collect();
            let block = match fitting.first() {
                Some(name) => name.clone(),
                None => self.block_literal(of, of, d.min(2)),
            };
            let call = format!("{name}({block}, {})", self.expression(of, d));
            return self.convert(&call, of, ty);
        }
        let param = self.integer_type();
        format!("({ty})({}({}))", self.block_literal(param, ty, d.min(2)), self.expression(param, d))
    }

    /// Generates the literal `^result(param x) { return ...; }`.
    pub fn block_literal(&mut self, param: Ty, result: Ty, d: u32) -> String {
        let captured = self.scope.captured();
        let outside = std::mem::replace(&mut self.scope, captured);
        let name = self.name("x");
        let path = crate::scope::Path::variable(&name).read_only();
        self.scope.leaves.push((path, param));
        let value = self.expression(result, d);
        self.scope = outside;
        format!("^{result}({param} {name}) {{ return {value}; }}")
    }
}
