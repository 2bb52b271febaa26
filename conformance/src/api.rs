//! The API as a client sees it: the addresses of all functions up to 2.0, and of later ones that are tested. They
//! come from an ICD loader or, without one, from the two functions that a vendor library exports.

#![allow(
    non_snake_case,
    reason = "functions have the names of the C API, so that a reader can search for them"
)]
#![allow(clippy::too_many_arguments, reason = "as many as the C functions have")]
#![allow(
    clippy::not_unsafe_ptr_arg_deref,
    reason = "the implementation under test has to cope with any pointer that these tests pass as a handle"
)]

use std::ffi::{CString, c_char, c_void};
use std::path::Path;

use cl_sys::{
    cl_bool, cl_command_queue, cl_context, cl_device_id, cl_event, cl_image_desc, cl_image_format, cl_int,
    cl_kernel, cl_mem, cl_platform_id, cl_program, cl_sampler, cl_uint, cl_ulong,
};
use libloading::Library;

use crate::float_mode;

/// Type of the vendor library's function that returns the platforms.
type IcdGetPlatformIds = unsafe extern "C" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;
/// Type of the vendor library's function that returns the address of a function.
type GetAddress = unsafe extern "C" fn(*const c_char) -> *mut c_void;

macro_rules! api {
    ($functions:ident of $api:ty: $($name:ident($($arg:ident: $type:ty),*) $(-> $ret:ty)?;)*) => {
        /// Addresses of all functions.
        struct $functions {
            $($name: unsafe extern "C" fn($($type),*) $(-> $ret)?,)*
        }

        impl $functions {
            /// Looks up all functions by name.
            fn find(address: impl Fn(&str) -> Option<*mut c_void>) -> Result<Self, String> {
                Ok(Self {
                    $($name: {
                        let found = address(stringify!($name)).filter(|a| !a.is_null());
                        let found = found.ok_or(concat!("no function ", stringify!($name)))?;
                        // SAFETY: the specification gives the function of this name this type.
                        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) $(-> $ret)?>(found) }
                    },)*
                })
            }
        }

        /// Calls of the functions as methods. A test may pass invalid pointers on purpose, to check that the
        /// implementation rejects them.
        impl $api {
            $(
                pub fn $name(&self, $($arg: $type),*) $(-> $ret)? {
                    // SAFETY: the test passes valid arguments, or arguments that the implementation must reject.
                    float_mode::call(|| unsafe { (self.functions.$name)($($arg),*) })
                }
            )*
        }
    };
}

