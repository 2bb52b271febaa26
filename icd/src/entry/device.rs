//! Devices and sub-devices (API s4.2, s4.3).

use std::ffi::{CStr, c_void};
use std::sync::Arc;

use grus_core::cl::*;
use grus_core::runtime::device::*;
use grus_core::runtime::error::{Error, Result};
use grus_core::runtime::host;
use grus_core::runtime::memory::{MAX_PIPE_ARGS, PIPE_MAX_ACTIVE_RESERVATIONS, PIPE_MAX_PACKET_SIZE};
use grus_core::runtime::object::Object;
use grus_core::runtime::platform::{self, DRIVER_VERSION, Platform, VERSION, platform};
use grus_core::runtime::queue::{
    MAX_ON_DEVICE_EVENTS, MAX_ON_DEVICE_QUEUES, QUEUE_MAX_SIZE, QUEUE_PREFERRED_SIZE,
};
use grus_core::runtime::{svm, usm, uuid};

use crate::arg::{Handle, In, Out, OutArray};
use crate::boundary::entry;
use crate::info::Info;

entry! {
    /// s4.2
    fn clGetDeviceIDs(
        platform: Handle<Platform>,
        device_type: cl_device_type,
        num_entries: cl_uint,
        devices: OutArray<cl_device_id>,
        num_devices: Out<cl_uint>,
    ) -> status {
        let platform = match platform.get_or_null()? {
            Some(platform) => platform,
            None => Arc::clone(self::platform()),
        };
        Device::valid_types(device_type)?;
        // `num_entries` is 0 and `devices` is not NULL, or both results are NULL.
        if num_entries == 0 && !devices.is_null() || devices.is_null() && num_devices.is_null() {
            return Err(Error::InvalidValue);
        }
        if !platform.device().is_of_type(device_type) {
            return Err(Error::DeviceNotFound);
        }
        devices.write([platform.device().handle()], num_entries as usize);
        num_devices.set(1);
        Ok(())
    }
}

const FP_CONFIG: cl_device_fp_config = CL_FP_DENORM
    | CL_FP_INF_NAN
    | CL_FP_ROUND_TO_NEAREST
    | CL_FP_ROUND_TO_ZERO
    | CL_FP_ROUND_TO_INF
    | CL_FP_FMA;

/// Value of CL_DEVICE_ENDIAN_LITTLE: the device is the CPU that runs this code.
const LITTLE_ENDIAN: cl_bool = if cfg!(target_endian = "little") { CL_TRUE } else { CL_FALSE };

