//! What containing a fault needs of the machine and the system: handlers, stacks for them, the registers of an
//! interrupted thread, and a call that can be left from a handler.

use std::ffi::{c_int, c_void};
use std::ptr::{self, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::support::environment::environment;
use crate::support::signals::FAULTS;

/// A handler with information.
type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// What handled each signal before; null before that is known.
static BEFORE: [AtomicPtr<libc::sigaction>; FAULTS.len()] =
    [const { AtomicPtr::new(null_mut()) }; FAULTS.len()];

/// Installs `handler`, unless it is there already: several threads may do this at once, and a child whose parent was at it
/// does it anew. `false` if the system or `GRUS_CATCH_FAULTS=0` does not let it.
pub(super) fn install(handler: Handler) -> bool {
    if !supported() || environment().keep_faults {
        return false;
    }
    FAULTS.into_iter().zip(&BEFORE).all(|(signal, before)| install_one(signal, handler, before))
}

fn install_one(signal: c_int, handler: Handler, before: &AtomicPtr<libc::sigaction>) -> bool {
    // SAFETY: an all-zero sigaction is one.
    let [mut action, mut found]: [libc::sigaction; 2] = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler as usize;
    // On a stack of its own, since the thread's may be used up.
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: valid actions, and room for the old one.
    unsafe {
        libc::sigemptyset(&raw mut action.sa_mask);
        if libc::sigaction(signal, ptr::null(), &raw mut found) != 0 {
            return false;
        }
        if found.sa_sigaction == handler as usize {
            return true;
        }
        // Known before it is needed.
        note(before, found);
        if libc::sigaction(signal, &raw const action, &raw mut found) != 0 {
            return false;
        }
    }
    // A handler that was installed in between is not passed over.
    if found.sa_sigaction != handler as usize {
        note(before, found);
    }
    true
}

/// A handler may be reading the note that there was: it stays.
fn note(place: &AtomicPtr<libc::sigaction>, found: libc::sigaction) {
    // SAFETY: what is there is never freed.
    let there = unsafe { place.load(Ordering::Acquire).as_ref() };
    if there.is_none_or(|there| there.sa_sigaction != found.sa_sigaction || there.sa_flags != found.sa_flags)
    {
        place.store(Box::into_raw(Box::new(found)), Ordering::Release);
    }
}

/// Does what would have been done without us.
pub(super) fn chain(signal: c_int, info: *mut libc::siginfo_t, machine: *mut c_void) {
    let at = FAULTS.iter().position(|&s| s == signal);
    // SAFETY: what is there is never freed.
    let before = at.and_then(|at| unsafe { BEFORE[at].load(Ordering::Acquire).as_ref() });
    let Some(before) = before else { return };
    pass_on(before, signal, info, machine);
}

fn pass_on(before: &libc::sigaction, signal: c_int, info: *mut libc::siginfo_t, machine: *mut c_void) {
    match before.sa_sigaction {
        // To ignore a fault would be to run into it for ever; the system takes that for the default, too.
        libc::SIG_DFL | libc::SIG_IGN => {
            // SAFETY: the instruction is tried again when this handler returns, and then ends the process as the
            // default has it. A signal that somebody sent comes again by hand.
            unsafe {
                libc::signal(signal, libc::SIG_DFL);
                if (*info).si_code <= 0 && before.sa_sigaction == libc::SIG_DFL {
                    libc::raise(signal);
                }
            }
        }
        address if before.sa_flags & libc::SA_SIGINFO != 0 => {
            // SAFETY: the application installed this address as a handler of this type.
            let handler = unsafe { std::mem::transmute::<usize, Handler>(address) };
            handler(signal, info, machine);
        }
        address => {
            // SAFETY: as above.
            let handler = unsafe { std::mem::transmute::<usize, extern "C" fn(c_int)>(address) };
            handler(signal);
        }
    }
}

/// A thread's stack for handlers, where it had none.
pub(super) struct Stack {
    start: *mut c_void,
}

impl Stack {
    const SIZE: usize = 64 << 10;
    /// Below it: a page that nobody may touch, the largest of any machine.
    const FENCE: usize = 64 << 10;

    /// Gives this thread a stack if it has none.
    pub(super) fn install() -> Option<Stack> {
        // SAFETY: asks for what there is, and a mapping at an address of the system's choice.
        unsafe {
            let mut now: libc::stack_t = std::mem::zeroed();
            if libc::sigaltstack(ptr::null(), &raw mut now) != 0 || now.ss_flags & libc::SS_DISABLE == 0 {
                return None;
            }
            let (protection, flags) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            let size = Self::FENCE + Self::SIZE;
            let start = libc::mmap(ptr::null_mut(), size, protection, flags, -1, 0);
            if start == libc::MAP_FAILED {
                return None;
            }
            libc::mprotect(start, Self::FENCE, libc::PROT_NONE);
            let stack = Stack { start };
            let new = libc::stack_t { ss_sp: stack.base(), ss_flags: 0, ss_size: Self::SIZE };
            (libc::sigaltstack(&raw const new, ptr::null_mut()) == 0).then_some(stack)
        }
    }

    fn base(&self) -> *mut c_void {
        self.start.wrapping_byte_add(Self::FENCE)
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours; the system is told before it goes, unless somebody has set another stack since.
        unsafe {
            let mut now: libc::stack_t = std::mem::zeroed();
            libc::sigaltstack(ptr::null(), &raw mut now);
            if now.ss_sp == self.base() {
                let none = libc::stack_t { ss_sp: ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
                libc::sigaltstack(&raw const none, ptr::null_mut());
            }
            libc::munmap(self.start, Self::FENCE + Self::SIZE);
        }
    }
}

pub(super) use machine::ThreadContext;
pub(super) use way_out::{enter, leave, supported};

/// The call that can be left: assembler of the machine.
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), target_os = "linux"))]
mod way_out {
    use std::ffi::c_void;

