//! Device-side enqueue (s6.13.17): what kernels ask of whoever runs them.

use std::slice;

use super::guard::guard;
use crate::ir::abi::GroupContext;
use crate::ir::abi::enqueue::Call;

/// CLK_SUCCESS and why something could not be enqueued.
pub mod status {
    pub const SUCCESS: i32 = 0;
    pub const OUT_OF_RESOURCES: i32 = -5;
    pub const INVALID_ARG_SIZE: i32 = -51;
    pub const INVALID_EVENT_WAIT_LIST: i32 = -57;
    pub const EVENT_ALLOCATION_FAILURE: i32 = -100;
    pub const ENQUEUE_FAILURE: i32 = -101;
    pub const INVALID_QUEUE: i32 = -102;
    pub const INVALID_NDRANGE: i32 = -160;
    pub const DEVICE_QUEUE_FULL: i32 = -161;
}

/// Words of an `ndrange_t`: dimensions, offsets, global sizes, local sizes.
pub type RangeWords = [u64; 10];

/// A kernel to be enqueued.
#[derive(Debug)]
pub struct Request<'r> {
    pub queue: u64,
    /// CLK_ENQUEUE_FLAGS_*.
    pub flags: u64,
    pub range: RangeWords,
    pub waits: &'r [u64],
    pub wants_event: bool,
    /// The first word of the block's record.
    pub identity: u64,
    pub record: *const u8,
    /// Bytes of each argument in local memory.
    pub local_sizes: &'r [u64],
}

/// Who takes what a work-group enqueues. Events are numbers, 0 is none. Errors are negative numbers of [`status`].
pub trait Parent {
    /// The default queue on the device, 0 if there is none.
    fn default_queue(&self) -> u64;

    /// Enqueues a kernel. The result is its event, if one is wanted.
    ///
    /// # Safety
    /// The record has as many bytes as the literal of its identity says.
    unsafe fn enqueue(&self, request: &Request<'_>) -> Result<u64, i32>;

    /// Enqueues a marker and returns its event.
    fn marker(&self, queue: u64, waits: &[u64]) -> Result<u64, i32>;

    /// What the kernel is told of an error: the same, or ENQUEUE_FAILURE.
    fn told(&self, error: i32) -> i32;

    fn retain(&self, event: u64);
    fn release(&self, event: u64);

    /// A user event, or 0.
    fn user_event(&self) -> u64;

    fn is_event(&self, event: u64) -> bool;

    /// Completes a user event: with 0, or with an error.
    fn set_status(&self, event: u64, status: i32);

    /// Has the times of a command written to two words, once it is complete.
    fn profile(&self, event: u64, value: *mut u64);
}

/// What [`GroupContext::parent`] points at.
#[derive(Clone, Copy)]
pub struct Link<'p>(pub &'p dyn Parent);

/// CLK_PROFILING_COMMAND_EXEC_TIME.
const EXEC_TIME: u64 = 1;

/// A call of one of the functions; `words` has its arguments ([`Call`]).
///
/// # Safety
/// The words are there, and what they point at is as the language has it. Everything that the kernel could have got wrong
/// is read before anybody's lock is taken: a fault here is the kernel's.
pub unsafe extern "C" fn enqueue(context: &GroupContext, call: u64, words: *const u64) -> i64 {
    // SAFETY: the caller's promise.
    guard("a call of a kernel to its queue", || unsafe { serve(context, call, words) })
}

