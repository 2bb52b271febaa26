//! Target and system support for the containment of faults: signal handlers, alternate signal stacks, registers of an
//! interrupted thread, and a call that can be left from a handler.

use std::ffi::{c_int, c_void};
use std::ptr::{self, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use grus_support::environment::environment;
use grus_support::signals::FAULT_SIGNALS;

/// Signal handler as SA_SIGINFO selects it.
type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// Previous action of each signal; null before it is known. The pointees are never freed.
static PREVIOUS: [AtomicPtr<libc::sigaction>; FAULT_SIGNALS.len()] =
    [const { AtomicPtr::new(null_mut()) }; FAULT_SIGNALS.len()];

/// Installs `handler` for all signals of faults, unless it is installed already: several threads may call this at the
/// same time, and a child that was forked during the call repeats it. Returns false if the system or
/// `GRUS_CATCH_FAULTS=0` prevents it.
pub(super) fn install(handler: Handler) -> bool {
    if !supported() || environment().keep_faults {
        return false;
    }
    FAULT_SIGNALS.into_iter().zip(&PREVIOUS).all(|(signal, previous)| install_one(signal, handler, previous))
}

fn install_one(signal: c_int, handler: Handler, previous: &AtomicPtr<libc::sigaction>) -> bool {
    // SAFETY: an all-zero sigaction is valid.
    let [mut action, mut found]: [libc::sigaction; 2] = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler as usize;
    // The handler runs on the alternate stack, because the fault may be a stack overflow.
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: both pointers are to valid actions.
    unsafe {
        libc::sigemptyset(&raw mut action.sa_mask);
        if libc::sigaction(signal, ptr::null(), &raw mut found) != 0 {
            return false;
        }
        if found.sa_sigaction == handler as usize {
            return true;
        }
        // Saved before our handler can be called.
        save_previous(previous, found);
        if libc::sigaction(signal, &raw const action, &raw mut found) != 0 {
            return false;
        }
    }
    // Another thread may have installed a handler since the query above.
    if found.sa_sigaction != handler as usize {
        save_previous(previous, found);
    }
    true
}

/// Saves a previous action. The action that was saved before is leaked, because a handler may be reading it.
fn save_previous(slot: &AtomicPtr<libc::sigaction>, found: libc::sigaction) {
    // SAFETY: saved actions are never freed.
    let saved = unsafe { slot.load(Ordering::Acquire).as_ref() };
    if saved.is_none_or(|saved| saved.sa_sigaction != found.sa_sigaction || saved.sa_flags != found.sa_flags)
    {
        slot.store(Box::into_raw(Box::new(found)), Ordering::Release);
    }
}

/// Calls the previous handler of a signal.
pub(super) fn chain(signal: c_int, info: *mut libc::siginfo_t, machine: *mut c_void) {
    let at = FAULT_SIGNALS.iter().position(|&s| s == signal);
    // SAFETY: saved actions are never freed.
    let previous = at.and_then(|at| unsafe { PREVIOUS[at].load(Ordering::Acquire).as_ref() });
    let Some(previous) = previous else { return };
    call_previous(previous, signal, info, machine);
}

fn call_previous(
    previous: &libc::sigaction,
    signal: c_int,
    info: *mut libc::siginfo_t,
    machine: *mut c_void,
) {
    match previous.sa_sigaction {
        // Ignoring a fault would repeat it forever. The system also treats SIG_IGN as the default here.
        libc::SIG_DFL | libc::SIG_IGN => {
            // SAFETY: when this handler returns, the instruction is retried, and its fault ends the process by the
            // default action. A signal that was sent by a process is raised again here.
            unsafe {
                libc::signal(signal, libc::SIG_DFL);
                if (*info).si_code <= 0 && previous.sa_sigaction == libc::SIG_DFL {
                    libc::raise(signal);
                }
            }
        }
        address if previous.sa_flags & libc::SA_SIGINFO != 0 => {
            // SAFETY: the application installed this address as a handler of this type.
            let handler = unsafe { std::mem::transmute::<usize, Handler>(address) };
            handler(signal, info, machine);
        }
        address => {
            // SAFETY: the application installed this address as a handler without information.
            let handler = unsafe { std::mem::transmute::<usize, extern "C" fn(c_int)>(address) };
            handler(signal);
        }
    }
}

/// Alternate signal stack of a thread that had none.
pub(super) struct Stack {
    start: *mut c_void,
}

impl Stack {
    /// Size of the stack.
    // Arbitrary.
    const BYTES: usize = 64 << 10;
    /// Size of the inaccessible guard area below the stack: the largest page size of any target.
    const GUARD_BYTES: usize = 64 << 10;

    /// Installs an alternate stack for this thread. Returns `None` if it has one, or if that fails.
    pub(super) fn install() -> Option<Stack> {
        // SAFETY: the structs are valid, and the system chooses the address of the mapping.
        unsafe {
            let mut now: libc::stack_t = std::mem::zeroed();
            if libc::sigaltstack(ptr::null(), &raw mut now) != 0 || now.ss_flags & libc::SS_DISABLE == 0 {
                return None;
            }
            let (protection, flags) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            let size = Self::GUARD_BYTES + Self::BYTES;
            let start = libc::mmap(ptr::null_mut(), size, protection, flags, -1, 0);
            if start == libc::MAP_FAILED {
                return None;
            }
            libc::mprotect(start, Self::GUARD_BYTES, libc::PROT_NONE);
            let stack = Stack { start };
            let new = libc::stack_t { ss_sp: stack.base(), ss_flags: 0, ss_size: Self::BYTES };
            (libc::sigaltstack(&raw const new, ptr::null_mut()) == 0).then_some(stack)
        }
    }

    fn base(&self) -> *mut c_void {
        self.start.wrapping_byte_add(Self::GUARD_BYTES)
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours. It is uninstalled before it is unmapped, unless another stack was installed
        // since.
        unsafe {
            let mut now: libc::stack_t = std::mem::zeroed();
            libc::sigaltstack(ptr::null(), &raw mut now);
            if now.ss_sp == self.base() {
                let none = libc::stack_t { ss_sp: ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
                libc::sigaltstack(&raw const none, ptr::null_mut());
            }
            libc::munmap(self.start, Self::GUARD_BYTES + Self::BYTES);
        }
    }
}

pub(super) use machine::ThreadContext;
pub(super) use way_out::{enter, leave, supported};

/// Call that can be left, in assembly.
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), target_os = "linux"))]
mod way_out {
    use std::ffi::c_void;

