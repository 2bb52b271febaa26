//! Typed `u32` ids, and vectors indexed by them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// Typed index. [`define_id!`](crate::define_id) defines implementations.
pub trait Id: Copy + Eq + fmt::Debug {
    /// Returns the id of position `index`.
    fn new(index: usize) -> Self;
    /// Returns the position of this id.
    fn index(self) -> usize;
}

/// Defines a `u32` id type whose `Debug` and `Display` print a prefix and the number.
#[macro_export]
macro_rules! define_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $crate::Id for $name {
            fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("fewer than 2^32 entities"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

/// Vector that owns its entities; `push` creates the ids.
#[derive(Clone, Debug)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    id: PhantomData<fn(I)>,
}

impl<I: Id, T> IdVec<I, T> {
    /// Returns an empty vector.
    pub const fn new() -> Self {
        Self { items: Vec::new(), id: PhantomData }
    }
    /// Appends `item` and returns its id. Unwinds with [`super::memory::NoMemory`] if the vector must grow and
    /// there is not enough memory ([`super::memory::expect`]).
    pub fn push(&mut self, item: T) -> I {
        super::memory::expect_growth(&self.items);
        self.items.push(item);
        I::new(self.items.len() - 1)
    }
    /// Reserves capacity for `more` further entities.
    pub fn reserve(&mut self, more: usize) {
        if self.items.capacity() - self.items.len() < more {
            super::memory::expect(2 * (self.items.len() + more) * size_of::<T>());
            self.items.reserve(more);
        }
    }
    /// Returns the id that the next `push` will return.
    pub fn next_id(&self) -> I {
        I::new(self.items.len())
    }
    /// Returns the number of entities.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Checks whether the vector is empty.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// Returns the entity with this id; none if the id is out of range.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
    /// Returns all ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::new)
    }
    /// Returns all entities in order.
    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
    /// Returns all entities in order, mutable.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }
    /// Returns all ids with their entities in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(i, t)| (I::new(i), t))
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

/// Side table with a value for every id, which is a default until it is set.
#[derive(Clone, Debug)]
pub struct IdMap<I, T> {
    items: Vec<T>,
    default: T,
    id: PhantomData<fn(I)>,
}

impl<I: Id, T: Clone> IdMap<I, T> {
    /// Returns a table in which every id has the value `default`.
    pub fn new(default: T) -> Self {
        Self { items: Vec::new(), default, id: PhantomData }
    }
    /// Returns a table with memory for `len` ids.
    pub fn with_len(default: T, len: usize) -> Self {
        Self { items: vec![default.clone(); len], default, id: PhantomData }
    }
}

impl<I: Id, T: Clone> Index<I> for IdMap<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        self.items.get(id.index()).unwrap_or(&self.default)
    }
}

impl<I: Id, T: Clone> IndexMut<I> for IdMap<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        let index = id.index();
        if index >= self.items.len() {
            self.items.resize(index + 1, self.default.clone());
        }
        &mut self.items[index]
    }
}
