//! Test of the locks that objects of different contexts have in common, counted over the calls of an application.

use std::collections::BTreeSet;
use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};

use grus_core::cl::{
    CL_DEVICE_TYPE_ALL, CL_SUCCESS, cl_device_id, cl_int, cl_platform_id, cl_uint, cl_ulong,
};
use grus_core::support::sync::recorded::locks_in;

use crate::dispatch;

type Object = *mut c_void;

/// Returns the function of this name.
macro_rules! function {
    ($name:ident($($arg:ty),* $(,)?) -> $result:ty) => {{
        let address = dispatch::address(stringify!($name));
        // SAFETY: the function has this type; handles and pointers are passed as pointers.
        unsafe { std::mem::transmute::<*const c_void, extern "C" fn($($arg),*) -> $result>(address) }
    }};
}

fn root_device() -> cl_device_id {
    let (mut platform, mut device): (cl_platform_id, cl_device_id) = (null_mut(), null_mut());
    let platforms = function!(clGetPlatformIDs(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int);
    assert_eq!(platforms(1, &raw mut platform, null_mut()), CL_SUCCESS);
    let devices = function!(
        clGetDeviceIDs(cl_platform_id, cl_ulong, cl_uint, *mut cl_device_id, *mut cl_uint) -> cl_int
    );
    assert_eq!(devices(platform, CL_DEVICE_TYPE_ALL, 1, &raw mut device, null_mut()), CL_SUCCESS);
    device
}

/// Kernel, buffer, program and context. Sets are released once all have been made, so that no address comes again.
struct Set {
    objects: [Object; 4],
}

impl Set {
    /// Creates the objects, and sets the kernel's arguments.
    fn create(device: cl_device_id) -> Self {
        let mut code: cl_int = -1;
        let create_context = function!(
            clCreateContext(
                *const isize,
                cl_uint,
                *const cl_device_id,
                *const c_void,
                Object,
                *mut cl_int,
            ) -> Object
        );
        let context = create_context(null(), 1, &raw const device, null(), null_mut(), &raw mut code);
        assert_eq!(code, CL_SUCCESS);
        let source =
            c"kernel void copy(global int *to, int value) { to[get_global_id(0)] = value; }".as_ptr();
        let create_program = function!(
            clCreateProgramWithSource(
                Object,
                cl_uint,
                *const *const c_char,
                *const usize,
                *mut cl_int,
            ) -> Object
        );
        let program = create_program(context, 1, &raw const source, null(), &raw mut code);
        assert_eq!(code, CL_SUCCESS);
        let build = function!(
            clBuildProgram(
                Object,
                cl_uint,
                *const cl_device_id,
                *const c_char,
                *const c_void,
                Object,
            ) -> cl_int
        );
        assert_eq!(build(program, 0, null(), null(), null(), null_mut()), CL_SUCCESS);
        let create_kernel = function!(clCreateKernel(Object, *const c_char, *mut cl_int) -> Object);
        let kernel = create_kernel(program, c"copy".as_ptr(), &raw mut code);
        assert_eq!(code, CL_SUCCESS);
        let create_buffer = function!(clCreateBuffer(Object, cl_ulong, usize, Object, *mut cl_int) -> Object);
        let buffer = create_buffer(context, 0, 4096, null_mut(), &raw mut code);
        assert_eq!(code, CL_SUCCESS);
        let set = function!(clSetKernelArg(Object, cl_uint, usize, *const c_void) -> cl_int);
        assert_eq!(set(kernel, 0, size_of::<Object>(), (&raw const buffer).cast()), CL_SUCCESS);
        assert_eq!(set(kernel, 1, size_of::<cl_int>(), (&raw const code).cast()), CL_SUCCESS);
        Self { objects: [kernel, buffer, program, context] }
    }

    fn release(self) {
        let release = [
            function!(clReleaseKernel(Object) -> cl_int),
            function!(clReleaseMemObject(Object) -> cl_int),
            function!(clReleaseProgram(Object) -> cl_int),
            function!(clReleaseContext(Object) -> cl_int),
        ];
        for (release, object) in release.into_iter().zip(self.objects) {
            assert_eq!(release(object), CL_SUCCESS);
        }
    }
}

#[test]
fn objects_of_different_contexts_have_no_lock_in_common() {
    const SETS: usize = 16;
    let device = root_device();
    // What is determined once is determined.
    Set::create(device).release();
    let mut sets = Vec::new();
    let created: Vec<BTreeSet<usize>> =
        (0..SETS).map(|_| locks_in(|| sets.push(Set::create(device)))).collect();
    let released: Vec<BTreeSet<usize>> = sets.into_iter().map(|set| locks_in(|| set.release())).collect();
    for locks in [created, released] {
        println!("locks of each set: {:?}", locks.iter().map(BTreeSet::len).collect::<Vec<_>>());
        let shared = locks.iter().skip(1).fold(locks[0].clone(), |shared, locks| &shared & locks);
        assert_eq!(shared, BTreeSet::new());
    }
}
