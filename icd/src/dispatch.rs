//! The dispatch table: the address of every entry point in ABI order, and the way from a name to an address.
//!
//! There are two. Where calls are recorded (`traced`), handles point to the one whose functions do that; elsewhere it costs nothing.

use std::ffi::c_void;

use grus_core::cl::SLOTS;
use grus_core::for_each_dispatch_slot;
use grus_core::support::trace;

use crate::entry;

/// Addresses of functions.
#[repr(transparent)]
pub struct Table([*const c_void; SLOTS.len()]);

// SAFETY: addresses of functions, which never change.
unsafe impl Sync for Table {}

macro_rules! addresses {
    ($($name:ident,)*) => { [$(entry::$name as *const c_void),*] };
}

macro_rules! traced_addresses {
    ($($name:ident,)*) => { [$(entry::$name::traced as *const c_void),*] };
}

/// What the first word of every object points to.
static TABLE: Table = Table(for_each_dispatch_slot!(addresses));
/// The same where calls are recorded.
static TRACED: Table = Table(for_each_dispatch_slot!(traced_addresses));

fn current() -> &'static Table {
    if trace::start() { &TRACED } else { &TABLE }
}

/// Where the table is.
pub fn table() -> *const c_void {
    std::ptr::from_ref(current()).cast()
}

/// Functions that have no slot.
fn extension(name: &str) -> Option<*const c_void> {
    let slot = match name {
        "clCreateCommandQueueWithPropertiesKHR" => "clCreateCommandQueueWithProperties",
        "clGetKernelSuggestedLocalWorkSizeKHR" => "clGetKernelSuggestedLocalWorkSize",
        "clIcdGetPlatformIDsKHR" if trace::start() => {
            return Some(entry::clIcdGetPlatformIDsKHR::traced as *const c_void);
        }
        "clIcdGetPlatformIDsKHR" => return Some(entry::clIcdGetPlatformIDsKHR as *const c_void),
        _ => return None,
    };
    in_table(slot)
}

fn in_table(name: &str) -> Option<*const c_void> {
    SLOTS.iter().position(|&slot| slot == name).map(|slot| current().0[slot])
}

/// The function of this name, null if there is none.
pub fn address(name: &str) -> *const c_void {
    in_table(name).or_else(|| extension(name)).unwrap_or(std::ptr::null())
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
    fn nothing_is_recorded_unless_asked_for() {
        assert!(!trace::is_on());
        assert_eq!(table(), (&raw const TABLE).cast());
        // No function of one table is in the other, and each knows its own name.
        assert!(TRACED.0.iter().all(|address| !address.is_null() && !TABLE.0.contains(address)));
        for name in ["clIcdGetPlatformIDsKHR", "clCreateCommandQueueWithPropertiesKHR"] {
            assert!(!address(name).is_null() && !TRACED.0.contains(&address(name)), "{name}");
        }
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
