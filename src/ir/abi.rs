//! ABI between generated code and the executor: the context record of a work-group, layouts in memory that
//! both sides access, and the facts about a range that code may be specialized for.

use super::op::Query;

/// Alignment in bytes of local memory, of private areas and of each context array.
pub const AREA_ALIGN: u64 = 128;

/// Context record of a work-group, the only argument of a group function. The executor keeps one for each
/// worker and rewrites the fields that depend on the group before each call. Generated code reads it at the
/// offsets in [`offset`].
#[repr(C)]
#[derive(Clone, Debug)]
pub struct GroupContext {
    /// Argument block of the launch; [`Param`] describes how parameters lie in it.
    pub args: *const u8,
    /// Local memory of the group: `local` variables first, then the memory of `local` arguments.
    pub local: *mut u8,
    /// Private memory that is too large for the stack, followed by the context arrays. It begins where local
    /// memory ends.
    pub private: *mut u8,
    /// One past the last byte of private memory.
    pub private_end: *mut u8,
    pub group_id: [u64; 3],
    pub num_groups: [u64; 3],
    /// Size of this group. It is smaller than `enqueued_local_size` at the end of a range that is not a
    /// multiple of it (s5.8, non-uniform work-groups).
    pub local_size: [u64; 3],
    pub enqueued_local_size: [u64; 3],
    pub global_size: [u64; 3],
    pub global_offset: [u64; 3],
    /// Global id of the group's first work-item.
    pub base: [u64; 3],
    pub work_dim: u32,
    /// Buffer of printf's output (`rtlib::print::PrintfBuffer`); null in launches of kernels that do not print.
    pub printf_buffer: *const u8,
    /// Receiver of the commands that kernels enqueue (`rtlib::enqueue::EnqueueSink`); null in launches of
    /// kernels that enqueue nothing.
    pub enqueue_sink: *const u8,
    /// Address of the [`item`] record of the work-item that runs. Kernels that call functions or leave
    /// generated code write it, so that the report of a fault can name the work-item.
    pub item: *const u8,
}

/// Facts about an ND-range that code may be specialized for. A variant is compiled under these assumptions
/// and may run any range for which they hold; the default assumes nothing and is correct for every range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RangeFacts {
    /// True if in every dimension offset plus size is below 2³¹: ids and sizes have the same value as
    /// `int`, so that 32-bit arithmetic on them does not wrap.
    pub ids_fit_31: bool,
    /// True if in every dimension offset plus size is below 2²⁶: products of ids with up to 32 have 31 bits.
    pub ids_fit_26: bool,
    /// Size of every work-group; none if it is not known or work-groups differ.
    pub local_size: Option<[u32; 3]>,
    /// True if all work-groups have one size and global ids begin with 0: a global id is then `group_id *
    /// local_size + local_id`.
    pub has_zero_offset_and_uniform_groups: bool,
    /// True if the first two dimensions are interchanged, both in the code and in the range it runs over.
    /// This makes the dimension in which memory is contiguous the innermost one.
    pub is_interchanged: bool,
    /// True if many work-items lie past the last full vector of their row, so that a masked body is worth its
    /// code size. Set only for kernels that do not observe their work-groups, where merged groups form
    /// long rows.
    pub needs_masked_row_ends: bool,
    /// Stores that write more than the caches hold.
    pub nontemporal: NonTemporal,
    /// Tier of the code.
    pub tier: Tier,
    /// True if there are so many work-items that copies of memory that they update pay for each thread. Set only for
    /// kernels with such memory.
    pub has_many_updates: bool,
    /// True if the launch has next to no work-items, so that iterations of loops are vectorized instead. Set only for
    /// kernels with loops for which that may be possible.
    pub has_few_items: bool,
}

/// Compilation tier. Code of all tiers computes the same. Launches begin with the first tier; once they have taken long,
/// they try the next one, and keep the faster of the two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Code that is compiled quickly: large bodies stay scalar.
    #[default]
    Quick,
    /// Code whose large bodies are vectorized, too, if that seems faster.
    Optimized,
    /// Code in which bodies for which that is uncertain are scalar if vectors seem better, and vectorized if not.
    OtherLanes,
    /// Code whose bodies have half as many lanes as seem best for vectors.
    HalfLanes,
}

/// Class of the stores that may be non-temporal, that is, may bypass the caches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NonTemporal {
    #[default]
    None,
    /// Stores that each work-item executes once.
    PerItem,
    /// Stores that each work-item executes once, and those that each iteration of a grid-stride loop executes once.
    PerIteration,
}