    unsafe extern "C" {
        fn grus_enter(body: extern "C" fn(*mut c_void), data: *mut c_void, resume: *mut usize);
        /// Where `grus_enter` goes on when its call returns. No function.
        pub fn grus_resume();
        fn grus_leave(resume: usize) -> !;
    }

    /// Calls `body` with `data`. `resume` gets what [`super::ThreadContext::resume`] wants.
    ///
    /// # Safety
    /// `body` may be called with `data`, and nothing that it calls and that can fault has anything to clean up.
    pub unsafe fn enter(body: extern "C" fn(*mut c_void), data: *mut c_void, resume: *mut usize) {
        // SAFETY: the caller's promise.
        unsafe { grus_enter(body, data, resume) }
    }

    /// Goes on behind the call of [`enter`] that wrote `resume`, as if that had returned.
    ///
    /// # Safety
    /// That call is under way on this thread, and nothing between it and this one has anything to clean up.
    pub unsafe fn leave(resume: usize) {
        // SAFETY: the caller's promise.
        unsafe { grus_leave(resume) }
    }

    /// Whether faults can be contained here.
    pub fn supported() -> bool {
        true
    }
}

/// A call that cannot be left.
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

    /// Does nothing here.
    ///
    /// # Safety
    /// None is needed.
    pub unsafe fn leave(_resume: usize) {}

    /// Whether faults can be contained here.
    pub fn supported() -> bool {
        false
    }
}

