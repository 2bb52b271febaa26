//! Boundary to C: results become error codes, panics are stopped, objects become handles.

use std::ffi::c_void;
use std::sync::Arc;

use grus_core::cl::{CL_SUCCESS, cl_int};
use grus_core::runtime::error::{Error, Result};
use grus_core::runtime::memory::HostPtr;
use grus_core::runtime::object::{Object, ObjectBody};
use grus_core::runtime::{self, fork};
use grus_core::support::float_mode::StandardMode;
use grus_core::support::{bug, memory};

use crate::arg::Out;

/// Defines an entry point in one of five forms:
///
/// - `-> status { .. }`: the body returns a `Result<()>`, the function its code;
/// - `-> create Kind { .. }`: the body creates an object. The function has the additional parameter `errcode_ret`
///   and returns the handle, or null;
/// - `-> info |out| { .. }`: the body answers a query through `out`. The function has the three additional
///   parameters of all queries;
/// - `-> enqueue |queue, object = parameter; events| { .. }`: the body enqueues a command and returns its event.
///   The function begins with the queue and ends with the three parameters of wait list and event. Queue, objects
///   and wait list are checked in this order before the body runs;
/// - `-> plain Type { .. }`: the function returns the body's value, or the type's `NOTHING` after a panic.
macro_rules! entry {
    ($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) -> status $body:block) => {
        $(#[$doc])*
        pub extern "C" fn $name($($arg: $type),*) -> grus_core::cl::cl_int {
            $crate::boundary::status(stringify!($name), || $body)
        }
        $crate::traced::traced!($name($($arg: $type),*) -> grus_core::cl::cl_int);
    };
    ($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) -> create $kind:ty $body:block) => {
        $(#[$doc])*
        pub extern "C" fn $name(
            $($arg: $type,)*
            errcode_ret: $crate::arg::Out<grus_core::cl::cl_int>,
        ) -> *mut std::ffi::c_void {
            $crate::boundary::create::<$kind>(stringify!($name), errcode_ret, || $body)
        }
        $crate::traced::traced!(create $name($($arg: $type),*));
    };
    ($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) -> info |$out:ident| $body:block) => {
        $(#[$doc])*
        pub extern "C" fn $name(
            $($arg: $type,)*
            param_value_size: usize,
            param_value: $crate::arg::Memory,
            param_value_size_ret: $crate::arg::Out<usize>,
        ) -> grus_core::cl::cl_int {
            let $out = $crate::info::Info::new(param_value_size, param_value, param_value_size_ret);
            $crate::boundary::status(stringify!($name), || $body)
        }
        $crate::traced::traced!($name(
            $($arg: $type,)*
            param_value_size: usize,
            param_value: $crate::arg::Memory,
            param_value_size_ret: $crate::arg::Out<usize>
        ) -> grus_core::cl::cl_int);
    };
    ($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?)
        -> enqueue |$queue:ident $(, $object:ident = $from:ident)*; $events:ident| $body:block
    ) => {
        $(#[$doc])*
        pub extern "C" fn $name(
            command_queue: $crate::arg::Handle<grus_core::runtime::queue::Queue>,
            $($arg: $type,)*
            num_events_in_wait_list: grus_core::cl::cl_uint,
            event_wait_list: $crate::arg::Handles<grus_core::runtime::event::Event>,
            event: $crate::arg::Out<grus_core::cl::cl_event>,
        ) -> grus_core::cl::cl_int {
            $crate::boundary::status(stringify!($name), || {
                let $queue = command_queue.host()?;
                $(let $object = $from.get()?;)*
                let $events =
                    $crate::wait::events(&$queue, num_events_in_wait_list, &event_wait_list, &event)?;
                event.publish_any($body?.as_ref());
                Ok(())
            })
        }
        $crate::traced::traced!($name(
            command_queue: $crate::arg::Handle<grus_core::runtime::queue::Queue>,
            $($arg: $type,)*
            num_events_in_wait_list: grus_core::cl::cl_uint,
            event_wait_list: $crate::arg::Handles<grus_core::runtime::event::Event>,
            event: $crate::arg::Out<grus_core::cl::cl_event>
        ) -> grus_core::cl::cl_int);
    };
    ($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) -> plain $ret:ty $body:block) => {
        $(#[$doc])*
        pub extern "C" fn $name($($arg: $type),*) -> $ret {
            $crate::boundary::plain(stringify!($name), || $body).unwrap_or($crate::boundary::nothing())
        }
        $crate::traced::traced!($name($($arg: $type),*) -> $ret);
    };
}
pub(crate) use entry;

