//! Generation of statements with side effects: all forms of assignment, and calls.

use crate::data::Shape;
use crate::function::Param;
use crate::scope::{Address, Path};
use crate::types::{Kind, Ty};
use crate::writer::Generator;

/// Members of `union Bits`. All are 64 bits wide except `p[1]`, the second half of an array.
const MEMBERS: [(&str, Ty); 6] = [
    ("u", Ty { kind: Kind::ULong, lanes: 1 }),
    ("s", Ty { kind: Kind::Long, lanes: 1 }),
    ("i", Ty { kind: Kind::UInt, lanes: 2 }),
    ("h", Ty { kind: Kind::Short, lanes: 4 }),
    ("c", Ty { kind: Kind::UChar, lanes: 8 }),
    ("p[1]", Ty { kind: Kind::Int, lanes: 1 }),
];

impl Generator {
    pub fn assignment(&mut self) {
        match self.leaf(2, |path, _| path.writable) {
            Some((place, ty)) => {
                let value = self.expression(ty, 3);
                self.line(&format!("{place} = {value};"));
            }
            None => self.observe(),
        }
    }

    /// Writes a compound assignment whose operation cannot overflow.
    pub fn compound(&mut self) {
        let Some((place, ty)) = self.leaf(1, |path, ty| path.writable && !ty.kind.is_float()) else {
            return self.observe();
        };
        let narrow = ty.is_scalar() && ty.kind.is_promoted();
        let sums = !ty.kind.is_signed() || narrow;
        // The product of two `ushort` can overflow `int`.
        let products = if narrow { ty.kind != Kind::UShort } else { sums };
        let op = self.random.pick(&["^", "|", "&", "+", "-", "*", "<<", ">>", "/", "%"]);
        let value = match op {
            "+" | "-" if !sums => return self.line_assign(&place, ty),
            "*" if !products => return self.line_assign(&place, ty),
            "<<" if ty.kind.is_signed() => return self.line_assign(&place, ty),
            "<<" | ">>" => format!("({ty})({})", self.random.below(ty.kind.bits().min(64))),
            "/" | "%" if self.random.chance(50) || ty.kind.is_signed() => {
                format!("({ty})({})", 1 + self.random.below(100))
            }
            "/" | "%" => format!("({} | ({ty})(1))", self.expression(ty, 2)),
            _ => {
                let operand = if self.random.chance(25) { ty.element() } else { ty };
                self.expression(operand, 2)
            }
        };
        self.line(&format!("{place} {op}= {value};"));
    }

    fn line_assign(&mut self, place: &str, ty: Ty) {
        let value = self.expression(ty, 2);
        self.line(&format!("{place} = {value};"));
    }

    /// Writes an assignment to some lanes of a vector.
    pub fn swizzle_assignment(&mut self) {
        let Some((place, ty)) = self.leaf(1, |path, ty| path.writable && !ty.is_scalar()) else {
            return self.assignment();
        };
        let counts: Vec<u32> = [1, 1, 2, 3, 4, 8].into_iter().filter(|&l| l <= ty.lanes).collect();
        let lanes = self.random.pick(&counts);
        let names = self.lane_names(ty.lanes, lanes, true);
        let part = Ty { lanes, ..ty };
        let value = self.expression(part, 2);
        let op = if ty.kind.is_float() { "" } else { self.random.pick(&["", "", "^", "|", "&"]) };
        self.line(&format!("{place}.{names} {op}= {value};"));
    }

    /// Writes `++` or `--`, as a statement or as an initializer.
    pub fn count_up(&mut self) {
        let wanted =
            |ty: Ty| !ty.kind.is_float() && (!ty.kind.is_signed() || ty.is_scalar() && ty.kind.is_promoted());
        let Some((place, ty)) = self.leaf(1, |path, ty| path.writable && wanted(ty)) else {
            return self.assignment();
        };
        let op = self.random.pick(&["++", "--"]);
        let text = if self.random.chance(50) { format!("{place}{op}") } else { format!("{op}{place}") };
        if self.random.chance(50) {
            self.line(&format!("{text};"));
        } else {
            self.declare_value(ty, &text);
        }
    }

    /// Writes a side effect and an expression that may observe it, with a sequence point between them.
    pub fn sequence(&mut self) {
        let scalar = |ty: Ty| ty.is_scalar() && !ty.kind.is_float();
        let Some((place, ty)) = self.leaf(0, |path, ty| path.writable && scalar(ty)) else {
            return self.assignment();
        };
        let (value, after) = (self.expression(ty, 2), self.expression(ty, 2));
        match self.random.below(3) {
            0 => {
                self.declare_value(ty, &format!("({place} = {value}, {after})"));
            }
            1 => {
                let condition = self.condition(1);
                let limit = self.literal(ty);
                self.line(&format!("if (({condition}) && ({place} = {value}) != {limit})"));
                self.hash_indented(&after, ty);
            }
            _ => {
                let condition = self.condition(1);
                self.declare_value(ty, &format!("({condition}) ? ({place} = {value}) : {after}"));
            }
        }
    }

