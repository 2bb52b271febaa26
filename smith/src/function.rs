//! Generation of functions. A function calls only functions written before it, so there is no recursion. Each
//! function has a cost limit, which bounds the run time of calls in loops of called functions.

use crate::data::Shape;
use crate::scope::{Path, Scope, Step};
use crate::stmt::Flow;
use crate::types::Ty;
use crate::writer::Generator;

/// Type of a function parameter.
#[derive(Clone, Debug)]
pub enum Param {
    Value(Ty),
    Struct(usize),
    Pointer(Ty),
    StructPointer(usize),
    /// Pointer to a table in constant memory, as an index into `Generator::tables`.
    Table(usize),
}

/// Function of the program that can be called.
#[derive(Clone)]
pub struct Function {
    pub name: String,
    pub result: Shape,
    pub params: Vec<Param>,
    /// True if the function has no side effects, so that any expression may call it.
    pub is_pure: bool,
    /// True if the function has barriers, so that all work-items of the group must call it.
    pub is_group: bool,
    pub cost: u32,
}

/// Limit on the cost of one call of a function, in statements.
// Arbitrary.
const BUDGET: u32 = 60;

impl Generator {
    /// Writes prototypes and definitions that precede the kernel, and returns the definitions that follow it.
    pub fn write_functions(&mut self) -> String {
        let mut after = String::new();
        for i in 0..1 + self.options.size / 4 {
            let definition = match (i, self.random.below(4)) {
                (0, _) | (_, 0) => self.function(true, false),
                (_, 1) => self.function(false, true),
                _ => self.function(false, false),
            };
            let head = definition.lines().next().unwrap_or_default().trim_end_matches(" {").to_owned();
            if self.random.chance(30) {
                self.line(&format!("{head};"));
                after += &definition;
                after.push('\n');
            } else {
                self.text += &definition;
                self.text.push('\n');
            }
        }
        after
    }

    /// Returns the text of a new function and makes the function available to later calls.
    fn function(&mut self, is_pure: bool, is_group: bool) -> String {
        let global = Scope { leaves: self.scope.leaves.clone(), ..Scope::default() };
        let outside = std::mem::replace(&mut self.scope, global);
        (self.cost, self.weight, self.budget) = (0, 1, BUDGET);
        let name = self.name(if is_group { "group" } else { "f" });
        let mut result = Shape::Value(self.integer_type());
        if !is_group && !self.structs.is_empty() && self.random.chance(25) {
            result = Shape::Struct(self.random.below(self.structs.len() as u32) as usize);
        }
        let (params, mut heads) = self.parameters(is_pure || is_group);
        if is_group {
            heads.extend(["local uint *scratch".into(), "int n".into()]);
        }
        let kind = self.random.pick(&["", "static ", "static inline ", "__attribute__((noinline)) "]);
        let head = format!("{kind}{}({})", self.declarator(&result, &name), heads.join(", "));
        let text = self.write_to_string(|g| {
            let mark = g.open(&head);
            let start = 1 + g.random.below(1000);
            g.line(&format!("ulong h = {start}UL;"));
            if is_group {
                g.write_numbers();
                g.group_statements(2 + g.options.size / 8);
            } else {
                let flow = Flow { returns: Some(result.clone()), ..Flow::default() };
                let count = 2 + g.random.below(3 + g.options.size / 4);
                g.statements(count, 2, &flow);
            }
            g.hash_scope(mark, 2);
            let value = g.returned(&result, true);
            g.line(&value);
            g.close(mark, "");
        });
        self.scope = outside;
        let cost = self.cost + 5;
        self.functions.push(Function { name, result, params, is_pure, is_group, cost });
        text
    }

    /// Adds new parameters to the scope and returns them with their declarations.
    fn parameters(&mut self, only_values: bool) -> (Vec<Param>, Vec<String>) {
        let (mut params, mut heads) = (Vec::new(), Vec::new());
        for _ in 0..1 + self.random.below(4) {
            let name = self.name("p");
            let path = Path::variable(&name);
            let structs = self.structs.len() as u32;
            let choice = self.random.below(if only_values { 7 } else { 11 });
            let param = match choice {
                6 => Param::Table(self.random.below(self.tables.len() as u32) as usize),
                0 if structs > 0 => Param::Struct(self.random.below(structs) as usize),
                7..=9 => Param::Pointer(self.any_type()),
                10 if structs > 0 => Param::StructPointer(self.random.below(structs) as usize),
                _ => Param::Value(self.any_type()),
            };
            match &param {
                Param::Value(ty) => {
                    heads.push(format!("{ty} {name}"));
                    self.declare(&path, &Shape::Value(*ty));
                }
                Param::Struct(which) => {
                    heads.push(format!("struct {} {name}", self.structs[*which].name));
                    self.declare(&path, &Shape::Struct(*which));
                }
                Param::Pointer(ty) => {
                    heads.push(format!("{ty} *{name}"));
                    self.declare(&Path::variable(&format!("(*{name})")), &Shape::Value(*ty));
                }
                Param::Table(which) => {
                    let (_, ty, len) = self.tables[*which].clone();
                    heads.push(format!("constant {ty} *{name}"));
                    let mut element = path.read_only().then(Step::Index { from: 0, len });
                    element.in_array = false;
                    self.scope.leaves.push((element, ty));
                }
                Param::StructPointer(which) => {
                    heads.push(format!("struct {} *{name}", self.structs[*which].name));
                    self.declare(&Path::variable(&format!("(*{name})")), &Shape::Struct(*which));
                }
            }
            params.push(param);
        }
        (params, heads)
    }

