//! Unified shared memory (cl_intel_unified_shared_memory). The device is the processor, so host, device and shared
//! allocations are the same ordinary memory: host and all devices access all of them, also at the same time and with
//! atomics, and nothing migrates. A kind, a device and flags are kept for queries only. `allocations` knows what a
//! context has allocated.

use std::ptr;
use std::sync::Arc;

use super::allocations::AllocationKind;
use super::context::Context;
use super::device::Device;
use super::error::{Error, Result};
use super::event::Events;
use super::memory::HostPtr;
use super::object::{Object, ParentRef};
use super::queue::{Enqueued, Queue};
use crate::cl::*;

/// Value of the queries for the capabilities of a device, for each kind of allocation and for the memory of the
/// system's allocator.
pub const CAPABILITIES: cl_device_unified_shared_memory_capabilities_intel =
    CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL
        | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL
        | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL
        | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;

/// Maximum alignment in bytes: the size of a huge page. The extension demands the size of the largest type; programs
/// ask for the size of a page, too.
const MAX_ALIGN: usize = 2 << 20;

/// Checks an alignment in bytes. 0 stands for the alignment of all allocations.
fn is_alignment(alignment: cl_uint) -> bool {
    alignment == 0 || alignment.is_power_of_two() && alignment as usize <= MAX_ALIGN
}

/// Owner of an allocation.
pub enum UsmOwner {
    Host,
    Device(Arc<Object<Device>>),
    /// Host and device. Without a device, all devices of the context.
    Shared(Option<Arc<Object<Device>>>),
}

impl UsmOwner {
    fn device(&self) -> Option<&Arc<Object<Device>>> {
        match self {
            Self::Host => None,
            Self::Device(device) => Some(device),
            Self::Shared(device) => device.as_ref(),
        }
    }

    fn kind(&self) -> cl_unified_shared_memory_type_intel {
        match self {
            Self::Host => CL_MEM_TYPE_HOST_INTEL,
            Self::Device(_) => CL_MEM_TYPE_DEVICE_INTEL,
            Self::Shared(_) => CL_MEM_TYPE_SHARED_INTEL,
        }
    }

    /// Returns the flags in a property list, whose last element is 0 unless it is empty.
    fn flags(&self, properties: &[cl_mem_properties_intel]) -> Result<cl_mem_alloc_flags_intel> {
        const PLACEMENT: cl_mem_alloc_flags_intel =
            CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
        let mut flags = None;
        for pair in properties.chunks_exact(2) {
            // A property is unknown or named twice.
            if pair[0] != CL_MEM_ALLOC_FLAGS_INTEL || flags.replace(pair[1]).is_some() {
                return Err(Error::InvalidProperty);
            }
        }
        let flags = flags.unwrap_or(0);
        let placements = match self {
            Self::Host | Self::Device(_) => 0,
            Self::Shared(_) => PLACEMENT,
        };
        let is_known = flags & !(CL_MEM_ALLOC_WRITE_COMBINED_INTEL | placements) == 0;
        if is_known && flags & PLACEMENT != PLACEMENT { Ok(flags) } else { Err(Error::InvalidProperty) }
    }

    /// Returns the error for memory that the system or the limit of the device refuses.
    fn out_of_memory(&self) -> Error {
        match self {
            Self::Host => Error::OutOfHostMemory,
            Self::Device(_) | Self::Shared(_) => Error::OutOfResources,
        }
    }
}

/// Properties of an allocation for queries.
#[derive(Default)]
pub(super) struct UsmProperties {
    kind: cl_unified_shared_memory_type_intel,
    device: Option<ParentRef<Device>>,
    flags: cl_mem_alloc_flags_intel,
}

/// Answers to the queries about a pointer.
pub struct UsmInfo {
    /// Value of CL_MEM_ALLOC_TYPE_INTEL.
    pub kind: cl_unified_shared_memory_type_intel,
    /// Value of CL_MEM_ALLOC_BASE_PTR_INTEL.
    pub base: HostPtr,
    /// Value of CL_MEM_ALLOC_SIZE_INTEL.
    pub size: usize,
    /// Value of CL_MEM_ALLOC_DEVICE_INTEL. The context keeps the handle live.
    pub device: cl_device_id,
    /// Value of CL_MEM_ALLOC_FLAGS_INTEL.
    pub flags: cl_mem_alloc_flags_intel,
}

impl UsmInfo {
    /// Answers for a pointer that is in no allocation.
    const UNKNOWN: Self = Self {
        kind: CL_MEM_TYPE_UNKNOWN_INTEL,
        base: HostPtr::NULL,
        size: 0,
        device: ptr::null_mut(),
        flags: 0,
    };
}

impl Context {
    /// Implements clHostMemAllocINTEL, clDeviceMemAllocINTEL and clSharedMemAllocINTEL. `properties` is empty or ends
    /// with a 0.
    pub fn usm_alloc(
        &self,
        owner: &UsmOwner,
        properties: &[cl_mem_properties_intel],
        size: usize,
        alignment: cl_uint,
    ) -> Result<HostPtr> {
        let device = owner.device();
        if device.is_some_and(|device| !self.has_device(device)) {
            return Err(Error::InvalidDevice);
        }
        if !is_alignment(alignment) {
            return Err(Error::InvalidValue);
        }
        let flags = owner.flags(properties)?;
        self.check_allocation_size(size)?;
        let properties = UsmProperties { kind: owner.kind(), device: device.map(ParentRef::new), flags };
        let node = device.map_or(self.node(), |device| device.node());
        let (align, kind) = (alignment.max(1) as usize, AllocationKind::Usm(properties));
        let allocated = self.allocations().allocate(size, align, node, kind);
        allocated.map_err(|_| owner.out_of_memory())
    }

