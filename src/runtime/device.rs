//! The device: all of this machine's processors, or some of them (a sub-device).
//!
//! The limits here are the truth about this implementation: what does not exist yet is 0 or absent, even where a full
//! profile asks for more.

use std::sync::Arc;

use super::error::{Error, Result};
use super::host::host;
use super::object::{Body, Object, Parent};
use crate::cl::*;
use crate::{compile, exec};

/// Extensions of the API alone: they are no macros of the language.
const API_EXTENSIONS: &[&str] = &[
    "cl_khr_icd",
    "cl_khr_create_command_queue",
    "cl_khr_extended_versioning",
    "cl_khr_suggested_local_work_size",
];

/// CL_DEVICE_EXTENSIONS: those of the API, then those that the compiler knows. The version of each is 1.0.0.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    API_EXTENSIONS.iter().chain(compile::EXTENSIONS).copied()
}

/// CL_DEVICE_OPENCL_C_VERSION.
pub const OPENCL_C_VERSION: &str = "OpenCL C 2.0 ";
/// CL_DEVICE_MAX_WORK_GROUP_SIZE, and the limit of each of its dimensions.
pub const MAX_WORK_GROUP_SIZE: usize = 4096;
/// CL_DEVICE_MAX_PARAMETER_SIZE: bytes of all arguments of a kernel.
pub const MAX_PARAMETER_SIZE: usize = 4352;
/// CL_DEVICE_LOCAL_MEM_SIZE.
pub const LOCAL_MEM_SIZE: u64 = 1 << 20;
/// CL_DEVICE_MAX_CONSTANT_ARGS.
pub const MAX_CONSTANT_ARGS: u32 = 128;
/// CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE.
pub const MAX_GLOBAL_VARIABLE_SIZE: usize = 64 << 20;
pub use crate::exec::PRINTF_BUFFER_SIZE;
/// Bytes that buffers are aligned to: sizeof(long16). CL_DEVICE_MEM_BASE_ADDR_ALIGN says it in bits.
pub const MEM_ALIGN: usize = 128;
/// CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: work-items that may run as lanes of one instruction stream.
pub const PREFERRED_WORK_GROUP_MULTIPLE: usize = 16;
/// Bytes of the vectors that machine code works on.
const VECTOR_BYTES: u32 = 16;

/// How sub-devices are asked for.
#[derive(Clone, Debug)]
pub enum Partition {
    /// Each with this many compute units.
    Equally(usize),
    /// One for each count.
    ByCounts(Vec<usize>),
}

/// What cl_device_id points to.
pub struct Device {
    parent: Option<Parent<Device>>,
    compute_units: usize,
    /// The properties this sub-device was made with, with the 0 at the end; empty for the root.
    partition_type: Vec<cl_device_partition_property>,
}

impl Body for Device {
    const INVALID: Error = Error::InvalidDevice;
}

impl Device {
    /// The device with all processors this process may use.
    pub fn root() -> Self {
        Self { parent: None, compute_units: exec::compute_units(), partition_type: Vec::new() }
    }

    /// The device this one is a part of.
    pub fn parent(&self) -> Option<&Arc<Object<Device>>> {
        self.parent.as_ref().map(Parent::object)
    }

    /// CL_DEVICE_MAX_COMPUTE_UNITS.
    pub fn compute_units(&self) -> usize {
        self.compute_units
    }

    /// How many threads a launch may use here: what `exec::run` takes, where 0 means all.
    pub fn max_threads(&self) -> usize {
        if self.parent.is_some() { self.compute_units } else { 0 }
    }

    /// CL_DEVICE_PARTITION_PROPERTIES: the ways this device can be partitioned, or one 0.
    pub fn partition_properties(&self) -> Vec<cl_device_partition_property> {
        if self.compute_units > 1 {
            vec![CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS]
        } else {
            vec![0]
        }
    }

    /// CL_DEVICE_PARTITION_MAX_SUB_DEVICES.
    pub fn max_sub_devices(&self) -> usize {
        if self.compute_units > 1 { self.compute_units } else { 0 }
    }

    /// CL_DEVICE_PARTITION_TYPE.
    pub fn partition_type(&self) -> &[cl_device_partition_property] {
        &self.partition_type
    }

    /// CL_DEVICE_MAX_MEM_ALLOC_SIZE.
    pub fn max_alloc_size(&self) -> u64 {
        // Large buffers are what people miss most on CPU devices; memory is the host's, so nearly all of it may be
        // one buffer. The rest keeps the program itself alive.
        host().memory / 4 * 3
    }

    /// CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE. Constant memory is ordinary memory; this only bounds one buffer of it.
    pub fn max_constant_buffer_size(&self) -> u64 {
        self.max_alloc_size().min(64 << 20)
    }

    /// Lanes of a native vector of elements of `bytes` bytes.
    pub fn vector_width(&self, bytes: u32) -> u32 {
        VECTOR_BYTES / bytes
    }