    /// Generates a statement `return ...;`.
    pub fn returned(&mut self, result: &Shape, last: bool) -> String {
        match result {
            Shape::Struct(which) | Shape::Structs(which, _) => {
                let same = self.scope.structs_of(*which);
                if let Some(path) = same.first().filter(|_| self.random.chance(50)) {
                    let text = self.path(path, 0);
                    return format!("return {text};");
                }
                let name = self.name("r");
                let value = self.initializer(result, 1);
                let declared = self.declarator(result, &name);
                format!("{{ {declared} = {value}; {name}.last ^= {}; return {name}; }}", self.hash_as(*which))
            }
            Shape::Value(ty) | Shape::Array(ty, _) => {
                let value = self.expression(*ty, 1);
                if last || self.random.chance(50) {
                    let sum = if ty.is_scalar() {
                        format!("({ty})({value} ^ ({ty})h)")
                    } else {
                        format!("{value} ^ ({ty})(({})h)", ty.element())
                    };
                    return format!("return {sum};");
                }
                format!("return {value};")
            }
        }
    }

    /// Returns the hash, cast to the type of the last member of a struct.
    fn hash_as(&mut self, which: usize) -> String {
        match self.structs[which].fields.last() {
            Some((_, Shape::Value(ty))) => format!("({ty})(({})h)", ty.element()),
            _ => "h".into(),
        }
    }

    /// Generates an argument without side effects. Callers do not pass pointer parameters.
    pub fn argument(&mut self, param: &Param, d: u32) -> String {
        match param {
            Param::Value(ty) => self.expression(*ty, d),
            Param::Struct(which) | Param::StructPointer(which) => {
                let same = self.scope.structs_of(*which);
                if same.is_empty() {
                    let value = self.initializer(&Shape::Struct(*which), 0);
                    return format!("((struct {}){value})", self.structs[*which].name);
                }
                let path = same[self.random.below(same.len() as u32) as usize].clone();
                self.path(&path, d.min(1))
            }
            Param::Pointer(ty) => self.expression(*ty, d),
            Param::Table(which) => {
                let (name, ty, len) = self.tables[*which].clone();
                let alike: Vec<String> =
                    self.tables.iter().filter(|t| t.1 == ty && t.2 >= len).map(|t| t.0.clone()).collect();
                alike.get(self.random.below(alike.len() as u32) as usize).cloned().unwrap_or(name)
            }
        }
    }

    /// Writes OpenCL C 2.0 functions that call their block argument a few times.
    pub fn write_appliers(&mut self) {
        for _ in 0..1 + self.random.below(2) {
            let name = self.name("apply");
            let ty = self.integer_type();
            let times = 1 + self.random.below(3);
            self.line(&format!("static {ty} {name}({ty} (^block)({ty}), {ty} x) {{"));
            self.line(&format!("    for (int i = 0; i < {times}; i++)"));
            self.line("        x = block(x) ^ x;");
            self.line("    return x;");
            self.line("}");
            self.appliers.push((name, ty));
        }
    }

    /// Returns `&object` for a pointer parameter, or `None` if no object of this type is in scope.
    pub fn address_of(&mut self, ty: Ty) -> Option<String> {
        let generic = self.is_20();
        let fits = move |path: &Path, t: Ty| t == ty && path.writable && points_at(path, generic);
        self.leaf(1, fits).map(|(text, _)| format!("&{text}"))
    }

    /// Returns `&object` for a pointer to a struct, or `None` if no such struct is in scope.
    pub fn address_of_struct(&mut self, which: usize) -> Option<String> {
        let generic = self.is_20();
        let structs = self.scope.structs.iter();
        let same: Vec<Path> = structs
            .filter(|(path, s)| *s == which && path.writable && points_at(path, generic))
            .map(|(path, _)| path.clone())
            .collect();
        let path = (!same.is_empty()).then(|| same[self.random.below(same.len() as u32) as usize].clone())?;
        Some(format!("&{}", self.path(&path, 1)))
    }

    /// Generates pointer arithmetic within an array. Returns the pointer, its element type, and the range of valid
    /// indices from it, or `None` if no array is suitable.
    pub fn pointer_into_array(&mut self) -> Option<(String, Ty, Step)> {
        let generic = self.is_20();
        let arrays = self.scope.arrays.iter();
        let fitting: Vec<_> =
            arrays.filter(|(path, ..)| path.writable && points_at(path, generic)).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let (path, ty, len) = fitting[self.random.below(fitting.len() as u32) as usize].clone();
        let at = self.random.below(len);
        let array = self.path(&path, 1);
        Some((format!("{array} + {at}"), ty, Step::Index { from: -(at as i32), len }))
    }
}

/// Checks whether a pointer without an address space may point at the object. `generic` allows the generic address
/// space.
fn points_at(path: &Path, generic: bool) -> bool {
    use crate::scope::Address;
    path.address == Address::Private || generic && path.address == Address::Shared
}
