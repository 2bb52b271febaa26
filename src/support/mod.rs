//! What every layer may use: typed ids and the maps keyed by them, locks, what a fork leaves, the environment, and what
//! hosts may have done to a thread: its floating-point mode, its signals, its stack, its memory. Knows nothing of OpenCL.

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
pub mod signals;
pub mod stack;
pub mod sync;
pub mod target;
pub mod thread;
pub mod timing;
pub mod trace;

pub use id::{Id, IdMap, IdVec};
pub use post_order::post_order;

/// The numbers of the bits that are set, the lowest first.
pub fn ones(bits: u64) -> impl Iterator<Item = usize> {
    let rest = std::iter::successors(Some(bits), |bits| Some(bits & bits.wrapping_sub(1)));
    rest.take_while(|&bits| bits != 0).map(|bits| bits.trailing_zeros() as usize)
}

/// Hash map with a fast non-cryptographic hash; never iterate it into output.
pub type FastMap<K, V> = rustc_hash::FxHashMap<K, V>;
/// Hash set with a fast non-cryptographic hash; never iterate it into output.
pub type FastSet<K> = rustc_hash::FxHashSet<K>;
