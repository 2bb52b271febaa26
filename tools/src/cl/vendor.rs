//! A vendor's library, its platforms and devices.

use std::ffi::{CStr, c_char, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::Library;

use super::functions::{Functions, Handle};
use super::numbers::*;
use super::{bytes, number, text};
use crate::problem::{Problem, Result, failed};

/// How a vendor library is asked for its platforms.
type IcdGetPlatformIds = unsafe extern "C" fn(u32, *mut Handle, *mut u32) -> i32;

/// How it is asked for its functions.
type GetAddress = unsafe extern "C" fn(*const c_char) -> *mut c_void;

/// A library that is loaded, for ever: threads of it may still run when nobody uses it any more.
pub struct Vendor {
    pub path: PathBuf,
    pub devices: Vec<Device>,
}

/// A device, and how it is spoken to.
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
    /// What the dynamic linker says, or what the library lacks.
    pub fn open(path: &Path) -> Result<Vendor> {
        // SAFETY: a library of a vendor may be loaded in any program.
        let library =
            unsafe { Library::new(path) }.map_err(|e| Problem::Failed(reason(path, &e.to_string())))?;
        let library: &'static Library = Box::leak(Box::new(library));
        let Some(platforms) = platforms_of(library) else {
            return failed("it is no OpenCL vendor's library: it has no function clIcdGetPlatformIDsKHR");
        };
        let mut devices = Vec::new();
        for platform in list(|room, to, count| {
            // SAFETY: there is room for `room` platforms, or none is asked for.
            unsafe { platforms(room, to, count) }
        })? {
            // SAFETY: a platform of this vendor.
            let functions = unsafe { Functions::of(platform) }.map_err(Problem::Failed)?;
            let functions: &'static Functions = Box::leak(Box::new(functions));
            let found = list(|room, to, count| {
                // SAFETY: as above.
                unsafe { (functions.clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, room, to, count) }
            })?;
            devices.extend(found.into_iter().map(|id| Device { functions, platform, id }));
        }
        Ok(Vendor { path: path.to_owned(), devices })
    }

    /// The first device.
    ///
    /// # Errors
    /// If there is none.
    pub fn device(&self) -> Result<Device> {
        let none = || Problem::Failed(format!("{}: it has no device", self.path.display()));
        self.devices.first().copied().ok_or_else(none)
    }
}

/// The function that gives a vendor's platforms: exported, or found by the one that finds extensions.
fn platforms_of(library: &Library) -> Option<IcdGetPlatformIds> {
    // SAFETY: the type that cl_khr_icd gives this function.
    if let Ok(exported) = unsafe { library.get::<IcdGetPlatformIds>(b"clIcdGetPlatformIDsKHR\0") } {
        return Some(*exported);
    }
    // SAFETY: the type that the specification gives this function.
    let find = unsafe { library.get::<GetAddress>(b"clGetExtensionFunctionAddress\0") }.ok()?;
    // SAFETY: a text that ends with a zero.
    let found = unsafe { find(c"clIcdGetPlatformIDsKHR".as_ptr()) };
    // SAFETY: null is none; else the type that cl_khr_icd gives this function.
    unsafe { std::mem::transmute::<*mut c_void, Option<IcdGetPlatformIds>>(found) }
}

/// What the dynamic linker says without the path that it begins with.
fn reason(path: &Path, said: &str) -> String {
    let path = format!("{}: ", path.display());
    said.strip_prefix(&path).unwrap_or(said).to_owned()
}

/// A list of handles; no platform and no device are an empty one.
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
            // SAFETY: there is room for `size` bytes, or nothing is to be written.
            unsafe { (self.functions.clGetDeviceInfo)(self.id, what, size, to, got) }
        })
    }

    /// A text that the device gives, empty if it gives none.
    pub fn text(&self, what: u32) -> String {
        self.info(what).map(text).unwrap_or_default().trim().to_owned()
    }

    /// A number that the device gives, 0 if it gives none.
    pub fn number(&self, what: u32) -> u64 {
        self.info(what).map_or(0, |bytes| number(&bytes))
    }

    /// A text that its platform gives, empty if it gives none.
    pub fn platform_text(&self, what: u32) -> String {
        let got = bytes("clGetPlatformInfo", |size, to, got| {
            // SAFETY: there is room for `size` bytes, or nothing is to be written.
            unsafe { (self.functions.clGetPlatformInfo)(self.platform, what, size, to, got) }
        });
        got.map(text).unwrap_or_default().trim().to_owned()
    }

    /// How people call it.
    pub fn name(&self) -> String {
        format!("{} ({})", self.platform_text(CL_PLATFORM_NAME), self.text(CL_DEVICE_NAME))
    }

    /// Whether it is Grus, whatever it is told to call itself.
    pub fn is_grus(&self) -> bool {
        self.text(CL_DEVICE_VERSION).contains(" grus ")
    }
}

/// Prints what a context has to say, since there is nobody else who would.
pub(super) unsafe extern "C" fn notify(
    text: *const c_char,
    _private: *const c_void,
    _size: usize,
    last: *mut c_void,
) {
    if text.is_null() || last.is_null() {
        return;
    }
    // SAFETY: a text that ends with a zero, says the specification.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy().trim().to_owned();
    // SAFETY: what `Session` gave, which lives as long as its context.
    let last = unsafe { &*last.cast::<std::sync::Mutex<String>>() };
    if let Ok(mut last) = last.lock() {
        *last = text;
    }
}
