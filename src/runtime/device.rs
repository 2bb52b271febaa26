//! Devices: all processors of this machine, or some of them (a sub-device).
//!
//! The limits describe this implementation: an unsupported feature has the limit 0 or is absent, even if the full
//! profile requires it.

use std::sync::Arc;

use super::error::{Error, Result};
use super::host::host;
use super::object::{Object, ObjectBody, ParentRef};
use crate::cl::*;
use crate::compile;
use crate::compile::enqueue as abi;
use grus_exec as exec;
use grus_exec::{CpuSet, Domain, Topology, topology};
use grus_support::environment::environment;
use grus_support::target::BackendChoice;

/// Extensions of the API that have no macro in OpenCL C.
const API_EXTENSIONS: &[&str] = &[
    "cl_khr_icd",
    "cl_khr_create_command_queue",
    "cl_khr_extended_versioning",
    "cl_khr_suggested_local_work_size",
    "cl_khr_device_uuid",
    "cl_intel_create_buffer_with_properties",
    BUFFER_DEVICE_ADDRESS,
    UNIFIED_SHARED_MEMORY,
];

/// True if the device says that it takes programs in SPIR-V. The functions that create them are there anyway.
pub const IL: bool = true;

/// Extensions for programs in SPIR-V.
const IL_EXTENSIONS: &[&str] = &[
    "cl_khr_il_program",
    "cl_khr_spirv_extended_debug_info",
    "cl_khr_spirv_linkonce_odr",
    "cl_khr_spirv_no_integer_wrap_decoration",
    "cl_khr_spirv_queries",
];

const BUFFER_DEVICE_ADDRESS: &str = "cl_ext_buffer_device_address";
const UNIFIED_SHARED_MEMORY: &str = "cl_intel_unified_shared_memory";

/// Returns CL_DEVICE_EXTENSIONS: the extensions of the API, then those of the compiler.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    let of_il = if IL { IL_EXTENSIONS } else { &[] };
    API_EXTENSIONS.iter().chain(of_il).chain(compile::EXTENSIONS).copied()
}

/// Returns CL_DEVICE_EXTENSIONS_WITH_VERSION.
pub fn extension_versions() -> impl Iterator<Item = (&'static str, cl_version)> {
    let version = |name| match name {
        UNIFIED_SHARED_MEMORY => make_version(1, 2, 0),
        BUFFER_DEVICE_ADDRESS => make_version(1, 0, 2),
        "cl_intel_subgroups_short" => make_version(1, 1, 0),
        _ => make_version(1, 0, 0),
    };
    extensions().map(move |name| (name, version(name)))
}

/// Returns CL_DEVICE_ILS_WITH_VERSION, by ascending versions.
pub fn ils() -> impl Iterator<Item = (&'static str, cl_version)> {
    let versions = compile::IL_VERSIONS.filter(|_| IL);
    versions.map(|minor| ("SPIR-V", make_version(1, minor, 0)))
}

/// Returns CL_DEVICE_IL_VERSION.
pub fn il_version() -> String {
    let versions: Vec<String> =
        compile::IL_VERSIONS.filter(|_| IL).map(|minor| format!("SPIR-V_1.{minor}")).collect();
    versions.join(" ")
}

