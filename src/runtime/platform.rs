//! The only platform.

use std::any::Any;
use std::sync::Arc;

use super::device::Device;
use super::error::Error;
use super::host::host;
use super::object::{Object, ObjectBody};
use grus_support::environment::environment;
use grus_support::fork::Global;

/// Value of CL_PLATFORM_VERSION and CL_DEVICE_VERSION.
pub const VERSION: &str = concat!("OpenCL 2.0 grus ", env!("CARGO_PKG_VERSION"));
/// Value of CL_DRIVER_VERSION. Applications use it as a key of their caches of program binaries.
pub const DRIVER_VERSION: &str = crate::compile::VERSION;
/// Suffix of this vendor's functions for a loader.
pub const ICD_SUFFIX: &str = "GRUS";

/// Returns CL_PLATFORM_NAME.
pub fn name() -> &'static str {
    environment().platform_name.as_deref().unwrap_or("Grus")
}

/// Returns CL_PLATFORM_VENDOR and CL_DEVICE_VENDOR.
pub fn vendor() -> &'static str {
    environment().vendor.as_deref().unwrap_or("The Grus project")
}

/// Returns CL_DEVICE_NAME.
pub fn device_name() -> &'static str {
    environment().device_name.as_deref().unwrap_or(&host().cpu_name)
}

/// Body of a cl_platform_id.
pub struct Platform {
    device: Arc<Object<Device>>,
}

impl ObjectBody for Platform {
    const INVALID: Error = Error::InvalidPlatform;
}

static PLATFORM: Global<Arc<Object<Platform>>> = Global::fact();

/// Returns the platform, which is created at first use.
pub fn platform() -> &'static Arc<Object<Platform>> {
    PLATFORM.get(|| {
        // If several threads create a platform, those that are not kept stay in memory unused.
        let device = Object::new(Device::root());
        device.retain();
        let platform = Object::new(Platform { device });
        platform.retain();
        platform
    })
}

/// Returns the object at `address` if that is the platform or the root device.
pub(super) fn find(address: usize) -> Option<Arc<dyn Any + Send + Sync>> {
    let platform = PLATFORM.peek()?;
    let device = &platform.device;
    if address == device.handle().addr() {
        return Some(Arc::clone(device) as _);
    }
    (address == platform.handle().addr()).then(|| Arc::clone(platform) as _)
}

impl Platform {
    /// Returns the root device.
    pub fn device(&self) -> &Arc<Object<Device>> {
        &self.device
    }
}