entry! {
    /// s4.2. Values of 0 and empty values stand for unsupported features.
    fn clGetDeviceInfo(device: Handle<Device>, param_name: cl_device_info) -> info |out| {
        let device = device.get()?;
        match param_name {
            CL_DEVICE_TYPE => out.write::<cl_device_type>(device.device_type()),
            CL_DEVICE_VENDOR_ID => out.write::<cl_uint>(host().vendor_id),
            CL_DEVICE_MAX_COMPUTE_UNITS => out.write::<cl_uint>(device.compute_units() as cl_uint),
            CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => out.write::<cl_uint>(3),
            CL_DEVICE_MAX_WORK_ITEM_SIZES => out.array::<usize>(&[MAX_WORK_GROUP_SIZE; 3]),
            CL_DEVICE_MAX_WORK_GROUP_SIZE => out.write::<usize>(MAX_WORK_GROUP_SIZE),
            CL_DEVICE_MAX_CLOCK_FREQUENCY => out.write::<cl_uint>(host().max_frequency),
            CL_DEVICE_ADDRESS_BITS => out.write::<cl_uint>(usize::BITS),
            CL_DEVICE_MAX_MEM_ALLOC_SIZE => out.write::<cl_ulong>(device.max_alloc_size()),
            CL_DEVICE_MAX_PARAMETER_SIZE => out.write::<usize>(MAX_PARAMETER_SIZE),
            CL_DEVICE_MEM_BASE_ADDR_ALIGN => out.write::<cl_uint>(MEM_ALIGN as cl_uint * 8),
            CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => out.write::<cl_uint>(MEM_ALIGN as cl_uint),
            CL_DEVICE_SINGLE_FP_CONFIG => {
                out.write::<cl_device_fp_config>(FP_CONFIG | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)
            }
            CL_DEVICE_DOUBLE_FP_CONFIG | CL_DEVICE_HALF_FP_CONFIG => {
                out.write::<cl_device_fp_config>(FP_CONFIG)
            }
            CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => {
                out.write::<cl_device_mem_cache_type>(CL_READ_WRITE_CACHE)
            }
            CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => out.write::<cl_uint>(host().cache_line),
            CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => out.write::<cl_ulong>(host().cache_size),
            CL_DEVICE_GLOBAL_MEM_SIZE => out.write::<cl_ulong>(host().memory),
            CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => {
                out.write::<cl_ulong>(device.max_constant_buffer_size())
            }
            CL_DEVICE_MAX_CONSTANT_ARGS => out.write::<cl_uint>(MAX_CONSTANT_ARGS),
            CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE
            | CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => {
                out.write::<usize>(MAX_GLOBAL_VARIABLE_SIZE)
            }
            CL_DEVICE_LOCAL_MEM_TYPE => out.write::<cl_device_local_mem_type>(CL_GLOBAL),
            CL_DEVICE_LOCAL_MEM_SIZE => out.write::<cl_ulong>(local_mem_size()),
            CL_DEVICE_ERROR_CORRECTION_SUPPORT => out.write::<cl_bool>(CL_FALSE),
            CL_DEVICE_HOST_UNIFIED_MEMORY => out.write::<cl_bool>(CL_TRUE),
            CL_DEVICE_PROFILING_TIMER_RESOLUTION => out.write::<usize>(1),
            CL_DEVICE_ENDIAN_LITTLE => out.write::<cl_bool>(LITTLE_ENDIAN),
            CL_DEVICE_AVAILABLE => out.write::<cl_bool>(CL_TRUE),
            CL_DEVICE_COMPILER_AVAILABLE => out.write::<cl_bool>(CL_TRUE),
            CL_DEVICE_LINKER_AVAILABLE => out.write::<cl_bool>(CL_TRUE),
            CL_DEVICE_EXECUTION_CAPABILITIES => {
                out.write::<cl_device_exec_capabilities>(CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL)
            }
            CL_DEVICE_QUEUE_ON_HOST_PROPERTIES => out.write::<cl_command_queue_properties>(
                CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE,
            ),
            CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES => out.write::<cl_command_queue_properties>(
                CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE,
            ),
            CL_DEVICE_BUILT_IN_KERNELS => out.string(""),
            CL_DEVICE_PLATFORM => out.write::<cl_platform_id>(platform().handle()),
            CL_DEVICE_NAME => out.string(platform::device_name()),
            CL_DEVICE_VENDOR => out.string(platform::vendor()),
            CL_DRIVER_VERSION => out.string(DRIVER_VERSION),
            CL_DEVICE_PROFILE => out.string("FULL_PROFILE"),
            CL_DEVICE_VERSION => out.string(VERSION),
            CL_DEVICE_OPENCL_C_VERSION => out.string(OPENCL_C_VERSION),
            CL_DEVICE_EXTENSIONS => out.string(&extensions().collect::<Vec<_>>().join(" ")),
            CL_DEVICE_PRINTF_BUFFER_SIZE => out.write::<usize>(PRINTF_BUFFER_SIZE),
            CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => out.write::<cl_bool>(CL_TRUE),
            CL_DEVICE_SVM_CAPABILITIES => out.write::<cl_device_svm_capabilities>(svm::CAPABILITIES),
            CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT
            | CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT
            | CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => out.write::<cl_uint>(0),
            _ => images(&device, param_name, &out)
                .or_else(|| pipes_and_device_queues(param_name, &out))
                .or_else(|| versions(param_name, &out))
                .or_else(|| intermediate_languages(param_name, &out))
                .or_else(|| later_features(param_name, &out))
                .or_else(|| identity_and_shared_memory(&device, param_name, &out))
                .or_else(|| vector_widths(&device, param_name, &out))
                .or_else(|| partitions(&device, param_name, &out))
                .unwrap_or(Err(Error::InvalidValue)),
        }
    }
}