/// A grid-stride loop that is the whole kernel. If its arrays do not overlap, its iterations are independent
/// of each other, and the kernel computes the same when it runs over one work-item for each iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridStride {
    pub iterations: Iterations,
    /// Maximum number of iterations: with more of them a 32-bit computation could wrap.
    pub max_iterations: u64,
    /// Arrays that the loop reads or writes.
    pub arrays: Box<[StridedArray]>,
}

/// Total number of iterations of a grid-stride loop over all work-items, given as a parameter of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iterations {
    /// Offset of the number in the argument block, and its size in bytes.
    pub bound: (u32, u32),
    /// True if the number is signed; a negative one stands for no iterations.
    pub is_signed: bool,
}

impl Iterations {
    /// Returns the number of iterations. `word(offset, bytes)` reads an integer of that size from the
    /// argument block.
    pub fn count(&self, word: impl Fn(u32, u32) -> Option<u64>) -> Option<u64> {
        let (offset, bytes) = self.bound;
        let word = word(offset, bytes)?;
        match self.is_signed {
            false => Some(word),
            true if bytes == 4 => u64::try_from(word as u32 as i32).ok(),
            true => u64::try_from(word as i64).ok(),
        }
    }
}

/// An array that a grid-stride loop accesses: iteration `i` touches at most the bytes from `stride * i +
/// begin` up to, but not including, `stride * i + end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StridedArray {
    /// Offset of the array's address in the argument block.
    pub offset: u32,
    pub stride: i64,
    pub begin: i64,
    pub end: i64,
    pub is_written: bool,
}

/// Exchanges the first two dimensions of sizes or ids.
pub fn interchanged<T>([x, y, z]: [T; 3]) -> [T; 3] {
    [y, x, z]
}

impl RangeFacts {
    /// Maximum number of work-items, in a launch or in a group, that are next to none.
    // Arbitrary: vectors of four work-items are used and pay in many kernels.
    pub const FEW_ITEMS: u64 = 2;

    /// Checks whether groups of this size have next to no work-items.
    pub fn are_few(size: [u64; 3]) -> bool {
        size.iter()
            .try_fold(1u64, |items, &size| items.checked_mul(size))
            .is_some_and(|items| items <= Self::FEW_ITEMS)
    }

    /// Checks whether work-groups are known to have next to no work-items.
    pub fn has_small_groups(self) -> bool {
        self.local_size.is_some_and(|size| RangeFacts::are_few(size.map(u64::from)))
    }

    /// Computes the facts about a range of this offset and size with work-groups of this size. The members
    /// that depend on the kernel keep their defaults.
    pub fn of(offset: [u64; 3], global: [u64; 3], local: [u64; 3]) -> RangeFacts {
        let end = |d: usize| offset[d].saturating_add(global[d]);
        let end = end(0).max(end(1)).max(end(2));
        let (ids_fit_31, ids_fit_26) = (end < 1 << 31, end < 1 << 26);
        // Equal sizes are frequent and divisions are slow, so equality is tested first.
        let divides = |d: usize| local[d] == global[d] || local[d] > 0 && global[d].is_multiple_of(local[d]);
        let sizes = local.map(|size| u32::try_from(size).unwrap_or(0));
        let is_one = (0..3).all(|d| sizes[d] > 0 && divides(d));
        let has_zero_offset_and_uniform_groups = is_one && offset == [0; 3];
        let local_size = is_one.then_some(sizes);
        RangeFacts {
            ids_fit_31,
            ids_fit_26,
            local_size,
            has_zero_offset_and_uniform_groups,
            ..RangeFacts::default()
        }
    }

    /// Returns the value of a query if the facts determine it.
    pub fn query(self, query: Query, dim: u8) -> Option<u64> {
        let sizes = self.local_size.filter(|_| matches!(query, Query::LocalSize | Query::EnqueuedLocalSize));
        sizes.map(|sizes| sizes[usize::from(dim)].into())
    }
}

/// Byte offsets of the fields of [`GroupContext`] for generated code.
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

/// Layout of the item record, the first argument of functions that are not inlined. It identifies the
/// work-item that runs; its first word is the address of the [`GroupContext`].
pub mod item {
    /// Offset of the address of the group context.
    pub const GROUP: u64 = 0;
    /// Offset of the local ids, three words of 64 bits.
    pub const LOCAL_ID: u64 = 8;
    /// Size of the record in bytes.
    pub const SIZE: u64 = 32;
}

/// Numbers that `Helper::SpaceOf` returns for the address spaces that a generic pointer can point into
/// (s6.13.9). The helper implements `to_global`, `to_local` and `to_private`.
pub mod space {
    pub const PRIVATE: u32 = 0;
    pub const LOCAL: u32 = 1;
    pub const GLOBAL: u32 = 2;
}

