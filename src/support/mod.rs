//! Typed ids and the maps keyed by them. Knows nothing of OpenCL.

pub mod f16;
mod id;

pub use id::{Id, IdMap, IdVec};

/// Hash map with a fast non-cryptographic hash; never iterate it into output.
pub type FastMap<K, V> = rustc_hash::FxHashMap<K, V>;
/// Hash set with a fast non-cryptographic hash; never iterate it into output.
pub type FastSet<K> = rustc_hash::FxHashSet<K>;
