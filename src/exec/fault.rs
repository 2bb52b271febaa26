//! Faults in kernels: a bad address, a trap or the end of the stack ends the launch, not the process.
//!
//! Kernels run inside [`contain`]. A handler of SIGSEGV, SIGBUS, SIGILL and SIGFPE looks whether the thread that the
//! signal came to is inside; if so it notes where the kernel stopped and lets the thread go on behind the call that
//! entered the kernel, as if that had returned. All other signals go to whatever handler was there before.
//!
//! Nothing of what is left behind has anything to clean up: machine code of kernels, and the helpers of `rtlib` at places
//! where they follow a kernel's pointers and hold no lock. The handler itself allocates nothing and takes no lock.

use std::cell::{Cell, OnceCell, UnsafeCell};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};

use super::Fault;
use super::signal::{self, Machine};
use crate::ir::abi::{GroupContext, item};
use crate::jit::CompiledKernel;
use crate::support::fork;
use crate::support::signals::Faults;

/// What the handler leaves of a fault.
#[derive(Clone, Copy)]
struct Stop {
    signal: c_int,
    /// What was touched, where the signal says.
    address: usize,
    /// Whether it was written, where the machine says.
    write: Option<bool>,
    near_stack: bool,
    /// Offset in the kernel's code.
    at: Option<u32>,
    local_id: Option<[u64; 3]>,
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
struct Slot {
    /// The owner as pthread_self has it, 0 if there is none.
    thread: AtomicUsize,
    /// Forks behind the process that the owner was last seen in: a child has slots of threads that it does not have.
    forks: AtomicU32,
    /// The innermost call of [`contain`] on this thread.
    guard: AtomicPtr<Guard>,
    next: *const Slot,
}

/// All slots.
static SLOTS: AtomicPtr<Slot> = AtomicPtr::new(ptr::null_mut());

fn slots() -> impl Iterator<Item = &'static Slot> {
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
    slot: &'static Slot,
    _stack: Option<signal::Stack>,
}

