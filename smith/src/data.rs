//! Declarations of the program's types and constants: structs, a union, an enumeration, and tables in constant
//! memory.

use crate::scope::{Address, Path, Step};
use crate::types::Ty;
use crate::writer::Generator;

/// Type of a declared object.
#[derive(Clone, Debug)]
pub enum Shape {
    Value(Ty),
    /// Array: the element type and the lengths, the outermost first.
    Array(Ty, Vec<u32>),
    /// Struct, as an index into `Generator::structs`.
    Struct(usize),
    /// Array of structs: the index of the struct and the length.
    Structs(usize, u32),
}

/// Struct type of the program.
pub struct Struct {
    pub name: String,
    /// True if the struct is packed. Its members may be misaligned, so the program takes no pointers to them.
    pub packed: bool,
    pub fields: Vec<(String, Shape)>,
}

impl Struct {
    /// Returns the members of arithmetic type and the last elements of one-dimensional array members, as suffixes
    /// such as `.f1` or `.f1[2]`.
    pub fn direct_leaves(&self) -> Vec<(String, Ty)> {
        let leaf = |(name, shape): &(String, Shape)| match shape {
            Shape::Value(ty) => Some((format!(".{name}"), *ty)),
            Shape::Array(ty, lengths) if lengths.len() == 1 => {
                Some((format!(".{name}[{}]", lengths[0] - 1), *ty))
            }
            _ => None,
        };
        self.fields.iter().filter_map(leaf).collect()
    }
}

impl Generator {
    /// Returns the type and the declarator of an object, such as `int name[3]`.
    pub fn declarator(&self, shape: &Shape, name: &str) -> String {
        match shape {
            Shape::Value(ty) => format!("{ty} {name}"),
            Shape::Array(ty, lengths) => {
                let lengths: String = lengths.iter().map(|l| format!("[{l}]")).collect();
                format!("{ty} {name}{lengths}")
            }
            Shape::Struct(which) => format!("struct {} {name}", self.structs[*which].name),
            Shape::Structs(which, len) => format!("struct {} {name}[{len}]", self.structs[*which].name),
        }
    }

    /// Adds an object and all its subobjects to the scope.
    pub fn declare(&mut self, path: &Path, shape: &Shape) {
        match shape {
            Shape::Value(ty) => self.scope.leaves.push((path.clone(), *ty)),
            Shape::Array(ty, lengths) => {
                let (last, outer) = lengths.split_last().expect("an array has a length");
                let row = outer.iter().fold(path.clone(), |row, &len| row.then(Step::Index { from: 0, len }));
                let mut element = row.then(Step::Index { from: 0, len: *last });
                element.in_array |= row.steps.is_empty();
                self.scope.leaves.push((element, *ty));
                if ty.is_scalar() && path.address != Address::No {
                    self.scope.arrays.push((row, *ty, *last));
                }
            }
            Shape::Structs(which, len) => {
                let mut element = path.then(Step::Index { from: 0, len: *len });
                element.in_array = true;
                self.declare(&element, &Shape::Struct(*which));
            }
            Shape::Struct(which) => {
                self.scope.structs.push((path.clone(), *which));
                let packed = self.structs[*which].packed;
                for (name, field) in self.structs[*which].fields.clone() {
                    let mut member = path.then(Step::Text(format!(".{name}")));
                    if packed {
                        member.address = Address::No;
                    }
                    self.declare(&member, &field);
                }
            }
        }
    }