    unsafe extern "C" {
        fn grus_enter(body: extern "C" fn(*mut c_void), data: *mut c_void, resume: *mut usize);
        /// Label in `grus_enter` after its call; not a function.
        pub fn grus_resume();
        fn grus_leave(resume: usize) -> !;
    }

    /// Calls `body` with `data`. Writes to `resume` the argument for [`super::ThreadContext::resume`].
    ///
    /// # Safety
    /// `body` may be called with `data`, and no frame of a callee that can fault needs cleanup.
    pub unsafe fn enter(body: extern "C" fn(*mut c_void), data: *mut c_void, resume: *mut usize) {
        // SAFETY: the caller guarantees what the assembly requires.
        unsafe { grus_enter(body, data, resume) }
    }

    /// Continues after the call of [`enter`](super::enter) that wrote `resume`, as if it had returned.
    ///
    /// # Safety
    /// That call is active on this thread, and no frame between it and this one needs cleanup.
    pub unsafe fn leave(resume: usize) {
        // SAFETY: the caller guarantees that the call is active.
        unsafe { grus_leave(resume) }
    }

    /// Checks whether the target supports containment of faults.
    pub fn supported() -> bool {
        true
    }
}

/// Plain call, which cannot be left, for targets without support.
#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), target_os = "linux")))]
mod way_out {
    use std::ffi::c_void;

    /// Calls `body` with `data`.
    ///
    /// # Safety
    /// `body` may be called with `data`.
    pub unsafe fn enter(body: extern "C" fn(*mut c_void), data: *mut c_void, _resume: *mut usize) {
        body(data);
    }

    /// Does nothing.
    ///
    /// # Safety
    /// There are no requirements.
    pub unsafe fn leave(_resume: usize) {}

    /// Checks whether the target supports containment of faults.
    pub fn supported() -> bool {
        false
    }
}

