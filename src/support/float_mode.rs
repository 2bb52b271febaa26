//! Floating-point mode of a thread: the rounding mode, the handling of subnormal numbers, and the exceptions that
//! trap.
//!
//! The host may have set any mode: a program linked with `-ffast-math` flushes subnormals, and others enable traps.
//! Constant folding, tables and kernels must not depend on it, so all computation of the library uses the standard
//! mode. An entry point [switches](StandardMode::enter) to the standard mode and restores the host's mode at its end,
//! threads of the library [start](set_standard) in the standard mode, and callbacks of the application run in the host's
//! mode ([`with_host_mode`]).

use std::cell::Cell;

thread_local! {
    /// Mode of the host on this thread, while the thread is inside the library and that mode differs from the
    /// standard one.
    static HOST: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Guard during whose lifetime the thread computes in the standard mode: round to nearest, subnormals kept, no
/// traps. If the host has another mode, dropping the guard restores it, including the exception flags.
pub struct StandardMode {
    _host: Option<HostMode>,
}

/// Mode of the host, which differs from the standard mode.
struct HostMode {
    mode: u64,
    /// Value of `HOST` before this guard was created.
    outer: Option<u64>,
}

impl StandardMode {
    /// Switches the thread to the standard mode.
    #[inline]
    pub fn enter() -> StandardMode {
        let now = control::get();
        StandardMode { _host: (now & control::MODE != control::STANDARD).then(|| HostMode::leave(now)) }
    }
}

impl HostMode {
    /// Switches to the standard mode and saves the host's.
    #[cold]
    fn leave(mode: u64) -> HostMode {
        control::set(mode & !control::MODE | control::STANDARD);
        HostMode { mode, outer: HOST.try_with(|noted| noted.replace(Some(mode))).ok().flatten() }
    }
}

impl Drop for HostMode {
    fn drop(&mut self) {
        control::set(self.mode);
        let _ = HOST.try_with(|noted| noted.set(self.outer));
    }
}

/// Calls a function of the application from inside the library, in the host's mode if that differs from the
/// standard one.
pub fn with_host_mode<T>(function: impl FnOnce() -> T) -> T {
    /// Guard that restores the standard mode even if the function unwinds.
    struct RestoreStandard;
    impl Drop for RestoreStandard {
        fn drop(&mut self) {
            set_standard();
        }
    }
    let restore = RestoreStandard;
    if let Some(host) = HOST.try_with(Cell::get).ok().flatten() {
        control::set(host);
    }
    let result = function();
    drop(restore);
    result
}

/// Switches the calling thread to the standard mode permanently.
pub fn set_standard() {
    let now = control::get();
    if now & control::MODE != control::STANDARD {
        control::set(now & !control::MODE | control::STANDARD);
    }
}

/// Guard during whose lifetime the thread has the mode that kernels need.
pub struct KernelMode {
    /// Mode to restore; none if the thread had the right mode already.
    before: Option<u64>,
}

impl KernelMode {
    /// Switches the thread to the mode of kernels, with subnormals flushed to zero or kept. The thread is in the
    /// standard mode or in this one before the call.
    #[inline]
    pub fn enter(flush_denormals: bool) -> KernelMode {
        let now = control::get_arithmetic();
        let required = control::STANDARD | if flush_denormals { control::FLUSH } else { 0 };
        let mode = control::MODE & control::ARITHMETIC;
        if now & mode == required & mode {
            return KernelMode { before: None };
        }
        let before = control::get();
        control::set(before & !mode | required & mode);
        KernelMode { before: Some(before) }
    }
}

impl Drop for KernelMode {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            control::set(before);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod control {
    //! Mode word of x86-64: MXCSR in the low half, the x87 control word in the high half. The C library takes the
    //! rounding mode of `printf` from the latter, and C's `fesetround` sets both.

    /// Bits that make up the mode: all of MXCSR except the sticky exception flags; precision, rounding and masks of
    /// x87.
    pub const MODE: u64 = 0x0f3f_0000_ffc0;
    /// Standard mode: all exceptions masked, round to nearest, no flushing; x87 with full precision.
    pub const STANDARD: u64 = 0x033f_0000_1f80;
    /// Bits for flush-to-zero and denormals-are-zero.
    pub const FLUSH: u64 = 0x8040;
    /// Bits that generated code depends on: MXCSR alone.
    pub const ARITHMETIC: u64 = 0xffff_ffff;

    #[inline]
    pub fn get_arithmetic() -> u64 {
        let mut sse = 0u32;
        // SAFETY: the instruction writes the register to a local variable.
        unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut sse, options(nostack, preserves_flags)) };
        u64::from(sse)
    }

    #[inline]
    pub fn get() -> u64 {
        let (mut sse, mut x87) = (0u32, 0u16);
        // SAFETY: the instructions write the registers to local variables.
        unsafe {
            std::arch::asm!(
                "stmxcsr [{}]",
                "fnstcw [{}]",
                in(reg) &raw mut sse,
                in(reg) &raw mut x87,
                options(nostack, preserves_flags)
            );
        }
        u64::from(x87) << 32 | u64::from(sse)
    }

    pub fn set(mode: u64) {
        let (sse, x87) = (mode as u32, (mode >> 32) as u16);
        // SAFETY: `mode` was read from the registers before, and only documented bits of it were changed. The x87
        // stack is empty at a call, and pending x87 exceptions, if any, are the host's.
        unsafe {
            std::arch::asm!(
                "ldmxcsr [{}]",
                "fldcw [{}]",
                in(reg) &raw const sse,
                in(reg) &raw const x87,
                options(nostack, preserves_flags)
            );
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod control {
    //! Mode word of AArch64: FPCR in the low half, FPSR in the high half.

    /// Bits that make up the mode: flush-to-zero, default NaN, rounding mode, trap enables.
    pub const MODE: u64 = 0x07f7_9f00;
    /// Standard mode: round to nearest, no flushing, no traps.
    pub const STANDARD: u64 = 0;
    /// Bit for flush-to-zero, of operands as well as results.
    pub const FLUSH: u64 = 1 << 24;
    /// Bits that generated code depends on: FPCR.
    pub const ARITHMETIC: u64 = 0xffff_ffff;

    #[inline]
    pub fn get_arithmetic() -> u64 {
        let mode: u64;
        // SAFETY: the instruction only reads a register.
        unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) mode, options(nomem, nostack)) };
        mode & ARITHMETIC
    }

    #[inline]
    pub fn get() -> u64 {
        let (mode, flags): (u64, u64);
        // SAFETY: the instructions only read registers.
        unsafe {
            std::arch::asm!("mrs {}, fpcr", "mrs {}, fpsr", out(reg) mode, out(reg) flags, options(nomem, nostack));
        }
        flags << 32 | mode & 0xffff_ffff
    }

    pub fn set(mode: u64) {
        // SAFETY: `mode` was read from the registers before, and only documented bits of it were changed.
        unsafe {
            std::arch::asm!(
                "msr fpcr, {}",
                "msr fpsr, {}",
                in(reg) mode & 0xffff_ffff,
                in(reg) mode >> 32,
                options(nomem, nostack)
            );
        }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod control {
    pub const MODE: u64 = 0;
    pub const STANDARD: u64 = 0;
    pub const FLUSH: u64 = 0;
    pub const ARITHMETIC: u64 = 0;

    pub fn get() -> u64 {
        0
    }

    pub fn get_arithmetic() -> u64 {
        0
    }

    pub fn set(_mode: u64) {}
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// Mode of a host that differs everywhere: rounding down, flushing, and traps for division by zero, in both
    /// units.
    const ODD: u64 = 0x0733_0000_bdc0;

    #[test]
    fn the_standard_mode_is_what_a_thread_starts_with() {
        assert_eq!(control::get() & control::MODE, control::STANDARD);
    }

    #[test]
    fn the_host_gets_back_what_it_had() {
        let before = control::get();
        let odd = ODD | before & !control::MODE;
        control::set(odd);
        let inside = StandardMode::enter();
        let mode = control::get() & control::MODE;
        let in_callback = with_host_mode(control::get);
        let again = control::get() & control::MODE;
        let nested = with_host_mode(|| {
            let _inside = StandardMode::enter();
            with_host_mode(control::get)
        });
        drop(inside);
        let after = control::get();
        // The saved mode has been removed.
        let alone = with_host_mode(control::get);
        control::set(before);
        assert_eq!((mode, again), (control::STANDARD, control::STANDARD));
        assert_eq!((in_callback, nested, after), (odd, odd, odd));
        assert_eq!(alone & control::MODE, odd & control::MODE);
    }

    #[test]
    fn a_function_of_the_host_leaves_no_mode_behind() {
        let before = control::get();
        let inside = StandardMode::enter();
        with_host_mode(|| control::set(ODD));
        assert_eq!(control::get() & control::MODE, control::STANDARD);
        drop(inside);
        assert_eq!(control::get() & control::MODE, before & control::MODE);
    }
}
