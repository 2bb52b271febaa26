//! OpenCL client with queues of both kinds, events of all kinds, several threads and a child process. It is a test
//! itself, and the program that the tests of `trace` record.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};

use libloading::Library;

use super::the_library;

pub type Handle = *mut c_void;
type Transfer = unsafe extern "C" fn(
    Handle,
    Handle,
    u32,
    usize,
    usize,
    *mut c_void,
    u32,
    *const Handle,
    *mut Handle,
) -> i32;

/// Number of elements of the buffer.
pub const ITEMS: usize = 4096;
/// Number of launches of `twice` in the in-order queue.
pub const LAUNCHES: usize = 20;

const SOURCE: &CStr = c"kernel void twice(global uint* p) { p[get_global_id(0)] *= 2; }
kernel void plus(global uint* p, uint n) { p[get_global_id(0) + get_global_size(0) * get_global_id(1)] += n; }";

/// Functions of the library.
pub struct Api(Library);

impl Api {
    /// Loads the library into this process.
    pub fn open() -> Api {
        // SAFETY: the library is meant to be loaded into any program.
        Api(unsafe { Library::new(the_library()) }.expect("it can be loaded"))
    }

    /// Returns one of the functions.
    ///
    /// # Safety
    /// `F` is the type of the function.
    pub unsafe fn get<F: Copy>(&self, name: &CStr) -> F {
        type Find = unsafe extern "C" fn(*const c_char) -> *mut c_void;
        // SAFETY: the specification gives this function this type.
        let find = unsafe { self.0.get::<Find>(b"clGetExtensionFunctionAddress\0") }.expect("exported");
        // SAFETY: the name is zero-terminated.
        let found = unsafe { find(name.as_ptr()) };
        assert!(!found.is_null(), "{name:?}");
        // SAFETY: the caller guarantees that `F` is the function's type, by the contract of `get`.
        unsafe { std::mem::transmute_copy(&found) }
    }
}

/// Calls a function that returns an error code.
macro_rules! call {
    ($api:expr, $name:ident($($arg:expr => $type:ty),*)) => {{
        // SAFETY: the specification gives this function this type, and the arguments outlive the call.
        let code = unsafe {
            let name = CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes());
            let function = $api.get::<unsafe extern "C" fn($($type),*) -> i32>(name);
            function($($arg),*)
        };
        assert_eq!(code, 0, stringify!($name));
    }};
}

/// Calls a function that creates an object. Returns the object, or the error code.
macro_rules! create {
    ($api:expr, $name:ident($($arg:expr => $type:ty),*)) => {{
        let mut code = 0;
        // SAFETY: the specification gives this function this type, and the arguments outlive the call.
        let made = unsafe {
            let name = CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes());
            let function = $api.get::<unsafe extern "C" fn($($type,)* *mut i32) -> Handle>(name);
            function($($arg,)* &raw mut code)
        };
        if code == 0 { Ok(made) } else { Err(code) }
    }};
}

impl Api {
    /// Returns the library's device, and a new context on it.
    pub fn context(&self) -> (Handle, Handle) {
        let (mut platform, mut device) = (null_mut(), null_mut());
        call!(self, clGetPlatformIDs(1 => u32, &mut platform => *mut Handle, null_mut() => *mut u32));
        call!(self, clGetDeviceIDs(platform => Handle, 0xFFFF_FFFF => u64, 1 => u32, &mut device => *mut Handle, null_mut() => *mut u32));
        let context = create!(self, clCreateContext(
            null() => *const isize, 1 => u32, &device => *const Handle, null_mut() => Handle, null_mut() => Handle
        ));
        (device, context.expect("a context"))
    }
}

/// Handle that several threads use.
struct Shared(Handle);

// SAFETY: OpenCL objects may be used by any thread.
unsafe impl Sync for Shared {}

/// Objects of the program.
struct Session {
    api: Api,
    context: Handle,
    /// In-order queue and out-of-order queue.
    queues: [Handle; 2],
    twice: Handle,
    plus: Handle,
    buffer: Handle,
}

// SAFETY: OpenCL objects may be used by any thread; kernels are used by one thread at a time.
unsafe impl Sync for Session {}