/// What [`enqueue`] does.
///
/// # Safety
/// As for that.
unsafe fn serve(context: &GroupContext, call: u64, words: *const u64) -> i64 {
    let Some(call) = Call::from_number(call) else { return status::ENQUEUE_FAILURE.into() };
    let link = context.parent.cast::<Link<'_>>();
    if link.is_null() {
        return status::ENQUEUE_FAILURE.into();
    }
    // SAFETY: whoever made the context has seen to it that the link lives as long.
    let parent = unsafe { *link }.0;
    // SAFETY: the caller's promise.
    let word = |index: usize| unsafe { words.add(index).read() };
    let done = status::SUCCESS.into();
    match call {
        Call::DefaultQueue => parent.default_queue() as i64,
        Call::Enqueue | Call::EnqueueAfter => {
            // SAFETY: the caller's promise.
            let (request, event) = unsafe { read_request(call, words) };
            // SAFETY: as above.
            unsafe { answer(parent, request.and_then(|request| parent.enqueue(&request)), event) }
        }
        Call::Marker => {
            let event = word(3) as *mut u64;
            // There is nothing that could wait for it.
            if event.is_null() {
                return done;
            }
            // SAFETY: the caller's promise.
            let waits = unsafe { events(word(1), word(2) as *const u64) };
            let waits = waits.filter(|waits| !waits.is_empty()).ok_or(status::INVALID_EVENT_WAIT_LIST);
            // SAFETY: as above.
            unsafe { answer(parent, waits.and_then(|waits| parent.marker(word(0), waits)), event) }
        }
        Call::Retain => {
            parent.retain(word(0));
            done
        }
        Call::Release => {
            parent.release(word(0));
            done
        }
        Call::UserEvent => parent.user_event() as i64,
        Call::IsEvent => parent.is_event(word(0)).into(),
        Call::SetStatus => {
            parent.set_status(word(0), word(1) as u32 as i32);
            done
        }
        Call::Profile => {
            let value = word(2) as *mut u64;
            if word(1) == EXEC_TIME {
                // SAFETY: the caller's promise; if it does not hold, it is found out here and not when nobody expects it.
                unsafe { value.write_unaligned(0) };
                // SAFETY: as above.
                unsafe { value.add(1).write_unaligned(0) };
                parent.profile(word(0), value);
            }
            done
        }
    }
}

/// The arguments of `enqueue_kernel`, and where its event goes.
///
/// # Safety
/// As for [`enqueue`].
unsafe fn read_request<'w>(call: Call, words: *const u64) -> (Result<Request<'w>, i32>, *mut u64) {
    // SAFETY: the caller's promise.
    let word = |index: usize| unsafe { words.add(index).read() };
    let event = word(5) as *mut u64;
    // SAFETY: as above.
    let waits = unsafe { events(word(3), word(4) as *const u64) };
    let Some(waits) = waits else { return (Err(status::INVALID_EVENT_WAIT_LIST), event) };
    let record = word(6) as *const u8;
    // SAFETY: as above.
    let request = unsafe {
        Request {
            queue: word(0),
            flags: word(1),
            range: (word(2) as *const RangeWords).read_unaligned(),
            waits,
            wants_event: call == Call::EnqueueAfter && !event.is_null(),
            identity: record.cast::<u64>().read_unaligned(),
            record,
            local_sizes: slice::from_raw_parts(words.add(8), word(7) as usize),
        }
    };
    (Ok(request), event)
}

/// Events that a family can have at once.
pub const MOST_EVENTS: usize = 1 << 20;

/// A wait list; none if only one of its number and address is 0, or if it is too long.
///
/// # Safety
/// There are as many events at the address.
unsafe fn events<'e>(count: u64, address: *const u64) -> Option<&'e [u64]> {
    // The kernel says how many as a `uint`.
    let count = count as u32 as usize;
    match (count, address.is_null()) {
        (MOST_EVENTS.., _) => None,
        (0, true) => Some(&[]),
        // SAFETY: the caller's promise.
        (1.., false) if address.is_aligned() => Some(unsafe { slice::from_raw_parts(address, count) }),
        _ => None,
    }
}

/// Writes the event, if there is a place for it, and returns the status.
///
/// # Safety
/// The place can be written.
unsafe fn answer(parent: &dyn Parent, result: Result<u64, i32>, event: *mut u64) -> i64 {
    match result {
        Ok(made) => {
            if !event.is_null() {
                // SAFETY: the caller's promise.
                unsafe { event.write_unaligned(made) };
            }
            status::SUCCESS.into()
        }
        Err(code) => parent.told(code).into(),
    }
}
