//! The floating-point mode of a thread while it runs kernels: round to nearest, no
//! exceptions, denormals kept or flushed. Restored afterwards: the application may have set another.

/// Restores the thread's mode when dropped.
pub(super) struct FloatMode {
    /// The mode to go back to; none if it was the right one already.
    before: Option<u64>,
}

impl FloatMode {
    /// Switches this thread to the kernels' mode.
    pub(super) fn enter(flush_denormals: bool) -> FloatMode {
        let now = control::get();
        let wanted = control::KERNELS | if flush_denormals { control::FLUSH } else { 0 };
        if now & control::MODE == wanted {
            return FloatMode { before: None };
        }
        control::set(now & !control::MODE | wanted);
        FloatMode { before: Some(now) }
    }
}

impl Drop for FloatMode {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            control::set(before);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod control {
    /// Everything in MXCSR but the sticky exception flags.
    pub const MODE: u64 = 0xffc0;
    /// All exceptions masked, nearest, no flushing.
    pub const KERNELS: u64 = 0x1f80;
    /// Flush-to-zero and denormals-are-zero.
    pub const FLUSH: u64 = 0x8040;

    pub fn get() -> u64 {
        let mut mode = 0u32;
        // SAFETY: writes the register to a local variable.
        unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut mode, options(nostack, preserves_flags)) };
        u64::from(mode)
    }

    pub fn set(mode: u64) {
        let mode = mode as u32;
        // SAFETY: a mode that was read before, or the default with its reserved bits clear.
        unsafe {
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const mode, options(nostack, preserves_flags))
        };
    }
}

#[cfg(target_arch = "aarch64")]
mod control {
    /// Flush-to-zero, default NaN, rounding mode, trap enables.
    pub const MODE: u64 = 0x07f7_9f00;
    /// Nearest, no flushing, no traps.
    pub const KERNELS: u64 = 0;
    /// Flush-to-zero, for operands as well.
    pub const FLUSH: u64 = 1 << 24;

    pub fn get() -> u64 {
        let mode: u64;
        // SAFETY: reads a register.
        unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) mode) };
        mode
    }

    pub fn set(mode: u64) {
        // SAFETY: a mode that was read before, with documented bits cleared.
        unsafe { std::arch::asm!("msr fpcr, {}", in(reg) mode) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod control {
    pub const MODE: u64 = 0;
    pub const KERNELS: u64 = 0;
    pub const FLUSH: u64 = 0;

    pub fn get() -> u64 {
        0
    }

    pub fn set(_mode: u64) {}
}