    /// Implements clMemFreeINTEL, and clMemBlockingFreeINTEL, which waits for the commands that may use the memory.
    /// Kernels may follow any pointer, so these are all commands of this context. If it does not wait, the memory stays
    /// until they have ended: an application that frees too early is wrong, but need not crash.
    pub fn usm_free(&self, pointer: HostPtr, is_blocking: bool) -> Result<()> {
        if pointer.is_null() {
            return Ok(());
        }
        // Nothing is waited for if the pointer is invalid.
        if self.usm_info(pointer).base != pointer {
            return Err(Error::InvalidValue);
        }
        if is_blocking {
            self.finish();
        }
        let storage = self.allocations().take_usm(pointer).ok_or(Error::InvalidValue)?;
        if !is_blocking {
            self.keep_while_busy(storage);
        }
        Ok(())
    }

    /// Returns the answers of clGetMemAllocInfoINTEL about any pointer.
    pub fn usm_info(&self, pointer: HostPtr) -> UsmInfo {
        let describe = |properties: &UsmProperties, base: HostPtr, size: usize| UsmInfo {
            kind: properties.kind,
            base,
            size,
            device: properties.device.as_ref().map_or(ptr::null_mut(), |device| device.handle()),
            flags: properties.flags,
        };
        self.allocations().usm_around(pointer.address(), describe).unwrap_or(UsmInfo::UNKNOWN)
    }
}

impl Object<Queue> {
    /// Implements clEnqueueMigrateMemINTEL for any range. There is only one memory.
    pub fn usm_migrate(self: &Arc<Self>, events: &Events) -> Enqueued {
        self.start(CL_COMMAND_MIGRATEMEM_INTEL, false, events, || Ok(()))
    }

    /// Implements clEnqueueMemAdviseINTEL for any range and no advice.
    pub fn usm_advise(self: &Arc<Self>, events: &Events) -> Enqueued {
        self.start(CL_COMMAND_MEMADVISE_INTEL, false, events, || Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::Event;
    use super::super::queue::QueueOrder;
    use super::*;

    #[test]
    fn what_commands_use_is_kept_until_they_have_ended() {
        let device = Object::new(Device::root());
        let context = Context::create(&[Arc::clone(&device)], Vec::new(), None);
        let flags = [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE];
        let queues = flags.map(|flags| Queue::create(&context, &device, flags, None, Vec::new()).unwrap());
        // Nothing is enqueued, so nothing keeps the value.
        let value = Arc::new(());
        context.keep_while_busy(Arc::clone(&value));
        assert_eq!(Arc::strong_count(&value), 1);
        for round in 0..2 {
            let gate = Event::user(&context);
            let wait_list = [Arc::clone(&gate)];
            for queue in &queues[..=round] {
                queue.enqueue(CL_COMMAND_NATIVE_KERNEL, &wait_list, QueueOrder::Free, None).unwrap();
            }
            context.keep_while_busy(Arc::clone(&value));
            assert_eq!(Arc::strong_count(&value), 2);
            gate.set_user_status(CL_COMPLETE).unwrap();
            queues[1].finish();
            assert_eq!(Arc::strong_count(&value), 2);
            queues[0].finish();
            assert_eq!(Arc::strong_count(&value), 1);
        }
    }

    #[test]
    fn alignments_are_powers_of_two() {
        assert!([0, 1, 2, 64, 128, 4096, 1 << 21].into_iter().all(is_alignment));
        assert!(![3, 24, 127, 129, 4097, 1 << 22, 1 << 31, cl_uint::MAX].into_iter().any(is_alignment));
    }

    #[test]
    fn property_lists_are_checked() {
        const FLAGS: u64 = CL_MEM_ALLOC_FLAGS_INTEL;
        const COMBINED: u64 = CL_MEM_ALLOC_WRITE_COMBINED_INTEL;
        const DEVICE: u64 = CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL;
        const HOST: u64 = CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
        let (host, shared) = (UsmOwner::Host, UsmOwner::Shared(None));
        for owner in [&host, &shared] {
            assert_eq!(owner.flags(&[]), Ok(0));
            assert_eq!(owner.flags(&[0]), Ok(0));
            assert_eq!(owner.flags(&[FLAGS, COMBINED, 0]), Ok(COMBINED));
            for bad in
                [&[FLAGS, 1 << 3, 0][..], &[FLAGS, DEVICE | HOST, 0], &[FLAGS, 0, FLAGS, 0, 0], &[1, 0, 0]]
            {
                assert_eq!(owner.flags(bad), Err(Error::InvalidProperty), "{bad:?}");
            }
        }
        for placement in [DEVICE, HOST] {
            assert_eq!(shared.flags(&[FLAGS, placement | COMBINED, 0]), Ok(placement | COMBINED));
            assert_eq!(host.flags(&[FLAGS, placement, 0]), Err(Error::InvalidProperty));
        }
    }
}