    /// CL_DEVICE_TYPE.
    pub fn device_type(&self) -> cl_device_type {
        CL_DEVICE_TYPE_CPU
    }

    /// Whether a request for devices of these types means this device.
    pub fn is_of_type(&self, types: cl_device_type) -> bool {
        types & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT) != 0
    }

    /// Whether these bits name device types at all.
    pub fn valid_types(types: cl_device_type) -> Result<()> {
        let known = CL_DEVICE_TYPE_DEFAULT
            | CL_DEVICE_TYPE_CPU
            | CL_DEVICE_TYPE_GPU
            | CL_DEVICE_TYPE_ACCELERATOR
            | CL_DEVICE_TYPE_CUSTOM;
        if types == CL_DEVICE_TYPE_ALL || (types != 0 && types & !known == 0) {
            Ok(())
        } else {
            Err(Error::InvalidDeviceType)
        }
    }
}

impl Object<Device> {
    /// The sub-devices of a partition, not yet published.
    pub fn partition(self: &Arc<Self>, how: &Partition) -> Result<Vec<Arc<Object<Device>>>> {
        if self.compute_units <= 1 {
            return Err(Error::InvalidValue);
        }
        let (counts, properties) = match how {
            Partition::Equally(units) => self.equal_parts(*units)?,
            Partition::ByCounts(counts) => self.counted_parts(counts)?,
        };
        let make = |units| {
            Object::new(Device {
                parent: Some(Parent::new(self)),
                compute_units: units,
                partition_type: properties.clone(),
            })
        };
        Ok(counts.into_iter().map(make).collect())
    }

    fn equal_parts(&self, units: usize) -> Result<Parts> {
        if units == 0 {
            return Err(Error::InvalidValue);
        }
        if units > self.compute_units {
            return Err(Error::InvalidDevicePartitionCount);
        }
        // One part that is the whole is no partition.
        if units == self.compute_units {
            return Err(Error::DevicePartitionFailed);
        }
        let properties = vec![CL_DEVICE_PARTITION_EQUALLY, units.cast_signed(), 0];
        Ok((vec![units; self.compute_units / units], properties))
    }

    fn counted_parts(&self, counts: &[usize]) -> Result<Parts> {
        let total = counts.iter().try_fold(0usize, |sum, &n| sum.checked_add(n));
        let fits = total.is_some_and(|total| total <= self.compute_units);
        if counts.is_empty() || counts.contains(&0) || !fits || counts.len() > self.max_sub_devices() {
            return Err(Error::InvalidDevicePartitionCount);
        }
        let mut properties = vec![CL_DEVICE_PARTITION_BY_COUNTS];
        properties.extend(counts.iter().map(|n| n.cast_signed()));
        properties.extend([CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0]);
        Ok((counts.to_vec(), properties))
    }

    /// Retains a sub-device; the root device is not counted.
    pub fn retain_device(self: &Arc<Self>) {
        if self.parent.is_some() {
            self.retain();
        }
    }

    /// Releases a sub-device; the root device is not counted.
    pub fn release_device(self: &Arc<Self>) -> Result<()> {
        if self.parent.is_some() { self.release() } else { Ok(()) }
    }
}

type Parts = (Vec<usize>, Vec<cl_device_partition_property>);

#[cfg(test)]
mod tests {
    use super::*;

    fn device(compute_units: usize) -> Arc<Object<Device>> {
        Object::new(Device { parent: None, compute_units, partition_type: Vec::new() })
    }

    fn units(parts: Result<Vec<Arc<Object<Device>>>>) -> Result<Vec<usize>> {
        parts.map(|parts| parts.iter().map(|d| d.compute_units()).collect())
    }

    #[test]
    fn equal_parts_leave_the_rest_out() {
        assert_eq!(units(device(7).partition(&Partition::Equally(2))), Ok(vec![2, 2, 2]));
        let whole = device(2).partition(&Partition::Equally(2));
        assert_eq!(units(whole), Err(Error::DevicePartitionFailed));
        let too_many = device(2).partition(&Partition::Equally(3));
        assert_eq!(units(too_many), Err(Error::InvalidDevicePartitionCount));
    }

    #[test]
    fn counts_must_fit() {
        let parts = device(4).partition(&Partition::ByCounts(vec![1, 3]));
        assert_eq!(units(parts), Ok(vec![1, 3]));
        for bad in [vec![], vec![0, 1], vec![3, 2], vec![usize::MAX, 2]] {
            let parts = device(4).partition(&Partition::ByCounts(bad));
            assert_eq!(units(parts), Err(Error::InvalidDevicePartitionCount));
        }
    }

    #[test]
    fn a_sub_device_restricts_threads_and_remembers_how_it_was_made() {
        let parts = device(4).partition(&Partition::ByCounts(vec![1])).unwrap();
        assert_eq!(parts[0].max_threads(), 1);
        assert_eq!(parts[0].partition_type(), [CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0]);
        assert_eq!(units(parts[0].partition(&Partition::Equally(1))), Err(Error::InvalidValue));
    }
}
