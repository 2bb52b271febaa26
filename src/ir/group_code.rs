//! Code of a kernel for one work-group, as the passes hand it to code generation and the executor.

use super::abi::{AREA_ALIGN, GridStride, Iterations, Tier};
use super::{Function, Kind, Reduction, Value};

/// Machine-independent code of a kernel for one work-group.
#[derive(Clone, Debug)]
pub struct GroupCode {
    /// The group function first, then functions that it calls; calls refer to positions in this list.
    pub functions: Vec<Function>,
    /// Size of the `local` variables in bytes.
    pub local_size: u64,
    /// Size of the private memory outside the stack in bytes. Each worker has its own.
    pub private_size: u64,
    /// Size of the context arrays.
    pub context_size: ContextSize,
    /// Size in bytes of the memory past the context arrays, which holds the values that cross between the
    /// chunks of a split function.
    pub frame_size: u64,
    /// True if the group function keeps uniform values in stack slots that passes may promote to registers.
    pub has_slots_on_stack: bool,
    /// True if groups may be merged or split over several threads: the kernel does not observe its groups
    /// by queries, local ids or scopes of atomic operations.
    pub is_group_agnostic: bool,
    /// Facts about loops in which consecutive work-items access consecutive memory, with a stride of the
    /// whole range from iteration to iteration; such kernels gain from large groups.
    pub strided_access: Option<StridedAccess>,
    /// Values, by function, that hold the local ids of the running work-item, for reports of faults.
    /// Empty where the ids are in memory.
    pub tracked: Vec<Tracked>,
    /// Maximum number of work-items in a vector.
    pub lanes: u16,
    /// Maximum number of rows whose vectors run together.
    pub rows: u16,
    /// Next tier whose code may be faster.
    pub next_tier: Option<Tier>,
    /// Arguments whose memory must be a copy of the thread's own.
    pub private_updates: Vec<PrivateUpdate>,
}

/// An argument whose memory the kernel does nothing to but update it by one operation. Each thread updates a copy of its
/// own, which begins with the neutral number of the operation; the copies are combined with the memory afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrivateUpdate {
    /// Offset of the pointer in the argument block.
    pub place: u32,
    /// Kind of the numbers: `I32` or `I64`.
    pub kind: Kind,
    pub how: Reduction,
}

/// A kernel whose work-items go through memory with a stride of the whole range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StridedAccess {
    /// True if the kernel does little else than access memory.
    pub streams: bool,
    /// The kernel's only loop, if its iterations could be separate work-items.
    pub grid_stride: Option<GridStride>,
    /// Iterations of that loop, and the bytes that each writes by stores that could be non-temporal, if it
    /// has such stores.
    pub nontemporal: Option<(Iterations, u64)>,
}

/// Local ids of the running work-item, one entry for each loop over work-items.
pub type Tracked = Vec<ItemIds>;

/// Values that identify the work-items that run.
#[derive(Clone, Copy, Debug)]
pub struct ItemIds {
    /// First work-item of the vector.
    pub first: FirstItem,
    /// Number of work-items in the vector.
    pub lanes: u16,
    /// Number of consecutive rows of which such vectors run together.
    pub rows: u16,
    /// True if no work-item of the group is skipped.
    pub covers_all_items: bool,
}

impl ItemIds {
    /// Returns the values that count work-items.
    pub fn counters(&self) -> impl Iterator<Item = Value> {
        let ids = match self.first {
            FirstItem::LocalIds(ids) => ids.map(Some),
            FirstItem::LinearId(number) => [Some(number), None, None],
            FirstItem::InMemory { .. } => [None; 3],
        };
        ids.into_iter().flatten()
    }
}

/// Values that identify the first work-item of a vector.
#[derive(Clone, Copy, Debug)]
pub enum FirstItem {
    /// Its local ids.
    LocalIds([Value; 3]),
    /// Its linear local id, x fastest. The vector may contain work-items of several rows.
    LinearId(Value),
    /// Not in registers: the item record in memory identifies the vector whose call is running. If
    /// `is_linear` is set, it holds a linear id, and the vector may contain work-items of several rows.
    InMemory { is_linear: bool },
}

/// Bytes of one work-item in all arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextSize {
    /// Bytes in arrays of large elements.
    pub large: u64,
    /// Bytes in arrays of small elements.
    pub small: u64,
}

impl ContextSize {
    /// Returns the size in bytes for a group of `items` work-items.
    pub fn bytes(&self, items: u64) -> u64 {
        self.large * items + self.small * Self::rounded(items)
    }

    /// Returns the length of arrays of small elements: `items`, rounded up to an odd multiple of the alignment. Arrays
    /// whose distance is a power of two would compete for few sets of a cache.
    // Source: Parboil's sgemm, 32 sums across a barrier in groups of 512, takes 0.65 of the time, Zen 4, 2026-12-01.
    fn rounded(items: u64) -> u64 {
        items.next_multiple_of(AREA_ALIGN) | AREA_ALIGN
    }
}
