//! What an expression or a statement may name where it stands.
//!
//! Everything in scope is kept as the places of arithmetic type it consists of: `s.f1[2]` is a leaf of `s`. Lists grow
//! as declarations are written and are cut back where a scope ends, so whatever comes before an entry outlives it.

use crate::types::Ty;

/// A part of the way from a name to a place.
#[derive(Clone, Debug)]
pub enum Step {
    /// Text that follows, such as `.f1`.
    Text(String),
    /// `[from + i]` where `i` is below `len`.
    Index { from: i32, len: u32 },
}

/// Whether the address of a place may be taken, and where it lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Address {
    /// It may not: constant, volatile, or in a packed struct.
    No,
    Private,
    /// Local or global: only generic pointers can point there.
    Shared,
}

/// How to reach a place.
#[derive(Clone, Debug)]
pub struct Path {
    pub name: String,
    pub steps: Vec<Step>,
    pub writable: bool,
    pub address: Address,
    /// Its name is that of an array: blocks do not capture those.
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

/// What is in scope.
#[derive(Clone, Default)]
pub struct Scope {
    /// Places of arithmetic type.
    pub leaves: Vec<(Path, Ty)>,
    /// Whole structs, by the number of their type.
    pub structs: Vec<(Path, usize)>,
    /// Arrays of one dimension: element and length.
    pub arrays: Vec<(Path, Ty, u32)>,
    /// Pointers that may be set to point elsewhere, and how many leaves there were when they were declared.
    pub pointers: Vec<(String, Ty, usize)>,
    /// Small variables that are only read, such as those of loops, and what they stay below.
    pub counters: Vec<(String, u32)>,
    /// Blocks by name: parameter and result.
    pub blocks: Vec<(String, Ty, Ty)>,
    /// Variables that are equal in all items of the group.
    pub shared: Vec<String>,
}

/// The lengths of a scope's lists.
#[derive(Clone, Copy)]
pub struct Mark(pub [usize; 7]);

impl Scope {
    /// The whole structs of one type.
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

    /// Forgets what was declared since.
    pub fn reset(&mut self, Mark(lengths): Mark) {
        self.leaves.truncate(lengths[0]);
        self.structs.truncate(lengths[1]);
        self.arrays.truncate(lengths[2]);
        self.pointers.truncate(lengths[3]);
        self.counters.truncate(lengths[4]);
        self.blocks.truncate(lengths[5]);
        self.shared.truncate(lengths[6]);
    }

    /// What a block written here sees: copies, so nothing that can be changed; no arrays, and no other blocks (s6.12.5).
    pub fn captured(&self) -> Self {
        let leaves = self.leaves.iter().filter(|(path, _)| !path.in_array);
        Self {
            leaves: leaves.map(|(path, ty)| (path.clone().read_only(), *ty)).collect(),
            counters: self.counters.clone(),
            ..Self::default()
        }
    }
}
