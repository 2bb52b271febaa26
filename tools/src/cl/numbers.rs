//! Constants of OpenCL that this client uses, and the names of error codes.

#![allow(non_upper_case_globals, reason = "names are the specification's")]

pub const CL_DEVICE_TYPE_ALL: u64 = 0xFFFFFFFF;
pub const CL_DEVICE_MAX_COMPUTE_UNITS: u32 = 0x1002;
pub const CL_DEVICE_GLOBAL_MEM_SIZE: u32 = 0x101F;
pub const CL_DEVICE_NAME: u32 = 0x102B;
pub const CL_DEVICE_VERSION: u32 = 0x102F;
pub const CL_DRIVER_VERSION: u32 = 0x102D;

pub const CL_PLATFORM_VERSION: u32 = 0x0901;
pub const CL_PLATFORM_NAME: u32 = 0x0902;
pub const CL_PLATFORM_VENDOR: u32 = 0x0903;

pub const CL_CONTEXT_PLATFORM: isize = 0x1084;
pub const CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE: u64 = 1 << 0;
pub const CL_QUEUE_PROFILING_ENABLE: u64 = 1 << 1;
pub const CL_QUEUE_ON_DEVICE: u64 = 1 << 2;
pub const CL_QUEUE_ON_DEVICE_DEFAULT: u64 = 1 << 3;
pub const CL_QUEUE_PROPERTIES: u64 = 0x1093;
pub const CL_QUEUE_SIZE: u64 = 0x1094;

pub const CL_PROGRAM_BINARY_SIZES: u32 = 0x1165;
pub const CL_PROGRAM_BINARIES: u32 = 0x1166;
pub const CL_PROGRAM_KERNEL_NAMES: u32 = 0x1168;
pub const CL_PROGRAM_BUILD_LOG: u32 = 0x1183;

pub const CL_KERNEL_NUM_ARGS: u32 = 0x1191;
pub const CL_KERNEL_ATTRIBUTES: u32 = 0x1195;
pub const CL_KERNEL_ARG_ADDRESS_QUALIFIER: u32 = 0x1196;
pub const CL_KERNEL_ARG_ACCESS_QUALIFIER: u32 = 0x1197;
pub const CL_KERNEL_ARG_TYPE_NAME: u32 = 0x1198;
pub const CL_KERNEL_ARG_TYPE_QUALIFIER: u32 = 0x1199;
pub const CL_KERNEL_ARG_NAME: u32 = 0x119A;

pub const CL_KERNEL_ARG_ADDRESS_GLOBAL: u32 = 0x119B;
pub const CL_KERNEL_ARG_ADDRESS_LOCAL: u32 = 0x119C;
pub const CL_KERNEL_ARG_ADDRESS_CONSTANT: u32 = 0x119D;

pub const CL_KERNEL_ARG_ACCESS_READ_ONLY: u32 = 0x11A0;
pub const CL_KERNEL_ARG_ACCESS_WRITE_ONLY: u32 = 0x11A1;
pub const CL_KERNEL_ARG_ACCESS_READ_WRITE: u32 = 0x11A2;

pub const CL_KERNEL_ARG_TYPE_CONST: u64 = 1 << 0;
pub const CL_KERNEL_ARG_TYPE_RESTRICT: u64 = 1 << 1;
pub const CL_KERNEL_ARG_TYPE_VOLATILE: u64 = 1 << 2;
pub const CL_KERNEL_ARG_TYPE_PIPE: u64 = 1 << 3;

pub const CL_KERNEL_WORK_GROUP_SIZE: u32 = 0x11B0;
pub const CL_KERNEL_COMPILE_WORK_GROUP_SIZE: u32 = 0x11B1;
pub const CL_KERNEL_LOCAL_MEM_SIZE: u32 = 0x11B2;
pub const CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: u32 = 0x11B3;
pub const CL_KERNEL_PRIVATE_MEM_SIZE: u32 = 0x11B4;

pub const CL_KERNEL_EXEC_INFO_SVM_PTRS: u32 = 0x11B6;

pub const CL_MEM_READ_WRITE: u64 = 1 << 0;
pub const CL_MEM_WRITE_ONLY: u64 = 1 << 1;
pub const CL_MEM_READ_ONLY: u64 = 1 << 2;
pub const CL_BUFFER_CREATE_TYPE_REGION: u32 = 0x1220;