/// x86-64 with the System V calling convention.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod machine {
    use std::ffi::c_void;

    // Saves what a callee must keep and the stack pointer, calls. A handler that sets the stack pointer back and the
    // program counter to `grus_resume` makes the call return.
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

    /// The state of an interrupted thread.
    pub struct ThreadContext(*mut libc::ucontext_t);

    /// General registers in the order of their numbers in instructions.
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
        /// # Safety
        /// `context` is what a handler of signals got, and that handler still runs.
        pub unsafe fn new(context: *mut c_void) -> ThreadContext {
            ThreadContext(context.cast())
        }

        fn get(&self, register: i32) -> u64 {
            // SAFETY: as said where this was made.
            let registers = unsafe { &(*self.0).uc_mcontext.gregs };
            registers[register as usize] as u64
        }

        pub fn program_counter(&self) -> usize {
            self.get(libc::REG_RIP) as usize
        }

        pub fn stack_pointer(&self) -> usize {
            self.get(libc::REG_RSP) as usize
        }

        /// A general register by its number in instructions.
        pub fn register(&self, number: u8) -> u64 {
            REGISTERS.get(usize::from(number)).map_or(0, |&register| self.get(register))
        }

        /// Where the stack pointer was before the call of a function that keeps a frame pointer.
        pub fn frame_before_call(&self) -> usize {
            (self.get(libc::REG_RBP) as usize).wrapping_add(16)
        }

        /// Return addresses are on the stack.
        pub fn return_address(&self) -> Option<usize> {
            None
        }

        /// Whether a page fault was for writing; `None` if it was no page fault.
        pub fn is_write(&self, _address: usize) -> Option<bool> {
            const PAGE_FAULT: u64 = 14;
            (self.get(libc::REG_TRAPNO) == PAGE_FAULT).then(|| self.get(libc::REG_ERR) & 2 != 0)
        }

        /// Has the thread go on behind the call of [`enter`] that wrote `resume`.
        pub fn resume(&self, resume: usize) {
            const DIRECTION: i64 = 1 << 10;
            // SAFETY: as said where this was made.
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

    // As for x86-64. The low halves of v8 to v15 are the callee's to keep.
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

    /// The state of an interrupted thread.
    pub struct ThreadContext(*mut libc::ucontext_t);

    impl ThreadContext {
        /// # Safety
        /// `context` is what a handler of signals got, and that handler still runs.
        pub unsafe fn new(context: *mut c_void) -> ThreadContext {
            ThreadContext(context.cast())
        }

        fn state(&self) -> &mut libc::mcontext_t {
            // SAFETY: as said where this was made.
            unsafe { &mut (*self.0).uc_mcontext }
        }

        pub fn program_counter(&self) -> usize {
            self.state().pc as usize
        }

        pub fn stack_pointer(&self) -> usize {
            self.state().sp as usize
        }

        /// A general register by its number in instructions.
        pub fn register(&self, number: u8) -> u64 {
            self.state().regs.get(usize::from(number)).copied().unwrap_or(0)
        }

        /// Where the stack pointer was before the call of a function that keeps a frame pointer.
        pub fn frame_before_call(&self) -> usize {
            (self.register(29) as usize).wrapping_add(16)
        }

        /// Where the last call returns to, if nothing has been called since: functions that call nothing do not store it.
        pub fn return_address(&self) -> Option<usize> {
            Some(self.register(30) as usize)
        }

        /// Whether it was a write, if it was an access of data.
        pub fn is_write(&self, address: usize) -> Option<bool> {
            let at = self.program_counter();
            // A jump to where no code is.
            if address == at {
                return None;
            }
            // SAFETY: it was executed, so it is there.
            let instruction = unsafe { std::ptr::with_exposed_provenance::<u32>(at).read_unaligned() };
            super::super::arm_access::stores(instruction)
        }

        /// Has the thread go on behind the call of [`enter`] that wrote `resume`.
        pub fn resume(&self, resume: usize) {
            self.state().sp = resume as u64;
            self.state().regs[29] = resume as u64;
            self.state().pc = super::way_out::grus_resume as *const () as u64;
        }
    }
}

/// Machines on which faults are not contained.
#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), target_os = "linux")))]
mod machine {
    use std::ffi::c_void;

    /// The state of an interrupted thread, of which nothing is known.
    pub struct ThreadContext;

    impl ThreadContext {
        /// # Safety
        /// None is needed here.
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
