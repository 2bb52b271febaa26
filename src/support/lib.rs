//! Foundations that every crate of the library uses: typed ids, locks, threads, environment variables, diagnostics,
//! and protection from the state of the host process. This crate depends on no other one of the library.
//!
//! The library is loaded into processes that it knows nothing about. They may have small stacks, a mode that
//! flushes subnormals, blocked signals or little memory, and they may fork at any time. Most modules here exist
//! for such hosts.
//!
//! # Data structures
//!
//! - [`Id`], [`IdVec`] and [`IdMap`]: typed `u32` ids as in Cranelift, vectors that own entities, and side tables.
//!   [`define_id!`](crate::define_id) defines an id type.
//! - [`FastMap`] and [`FastSet`]: hash tables. Their order must not influence any output.
//! - [`post_order()`] of a graph; [`set_bits`], the indices of the bits that are set in a word.
//!
//! ```ignore
//! define_id! {
//!     /// Block of a control-flow graph.
//!     Node, "n"
//! }
//! let mut successors: IdVec<Node, Vec<Node>> = IdVec::new();
//! let exit = successors.push(vec![]);
//! let entry = successors.push(vec![exit]);
//! let order = post_order([entry], successors.len(), |node| successors[node].clone());
//! assert_eq!(order, [exit, entry]);
//! ```
//!
//! # Threads and processes
//!
//! - [`sync`]: locks without poisoning, condition variables, atomics, asymmetric fences. The crate `model` compiles
//!   some files that use it against loom instead, which explores all interleavings.
//! - [`thread`] starts every thread of the library, with signals blocked and in the standard floating-point mode.
//! - [`fork`]: entry points run inside [`fork::enter`], and work that is given to other threads carries a
//!   [`fork::Task`]. A `fork` waits for both, at most a tenth of a second. [`fork::Global`] is a static that is
//!   made without a lock.
//! - [`stack::on_stack`] runs a function on a large stack, on the same thread.
//! - [`signals`] unblocks the signals of faults while a thread runs kernels.
//! - [`float_mode`]: entry points compute in the standard mode, callbacks of the application in the host's mode.
//!
//! # Failures
//!
//! - [`bug::contained`] catches a panic, reports it on standard error, and returns [`bug::Bug`]. Each caller turns
//!   that into an error of its own kind.
//! - [`memory`]: the allocator has a reserve for the time when the system has no memory. Builds call
//!   [`memory::check`] and [`memory::expect`], which unwind with [`memory::NoMemory`] before the reserve is used up.
//!
//! # Machine
//!
//! - [`target`]: the backends that this processor can run ([`target::Backend`]), the choice of one for a kernel
//!   ([`target::BackendChoice`]), and instruction set extensions ([`target::Features`]).
//! - [`caches`]: sizes of data caches, and the fence for non-temporal stores.
//! - [`copy`], [`huge_pages`], [`mod@f16`]: copies by size, large pages, conversions of halves.
//!
//! # Observation
//!
//! - [`environment`] reads all environment variables of the library, once. No other module reads any.
//! - [`timing`] prints durations of stages (`GRUS_TIMING`).
//! - [`trace`] records calls, commands, launches and stages (`GRUS_TRACE`).
//!
//! # Invariants
//!
//! - A lock is one word that the kernel's futex waits on. So a forked child can use every lock that was free.
//! - Threads are started in [`thread`] only, and environment variables are read in [`environment`] only.
//! - [`trace`] never fails: if there is no room for a record, recording ends.

pub mod bug;
pub mod caches;
pub mod copy;
pub mod diag;
pub mod environment;
pub mod f16;
pub mod float_mode;
pub mod fork;
pub mod huge_pages;
mod id;
pub mod memory;
mod post_order;
pub mod process_file;
pub mod signals;
pub mod stack;
pub mod sync;
pub mod target;
pub mod thread;
pub mod timing;
pub mod trace;

pub use id::{Id, IdMap, IdVec};
pub use post_order::post_order;

/// Returns the indices of the bits that are set, the lowest first.
pub fn set_bits(bits: u64) -> impl Iterator<Item = usize> {
    let rest = std::iter::successors(Some(bits), |bits| Some(bits & bits.wrapping_sub(1)));
    rest.take_while(|&bits| bits != 0).map(|bits| bits.trailing_zeros() as usize)
}

/// Hash map with a fast non-cryptographic hash; its iteration order must not influence any output.
pub type FastMap<K, V> = rustc_hash::FxHashMap<K, V>;
/// Hash set with a fast non-cryptographic hash; its iteration order must not influence any output.
pub type FastSet<K> = rustc_hash::FxHashSet<K>;

#[cfg(test)]
mod tests {
    use super::*;

    crate::define_id! {
        /// Block of a control-flow graph.
        Node, "n"
    }

    #[test]
    fn the_example_in_the_documentation_runs() {
        let mut successors: IdVec<Node, Vec<Node>> = IdVec::new();
        let exit = successors.push(vec![]);
        let entry = successors.push(vec![exit]);
        let order = post_order([entry], successors.len(), |node| successors[node].clone());
        assert_eq!(order, [exit, entry]);
    }
}
