//! Dispatch tables: the addresses of all entry points in ABI order, and lookup of an address by name.
//!
//! There are two tables. If calls are recorded (`traced`), handles point to the table of recording functions, so
//! that recording costs nothing otherwise.

use std::ffi::c_void;

use grus_core::cl::SLOTS;
use grus_core::for_each_dispatch_slot;
use grus_core::support::trace;

use crate::entry;

/// Table of function addresses.
#[repr(transparent)]
pub struct Table([*const c_void; SLOTS.len()]);

// SAFETY: the table holds addresses of functions and never changes.
unsafe impl Sync for Table {}

macro_rules! addresses {
    ($($name:ident,)*) => { [$(entry::$name as *const c_void),*] };
}

macro_rules! traced_addresses {
    ($($name:ident,)*) => { [$(entry::$name::traced as *const c_void),*] };
}

/// Table that the first word of every object points to.
static TABLE: Table = Table(for_each_dispatch_slot!(addresses));
/// Table for processes that record calls.
static TRACED: Table = Table(for_each_dispatch_slot!(traced_addresses));

fn current() -> &'static Table {
    if trace::start() { &TRACED } else { &TABLE }
}

/// Returns the address of the table in use.
pub fn table() -> *const c_void {
    std::ptr::from_ref(current()).cast()
}

/// Function of an extension, which has no slot.
struct ExtensionFunction {
    name: &'static str,
    address: *const c_void,
    traced: *const c_void,
}

// SAFETY: the addresses are those of functions and never change.
unsafe impl Sync for ExtensionFunction {}

macro_rules! extension_functions {
    ($($name:ident,)*) => {
        [$(ExtensionFunction {
            name: stringify!($name),
            address: entry::$name as *const c_void,
            traced: entry::$name::traced as *const c_void,
        }),*]
    };
}

static EXTENSION_FUNCTIONS: [ExtensionFunction; 15] = extension_functions![
    clIcdGetPlatformIDsKHR,
    clCreateProgramWithILKHR,
    clSetKernelArgDevicePointerEXT,
    clHostMemAllocINTEL,
    clDeviceMemAllocINTEL,
    clSharedMemAllocINTEL,
    clMemFreeINTEL,
    clMemBlockingFreeINTEL,
    clGetMemAllocInfoINTEL,
    clSetKernelArgMemPointerINTEL,
    clEnqueueMemFillINTEL,
    clEnqueueMemsetINTEL,
    clEnqueueMemcpyINTEL,
    clEnqueueMigrateMemINTEL,
    clEnqueueMemAdviseINTEL,
];

/// Returns the address of a function that has no slot under its name.
fn extension(name: &str) -> Option<*const c_void> {
    let slot = match name {
        "clCreateBufferWithPropertiesINTEL" => "clCreateBufferWithProperties",
        "clCreateCommandQueueWithPropertiesKHR" => "clCreateCommandQueueWithProperties",
        "clGetKernelSuggestedLocalWorkSizeKHR" => "clGetKernelSuggestedLocalWorkSize",
        _ => {
            let found = EXTENSION_FUNCTIONS.iter().find(|function| function.name == name)?;
            return Some(if trace::start() { found.traced } else { found.address });
        }
    };
    in_table(slot)
}

fn in_table(name: &str) -> Option<*const c_void> {
    SLOTS.iter().position(|&slot| slot == name).map(|slot| current().0[slot])
}

/// Returns the address of the function with this name; null if there is none.
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
        // The tables have no function in common, and each contains the addresses that its lookups return.
        assert!(TRACED.0.iter().all(|address| !address.is_null() && !TABLE.0.contains(address)));
        assert!(TABLE.0.contains(&address("clCreateCommandQueueWithPropertiesKHR")));
        for function in &EXTENSION_FUNCTIONS {
            assert_eq!(address(function.name), function.address, "{}", function.name);
            assert_ne!(function.address, function.traced, "{}", function.name);
        }
    }

    #[test]
    fn the_abi_order_is_that_of_the_headers() {
        for (slot, name) in [
            (0, "clGetPlatformIDs"),
            (65, "clGetExtensionFunctionAddress"),
            (93, "clCreateSubDevices"),
            (123, "clCreateCommandQueueWithProperties"),
            (138, "clCreateProgramWithIL"),
            (145, "clSetProgramSpecializationConstant"),
            (149, "clGetKernelSuggestedLocalWorkSize"),
        ] {
            assert_eq!(SLOTS[slot], name);
        }
    }
}
