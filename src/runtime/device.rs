//! The device: all of this machine's processors, or some of them (a sub-device).
//!
//! The limits here are the truth about this implementation: what does not exist yet is 0 or absent, even where a full
//! profile asks for more.

use std::sync::Arc;

use super::error::{Error, Result};
use super::host::host;
use super::object::{Object, ObjectBody, ParentRef};
use super::topology::{Domain, Topology, topology};
use crate::cl::*;
use crate::compile::enqueue as abi;
use crate::exec::CpuSet;
use crate::support::environment::environment;
use crate::support::target::Choice;
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
pub const MAX_WORK_GROUP_SIZE: usize = abi::MAX_WORK_GROUP_SIZE as usize;
/// The limit of kernels that use sub-groups. It is that of most GPUs: programs written for them give a group's sub-groups, of 32 or
/// more, no more than 32 places, or have the items of one sub-group combine what all have.
pub const MAX_WORK_GROUP_SIZE_OF_SUB_GROUPS: usize = 1024;
/// CL_DEVICE_MAX_NUM_SUB_GROUPS: a sub-group may have one item.
pub const MAX_NUM_SUB_GROUPS: usize = MAX_WORK_GROUP_SIZE_OF_SUB_GROUPS;
/// CL_DEVICE_MAX_PARAMETER_SIZE: bytes of all arguments of a kernel.
pub const MAX_PARAMETER_SIZE: usize = 4352;
/// CL_DEVICE_LOCAL_MEM_SIZE, unless the user asks for another: that of Intel's runtime, by which programs choose what does best on a
/// processor (`docs/memory.md`).
const LOCAL_MEM_SIZE: u64 = 256 << 10;
/// CL_DEVICE_MAX_CONSTANT_ARGS.
pub const MAX_CONSTANT_ARGS: u32 = 128;
/// CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE.
pub const MAX_GLOBAL_VARIABLE_SIZE: usize = 64 << 20;
pub use crate::compile::SUB_GROUP_SIZES;
pub use crate::exec::PRINTF_BUFFER_SIZE;
/// Bytes that buffers are aligned to: sizeof(long16). CL_DEVICE_MEM_BASE_ADDR_ALIGN says it in bits.
pub const MEM_ALIGN: usize = 128;
/// CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE. Items run one after the other, so any size will do; programs make too small
/// groups of too small a number.
pub const PREFERRED_WORK_GROUP_MULTIPLE: usize = abi::WORK_GROUP_MULTIPLE as usize;
/// CL_DEVICE_IMAGE_SUPPORT, and all that comes with it.
pub const IMAGES: bool = true;
/// CL_DEVICE_IMAGE2D_MAX_WIDTH and _HEIGHT, in texels.
pub const IMAGE2D_MAX_SIZE: usize = 16384;
/// CL_DEVICE_IMAGE3D_MAX_WIDTH, _HEIGHT and _DEPTH, in texels.
pub const IMAGE3D_MAX_SIZE: usize = 2048;
/// CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, in layers.
pub const IMAGE_MAX_ARRAY_SIZE: usize = 2048;
/// CL_DEVICE_IMAGE_PITCH_ALIGNMENT, in texels: rows may begin wherever a texel may.
pub const IMAGE_PITCH_ALIGNMENT: u32 = 1;
/// CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, in texels.
pub const IMAGE_BASE_ADDRESS_ALIGNMENT: u32 = 1;
/// CL_DEVICE_MAX_READ_IMAGE_ARGS. Arguments are only bounded by [`MAX_PARAMETER_SIZE`]; this is what programs may count on.
pub const MAX_READ_IMAGE_ARGS: u32 = 128;
/// CL_DEVICE_MAX_WRITE_IMAGE_ARGS and CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS.
pub const MAX_WRITE_IMAGE_ARGS: u32 = 64;
/// CL_DEVICE_MAX_SAMPLERS.
pub const MAX_SAMPLERS: u32 = 32;
/// Bytes of the vectors that small kernels do best with.
const VECTOR_BYTES: u32 = 16;

/// Returns CL_DEVICE_LOCAL_MEM_SIZE: bytes of local memory that a work-group may have.
pub fn local_mem_size() -> u64 {
    environment().local_mem_size.unwrap_or(LOCAL_MEM_SIZE)
}

