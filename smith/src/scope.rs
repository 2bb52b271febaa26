//! Objects that an expression or a statement may name.
//!
//! An object is recorded as its subobjects of arithmetic type, its leaves: `s.f1[2]` is a leaf of `s`. Lists grow
//! as declarations are written and are truncated where a scope ends, so every object outlives those after it in its
//! list.

use crate::types::Ty;

/// Step from an object to a subobject.
#[derive(Clone, Debug)]
pub enum Step {
    /// Literal text, such as `.f1`.
    Text(String),
    /// Subscript `[from + i]` with any `i` below `len`.
    Index { from: i32, len: u32 },
}

/// Address space of an object whose address may be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Address {
    /// The address must not be taken: the object is constant, volatile, or in a packed struct.
    No,
    Private,
    /// Local or global memory, at which only generic pointers can point.
    Shared,
}

/// Access path from a variable to a subobject.
#[derive(Clone, Debug)]
pub struct Path {
    pub name: String,
    pub steps: Vec<Step>,
    pub writable: bool,
    pub address: Address,
    /// True if the variable is an array, which blocks do not capture.
    pub in_array: bool,
}

impl Path {
    pub fn variable(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            steps: Vec::new(),
            writable: true,
            address: Address::Private,
            in_array: false,
        }
    }

    pub fn read_only(mut self) -> Self {
        self.writable = false;
        self.address = Address::No;
        self
    }

    pub fn then(&self, step: Step) -> Self {
        let mut path = self.clone();
        path.in_array |= matches!(step, Step::Index { .. }) && path.steps.is_empty();
        path.steps.push(step);
        path
    }
}

/// Objects in scope.
#[derive(Clone, Default)]
pub struct Scope {
    /// Objects of arithmetic type.
    pub leaves: Vec<(Path, Ty)>,
    /// Structs, each with the index of its type.
    pub structs: Vec<(Path, usize)>,
    /// One-dimensional arrays, each with its element type and length.
    pub arrays: Vec<(Path, Ty, u32)>,
    /// Pointers that may be reassigned, each with its pointee type and the number of leaves when it was declared.
    pub pointers: Vec<(String, Ty, usize)>,
    /// Small variables that are only read, such as loop counters, each with its exclusive upper bound.
    pub counters: Vec<(String, u32)>,
    /// Blocks, each with the types of its parameter and its result.
    pub blocks: Vec<(String, Ty, Ty)>,
    /// Variables that have the same value in all work-items of the work-group.
    pub shared: Vec<String>,
}

/// Lengths of a scope's lists, to restore them later.
#[derive(Clone, Copy)]
pub struct Mark(pub [usize; 7]);

impl Scope {
    /// Returns the paths of all structs of one type.
    pub fn structs_of(&self, which: usize) -> Vec<Path> {
        self.structs.iter().filter(|(_, s)| *s == which).map(|(path, _)| path.clone()).collect()
    }

    pub fn mark(&self) -> Mark {
        Mark([
            self.leaves.len(),
            self.structs.len(),
            self.arrays.len(),
            self.pointers.len(),
            self.counters.len(),
            self.blocks.len(),
            self.shared.len(),
        ])
    }

    /// Removes everything that was declared since `mark`.
    pub fn reset(&mut self, Mark(lengths): Mark) {
        self.leaves.truncate(lengths[0]);
        self.structs.truncate(lengths[1]);
        self.arrays.truncate(lengths[2]);
        self.pointers.truncate(lengths[3]);
        self.counters.truncate(lengths[4]);
        self.blocks.truncate(lengths[5]);
        self.shared.truncate(lengths[6]);
    }

    /// Returns the scope of a block written here. A block sees read-only copies of the variables, but no arrays and
    /// no other blocks (s6.12.5).
    pub fn captured(&self) -> Self {
        let leaves = self.leaves.iter().filter(|(path, _)| !path.in_array);
        Self {
            leaves: leaves.map(|(path, ty)| (path.clone().read_only(), *ty)).collect(),
            counters: self.counters.clone(),
            ..Self::default()
        }
    }
}