/// Value of CL_DEVICE_OPENCL_C_VERSION.
pub const OPENCL_C_VERSION: &str = "OpenCL C 2.0 ";
/// Value of CL_DEVICE_MAX_WORK_GROUP_SIZE, which is also the limit in each dimension.
pub const MAX_WORK_GROUP_SIZE: usize = abi::MAX_WORK_GROUP_SIZE as usize;
/// Maximum work-group size of kernels in OpenCL C that use sub-groups.
// Source: the limit of most GPUs. Programs written for them reserve no more than 32 entries for the sub-groups (of
// 32 or more work-items) of a work-group, or let the work-items of one sub-group combine the results of all
// sub-groups.
pub const MAX_WORK_GROUP_SIZE_OF_SUB_GROUPS: usize = 1024;
/// Value of CL_DEVICE_MAX_NUM_SUB_GROUPS: a sub-group may have one work-item.
pub const MAX_NUM_SUB_GROUPS: usize = MAX_WORK_GROUP_SIZE;
/// Value of CL_DEVICE_MAX_PARAMETER_SIZE: size in bytes of all arguments of a kernel.
// Arbitrary.
pub const MAX_PARAMETER_SIZE: usize = 4352;
/// Value of CL_DEVICE_LOCAL_MEM_SIZE, unless the user sets another one.
// Source: the value of Intel's runtime, which programs use to choose the variant that suits a CPU
// (`docs/memory.md`).
const LOCAL_MEM_SIZE: u64 = 256 << 10;
/// Value of CL_DEVICE_MAX_CONSTANT_ARGS.
// Arbitrary.
pub const MAX_CONSTANT_ARGS: u32 = 128;
/// Value of CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE.
// Arbitrary.
pub const MAX_GLOBAL_VARIABLE_SIZE: usize = 64 << 20;
pub use crate::compile::{
    EXTENDED_SETS, IL_EXTENSIONS as SPIRV_EXTENSIONS, SUB_GROUP_SIZES, il_capabilities,
};
pub use grus_exec::PRINTF_BUFFER_SIZE;
/// Alignment of buffers in bytes: sizeof(long16). CL_DEVICE_MEM_BASE_ADDR_ALIGN reports it in bits.
// Source: API s4.2 table 5.
pub const MEM_ALIGN: usize = 128;
/// Value of CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE. Work-items run one after the other, so any size would do,
/// but programs choose work-groups that are too small if this number is small.
pub const PREFERRED_WORK_GROUP_MULTIPLE: usize = abi::WORK_GROUP_MULTIPLE as usize;
/// Value of CL_DEVICE_IMAGE_SUPPORT; all other image features depend on it.
pub const IMAGES: bool = true;
/// Value of CL_DEVICE_IMAGE2D_MAX_WIDTH and _HEIGHT, in texels.
// Source: API s4.2 table 5, minimum of the full profile.
pub const IMAGE2D_MAX_SIZE: usize = 16384;
/// Value of CL_DEVICE_IMAGE3D_MAX_WIDTH, _HEIGHT and _DEPTH, in texels.
// Source: API s4.2 table 5, minimum of the full profile.
pub const IMAGE3D_MAX_SIZE: usize = 2048;
/// Value of CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, in layers.
// Source: API s4.2 table 5, minimum of the full profile.
pub const IMAGE_MAX_ARRAY_SIZE: usize = 2048;
/// Value of CL_DEVICE_IMAGE_PITCH_ALIGNMENT, in texels: a row may begin wherever a texel may.
pub const IMAGE_PITCH_ALIGNMENT: u32 = 1;
/// Value of CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, in texels.
pub const IMAGE_BASE_ADDRESS_ALIGNMENT: u32 = 1;
/// Value of CL_DEVICE_MAX_READ_IMAGE_ARGS. Only [`MAX_PARAMETER_SIZE`] actually limits the number of arguments.
// Source: API s4.2 table 5, minimum of the full profile.
pub const MAX_READ_IMAGE_ARGS: u32 = 128;
/// Value of CL_DEVICE_MAX_WRITE_IMAGE_ARGS and CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS.
// Source: API s4.2 table 5, minimum of the full profile.
pub const MAX_WRITE_IMAGE_ARGS: u32 = 64;
/// Value of CL_DEVICE_MAX_SAMPLERS.
// Arbitrary.
pub const MAX_SAMPLERS: u32 = 32;
/// Size in bytes of the vectors with which small kernels are fastest.
const VECTOR_BYTES: u32 = 16;

/// Returns CL_DEVICE_LOCAL_MEM_SIZE: the number of bytes of local memory that a work-group may use.
pub fn local_mem_size() -> u64 {
    environment().local_mem_size.unwrap_or(LOCAL_MEM_SIZE)
}

/// Partition of a device into sub-devices.
#[derive(Clone, Debug)]
pub enum Partition {
    /// Sub-devices with this many compute units each.
    Equally(usize),
    /// One sub-device for each count of compute units.
    ByCounts(Vec<usize>),
    /// One sub-device for each node or cache of this affinity domain; exactly one bit must be set.
    ByAffinityDomain(cl_device_affinity_domain),
}

/// Body of a cl_device_id.
pub struct Device {
    parent: Option<ParentRef<Device>>,
    /// Processors that are this device's compute units; processors that share caches are adjacent.
    cpus: Vec<usize>,
    /// Processors to which launches on a sub-device are bound; none for the root device.
    cpu_set: Option<Arc<CpuSet>>,
    topology: &'static Topology,
    /// NUMA node to which all compute units belong, on a machine with several.
    node: Option<usize>,
    /// Properties that this sub-device was created with, including the final 0; empty for the root device.
    partition_type: Vec<cl_device_partition_property>,
}

