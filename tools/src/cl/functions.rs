//! Functions of a vendor, taken from the dispatch table to which every handle points (cl_khr_icd). The order of the
//! table's entries never changes, so vendors can be used without a loader, and several at once.

#![allow(
    non_snake_case,
    reason = "functions have the names of the C API, so that a reader can search for them"
)]

use std::ffi::{c_char, c_void};

/// Handle of an OpenCL object.
pub type Handle = *mut c_void;

/// `cl_image_format`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageFormat {
    pub order: u32,
    pub data_type: u32,
}

/// `cl_image_desc`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImageDesc {
    pub image_type: u32,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub array_size: usize,
    pub row_pitch: usize,
    pub slice_pitch: usize,
    pub num_mip_levels: u32,
    pub num_samples: u32,
    pub buffer: Handle,
}

/// `cl_buffer_region`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct BufferRegion {
    pub origin: usize,
    pub size: usize,
}

macro_rules! functions {
    ($(#[$about:meta])* $table:ident: $($slot:literal $name:ident($($arg:ident: $type:ty),*) -> $ret:ty;)*) => {
        $(#[$about])*
        pub struct $table {
            $(pub $name: unsafe extern "C" fn($($type),*) -> $ret,)*
        }

        impl $table {
            /// Returns the functions of a platform.
            ///
            /// # Errors
            /// Returns the name of a function that the vendor does not have.
            ///
            /// # Safety
            /// `platform` was returned by the vendor's clIcdGetPlatformIDsKHR, and supports the version of OpenCL
            /// that introduced these functions.
            pub unsafe fn of(platform: Handle) -> Result<$table, String> {
                // SAFETY: by cl_khr_icd a platform begins with the address of the vendor's table.
                let table = unsafe { *platform.cast::<*const *mut c_void>() };
                Ok($table {
                    $($name: {
                        // SAFETY: tables of that version have this slot.
                        let address = unsafe { *table.add($slot) };
                        if address.is_null() {
                            return Err(concat!("it has no ", stringify!($name)).into());
                        }
                        // SAFETY: the function in this slot has this type, by the specification.
                        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> $ret>(address) }
                    },)*
                })
            }
        }
    };
}

/// Callback of a context for error messages.
pub type ContextNotify = unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void);
/// Callback at the end of a build.
pub type ProgramNotify = unsafe extern "C" fn(Handle, *mut c_void);

