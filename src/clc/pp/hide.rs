//! Hide sets: for each token, the macros whose expansion produced it and that must not be expanded again. Sets are
//! interned, so that union and intersection are table lookups.

use crate::names::Symbol;
use grus_support::FastMap;

/// All hide sets of a translation unit. Id 0 is the empty set.
#[derive(Debug)]
pub struct HideSets {
    sets: Vec<Box<[Symbol]>>,
    index: FastMap<Box<[Symbol]>, u32>,
    unions: FastMap<(u32, u32), u32>,
    added: FastMap<(u32, Symbol), u32>,
}

impl HideSets {
    /// Returns a table that contains only the empty set.
    pub fn new() -> Self {
        Self {
            sets: vec![Box::default()],
            index: FastMap::from_iter([(Box::default(), 0)]),
            unions: FastMap::default(),
            added: FastMap::default(),
        }
    }

    fn intern(&mut self, set: Vec<Symbol>) -> u32 {
        let set = set.into_boxed_slice();
        if let Some(&id) = self.index.get(&set) {
            return id;
        }
        let id = self.sets.len() as u32;
        self.sets.push(set.clone());
        self.index.insert(set, id);
        id
    }

    /// Checks whether `set` contains `symbol`.
    pub fn contains(&self, set: u32, symbol: Symbol) -> bool {
        set != 0 && self.sets[set as usize].binary_search(&symbol).is_ok()
    }

    /// Returns the union of `set` and `{symbol}`.
    pub fn add(&mut self, set: u32, symbol: Symbol) -> u32 {
        if let Some(&id) = self.added.get(&(set, symbol)) {
            return id;
        }
        let mut larger = self.sets[set as usize].to_vec();
        if let Err(index) = larger.binary_search(&symbol) {
            larger.insert(index, symbol);
        }
        let id = self.intern(larger);
        self.added.insert((set, symbol), id);
        id
    }

    /// Returns the union of two sets.
    pub fn union(&mut self, a: u32, b: u32) -> u32 {
        if a == b || b == 0 {
            return a;
        }
        if a == 0 {
            return b;
        }
        if let Some(&id) = self.unions.get(&(a, b)) {
            return id;
        }
        let mut set = self.sets[a as usize].to_vec();
        set.extend_from_slice(&self.sets[b as usize]);
        set.sort_unstable();
        set.dedup();
        let id = self.intern(set);
        self.unions.insert((a, b), id);
        id
    }

    /// Returns the intersection of two sets.
    pub fn intersection(&mut self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        if a == 0 || b == 0 {
            return 0;
        }
        let other = &self.sets[b as usize];
        let set = self.sets[a as usize].iter().filter(|s| other.binary_search(s).is_ok()).copied().collect();
        self.intern(set)
    }
}