/// Answers queries about limits of images and samplers; all are 0 if images are not supported.
fn images(device: &Device, param_name: cl_device_info, out: &Info) -> Option<Result<()>> {
    let number = |limit: cl_uint| out.write::<cl_uint>(if IMAGES { limit } else { 0 });
    let size = |limit: usize| out.write::<usize>(if IMAGES { limit } else { 0 });
    Some(match param_name {
        CL_DEVICE_IMAGE_SUPPORT => out.write::<cl_bool>(cl_bool::from(IMAGES)),
        CL_DEVICE_MAX_READ_IMAGE_ARGS => number(MAX_READ_IMAGE_ARGS),
        CL_DEVICE_MAX_WRITE_IMAGE_ARGS | CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => number(MAX_WRITE_IMAGE_ARGS),
        CL_DEVICE_MAX_SAMPLERS => number(MAX_SAMPLERS),
        CL_DEVICE_IMAGE_PITCH_ALIGNMENT => number(IMAGE_PITCH_ALIGNMENT),
        CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => number(IMAGE_BASE_ADDRESS_ALIGNMENT),
        CL_DEVICE_IMAGE2D_MAX_WIDTH | CL_DEVICE_IMAGE2D_MAX_HEIGHT => size(IMAGE2D_MAX_SIZE),
        CL_DEVICE_IMAGE3D_MAX_WIDTH | CL_DEVICE_IMAGE3D_MAX_HEIGHT | CL_DEVICE_IMAGE3D_MAX_DEPTH => {
            size(IMAGE3D_MAX_SIZE)
        }
        CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => size(device.max_image_buffer_size()),
        CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => size(IMAGE_MAX_ARRAY_SIZE),
        _ => return None,
    })
}

/// Answers queries about limits of pipes and device-side queues.
fn pipes_and_device_queues(param_name: cl_device_info, out: &Info) -> Option<Result<()>> {
    Some(match param_name {
        CL_DEVICE_MAX_PIPE_ARGS => out.write::<cl_uint>(MAX_PIPE_ARGS),
        CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS => out.write::<cl_uint>(PIPE_MAX_ACTIVE_RESERVATIONS),
        CL_DEVICE_PIPE_MAX_PACKET_SIZE => out.write::<cl_uint>(PIPE_MAX_PACKET_SIZE),
        CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE => out.write::<cl_uint>(QUEUE_PREFERRED_SIZE),
        CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE => out.write::<cl_uint>(QUEUE_MAX_SIZE),
        CL_DEVICE_MAX_ON_DEVICE_QUEUES => out.write::<cl_uint>(MAX_ON_DEVICE_QUEUES),
        CL_DEVICE_MAX_ON_DEVICE_EVENTS => out.write::<cl_uint>(MAX_ON_DEVICE_EVENTS),
        CL_DEVICE_PIPE_SUPPORT => out.write::<cl_bool>(CL_TRUE),
        CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES => out.write::<cl_device_device_enqueue_capabilities>(
            CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT,
        ),
        _ => return None,
    })
}

/// Answers queries about version numbers (cl_khr_extended_versioning, 3.0).
fn versions(param_name: cl_device_info, out: &Info) -> Option<Result<()>> {
    Some(match param_name {
        CL_DEVICE_NUMERIC_VERSION | CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR => {
            out.write::<cl_version>(make_version(2, 0, 0))
        }
        CL_DEVICE_EXTENSIONS_WITH_VERSION => out.versions(extension_versions()),
        CL_DEVICE_OPENCL_C_ALL_VERSIONS => {
            let all = [(1, 0), (1, 1), (1, 2), (2, 0)];
            out.versions(all.into_iter().map(|(major, minor)| ("OpenCL C", make_version(major, minor, 0))))
        }
        // There are no built-in kernels or optional features of OpenCL C 3.0.
        CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION | CL_DEVICE_OPENCL_C_FEATURES => {
            out.array::<cl_name_version>(&[])
        }
        // A version would be an official statement of conformance.
        CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => out.string(""),
        _ => return None,
    })
}