impl Session {
    fn new() -> Session {
        let api = Api::open();
        let (device, context) = api.context();
        let queue =
            |flags| create!(api, clCreateCommandQueue(context => Handle, device => Handle, flags => u64));
        let queues = [0, 1].map(|flags| queue(flags).expect("a queue"));
        let source = SOURCE.as_ptr();
        let program = create!(api, clCreateProgramWithSource(
            context => Handle, 1 => u32, &source => *const *const c_char, null() => *const usize
        ));
        let program = program.expect("a program");
        call!(api, clBuildProgram(
            program => Handle, 0 => u32, null() => *const Handle, c"-cl-std=CL2.0".as_ptr() => *const c_char,
            null_mut() => Handle, null_mut() => Handle
        ));
        let kernel =
            |name: &CStr| create!(api, clCreateKernel(program => Handle, name.as_ptr() => *const c_char));
        assert_eq!(kernel(c"thrice"), Err(-46));
        let [twice, plus] = [c"twice", c"plus"].map(|name| kernel(name).expect("a kernel"));
        let buffer = create!(api, clCreateBuffer(
            context => Handle, 1 => u64, 4 * ITEMS => usize, null_mut() => Handle
        ));
        let (buffer, number) = (buffer.expect("a buffer"), 3u32);
        let set = |kernel, index, size, value| {
            call!(api, clSetKernelArg(kernel => Handle, index => u32, size => usize, value => *const c_void));
        };
        set(twice, 0, size_of::<Handle>(), (&raw const buffer).cast());
        set(plus, 0, size_of::<Handle>(), (&raw const buffer).cast());
        set(plus, 1, size_of::<u32>(), (&raw const number).cast());
        Session { api, context, queues, twice, plus, buffer }
    }

    fn user_event(&self) -> Handle {
        create!(self.api, clCreateUserEvent(self.context => Handle)).expect("an event")
    }

    fn launch(&self, (queue, kernel): (Handle, Handle), sizes: &[usize], waits: &[Handle]) -> Handle {
        let mut event = null_mut();
        let list = if waits.is_empty() { null() } else { waits.as_ptr() };
        call!(self.api, clEnqueueNDRangeKernel(
            queue => Handle, kernel => Handle, sizes.len() as u32 => u32, null() => *const usize,
            sizes.as_ptr() => *const usize, null() => *const usize,
            waits.len() as u32 => u32, list => *const Handle, &mut event => *mut Handle
        ));
        event
    }

    /// Transfers the items to or from the buffer and waits. Returns the error code.
    fn transfer(&self, name: &CStr, queue: Handle, items: &mut [u32]) -> i32 {
        let size = 4 * items.len();
        // SAFETY: the specification gives these functions this type, and `items` has this size.
        unsafe {
            let transfer = self.api.get::<Transfer>(name);
            transfer(queue, self.buffer, 1, 0, size, items.as_mut_ptr().cast(), 0, null(), null_mut())
        }
    }

    fn complete(&self, event: &Shared) {
        call!(self.api, clSetUserEventStatus(event.0 => Handle, 0 => i32));
    }

    fn finish(&self, queue: Handle) {
        call!(self.api, clFinish(queue => Handle));
    }
}

/// Runs the whole program and checks its results.
fn run() {
    let session = Session::new();
    let [in_order, out_of_order] = session.queues;
    let mut items: Vec<u32> = (0..ITEMS as u32).collect();
    assert_eq!(session.transfer(c"clEnqueueWriteBuffer", in_order, &mut items), 0);
    for _ in 0..LAUNCHES {
        session.launch((in_order, session.twice), &[ITEMS], &[]);
    }
    session.finish(in_order);
    let user = session.user_event();
    let first = session.launch((out_of_order, session.plus), &[ITEMS / 64, 64], &[user]);
    session.launch((out_of_order, session.plus), &[ITEMS / 64, 64], &[first]);
    let thread = std::thread::Builder::new().name("second".into());
    let user = Shared(user);
    let complete = || session.complete(&user);
    std::thread::scope(|scope| {
        thread.spawn_scoped(scope, complete).expect("a thread").join().expect("it ends");
    });
    session.finish(out_of_order);
    // The read exceeds the buffer.
    assert_eq!(session.transfer(c"clEnqueueReadBuffer", in_order, &mut [0; 2 * ITEMS]), -30);
    assert_eq!(session.transfer(c"clEnqueueReadBuffer", in_order, &mut items), 0);
    let expected = |i: usize| (i as u32).wrapping_shl(LAUNCHES as u32).wrapping_add(6);
    assert!(items.iter().enumerate().all(|(i, &item)| item == expected(i)));
    child(&session);
}

/// Forks a child that makes one call, and exits without running the parent's exit handlers.
fn child(session: &Session) {
    // SAFETY: the child uses OpenCL only, and exits.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            session.launch((session.queues[0], session.plus), &[ITEMS], &[]);
            session.finish(session.queues[0]);
            libc::_exit(0);
        }
        let mut status = -1;
        assert!(libc::waitpid(child, &mut status, 0) == child && status == 0, "{status}");
    }
}

/// Variable that selects the client's end.
pub const END: &str = "TRACED_CLIENT_END";

#[test]
fn a_client_computes_what_it_should() {
    run();
    match std::env::var(END).as_deref() {
        Ok("kill") => {
            // SAFETY: the signal ends this process.
            unsafe { libc::raise(libc::SIGKILL) };
        }
        Ok(status) => std::process::exit(status.parse().expect("a number")),
        Err(_) => {}
    }
}
