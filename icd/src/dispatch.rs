//! The dispatch table: the address of every entry point in ABI order, and the way from a name to an address.

use std::ffi::c_void;

use grus_core::cl::SLOTS;
use grus_core::for_each_dispatch_slot;

use crate::entry;

/// Addresses of functions.
#[repr(transparent)]
pub struct Table([*const c_void; SLOTS.len()]);

// SAFETY: addresses of functions, which never change.
unsafe impl Sync for Table {}

macro_rules! addresses {
    ($($name:ident,)*) => { [$(entry::$name as *const c_void),*] };
}

/// What the first word of every object points to.
pub static TABLE: Table = Table(for_each_dispatch_slot!(addresses));

/// Where the table is.
pub fn table() -> *const c_void {
    (&raw const TABLE).cast()
}

/// Functions that have no slot.
fn extension(name: &str) -> Option<*const c_void> {
    Some(match name {
        "clIcdGetPlatformIDsKHR" => entry::clIcdGetPlatformIDsKHR as *const c_void,
        "clCreateCommandQueueWithPropertiesKHR" => entry::clCreateCommandQueueWithProperties as *const c_void,
        "clGetKernelSuggestedLocalWorkSizeKHR" => entry::clGetKernelSuggestedLocalWorkSize as *const c_void,
        _ => return None,
    })
}

/// The function of this name, null if there is none.
pub fn address(name: &str) -> *const c_void {
    let slot = SLOTS.iter().position(|&slot| slot == name);
    slot.map(|slot| TABLE.0[slot]).or_else(|| extension(name)).unwrap_or(std::ptr::null())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_slot_is_empty_and_names_lead_to_slots() {
        assert!(TABLE.0.iter().all(|address| !address.is_null()));
        for (slot, name) in SLOTS.iter().enumerate() {
            assert_eq!(address(name), TABLE.0[slot]);
        }
        assert!(address("clNoSuchFunction").is_null());
    }

    #[test]
    fn the_abi_order_is_that_of_the_headers() {
        for (slot, name) in [
            (0, "clGetPlatformIDs"),
            (65, "clGetExtensionFunctionAddress"),
            (93, "clCreateSubDevices"),
            (123, "clCreateCommandQueueWithProperties"),
            (149, "clGetKernelSuggestedLocalWorkSize"),
        ] {
            assert_eq!(SLOTS[slot], name);
        }
    }
}
