//! Foundations that every layer may use: typed ids and maps keyed by them, locks, fork safety, the environment, and
//! protection from the state that a host may have given a thread (floating-point mode, signals, stack, memory).
//! Nothing here depends on OpenCL.

pub mod bug;
pub mod caches;
pub mod copy;
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
pub fn ones(bits: u64) -> impl Iterator<Item = usize> {
    let rest = std::iter::successors(Some(bits), |bits| Some(bits & bits.wrapping_sub(1)));
    rest.take_while(|&bits| bits != 0).map(|bits| bits.trailing_zeros() as usize)
}

/// Hash map with a fast non-cryptographic hash; its iteration order must not influence any output.
pub type FastMap<K, V> = rustc_hash::FxHashMap<K, V>;
/// Hash set with a fast non-cryptographic hash; its iteration order must not influence any output.
pub type FastSet<K> = rustc_hash::FxHashSet<K>;
