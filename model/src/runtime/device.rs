//! A device.

use super::error::Error;
use super::object::Body;

pub struct Device(());

impl Device {
    pub fn root() -> Self {
        Self(())
    }
}

impl Body for Device {
    const INVALID: Error = Error::InvalidDevice;
}