/// How sub-devices are asked for.
#[derive(Clone, Debug)]
pub enum Partition {
    /// Each with this many compute units.
    Equally(usize),
    /// One for each count.
    ByCounts(Vec<usize>),
    /// One for each node or cache of these domains, of which there must be one.
    ByAffinityDomain(cl_device_affinity_domain),
}

/// What cl_device_id points to.
pub struct Device {
    parent: Option<ParentRef<Device>>,
    /// The processors that are this device's compute units, neighbours side by side.
    cpus: Vec<usize>,
    /// Of a sub-device: what confines launches to its processors.
    cores: Option<Arc<CpuSet>>,
    topology: &'static Topology,
    /// The properties this sub-device was made with, with the 0 at the end; empty for the root.
    partition_type: Vec<cl_device_partition_property>,
}

impl ObjectBody for Device {
    const INVALID: Error = Error::InvalidDevice;
}

impl Device {
    /// The device with all processors this process may use.
    pub fn root() -> Self {
        Self::whole(exec::processors(), topology())
    }

    fn whole(cpus: &[usize], topology: &'static Topology) -> Self {
        Self { parent: None, cpus: topology.sorted(cpus), cores: None, topology, partition_type: Vec::new() }
    }

    /// The device this one is a part of.
    pub fn parent(&self) -> Option<&Arc<Object<Device>>> {
        self.parent.as_ref().map(ParentRef::object)
    }

    /// CL_DEVICE_MAX_COMPUTE_UNITS.
    pub fn compute_units(&self) -> usize {
        self.cpus.len()
    }

    /// What `exec::run` takes: where launches on a sub-device run.
    pub fn cores(&self) -> Option<&Arc<CpuSet>> {
        self.cores.as_ref()
    }

