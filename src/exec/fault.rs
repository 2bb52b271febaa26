//! Containment of faults in kernels: an invalid address, a trap, a stack overflow or a panic in a runtime helper ends
//! the launch, not the process.
//!
//! Kernels run inside [`contain`]. The handler of SIGSEGV, SIGBUS, SIGILL and SIGFPE checks whether the interrupted
//! thread is inside. If so, it records where the kernel stopped and resumes the thread after the call that entered the
//! kernel, as if that call had returned. Other signals are passed to the previously installed handler. A helper that
//! has panicked leaves the kernel in the same way, without a signal ([`leave`]).
//!
//! The abandoned frames need no cleanup: they belong to machine code of kernels, and to helpers of `rtlib` at points
//! where these access memory through a kernel's pointers and hold no lock. The handler itself allocates nothing and
//! takes no lock.

use std::cell::{Cell, OnceCell, UnsafeCell};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};

use super::signal::{self, ThreadContext};
use grus_codegen::jit::CompiledKernel;
use grus_codegen::rtlib::guard;
use grus_ir::abi::{GroupContext, interchanged, item};
use grus_support::fork::{self, Global};
use grus_support::signals::UnblockFaults;
use grus_support::sync::Mutex;

/// Fault of a kernel, as reported to the application.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    pub message: String,
    /// Source position, as an index into `ir::LineTable` of the kernel's module; 0 if unknown.
    pub loc: u32,
    /// Global id of the work-item that faulted, if known; else the first of the work-items of its vector.
    pub item: Option<[u64; 3]>,
    /// Global id of the last work-item of the vector, one of whose work-items has faulted; `None` if `item` is exact.
    pub last: Option<Box<[u64; 3]>>,
    /// Id of the work-group; `None` if groups were merged.
    pub group: Option<[u64; 3]>,
    /// Name of the kernel, if it was enqueued by another kernel.
    pub kernel: Option<Arc<str>>,
}

impl Fault {
    pub(super) fn new(message: &str) -> Fault {
        Fault { message: message.into(), ..Fault::default() }
    }

    /// Maps iterations of a grid-stride loop, which were run as work-items, to the work-items of the original range of
    /// `items`.
    pub(super) fn at_work_item(mut self, items: u64) -> Fault {
        let Some([first, ..]) = &mut self.item else { return self };
        let iteration = *first / items;
        *first %= items;
        if let Some([last, ..]) = self.last.as_deref_mut() {
            // A vector that spans two iterations may include any work-item.
            if *last / items == iteration {
                *last %= items;
            } else {
                (*first, *last) = (0, items - 1);
            }
        }
        self
    }

    /// Creates the fault that a panic of the executor reports.
    pub(super) fn bug() -> Fault {
        Fault::new("internal error in the executor")
    }
}

/// First fault of a launch.
pub(super) type FirstFault = Mutex<Option<Fault>>;

/// Reason for which a kernel was left.
#[derive(Clone, Copy)]
enum Cause {
    Signal {
        number: c_int,
        /// Accessed address, if the signal has one.
        address: usize,
        /// True for a write, false for a read, `None` if the CPU does not report it.
        write: Option<bool>,
        near_stack: bool,
    },
    /// Panic in the helper of this name.
    Bug(&'static str),
}

/// Record of a fault, made before the kernel's stack is abandoned.
#[derive(Clone, Copy)]
struct Stop {
    cause: Cause,
    /// Offset of the faulting instruction in the kernel's code.
    at: Option<u32>,
    /// Local ids of the first and the last work-item that ran there.
    local_ids: Option<[[u64; 3]; 2]>,
}

/// State of one call of [`contain`].
struct Containment {
    /// Stack pointer to resume with, written by `grus_enter`.
    resume: UnsafeCell<usize>,
    kernel: *const CompiledKernel,
    context: *const GroupContext,
    stop: Cell<Option<Stop>>,
}

/// Entry of the handler's list of threads. Entries are never freed: that of a thread that has ended is reused.
struct ThreadSlot {
    /// Result of pthread_self in the owner; 0 if there is no owner.
    thread: AtomicUsize,
    /// Fork generation of the process in which the owner last ran a kernel: a forked child inherits entries of threads
    /// that do not exist in it.
    forks: AtomicU32,
    /// Innermost call of [`contain`] on this thread.
    containment: AtomicPtr<Containment>,
    next: *const ThreadSlot,
}

/// Head of the list of all entries.
static SLOTS: AtomicPtr<ThreadSlot> = AtomicPtr::new(ptr::null_mut());

fn slots() -> impl Iterator<Item = &'static ThreadSlot> {
    let mut next = SLOTS.load(Ordering::Acquire).cast_const();
    std::iter::from_fn(move || {
        // SAFETY: entries are leaked, and initialized before they are linked.
        let slot = unsafe { next.as_ref() }?;
        next = slot.next;
        Some(slot)
    })
}

