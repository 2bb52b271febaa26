//! Probe of a vendor in a process of its own, so that a vendor that crashes or hangs becomes a finding and does not
//! end `doctor`. The result is a line of JSON on standard output.

use std::ffi::{c_char, c_void};
use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::cl::*;
use crate::problem::{Problem, Result, failed};

/// Device, and the result of a kernel on it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Probed {
    pub platform: String,
    pub device: String,
    pub version: String,
    pub driver: String,
    pub compute_units: u64,
    pub memory: u64,
    pub is_grus: bool,
    /// Milliseconds from source to the first correct result.
    pub first_result_ms: Option<f64>,
    /// Reason why there is no correct result.
    pub error: Option<String>,
}

/// Source of a test kernel whose result depends on work-item ids, local memory and a barrier.
const SOURCE: &str =
    "kernel void grus_probe(global const int *a, global int *b, local int *shared, int factor) {
    size_t l = get_local_id(0), n = get_local_size(0), i = get_global_id(0);
    shared[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = factor * shared[n - 1 - l] + (int)get_group_id(0);
}
";
const ITEMS: usize = 4096;
const GROUP: usize = 8;
const FACTOR: i32 = 3;

/// Probes the devices of a vendor's library.
///
/// # Errors
/// If the library cannot be loaded. A device that does not work is reported in its result.
pub fn vendor(library: &Path) -> Result<Vec<Probed>> {
    Vendor::open(library).map(|vendor| vendor.devices.iter().map(|&device| probe(device)).collect())
}

fn probe(device: Device) -> Probed {
    let result = first_result(device);
    Probed {
        platform: device.platform_text(CL_PLATFORM_NAME),
        device: device.text(CL_DEVICE_NAME),
        version: device.text(CL_DEVICE_VERSION),
        driver: device.text(CL_DRIVER_VERSION),
        compute_units: device.number(CL_DEVICE_MAX_COMPUTE_UNITS),
        memory: device.number(CL_DEVICE_GLOBAL_MEM_SIZE),
        is_grus: device.is_grus(),
        first_result_ms: result.as_ref().ok().copied(),
        error: result.err().map(|problem| problem.to_string()),
    }
}

/// Builds and runs a kernel, and checks all of its results.
fn first_result(device: Device) -> Result<f64> {
    let input: Vec<i32> = (0..ITEMS as i32).map(|i| i.wrapping_mul(40503) % 1009).collect();
    let bytes: Vec<u8> = input.iter().flat_map(|number| number.to_ne_bytes()).collect();
    let start = Instant::now();
    let session = Session::new(device)?;
    let program = session.source(SOURCE)?;
    let built = program.build("")?;
    if let Some(error) = built.error {
        return failed(format!("a small program does not build: {error}: {}", built.log.trim()));
    }
    let kernel = program.kernel("grus_probe")?;
    let (a, b) = (session.buffer(bytes.len())?, session.buffer(bytes.len())?);
    a.write(&bytes)?;
    kernel.set_buffer(0, &a)?;
    kernel.set_buffer(1, &b)?;
    kernel.set_local(2, GROUP * 4)?;
    kernel.set_bytes(3, &FACTOR.to_ne_bytes())?;
    session.run(&kernel, &Range { offset: None, global: vec![ITEMS], local: Some(vec![GROUP]) })?;
    let result = b.read()?;
    let time = start.elapsed().as_secs_f64() * 1e3;
    for (i, found) in result.chunks_exact(4).enumerate() {
        let mirrored = i / GROUP * GROUP + GROUP - 1 - i % GROUP;
        let expected = FACTOR * input[mirrored] + (i / GROUP) as i32;
        let found = i32::from_ne_bytes(found.try_into().map_err(|_| Problem::Reported)?);
        if found != expected {
            return failed(format!(
                "a small kernel computes {found} instead of {expected} for work-item {i}"
            ));
        }
    }
    Ok(time)
}