/// Default number of work-items in a sub-group.
// Source: docs/subgroups.md, faster than 8 with AVX-512 and AVX2, and than 32 with AVX2.
pub const SUB_GROUP: u16 = 16;

/// Numbers of work-items that a sub-group may have (CL_DEVICE_SUB_GROUP_SIZES_INTEL). The largest one is the
/// number of lanes that exist and of bits in a ballot.
pub const SUB_GROUP_SIZES: [u16; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Calls by which a kernel requests the executor to enqueue other kernels (s6.13.17).
pub mod enqueue {
    /// Maximum number of work-items in a work-group (CL_DEVICE_MAX_WORK_GROUP_SIZE).
    pub const MAX_WORK_GROUP_SIZE: u32 = 4096;
    /// Maximum number of work-items of merged groups whose kernel has implicit barriers and keeps nothing for each
    /// work-item. A power of two.
    // Arbitrary.
    pub const MAX_STATELESS_GROUP_SIZE: u32 = 1 << 16;
    /// CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE.
    pub const WORK_GROUP_MULTIPLE: u32 = 16;

    /// A device-side enqueue function. Arguments are 64-bit words in memory: pointers are addresses, and an
    /// `ndrange_t` is the address of its words. Variants document arguments → result.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Call {
        /// → queue
        DefaultQueue,
        /// queue, flags, range, 0, 0, 0, block, number of sizes, sizes of local memory → status
        Enqueue,
        /// queue, flags, range, number of events, events, event, block, number of sizes, sizes of local
        /// memory → status
        EnqueueAfter,
        /// queue, number of events, events, event → status
        Marker,
        /// event
        Retain,
        /// event
        Release,
        /// → event
        UserEvent,
        /// event → 1 if it is a valid event, else 0
        IsEvent,
        /// event, status
        SetStatus,
        /// event, profiling info, address of the result
        Profile,
        /// range, block → number of sub-groups in a work-group
        SubGroupCount,
        /// range, block → number of work-items in a sub-group
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
        /// Returns the call that `__op(device_<name>)` in `kernels/` denotes.
        pub fn from_name(name: &str) -> Option<Call> {
            NAMES.iter().find(|(other, _)| *other == name).map(|(_, call)| *call)
        }

        /// Returns the call of a number, as the variants are numbered.
        pub fn from_number(number: u64) -> Option<Call> {
            NAMES.iter().map(|(_, call)| *call).find(|call| *call as u64 == number)
        }
    }
}

/// Layout of a pipe in memory, shared with `kernels/pipe`: a header, the states of all slots, and the
/// packets.
pub mod pipe {
    /// Offset of the slots' states. A state is a uint: twice the number of the lap, plus 1 while a packet of
    /// that lap is in the slot.
    pub const STATES: u64 = 384;
    /// Offset of the read position: the lap in the upper half, the slot in the lower half.
    pub const READ: usize = 256;

    /// Alignment of a pipe in bytes.
    pub const ALIGN: u64 = super::AREA_ALIGN;

    /// Returns the number of bytes before the packets, and of the whole pipe. The first bytes are the
    /// [`header`], the rest up to the packets is 0.
    pub fn sizes(packet: u32, packets: u32) -> (u64, u64) {
        let before = (STATES + 4 * u64::from(packets)).next_multiple_of(ALIGN);
        (before, before + u64::from(packet) * u64::from(packets))
    }

    /// Returns the first bytes of an empty pipe.
    pub fn header(packet: u32, packets: u32) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&packets.to_le_bytes());
        bytes[4..8].copy_from_slice(&packet.to_le_bytes());
        bytes[8..].copy_from_slice(&sizes(packet, packets).0.to_le_bytes());
        bytes
    }
}

/// Location of a kernel parameter in the argument block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    /// The value itself, at this offset.
    Value(u32),
    /// A struct at this offset; the kernel gets its address.
    Struct(u32),
    /// A `local` pointer. The word at this offset is the offset in local memory of the memory it points at.
    Local(u32),
}

/// Encoding of printf's arguments in memory: for each argument one descriptor word, then one word for each
/// lane with the lane's bits.
pub mod print {
    /// Kind of an argument.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Class {
        Int,
        Float,
        Pointer,
    }

    /// Returns the descriptor of an argument: class, bits of a lane, number of lanes.
    pub fn describe(class: Class, bits: u32, lanes: u8) -> u64 {
        class as u64 | u64::from(bits) << 8 | u64::from(lanes) << 16
    }

    /// Decodes a descriptor, the inverse of [`describe`].
    pub fn read(word: u64) -> (Class, u32, u8) {
        let class = match word & 0xff {
            0 => Class::Int,
            1 => Class::Float,
            _ => Class::Pointer,
        };
        (class, (word >> 8 & 0xff) as u32, (word >> 16) as u8)
    }
}