fn this_thread() -> usize {
    // SAFETY: pthread_self is async-signal-safe.
    let id = unsafe { libc::pthread_self() };
    id as usize
}

/// Ownership of a slot by a thread, with the stack on which its signals are handled.
struct SlotClaim {
    slot: &'static ThreadSlot,
    _stack: Option<signal::Stack>,
}

impl SlotClaim {
    fn new() -> SlotClaim {
        let me = this_thread();
        let free = |slot: &&ThreadSlot| {
            slot.thread.compare_exchange(0, me, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        let slot = slots().find(free).unwrap_or_else(|| add_slot(me));
        SlotClaim { slot, _stack: is_contained().then(signal::Stack::install).flatten() }
    }
}

fn add_slot(thread: usize) -> &'static ThreadSlot {
    let slot = Box::leak(Box::new(ThreadSlot {
        thread: AtomicUsize::new(thread),
        forks: AtomicU32::new(fork::count()),
        containment: AtomicPtr::new(ptr::null_mut()),
        next: ptr::null(),
    }));
    let mut first = SLOTS.load(Ordering::Acquire);
    loop {
        slot.next = first;
        match SLOTS.compare_exchange_weak(first, slot, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return slot,
            Err(other) => first = other,
        }
    }
}

impl Drop for SlotClaim {
    fn drop(&mut self) {
        self.slot.thread.store(0, Ordering::Release);
    }
}

thread_local! {
    static SLOT_CLAIM: OnceCell<SlotClaim> = const { OnceCell::new() };
}

/// Initializes the thread-local variable; see [`super::runner::init_thread_locals`].
pub(super) fn init_thread_locals() {
    let _ = SLOT_CLAIM.try_with(|_| ());
}

/// Installs the signal handlers at the first call. Returns true if faults are contained.
fn is_contained() -> bool {
    static CONTAINED: Global<bool> = Global::fact();
    *CONTAINED.get(|| {
        guard::set_leave(leave);
        signal::install(on_signal)
    })
}

/// Slot of this thread; none if the thread is about to end. As long as the record lives, the thread receives the
/// signals of faults, even if the application has blocked them.
pub(super) struct ThreadRecord {
    slot: Option<&'static ThreadSlot>,
    _unblocked: Option<UnblockFaults>,
}

impl ThreadRecord {
    pub(super) fn of_this_thread() -> ThreadRecord {
        let contained = is_contained();
        let slot = SLOT_CLAIM.try_with(|claim| claim.get_or_init(SlotClaim::new).slot).ok();
        ThreadRecord { slot, _unblocked: contained.then(UnblockFaults::enter) }
    }
}

/// Runs `body`, which runs groups of `kernel` with `context`, to its end or to the first fault in the kernel.
///
/// A fault abandons `body` inside a call of the kernel: it must own nothing that needs to be dropped.
pub(super) fn contain<F: FnMut()>(
    record: &ThreadRecord,
    kernel: &CompiledKernel,
    context: *const GroupContext,
    mut body: F,
) -> Result<(), Fault> {
    const { assert!(!std::mem::needs_drop::<F>(), "what is left behind is not dropped") };
    let Some(slot) = record.slot else {
        body();
        return Ok(());
    };
    if slot.forks.load(Ordering::Relaxed) != fork::count() {
        slot.forks.store(fork::count(), Ordering::Release);
    }
    let containment = Containment { resume: UnsafeCell::new(0), kernel, context, stop: Cell::new(None) };
    // They nest, because a native kernel may wait for another kernel, which then runs on this thread.
    // Only this thread uses the pointer, and signal handlers that interrupt it.
    let outer = slot.containment.load(Ordering::Relaxed);
    slot.containment.store(ptr::from_ref(&containment).cast_mut(), Ordering::Release);
    // SAFETY: `call::<F>` gets a closure of type `F`. The containment, which the way out uses, lives in this frame.
    unsafe { signal::enter(call::<F>, (&raw mut body).cast(), containment.resume.get()) };
    slot.containment.store(outer, Ordering::Release);
    match containment.stop.get() {
        None => Ok(()),
        // SAFETY: the context belongs to the caller, and no kernel writes it any more.
        Some(stop) => Err(describe(&stop, kernel, unsafe { &*context })),
    }
}

extern "C" fn call<F: FnMut()>(body: *mut c_void) {
    // SAFETY: `contain` passes its closure and does not use it during the call.
    let body = unsafe { &mut *body.cast::<F>() };
    body();
}

/// Handles the signals of faults.
extern "C" fn on_signal(number: c_int, info: *mut libc::siginfo_t, machine: *mut c_void) {
    let me = this_thread();
    let mine = |slot: &&ThreadSlot| {
        slot.thread.load(Ordering::Acquire) == me && slot.forks.load(Ordering::Acquire) == fork::count()
    };
    let slot = slots().find(mine);
    let containment = slot.map_or(ptr::null_mut(), |slot| slot.containment.load(Ordering::Acquire));
    // SAFETY: the pointer is in the slot only while its frame exists, and this thread has put it there.
    let containment = unsafe { containment.as_ref() };
    // SAFETY: the system passes valid information.
    let sent = unsafe { (*info).si_code } <= 0;
    let Some(containment) = containment else {
        return signal::chain(number, info, machine);
    };
    if sent {
        return signal::chain(number, info, machine);
    }
    // SAFETY: the system passes the state of the interrupted thread, which is this one.
    let machine = unsafe { ThreadContext::new(machine) };
    // SAFETY: the signal is that of a fault, whose information includes an address.
    let address = unsafe { (*info).si_addr() }.addr();
    containment.stop.set(Some(inspect(containment, number, address, &machine)));
    // SAFETY: `grus_enter` has written `resume`, and its frame is still on this thread's stack.
    machine.resume(unsafe { *containment.resume.get() });
}

/// Maximum distance of an invalid address from the stack pointer at which the fault is reported as a stack overflow.
// Arbitrary.
const STACK_PROXIMITY_BYTES: usize = 256 << 10;

/// Maximum number of stack words that are searched for the return address of a helper's call.
// Arbitrary.
const MAX_SEARCHED_WORDS: usize = 8192;

/// Leaves a kernel whose helper has panicked. Returns only if this thread runs no kernel, or if the target does not
/// support leaving: the launch then fails when its groups have ended.
fn leave(helper: &'static str) {
    let slot = SLOT_CLAIM.try_with(|claim| claim.get().map(|claim| claim.slot)).ok().flatten();
    let containment = slot.map_or(ptr::null_mut(), |slot| slot.containment.load(Ordering::Acquire));
    // SAFETY: the pointer is in the slot only while its frame exists, and this thread has put it there.
    let Some(containment) = (unsafe { containment.as_ref() }) else { return };
    // SAFETY: both outlive the kernel's call, which is still active.
    let (kernel, context) = unsafe { (&*containment.kernel, &*containment.context) };
    let here = 0usize;
    let stack =
        StackRange { sp: ptr::from_ref(&here).expose_provenance(), end: ptr::from_ref(containment).addr() };
    let (at, local_ids) = (stack.find_call(kernel), stack.local_id(context).map(|stored| [stored; 2]));
    containment.stop.set(Some(Stop { cause: Cause::Bug(helper), at, local_ids }));
    // SAFETY: `grus_enter` has written `resume`, its frame is still on this thread's stack, and the helper has
    // dropped its values.
    unsafe { signal::leave(*containment.resume.get()) }
}

/// Range of this thread's stack that a kernel and its helpers use.
struct StackRange {
    sp: usize,
    end: usize,
}

impl StackRange {
    fn read(&self, from: usize) -> usize {
        // SAFETY: memory between the stack pointer and the containment is this thread's stack in use.
        unsafe { ptr::with_exposed_provenance::<usize>(from).read() }
    }