    fn hash_indented(&mut self, text: &str, ty: Ty) {
        self.indent += 1;
        self.hash(text, ty);
        self.indent -= 1;
    }

    /// Writes one member of a union and reads another.
    pub fn union_statement(&mut self) {
        if self.random.chance(50) {
            return self.set_byte();
        }
        let (member, ty) = self.random.pick(&MEMBERS[..5]);
        let (other, read) = self.random.pick(&MEMBERS);
        let value = self.expression(ty, 2);
        let name = self.name("u");
        self.line(&format!("union Bits {name};"));
        self.line(&format!("{name}.{member} = {value};"));
        self.hash(&format!("{name}.{other}"), read);
    }

    /// Writes an assignment to one byte of a variable.
    fn set_byte(&mut self) {
        let fits = |path: &Path, ty: Ty| {
            path.writable && path.address == Address::Private && !ty.kind.is_float() && ty.lanes != 3
        };
        let Some((place, ty)) = self.leaf(0, fits) else { return self.assignment() };
        let at = self.random.below(ty.size() / 8);
        let value = self.expression(Ty::scalar(Kind::UChar), 2);
        self.line(&format!("((uchar *)&{place})[{at}] = {value};"));
    }

    pub fn copy_struct(&mut self) {
        let writable: Vec<_> = self.scope.structs.iter().filter(|(path, _)| path.writable).cloned().collect();
        if writable.is_empty() {
            return self.declaration();
        }
        let (target, which) = writable[self.random.below(writable.len() as u32) as usize].clone();
        let target = self.path(&target, 1);
        let value = self.argument(&Param::Struct(which), 1);
        self.line(&format!("{target} = {value};"));
    }

    /// Writes a `vstoren` to an array.
    pub fn store(&mut self) {
        let arrays = self.scope.arrays.iter();
        let fitting: Vec<_> = arrays.filter(|(path, _, len)| path.writable && *len >= 2).cloned().collect();
        if fitting.is_empty() {
            return self.assignment();
        }
        let (path, ty, len) = fitting[self.random.below(fitting.len() as u32) as usize].clone();
        let array = self.path(&path, 0);
        let lanes: Vec<u32> = [2, 3, 4, 8].into_iter().filter(|&l| l <= len).collect();
        let lanes = self.random.pick(&lanes);
        let start = self.random.below(len - lanes + 1);
        let value = self.expression(Ty { lanes, ..ty }, 2);
        self.line(&format!("vstore{lanes}({value}, 0, {array} + {start});"));
    }

    /// Writes a call of a function that may change the objects its pointer arguments point at. The result
    /// initializes a new variable.
    pub fn call_statement(&mut self) {
        let room = self.budget.saturating_sub(self.cost) / self.weight;
        let fitting: Vec<usize> = (0..self.functions.len())
            .filter(|&i| {
                let f = &self.functions[i];
                !f.is_group && f.cost <= room
            })
            .collect();
        if fitting.is_empty() {
            return self.assignment();
        }
        let function = self.functions[self.random.pick(&fitting)].clone();
        self.cost += function.cost * self.weight;
        let args: Vec<String> = function.params.iter().map(|param| self.any_argument(param)).collect();
        self.call_into(&function.name, &args, &function.result);
    }

    pub fn call_into(&mut self, name: &str, args: &[String], result: &Shape) {
        let variable = self.name("c");
        let declarator = self.declarator(result, &variable);
        self.line(&format!("{declarator} = {name}({});", args.join(", ")));
        self.declare(&Path::variable(&variable), result);
    }

    /// Generates an argument. Declares a variable for a pointer to point at if none in scope fits.
    fn any_argument(&mut self, param: &Param) -> String {
        match param {
            Param::Pointer(ty) => self.address_of(*ty).unwrap_or_else(|| {
                let value = self.expression(*ty, 1);
                format!("&{}", self.declare_value(*ty, &value))
            }),
            Param::StructPointer(which) => self.address_of_struct(*which).unwrap_or_else(|| {
                let shape = Shape::Struct(*which);
                let value = self.initializer(&shape, 1);
                let name = self.name("t");
                let declarator = self.declarator(&shape, &name);
                self.line(&format!("{declarator} = {value};"));
                self.declare(&Path::variable(&name), &shape);
                format!("&{name}")
            }),
            _ => self.argument(param, 2),
        }
    }
}