functions! {
    /// Functions of version 1.2 that this client uses. No vendor has a shorter table.
    Functions:
    1 clGetPlatformInfo(platform: Handle, param_name: u32, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> i32;
    2 clGetDeviceIDs(platform: Handle, device_type: u64, num_entries: u32, devices: *mut Handle, num_devices: *mut u32) -> i32;
    3 clGetDeviceInfo(device: Handle, param_name: u32, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> i32;
    4 clCreateContext(properties: *const isize, num_devices: u32, devices: *const Handle, pfn_notify: Option<ContextNotify>, user_data: *mut c_void, errcode_ret: *mut i32) -> Handle;
    7 clReleaseContext(context: Handle) -> i32;
    9 clCreateCommandQueue(context: Handle, device: Handle, properties: u64, errcode_ret: *mut i32) -> Handle;
    11 clReleaseCommandQueue(command_queue: Handle) -> i32;
    14 clCreateBuffer(context: Handle, flags: u64, size: usize, host_ptr: *mut c_void, errcode_ret: *mut i32) -> Handle;
    18 clReleaseMemObject(memobj: Handle) -> i32;
    21 clGetImageInfo(image: Handle, param_name: u32, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> i32;
    22 clCreateSampler(context: Handle, normalized_coords: u32, addressing_mode: u32, filter_mode: u32, errcode_ret: *mut i32) -> Handle;
    24 clReleaseSampler(sampler: Handle) -> i32;
    26 clCreateProgramWithSource(context: Handle, count: u32, strings: *mut *const c_char, lengths: *const usize, errcode_ret: *mut i32) -> Handle;
    27 clCreateProgramWithBinary(context: Handle, num_devices: u32, device_list: *const Handle, lengths: *const usize, binaries: *mut *const u8, binary_status: *mut i32, errcode_ret: *mut i32) -> Handle;
    29 clReleaseProgram(program: Handle) -> i32;
    30 clBuildProgram(program: Handle, num_devices: u32, device_list: *const Handle, options: *const c_char, pfn_notify: Option<ProgramNotify>, user_data: *mut c_void) -> i32;
    32 clGetProgramInfo(program: Handle, param_name: u32, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> i32;
    33 clGetProgramBuildInfo(program: Handle, device: Handle, param_name: u32, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> i32;
    34 clCreateKernel(program: Handle, kernel_name: *const c_char, errcode_ret: *mut i32) -> Handle;
    37 clReleaseKernel(kernel: Handle) -> i32;
    38 clSetKernelArg(kernel: Handle, arg_index: u32, arg_size: usize, arg_value: *const c_void) -> i32;
    39 clGetKernelInfo(kernel: Handle, param_name: u32, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> i32;
    40 clGetKernelWorkGroupInfo(kernel: Handle, device: Handle, param_name: u32, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> i32;
    41 clWaitForEvents(num_events: u32, event_list: *const Handle) -> i32;
    42 clGetEventInfo(event: Handle, param_name: u32, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> i32;
    44 clReleaseEvent(event: Handle) -> i32;
    45 clGetEventProfilingInfo(event: Handle, param_name: u32, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> i32;
    48 clEnqueueReadBuffer(command_queue: Handle, buffer: Handle, blocking_read: u32, offset: usize, size: usize, ptr: *mut c_void, num_events_in_wait_list: u32, event_wait_list: *const Handle, event: *mut Handle) -> i32;
    49 clEnqueueWriteBuffer(command_queue: Handle, buffer: Handle, blocking_write: u32, offset: usize, size: usize, ptr: *const c_void, num_events_in_wait_list: u32, event_wait_list: *const Handle, event: *mut Handle) -> i32;
    51 clEnqueueReadImage(command_queue: Handle, image: Handle, blocking_read: u32, origin: *const usize, region: *const usize, row_pitch: usize, slice_pitch: usize, ptr: *mut c_void, num_events_in_wait_list: u32, event_wait_list: *const Handle, event: *mut Handle) -> i32;
    52 clEnqueueWriteImage(command_queue: Handle, image: Handle, blocking_write: u32, origin: *const usize, region: *const usize, input_row_pitch: usize, input_slice_pitch: usize, ptr: *const c_void, num_events_in_wait_list: u32, event_wait_list: *const Handle, event: *mut Handle) -> i32;
    59 clEnqueueNDRangeKernel(command_queue: Handle, kernel: Handle, work_dim: u32, global_work_offset: *const usize, global_work_size: *const usize, local_work_size: *const usize, num_events_in_wait_list: u32, event_wait_list: *const Handle, event: *mut Handle) -> i32;
    82 clCreateSubBuffer(buffer: Handle, flags: u64, buffer_create_type: u32, buffer_create_info: *const c_void, errcode_ret: *mut i32) -> Handle;
    96 clCreateImage(context: Handle, flags: u64, image_format: *const ImageFormat, image_desc: *const ImageDesc, host_ptr: *mut c_void, errcode_ret: *mut i32) -> Handle;
    98 clCompileProgram(program: Handle, num_devices: u32, device_list: *const Handle, options: *const c_char, num_input_headers: u32, input_headers: *const Handle, header_include_names: *mut *const c_char, pfn_notify: Option<ProgramNotify>, user_data: *mut c_void) -> i32;
    99 clLinkProgram(context: Handle, num_devices: u32, device_list: *const Handle, options: *const c_char, num_input_programs: u32, input_programs: *const Handle, pfn_notify: Option<ProgramNotify>, user_data: *mut c_void, errcode_ret: *mut i32) -> Handle;
    101 clGetKernelArgInfo(kernel: Handle, arg_index: u32, param_name: u32, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> i32;
    107 clGetExtensionFunctionAddressForPlatform(platform: Handle, func_name: *const c_char) -> *mut c_void;
}

functions! {
    /// Functions of version 2.0 that this client uses.
    Functions20:
    123 clCreateCommandQueueWithProperties(context: Handle, device: Handle, properties: *const u64, errcode_ret: *mut i32) -> Handle;
    124 clCreatePipe(context: Handle, flags: u64, pipe_packet_size: u32, pipe_max_packets: u32, properties: *const isize, errcode_ret: *mut i32) -> Handle;
    126 clSVMAlloc(context: Handle, flags: u64, size: usize, alignment: u32) -> *mut c_void;
    127 clSVMFree(context: Handle, svm_pointer: *mut c_void) -> ();
    129 clEnqueueSVMMemcpy(command_queue: Handle, blocking_copy: u32, dst_ptr: *mut c_void, src_ptr: *const c_void, size: usize, num_events_in_wait_list: u32, event_wait_list: *const Handle, event: *mut Handle) -> i32;
    134 clSetKernelArgSVMPointer(kernel: Handle, arg_index: u32, arg_value: *const c_void) -> i32;
    135 clSetKernelExecInfo(kernel: Handle, param_name: u32, param_value_size: usize, param_value: *const c_void) -> i32;
    136 clGetKernelSubGroupInfoKHR(kernel: Handle, device: Handle, param_name: u32, input_value_size: usize, input_value: *const c_void, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> i32;
}

/// Type of clCreateProgramWithIL and clCreateProgramWithILKHR.
pub type CreateProgramWithIl = unsafe extern "C" fn(Handle, *const c_void, usize, *mut i32) -> Handle;
/// Type of clSetProgramSpecializationConstant.
pub type SetConstant = unsafe extern "C" fn(Handle, u32, usize, *const c_void) -> i32;

functions! {
    /// Functions of version 2.1 that this client uses.
    Functions21:
    138 clCreateProgramWithIL(context: Handle, il: *const c_void, length: usize, errcode_ret: *mut i32) -> Handle;
}

functions! {
    /// Functions of version 2.2 that this client uses.
    Functions22:
    145 clSetProgramSpecializationConstant(program: Handle, spec_id: u32, spec_size: usize, spec_value: *const c_void) -> i32;
}
