//! Which addresses are handles.
//!
//! An application may hand in any pointer: null, freed, somebody else's. It is looked up here before it is followed. The
//! map holds weak references, so a handle that is being destroyed by another thread is simply not found.
//!
//! A forked child that must not use its parent's objects (`support::fork`) begins with a map of the platform and the
//! root device, which the application may have kept and which no lock guards.

use std::any::Any;
use std::sync::{Arc, Weak};

use super::platform;
use crate::support::FastMap;
use crate::support::fork::Global;
use crate::support::sync::RwLock;

/// What is known of an address.
pub type AddressEntry = Weak<dyn Any + Send + Sync>;

/// Threads that work on different objects should rarely meet.
const SHARDS: usize = 64;

type Shard = RwLock<FastMap<usize, AddressEntry>>;

#[inline]
fn shard(address: usize) -> &'static Shard {
    static REGISTRY: Global<[Shard; SHARDS]> = Global::of_objects();
    let shards = REGISTRY.get(|| {
        let shards: [Shard; SHARDS] = std::array::from_fn(|_| Shard::default());
        for (address, entry) in platform::lasting_objects() {
            shards[index(address)].write().insert(address, entry);
        }
        shards
    });
    &shards[index(address)]
}

/// Objects are at least 16 bytes apart; the upper bits spread what size classes line up.
fn index(address: usize) -> usize {
    ((address >> 4) ^ (address >> 10)) % SHARDS
}

/// Makes `address` a handle.
pub fn insert(address: usize, entry: AddressEntry) {
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