    /// Returns the offset of a helper's call in the kernel's code: the call precedes the first return address that
    /// points into it.
    fn find_call(&self, kernel: &CompiledKernel) -> Option<u32> {
        let words = (self.sp.next_multiple_of(8)..self.end).step_by(8).take(MAX_SEARCHED_WORDS);
        words.map(|at| self.read(at)).find_map(|word| kernel.offset_of(word.wrapping_sub(1)))
    }

    /// Returns the local id that the kernel has stored in its item record, if it has one: kernels with calls do.
    fn local_id(&self, context: &GroupContext) -> Option<[u64; 3]> {
        let record = context.item.addr();
        let is_here = !context.item.is_null() && record >= self.sp && record < self.end;
        let id = |dim: usize| self.read(record + item::LOCAL_ID as usize + 8 * dim) as u64;
        is_here.then(|| [0, 1, 2].map(id))
    }
}

/// Collects what is known of a fault while the kernel's stack still exists.
fn inspect(containment: &Containment, number: c_int, address: usize, machine: &ThreadContext) -> Stop {
    // SAFETY: both outlive the kernel's call, which is still active.
    let (kernel, context) = unsafe { (&*containment.kernel, &*containment.context) };
    let sp = machine.stack_pointer();
    let near_stack = address >= sp.saturating_sub(STACK_PROXIMITY_BYTES)
        && address < sp.saturating_add(STACK_PROXIMITY_BYTES);
    let stack = StackRange { sp, end: ptr::from_ref(containment).addr() };
    let own = kernel.offset_of(machine.program_counter());
    let caller = machine.return_address().and_then(|address| kernel.offset_of(address.wrapping_sub(1)));
    let at = own.or(caller).or_else(|| stack.find_call(kernel));
    let stack_word = |at: usize| (sp..stack.end).contains(&at).then(|| stack.read(at) as u64);
    let frame = machine.frame_before_call();
    let local_ids = own
        .and_then(|at| {
            kernel.debug_info.local_ids(
                at,
                |register| machine.register(register),
                |distance| stack_word(frame.wrapping_add_signed(distance as isize)),
                context.local_size,
            )
        })
        .or_else(|| {
            let stored = stack.local_id(context)?;
            Some(own.map_or([stored; 2], |at| kernel.debug_info.active_range(at, stored, context.local_size)))
        });
    let write = machine.is_write(address);
    Stop { cause: Cause::Signal { number, address, write, near_stack }, at, local_ids }
}

/// Converts a stop to the fault that is reported to the application.
fn describe(stop: &Stop, kernel: &CompiledKernel, context: &GroupContext) -> Fault {
    let message = match stop.cause {
        Cause::Signal { number, address, write, near_stack } => {
            signal_text(number, address, write, near_stack)
        }
        Cause::Bug(helper) => format!("internal error in {helper}"),
    };
    let original_order = |ids: [u64; 3]| if kernel.mode.is_interchanged { interchanged(ids) } else { ids };
    let global =
        |local: [u64; 3]| original_order([0, 1, 2].map(|dim| context.base[dim].wrapping_add(local[dim])));
    Fault {
        message,
        loc: stop.at.map_or(0, |at| kernel.debug_info.position(at)),
        item: stop.local_ids.map(|[first, _]| global(first)),
        last: stop.local_ids.filter(|[first, last]| first != last).map(|[_, last]| Box::new(global(last))),
        group: (!kernel.traits.is_group_agnostic).then(|| original_order(context.group_id)),
        ..Fault::default()
    }
}

fn signal_text(number: c_int, address: usize, write: Option<bool>, near_stack: bool) -> String {
    let access = match write {
        Some(true) => "write to",
        Some(false) => "read of",
        None => "access to",
    };
    match number {
        libc::SIGSEGV | libc::SIGBUS if near_stack => "the stack is used up".to_owned(),
        // A general protection fault has no address.
        libc::SIGSEGV if address == 0 && write.is_none() => "access to a bad address".to_owned(),
        libc::SIGSEGV | libc::SIGBUS => format!("{access} address {address:#x}"),
        libc::SIGFPE => "arithmetic trap".to_owned(),
        _ => "trap".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_iterations_name_work_items() {
        let reported = |first: u64, last: Option<u64>| {
            let last = last.map(|last| Box::new([last, 0, 0]));
            let fault = Fault { item: Some([first, 0, 0]), last, ..Fault::default() }.at_work_item(100);
            (fault.item.map(|id| id[0]), fault.last.map(|id| id[0]))
        };
        assert_eq!(reported(1234, None), (Some(34), None));
        assert_eq!(reported(1200, Some(1215)), (Some(0), Some(15)));
        assert_eq!(reported(1290, Some(1305)), (Some(0), Some(99)));
        assert_eq!(Fault::default().at_work_item(1), Fault::default());
    }
}
