//! Faults in kernels: a bad address, a trap, the end of the stack or a bug in a helper of ours ends the launch, not the
//! process.
//!
//! Kernels run inside [`contain`]. A handler of SIGSEGV, SIGBUS, SIGILL and SIGFPE looks whether the thread that the
//! signal came to is inside; if so it notes where the kernel stopped and lets the thread go on behind the call that
//! entered the kernel, as if that had returned. All other signals go to whatever handler was there before. A helper that
//! has panicked takes the same way out, without a signal ([`leave`]).
//!
//! Nothing of what is left behind has anything to clean up: machine code of kernels, and the helpers of `rtlib` at places
//! where they follow a kernel's pointers and hold no lock. The handler itself allocates nothing and takes no lock.

use std::cell::{Cell, OnceCell, UnsafeCell};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};

use super::Fault;
use super::signal::{self, ThreadContext};
use crate::ir::abi::{GroupContext, interchanged, item};
use crate::jit::CompiledKernel;
use crate::rtlib::guard;
use crate::support::fork::{self, Global};
use crate::support::signals::Faults;

/// Why a kernel was left.
#[derive(Clone, Copy)]
enum Cause {
    Signal {
        number: c_int,
        /// What was touched, where the signal says.
        address: usize,
        /// Whether it was written, where the machine says.
        write: Option<bool>,
        near_stack: bool,
    },
    /// This helper has panicked.
    Bug(&'static str),
}

/// What is left of a fault.
#[derive(Clone, Copy)]
struct Stop {
    cause: Cause,
    /// Offset in the kernel's code.
    at: Option<u32>,
    /// Of the first item that ran there and of the last one.
    local_ids: Option<[[u64; 3]; 2]>,
}

/// One call of [`contain`].
struct Guard {
    /// Where the thread goes on: written by the trampoline.
    resume: UnsafeCell<usize>,
    kernel: *const CompiledKernel,
    context: *const GroupContext,
    stop: Cell<Option<Stop>>,
}

/// What the handler knows of a thread. Slots are never freed: a thread that ends leaves its own to another one.
struct ThreadSlot {
    /// The owner as pthread_self has it, 0 if there is none.
    thread: AtomicUsize,
    /// Forks behind the process that the owner was last seen in: a child has slots of threads that it does not have.
    forks: AtomicU32,
    /// The innermost call of [`contain`] on this thread.
    guard: AtomicPtr<Guard>,
    next: *const ThreadSlot,
}

/// All slots.
static SLOTS: AtomicPtr<ThreadSlot> = AtomicPtr::new(ptr::null_mut());

fn slots() -> impl Iterator<Item = &'static ThreadSlot> {
    let mut next = SLOTS.load(Ordering::Acquire).cast_const();
    std::iter::from_fn(move || {
        // SAFETY: slots are leaked, and complete before they are in the list.
        let slot = unsafe { next.as_ref() }?;
        next = slot.next;
        Some(slot)
    })
}

fn this_thread() -> usize {
    // SAFETY: asks the thread library, which is allowed in a handler of signals.
    let id = unsafe { libc::pthread_self() };
    id as usize
}

/// A thread's claim to a slot, and the stack that its signals are handled on.
struct Claim {
    slot: &'static ThreadSlot,
    _stack: Option<signal::Stack>,
}

