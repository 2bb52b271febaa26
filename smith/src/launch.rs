//! How a program is launched: its kernel `k(global const int *in, global ulong *out, local uint *scratch, int n)` over
//! the sizes that its seed chose, with any `n` from 0 up.
//!
//! Whatever the dimensions, items count as one row: group after group, with room for a full group each, so that an
//! item has the number `group * items + item` and a place of its own in every array of [`Sizes::slots`].

use crate::Version;

pub const KERNEL: &str = "k";

/// Counters after the items' words of `out`.
pub const CELLS: usize = 8;

/// Words of 32 bits in local memory that all items of a group work on.
pub const COUNTERS: usize = 8;

/// An ND-range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    pub dimensions: usize,
    pub global: [usize; 3],
    pub local: [usize; 3],
}

/// Sizes of any language: what divides by no vector's length, what fills many vectors, all dimensions.
const UNIFORM: [Sizes; 10] = [
    line(24, 8),
    line(24, 8),
    line(24, 8),
    line(5, 1),
    line(12, 3),
    line(74, 37),
    line(128, 64),
    Sizes { dimensions: 2, global: [16, 8, 1], local: [8, 8, 1] },
    Sizes { dimensions: 2, global: [5, 6, 1], local: [5, 2, 1] },
    Sizes { dimensions: 3, global: [4, 3, 4], local: [2, 3, 2] },
];

/// Sizes that leave smaller groups at the ends: for 2.0 only.
const RAGGED: [Sizes; 4] = [
    line(20, 8),
    line(50, 37),
    Sizes { dimensions: 2, global: [11, 5, 1], local: [4, 3, 1] },
    Sizes { dimensions: 3, global: [3, 3, 3], local: [2, 2, 2] },
];

const fn line(global: usize, local: usize) -> Sizes {
    Sizes { dimensions: 1, global: [global, 1, 1], local: [local, 1, 1] }
}

impl Sizes {
    pub fn of_seed(seed: u64, version: Version) -> Self {
        let at = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize;
        let last = UNIFORM.len() + if version == Version::V20 { RAGGED.len() } else { 0 };
        let which = at % last;
        UNIFORM.get(which).copied().unwrap_or_else(|| RAGGED[which - UNIFORM.len()])
    }

    /// Whether all groups are full.
    pub fn is_uniform(&self) -> bool {
        (0..3).all(|d| self.global[d].is_multiple_of(self.local[d]))
    }

    /// Items of a full group.
    pub fn items(&self) -> usize {
        self.local.iter().product()
    }

    /// Room for all items of all groups, were they full.
    pub fn slots(&self) -> usize {
        (0..3).map(|d| self.global[d].div_ceil(self.local[d])).product::<usize>() * self.items()
    }

    /// Bytes of `scratch`: a word of each item for exchange, counters, a word of each item alone, and what is copied
    /// from global memory.
    pub fn scratch(&self) -> usize {
        (3 * self.items() + COUNTERS) * 4
    }

    /// How many words `in` has.
    pub fn inputs(&self) -> usize {
        2 * self.slots() + 16
    }

    /// What `in` holds.
    pub fn input(&self) -> Vec<i32> {
        (0..self.inputs() as i32).map(|i| i.wrapping_mul(0x2c1b_3c6d) ^ (i << 3)).collect()
    }

    /// What `out` holds before the launch: a word for each item, then counters of 32 bits.
    pub fn output(&self) -> Vec<u64> {
        let mut words = vec![0; self.slots()];
        words.extend([0x5a5a_5a5a_3c3c_3c3c; CELLS / 2]);
        words
    }
}