pub const CL_MEM_OBJECT_IMAGE1D: u32 = 0x10F4;
pub const CL_MEM_OBJECT_IMAGE1D_ARRAY: u32 = 0x10F5;
pub const CL_MEM_OBJECT_IMAGE2D: u32 = 0x10F1;
pub const CL_MEM_OBJECT_IMAGE2D_ARRAY: u32 = 0x10F3;
pub const CL_MEM_OBJECT_IMAGE3D: u32 = 0x10F2;

pub const CL_IMAGE_ELEMENT_SIZE: u32 = 0x1111;

pub const CL_R: u32 = 0x10B0;
pub const CL_A: u32 = 0x10B1;
pub const CL_RG: u32 = 0x10B2;
pub const CL_RGBA: u32 = 0x10B5;
pub const CL_BGRA: u32 = 0x10B6;
pub const CL_LUMINANCE: u32 = 0x10B9;
pub const CL_INTENSITY: u32 = 0x10B8;
pub const CL_DEPTH: u32 = 0x10BD;
pub const CL_sRGBA: u32 = 0x10C1;

pub const CL_SNORM_INT8: u32 = 0x10D0;
pub const CL_SNORM_INT16: u32 = 0x10D1;
pub const CL_UNORM_INT8: u32 = 0x10D2;
pub const CL_UNORM_INT16: u32 = 0x10D3;
pub const CL_SIGNED_INT8: u32 = 0x10D7;
pub const CL_SIGNED_INT16: u32 = 0x10D8;
pub const CL_SIGNED_INT32: u32 = 0x10D9;
pub const CL_UNSIGNED_INT8: u32 = 0x10DA;
pub const CL_UNSIGNED_INT16: u32 = 0x10DB;
pub const CL_UNSIGNED_INT32: u32 = 0x10DC;
pub const CL_HALF_FLOAT: u32 = 0x10DD;
pub const CL_FLOAT: u32 = 0x10DE;

pub const CL_ADDRESS_NONE: u32 = 0x1130;
pub const CL_ADDRESS_CLAMP_TO_EDGE: u32 = 0x1131;
pub const CL_ADDRESS_CLAMP: u32 = 0x1132;
pub const CL_ADDRESS_REPEAT: u32 = 0x1133;
pub const CL_ADDRESS_MIRRORED_REPEAT: u32 = 0x1134;
pub const CL_FILTER_NEAREST: u32 = 0x1140;
pub const CL_FILTER_LINEAR: u32 = 0x1141;

pub const CL_EVENT_COMMAND_EXECUTION_STATUS: u32 = 0x11D3;
pub const CL_PROFILING_COMMAND_START: u32 = 0x1282;
pub const CL_PROFILING_COMMAND_END: u32 = 0x1283;

