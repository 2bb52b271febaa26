//! Device-side enqueue (s6.13.17): decodes the calls of kernels and forwards them to the executor ([`EnqueueSink`]).

use std::slice;

use super::guard::guard;
use grus_ir::abi::GroupContext;
use grus_ir::abi::enqueue::Call;

/// Reason for which a command is not enqueued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnqueueError {
    /// Reason that the language has no error code for.
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

impl EnqueueError {
    /// Returns the error code that kernels get. The codes are those of the language (CLK_* in `kernels/prelude.h`), not
    /// of the API, although some are equal; no module above this one uses them.
    fn number(self) -> i64 {
        match self {
            EnqueueError::Failure => -101,
            EnqueueError::OutOfResources => -5,
            EnqueueError::ArgSize => -51,
            EnqueueError::WaitList => -57,
            EnqueueError::NoEvent => -100,
            EnqueueError::Queue => -102,
            EnqueueError::Range => -160,
            EnqueueError::QueueFull => -161,
        }
    }
}

/// Words of an `ndrange_t`: number of dimensions, three offsets, three global sizes, three local sizes.
pub type RangeWords = [u64; 10];

/// Arguments of a call of `enqueue_kernel`.
#[derive(Debug)]
pub struct Request<'r> {
    pub queue: u64,
    /// CLK_ENQUEUE_FLAGS_*.
    pub flags: u64,
    pub range: RangeWords,
    pub waits: &'r [u64],
    pub wants_event: bool,
    /// First word of the block's closure object, which identifies the block.
    pub descriptor: u64,
    pub closure: *const u8,
    /// Sizes in bytes of the arguments in local memory.
    pub local_sizes: &'r [u64],
}

/// Receiver of the commands that a work-group enqueues. Events are numbers; 0 is no event.
pub trait EnqueueSink {
    /// Returns the default queue on the device; 0 if there is none.
    fn default_queue(&self) -> u64;

    /// Enqueues a kernel. Returns its event, or 0 if the request has no use for one.
    ///
    /// # Safety
    /// The closure object has as many bytes as its descriptor says.
    unsafe fn enqueue(&self, request: &Request<'_>) -> Result<u64, EnqueueError>;

    /// Enqueues a marker and returns its event.
    fn marker(&self, queue: u64, waits: &[u64]) -> Result<u64, EnqueueError>;

    /// Checks whether the program was built with `-g`: a failed enqueue then returns its own error code instead of
    /// CLK_ENQUEUE_FAILURE.
    fn is_debugged(&self) -> bool;

    fn retain(&self, event: u64);
    fn release(&self, event: u64);

    /// Creates a user event. Returns 0 if that fails.
    fn user_event(&self) -> u64;

    fn is_event(&self, event: u64) -> bool;

    /// Completes a user event, successfully if `well`.
    fn complete(&self, event: u64, well: bool);

    /// Returns the work-items per sub-group and the sub-groups per work-group of the kernel of a block; `None` if the
    /// range is invalid.
    fn sub_groups(&self, range: &RangeWords, descriptor: u64) -> Option<[u32; 2]>;

    /// Writes the times of a command to the two words at `value`, now or as soon as the command is complete.
    fn profile(&self, event: u64, value: *mut u64);
}

/// Pointee of [`GroupContext::enqueue_sink`].
#[derive(Clone, Copy)]
pub struct Link<'p>(pub &'p dyn EnqueueSink);

/// CLK_PROFILING_COMMAND_EXEC_TIME.
const EXEC_TIME: u64 = 1;

/// Serves a call of one of the functions of device-side enqueue; `words` points at its arguments ([`Call`]).
///
/// # Safety
/// `words` points at all arguments of the call, and pointers among them are valid as the language requires. Every
/// pointer of the kernel is read before a lock is taken, so that a fault here leaves no lock behind and is reported as
/// the kernel's.
pub unsafe extern "C" fn enqueue(context: &GroupContext, call: u64, words: *const u64) -> i64 {
    // SAFETY: the caller passes valid arguments.
    guard("a call of a kernel to its queue", || unsafe { serve(context, call, words) })
}