impl Claim {
    fn new() -> Claim {
        let me = this_thread();
        let free = |slot: &&ThreadSlot| {
            slot.thread.compare_exchange(0, me, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        let slot = slots().find(free).unwrap_or_else(|| add_slot(me));
        Claim { slot, _stack: is_contained().then(signal::Stack::install).flatten() }
    }
}

fn add_slot(thread: usize) -> &'static ThreadSlot {
    let slot = Box::leak(Box::new(ThreadSlot {
        thread: AtomicUsize::new(thread),
        forks: AtomicU32::new(fork::count()),
        guard: AtomicPtr::new(ptr::null_mut()),
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

impl Drop for Claim {
    fn drop(&mut self) {
        self.slot.thread.store(0, Ordering::Release);
    }
}

thread_local! {
    static CLAIM: OnceCell<Claim> = const { OnceCell::new() };
}

/// See [`super::note_thread`].
pub(super) fn note_thread() {
    let _ = CLAIM.try_with(|_| ());
}

/// Whether signals of faults are taken. Asked before the first kernel runs.
fn is_contained() -> bool {
    static CONTAINED: Global<bool> = Global::fact();
    *CONTAINED.get(|| {
        guard::set_leave(leave);
        signal::install(on_signal)
    })
}

/// Where this thread notes what it runs, nowhere if the thread is about to end; as long as it lives, the thread takes the
/// signals of faults, whatever the application has blocked.
pub(super) struct ThreadRecord {
    slot: Option<&'static ThreadSlot>,
    _unblocked: Option<Faults>,
}

impl ThreadRecord {
    pub(super) fn of_this_thread() -> ThreadRecord {
        let contained = is_contained();
        let slot = CLAIM.try_with(|claim| claim.get_or_init(Claim::new).slot).ok();
        ThreadRecord { slot, _unblocked: contained.then(Faults::enter) }
    }
}

/// Runs `body`, which runs groups of `kernel` with `context`, up to its end or to the first fault in the kernel.
///
/// `body` may be left at any call of the kernel: it must own nothing.
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
    let guard = Guard { resume: UnsafeCell::new(0), kernel, context, stop: Cell::new(None) };
    // A native kernel may wait for a kernel while it runs on this thread, so guards nest.
    // Only this thread uses the pointer, and handlers that interrupt it.
    let outer = slot.guard.load(Ordering::Relaxed);
    slot.guard.store(ptr::from_ref(&guard).cast_mut(), Ordering::Release);
    // SAFETY: `call` gets the closure it was made for. Where the kernel is left the guard says, which stands here.
    unsafe { signal::enter(call::<F>, (&raw mut body).cast(), guard.resume.get()) };
    slot.guard.store(outer, Ordering::Release);
    match guard.stop.get() {
        None => Ok(()),
        // SAFETY: the context is the caller's, and nothing writes it any more.
        Some(stop) => Err(describe(&stop, kernel, unsafe { &*context })),
    }
}

extern "C" fn call<F: FnMut()>(body: *mut c_void) {
    // SAFETY: `contain` passes its closure, which nobody else uses meanwhile.
    let body = unsafe { &mut *body.cast::<F>() };
    body();
}

/// The handler.
extern "C" fn on_signal(number: c_int, info: *mut libc::siginfo_t, machine: *mut c_void) {
    let me = this_thread();
    let mine = |slot: &&ThreadSlot| {
        slot.thread.load(Ordering::Acquire) == me && slot.forks.load(Ordering::Acquire) == fork::count()
    };
    let slot = slots().find(mine);
    let guard = slot.map_or(ptr::null_mut(), |slot| slot.guard.load(Ordering::Acquire));
    // SAFETY: a guard is in its slot as long as it stands; this thread is the one that put it there.
    let guard = unsafe { guard.as_ref() };
    // SAFETY: the system passes valid information.
    let sent = unsafe { (*info).si_code } <= 0;
    let (Some(guard), false) = (guard, sent) else {
        return signal::chain(number, info, machine);
    };
    // SAFETY: the system passes the state of the interrupted thread, which is this one.
    let machine = unsafe { ThreadContext::new(machine) };
    // SAFETY: the information is that of a fault, which has an address.
    let address = unsafe { (*info).si_addr() }.addr();
    guard.stop.set(Some(look(guard, number, address, &machine)));
    // SAFETY: the trampoline has written where to go on, and this thread is below it.
    machine.resume(unsafe { *guard.resume.get() });
}

/// How near to the stack pointer a bad address means that the stack is used up.
const NEAR: usize = 256 << 10;

/// Words of the stack in which the call of the helper that faulted is looked for.
const SEARCHED: usize = 8192;

/// The way out of a kernel whose helper has panicked. Returns if this thread runs no kernel, or the machine has no such
/// way: then the launch fails when its groups have ended.
fn leave(helper: &'static str) {
    let slot = CLAIM.try_with(|claim| claim.get().map(|claim| claim.slot)).ok().flatten();
    let guard = slot.map_or(ptr::null_mut(), |slot| slot.guard.load(Ordering::Acquire));
    // SAFETY: a guard is in its slot as long as it stands; this thread is the one that put it there.
    let Some(guard) = (unsafe { guard.as_ref() }) else { return };
    // SAFETY: both outlive the call of the kernel, which is under way.
    let (kernel, context) = unsafe { (&*guard.kernel, &*guard.context) };
    let here = 0usize;
    let stack = Stack { sp: ptr::from_ref(&here).expose_provenance(), end: ptr::from_ref(guard).addr() };
    let (at, local_ids) = (stack.find_call(kernel), stack.local_id(context).map(|noted| [noted; 2]));
    guard.stop.set(Some(Stop { cause: Cause::Bug(helper), at, local_ids }));
    // SAFETY: the trampoline has written where to go on, this thread is below it, and helpers have cleaned up.
    unsafe { signal::leave(*guard.resume.get()) }
}

/// The part of this thread's stack that a kernel and its helpers use.
struct Stack {
    sp: usize,
    end: usize,
}

impl Stack {
    fn read(&self, from: usize) -> usize {
        // SAFETY: between the stack pointer and the guard is this thread's stack, in use.
        unsafe { ptr::with_exposed_provenance::<usize>(from).read() }
    }

    /// Where a helper was called: the first return address that leads to the kernel. The call stands before it.
    fn find_call(&self, kernel: &CompiledKernel) -> Option<u32> {
        let words = (self.sp.next_multiple_of(8)..self.end).step_by(8).take(SEARCHED);
        words.map(|at| self.read(at)).find_map(|word| kernel.offset_of(word.wrapping_sub(1)))
    }

    /// The work-item that a kernel which calls something has noted.
    fn local_id(&self, context: &GroupContext) -> Option<[u64; 3]> {
        let record = context.item.addr();
        let is_here = !context.item.is_null() && record >= self.sp && record < self.end;
        let id = |dim: usize| self.read(record + item::LOCAL_ID as usize + 8 * dim) as u64;
        is_here.then(|| [0, 1, 2].map(id))
    }
}

/// What can be found out while the kernel's stack is still there.
fn look(guard: &Guard, number: c_int, address: usize, machine: &ThreadContext) -> Stop {
    // SAFETY: both outlive the call of the kernel, which is under way.
    let (kernel, context) = unsafe { (&*guard.kernel, &*guard.context) };
    let sp = machine.stack_pointer();
    let near_stack = address >= sp.saturating_sub(NEAR) && address < sp.saturating_add(NEAR);
    let stack = Stack { sp, end: ptr::from_ref(guard).addr() };
    let own = kernel.offset_of(machine.program_counter());
    let caller = machine.return_address().and_then(|address| kernel.offset_of(address.wrapping_sub(1)));
    let at = own.or(caller).or_else(|| stack.find_call(kernel));
    let stack_word = |at: usize| (sp..stack.end).contains(&at).then(|| stack.read(at) as u64);
    let frame = machine.frame_before_call();
    let local_ids = own
        .and_then(|at| {
            kernel.local_ids(
                at,
                |register| machine.register(register),
                |distance| stack_word(frame.wrapping_add_signed(distance as isize)),
                context.local_size,
            )
        })
        .or_else(|| {
            let noted = stack.local_id(context)?;
            Some(own.map_or([noted; 2], |at| kernel.active_range(at, noted, context.local_size)))
        });
    let write = machine.is_write(address);
    Stop { cause: Cause::Signal { number, address, write, near_stack }, at, local_ids }
}

/// The fault as the application gets to know it.
fn describe(stop: &Stop, kernel: &CompiledKernel, context: &GroupContext) -> Fault {
    let message = match stop.cause {
        Cause::Signal { number, address, write, near_stack } => {
            signal_text(number, address, write, near_stack)
        }
        Cause::Bug(helper) => format!("internal error in {helper}"),
    };
    let laid = |ids: [u64; 3]| if kernel.is_interchanged { interchanged(ids) } else { ids };
    let global = |local: [u64; 3]| laid([0, 1, 2].map(|dim| context.base[dim].wrapping_add(local[dim])));
    Fault {
        message,
        loc: stop.at.map_or(0, |at| kernel.position(at)),
        item: stop.local_ids.map(|[first, _]| global(first)),
        last: stop.local_ids.filter(|[first, last]| first != last).map(|[_, last]| Box::new(global(last))),
        group: (!kernel.is_group_agnostic).then(|| laid(context.group_id)),
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
