//! The floating-point mode of a thread: how results are rounded, what becomes of subnormal numbers, which exceptions trap.
//!
//! A host may have set any (a program that is linked with `-ffast-math` flushes subnormals, another one traps). All that is
//! computed here must not depend on it: constants are folded, tables made and kernels run in the standard mode. So an
//! entry point [enters](Standard::enter) that mode and leaves the host's as it was, threads of ours [start](adopt) in it,
//! and functions of the application are called in the host's mode ([`as_host`]).

use std::cell::Cell;

thread_local! {
    /// The host's mode on this thread, while it is inside and that is another one than ours.
    static HOST: Cell<Option<u64>> = const { Cell::new(None) };
}

/// As long as it lives, its thread computes in the standard mode: round to nearest, subnormals kept, no traps. A host that
/// has another one gets it back as it was, flags of exceptions included.
pub struct Standard {
    _host: Option<Host>,
}

/// A mode that is not ours.
struct Host {
    mode: u64,
    /// What was noted before.
    outer: Option<u64>,
}

impl Standard {
    /// From here on.
    #[inline]
    pub fn enter() -> Standard {
        let now = control::get();
        Standard { _host: (now & control::MODE != control::STANDARD).then(|| Host::leave(now)) }
    }
}

impl Host {
    /// Switches to the standard mode and notes the host's.
    #[cold]
    fn leave(mode: u64) -> Host {
        control::set(mode & !control::MODE | control::STANDARD);
        Host { mode, outer: HOST.try_with(|noted| noted.replace(Some(mode))).ok().flatten() }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        control::set(self.mode);
        let _ = HOST.try_with(|noted| noted.set(self.outer));
    }
}

/// Calls a function of the application from inside: in the mode of the host, where it has one of its own.
pub fn as_host<T>(function: impl FnOnce() -> T) -> T {
    /// Comes back however the function ends.
    struct Back;
    impl Drop for Back {
        fn drop(&mut self) {
            adopt();
        }
    }
    let back = Back;
    if let Some(host) = HOST.try_with(Cell::get).ok().flatten() {
        control::set(host);
    }
    let result = function();
    drop(back);
    result
}

/// The standard mode for the calling thread, whatever has started it or run on it.
pub fn adopt() {
    let now = control::get();
    if now & control::MODE != control::STANDARD {
        control::set(now & !control::MODE | control::STANDARD);
    }
}

/// As long as it lives, its thread computes as kernels do.
pub struct Kernels {
    /// The mode to go back to; none if it was the right one already.
    before: Option<u64>,
}

impl Kernels {
    /// From here on, with subnormals flushed to zero or kept. The thread is in the standard mode, or in this one.
    #[inline]
    pub fn enter(flush_denormals: bool) -> Kernels {
        let now = control::get_arithmetic();
        let wanted = control::STANDARD | if flush_denormals { control::FLUSH } else { 0 };
        let mode = control::MODE & control::ARITHMETIC;
        if now & mode == wanted & mode {
            return Kernels { before: None };
        }
        let before = control::get();
        control::set(before & !mode | wanted & mode);
        Kernels { before: Some(before) }
    }
}

impl Drop for Kernels {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            control::set(before);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod control {
    //! MXCSR in the low half, the control word of the x87 unit in the high one: C's library asks the latter how to round
    //! what it prints, and both are set by C's `fesetround`.

    /// Everything in MXCSR but the sticky flags of exceptions; precision, rounding and masks of x87.
    pub const MODE: u64 = 0x0f3f_0000_ffc0;
    /// All exceptions masked, nearest, no flushing; x87 with its full precision.
    pub const STANDARD: u64 = 0x033f_0000_1f80;
    /// Flush-to-zero and denormals-are-zero.
    pub const FLUSH: u64 = 0x8040;
    /// What machine code computes by: MXCSR alone.
    pub const ARITHMETIC: u64 = 0xffff_ffff;

    #[inline]
    pub fn get_arithmetic() -> u64 {
        let mut sse = 0u32;
        // SAFETY: writes the register to a local variable.
        unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut sse, options(nostack, preserves_flags)) };
        u64::from(sse)
    }

    #[inline]
    pub fn get() -> u64 {
        let (mut sse, mut x87) = (0u32, 0u16);
        // SAFETY: writes the registers to local variables.
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
        // SAFETY: modes that were read before, or documented bits changed in such. The x87 unit has nothing on its stack
        // at a call, and its pending exceptions, if it has any, are the host's.
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
    //! FPCR in the low half, FPSR in the high one.

    /// Flush-to-zero, default NaN, rounding mode, trap enables.
    pub const MODE: u64 = 0x07f7_9f00;
    /// Nearest, no flushing, no traps.
    pub const STANDARD: u64 = 0;
    /// Flush-to-zero, for operands as well.
    pub const FLUSH: u64 = 1 << 24;
    /// FPCR.
    pub const ARITHMETIC: u64 = 0xffff_ffff;

    #[inline]
    pub fn get_arithmetic() -> u64 {
        let mode: u64;
        // SAFETY: reads a register.
        unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) mode, options(nomem, nostack)) };
        mode & ARITHMETIC
    }

    #[inline]
    pub fn get() -> u64 {
        let (mode, flags): (u64, u64);
        // SAFETY: reads registers.
        unsafe {
            std::arch::asm!("mrs {}, fpcr", "mrs {}, fpsr", out(reg) mode, out(reg) flags, options(nomem, nostack));
        }
        flags << 32 | mode & 0xffff_ffff
    }

    pub fn set(mode: u64) {
        // SAFETY: a mode that was read before, with documented bits changed.
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

    /// Rounding down, flushing, and division by zero traps, in both units.
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
        let inside = Standard::enter();
        let mode = control::get() & control::MODE;
        let in_callback = as_host(control::get);
        let again = control::get() & control::MODE;
        let nested = as_host(|| {
            let _inside = Standard::enter();
            as_host(control::get)
        });
        drop(inside);
        let after = control::get();
        // The noted mode is gone.
        let alone = as_host(control::get);
        control::set(before);
        assert_eq!((mode, again), (control::STANDARD, control::STANDARD));
        assert_eq!((in_callback, nested, after), (odd, odd, odd));
        assert_eq!(alone & control::MODE, odd & control::MODE);
    }

    #[test]
    fn a_function_of_the_host_leaves_no_mode_behind() {
        let before = control::get();
        let inside = Standard::enter();
        as_host(|| control::set(ODD));
        assert_eq!(control::get() & control::MODE, control::STANDARD);
        drop(inside);
        assert_eq!(control::get() & control::MODE, before & control::MODE);
    }
}
