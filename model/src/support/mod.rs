//! Replacements for the parts of `support` that the modeled files use.

pub mod bug;
pub mod fork;
pub mod sync;
pub mod thread;
pub mod trace;

pub type FastMap<K, V> = rustc_hash::FxHashMap<K, V>;