/// x86-64 with the System V calling convention.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod machine {
    use std::ffi::c_void;

    // Saves the callee-saved registers and the stack pointer, then calls `body`. A handler makes the call return by
    // restoring the stack pointer and setting the program counter to `grus_resume`.
    std::arch::global_asm!(
        ".pushsection .text.grus_enter,\"ax\",@progbits",
        ".globl grus_enter",
        ".hidden grus_enter",
        ".globl grus_resume",
        ".hidden grus_resume",
        ".type grus_enter,@function",
        "grus_enter:",
        ".cfi_startproc",
        "push rbp",
        ".cfi_adjust_cfa_offset 8",
        "push rbx",
        ".cfi_adjust_cfa_offset 8",
        "push r12",
        ".cfi_adjust_cfa_offset 8",
        "push r13",
        ".cfi_adjust_cfa_offset 8",
        "push r14",
        ".cfi_adjust_cfa_offset 8",
        "push r15",
        ".cfi_adjust_cfa_offset 8",
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 8",
        "mov [rdx], rsp",
        "mov rax, rdi",
        "mov rdi, rsi",
        "call rax",
        "grus_resume:",
        "add rsp, 8",
        ".cfi_adjust_cfa_offset -8",
        "pop r15",
        ".cfi_adjust_cfa_offset -8",
        "pop r14",
        ".cfi_adjust_cfa_offset -8",
        "pop r13",
        ".cfi_adjust_cfa_offset -8",
        "pop r12",
        ".cfi_adjust_cfa_offset -8",
        "pop rbx",
        ".cfi_adjust_cfa_offset -8",
        "pop rbp",
        ".cfi_adjust_cfa_offset -8",
        "ret",
        ".cfi_endproc",
        ".size grus_enter, .-grus_enter",
        ".globl grus_leave",
        ".hidden grus_leave",
        ".type grus_leave,@function",
        "grus_leave:",
        "mov rsp, rdi",
        "jmp grus_resume",
        ".size grus_leave, .-grus_leave",
        ".popsection",
    );

    /// State of an interrupted thread.
    pub struct ThreadContext(*mut libc::ucontext_t);

    /// Indices of general registers, in the order of their numbers in instructions.
    const REGISTERS: [i32; 16] = [
        libc::REG_RAX,
        libc::REG_RCX,
        libc::REG_RDX,
        libc::REG_RBX,
        libc::REG_RSP,
        libc::REG_RBP,
        libc::REG_RSI,
        libc::REG_RDI,
        libc::REG_R8,
        libc::REG_R9,
        libc::REG_R10,
        libc::REG_R11,
        libc::REG_R12,
        libc::REG_R13,
        libc::REG_R14,
        libc::REG_R15,
    ];

    impl ThreadContext {
        /// Wraps the context that a signal handler gets.
        ///
        /// # Safety
        /// `context` is the argument of a signal handler that is still running.
        pub unsafe fn new(context: *mut c_void) -> ThreadContext {
            ThreadContext(context.cast())
        }

        fn get(&self, register: i32) -> u64 {
            // SAFETY: `new` requires a valid context.
            let registers = unsafe { &(*self.0).uc_mcontext.gregs };
            registers[register as usize] as u64
        }

        pub fn program_counter(&self) -> usize {
            self.get(libc::REG_RIP) as usize
        }

        pub fn stack_pointer(&self) -> usize {
            self.get(libc::REG_RSP) as usize
        }

        /// Returns a general register by its number in instructions.
        pub fn register(&self, number: u8) -> u64 {
            REGISTERS.get(usize::from(number)).map_or(0, |&register| self.get(register))
        }

        /// Returns the stack pointer before the call of the current function, which has a frame pointer.
        pub fn frame_before_call(&self) -> usize {
            (self.get(libc::REG_RBP) as usize).wrapping_add(16)
        }

        /// Returns `None`: return addresses are on the stack.
        pub fn return_address(&self) -> Option<usize> {
            None
        }

        /// Checks whether a page fault was caused by a write; `None` for other faults.
        pub fn is_write(&self, _address: usize) -> Option<bool> {
            const PAGE_FAULT: u64 = 14;
            (self.get(libc::REG_TRAPNO) == PAGE_FAULT).then(|| self.get(libc::REG_ERR) & 2 != 0)
        }

        /// Makes the thread continue after the call of [`enter`](super::enter) that wrote `resume`.
        pub fn resume(&self, resume: usize) {
            const DIRECTION: i64 = 1 << 10;
            // SAFETY: `new` requires a valid context.
            let registers = unsafe { &mut (*self.0).uc_mcontext.gregs };
            registers[libc::REG_RSP as usize] = resume as i64;
            registers[libc::REG_RIP as usize] = super::way_out::grus_resume as *const () as i64;
            registers[libc::REG_EFL as usize] &= !DIRECTION;
        }
    }
}

/// 64-bit ARM with its standard calling convention.
#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
mod machine {
    use std::ffi::c_void;