    /// CL_DEVICE_PARTITION_PROPERTIES: the ways this device can be partitioned, or one 0.
    pub fn partition_properties(&self) -> Vec<cl_device_partition_property> {
        if self.compute_units() <= 1 {
            return vec![0];
        }
        let mut properties = vec![CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS];
        if self.affinity_domains() != 0 {
            properties.push(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
        }
        properties
    }

    /// CL_DEVICE_PARTITION_AFFINITY_DOMAIN: those along which this device falls apart.
    pub fn affinity_domains(&self) -> cl_device_affinity_domain {
        let domains = DOMAINS.iter().filter(|(_, domain)| self.groups(*domain).len() > 1);
        domains.fold(0, |bits, (bit, _)| bits | bit | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE)
    }

    fn groups(&self, domain: Domain) -> Vec<Vec<usize>> {
        self.topology.groups(&self.cpus, domain)
    }

    /// CL_DEVICE_PARTITION_MAX_SUB_DEVICES.
    pub fn max_sub_devices(&self) -> usize {
        if self.compute_units() > 1 { self.compute_units() } else { 0 }
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

    /// CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, in texels: the largest buffer full of the largest texels. Coordinates are of type int.
    pub fn max_image_buffer_size(&self) -> usize {
        let texels = self.max_alloc_size() / crate::image::texel::MOST_BYTES as u64;
        texels.min(i32::MAX as u64) as usize
    }

    /// CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE. Constant memory is ordinary memory; this only bounds one buffer of it.
    pub fn max_constant_buffer_size(&self) -> u64 {
        self.max_alloc_size().min(64 << 20)
    }

    /// Bytes of the vectors that small kernels do best with.
    pub fn preferred_vector_bytes(&self) -> u32 {
        VECTOR_BYTES
    }

    /// Bytes of the registers that kernels compute in.
    pub fn native_vector_bytes(&self) -> u32 {
        Choice::of(environment().backend, false).backend.register()
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
        let (parts, properties) = match how {
            Partition::Equally(units) => self.equal_parts(*units)?,
            Partition::ByCounts(counts) => self.counted_parts(counts)?,
            Partition::ByAffinityDomain(domain) => self.near_parts(*domain)?,
        };
        let make = |cpus: Vec<usize>| {
            Object::new(Device {
                parent: Some(ParentRef::new(self)),
                cores: Some(CpuSet::new(cpus.clone())),
                cpus,
                topology: self.topology,
                partition_type: properties.clone(),
            })
        };
        Ok(parts.into_iter().map(make).collect())
    }

    /// The device that the implementation gave out, of which this is a part.
    fn origin(&self) -> &Device {
        self.parent().map_or(self, |parent| parent.origin())
    }

    fn check_divisible(&self) -> Result<()> {
        if self.compute_units() > 1 {
            return Ok(());
        }
        Err(not_divisible(self.origin().compute_units() > 1))
    }

    fn equal_parts(&self, units: usize) -> Result<SubDevices> {
        self.check_divisible()?;
        if units == 0 {
            return Err(Error::InvalidValue);
        }
        if units > self.compute_units() {
            return Err(Error::InvalidDevicePartitionCount);
        }
        // One part that is the whole is no partition.
        if units == self.compute_units() {
            return Err(Error::DevicePartitionFailed);
        }
        let properties = vec![CL_DEVICE_PARTITION_EQUALLY, units.cast_signed(), 0];
        Ok((self.cpus.chunks_exact(units).map(<[_]>::to_vec).collect(), properties))
    }

    fn counted_parts(&self, counts: &[usize]) -> Result<SubDevices> {
        self.check_divisible()?;
        let total = counts.iter().try_fold(0usize, |sum, &n| sum.checked_add(n));
        let fits = total.is_some_and(|total| total <= self.compute_units());
        if counts.is_empty() || counts.contains(&0) || !fits || counts.len() > self.max_sub_devices() {
            return Err(Error::InvalidDevicePartitionCount);
        }
        let mut properties = vec![CL_DEVICE_PARTITION_BY_COUNTS];
        properties.extend(counts.iter().map(|n| n.cast_signed()));
        properties.extend([CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0]);
        let mut rest = self.cpus.iter().copied();
        Ok((counts.iter().map(|&count| rest.by_ref().take(count).collect()).collect(), properties))
    }

    /// One part for each node or cache. The properties name the domain that was used, not the next partitionable one.
    fn near_parts(&self, wanted: cl_device_affinity_domain) -> Result<SubDevices> {
        let next = wanted == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
        // No domain, several, or an unknown one.
        if !next && !DOMAINS.iter().any(|(bit, _)| *bit == wanted) {
            return Err(Error::InvalidValue);
        }
        let mut candidates = DOMAINS.iter().filter(|(bit, _)| next || *bit == wanted);
        let found = candidates.find_map(|&(bit, domain)| {
            let groups = self.groups(domain);
            (groups.len() > 1).then_some((bit, groups))
        });
        let (bit, parts) =
            found.ok_or_else(|| not_divisible(self.origin().affinity_domains() & wanted != 0))?;
        Ok((parts, vec![CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, bit as cl_device_partition_property, 0]))
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

/// The error for a way of partitioning that a device does not allow: another one if the whole does not allow it, either.
fn not_divisible(whole_is: bool) -> Error {
    if whole_is { Error::DevicePartitionFailed } else { Error::InvalidValue }
}

/// The processors of each part, and the properties they are made with.
type SubDevices = (Vec<Vec<usize>>, Vec<cl_device_partition_property>);

/// Affinity domains in the order in which the next partitionable one is looked for.
const DOMAINS: [(cl_device_affinity_domain, Domain); 5] = [
    (CL_DEVICE_AFFINITY_DOMAIN_NUMA, Domain::Numa),
    (CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, Domain::L4),
    (CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, Domain::L3),
    (CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, Domain::L2),
    (CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, Domain::L1),
];

#[cfg(test)]
mod tests {
    use super::super::topology::tests::two_nodes;
    use super::*;

    /// A device on a machine of which nothing is known.
    fn device(compute_units: usize) -> Arc<Object<Device>> {
        let cpus: Vec<usize> = (0..compute_units).collect();
        Object::new(Device::whole(&cpus, Box::leak(Box::default())))
    }

    /// A device on a machine of two nodes with four processors each.
    fn large_device() -> Arc<Object<Device>> {
        Object::new(Device::whole(&[0, 1, 2, 3, 4, 5, 6, 7], Box::leak(Box::new(two_nodes()))))
    }

    fn cpus(parts: Result<Vec<Arc<Object<Device>>>>) -> Result<Vec<Vec<usize>>> {
        parts.map(|parts| parts.iter().map(|d| d.cores().unwrap().cpus().to_vec()).collect())
    }

    #[test]
    fn equal_parts_leave_the_rest_out() {
        assert_eq!(cpus(device(7).partition(&Partition::Equally(2))).unwrap(), [[0, 1], [2, 3], [4, 5]]);
        let failed = |units, how| device(units).partition(&Partition::Equally(how)).err();
        assert_eq!(failed(2, 2), Some(Error::DevicePartitionFailed));
        assert_eq!(failed(2, 3), Some(Error::InvalidDevicePartitionCount));
        assert_eq!(failed(2, 0), Some(Error::InvalidValue));
    }

    #[test]
    fn neighbours_are_not_torn_apart() {
        let parts = large_device().partition(&Partition::Equally(2));
        assert_eq!(cpus(parts).unwrap(), [[0, 4], [1, 5], [2, 6], [3, 7]]);
        let parts = large_device().partition(&Partition::ByCounts(vec![2, 4, 1]));
        assert_eq!(cpus(parts).unwrap(), [vec![0, 4], vec![1, 5, 2, 6], vec![3]]);
    }

    #[test]
    fn counts_must_fit() {
        let parts = device(4).partition(&Partition::ByCounts(vec![1, 3]));
        assert_eq!(cpus(parts).unwrap(), [vec![0], vec![1, 2, 3]]);
        for bad in [vec![], vec![0, 1], vec![3, 2], vec![usize::MAX, 2]] {
            let parts = device(4).partition(&Partition::ByCounts(bad));
            assert_eq!(cpus(parts), Err(Error::InvalidDevicePartitionCount));
        }
    }

    #[test]
    fn a_sub_device_remembers_how_it_was_made() {
        let parts = device(4).partition(&Partition::ByCounts(vec![1])).unwrap();
        assert_eq!(parts[0].compute_units(), 1);
        assert_eq!(parts[0].partition_type(), [CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0]);
    }

    #[test]
    fn one_unit_cannot_be_divided() {
        let ways = [
            Partition::Equally(1),
            Partition::ByCounts(vec![1]),
            Partition::ByAffinityDomain(CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE),
        ];
        let part = large_device().partition(&Partition::Equally(1)).unwrap().remove(0);
        assert_eq!((part.partition_properties(), part.affinity_domains()), (vec![0], 0));
        for way in ways {
            // The machine can be divided in this way, this device cannot; or neither can.
            assert_eq!(part.partition(&way).err(), Some(Error::DevicePartitionFailed));
            assert_eq!(device(1).partition(&way).err(), Some(Error::InvalidValue));
        }
    }

    #[test]
    fn affinity_domains_are_those_of_the_machine() {
        let device = large_device();
        let l2 = CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE;
        let l3 = CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE;
        let l4 = CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE;
        let l1 = CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE;
        let (numa, next) = (CL_DEVICE_AFFINITY_DOMAIN_NUMA, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE);
        assert_eq!(device.affinity_domains(), numa | l3 | l2 | l1 | next);
        let by =
            |device: &Arc<Object<Device>>, domain| device.partition(&Partition::ByAffinityDomain(domain));
        assert_eq!(cpus(by(&device, l2)).unwrap(), [[0, 4], [1, 5], [2, 6], [3, 7]]);
        let node = by(&device, next).unwrap().remove(1);
        assert_eq!(node.cores().unwrap().cpus(), [2, 6, 3, 7]);
        assert_eq!(node.partition_type(), [CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, numa as isize, 0]);
        // A node is one cache of the third level; the next domain is the second.
        assert_eq!(node.affinity_domains(), l2 | l1 | next);
        let core = by(&node, next).unwrap().remove(0);
        assert_eq!(core.cores().unwrap().cpus(), [2, 6]);
        assert_eq!(core.partition_type(), [CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, l2 as isize, 0]);
        // Two threads of one core share all caches.
        assert_eq!(core.affinity_domains(), 0);
        assert_eq!(by(&core, next).err(), Some(Error::DevicePartitionFailed));
        assert_eq!(by(&node, l3).err(), Some(Error::DevicePartitionFailed));
        assert_eq!(cpus(core.partition(&Partition::Equally(1))).unwrap(), [[2], [6]]);
        for bad in [0, l4, l1 | l2, 1 << 20] {
            assert_eq!(by(&device, bad).err(), Some(Error::InvalidValue));
        }
    }
}
