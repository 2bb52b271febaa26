//! Device-side enqueue (s6.13.17): what kernels ask of the executor.

use std::slice;

use super::guard::guard;
use crate::ir::abi::GroupContext;
use crate::ir::abi::enqueue::Call;

/// Why something is not enqueued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// For no reason that the language has a name for.
    Failure,
    OutOfResources,
    ArgSize,
    WaitList,
    NoEvent,
    Queue,
    Range,
    QueueFull,
}

/// CLK_SUCCESS.
const SUCCESS: i64 = 0;

impl Refusal {
    /// What kernels know it by. These numbers are the language's (CLK_* in `kernels/prelude.h`), not codes of the API, even if
    /// some of them are equal; nobody above this file knows them.
    fn number(self) -> i64 {
        match self {
            Refusal::Failure => -101,
            Refusal::OutOfResources => -5,
            Refusal::ArgSize => -51,
            Refusal::WaitList => -57,
            Refusal::NoEvent => -100,
            Refusal::Queue => -102,
            Refusal::Range => -160,
            Refusal::QueueFull => -161,
        }
    }
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
    /// The first word of the block's closure object.
    pub descriptor: u64,
    pub closure: *const u8,
    /// Bytes of each argument in local memory.
    pub local_sizes: &'r [u64],
}

/// What takes the commands that a work-group enqueues. Events are numbers, 0 is none.
pub trait EnqueueSink {
    /// The default queue on the device, 0 if there is none.
    fn default_queue(&self) -> u64;

    /// Enqueues a kernel. The result is its event, if one is wanted.
    ///
    /// # Safety
    /// The closure object has as many bytes as its descriptor says.
    unsafe fn enqueue(&self, request: &Request<'_>) -> Result<u64, Refusal>;

    /// Enqueues a marker and returns its event.
    fn marker(&self, queue: u64, waits: &[u64]) -> Result<u64, Refusal>;

    /// Whether kernels get to know why something is not enqueued, or only that it is not.
    fn is_debugged(&self) -> bool;

    fn retain(&self, event: u64);
    fn release(&self, event: u64);

    /// A user event, or 0.
    fn user_event(&self) -> u64;

    fn is_event(&self, event: u64) -> bool;

    /// Completes a user event, well or not.
    fn complete(&self, event: u64, well: bool);

    /// Work-items of a sub-group of the kernel that is the body of a block, and sub-groups of a group; none for a range that
    /// nothing can be enqueued over.
    fn sub_groups(&self, range: &RangeWords, descriptor: u64) -> Option<[u32; 2]>;

    /// Has the times of a command written to two words, once it is complete.
    fn profile(&self, event: u64, value: *mut u64);
}

/// What [`GroupContext::parent`] points at.
#[derive(Clone, Copy)]
pub struct Link<'p>(pub &'p dyn EnqueueSink);

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
    let Some(call) = Call::from_number(call) else { return Refusal::Failure.number() };
    let link = context.parent.cast::<Link<'_>>();
    if link.is_null() {
        return Refusal::Failure.number();
    }
    // SAFETY: the executor has seen to it that the link lives as long as the context.
    let sink = unsafe { *link }.0;
    // SAFETY: the caller's promise.
    let word = |index: usize| unsafe { words.add(index).read() };
    let done = SUCCESS;
    match call {
        Call::DefaultQueue => sink.default_queue() as i64,
        Call::Enqueue | Call::EnqueueAfter => {
            // SAFETY: the caller's promise.
            let (request, event) = unsafe { read_request(call, words) };
            // SAFETY: as above.
            unsafe { answer(sink, request.and_then(|request| sink.enqueue(&request)), event) }
        }
        Call::Marker => {
            let event = word(3) as *mut u64;
            // There is nothing that could wait for it.
            if event.is_null() {
                return done;
            }
            // SAFETY: the caller's promise.
            let waits = unsafe { events(word(1), word(2) as *const u64) };
            let waits = waits.filter(|waits| !waits.is_empty()).ok_or(Refusal::WaitList);
            // SAFETY: as above.
            unsafe { answer(sink, waits.and_then(|waits| sink.marker(word(0), waits)), event) }
        }
        Call::Retain => {
            sink.retain(word(0));
            done
        }
        Call::Release => {
            sink.release(word(0));
            done
        }
        Call::UserEvent => sink.user_event() as i64,
        Call::IsEvent => sink.is_event(word(0)).into(),
        Call::SetStatus => {
            // CL_COMPLETE or an error (s6.13.17.8); a number above is neither.
            let status = word(1) as u32 as i32;
            if status <= 0 {
                sink.complete(word(0), status == 0);
            }
            done
        }
        Call::SubGroupCount | Call::SubGroupSize => {
            // SAFETY: the caller's promise.
            let range = unsafe { (word(0) as *const RangeWords).read_unaligned() };
            // SAFETY: as above.
            let descriptor = unsafe { (word(1) as *const u64).read_unaligned() };
            let [size, count] = sink.sub_groups(&range, descriptor).unwrap_or_default();
            i64::from(if call == Call::SubGroupSize { size } else { count })
        }
        Call::Profile => {
            let value = word(2) as *mut u64;
            if word(1) == EXEC_TIME {
                // SAFETY: the caller's promise; if it does not hold, it is found out here and not when nobody expects it.
                unsafe { value.write_unaligned(0) };
                // SAFETY: as above.
                unsafe { value.add(1).write_unaligned(0) };
                sink.profile(word(0), value);
            }
            done
        }
    }
}

/// The arguments of `enqueue_kernel`, and where its event goes.
///
/// # Safety
/// As for [`enqueue`].
unsafe fn read_request<'w>(call: Call, words: *const u64) -> (Result<Request<'w>, Refusal>, *mut u64) {
    // SAFETY: the caller's promise.
    let word = |index: usize| unsafe { words.add(index).read() };
    let event = word(5) as *mut u64;
    // SAFETY: as above.
    let waits = unsafe { events(word(3), word(4) as *const u64) };
    let Some(waits) = waits else { return (Err(Refusal::WaitList), event) };
    let closure = word(6) as *const u8;
    // SAFETY: as above.
    let request = unsafe {
        Request {
            queue: word(0),
            flags: word(1),
            range: (word(2) as *const RangeWords).read_unaligned(),
            waits,
            wants_event: call == Call::EnqueueAfter && !event.is_null(),
            descriptor: closure.cast::<u64>().read_unaligned(),
            closure,
            local_sizes: slice::from_raw_parts(words.add(8), word(7) as usize),
        }
    };
    (Ok(request), event)
}

/// Events that a launch tree can have at once.
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
unsafe fn answer(sink: &dyn EnqueueSink, result: Result<u64, Refusal>, event: *mut u64) -> i64 {
    match result {
        Ok(made) => {
            if !event.is_null() {
                // SAFETY: the caller's promise.
                unsafe { event.write_unaligned(made) };
            }
            SUCCESS
        }
        Err(refusal) if sink.is_debugged() => refusal.number(),
        Err(_) => Refusal::Failure.number(),
    }
}
