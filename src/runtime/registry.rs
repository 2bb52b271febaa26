//! Registry of the addresses that are handles.
//!
//! An application may pass any pointer: null, freed, or another library's. It is looked up here before it is
//! dereferenced. The map holds weak references, so a handle that another thread is destroying is not found.
//!
//! A forked child that must not use its parent's objects (`support::fork`) begins with a map of the platform and
//! the root device, which the application may have kept and which have no lock.

use std::any::Any;
use std::sync::{Arc, Weak};

use super::platform;
use grus_support::FastMap;
use grus_support::fork::Global;
use grus_support::sync::RwLock;

/// Object at an address.
pub type AddressEntry = Weak<dyn Any + Send + Sync>;

/// Number of independently locked shards, so that threads with different objects rarely contend.
// Arbitrary.
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

/// Returns the shard of an address. Objects are at least 16 bytes apart; the upper bits distribute objects of one
/// size class.
fn index(address: usize) -> usize {
    ((address >> 4) ^ (address >> 10)) % SHARDS
}

/// Registers `address` as a handle.
pub fn insert(address: usize, entry: AddressEntry) {
    shard(address).write().insert(address, entry);
}

/// Returns the object at `address`, if it is a handle.
pub fn find(address: usize) -> Option<Arc<dyn Any + Send + Sync>> {
    shard(address).read().get(&address)?.upgrade()
}

/// Removes the handle `address`, whose memory may be reused afterwards.
pub fn remove(address: usize) {
    let entry = shard(address).write().remove(&address);
    drop(entry);
}
