//! UUIDs of devices and of the driver (cl_khr_device_uuid). A device's is made from the machine and its processor, so
//! that it is the same in all processes and versions; the driver's is made from its version.

use std::fs;

use super::device::Device;
use super::host::host;
use super::platform::DRIVER_VERSION;
use crate::cl::CL_UUID_SIZE_KHR;
use grus_support::fork::Global;

/// UUID of version 8, whose bits are left to their maker (RFC 9562 s5.8).
pub type Uuid = [u8; CL_UUID_SIZE_KHR];

/// Returns CL_DRIVER_UUID_KHR.
pub fn of_driver() -> Uuid {
    made_from(&["grus driver", DRIVER_VERSION])
}

impl Device {
    /// Returns CL_DEVICE_UUID_KHR. Sub-devices differ by their processors.
    pub fn uuid(&self) -> Uuid {
        let cpus = self.parent().map_or(String::new(), |_| format!("{:?}", self.cpus()));
        made_from(&["grus device", machine_id(), &host().cpu_name, &cpus])
    }
}

/// Returns the id that the system gave to this machine, or an empty one.
fn machine_id() -> &'static str {
    static ID: Global<String> = Global::fact();
    ID.get(|| fs::read_to_string("/etc/machine-id").map_or(String::new(), |id| id.trim().to_owned()))
}

/// Returns a UUID that depends on all parts. It must never change for the same parts.
fn made_from(parts: &[&str]) -> Uuid {
    // Source: FNV-1a with 128 bits (RFC 9923). A NUL ends each part.
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let hash = bytes.fold(BASIS, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    let mut uuid = hash.to_be_bytes();
    uuid[6] = uuid[6] & 0x0f | 0x80;
    uuid[8] = uuid[8] & 0x3f | 0x80;
    uuid
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::device::Partition;
    use crate::runtime::object::Object;

    #[test]
    fn the_same_parts_make_the_same_uuid() {
        assert_eq!(made_from(&["a", "bc"]), made_from(&["a", "bc"]));
        assert_ne!(made_from(&["a", "bc"]), made_from(&["ab", "c"]));
        // Written down, since a change would change the ids of all devices.
        let expected =
            [0x4a, 0xd3, 0xf3, 0x68, 0x01, 0x3c, 0x84, 0xbf, 0xaf, 0x08, 0x82, 0x91, 0xf4, 0xe3, 0xc7, 0x58];
        assert_eq!(made_from(&["grus", ""]), expected);
    }

    #[test]
    fn devices_have_different_uuids() {
        let device = Object::new(Device::root());
        assert_eq!(device.uuid(), Device::root().uuid());
        assert_ne!(device.uuid(), of_driver());
        if device.compute_units() > 1 {
            let parts = device.partition(&Partition::Equally(1)).unwrap();
            assert_ne!(parts[0].uuid(), parts[1].uuid());
            assert!(parts.iter().all(|part| part.uuid() != device.uuid()));
        }
    }
}
