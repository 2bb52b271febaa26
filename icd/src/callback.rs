//! Functions of the application as Rust values that can be sent to another thread. They are called in the host's
//! floating-point mode.

use std::ffi::{CString, c_void};

use grus_core::cl::{
    ContextNotify, EventNotify, MemDestructor, NativeKernel, ProgramNotify, SvmFree, cl_int, cl_uint,
};
use grus_core::runtime::context::{Destructor, Notify};
use grus_core::runtime::error::Result;
use grus_core::runtime::event::EventCallback;
use grus_core::runtime::launch::NativeFunction;
use grus_core::runtime::svm::FreeFunction;
use grus_core::support::float_mode::with_host_mode;

use crate::arg::{Memory, reserve};

/// Pointer that is passed back to the application.
#[derive(Clone, Copy)]
struct UserData(*mut c_void);

// SAFETY: the pointer is never dereferenced here, and the API allows callbacks to receive it on any thread.
unsafe impl Send for UserData {}
// SAFETY: shared access can only copy the pointer, which is never dereferenced here.
unsafe impl Sync for UserData {}

impl UserData {
    fn get(self) -> *mut c_void {
        self.0
    }
}

/// Returns the callback of clSetMemObjectDestructorCallback or clSetContextDestructorCallback, whose functions have
/// the same type.
pub fn destructor(function: MemDestructor, user_data: Memory) -> Destructor {
    let user_data = UserData(user_data.user_data());
    // SAFETY: the application registered the function to be called with a handle and this user data.
    Box::new(move |handle| with_host_mode(|| unsafe { function(handle, user_data.get()) }))
}

/// Returns the callback of clSetEventCallback.
pub fn event(function: EventNotify, user_data: Memory) -> EventCallback {
    let user_data = UserData(user_data.user_data());
    Box::new(move |handle, status: cl_int| {
        with_host_mode(|| {
            // SAFETY: the application registered the function to be called with a handle, a status and this user data.
            unsafe { function(handle, status, user_data.get()) }
        })
    })
}

/// Returns the error callback of a context.
pub fn context(function: ContextNotify, user_data: Memory) -> Notify {
    let user_data = UserData(user_data.user_data());
    Box::new(move |message| {
        let text = CString::new(message.replace('\0', " ")).unwrap_or_default();
        // SAFETY: the application registered the function to be called with a text, private data (none here) and
        // this user data.
        with_host_mode(|| unsafe { function(text.as_ptr(), std::ptr::null(), 0, user_data.get()) })
    })
}

/// Calls the callback of clBuildProgram, clCompileProgram or clLinkProgram, if there is one.
pub fn program_built(function: Option<ProgramNotify>, program: *mut c_void, user_data: Memory) {
    if let Some(function) = function {
        // SAFETY: the application passed the function to be called with the program and this user data.
        with_host_mode(|| unsafe { function(program, user_data.user_data()) })
    }
}

/// Returns the function that frees the pointers of clEnqueueSVMFree.
pub fn svm_free(function: SvmFree, user_data: Memory) -> FreeFunction {
    let user_data = UserData(user_data.user_data());
    Box::new(move |queue, pointers| {
        let mut list: Vec<*mut c_void> = pointers.iter().map(|pointer| pointer.as_ptr()).collect();
        // SAFETY: the application passed the function to be called with a queue, a list with its length and this
        // user data.
        with_host_mode(|| unsafe {
            function(queue, list.len() as cl_uint, list.as_mut_ptr(), user_data.get())
        })
    })
}

/// Returns a native kernel, which is called with a block that holds a copy of its arguments.
pub fn native_kernel(function: NativeKernel, has_args: bool) -> NativeFunction {
    Box::new(move |args| {
        let block = if has_args { args.as_mut_ptr().cast() } else { std::ptr::null_mut() };
        // SAFETY: the application passed the function to be called with a copy of its block of arguments.
        with_host_mode(|| unsafe { function(block) })
    })
}

/// Copies a native kernel's arguments into a block with the largest alignment they may need. The application
/// determines their size.
pub fn block(bytes: &[u8]) -> Result<Vec<u128>> {
    let mut block = Vec::new();
    reserve(&mut block, bytes.len().div_ceil(size_of::<u128>()))?;
    block.extend(bytes.chunks(size_of::<u128>()).map(|chunk| {
        let mut word = [0; size_of::<u128>()];
        word[..chunk.len()].copy_from_slice(chunk);
        u128::from_ne_bytes(word)
    }));
    Ok(block)
}