/// Description of a loader.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Loader {
    pub path: String,
    pub description: String,
    pub platforms: Vec<String>,
}

type GetPlatformIds = unsafe extern "C" fn(u32, *mut Handle, *mut u32) -> i32;
type GetPlatformInfo = unsafe extern "C" fn(Handle, u32, usize, *mut u8, *mut usize) -> i32;
type GetAddress = unsafe extern "C" fn(*const c_char) -> *mut c_void;
type GetLoaderInfo = unsafe extern "C" fn(u32, usize, *mut u8, *mut usize) -> i32;

/// Opens the loader that the dynamic linker finds, and queries its platforms.
///
/// # Errors
/// Returns the message of the dynamic linker.
pub fn loader() -> Result<Loader> {
    let names = ["libOpenCL.so.1", "libOpenCL.so"];
    let mut opened = names.iter().map(|name| {
        // SAFETY: loaders are meant to be loaded into any program.
        unsafe { libloading::Library::new(name) }
    });
    let library = match (opened.next(), opened.next()) {
        (Some(Ok(library)), _) | (_, Some(Ok(library))) => library,
        (Some(Err(error)), _) => return failed(error.to_string()),
        _ => return failed("there is no loader"),
    };
    let answer = |ask: &dyn Fn(*mut u8) -> i32| {
        let mut text = vec![0u8; 4096];
        let code = ask(text.as_mut_ptr());
        let length = text.iter().position(|&byte| byte == 0).unwrap_or(0);
        if code == 0 { String::from_utf8_lossy(&text[..length]).into_owned() } else { String::new() }
    };
    let description = about(&library).map_or_else(String::new, |about| {
        // Name and version are queried with ocl-icd's constants.
        let part = |what| {
            // SAFETY: there is room for 4096 bytes.
            answer(&|to| unsafe { about(what, 4096, to, std::ptr::null_mut()) })
        };
        format!("{} {}", part(3), part(2)).trim().to_owned()
    });
    // SAFETY: the specification gives these functions these types.
    let (ids, info) = unsafe {
        (
            library.get::<GetPlatformIds>(b"clGetPlatformIDs\0"),
            library.get::<GetPlatformInfo>(b"clGetPlatformInfo\0"),
        )
    };
    let (Ok(ids), Ok(info)) = (ids, info) else { return failed("the loader lacks functions of OpenCL") };
    let mut platforms: Vec<Handle> = vec![std::ptr::null_mut(); 64];
    let mut count = 0;
    // SAFETY: there is room for 64 platforms.
    let code = unsafe { ids(64, platforms.as_mut_ptr(), &mut count) };
    platforms.truncate(if code == 0 { count as usize } else { 0 });
    let name = |&platform: &Handle| {
        // SAFETY: the platform was returned by this loader, and there is room for 4096 bytes.
        answer(&|to| unsafe { info(platform, CL_PLATFORM_NAME, 4096, to, std::ptr::null_mut()) })
    };
    Ok(Loader { path: mapped("libOpenCL.so"), description, platforms: platforms.iter().map(name).collect() })
}

/// Returns ocl-icd's function by which a loader describes itself.
fn about(library: &libloading::Library) -> Option<GetLoaderInfo> {
    // SAFETY: the specification gives this function this type.
    let find = unsafe { library.get::<GetAddress>(b"clGetExtensionFunctionAddress\0") }.ok()?;
    // SAFETY: the name is zero-terminated.
    let found = unsafe { find(c"clGetICDLoaderInfoOCLICD".as_ptr()) };
    // SAFETY: null becomes `None`; for other addresses ocl-icd gives the function this type.
    unsafe { std::mem::transmute::<*mut c_void, Option<GetLoaderInfo>>(found) }
}

/// Returns the path of a library that is mapped into this process.
fn mapped(name: &str) -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let found =
        maps.lines().filter_map(|line| line.find('/').map(|at| &line[at..])).find(|p| p.contains(name));
    found.unwrap_or(name).to_owned()
}
