//! Registry of the addresses that are handles.
//!
//! An application may pass any pointer: null, freed, or another library's. It is looked up here before it is
//! dereferenced. The map holds weak references, so a handle that another thread is destroying is not found.
//!
//! The platform and the root device are not in the map. Every context and build looks the device up, and threads need not
//! take turns at a lock for that; and a forked child that must not use its parent's objects (`support::fork`) begins with
//! an empty map, but the application may have kept these two.

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
    let shards = REGISTRY.get(|| std::array::from_fn(|_| Shard::default()));
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
    platform::find(address).or_else(|| shard(address).read().get(&address)?.upgrade())
}

/// Removes the handle `address`, whose memory may be reused afterwards.
pub fn remove(address: usize) {
    let entry = shard(address).write().remove(&address);
    drop(entry);
}
