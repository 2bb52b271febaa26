//! What machine code and executor agree on: the one pointer that a group function gets.

use super::op::Query;

/// Alignment of local memory, of private areas and of each context array.
pub const AREA_ALIGN: u64 = 128;

/// Everything a group function can see. The executor keeps one for each worker and
/// rewrites the group part for each group.
#[repr(C)]
#[derive(Clone, Debug)]
pub struct GroupContext {
    /// The launch's argument block.
    pub args: *const u8,
    /// Local memory of the group: `local` variables first, then `local` arguments.
    pub local: *mut u8,
    /// Private memory too large for the stack, then the context arrays. Begins where
    /// local memory ends.
    pub private: *mut u8,
    /// One past the last byte of private memory.
    pub end: *mut u8,
    pub group_id: [u64; 3],
    pub num_groups: [u64; 3],
    /// Size of this group; smaller than enqueued at a ragged edge.
    pub local_size: [u64; 3],
    pub enqueued_local_size: [u64; 3],
    pub global_size: [u64; 3],
    pub global_offset: [u64; 3],
    /// Global id of the group's first work-item.
    pub base: [u64; 3],
    pub work_dim: u32,
    /// Where printf collects (`rtlib::print::Printed`); null in launches of kernels that do not print.
    pub printed: *const u8,
    /// What takes the commands that kernels enqueue (`rtlib::enqueue::EnqueueSink`); null in launches of kernels that enqueue nothing.
    pub parent: *const u8,
    /// Written by kernels that call something: the address of their [`item`] record, for who asks where they stopped.
    pub item: *const u8,
}

/// What code may take for granted of the range it runs over; less is always right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RangeFacts {
    /// In every dimension offset and size together are less than 2³¹: ids and sizes are the same numbers as `int`.
    pub ids_fit_31: bool,
    /// The size of all work-groups, if they have one.
    pub local_size: Option<[u32; 3]>,
    /// All work-groups have one size and ids begin with 0: a global id is what group and local id say.
    pub is_plain: bool,
    /// The first two dimensions have changed places, in the code as in the range that it runs over.
    pub is_interchanged: bool,
    /// Rows of groups that the kernel knows nothing of often end where lanes are left over.
    pub has_row_ends: bool,
    /// Whose stores write more than caches keep.
    pub nontemporal: NonTemporal,
    /// Launches have taken long: large bodies are worth the time that making lanes of them takes.
    pub is_tiered_up: bool,
}

/// Stores that may go past the caches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NonTemporal {
    #[default]
    None,
    /// What each item does once.
    OfItems,
    /// What it does in each turn of a grid-stride loop, too.
    OfIterations,
}

/// A grid-stride loop that is all a kernel does, and whose turns are independent where its arrays do not overlap: over as many
/// items as there are turns in all, one for each, the kernel does the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridStride {
    pub turns: Iterations,
    /// So many turns at most: with more of them what is computed in 32 bits could wrap.
    pub most: u64,
    /// What is read and written.
    pub arrays: Box<[StridedArray]>,
}

/// The turns of all items of a grid-stride loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iterations {
    /// Where their number stands in the argument block, and its bytes.
    pub bound: (u32, u32),
    /// Negative ones are none.
    pub is_signed: bool,
}

impl Iterations {
    /// How many there are; `word` has so many bytes at a place of the argument block.
    pub fn count(&self, word: impl Fn(u32, u32) -> Option<u64>) -> Option<u64> {
        let (place, bytes) = self.bound;
        let word = word(place, bytes)?;
        match self.is_signed {
            false => Some(word),
            true if bytes == 4 => u64::try_from(word as u32 as i32).ok(),
            true => u64::try_from(word as i64).ok(),
        }
    }
}

/// An array that turns of a grid-stride loop go through: turn `i` touches bytes `stride * i + begin` to `stride * i + end` of it at
/// most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StridedArray {
    /// Where its address stands in the argument block.
    pub place: u32,
    pub stride: i64,
    pub begin: i64,
    pub end: i64,
    pub is_written: bool,
}