/// Answers queries about intermediate languages (2.1, cl_khr_il_program, cl_khr_spirv_queries).
fn intermediate_languages(param_name: cl_device_info, out: &Info) -> Option<Result<()>> {
    // The names last as long as the library.
    let names = |names: &[&CStr]| {
        out.array::<*mut c_void>(
            &names.iter().map(|name| name.as_ptr().cast_mut().cast()).collect::<Vec<_>>(),
        )
    };
    Some(match param_name {
        CL_DEVICE_IL_VERSION => out.string(&il_version()),
        CL_DEVICE_ILS_WITH_VERSION => out.versions(ils()),
        CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR if IL => names(EXTENDED_SETS),
        CL_DEVICE_SPIRV_EXTENSIONS_KHR if IL => names(SPIRV_EXTENSIONS),
        CL_DEVICE_SPIRV_CAPABILITIES_KHR if IL => out.array::<cl_uint>(&il_capabilities()),
        _ => return None,
    })
}

/// Answers queries of OpenCL 2.1 and 3.0 about features that 2.0 requires or does not have.
fn later_features(param_name: cl_device_info, out: &Info) -> Option<Result<()>> {
    const ATOMIC: cl_device_atomic_capabilities = CL_DEVICE_ATOMIC_ORDER_RELAXED
        | CL_DEVICE_ATOMIC_ORDER_ACQ_REL
        | CL_DEVICE_ATOMIC_ORDER_SEQ_CST
        | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
        | CL_DEVICE_ATOMIC_SCOPE_DEVICE
        | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
    const FP_ATOMIC: cl_device_fp_atomic_capabilities_ext = CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT
        | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT
        | CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT
        | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT
        | CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT
        | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;
    const CLOCKS: cl_device_kernel_clock_capabilities_khr = CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR
        | CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR
        | CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR;
    Some(match param_name {
        CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR => {
            out.write::<cl_device_kernel_clock_capabilities_khr>(CLOCKS)
        }
        CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT
        | CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT
        | CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT => {
            out.write::<cl_device_fp_atomic_capabilities_ext>(FP_ATOMIC)
        }
        CL_DEVICE_MAX_NUM_SUB_GROUPS => out.write::<cl_uint>(MAX_NUM_SUB_GROUPS as cl_uint),
        CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => out.write::<cl_bool>(CL_TRUE),
        CL_DEVICE_SUB_GROUP_SIZES_INTEL => out.array::<usize>(&SUB_GROUP_SIZES.map(usize::from)),
        CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES => out.write::<cl_device_atomic_capabilities>(ATOMIC),
        CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => {
            out.write::<cl_device_atomic_capabilities>(ATOMIC | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM)
        }
        CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT
        | CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT
        | CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => out.write::<cl_bool>(CL_TRUE),
        CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => out.write::<usize>(PREFERRED_WORK_GROUP_MULTIPLE),
        _ => return None,
    })
}

/// Answers queries of cl_khr_device_uuid and cl_intel_unified_shared_memory.
fn identity_and_shared_memory(device: &Device, param_name: cl_device_info, out: &Info) -> Option<Result<()>> {
    Some(match param_name {
        CL_DEVICE_UUID_KHR => out.array::<cl_uchar>(&device.uuid()),
        CL_DRIVER_UUID_KHR => out.array::<cl_uchar>(&uuid::of_driver()),
        CL_DEVICE_LUID_VALID_KHR => out.write::<cl_bool>(CL_FALSE),
        CL_DEVICE_LUID_KHR => out.array::<cl_uchar>(&[0; CL_LUID_SIZE_KHR]),
        CL_DEVICE_NODE_MASK_KHR => out.write::<cl_uint>(0),
        CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL
        | CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL
        | CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
        | CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
        | CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL => {
            out.write::<cl_device_unified_shared_memory_capabilities_intel>(usm::CAPABILITIES)
        }
        _ => return None,
    })
}

