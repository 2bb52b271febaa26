//! Device without state.

use super::error::Error;
use super::object::ObjectBody;

pub struct Device(());

impl Device {
    pub fn root() -> Self {
        Self(())
    }
}

impl ObjectBody for Device {
    const INVALID: Error = Error::InvalidDevice;
}