/// Sizes or ids with the first two dimensions in each other's place.
pub fn interchanged<T>([x, y, z]: [T; 3]) -> [T; 3] {
    [y, x, z]
}

impl RangeFacts {
    /// What holds of a range of this offset and size in groups of this size.
    pub fn of(offset: [u64; 3], global: [u64; 3], local: [u64; 3]) -> RangeFacts {
        let ids_fit_31 = (0..3).all(|d| offset[d].saturating_add(global[d]) < 1 << 31);
        // Equal sizes are frequent, divisions slow.
        let divides = |d: usize| local[d] == global[d] || local[d] > 0 && global[d].is_multiple_of(local[d]);
        let sizes = local.map(|size| u32::try_from(size).unwrap_or(0));
        let is_one = (0..3).all(|d| sizes[d] > 0 && divides(d));
        let is_plain = is_one && offset == [0; 3];
        let local_size = is_one.then_some(sizes);
        RangeFacts { ids_fit_31, local_size, is_plain, ..RangeFacts::default() }
    }

    /// The answer to a query, if it is known.
    pub fn query(self, query: Query, dim: u8) -> Option<u64> {
        let sizes = self.local_size.filter(|_| matches!(query, Query::LocalSize | Query::EnqueuedLocalSize));
        sizes.map(|sizes| sizes[usize::from(dim)].into())
    }
}

/// Byte offsets of the fields, for code that is generated.
pub mod offset {
    use super::GroupContext;
    use std::mem::offset_of;

    pub const ARGS: u64 = offset_of!(GroupContext, args) as u64;
    pub const LOCAL: u64 = offset_of!(GroupContext, local) as u64;
    pub const PRIVATE: u64 = offset_of!(GroupContext, private) as u64;
    pub const GROUP_ID: u64 = offset_of!(GroupContext, group_id) as u64;
    pub const NUM_GROUPS: u64 = offset_of!(GroupContext, num_groups) as u64;
    pub const LOCAL_SIZE: u64 = offset_of!(GroupContext, local_size) as u64;
    pub const ENQUEUED_LOCAL_SIZE: u64 = offset_of!(GroupContext, enqueued_local_size) as u64;
    pub const GLOBAL_SIZE: u64 = offset_of!(GroupContext, global_size) as u64;
    pub const GLOBAL_OFFSET: u64 = offset_of!(GroupContext, global_offset) as u64;
    pub const BASE: u64 = offset_of!(GroupContext, base) as u64;
    pub const WORK_DIM: u64 = offset_of!(GroupContext, work_dim) as u64;
    pub const ITEM: u64 = offset_of!(GroupContext, item) as u64;
}

/// The context that a function which stays a call gets as its first parameter: where
/// the work-item is. Its first word is the address of the [`GroupContext`].
pub mod item {
    /// Address of the group context.
    pub const GROUP: u64 = 0;
    /// Three 64-bit local ids.
    pub const LOCAL_ID: u64 = 8;
    /// Size in bytes.
    pub const SIZE: u64 = 32;
}

/// The address spaces that a generic pointer can point into (s6.13.9), as the helper
/// behind `to_global` and its like numbers them.
pub mod space {
    pub const PRIVATE: u32 = 0;
    pub const LOCAL: u32 = 1;
    pub const GLOBAL: u32 = 2;
}

/// Work-items of a sub-group, if nobody says how many: faster than 8 with AVX-512 and AVX2, and than 32 with AVX2 (docs/subgroups.md).
pub const SUB_GROUP: u16 = 16;

/// Work-items that a sub-group can have (CL_DEVICE_SUB_GROUP_SIZES_INTEL): as many lanes as there are, and bits in a ballot.
pub const SUB_GROUP_SIZES: [u16; 7] = [1, 2, 4, 8, 16, 32, 64];

/// What a kernel asks of whoever runs it, to enqueue others (s6.13.17).
pub mod enqueue {
    /// Work-items that a group can have (CL_DEVICE_MAX_WORK_GROUP_SIZE).
    pub const MAX_WORK_GROUP_SIZE: u32 = 4096;
    /// CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE.
    pub const WORK_GROUP_MULTIPLE: u32 = 16;

