//! Which addresses are handles.
//!
//! An application may hand in any pointer: null, freed, somebody else's. It is looked up here before it is followed. The
//! map holds weak references, so a handle that is being destroyed by another thread is simply not found.

use std::any::Any;
use std::sync::{Arc, LazyLock, Weak};

use parking_lot::RwLock;

use crate::support::FastMap;

/// What is known of an address.
pub type Entry = Weak<dyn Any + Send + Sync>;

/// Threads that work on different objects should rarely meet.
const SHARDS: usize = 64;

type Shard = RwLock<FastMap<usize, Entry>>;

static REGISTRY: LazyLock<Vec<Shard>> = LazyLock::new(|| (0..SHARDS).map(|_| Shard::default()).collect());

fn shard(address: usize) -> &'static Shard {
    // Objects are at least 16 bytes apart; the upper bits spread what size classes line up.
    &REGISTRY[((address >> 4) ^ (address >> 10)) % SHARDS]
}

/// Makes `address` a handle.
pub fn insert(address: usize, entry: Entry) {
    shard(address).write().insert(address, entry);
}

/// The object at `address`, if it is a handle.
pub fn find(address: usize) -> Option<Arc<dyn Any + Send + Sync>> {
    shard(address).read().get(&address)?.upgrade()
}

/// `address` is no handle any more. Its memory may be reused after this.
pub fn remove(address: usize) {
    let entry = shard(address).write().remove(&address);
    drop(entry);
}