/// Names of error codes.
const ERRORS: &[(i32, &str)] = &[
    (-1, "CL_DEVICE_NOT_FOUND"),
    (-2, "CL_DEVICE_NOT_AVAILABLE"),
    (-3, "CL_COMPILER_NOT_AVAILABLE"),
    (-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"),
    (-5, "CL_OUT_OF_RESOURCES"),
    (-6, "CL_OUT_OF_HOST_MEMORY"),
    (-7, "CL_PROFILING_INFO_NOT_AVAILABLE"),
    (-8, "CL_MEM_COPY_OVERLAP"),
    (-9, "CL_IMAGE_FORMAT_MISMATCH"),
    (-10, "CL_IMAGE_FORMAT_NOT_SUPPORTED"),
    (-11, "CL_BUILD_PROGRAM_FAILURE"),
    (-12, "CL_MAP_FAILURE"),
    (-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET"),
    (-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"),
    (-15, "CL_COMPILE_PROGRAM_FAILURE"),
    (-16, "CL_LINKER_NOT_AVAILABLE"),
    (-17, "CL_LINK_PROGRAM_FAILURE"),
    (-18, "CL_DEVICE_PARTITION_FAILED"),
    (-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"),
    (-30, "CL_INVALID_VALUE"),
    (-31, "CL_INVALID_DEVICE_TYPE"),
    (-32, "CL_INVALID_PLATFORM"),
    (-33, "CL_INVALID_DEVICE"),
    (-34, "CL_INVALID_CONTEXT"),
    (-35, "CL_INVALID_QUEUE_PROPERTIES"),
    (-36, "CL_INVALID_COMMAND_QUEUE"),
    (-37, "CL_INVALID_HOST_PTR"),
    (-38, "CL_INVALID_MEM_OBJECT"),
    (-39, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"),
    (-40, "CL_INVALID_IMAGE_SIZE"),
    (-41, "CL_INVALID_SAMPLER"),
    (-42, "CL_INVALID_BINARY"),
    (-43, "CL_INVALID_BUILD_OPTIONS"),
    (-44, "CL_INVALID_PROGRAM"),
    (-45, "CL_INVALID_PROGRAM_EXECUTABLE"),
    (-46, "CL_INVALID_KERNEL_NAME"),
    (-47, "CL_INVALID_KERNEL_DEFINITION"),
    (-48, "CL_INVALID_KERNEL"),
    (-49, "CL_INVALID_ARG_INDEX"),
    (-50, "CL_INVALID_ARG_VALUE"),
    (-51, "CL_INVALID_ARG_SIZE"),
    (-52, "CL_INVALID_KERNEL_ARGS"),
    (-53, "CL_INVALID_WORK_DIMENSION"),
    (-54, "CL_INVALID_WORK_GROUP_SIZE"),
    (-55, "CL_INVALID_WORK_ITEM_SIZE"),
    (-56, "CL_INVALID_GLOBAL_OFFSET"),
    (-57, "CL_INVALID_EVENT_WAIT_LIST"),
    (-58, "CL_INVALID_EVENT"),
    (-59, "CL_INVALID_OPERATION"),
    (-60, "CL_INVALID_GL_OBJECT"),
    (-61, "CL_INVALID_BUFFER_SIZE"),
    (-62, "CL_INVALID_MIP_LEVEL"),
    (-63, "CL_INVALID_GLOBAL_WORK_SIZE"),
    (-64, "CL_INVALID_PROPERTY"),
    (-65, "CL_INVALID_IMAGE_DESCRIPTOR"),
    (-66, "CL_INVALID_COMPILER_OPTIONS"),
    (-67, "CL_INVALID_LINKER_OPTIONS"),
    (-68, "CL_INVALID_DEVICE_PARTITION_COUNT"),
    (-69, "CL_INVALID_PIPE_SIZE"),
    (-70, "CL_INVALID_DEVICE_QUEUE"),
    (-71, "CL_INVALID_SPEC_ID"),
    (-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED"),
    (-1000, "CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR"),
    (-1001, "CL_PLATFORM_NOT_FOUND_KHR"),
    (-1002, "CL_INVALID_D3D10_DEVICE_KHR"),
    (-1003, "CL_INVALID_D3D10_RESOURCE_KHR"),
    (-1006, "CL_INVALID_D3D11_DEVICE_KHR"),
    (-1007, "CL_INVALID_D3D11_RESOURCE_KHR"),
    (-1010, "CL_INVALID_DX9_MEDIA_ADAPTER_KHR"),
    (-1011, "CL_INVALID_DX9_MEDIA_SURFACE_KHR"),
    (-1057, "CL_DEVICE_PARTITION_FAILED_EXT"),
    (-1058, "CL_INVALID_PARTITION_COUNT_EXT"),
    (-1059, "CL_INVALID_PARTITION_NAME_EXT"),
    (-1093, "CL_INVALID_EGL_OBJECT_KHR"),
    (-1001, "CL_PLATFORM_NOT_FOUND_KHR"),
];

/// Returns the name of an error code, or its number.
pub fn error_name(code: i32) -> String {
    let found = ERRORS.iter().find(|(number, _)| *number == code);
    found.map_or_else(|| format!("error {code}"), |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares constants with those of the same name in `cl_sys`.
    macro_rules! same {
        ($($name:ident)*) => { $( assert_eq!($name as i128, cl_sys::$name as i128, stringify!($name)); )* };
    }

    #[test]
    fn numbers_are_those_of_others() {
        same! {
            CL_DEVICE_TYPE_ALL
            CL_DEVICE_MAX_COMPUTE_UNITS
            CL_DEVICE_GLOBAL_MEM_SIZE
            CL_DEVICE_NAME
            CL_DEVICE_VERSION
            CL_DRIVER_VERSION
            CL_PLATFORM_VERSION
            CL_PLATFORM_NAME
            CL_PLATFORM_VENDOR
            CL_CONTEXT_PLATFORM
            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
            CL_QUEUE_PROFILING_ENABLE
            CL_QUEUE_ON_DEVICE
            CL_QUEUE_ON_DEVICE_DEFAULT
            CL_QUEUE_PROPERTIES
            CL_QUEUE_SIZE
            CL_PROGRAM_BINARY_SIZES
            CL_PROGRAM_BINARIES
            CL_PROGRAM_KERNEL_NAMES
            CL_PROGRAM_BUILD_LOG
            CL_KERNEL_NUM_ARGS
            CL_KERNEL_ATTRIBUTES
            CL_KERNEL_ARG_ADDRESS_QUALIFIER
            CL_KERNEL_ARG_ACCESS_QUALIFIER
            CL_KERNEL_ARG_TYPE_NAME
            CL_KERNEL_ARG_TYPE_QUALIFIER
            CL_KERNEL_ARG_NAME
            CL_KERNEL_ARG_ADDRESS_GLOBAL
            CL_KERNEL_ARG_ADDRESS_LOCAL
            CL_KERNEL_ARG_ADDRESS_CONSTANT
            CL_KERNEL_ARG_ACCESS_READ_ONLY
            CL_KERNEL_ARG_ACCESS_WRITE_ONLY
            CL_KERNEL_ARG_ACCESS_READ_WRITE
            CL_KERNEL_ARG_TYPE_CONST
            CL_KERNEL_ARG_TYPE_RESTRICT
            CL_KERNEL_ARG_TYPE_VOLATILE
            CL_KERNEL_ARG_TYPE_PIPE
            CL_KERNEL_WORK_GROUP_SIZE
            CL_KERNEL_COMPILE_WORK_GROUP_SIZE
            CL_KERNEL_LOCAL_MEM_SIZE
            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE
            CL_KERNEL_PRIVATE_MEM_SIZE
            CL_KERNEL_EXEC_INFO_SVM_PTRS
            CL_MEM_READ_WRITE
            CL_MEM_WRITE_ONLY
            CL_MEM_READ_ONLY
            CL_BUFFER_CREATE_TYPE_REGION
            CL_MEM_OBJECT_IMAGE1D
            CL_MEM_OBJECT_IMAGE1D_ARRAY
            CL_MEM_OBJECT_IMAGE2D
            CL_MEM_OBJECT_IMAGE2D_ARRAY
            CL_MEM_OBJECT_IMAGE3D
            CL_IMAGE_ELEMENT_SIZE
            CL_R
            CL_A
            CL_RG
            CL_RGBA
            CL_BGRA
            CL_LUMINANCE
            CL_INTENSITY
            CL_DEPTH
            CL_sRGBA
            CL_SNORM_INT8
            CL_SNORM_INT16
            CL_UNORM_INT8
            CL_UNORM_INT16
            CL_SIGNED_INT8
            CL_SIGNED_INT16
            CL_SIGNED_INT32
            CL_UNSIGNED_INT8
            CL_UNSIGNED_INT16
            CL_UNSIGNED_INT32
            CL_HALF_FLOAT
            CL_FLOAT
            CL_ADDRESS_NONE
            CL_ADDRESS_CLAMP_TO_EDGE
            CL_ADDRESS_CLAMP
            CL_ADDRESS_REPEAT
            CL_ADDRESS_MIRRORED_REPEAT
            CL_FILTER_NEAREST
            CL_FILTER_LINEAR
            CL_EVENT_COMMAND_EXECUTION_STATUS
            CL_PROFILING_COMMAND_START
            CL_PROFILING_COMMAND_END
        }
    }

    #[test]
    fn errors_have_names() {
        assert_eq!(error_name(cl_sys::CL_OUT_OF_RESOURCES), "CL_OUT_OF_RESOURCES");
        assert_eq!(error_name(cl_sys::CL_INVALID_ARG_SIZE), "CL_INVALID_ARG_SIZE");
        assert_eq!(error_name(-12345), "error -12345");
    }
}
