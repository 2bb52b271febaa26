//! Generator of random OpenCL C programs that are valid and have defined results. Every conforming compiler must
//! produce the same bits, so a difference between two compilers reveals a bug in one of them.
//!
//! The generator follows CLsmith (Lidbury, Lascu, Chong, Donaldson: Many-Core Compiler Fuzzing, PLDI 2015), which
//! adapted Csmith to OpenCL: vectors, barriers with permutations of local memory, atomic sections and reductions.
//! The code is independent of it. Unlike CLsmith, this generator avoids undefined behavior by the form of
//! expressions instead of by guarding functions.
//!
//! **Generated:**
//!
//! - Integers of all types as scalars and vectors of 2, 3, 4, 8 and 16 lanes: literals, swizzles on both sides of
//!   an assignment, conversions, `as_`, operators, compound assignment, `?:` by lane; integer, relational and
//!   shuffle builtins.
//! - `float` and `double` where every operation is exact.
//! - Structs (nested, packed, by value), a union, arrays, pointers to variables, members and elements; tables in
//!   constant memory.
//! - Functions, branches, loops, `switch`, `goto`; loops whose step is the size of the work-group; barriers in
//!   control flow that is uniform in the work-group.
//! - Atomics with all memory orders of 2.0 where the order of work-items does not matter; asynchronous copies.
//! - For 2.0: blocks, generic pointers, program-scope variables and work-group functions.
//! - Work-groups of one work-item and of many, in one to three dimensions; for 2.0 with smaller work-groups at the
//!   ends.
//!
//! **Reasons why results are defined:** Expressions are pure and have exactly the requested type. Signed sums are
//! computed on unsigned operands and reinterpreted. Divisors are odd or constant, shift counts are masked, and
//! variables have initializers. Indices are masked or literal. Loops have counters. A statement changes one object.
//! `expr`, `stmt` and `stmt/group.rs` give details. Conversions to a narrower signed integer wrap around, which C
//! leaves to the implementation but OpenCL's conformance tests demand. `as_` between elements of different sizes
//! and the union assume a little-endian device.
//!
//! **Left out on purpose:** rounding, because devices may differ; NaN and the sign of zero; `half`, images, pipes
//! and device-side enqueue, because not every device supports them; printf; unions of members of different sizes
//! and bit-fields; loops bounded only by a work-item's data; old values of atomics on objects that other work-items
//! change too, except as tickets; recursion, which OpenCL does not have. Loops with two entries, which s6.9 lets an
//! implementation refuse, and blocks as parameters, which newer compilers refuse, are optional.

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

/// Language version of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    V12,
    V20,
}

impl Version {
    /// Returns the option for clBuildProgram.
    pub fn option(self) -> &'static str {
        match self {
            Self::V12 => "-cl-std=CL1.2",
            Self::V20 => "-cl-std=CL2.0",
        }
    }
}

/// Parameters of the generator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub seed: u64,
    pub version: Version,
    /// Approximate number of statements of the kernel, not counting nested statements.
    pub size: u32,
    /// True to generate loops with two entries and blocks as parameters, which some compilers refuse.
    pub disputed: bool,
    pub sizes: launch::Sizes,
}

impl Options {
    /// Returns options that all follow from the seed.
    pub fn of_seed(seed: u64) -> Self {
        let version = if seed.is_multiple_of(2) { Version::V20 } else { Version::V12 };
        let size = if seed % 16 > 13 { 40 } else { 6 + (seed / 2 % 4) as u32 * 6 };
        Self { seed, version, size, disputed: true, sizes: launch::Sizes::of_seed(seed, version) }
    }
}

/// Returns the text of a program.
pub fn program(options: Options) -> String {
    writer::Generator::new(options).program()
}