    /// Generates an initializer.
    pub fn initializer(&mut self, shape: &Shape, depth: u32) -> String {
        match shape {
            Shape::Value(ty) => self.expression(*ty, depth),
            Shape::Array(ty, lengths) => {
                let (first, rest) = lengths.split_first().expect("an array has a length");
                let inner =
                    if rest.is_empty() { Shape::Value(*ty) } else { Shape::Array(*ty, rest.to_vec()) };
                // An initializer may omit trailing elements, which are then 0.
                let given = if self.random.chance(15) { 1 + self.random.below(*first) } else { *first };
                let parts: Vec<String> = (0..given).map(|_| self.initializer(&inner, depth.min(1))).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Shape::Structs(which, len) => {
                let parts: Vec<String> =
                    (0..*len).map(|_| self.initializer(&Shape::Struct(*which), depth.min(1))).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Shape::Struct(which) => {
                let fields = self.structs[*which].fields.clone();
                let named = self.random.chance(25);
                let parts: Vec<String> = fields
                    .iter()
                    .map(|(name, field)| {
                        let value = self.initializer(field, depth.min(1));
                        if named { format!(".{name} = {value}") } else { value }
                    })
                    .collect();
                format!("{{{}}}", parts.join(", "))
            }
        }
    }

    /// Generates an initializer of literals, for objects that are initialized before the program runs.
    fn constant_initializer(&mut self, shape: &Shape) -> String {
        let parts: Vec<String> = match shape {
            Shape::Value(ty) => return self.literal(*ty),
            Shape::Array(ty, lengths) => {
                let (first, rest) = lengths.split_first().expect("an array has a length");
                let inner =
                    if rest.is_empty() { Shape::Value(*ty) } else { Shape::Array(*ty, rest.to_vec()) };
                (0..*first).map(|_| self.constant_initializer(&inner)).collect()
            }
            Shape::Struct(which) => {
                let fields = self.structs[*which].fields.clone();
                fields.iter().map(|(_, field)| self.constant_initializer(field)).collect()
            }
            Shape::Structs(which, len) => {
                (0..*len).map(|_| self.constant_initializer(&Shape::Struct(*which))).collect()
            }
        };
        format!("{{{}}}", parts.join(", "))
    }

    /// Picks a type for a local variable or a member.
    pub fn any_shape(&mut self) -> Shape {
        match self.random.below(10) {
            0 | 1 if !self.structs.is_empty() => {
                Shape::Struct(self.random.below(self.structs.len() as u32) as usize)
            }
            2 if !self.structs.is_empty() && self.random.chance(30) => {
                let which = self.random.below(self.structs.len() as u32) as usize;
                Shape::Structs(which, 2 + self.random.below(2))
            }
            2 => Shape::Array(Ty::scalar(self.integer_kind()), vec![2 + self.random.below(7)]),
            3 => {
                let ty = self.any_type();
                let lengths =
                    if self.random.chance(50) { vec![2, 1 + self.random.below(3)] } else { vec![3] };
                Shape::Array(ty, lengths)
            }
            _ => Shape::Value(self.any_type()),
        }
    }

    /// Writes the type definitions of the program.
    pub fn write_types(&mut self) {
        self.line("enum Colour { RED = 3, GREEN, BLUE = -7 };");
        self.line("union Bits { ulong u; long s; uint2 i; short4 h; uchar8 c; int p[2]; };");
        for _ in 0..self.random.below(4) {
            let name = self.name("S");
            let packed = self.random.chance(25);
            let mut fields = Vec::new();
            for i in 0..1 + self.random.below(5) {
                fields.push((format!("f{i}"), self.any_shape()));
            }
            // The last member always has an integer type: it receives the hash when the struct is returned.
            fields.push(("last".into(), Shape::Value(self.integer_type())));
            let attribute = if packed { " __attribute__((packed))" } else { "" };
            self.line(&format!("struct{attribute} {name} {{"));
            self.indent += 1;
            for (field, shape) in &fields {
                self.line(&format!("{};", self.declarator(shape, field)));
            }
            self.indent -= 1;
            self.line("};");
            self.structs.push(Struct { name, packed, fields });
        }
    }

    /// Writes the tables in constant memory.
    pub fn write_tables(&mut self) {
        for _ in 0..1 + self.random.below(3) {
            let name = self.name("table");
            let ty = self.integer_type();
            let length = self.random.pick(&[3, 4, 7, 8]);
            let values: Vec<String> = (0..length).map(|_| self.literal(ty)).collect();
            self.line(&format!("constant {ty} {name}[{length}] = {{{}}};", values.join(", ")));
            self.declare(&Path::variable(&name).read_only(), &Shape::Array(ty, vec![length]));
            self.tables.push((name, ty, length));
        }
        let name = self.name("fixed");
        let shape = self.any_shape();
        let value = self.constant_initializer(&shape);
        let declarator = self.declarator(&shape, &name);
        self.line(&format!("constant {declarator} = {value};"));
        self.declare(&Path::variable(&name).read_only(), &shape);
    }
}
