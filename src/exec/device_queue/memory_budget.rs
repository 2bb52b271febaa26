//! Memory budget of device-side queues: bytes that their incomplete commands occupy.

use crossbeam::utils::CachePadded;

use grus_codegen::rtlib::enqueue::EnqueueError;
use grus_support::sync::atomic::{AtomicU64, Ordering};

/// Bytes that a thread reserves in advance for later commands, so that threads do not contend for the counter at each
/// command.
// Arbitrary.
const CREDIT_BYTES: u64 = 16 << 10;

/// Bytes that a command occupies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Charge {
    /// Index of the queue among those of the tree.
    pub queue: usize,
    pub bytes: u64,
}

/// Bytes that all commands occupy, for each queue.
pub(super) struct QueueMemory(Box<[CachePadded<AtomicU64>]>);

impl QueueMemory {
    /// Creates counters for `queues` empty queues.
    pub fn new(queues: usize) -> QueueMemory {
        QueueMemory((0..queues).map(|_| CachePadded::new(AtomicU64::new(0))).collect())
    }

    /// Reserves bytes in a queue of `capacity` bytes.
    ///
    /// # Errors
    /// Fails if fewer bytes are free, or if there is no such queue.
    pub fn reserve(&self, charge: Charge, capacity: u64) -> Result<(), EnqueueError> {
        let used = self.0.get(charge.queue).ok_or(EnqueueError::Queue)?;
        let add = |used: u64| used.checked_add(charge.bytes).filter(|&sum| sum <= capacity);
        let taken = used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        taken.map(drop).map_err(|_| EnqueueError::QueueFull)
    }

    /// Releases reserved bytes.
    pub fn release(&self, charge: Charge) {
        if charge.bytes != 0
            && let Some(used) = self.0.get(charge.queue)
        {
            used.fetch_sub(charge.bytes, Ordering::Relaxed);
        }
    }
}

/// Bytes of a queue that a thread has reserved and not used.
#[derive(Default)]
pub(super) struct Credit {
    queue: usize,
    bytes: u64,
}

impl Credit {
    /// Reserves bytes as [`QueueMemory::reserve`], from this credit if it suffices.
    ///
    /// # Errors
    /// See [`QueueMemory::reserve`].
    pub fn reserve(
        &mut self,
        memory: &QueueMemory,
        charge: Charge,
        capacity: u64,
    ) -> Result<(), EnqueueError> {
        if self.queue != charge.queue || self.bytes < charge.bytes {
            self.release(memory);
            let advance = Charge { bytes: charge.bytes.saturating_add(CREDIT_BYTES), ..charge };
            if memory.reserve(advance, capacity).is_err() {
                return memory.reserve(charge, capacity);
            }
            *self = Credit { queue: advance.queue, bytes: advance.bytes };
        }
        self.bytes -= charge.bytes;
        Ok(())
    }

    /// Releases the unused bytes.
    pub fn release(&mut self, memory: &QueueMemory) {
        memory.release(Charge { queue: self.queue, bytes: std::mem::take(&mut self.bytes) });
    }
}