impl ObjectBody for Device {
    const INVALID: Error = Error::InvalidDevice;
}

impl Device {
    /// Returns the device with all processors that this process may use.
    pub fn root() -> Self {
        Self::whole(exec::processors(), topology())
    }

    fn whole(cpus: &[usize], topology: &'static Topology) -> Self {
        Self {
            parent: None,
            cpus: topology.sorted(cpus),
            cpu_set: None,
            topology,
            node: topology.node(cpus),
            partition_type: Vec::new(),
        }
    }

    /// Returns the device that this device is a part of.
    pub fn parent(&self) -> Option<&Arc<Object<Device>>> {
        self.parent.as_ref().map(ParentRef::object)
    }

    /// Returns CL_DEVICE_MAX_COMPUTE_UNITS.
    pub fn compute_units(&self) -> usize {
        self.cpus.len()
    }

    /// Returns the processors that are the compute units.
    pub(super) fn cpus(&self) -> &[usize] {
        &self.cpus
    }

    /// Returns the processors to which launches on a sub-device are bound, as `exec::run` takes them.
    pub fn cpu_set(&self) -> Option<&Arc<CpuSet>> {
        self.cpu_set.as_ref()
    }

    /// Returns the number of the NUMA node to which all compute units belong, on a machine with several.
    pub(super) fn node(&self) -> Option<usize> {
        self.node
    }

    /// Returns CL_DEVICE_PARTITION_PROPERTIES: the supported ways of partitioning this device, or a single 0.
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

    /// Returns CL_DEVICE_PARTITION_AFFINITY_DOMAIN: the domains of which this device has several.
    pub fn affinity_domains(&self) -> cl_device_affinity_domain {
        let domains = DOMAINS.iter().filter(|(_, domain)| self.groups(*domain).len() > 1);
        domains.fold(0, |bits, (bit, _)| bits | bit | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE)
    }

    fn groups(&self, domain: Domain) -> Vec<Vec<usize>> {
        self.topology.groups(&self.cpus, domain)
    }

    /// Returns CL_DEVICE_PARTITION_MAX_SUB_DEVICES.
    pub fn max_sub_devices(&self) -> usize {
        if self.compute_units() > 1 { self.compute_units() } else { 0 }
    }

    /// Returns CL_DEVICE_PARTITION_TYPE.
    pub fn partition_type(&self) -> &[cl_device_partition_property] {
        &self.partition_type
    }

    /// Returns CL_DEVICE_MAX_MEM_ALLOC_SIZE.
    pub fn max_alloc_size(&self) -> u64 {
        // Small buffers are the most frequent complaint about CPU devices. Memory is the host's, so one buffer may
        // take nearly all of it; the rest is left to the program itself. The fraction is arbitrary.
        host().memory / 4 * 3
    }

    /// Returns CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, in texels: the number of the largest texels in the largest buffer,
    /// limited by coordinates of type int.
    pub fn max_image_buffer_size(&self) -> usize {
        let texels = self.max_alloc_size() / grus_ir::image::texel::MAX_TEXEL_SIZE as u64;
        texels.min(i32::MAX as u64) as usize
    }

    /// Returns CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE. Constant memory is ordinary memory; this limits a single buffer
    /// of it.
    pub fn max_constant_buffer_size(&self) -> u64 {
        self.max_alloc_size().min(64 << 20)
    }

    /// Returns the size in bytes of the vectors with which small kernels are fastest.
    pub fn preferred_vector_bytes(&self) -> u32 {
        VECTOR_BYTES
    }

    /// Returns the size in bytes of the vector registers that kernels use.
    pub fn native_vector_bytes(&self) -> u32 {
        BackendChoice::of(environment().backend, false).backend.register()
    }

    /// Returns CL_DEVICE_TYPE.
    pub fn device_type(&self) -> cl_device_type {
        CL_DEVICE_TYPE_CPU
    }