    /// A function of the language. Its arguments are words in memory; pointers are addresses, an `ndrange_t` is the
    /// address of its words.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Call {
        /// → queue
        DefaultQueue,
        /// queue, flags, range, 0, 0, 0, block, how many sizes, sizes of local memory → status
        Enqueue,
        /// queue, flags, range, how many events, events, event, block, how many sizes, sizes of local memory → status
        EnqueueAfter,
        /// queue, how many events, events, event → status
        Marker,
        /// event
        Retain,
        /// event
        Release,
        /// → event
        UserEvent,
        /// event → whether it is one
        IsEvent,
        /// event, status
        SetStatus,
        /// event, what is asked, address of the answer
        Profile,
        /// range, block → sub-groups of a group
        SubGroupCount,
        /// range, block → work-items of a sub-group
        SubGroupSize,
    }

    const NAMES: [(&str, Call); 12] = [
        ("default_queue", Call::DefaultQueue),
        ("enqueue", Call::Enqueue),
        ("enqueue_after", Call::EnqueueAfter),
        ("marker", Call::Marker),
        ("retain", Call::Retain),
        ("release", Call::Release),
        ("user_event", Call::UserEvent),
        ("is_event", Call::IsEvent),
        ("set_status", Call::SetStatus),
        ("profile", Call::Profile),
        ("sub_group_count", Call::SubGroupCount),
        ("sub_group_size", Call::SubGroupSize),
    ];

    impl Call {
        /// By what `__op(device_...)` in `kernels/` calls it.
        pub fn from_name(name: &str) -> Option<Call> {
            NAMES.iter().find(|(other, _)| *other == name).map(|(_, call)| *call)
        }

        /// By its number.
        pub fn from_number(number: u64) -> Option<Call> {
            NAMES.iter().map(|(_, call)| *call).find(|call| *call as u64 == number)
        }
    }
}

/// What `kernels/pipe` works on: a header, the states of all places, and the packets.
pub mod pipe {
    /// Where the states begin: a uint for each place, twice a lap, plus 1 while a packet of that lap is there.
    pub const STATES: u64 = 384;
    /// Where the position of the next packet to be read is: a lap in the upper half, a place in the lower half.
    pub const READ: usize = 256;

    /// A pipe is aligned to this.
    pub const ALIGN: u64 = super::AREA_ALIGN;

    /// Bytes before the packets, the first of which are [`header`] and the others 0; and bytes in all.
    pub fn sizes(packet: u32, packets: u32) -> (u64, u64) {
        let before = (STATES + 4 * u64::from(packets)).next_multiple_of(ALIGN);
        (before, before + u64::from(packet) * u64::from(packets))
    }

    /// What an empty pipe begins with.
    pub fn header(packet: u32, packets: u32) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&packets.to_le_bytes());
        bytes[4..8].copy_from_slice(&packet.to_le_bytes());
        bytes[8..].copy_from_slice(&sizes(packet, packets).0.to_le_bytes());
        bytes
    }
}

/// How a kernel parameter lies in the argument block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    /// The value itself, at this offset.
    Value(u32),
    /// A struct at this offset; the kernel gets its address.
    Struct(u32),
    /// Offset in local memory of what a `local` pointer points at, at this offset.
    Local(u32),
}

/// The arguments of a printf call in memory: for each one a word that describes it, then
/// a word for each lane with the lane's bits.
pub mod print {
    /// What an argument is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Class {
        Int,
        Float,
        Pointer,
    }

    /// The word that describes an argument: class, bits of a lane, lanes.
    pub fn describe(class: Class, bits: u32, lanes: u8) -> u64 {
        class as u64 | u64::from(bits) << 8 | u64::from(lanes) << 16
    }

    /// The inverse of [`describe`].
    pub fn read(word: u64) -> (Class, u32, u8) {
        let class = match word & 0xff {
            0 => Class::Int,
            1 => Class::Float,
            _ => Class::Pointer,
        };
        (class, (word >> 8 & 0xff) as u32, (word >> 16) as u8)
    }
}