/// Decodes a call and forwards it to the sink.
///
/// # Safety
/// See [`enqueue`].
unsafe fn serve(context: &GroupContext, call: u64, words: *const u64) -> i64 {
    let Some(call) = Call::from_number(call) else { return EnqueueError::Failure.number() };
    let link = context.enqueue_sink.cast::<Link<'_>>();
    if link.is_null() {
        return EnqueueError::Failure.number();
    }
    // SAFETY: the executor keeps the link alive as long as the context.
    let sink = unsafe { *link }.0;
    // SAFETY: the caller passes valid arguments.
    let word = |index: usize| unsafe { words.add(index).read() };
    match call {
        Call::DefaultQueue => sink.default_queue() as i64,
        Call::Enqueue | Call::EnqueueAfter => {
            // SAFETY: the caller passes valid arguments.
            let (request, event) = unsafe { read_request(call, words) };
            // SAFETY: the caller passes valid arguments.
            unsafe { answer(sink, request.and_then(|request| sink.enqueue(&request)), event) }
        }
        Call::Marker => {
            let event = word(3) as *mut u64;
            // Without an event nothing can wait for the marker.
            if event.is_null() {
                return SUCCESS;
            }
            // SAFETY: the caller passes valid arguments.
            let waits = unsafe { events(word(1), word(2) as *const u64) };
            let waits = waits.filter(|waits| !waits.is_empty()).ok_or(EnqueueError::WaitList);
            // SAFETY: the caller passes valid arguments.
            unsafe { answer(sink, waits.and_then(|waits| sink.marker(word(0), waits)), event) }
        }
        Call::Retain => {
            sink.retain(word(0));
            SUCCESS
        }
        Call::Release => {
            sink.release(word(0));
            SUCCESS
        }
        Call::UserEvent => sink.user_event() as i64,
        Call::IsEvent => sink.is_event(word(0)).into(),
        Call::SetStatus => {
            // Valid values are CL_COMPLETE and negative error codes (s6.13.17.8).
            let status = word(1) as u32 as i32;
            if status <= 0 {
                sink.complete(word(0), status == 0);
            }
            SUCCESS
        }
        Call::SubGroupCount | Call::SubGroupSize => {
            // SAFETY: the caller passes valid arguments.
            let range = unsafe { (word(0) as *const RangeWords).read_unaligned() };
            // SAFETY: the caller passes valid arguments.
            let descriptor = unsafe { (word(1) as *const u64).read_unaligned() };
            let [size, count] = sink.sub_groups(&range, descriptor).unwrap_or_default();
            i64::from(if call == Call::SubGroupSize { size } else { count })
        }
        Call::Profile => {
            let value = word(2) as *mut u64;
            if word(1) == EXEC_TIME {
                // SAFETY: the kernel passes room for two words. A bad address faults here, inside the kernel's call,
                // and not later when the command completes.
                unsafe { value.write_unaligned(0) };
                // SAFETY: the caller passes valid arguments.
                unsafe { value.add(1).write_unaligned(0) };
                sink.profile(word(0), value);
            }
            SUCCESS
        }
    }
}

/// Decodes the arguments of `enqueue_kernel`. Returns the request and the address that receives the event.
///
/// # Safety
/// See [`enqueue`].
unsafe fn read_request<'w>(call: Call, words: *const u64) -> (Result<Request<'w>, EnqueueError>, *mut u64) {
    // SAFETY: the caller passes valid arguments.
    let word = |index: usize| unsafe { words.add(index).read() };
    let event = word(5) as *mut u64;
    // SAFETY: the caller passes valid arguments.
    let waits = unsafe { events(word(3), word(4) as *const u64) };
    let Some(waits) = waits else { return (Err(EnqueueError::WaitList), event) };
    let closure = word(6) as *const u8;
    // SAFETY: the caller passes valid arguments.
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

/// Maximum number of events that a launch tree can have at the same time.
// Arbitrary.
pub const MAX_EVENTS: usize = 1 << 20;

/// Returns the wait list; `None` if exactly one of count and address is 0, or if the list is too long.
///
/// # Safety
/// `address` points at `count` events.
unsafe fn events<'e>(count: u64, address: *const u64) -> Option<&'e [u64]> {
    // The parameter is a `uint`: only the low half of the word is defined.
    let count = count as u32 as usize;
    match (count, address.is_null()) {
        (MAX_EVENTS.., _) => None,
        (0, true) => Some(&[]),
        // SAFETY: the caller passes valid arguments.
        (1.., false) if address.is_aligned() => Some(unsafe { slice::from_raw_parts(address, count) }),
        _ => None,
    }
}

/// Writes the event to `event` unless that is null, and returns the status for the kernel.
///
/// # Safety
/// `event` is null or can be written.
unsafe fn answer(sink: &dyn EnqueueSink, result: Result<u64, EnqueueError>, event: *mut u64) -> i64 {
    match result {
        Ok(created) => {
            if !event.is_null() {
                // SAFETY: the caller passes valid arguments.
                unsafe { event.write_unaligned(created) };
            }
            SUCCESS
        }
        Err(refusal) if sink.is_debugged() => refusal.number(),
        Err(_) => EnqueueError::Failure.number(),
    }
}