    /// Checks whether a request for devices of these types includes this device.
    pub fn is_of_type(&self, types: cl_device_type) -> bool {
        types & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT) != 0
    }

    /// Checks that these bits are a valid set of device types.
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
    /// Creates the sub-devices of a partition, without publishing them.
    pub fn partition(self: &Arc<Self>, how: &Partition) -> Result<Vec<Arc<Object<Device>>>> {
        let (parts, properties) = match how {
            Partition::Equally(units) => self.equal_parts(*units)?,
            Partition::ByCounts(counts) => self.counted_parts(counts)?,
            Partition::ByAffinityDomain(domain) => self.near_parts(*domain)?,
        };
        let make = |cpus: Vec<usize>| {
            Object::new(Device {
                parent: Some(ParentRef::new(self)),
                cpu_set: Some(CpuSet::new(cpus.clone())),
                topology: self.topology,
                node: self.topology.node(&cpus),
                cpus,
                partition_type: properties.clone(),
            })
        };
        Ok(parts.into_iter().map(make).collect())
    }

    /// Returns the root device.
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
        // A partition into one part that is the whole device is refused.
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

    /// Returns one part for each node or cache. The properties name the domain that was used instead of
    /// NEXT_PARTITIONABLE.
    fn near_parts(&self, wanted: cl_device_affinity_domain) -> Result<SubDevices> {
        let next = wanted == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
        // The value names no domain, several domains, or an unknown one.
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

    /// Retains a sub-device; the root device has no reference count.
    pub fn retain_device(self: &Arc<Self>) {
        if self.parent.is_some() {
            self.retain();
        }
    }

    /// Releases a sub-device; the root device has no reference count.
    pub fn release_device(self: &Arc<Self>) -> Result<()> {
        if self.parent.is_some() { self.release() } else { Ok(()) }
    }
}

/// Returns the error for a partition that a device does not support. `whole_is` says that the root device supports
/// it.
fn not_divisible(whole_is: bool) -> Error {
    if whole_is { Error::DevicePartitionFailed } else { Error::InvalidValue }
}

/// Processors of each part, and the properties that the parts are created with.
type SubDevices = (Vec<Vec<usize>>, Vec<cl_device_partition_property>);

/// Affinity domains, in the order of the search for the next partitionable one.
const DOMAINS: [(cl_device_affinity_domain, Domain); 5] = [
    (CL_DEVICE_AFFINITY_DOMAIN_NUMA, Domain::Numa),
    (CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, Domain::L4),
    (CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, Domain::L3),
    (CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, Domain::L2),
    (CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, Domain::L1),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a device of a machine whose topology is unknown.
    fn device(compute_units: usize) -> Arc<Object<Device>> {
        let cpus: Vec<usize> = (0..compute_units).collect();
        Object::new(Device::whole(&cpus, Box::leak(Box::default())))
    }

    /// Returns a device of a machine with two nodes, which have a third-level cache and two cores with two threads
    /// each.
    fn large_device() -> Arc<Object<Device>> {
        let mut topology = Topology::default();
        for (node, cpus) in [[0, 1, 4, 5], [2, 3, 6, 7]].iter().enumerate() {
            topology.share(Domain::Numa, node, cpus);
            topology.share(Domain::L3, cpus[0], cpus);
        }
        for core in 0..4 {
            topology.share(Domain::L2, core, &[core, core + 4]);
            topology.share(Domain::L1, core, &[core, core + 4]);
        }
        Object::new(Device::whole(&[0, 1, 2, 3, 4, 5, 6, 7], Box::leak(Box::new(topology))))
    }

    fn cpus(parts: Result<Vec<Arc<Object<Device>>>>) -> Result<Vec<Vec<usize>>> {
        parts.map(|parts| parts.iter().map(|d| d.cpu_set().unwrap().cpus().to_vec()).collect())
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
    fn neighbors_are_not_torn_apart() {
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
            // The root device can be partitioned in this way but this device cannot; then, neither can.
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
        assert_eq!((device.node(), node.node()), (None, Some(1)));
        assert_eq!(node.cpu_set().unwrap().cpus(), [2, 6, 3, 7]);
        assert_eq!(node.partition_type(), [CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, numa as isize, 0]);
        // A node has one third-level cache; the next domain is the second level.
        assert_eq!(node.affinity_domains(), l2 | l1 | next);
        let core = by(&node, next).unwrap().remove(0);
        assert_eq!(core.cpu_set().unwrap().cpus(), [2, 6]);
        assert_eq!(core.partition_type(), [CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, l2 as isize, 0]);
        // The two threads of a core share all caches.
        assert_eq!(core.affinity_domains(), 0);
        assert_eq!(by(&core, next).err(), Some(Error::DevicePartitionFailed));
        assert_eq!(by(&node, l3).err(), Some(Error::DevicePartitionFailed));
        assert_eq!(cpus(core.partition(&Partition::Equally(1))).unwrap(), [[2], [6]]);
        for bad in [0, l4, l1 | l2, 1 << 20] {
            assert_eq!(by(&device, bad).err(), Some(Error::InvalidValue));
        }
    }
}