/// Answers queries about preferred and native vector widths. The preferred width fills a 128-bit register: programs
/// that use it, such as OpenCV, have small kernels, which are vectorized across work-items and gain from memory
/// accesses of that size. The native width fills the actual registers: programs that use it, such as hashcat, have
/// kernels too large to be vectorized.
fn vector_widths(device: &Device, param_name: cl_device_info, out: &Info) -> Option<Result<()>> {
    let (is_native, bytes) = match param_name {
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR => (false, 1),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT => (false, 2),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT | CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT => (false, 4),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG | CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE => (false, 8),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR => (true, 1),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT => (true, 2),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_INT | CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT => (true, 4),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG | CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => (true, 8),
        // Half precision is computed in float.
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF => (false, 4),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => (true, 4),
        _ => return None,
    };
    let width =
        if is_native { device.native_vector_bytes() } else { device.preferred_vector_bytes() } / bytes;
    Some(out.write::<cl_uint>(width))
}

/// Answers queries about sub-devices.
fn partitions(device: &Object<Device>, param_name: cl_device_info, out: &Info) -> Option<Result<()>> {
    Some(match param_name {
        CL_DEVICE_PARENT_DEVICE => {
            let parent = device.parent().map_or(std::ptr::null_mut(), |parent| parent.handle());
            out.write::<cl_device_id>(parent)
        }
        CL_DEVICE_PARTITION_MAX_SUB_DEVICES => out.write::<cl_uint>(device.max_sub_devices() as cl_uint),
        CL_DEVICE_PARTITION_PROPERTIES => {
            out.array::<cl_device_partition_property>(&device.partition_properties())
        }
        CL_DEVICE_PARTITION_AFFINITY_DOMAIN => {
            out.write::<cl_device_affinity_domain>(device.affinity_domains())
        }
        CL_DEVICE_PARTITION_TYPE => out.array::<cl_device_partition_property>(device.partition_type()),
        CL_DEVICE_REFERENCE_COUNT => out.write::<cl_uint>(device.api_refs()),
        _ => return None,
    })
}

/// Returns the partition that a property list describes.
fn partition(properties: &In<cl_device_partition_property>) -> Result<Partition> {
    let kind = properties.get().ok_or(Error::InvalidValue)?;
    let values = properties.skip(1);
    match kind {
        CL_DEVICE_PARTITION_EQUALLY => {
            let list = values.array(2u32).ok_or(Error::InvalidValue)?;
            let units = usize::try_from(list[0]).map_err(|_| Error::InvalidValue)?;
            // The list has further entries after its only property.
            if list[1] != 0 { Err(Error::InvalidValue) } else { Ok(Partition::Equally(units)) }
        }
        CL_DEVICE_PARTITION_BY_COUNTS => {
            let counts = values.until(CL_DEVICE_PARTITION_BY_COUNTS_LIST_END);
            let count = |n: &isize| usize::try_from(*n).map_err(|_| Error::InvalidDevicePartitionCount);
            Ok(Partition::ByCounts(counts.iter().map(count).collect::<Result<_>>()?))
        }
        CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN => {
            let list = values.array(2u32).ok_or(Error::InvalidValue)?;
            let domain = cl_device_affinity_domain::try_from(list[0]).map_err(|_| Error::InvalidValue)?;
            // The list has further entries after its only property.
            if list[1] != 0 { Err(Error::InvalidValue) } else { Ok(Partition::ByAffinityDomain(domain)) }
        }
        _ => Err(Error::InvalidValue),
    }
}

entry! {
    /// s4.3
    fn clCreateSubDevices(
        in_device: Handle<Device>,
        properties: In<cl_device_partition_property>,
        num_devices: cl_uint,
        out_devices: OutArray<cl_device_id>,
        num_devices_ret: Out<cl_uint>,
    ) -> status {
        let device = in_device.get()?;
        let parts = device.partition(&partition(&properties)?)?;
        // `out_devices` is not NULL and too small.
        if !out_devices.is_null() && (num_devices as usize) < parts.len() {
            return Err(Error::InvalidValue);
        }
        if !out_devices.is_null() {
            out_devices.write(parts.iter().map(|part| part.publish()), parts.len());
        }
        num_devices_ret.set(parts.len() as cl_uint);
        Ok(())
    }
}

entry! {
    /// s4.3
    fn clRetainDevice(device: Handle<Device>) -> status {
        device.get()?.retain_device();
        Ok(())
    }
}

entry! {
    /// s4.3
    fn clReleaseDevice(device: Handle<Device>) -> status {
        device.get()?.release_device()
    }
}
