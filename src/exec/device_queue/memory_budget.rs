//! Bytes that the commands of the queues on the device take.

use crossbeam::utils::CachePadded;

use crate::rtlib::enqueue::Refusal;
use crate::support::sync::atomic::{AtomicU64, Ordering};

/// What a thread takes at once for commands to come, if there is as much: threads do not meet here for each.
const LOT: u64 = 16 << 10;

/// What a command takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Charge {
    /// The queue's place among those of the tree.
    pub queue: usize,
    pub bytes: u64,
}

/// What all commands take of each queue.
pub(super) struct QueueMemory(Box<[CachePadded<AtomicU64>]>);

impl QueueMemory {
    /// Empty queues.
    pub fn new(queues: usize) -> QueueMemory {
        QueueMemory((0..queues).map(|_| CachePadded::new(AtomicU64::new(0))).collect())
    }

    /// Takes room in a queue that has so many bytes.
    ///
    /// # Errors
    /// If it has less left, or is none.
    pub fn take(&self, charge: Charge, room: u64) -> Result<(), Refusal> {
        let used = self.0.get(charge.queue).ok_or(Refusal::Queue)?;
        let add = |used: u64| used.checked_add(charge.bytes).filter(|&sum| sum <= room);
        let taken = used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        taken.map(drop).map_err(|_| Refusal::QueueFull)
    }

    /// Gives it back.
    pub fn give(&self, charge: Charge) {
        if charge.bytes != 0
            && let Some(used) = self.0.get(charge.queue)
        {
            used.fetch_sub(charge.bytes, Ordering::Relaxed);
        }
    }
}

/// Room that a thread has taken and not used.
#[derive(Default)]
pub(super) struct Credit {
    queue: usize,
    bytes: u64,
}

impl Credit {
    /// As [`QueueMemory::take`], from what is at hand if that is enough.
    ///
    /// # Errors
    /// As there.
    pub fn take(&mut self, rooms: &QueueMemory, charge: Charge, room: u64) -> Result<(), Refusal> {
        if self.queue != charge.queue || self.bytes < charge.bytes {
            self.end(rooms);
            let lot = Charge { bytes: charge.bytes.saturating_add(LOT), ..charge };
            if rooms.take(lot, room).is_err() {
                return rooms.take(charge, room);
            }
            *self = Credit { queue: lot.queue, bytes: lot.bytes };
        }
        self.bytes -= charge.bytes;
        Ok(())
    }

    /// Gives back what is at hand.
    pub fn end(&mut self, rooms: &QueueMemory) {
        rooms.give(Charge { queue: self.queue, bytes: std::mem::take(&mut self.bytes) });
    }
}