/// Returns the error code of a result.
fn code(result: &Result<()>) -> cl_int {
    match result {
        Ok(()) => CL_SUCCESS,
        Err(error) => error.code(),
    }
}

/// Runs a body as every entry point does: inside `fork::enter`, in the standard floating-point mode, and with panics
/// stopped. Returns `None` if it panicked, which is an internal error that must not end the application.
pub fn plain<T>(name: &str, body: impl FnOnce() -> T) -> Option<T> {
    let _inside = fork::enter(runtime::first_call);
    let _mode = StandardMode::enter();
    bug::contained(name, body).ok()
}

/// Returns the value of a plain entry point after a panic.
pub fn nothing<T: Nothing>() -> T {
    T::NOTHING
}

/// Types with a value that means failure.
pub trait Nothing {
    /// Value that means failure.
    const NOTHING: Self;
}

impl Nothing for () {
    const NOTHING: Self = ();
}
impl Nothing for *const c_void {
    const NOTHING: Self = std::ptr::null();
}
impl Nothing for *mut c_void {
    const NOTHING: Self = std::ptr::null_mut();
}

/// Prefixes of the entry points that are allowed while memory is low: they free, wait, query, or continue something,
/// and need no memory, or so little that the reserve has it.
const ALLOWED_IF_LOW: [&str; 10] = [
    "clRelease",
    "clMemFree",
    "clMemBlockingFree",
    "clRetain",
    "clGet",
    "clFinish",
    "clFlush",
    "clWaitForEvents",
    "clSetUserEventStatus",
    "clEnqueueUnmapMemObject",
];

/// Checks that there is enough memory for the call. Nothing has been done if it fails.
#[inline]
fn check_memory(name: &str) -> Result<()> {
    // Memory is rarely low, so it is checked before the name.
    if memory::is_low() && !ALLOWED_IF_LOW.iter().any(|prefix| name.starts_with(prefix)) {
        return Err(Error::OutOfHostMemory);
    }
    Ok(())
}

/// Runs the body of an entry point of the form `status`.
#[inline]
pub fn status(name: &str, body: impl FnOnce() -> Result<()>) -> cl_int {
    let checked = || check_memory(name).and_then(|()| body());
    code(&plain(name, checked).unwrap_or(Err(Error::OutOfHostMemory)))
}

/// Runs the body of an entry point of the form `create`.
pub fn create<K: Create>(
    name: &str,
    errcode_ret: Out<cl_int>,
    body: impl FnOnce() -> Result<K::Created>,
) -> *mut c_void {
    let mut handle = std::ptr::null_mut();
    let result = plain(name, || {
        check_memory(name)?;
        let outcome;
        (handle, outcome) = K::hand_out(body()?);
        outcome
    });
    errcode_ret.set(code(&result.unwrap_or(Err(Error::OutOfHostMemory))));
    handle
}

/// Kinds of values that an entry point of the form `create` returns.
pub trait Create {
    /// Type that the body returns.
    type Created;
    /// Returns the pointer for the application and the result for its error code.
    fn hand_out(created: Self::Created) -> (*mut c_void, Result<()>);
}

impl<T: ObjectBody> Create for T {
    type Created = Arc<Object<T>>;
    fn hand_out(created: Self::Created) -> (*mut c_void, Result<()>) {
        (created.publish(), Ok(()))
    }
}

/// Pointer to memory instead of an object: the result of a map or an allocation.
pub struct Pointer;

impl Create for Pointer {
    type Created = HostPtr;
    fn hand_out(created: Self::Created) -> (*mut c_void, Result<()>) {
        (created.as_ptr(), Ok(()))
    }
}
