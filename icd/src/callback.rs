//! Functions of the application as Rust values that can be sent to another thread. They are called in the floating-point
//! mode of the host.

use std::ffi::{CString, c_void};

use grus_core::cl::{
    ContextNotify, EventNotify, MemDestructor, NativeKernel, ProgramNotify, SvmFree, cl_int, cl_uint,
};
use grus_core::runtime::context::{Destructor, Notify};
use grus_core::runtime::error::Result;
use grus_core::runtime::event::EventCallback;
use grus_core::runtime::launch::NativeFunction;
use grus_core::runtime::svm::FreeFunction;
use grus_core::support::float_mode::as_host;

use crate::arg::{Memory, reserve};

/// The pointer the application wants to see again.
#[derive(Clone, Copy)]
struct UserData(*mut c_void);

// SAFETY: the pointer is never followed here; the application has agreed to get it back on any thread.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl UserData {
    fn get(self) -> *mut c_void {
        self.0
    }
}

/// clSetMemObjectDestructorCallback and clSetContextDestructorCallback, whose functions have the same type.
pub fn destructor(function: MemDestructor, user_data: Memory) -> Destructor {
    let user_data = UserData(user_data.user_data());
    // SAFETY: the application gave this function to be called with a handle and its data.
    Box::new(move |handle| as_host(|| unsafe { function(handle, user_data.get()) }))
}

/// clSetEventCallback.
pub fn event(function: EventNotify, user_data: Memory) -> EventCallback {
    let user_data = UserData(user_data.user_data());
    // SAFETY: the application gave this function to be called with a handle, a status and its data.
    Box::new(move |handle, status: cl_int| as_host(|| unsafe { function(handle, status, user_data.get()) }))
}

/// The error callback of a context.
pub fn context(function: ContextNotify, user_data: Memory) -> Notify {
    let user_data = UserData(user_data.user_data());
    Box::new(move |message| {
        let text = CString::new(message.replace('\0', " ")).unwrap_or_default();
        // SAFETY: the application gave this function to be called with a text, a blob (there is none) and its data.
        as_host(|| unsafe { function(text.as_ptr(), std::ptr::null(), 0, user_data.get()) })
    })
}

/// Calls the function that clBuildProgram and its kin take, if there is one.
pub fn program_built(function: Option<ProgramNotify>, program: *mut c_void, user_data: Memory) {
    if let Some(function) = function {
        // SAFETY: the application gave this function to be called with the program and its data.
        as_host(|| unsafe { function(program, user_data.user_data()) })
    }
}

/// The function that frees what clEnqueueSVMFree names.
pub fn svm_free(function: SvmFree, user_data: Memory) -> FreeFunction {
    let user_data = UserData(user_data.user_data());
    Box::new(move |queue, pointers| {
        let mut list: Vec<*mut c_void> = pointers.iter().map(|pointer| pointer.as_ptr()).collect();
        // SAFETY: the application gave this function to be called with a queue, a list with its length and its data.
        as_host(|| unsafe { function(queue, list.len() as cl_uint, list.as_mut_ptr(), user_data.get()) })
    })
}

/// A native kernel, called with a block that holds a copy of its arguments.
pub fn native_kernel(function: NativeKernel, has_args: bool) -> NativeFunction {
    Box::new(move |args| {
        let block = if has_args { args.as_mut_ptr().cast() } else { std::ptr::null_mut() };
        // SAFETY: the application gave this function to be called with a copy of the block it passed.
        as_host(|| unsafe { function(block) })
    })
}

/// A copy of a native kernel's arguments, aligned for anything they may hold. The application says how large they are.
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
