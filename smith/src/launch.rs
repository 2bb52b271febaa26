//! Sizes and buffers of the launch of a program. The kernel is `k(global const int *in, global ulong *out, local
//! uint *scratch, int n)`. It is launched over the sizes that the seed determines, with any `n` from 0 up.
//!
//! Work-items are numbered linearly, whatever the number of dimensions: the number is `group * items + item`, where
//! `items` is the size of a full work-group. Each work-item thus has its own element in every array of
//! [`Sizes::slots`] elements.

use crate::Version;

pub const KERNEL: &str = "k";

/// Number of counters that follow the elements of the work-items in `out`.
pub const CELLS: usize = 8;

/// Number of 32-bit words in local memory that all work-items of a group update.
pub const COUNTERS: usize = 8;

/// Sizes of an ND-range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    pub dimensions: usize,
    pub global: [usize; 3],
    pub local: [usize; 3],
}

/// Launch sizes for all versions: sizes that are no multiple of a vector length, sizes of many vectors, and all
/// numbers of dimensions.
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

/// Launch sizes with smaller work-groups at the ends, for OpenCL C 2.0 only.
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

    /// Checks whether all work-groups are full.
    pub fn is_uniform(&self) -> bool {
        (0..3).all(|d| self.global[d].is_multiple_of(self.local[d]))
    }

    /// Returns the number of work-items of a full work-group.
    pub fn items(&self) -> usize {
        self.local.iter().product()
    }

    /// Returns the number of work-items of all work-groups if each were full.
    pub fn slots(&self) -> usize {
        (0..3).map(|d| self.global[d].div_ceil(self.local[d])).product::<usize>() * self.items()
    }

    /// Returns the size of `scratch` in bytes. It holds a word of each work-item for exchange, the counters, a
    /// private word of each work-item, and the target of copies from global memory.
    pub fn scratch(&self) -> usize {
        (3 * self.items() + COUNTERS) * 4
    }

    /// Returns the number of elements of `in`.
    pub fn inputs(&self) -> usize {
        2 * self.slots() + 16
    }

    /// Returns the contents of `in`.
    pub fn input(&self) -> Vec<i32> {
        (0..self.inputs() as i32).map(|i| i.wrapping_mul(0x2c1b_3c6d) ^ (i << 3)).collect()
    }

    /// Returns the contents of `out` before the launch: an element for each work-item, then the counters of 32
    /// bits.
    pub fn output(&self) -> Vec<u64> {
        let mut words = vec![0; self.slots()];
        words.extend([0x5a5a_5a5a_3c3c_3c3c; CELLS / 2]);
        words
    }
}
