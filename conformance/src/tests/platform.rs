//! Tests of platforms.

use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::Outcome;
use crate::context::{Ctx, c_string};
use crate::{equal, fails, holds, ok, query, query_fails, tests};

tests! {
    "test_api":
        get_platform_ids, negative_get_platform_ids, get_platform_info, negative_get_platform_info,
        platform_extensions, extension_function_address, unload_compiler;
}

fn get_platform_ids(cx: &Ctx) -> Outcome {
    let mut count = 0;
    ok!(cx.clGetPlatformIDs(0, null_mut(), &mut count));
    holds!(count >= 1);
    let mut list = vec![null_mut(); count as usize + 1];
    ok!(cx.clGetPlatformIDs(count + 1, list.as_mut_ptr(), null_mut()));
    holds!(list[..count as usize].contains(&cx.platform));
    holds!(list[count as usize].is_null());
    Ok(())
}

fn negative_get_platform_ids(cx: &Ctx) -> Outcome {
    let mut platform = null_mut();
    fails!(CL_INVALID_VALUE, cx.clGetPlatformIDs(0, &mut platform, null_mut()));
    fails!(CL_INVALID_VALUE, cx.clGetPlatformIDs(1, null_mut(), null_mut()));
    Ok(())
}

fn get_platform_info(cx: &Ctx) -> Outcome {
    let text = |name| query!(cx.clGetPlatformInfo(cx.platform, name)).string();
    equal!(text(CL_PLATFORM_PROFILE)?.as_str(), "FULL_PROFILE");
    holds!(text(CL_PLATFORM_VERSION)?.starts_with("OpenCL 2.0 "));
    holds!(!text(CL_PLATFORM_NAME)?.is_empty());
    holds!(!text(CL_PLATFORM_VENDOR)?.is_empty());
    const ICD_SUFFIX: cl_uint = 0x0920;
    equal!(text(ICD_SUFFIX)?.as_str(), "GRUS");
    Ok(())
}

fn negative_get_platform_info(cx: &Ctx) -> Outcome {
    query_fails!(CL_INVALID_VALUE, cx.clGetPlatformInfo(cx.platform, 0xdead));
    // A loader dereferences the pointer, a vendor library looks it up.
    if cx.is_vendor() {
        let foreign = [0usize; 4].as_ptr().cast_mut().cast();
        query_fails!(CL_INVALID_PLATFORM, cx.clGetPlatformInfo(foreign, CL_PLATFORM_NAME));
    }
    query_fails!(CL_INVALID_PLATFORM, cx.clGetPlatformInfo(cx.context, CL_PLATFORM_NAME));
    Ok(())
}

fn platform_extensions(cx: &Ctx) -> Outcome {
    let platform = query!(cx.clGetPlatformInfo(cx.platform, CL_PLATFORM_EXTENSIONS)).string()?;
    let device = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_EXTENSIONS)).string()?;
    let has = |name: &str| platform.split(' ').any(|p| p == name);
    holds!(has("cl_khr_icd"));
    for extension in device.split(' ').filter(|e| !e.is_empty()) {
        holds!(has(extension));
    }
    for required in [
        "cl_khr_byte_addressable_store",
        "cl_khr_global_int32_base_atomics",
        "cl_khr_global_int32_extended_atomics",
        "cl_khr_local_int32_base_atomics",
        "cl_khr_local_int32_extended_atomics",
        "cl_khr_fp64",
    ] {
        holds!(has(required));
    }
    Ok(())
}

fn extension_function_address(cx: &Ctx) -> Outcome {
    let unknown = c_string("clNoSuchFunction");
    let known = c_string("clIcdGetPlatformIDsKHR");
    holds!(cx.clGetExtensionFunctionAddressForPlatform(cx.platform, unknown.as_ptr()).is_null());
    holds!(!cx.clGetExtensionFunctionAddressForPlatform(cx.platform, known.as_ptr()).is_null());
    if cx.is_vendor() {
        holds!(cx.clGetExtensionFunctionAddressForPlatform(null_mut(), known.as_ptr()).is_null());
        holds!(!cx.clGetExtensionFunctionAddress(known.as_ptr()).is_null());
        holds!(cx.clGetExtensionFunctionAddress(null()).is_null());
    }
    Ok(())
}

fn unload_compiler(cx: &Ctx) -> Outcome {
    ok!(cx.clUnloadCompiler());
    ok!(cx.clUnloadPlatformCompiler(cx.platform));
    // A loader may treat NULL as its first platform.
    if cx.is_vendor() {
        fails!(CL_INVALID_PLATFORM, cx.clUnloadPlatformCompiler(null_mut()));
    }
    Ok(())
}
