//! Library of a vendor, its platforms and devices.

use std::ffi::{CStr, c_char, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::Library;

use super::functions::{Functions, Handle};
use super::numbers::*;
use super::{bytes, number, text};
use crate::problem::{Problem, Result, failed};

/// Type of the function that lists a vendor library's platforms.
type IcdGetPlatformIds = unsafe extern "C" fn(u32, *mut Handle, *mut u32) -> i32;

/// Type of the function that returns addresses of extension functions.
type GetAddress = unsafe extern "C" fn(*const c_char) -> *mut c_void;

/// Loaded library. It is never unloaded, since its threads may still run when it is not used any more.
pub struct Vendor {
    pub path: PathBuf,
    pub devices: Vec<Device>,
}

/// Device, with the functions of its platform.
#[derive(Clone, Copy)]
pub struct Device {
    pub(super) functions: &'static Functions,
    pub(super) platform: Handle,
    pub(super) id: Handle,
}

impl Vendor {
    /// Loads a vendor's library.
    ///
    /// # Errors
    /// Returns the message of the dynamic linker, or the name of a missing function.
    pub fn open(path: &Path) -> Result<Vendor> {
        // SAFETY: libraries of vendors are meant to be loaded into any program.
        let library =
            unsafe { Library::new(path) }.map_err(|e| Problem::Failed(reason(path, &e.to_string())))?;
        let library: &'static Library = Box::leak(Box::new(library));
        let Some(platforms) = platforms_of(library) else {
            return failed("it is no OpenCL vendor's library: it has no function clIcdGetPlatformIDsKHR");
        };
        let mut devices = Vec::new();
        for platform in list(|room, to, count| {
            // SAFETY: there is room for `room` platforms, or `to` is null.
            unsafe { platforms(room, to, count) }
        })? {
            // SAFETY: the platform was returned by this vendor.
            let functions = unsafe { Functions::of(platform) }.map_err(Problem::Failed)?;
            let functions: &'static Functions = Box::leak(Box::new(functions));
            let found = list(|room, to, count| {
                // SAFETY: there is room for `room` devices, or `to` is null.
                unsafe { (functions.clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, room, to, count) }
            })?;
            devices.extend(found.into_iter().map(|id| Device { functions, platform, id }));
        }
        Ok(Vendor { path: path.to_owned(), devices })
    }

    /// Returns the first device.
    ///
    /// # Errors
    /// If there is no device.
    pub fn device(&self) -> Result<Device> {
        let none = || Problem::Failed(format!("{}: it has no device", self.path.display()));
        self.devices.first().copied().ok_or_else(none)
    }
}

/// Returns the function that lists a vendor's platforms, exported or as an extension function.
fn platforms_of(library: &Library) -> Option<IcdGetPlatformIds> {
    // SAFETY: cl_khr_icd gives this function this type.
    if let Ok(exported) = unsafe { library.get::<IcdGetPlatformIds>(b"clIcdGetPlatformIDsKHR\0") } {
        return Some(*exported);
    }
    // SAFETY: the specification gives this function this type.
    let find = unsafe { library.get::<GetAddress>(b"clGetExtensionFunctionAddress\0") }.ok()?;
    // SAFETY: the name is zero-terminated.
    let found = unsafe { find(c"clIcdGetPlatformIDsKHR".as_ptr()) };
    // SAFETY: null becomes `None`; for other addresses cl_khr_icd gives the function this type.
    unsafe { std::mem::transmute::<*mut c_void, Option<IcdGetPlatformIds>>(found) }
}

/// Returns the dynamic linker's message without the path at its beginning.
fn reason(path: &Path, said: &str) -> String {
    let path = format!("{}: ", path.display());
    said.strip_prefix(&path).unwrap_or(said).to_owned()
}

/// Returns a list of handles, which is empty if no platform or no device is found.
fn list(ask: impl Fn(u32, *mut Handle, *mut u32) -> i32) -> Result<Vec<Handle>> {
    const NOTHING: [i32; 2] = [-1, -1001];
    let mut count = 0;
    match ask(0, ptr::null_mut(), &mut count) {
        0 => {}
        code if NOTHING.contains(&code) => return Ok(Vec::new()),
        code => return failed(format!("it gives no platforms or devices: {}", error_name(code))),
    }
    let mut handles = vec![ptr::null_mut(); count as usize];
    if count > 0 {
        super::check("asking for platforms or devices", ask(count, handles.as_mut_ptr(), ptr::null_mut()))?;
    }
    Ok(handles)
}

// SAFETY: handles of platforms and devices may be used by any thread.
unsafe impl Send for Device {}

impl Device {
    fn info(&self, what: u32) -> Result<Vec<u8>> {
        bytes("clGetDeviceInfo", |size, to, got| {
            // SAFETY: there is room for `size` bytes, or `to` is null.
            unsafe { (self.functions.clGetDeviceInfo)(self.id, what, size, to, got) }
        })
    }

    /// Returns a text of the device, or an empty one if the query fails.
    pub fn text(&self, what: u32) -> String {
        self.info(what).map(text).unwrap_or_default().trim().to_owned()
    }

    /// Returns a number of the device, or 0 if the query fails.
    pub fn number(&self, what: u32) -> u64 {
        self.info(what).map_or(0, |bytes| number(&bytes))
    }

    /// Returns a text of the device's platform, or an empty one if the query fails.
    pub fn platform_text(&self, what: u32) -> String {
        let got = bytes("clGetPlatformInfo", |size, to, got| {
            // SAFETY: there is room for `size` bytes, or `to` is null.
            unsafe { (self.functions.clGetPlatformInfo)(self.platform, what, size, to, got) }
        });
        got.map(text).unwrap_or_default().trim().to_owned()
    }

    /// Returns major and minor number of the platform's version; 0 if it says none.
    pub(super) fn version(&self) -> (u32, u32) {
        let text = self.platform_text(CL_PLATFORM_VERSION);
        let number = text.strip_prefix("OpenCL ").and_then(|rest| rest.split(' ').next()?.split_once('.'));
        let (major, minor) = number.unwrap_or_default();
        (major.parse().unwrap_or(0), minor.parse().unwrap_or(0))
    }

    /// Returns the device's name for messages.
    pub fn name(&self) -> String {
        format!("{} ({})", self.platform_text(CL_PLATFORM_NAME), self.text(CL_DEVICE_NAME))
    }

    /// Checks whether the device is that of Grus, even if it is configured to report another name.
    pub fn is_grus(&self) -> bool {
        self.text(CL_DEVICE_VERSION).contains(" grus ")
    }
}

/// Prints a message of a context, and stores it for errors of `Session`.
pub(super) unsafe extern "C" fn notify(
    text: *const c_char,
    _private: *const c_void,
    _size: usize,
    last: *mut c_void,
) {
    if text.is_null() || last.is_null() {
        return;
    }
    // SAFETY: by the specification the text is zero-terminated.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy().trim().to_owned();
    // SAFETY: `Session` passes the address of its mutex, which outlives the context.
    let last = unsafe { &*last.cast::<std::sync::Mutex<String>>() };
    if let Ok(mut last) = last.lock() {
        *last = text;
    }
}
