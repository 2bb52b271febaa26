//! Generation of declarations.

use crate::data::Shape;
use crate::scope::{Address, Path};
use crate::types::Ty;
use crate::writer::Generator;

impl Generator {
    /// Writes the declaration of a variable with an initializer.
    pub fn declaration(&mut self) {
        if self.random.chance(6) {
            let (name, condition) = (self.name("yes"), self.condition(2));
            self.line(&format!("const bool {name} = {condition};"));
            return self.scope.counters.push((name, 2));
        }
        let shape = self.any_shape();
        self.declare_local(&shape);
    }

    pub fn declare_local(&mut self, shape: &Shape) {
        let value = self.initializer(shape, 3);
        let name = self.name("v");
        let mut path = Path::variable(&name);
        let mut qualifier = "";
        if let Shape::Value(_) = shape {
            match self.random.below(20) {
                0 | 1 => {
                    qualifier = "const ";
                    path = path.read_only();
                }
                2 => {
                    qualifier = "volatile ";
                    path.address = Address::No;
                }
                _ => {}
            }
        }
        let declarator = self.declarator(shape, &name);
        self.line(&format!("{qualifier}{declarator} = {value};"));
        self.declare(&path, shape);
    }

    /// Writes the declaration of a variable with the value `value`, adds it to the scope, and returns its name.
    pub fn declare_value(&mut self, ty: Ty, value: &str) -> String {
        let name = self.name("t");
        self.line(&format!("{ty} {name} = {value};"));
        self.declare(&Path::variable(&name), &Shape::Value(ty));
        name
    }

    /// Writes the declaration of a pointer to an object, into an array, or to a pointer.
    pub fn pointer_declaration(&mut self) {
        let pointers = self.scope.pointers.len() as u32;
        if pointers > 0 && self.random.chance(20) {
            let (to, ty, _) = self.scope.pointers[self.random.below(pointers) as usize].clone();
            let name = self.name("qq");
            self.line(&format!("{ty} **{name} = &{to};"));
            self.scope.leaves.push((Path::variable(&format!("(**{name})")), ty));
            return;
        }
        if self.random.chance(40)
            && let Some((value, ty, index)) = self.pointer_into_array()
        {
            let name = self.name("q");
            self.line(&format!("{ty} *{name} = {value};"));
            let mut path = Path::variable(&name).then(index);
            path.in_array = false;
            self.scope.leaves.push((path, ty));
            return;
        }
        let ty = self.any_type();
        let Some(address) = self.address_of(ty) else { return self.assignment() };
        let name = self.name("q");
        let before = self.scope.leaves.len();
        self.line(&format!("{ty} *{name} = {address};"));
        self.scope.leaves.push((Path::variable(&format!("(*{name})")), ty));
        self.scope.pointers.push((name, ty, before));
    }

    /// Writes an assignment that makes a pointer point at another object. The object must be older than the
    /// pointer, so that it lives at least as long.
    pub fn repoint(&mut self) {
        let pointers = self.scope.pointers.clone();
        if pointers.is_empty() {
            return self.assignment();
        }
        let (name, ty, before) = &pointers[self.random.below(pointers.len() as u32) as usize];
        let later = self.scope.leaves.split_off(*before);
        let address = self.address_of(*ty);
        self.scope.leaves.extend(later);
        if let Some(address) = address {
            self.line(&format!("{name} = {address};"));
        }
    }

    pub fn block_declaration(&mut self) {
        let (param, result) = (self.integer_type(), self.integer_type());
        let literal = self.block_literal(param, result, 2);
        let name = self.name("b");
        self.line(&format!("{result} (^{name})({param}) = {literal};"));
        self.scope.blocks.push((name, param, result));
    }
}