api! {
    Functions of Api:
    clGetPlatformIDs(num_entries: cl_uint, platforms: *mut cl_platform_id, num_platforms: *mut cl_uint) -> cl_int;
    clGetPlatformInfo(platform: cl_platform_id, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int;
    clGetDeviceIDs(platform: cl_platform_id, device_type: cl_ulong, num_entries: cl_uint, devices: *mut cl_device_id, num_devices: *mut cl_uint) -> cl_int;
    clGetDeviceInfo(device: cl_device_id, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int;
    clCreateContext(properties: *const isize, num_devices: cl_uint, devices: *const cl_device_id, pfn_notify: Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>, user_data: *mut c_void, errcode_ret: *mut cl_int) -> cl_context;
    clCreateContextFromType(properties: *const isize, device_type: cl_ulong, pfn_notify: Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>, user_data: *mut c_void, errcode_ret: *mut cl_int) -> cl_context;
    clRetainContext(context: cl_context) -> cl_int;
    clReleaseContext(context: cl_context) -> cl_int;
    clGetContextInfo(context: cl_context, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int;
    clRetainCommandQueue(command_queue: cl_command_queue) -> cl_int;
    clReleaseCommandQueue(command_queue: cl_command_queue) -> cl_int;
    clGetCommandQueueInfo(command_queue: cl_command_queue, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int;
    clCreateBuffer(context: cl_context, flags: cl_ulong, size: usize, host_ptr: *mut c_void, errcode_ret: *mut cl_int) -> cl_mem;
    clRetainMemObject(memobj: cl_mem) -> cl_int;
    clReleaseMemObject(memobj: cl_mem) -> cl_int;
    clGetSupportedImageFormats(context: cl_context, flags: cl_ulong, image_type: cl_uint, num_entries: cl_uint, image_formats: *mut cl_image_format, num_image_formats: *mut cl_uint) -> cl_int;
    clGetMemObjectInfo(memobj: cl_mem, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int;
    clGetImageInfo(image: cl_mem, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int;
    clRetainSampler(sampler: cl_sampler) -> cl_int;
    clReleaseSampler(sampler: cl_sampler) -> cl_int;
    clGetSamplerInfo(sampler: cl_sampler, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int;
    clCreateProgramWithSource(context: cl_context, count: cl_uint, strings: *mut *const c_char, lengths: *const usize, errcode_ret: *mut cl_int) -> cl_program;
    clCreateProgramWithBinary(context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id, lengths: *const usize, binaries: *mut *const u8, binary_status: *mut cl_int, errcode_ret: *mut cl_int) -> cl_program;
    clRetainProgram(program: cl_program) -> cl_int;
    clReleaseProgram(program: cl_program) -> cl_int;
    clBuildProgram(program: cl_program, num_devices: cl_uint, device_list: *const cl_device_id, options: *const c_char, pfn_notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>, user_data: *mut c_void) -> cl_int;
    clGetProgramInfo(program: cl_program, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int;
    clGetProgramBuildInfo(program: cl_program, device: cl_device_id, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int;
    clCreateKernel(program: cl_program, kernel_name: *const c_char, errcode_ret: *mut cl_int) -> cl_kernel;
    clCreateKernelsInProgram(program: cl_program, num_kernels: cl_uint, kernels: *mut cl_kernel, num_kernels_ret: *mut cl_uint) -> cl_int;
    clRetainKernel(kernel: cl_kernel) -> cl_int;
    clReleaseKernel(kernel: cl_kernel) -> cl_int;
    clSetKernelArg(kernel: cl_kernel, arg_index: cl_uint, arg_size: usize, arg_value: *const c_void) -> cl_int;
    clGetKernelInfo(kernel: cl_kernel, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int;
    clGetKernelWorkGroupInfo(kernel: cl_kernel, device: cl_device_id, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int;
    clWaitForEvents(num_events: cl_uint, event_list: *const cl_event) -> cl_int;
    clGetEventInfo(event: cl_event, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int;
    clRetainEvent(event: cl_event) -> cl_int;
    clReleaseEvent(event: cl_event) -> cl_int;
    clGetEventProfilingInfo(event: cl_event, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int;
    clFlush(command_queue: cl_command_queue) -> cl_int;
    clFinish(command_queue: cl_command_queue) -> cl_int;
    clEnqueueReadBuffer(command_queue: cl_command_queue, buffer: cl_mem, blocking_read: cl_bool, offset: usize, size: usize, ptr: *mut c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueWriteBuffer(command_queue: cl_command_queue, buffer: cl_mem, blocking_write: cl_bool, offset: usize, size: usize, ptr: *const c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueCopyBuffer(command_queue: cl_command_queue, src_buffer: cl_mem, dst_buffer: cl_mem, src_offset: usize, dst_offset: usize, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueReadImage(command_queue: cl_command_queue, image: cl_mem, blocking_read: cl_bool, origin: *const usize, region: *const usize, row_pitch: usize, slice_pitch: usize, ptr: *mut c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueWriteImage(command_queue: cl_command_queue, image: cl_mem, blocking_write: cl_bool, origin: *const usize, region: *const usize, input_row_pitch: usize, input_slice_pitch: usize, ptr: *const c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueCopyImage(command_queue: cl_command_queue, src_image: cl_mem, dst_image: cl_mem, src_origin: *const usize, dst_origin: *const usize, region: *const usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueCopyImageToBuffer(command_queue: cl_command_queue, src_image: cl_mem, dst_buffer: cl_mem, src_origin: *const usize, region: *const usize, dst_offset: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueCopyBufferToImage(command_queue: cl_command_queue, src_buffer: cl_mem, dst_image: cl_mem, src_offset: usize, dst_origin: *const usize, region: *const usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueMapBuffer(command_queue: cl_command_queue, buffer: cl_mem, blocking_map: cl_bool, map_flags: cl_ulong, offset: usize, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event, errcode_ret: *mut cl_int) -> *mut c_void;
    clEnqueueMapImage(command_queue: cl_command_queue, image: cl_mem, blocking_map: cl_bool, map_flags: cl_ulong, origin: *const usize, region: *const usize, image_row_pitch: *mut usize, image_slice_pitch: *mut usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event, errcode_ret: *mut cl_int) -> *mut c_void;
    clEnqueueUnmapMemObject(command_queue: cl_command_queue, memobj: cl_mem, mapped_ptr: *mut c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueNDRangeKernel(command_queue: cl_command_queue, kernel: cl_kernel, work_dim: cl_uint, global_work_offset: *const usize, global_work_size: *const usize, local_work_size: *const usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueNativeKernel(command_queue: cl_command_queue, user_func: Option<unsafe extern "C" fn(*mut c_void)>, args: *mut c_void, cb_args: usize, num_mem_objects: cl_uint, mem_list: *const cl_mem, args_mem_loc: *mut *const c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clSetCommandQueueProperty(command_queue: cl_command_queue, properties: cl_ulong, enable: cl_bool, old_properties: *mut cl_ulong) -> cl_int;
    clCreateImage2D(context: cl_context, flags: cl_ulong, image_format: *const cl_image_format, image_width: usize, image_height: usize, image_row_pitch: usize, host_ptr: *mut c_void, errcode_ret: *mut cl_int) -> cl_mem;
    clCreateImage3D(context: cl_context, flags: cl_ulong, image_format: *const cl_image_format, image_width: usize, image_height: usize, image_depth: usize, image_row_pitch: usize, image_slice_pitch: usize, host_ptr: *mut c_void, errcode_ret: *mut cl_int) -> cl_mem;
    clEnqueueMarker(command_queue: cl_command_queue, event: *mut cl_event) -> cl_int;
    clEnqueueWaitForEvents(command_queue: cl_command_queue, num_events: cl_uint, event_list: *const cl_event) -> cl_int;
    clEnqueueBarrier(command_queue: cl_command_queue) -> cl_int;
    clUnloadCompiler() -> cl_int;
    clGetExtensionFunctionAddress(func_name: *const c_char) -> *mut c_void;
    clCreateCommandQueue(context: cl_context, device: cl_device_id, properties: cl_ulong, errcode_ret: *mut cl_int) -> cl_command_queue;
    clCreateSampler(context: cl_context, normalized_coords: cl_bool, addressing_mode: cl_uint, filter_mode: cl_uint, errcode_ret: *mut cl_int) -> cl_sampler;
    clEnqueueTask(command_queue: cl_command_queue, kernel: cl_kernel, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clCreateSubBuffer(buffer: cl_mem, flags: cl_ulong, buffer_create_type: cl_uint, buffer_create_info: *const c_void, errcode_ret: *mut cl_int) -> cl_mem;
    clSetMemObjectDestructorCallback(memobj: cl_mem, pfn_notify: Option<unsafe extern "C" fn(cl_mem, *mut c_void)>, user_data: *mut c_void) -> cl_int;
    clCreateUserEvent(context: cl_context, errcode_ret: *mut cl_int) -> cl_event;
    clSetUserEventStatus(event: cl_event, execution_status: cl_int) -> cl_int;
    clSetEventCallback(event: cl_event, command_exec_callback_type: cl_int, pfn_notify: Option<unsafe extern "C" fn(cl_event, cl_int, *mut c_void)>, user_data: *mut c_void) -> cl_int;
    clEnqueueReadBufferRect(command_queue: cl_command_queue, buffer: cl_mem, blocking_read: cl_bool, buffer_origin: *const usize, host_origin: *const usize, region: *const usize, buffer_row_pitch: usize, buffer_slice_pitch: usize, host_row_pitch: usize, host_slice_pitch: usize, ptr: *mut c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueWriteBufferRect(command_queue: cl_command_queue, buffer: cl_mem, blocking_write: cl_bool, buffer_origin: *const usize, host_origin: *const usize, region: *const usize, buffer_row_pitch: usize, buffer_slice_pitch: usize, host_row_pitch: usize, host_slice_pitch: usize, ptr: *const c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueCopyBufferRect(command_queue: cl_command_queue, src_buffer: cl_mem, dst_buffer: cl_mem, src_origin: *const usize, dst_origin: *const usize, region: *const usize, src_row_pitch: usize, src_slice_pitch: usize, dst_row_pitch: usize, dst_slice_pitch: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clCreateSubDevices(in_device: cl_device_id, properties: *const isize, num_devices: cl_uint, out_devices: *mut cl_device_id, num_devices_ret: *mut cl_uint) -> cl_int;
    clRetainDevice(device: cl_device_id) -> cl_int;
    clReleaseDevice(device: cl_device_id) -> cl_int;
    clCreateImage(context: cl_context, flags: cl_ulong, image_format: *const cl_image_format, image_desc: *const cl_image_desc, host_ptr: *mut c_void, errcode_ret: *mut cl_int) -> cl_mem;
    clCreateProgramWithBuiltInKernels(context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id, kernel_names: *const c_char, errcode_ret: *mut cl_int) -> cl_program;
    clCompileProgram(program: cl_program, num_devices: cl_uint, device_list: *const cl_device_id, options: *const c_char, num_input_headers: cl_uint, input_headers: *const cl_program, header_include_names: *mut *const c_char, pfn_notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>, user_data: *mut c_void) -> cl_int;
    clLinkProgram(context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id, options: *const c_char, num_input_programs: cl_uint, input_programs: *const cl_program, pfn_notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>, user_data: *mut c_void, errcode_ret: *mut cl_int) -> cl_program;
    clUnloadPlatformCompiler(platform: cl_platform_id) -> cl_int;
    clGetKernelArgInfo(kernel: cl_kernel, arg_index: cl_uint, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int;
    clEnqueueFillBuffer(command_queue: cl_command_queue, buffer: cl_mem, pattern: *const c_void, pattern_size: usize, offset: usize, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueFillImage(command_queue: cl_command_queue, image: cl_mem, fill_color: *const c_void, origin: *const usize, region: *const usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueMigrateMemObjects(command_queue: cl_command_queue, num_mem_objects: cl_uint, mem_objects: *const cl_mem, flags: cl_ulong, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueMarkerWithWaitList(command_queue: cl_command_queue, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueBarrierWithWaitList(command_queue: cl_command_queue, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clGetExtensionFunctionAddressForPlatform(platform: cl_platform_id, func_name: *const c_char) -> *mut c_void;
    clCreateCommandQueueWithProperties(context: cl_context, device: cl_device_id, properties: *const cl_ulong, errcode_ret: *mut cl_int) -> cl_command_queue;
    clCreatePipe(context: cl_context, flags: cl_ulong, pipe_packet_size: cl_uint, pipe_max_packets: cl_uint, properties: *const isize, errcode_ret: *mut cl_int) -> cl_mem;
    clGetPipeInfo(pipe: cl_mem, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int;
    clSVMAlloc(context: cl_context, flags: cl_ulong, size: usize, alignment: cl_uint) -> *mut c_void;
    clSVMFree(context: cl_context, svm_pointer: *mut c_void);
    clCreateSamplerWithProperties(context: cl_context, sampler_properties: *const cl_ulong, errcode_ret: *mut cl_int) -> cl_sampler;
    clSetKernelArgSVMPointer(kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void) -> cl_int;
    clSetKernelExecInfo(kernel: cl_kernel, param_name: cl_uint, param_value_size: usize, param_value: *const c_void) -> cl_int;
    clEnqueueSVMFree(command_queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *mut c_void, pfn_free_func: Option<unsafe extern "C" fn(cl_command_queue, cl_uint, *mut *mut c_void, *mut c_void)>, user_data: *mut c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueSVMMemcpy(command_queue: cl_command_queue, blocking_copy: cl_bool, dst_ptr: *mut c_void, src_ptr: *const c_void, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueSVMMemFill(command_queue: cl_command_queue, svm_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueSVMMap(command_queue: cl_command_queue, blocking_map: cl_bool, flags: cl_ulong, svm_ptr: *mut c_void, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueSVMUnmap(command_queue: cl_command_queue, svm_ptr: *mut c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueSVMMigrateMem(command_queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *mut *const c_void, sizes: *const usize, flags: cl_ulong, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clCloneKernel(source_kernel: cl_kernel, errcode_ret: *mut cl_int) -> cl_kernel;
    clGetDeviceAndHostTimer(device: cl_device_id, device_timestamp: *mut cl_ulong, host_timestamp: *mut cl_ulong) -> cl_int;
    clGetHostTimer(device: cl_device_id, host_timestamp: *mut cl_ulong) -> cl_int;
    clGetKernelSubGroupInfo(kernel: cl_kernel, device: cl_device_id, param_name: cl_uint, input_value_size: usize, input_value: *const c_void, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int;
    clSetDefaultDeviceCommandQueue(context: cl_context, device: cl_device_id, command_queue: cl_command_queue) -> cl_int;
    clSetProgramReleaseCallback(program: cl_program, pfn_notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>, user_data: *mut c_void) -> cl_int;
    clCreateBufferWithProperties(context: cl_context, properties: *const cl_ulong, flags: cl_ulong, size: usize, host_ptr: *mut c_void, errcode_ret: *mut cl_int) -> cl_mem;
    clCreateImageWithProperties(context: cl_context, properties: *const cl_ulong, flags: cl_ulong, image_format: *const cl_image_format, image_desc: *const cl_image_desc, host_ptr: *mut c_void, errcode_ret: *mut cl_int) -> cl_mem;
    clCreateProgramWithIL(context: cl_context, il: *const c_void, length: usize, errcode_ret: *mut cl_int) -> cl_program;
    clSetProgramSpecializationConstant(program: cl_program, spec_id: cl_uint, spec_size: usize, spec_value: *const c_void) -> cl_int;
    clSetContextDestructorCallback(context: cl_context, pfn_notify: Option<unsafe extern "C" fn(cl_context, *mut c_void)>, user_data: *mut c_void) -> cl_int;
}

api! {
    UsmFunctions of Usm:
    clHostMemAllocINTEL(context: cl_context, properties: *const cl_ulong, size: usize, alignment: cl_uint, errcode_ret: *mut cl_int) -> *mut c_void;
    clDeviceMemAllocINTEL(context: cl_context, device: cl_device_id, properties: *const cl_ulong, size: usize, alignment: cl_uint, errcode_ret: *mut cl_int) -> *mut c_void;
    clSharedMemAllocINTEL(context: cl_context, device: cl_device_id, properties: *const cl_ulong, size: usize, alignment: cl_uint, errcode_ret: *mut cl_int) -> *mut c_void;
    clMemFreeINTEL(context: cl_context, ptr: *mut c_void) -> cl_int;
    clMemBlockingFreeINTEL(context: cl_context, ptr: *mut c_void) -> cl_int;
    clGetMemAllocInfoINTEL(context: cl_context, ptr: *const c_void, param_name: cl_uint, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int;
    clSetKernelArgMemPointerINTEL(kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void) -> cl_int;
    clEnqueueMemFillINTEL(command_queue: cl_command_queue, dst_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueMemsetINTEL(command_queue: cl_command_queue, dst_ptr: *mut c_void, value: cl_int, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueMemcpyINTEL(command_queue: cl_command_queue, blocking: cl_bool, dst_ptr: *mut c_void, src_ptr: *const c_void, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueMigrateMemINTEL(command_queue: cl_command_queue, ptr: *const c_void, size: usize, flags: cl_ulong, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
    clEnqueueMemAdviseINTEL(command_queue: cl_command_queue, ptr: *const c_void, size: usize, advice: cl_uint, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int;
}

/// Functions of cl_intel_unified_shared_memory. A loader does not know them, so their handles are checked.
pub struct Usm {
    functions: UsmFunctions,
}

impl Usm {
    /// Looks up the functions of a platform.
    pub fn find(api: &Api, platform: cl_platform_id) -> Result<Self, String> {
        let address = |name: &str| {
            let name = CString::new(name).ok()?;
            Some(api.clGetExtensionFunctionAddressForPlatform(platform, name.as_ptr()))
        };
        Ok(Self { functions: UsmFunctions::find(address)? })
    }
}

/// Library that offers OpenCL.
pub struct Api {
    functions: Functions,
    /// Exported functions of a vendor library; `None` for a loader.
    vendor: Option<(IcdGetPlatformIds, GetAddress)>,
    _library: Library,
}

impl Api {
    /// Opens a library. `vendor` is true for a vendor library and false for a loader.
    pub fn open(path: &Path, vendor: bool) -> Result<Self, String> {
        // SAFETY: the initializers of an OpenCL library may run in any program.
        let library = unsafe { Library::new(path) };
        let library = library.map_err(|e| format!("{}: {e}", path.display()))?;
        let symbol = |name: &str| {
            // SAFETY: only the address is used. Callers give it the right type.
            unsafe { library.get::<*mut c_void>(name.as_bytes()).ok()?.try_as_raw_ptr() }
        };
        if !vendor {
            let functions = Functions::find(symbol)?;
            return Ok(Self { functions, vendor: None, _library: library });
        }
        let platforms = symbol("clIcdGetPlatformIDsKHR").ok_or("no clIcdGetPlatformIDsKHR")?;
        let address = symbol("clGetExtensionFunctionAddress").ok_or("no clGetExtensionFunctionAddress")?;
        // SAFETY: cl_khr_icd gives this function this type.
        let platforms: IcdGetPlatformIds = unsafe { std::mem::transmute(platforms) };
        // SAFETY: the specification gives this function this type.
        let address: GetAddress = unsafe { std::mem::transmute(address) };
        let functions = Functions::find(|name| {
            let name = CString::new(name).ok()?;
            // SAFETY: `name` ends with a NUL.
            Some(unsafe { address(name.as_ptr()) })
        })?;
        Ok(Self { functions, vendor: Some((platforms, address)), _library: library })
    }

    /// Returns all platforms.
    pub fn platforms(&self) -> Vec<cl_platform_id> {
        let ask = |room: cl_uint, list: *mut cl_platform_id, count: *mut cl_uint| match self.vendor {
            // SAFETY: `list` has `room` entries or is null, `count` is null or valid.
            Some((platforms, _)) => float_mode::call(|| unsafe { platforms(room, list, count) }),
            None => self.clGetPlatformIDs(room, list, count),
        };
        let mut count = 0;
        ask(0, std::ptr::null_mut(), &mut count);
        let mut list = vec![std::ptr::null_mut(); count as usize];
        ask(count, list.as_mut_ptr(), std::ptr::null_mut());
        list
    }

    /// Checks whether the library is a vendor library, opened without a loader.
    pub fn is_vendor(&self) -> bool {
        self.vendor.is_some()
    }
}
