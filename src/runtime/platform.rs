//! The one platform.

use std::sync::Arc;

use super::device::Device;
use super::error::Error;
use super::host::host;
use super::object::{Object, ObjectBody};
use super::registry::AddressEntry;
use crate::support::environment::environment;
use crate::support::fork::Global;

/// CL_PLATFORM_VERSION and CL_DEVICE_VERSION.
pub const VERSION: &str = concat!("OpenCL 2.0 grus ", env!("CARGO_PKG_VERSION"));
/// CL_DRIVER_VERSION: applications key what they cache of our binaries by it.
pub const DRIVER_VERSION: &str = crate::compile::VERSION;
/// What a loader appends to this vendor's functions.
pub const ICD_SUFFIX: &str = "GRUS";

/// CL_PLATFORM_NAME.
pub fn name() -> &'static str {
    environment().platform_name.as_deref().unwrap_or("Grus")
}

/// CL_PLATFORM_VENDOR and CL_DEVICE_VENDOR.
pub fn vendor() -> &'static str {
    environment().vendor.as_deref().unwrap_or("The Grus project")
}

/// CL_DEVICE_NAME.
pub fn device_name() -> &'static str {
    environment().device_name.as_deref().unwrap_or(&host().cpu_name)
}

/// What cl_platform_id points to.
pub struct Platform {
    device: Arc<Object<Device>>,
}

impl ObjectBody for Platform {
    const INVALID: Error = Error::InvalidPlatform;
}

static PLATFORM: Global<Arc<Object<Platform>>> = Global::fact();

/// The platform; made at first use.
pub fn platform() -> &'static Arc<Object<Platform>> {
    PLATFORM.get(|| {
        // Of several threads' platforms, those that are not kept stay in memory, unknown to anybody.
        let device = Object::new(Device::root());
        device.publish();
        let platform = Object::new(Platform { device });
        platform.publish();
        platform
    })
}

/// Address and registry entry of what is there before and after a fork, whatever else is lost.
pub(super) fn lasting_objects() -> Vec<(usize, AddressEntry)> {
    PLATFORM.peek().map_or(Vec::new(), |platform| {
        let device: AddressEntry = Arc::downgrade(&platform.device) as AddressEntry;
        let entry: AddressEntry = Arc::downgrade(platform) as AddressEntry;
        vec![(platform.device.handle().addr(), device), (platform.handle().addr(), entry)]
    })
}

impl Platform {
    /// The root device.
    pub fn device(&self) -> &Arc<Object<Device>> {
        &self.device
    }
}
