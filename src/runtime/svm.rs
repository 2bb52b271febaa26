//! Shared virtual memory (API s5.6). The device works in the address space of the process, so every host pointer is
//! valid on the device: all four kinds of SVM are supported, and a command on shared memory is a command on
//! ordinary memory. `allocations` knows what a context has allocated.

use std::ffi::c_void;
use std::sync::Arc;

use super::allocations::{AllocationKind, check_pointer};
use super::context::Context;
use super::device::MEM_ALIGN;
use super::error::{Error, Result};
use super::event::Events;
use super::memory::{HostPtr, MapAccess};
use super::object::Object;
use super::queue::{Enqueued, Queue};
use crate::cl::*;

/// Value of CL_DEVICE_SVM_CAPABILITIES.
pub const CAPABILITIES: cl_device_svm_capabilities = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER
    | CL_DEVICE_SVM_FINE_GRAIN_BUFFER
    | CL_DEVICE_SVM_FINE_GRAIN_SYSTEM
    | CL_DEVICE_SVM_ATOMICS;

/// Function of the application that frees pointers, called with the handle of the queue.
pub type FreeFunction = Box<dyn FnOnce(*mut c_void, &[HostPtr]) + Send>;

/// Checks whether these flags of an allocation are valid together.
fn check_flags(flags: cl_svm_mem_flags) -> bool {
    const ACCESS: cl_svm_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    const GRAIN: cl_svm_mem_flags = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    let one_access = (flags & ACCESS).count_ones() <= 1;
    flags & !(ACCESS | GRAIN) == 0 && one_access && flags & GRAIN != CL_MEM_SVM_ATOMICS
}

/// Checks an alignment in bytes. 0 stands for the size of the largest type, to which all allocations are aligned and
/// above which no alignment is valid.
fn is_alignment(alignment: cl_uint) -> bool {
    alignment == 0 || alignment.is_power_of_two() && alignment as usize <= MEM_ALIGN
}

impl Context {
    /// Implements clSVMAlloc, which has no error codes; the codes here only name the cause.
    pub fn svm_alloc(&self, flags: cl_svm_mem_flags, size: usize, alignment: cl_uint) -> Result<HostPtr> {
        if !check_flags(flags) || !is_alignment(alignment) {
            return Err(Error::InvalidValue);
        }
        self.check_allocation_size(size)?;
        self.allocations().allocate(size, MEM_ALIGN, self.node(), AllocationKind::Svm)
    }

    /// Implements clSVMFree. Pointers that are not allocations of this context are ignored.
    pub fn svm_free(&self, pointer: HostPtr) {
        drop(self.allocations().take_svm(pointer));
    }
}

impl Object<Queue> {
    /// Implements clEnqueueSVMFree, with the application's function or the runtime's.
    pub fn svm_free(
        self: &Arc<Self>,
        pointers: Vec<HostPtr>,
        function: Option<FreeFunction>,
        events: &Events,
    ) -> Enqueued {
        let queue = Arc::clone(self);
        let work = move || {
            match function {
                Some(function) => function(queue.handle(), &pointers),
                None => pointers.iter().for_each(|&pointer| queue.context().svm_free(pointer)),
            }
            Ok(())
        };
        self.start(CL_COMMAND_SVM_FREE, false, events, work)
    }

    /// Implements clEnqueueSVMMap. The host always sees the memory, so the command only has an effect on ordering.
    pub fn svm_map(
        self: &Arc<Self>,
        blocking: bool,
        _access: MapAccess,
        (pointer, size): (HostPtr, usize),
        events: &Events,
    ) -> Enqueued {
        check_pointer(pointer)?;
        if size == 0 {
            return Err(Error::InvalidValue);
        }
        self.start(CL_COMMAND_SVM_MAP, blocking, events, || Ok(()))
    }

    /// Implements clEnqueueSVMUnmap, which only has an effect on ordering.
    pub fn svm_unmap(self: &Arc<Self>, pointer: HostPtr, events: &Events) -> Enqueued {
        check_pointer(pointer)?;
        self.start(CL_COMMAND_SVM_UNMAP, false, events, || Ok(()))
    }

    /// Implements clEnqueueSVMMigrateMem. There is only one memory. A range of size 0 stands for the allocation
    /// around it.
    pub fn svm_migrate(
        self: &Arc<Self>,
        ranges: impl Iterator<Item = (HostPtr, usize)>,
        events: &Events,
    ) -> Enqueued {
        for (pointer, size) in ranges.filter(|(_, size)| *size != 0) {
            let allocation = self.context().allocations().svm_around(pointer.address());
            let end = pointer.address().checked_add(size);
            // The range is not contained in an allocation.
            if allocation.zip(end).is_none_or(|(allocation, end)| end > allocation.end) {
                return Err(Error::InvalidValue);
            }
        }
        self.start(CL_COMMAND_SVM_MIGRATE_MEM, false, events, || Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_exclude_each_other() {
        for good in [
            0,
            CL_MEM_READ_WRITE,
            CL_MEM_READ_ONLY | CL_MEM_SVM_FINE_GRAIN_BUFFER,
            CL_MEM_WRITE_ONLY | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
        ] {
            assert!(check_flags(good), "{good:#x}");
        }
        for bad in [
            CL_MEM_SVM_ATOMICS,
            CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
            CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY,
            CL_MEM_USE_HOST_PTR,
            1 << 40,
        ] {
            assert!(!check_flags(bad), "{bad:#x}");
        }
    }

    #[test]
    fn alignments_are_powers_of_two_up_to_the_largest_type() {
        assert!([0, 1, 2, 64, 128].into_iter().all(is_alignment));
        assert!(![3, 24, 127, 129, 256, 1 << 31, cl_uint::MAX].into_iter().any(is_alignment));
    }
}