    // Same as for x86-64. The low halves of v8 to v15 are callee-saved, too.
    std::arch::global_asm!(
        ".pushsection .text.grus_enter,\"ax\",@progbits",
        ".globl grus_enter",
        ".hidden grus_enter",
        ".globl grus_resume",
        ".hidden grus_resume",
        ".type grus_enter,@function",
        "grus_enter:",
        ".cfi_startproc",
        "stp x29, x30, [sp, #-160]!",
        ".cfi_adjust_cfa_offset 160",
        "mov x29, sp",
        "stp x19, x20, [sp, #16]",
        "stp x21, x22, [sp, #32]",
        "stp x23, x24, [sp, #48]",
        "stp x25, x26, [sp, #64]",
        "stp x27, x28, [sp, #80]",
        "stp d8, d9, [sp, #96]",
        "stp d10, d11, [sp, #112]",
        "stp d12, d13, [sp, #128]",
        "stp d14, d15, [sp, #144]",
        "str x29, [x2]",
        "mov x9, x0",
        "mov x0, x1",
        "blr x9",
        "grus_resume:",
        "ldp x19, x20, [sp, #16]",
        "ldp x21, x22, [sp, #32]",
        "ldp x23, x24, [sp, #48]",
        "ldp x25, x26, [sp, #64]",
        "ldp x27, x28, [sp, #80]",
        "ldp d8, d9, [sp, #96]",
        "ldp d10, d11, [sp, #112]",
        "ldp d12, d13, [sp, #128]",
        "ldp d14, d15, [sp, #144]",
        "ldp x29, x30, [sp], #160",
        ".cfi_adjust_cfa_offset -160",
        "ret",
        ".cfi_endproc",
        ".size grus_enter, .-grus_enter",
        ".globl grus_leave",
        ".hidden grus_leave",
        ".type grus_leave,@function",
        "grus_leave:",
        "mov sp, x0",
        "b grus_resume",
        ".size grus_leave, .-grus_leave",
        ".popsection",
    );

    /// State of an interrupted thread.
    pub struct ThreadContext(*mut libc::ucontext_t);

    impl ThreadContext {
        /// Wraps the context that a signal handler gets.
        ///
        /// # Safety
        /// `context` is the argument of a signal handler that is still running.
        pub unsafe fn new(context: *mut c_void) -> ThreadContext {
            ThreadContext(context.cast())
        }

        fn state(&self) -> &mut libc::mcontext_t {
            // SAFETY: `new` requires a valid context.
            unsafe { &mut (*self.0).uc_mcontext }
        }

        pub fn program_counter(&self) -> usize {
            self.state().pc as usize
        }

        pub fn stack_pointer(&self) -> usize {
            self.state().sp as usize
        }

        /// Returns a general register by its number in instructions.
        pub fn register(&self, number: u8) -> u64 {
            self.state().regs.get(usize::from(number)).copied().unwrap_or(0)
        }

        /// Returns the stack pointer before the call of the current function, which has a frame pointer.
        pub fn frame_before_call(&self) -> usize {
            (self.register(29) as usize).wrapping_add(16)
        }

        /// Returns the return address of the last call, which leaf functions keep in the link register only.
        pub fn return_address(&self) -> Option<usize> {
            Some(self.register(30) as usize)
        }

        /// Checks whether the fault was caused by a write; `None` if it was no data access.
        pub fn is_write(&self, address: usize) -> Option<bool> {
            let at = self.program_counter();
            // A fault of an instruction fetch.
            if address == at {
                return None;
            }
            // SAFETY: the instruction was executed, so it can be read.
            let instruction = unsafe { std::ptr::with_exposed_provenance::<u32>(at).read_unaligned() };
            super::super::arm_access::is_store(instruction)
        }

        /// Makes the thread continue after the call of [`enter`](super::enter) that wrote `resume`.
        pub fn resume(&self, resume: usize) {
            self.state().sp = resume as u64;
            self.state().regs[29] = resume as u64;
            self.state().pc = super::way_out::grus_resume as *const () as u64;
        }
    }
}

/// Stand-ins for targets without containment of faults.
#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), target_os = "linux")))]
mod machine {
    use std::ffi::c_void;

    /// State of an interrupted thread, of which nothing is known.
    pub struct ThreadContext;

    impl ThreadContext {
        /// # Safety
        /// There are no requirements.
        pub unsafe fn new(_context: *mut c_void) -> ThreadContext {
            ThreadContext
        }

        pub fn program_counter(&self) -> usize {
            0
        }

        pub fn stack_pointer(&self) -> usize {
            0
        }

        pub fn register(&self, _number: u8) -> u64 {
            0
        }

        pub fn frame_before_call(&self) -> usize {
            0
        }

        pub fn return_address(&self) -> Option<usize> {
            None
        }

        pub fn is_write(&self, _address: usize) -> Option<bool> {
            None
        }

        pub fn resume(&self, _resume: usize) {}
    }
}