impl Claim {
    fn new() -> Claim {
        let me = this_thread();
        let free =
            |slot: &&Slot| slot.thread.compare_exchange(0, me, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        let slot = slots().find(free).unwrap_or_else(|| add_slot(me));
        Claim { slot, _stack: signal::Stack::install() }
    }
}

fn add_slot(thread: usize) -> &'static Slot {
    let slot = Box::leak(Box::new(Slot {
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

/// Whether faults are contained, and what handled the signals before.
static BEFORE: OnceLock<Option<signal::Handlers>> = OnceLock::new();

/// Where this thread notes what it runs, nowhere if faults are not contained; as long as it lives, the thread takes their
/// signals, whatever the application has blocked.
pub(super) struct Place {
    slot: Option<&'static Slot>,
    _unblocked: Option<Faults>,
}

impl Place {
    pub(super) fn of_this_thread() -> Place {
        let contained = BEFORE.get_or_init(|| signal::install(on_signal)).is_some();
        let slot =
            if contained { CLAIM.try_with(|claim| claim.get_or_init(Claim::new).slot).ok() } else { None };
        Place { slot, _unblocked: slot.map(|_| Faults::enter()) }
    }
}

/// Runs `body`, which runs groups of `kernel` with `context`, up to its end or to the first fault in the kernel.
///
/// `body` may be left at any call of the kernel: it must own nothing.
pub(super) fn contain<F: FnMut()>(
    place: &Place,
    kernel: &CompiledKernel,
    context: *const GroupContext,
    mut body: F,
) -> Result<(), Fault> {
    const { assert!(!std::mem::needs_drop::<F>(), "what is left behind is not dropped") };
    let Some(slot) = place.slot else {
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
    let mine = |slot: &&Slot| {
        slot.thread.load(Ordering::Acquire) == me && slot.forks.load(Ordering::Acquire) == fork::count()
    };
    let slot = slots().find(mine);
    let guard = slot.map_or(ptr::null_mut(), |slot| slot.guard.load(Ordering::Acquire));
    // SAFETY: a guard is in its slot as long as it stands; this thread is the one that put it there.
    let guard = unsafe { guard.as_ref() };
    // SAFETY: the system passes valid information.
    let sent = unsafe { (*info).si_code } <= 0;
    let (Some(guard), false) = (guard, sent) else {
        if let Some(Some(before)) = BEFORE.get() {
            before.chain(number, info, machine);
        }
        return;
    };
    // SAFETY: the system passes the state of the interrupted thread, which is this one.
    let machine = unsafe { Machine::new(machine) };
    // SAFETY: the information is that of a fault, which has an address.
    let address = unsafe { (*info).si_addr() }.addr();
    guard.stop.set(Some(look(guard, number, address, &machine)));
    // SAFETY: the trampoline has written where to go on, and this thread is below it.
    machine.resume(unsafe { *guard.resume.get() });
}

/// How near to the stack pointer a bad address means that the stack is used up.
const NEAR: usize = 256 << 10;

/// Words of the stack that are looked at for who called the helper that faulted.
const SEARCHED: usize = 8192;

/// What can be found out while the kernel's stack is still there.
fn look(guard: &Guard, signal: c_int, address: usize, machine: &Machine) -> Stop {
    // SAFETY: both outlive the call of the kernel, which is under way.
    let (kernel, context) = unsafe { (&*guard.kernel, &*guard.context) };
    let sp = machine.stack_pointer();
    let near_stack = address >= sp.saturating_sub(NEAR) && address < sp.saturating_add(NEAR);
    let read = |from: usize| {
        // SAFETY: between the stack pointer and the guard is this thread's stack, in use.
        unsafe { ptr::with_exposed_provenance::<usize>(from).read() }
    };
    let own = kernel.offset_of(machine.program_counter());
    // In a helper: the first return address that leads to the kernel. The call stands before it.
    let end = ptr::from_ref(guard).addr();
    let search = || {
        let words = (sp.next_multiple_of(8)..end).step_by(8).take(SEARCHED);
        words.map(read).find_map(|word| kernel.offset_of(word.wrapping_sub(1)))
    };
    let at = own.or_else(search);
    let stack_word = |at: usize| (sp..end).contains(&at).then(|| read(at) as u64);
    let frame = machine.frame_before_call();
    let local_id = own
        .and_then(|at| {
            kernel.local_id(
                at,
                |register| machine.register(register),
                |distance| stack_word(frame.wrapping_add_signed(distance as isize)),
                context.local_size,
            )
        })
        .or_else(|| {
            let record = context.item.addr();
            (!context.item.is_null() && record >= sp && record < end)
                .then(|| [0, 1, 2].map(|dim| read(record + item::LOCAL_ID as usize + 8 * dim) as u64))
        });
    Stop { signal, address, write: machine.is_write(), near_stack, at, local_id }
}

/// The fault as the application gets to know it.
fn describe(stop: &Stop, kernel: &CompiledKernel, context: &GroupContext) -> Fault {
    let access = match stop.write {
        Some(true) => "write to",
        Some(false) => "read of",
        None => "access to",
    };
    let message = match stop.signal {
        libc::SIGSEGV | libc::SIGBUS if stop.near_stack => "the stack is used up".to_owned(),
        // A general protection fault has no address.
        libc::SIGSEGV if stop.address == 0 && stop.write.is_none() => "access to a bad address".to_owned(),
        libc::SIGSEGV | libc::SIGBUS => format!("{access} address {:#x}", stop.address),
        libc::SIGFPE => "arithmetic trap".to_owned(),
        _ => "trap".to_owned(),
    };
    let item = stop.local_id.map(|local| [0, 1, 2].map(|dim| context.base[dim].wrapping_add(local[dim])));
    Fault {
        message,
        loc: stop.at.map_or(0, |at| kernel.position(at)),
        item,
        group: (!kernel.is_group_agnostic).then_some(context.group_id),
        ..Fault::default()
    }
}
