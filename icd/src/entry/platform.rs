//! Platforms (API s4.1), and functions that look up other functions (cl_khr_icd).

use std::ffi::c_void;
use std::sync::Arc;

use grus_core::cl::*;
use grus_core::runtime::device::{extension_versions, extensions};
use grus_core::runtime::error::{Error, Result};
use grus_core::runtime::object::{Object, set_dispatch};
use grus_core::runtime::platform::{self, ICD_SUFFIX, Platform, VERSION, platform};

use crate::arg::{Handle, InStr, Out, OutArray};
use crate::boundary::entry;
use crate::dispatch;

/// Returns the platform, after setting the dispatch pointer that a loader reads.
fn the_platform() -> &'static Arc<Object<Platform>> {
    set_dispatch(dispatch::table());
    platform()
}

fn platform_ids(
    num_entries: cl_uint,
    platforms: OutArray<cl_platform_id>,
    num_platforms: Out<cl_uint>,
) -> Result<()> {
    // `num_entries` is 0 and `platforms` is not NULL, or both results are NULL.
    if num_entries == 0 && !platforms.is_null() || platforms.is_null() && num_platforms.is_null() {
        return Err(Error::InvalidValue);
    }
    platforms.write([the_platform().handle()], num_entries as usize);
    num_platforms.set(1);
    Ok(())
}

entry! {
    /// s4.1
    fn clGetPlatformIDs(
        num_entries: cl_uint,
        platforms: OutArray<cl_platform_id>,
        num_platforms: Out<cl_uint>,
    ) -> status {
        platform_ids(num_entries, platforms, num_platforms)
    }
}

entry! {
    /// cl_khr_icd
    fn clIcdGetPlatformIDsKHR(
        num_entries: cl_uint,
        platforms: OutArray<cl_platform_id>,
        num_platforms: Out<cl_uint>,
    ) -> status {
        platform_ids(num_entries, platforms, num_platforms)
    }
}

entry! {
    /// s4.1
    fn clGetPlatformInfo(platform: Handle<Platform>, param_name: cl_platform_info) -> info |out| {
        // NULL stands for a platform of the implementation's choice; there is only one.
        platform.get_or_null()?;
        match param_name {
            CL_PLATFORM_PROFILE => out.string("FULL_PROFILE"),
            CL_PLATFORM_VERSION => out.string(VERSION),
            CL_PLATFORM_NAME => out.string(platform::name()),
            CL_PLATFORM_VENDOR => out.string(platform::vendor()),
            // Extensions of a platform are those that all of its devices support; there is only one device.
            CL_PLATFORM_EXTENSIONS => out.string(&extensions().collect::<Vec<_>>().join(" ")),
            CL_PLATFORM_EXTENSIONS_WITH_VERSION => out.versions(extension_versions()),
            CL_PLATFORM_NUMERIC_VERSION => out.write::<cl_version>(make_version(2, 0, 0)),
            // Nanoseconds: profiling uses the host's clock.
            CL_PLATFORM_HOST_TIMER_RESOLUTION => out.write::<cl_ulong>(1),
            CL_PLATFORM_ICD_SUFFIX_KHR => out.string(ICD_SUFFIX),
            _ => Err(Error::InvalidValue),
        }
    }
}

entry! {
    /// s5.8.5: there is nothing to unload.
    fn clUnloadPlatformCompiler(platform: Handle<Platform>) -> status {
        platform.get().map(drop)
    }
}

entry! {
    /// OpenCL 1.1 form of clUnloadPlatformCompiler.
    fn clUnloadCompiler() -> status {
        Ok(())
    }
}

entry! {
    /// s4.1: returns the address of a function by its name, NULL if there is none.
    fn clGetExtensionFunctionAddress(func_name: InStr) -> plain *const c_void {
        set_dispatch(dispatch::table());
        func_name.get().map_or(std::ptr::null(), |name| dispatch::address(&name))
    }
}

entry! {
    /// s4.1
    fn clGetExtensionFunctionAddressForPlatform(
        platform: Handle<Platform>,
        func_name: InStr,
    ) -> plain *const c_void {
        match (platform.get(), func_name.get()) {
            (Ok(_), Some(name)) => dispatch::address(&name),
            _ => std::ptr::null(),
        }
    }
}
