//! Writes random OpenCL C programs that are valid and whose results are defined, so that every conforming compiler must
//! produce the same bits: two that differ tell of a bug in one of them.
//!
//! After CLsmith (Lidbury, Lascu, Chong, Donaldson: Many-Core Compiler Fuzzing, PLDI 2015), which took Csmith's way to
//! OpenCL: vectors, barriers with permutations of local memory, atomic sections and reductions. The code is our own; so
//! is the choice to avoid undefined behaviour by the form of expressions instead of by guarding functions.
//!
//! **Generated:** integers of all types as scalars and vectors of 2, 3, 4, 8 and 16 lanes, with literals, swizzles on
//! both sides, conversions, `as_`, operators and compound assignment, `?:` by lane; integer, relational and shuffle
//! builtins; `float` and `double` where every operation is exact; structs (nested, packed, by value), a union, arrays,
//! pointers to variables, members, elements; tables in constant memory; functions of all kinds, branches, loops,
//! `switch`, `goto`; loops in steps of a group, barriers in flow that all items share, atomics with all orders of 2.0 where the order of items does
//! not matter, asynchronous copies; for 2.0 blocks, generic pointers, program-scope variables, work-group functions.
//! Groups of one item and of many, in one to three dimensions, for 2.0 with smaller ones at the ends.
//!
//! **What makes it defined:** expressions are pure and of exactly the type asked for; signed sums are unsigned ones
//! reinterpreted; divisors are odd or constants; shift counts are masked; variables have initialisers; indices are
//! masked or literal; loops have counters; a statement changes one thing. `expr`, `stmt` and `stmt/group.rs` say more.
//! Conversions to a narrower signed integer wrap around, which C leaves to the implementation and OpenCL's tests demand.
//! `as_` between elements of different sizes and the union assume a little-endian device.
//!
//! **Left out on purpose:** rounding (no two devices need agree), NaN and the sign of zero; `half`, images, pipes,
//! device-side enqueue (not every device has them); printf; unions of members of different sizes and bit-fields; loops
//! that only an item's data bounds; old values of atomics on what other items change too, except as tickets; recursion,
//! which OpenCL does not have. Loops with two entries, which s6.9 lets an implementation refuse, and blocks as
//! parameters, which newer compilers do refuse, are optional.

mod data;
mod expr;
pub mod families;
mod function;
mod kernel;
pub mod launch;
mod random;
mod scope;
mod stmt;
mod types;
mod writer;

pub use random::splitmix;

/// The language of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    V12,
    V20,
}

impl Version {
    /// The option for clBuildProgram.
    pub fn option(self) -> &'static str {
        match self {
            Self::V12 => "-cl-std=CL1.2",
            Self::V20 => "-cl-std=CL2.0",
        }
    }
}

/// What to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub seed: u64,
    pub version: Version,
    /// About how many statements the kernel has, not counting what is inside them.
    pub size: u32,
    /// Loops with two entries, blocks as parameters.
    pub disputed: bool,
    pub sizes: launch::Sizes,
}

impl Options {
    /// The seed decides on all else too.
    pub fn of_seed(seed: u64) -> Self {
        let version = if seed.is_multiple_of(2) { Version::V20 } else { Version::V12 };
        let size = if seed % 16 > 13 { 40 } else { 6 + (seed / 2 % 4) as u32 * 6 };
        Self { seed, version, size, disputed: true, sizes: launch::Sizes::of_seed(seed, version) }
    }
}

/// The text of a program.
pub fn program(options: Options) -> String {
    writer::Generator::new(options).program()
}
