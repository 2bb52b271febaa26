//! The C types of the API.

use std::ffi::{c_char, c_void};

use super::numbers::CL_NAME_VERSION_MAX_NAME_SIZE;

pub type cl_char = i8;
pub type cl_uchar = u8;
pub type cl_short = i16;
pub type cl_ushort = u16;
pub type cl_int = i32;
pub type cl_uint = u32;
pub type cl_long = i64;
pub type cl_ulong = u64;
pub type cl_half = u16;
pub type cl_float = f32;
pub type cl_double = f64;

pub type cl_bool = cl_uint;
pub type cl_bitfield = cl_ulong;
pub type cl_properties = cl_ulong;
pub type cl_version = cl_uint;

// Handles. They are opaque to the application; `runtime::object` defines the objects that they point to.
pub type cl_platform_id = *mut c_void;
pub type cl_device_id = *mut c_void;
pub type cl_context = *mut c_void;
pub type cl_command_queue = *mut c_void;
pub type cl_mem = *mut c_void;
pub type cl_program = *mut c_void;
pub type cl_kernel = *mut c_void;
pub type cl_event = *mut c_void;
pub type cl_sampler = *mut c_void;

// Bit fields.
pub type cl_device_type = cl_bitfield;
pub type cl_device_fp_config = cl_bitfield;
pub type cl_device_exec_capabilities = cl_bitfield;
pub type cl_device_svm_capabilities = cl_bitfield;
pub type cl_device_atomic_capabilities = cl_bitfield;
pub type cl_device_fp_atomic_capabilities_ext = cl_bitfield;
pub type cl_device_kernel_clock_capabilities_khr = cl_bitfield;
pub type cl_device_device_enqueue_capabilities = cl_bitfield;
pub type cl_device_affinity_domain = cl_bitfield;
pub type cl_command_queue_properties = cl_bitfield;
pub type cl_mem_flags = cl_bitfield;
pub type cl_svm_mem_flags = cl_bitfield;
pub type cl_mem_migration_flags = cl_bitfield;
pub type cl_map_flags = cl_bitfield;
pub type cl_device_unified_shared_memory_capabilities_intel = cl_bitfield;
pub type cl_mem_alloc_flags_intel = cl_bitfield;
pub type cl_kernel_arg_type_qualifier = cl_bitfield;

// Property lists: pairs of a name and a value, terminated by a zero.
pub type cl_context_properties = isize;
pub type cl_device_partition_property = isize;
pub type cl_pipe_properties = isize;
pub type cl_queue_properties = cl_properties;
pub type cl_sampler_properties = cl_properties;
pub type cl_mem_properties = cl_properties;
pub type cl_mem_device_address_ext = cl_ulong;
pub type cl_mem_properties_intel = cl_properties;

// Enumerations.
pub type cl_platform_info = cl_uint;
pub type cl_device_info = cl_uint;
pub type cl_device_mem_cache_type = cl_uint;
pub type cl_device_local_mem_type = cl_uint;
pub type cl_context_info = cl_uint;
pub type cl_command_queue_info = cl_uint;
pub type cl_channel_order = cl_uint;
pub type cl_channel_type = cl_uint;
pub type cl_mem_object_type = cl_uint;
pub type cl_mem_info = cl_uint;
pub type cl_image_info = cl_uint;
pub type cl_pipe_info = cl_uint;
pub type cl_buffer_create_type = cl_uint;
pub type cl_addressing_mode = cl_uint;
pub type cl_filter_mode = cl_uint;
pub type cl_sampler_info = cl_uint;
pub type cl_program_info = cl_uint;
pub type cl_program_build_info = cl_uint;
pub type cl_program_binary_type = cl_uint;
pub type cl_build_status = cl_int;
pub type cl_kernel_info = cl_uint;
pub type cl_kernel_arg_info = cl_uint;
pub type cl_kernel_arg_address_qualifier = cl_uint;
pub type cl_kernel_arg_access_qualifier = cl_uint;
pub type cl_kernel_work_group_info = cl_uint;
pub type cl_kernel_sub_group_info = cl_uint;
pub type cl_kernel_exec_info = cl_uint;
pub type cl_event_info = cl_uint;
pub type cl_command_type = cl_uint;
pub type cl_profiling_info = cl_uint;
pub type cl_mem_info_intel = cl_uint;
pub type cl_unified_shared_memory_type_intel = cl_uint;
pub type cl_mem_advice_intel = cl_uint;

/// Channel order and channel type of an image (API s5.3.1.1).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct cl_image_format {
    pub image_channel_order: cl_channel_order,
    pub image_channel_data_type: cl_channel_type,
}

/// Type and dimensions of an image (API s5.3.1.2). `mem_object` is the buffer or image that the image is created
/// from.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_image_desc {
    pub image_type: cl_mem_object_type,
    pub image_width: usize,
    pub image_height: usize,
    pub image_depth: usize,
    pub image_array_size: usize,
    pub image_row_pitch: usize,
    pub image_slice_pitch: usize,
    pub num_mip_levels: cl_uint,
    pub num_samples: cl_uint,
    pub mem_object: cl_mem,
}

/// Range of a buffer that a sub-buffer covers, in bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct cl_buffer_region {
    pub origin: usize,
    pub size: usize,
}

/// Name with a version number, as queries of OpenCL 3.0 return it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_name_version {
    pub version: cl_version,
    pub name: [c_char; CL_NAME_VERSION_MAX_NAME_SIZE as usize],
}

// Callbacks. The pointers that they receive may be null; `icd` wraps them into `Send` values.
pub type ContextNotify = unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void);
pub type ContextDestructor = unsafe extern "C" fn(cl_context, *mut c_void);
pub type ProgramNotify = unsafe extern "C" fn(cl_program, *mut c_void);
pub type MemDestructor = unsafe extern "C" fn(cl_mem, *mut c_void);
pub type EventNotify = unsafe extern "C" fn(cl_event, cl_int, *mut c_void);
pub type NativeKernel = unsafe extern "C" fn(*mut c_void);
pub type SvmFree = unsafe extern "C" fn(cl_command_queue, cl_uint, *mut *mut c_void, *mut c_void);
