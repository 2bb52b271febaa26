//! The one platform.

use std::sync::{Arc, LazyLock};

use super::device::Device;
use super::error::Error;
use super::object::{Body, Object};

/// CL_PLATFORM_NAME.
pub const NAME: &str = "Grus";
/// CL_PLATFORM_VENDOR and CL_DEVICE_VENDOR.
pub const VENDOR: &str = "The Grus project";
/// CL_PLATFORM_VERSION and CL_DEVICE_VERSION.
pub const VERSION: &str = concat!("OpenCL 2.0 Grus ", env!("CARGO_PKG_VERSION"));
/// CL_DRIVER_VERSION: applications key what they cache of our binaries by it.
pub const DRIVER_VERSION: &str = crate::compile::VERSION;
/// What a loader appends to this vendor's functions.
pub const ICD_SUFFIX: &str = "GRUS";

/// What cl_platform_id points to.
pub struct Platform {
    device: Arc<Object<Device>>,
}

impl Body for Platform {
    const INVALID: Error = Error::InvalidPlatform;
}

static PLATFORM: LazyLock<Arc<Object<Platform>>> = LazyLock::new(|| {
    let device = Object::new(Device::root());
    device.publish();
    let platform = Object::new(Platform { device });
    platform.publish();
    platform
});

/// The platform; made at first use.
pub fn platform() -> &'static Arc<Object<Platform>> {
    &PLATFORM
}

impl Platform {
    /// The root device.
    pub fn device(&self) -> &Arc<Object<Device>> {
        &self.device
    }
}
