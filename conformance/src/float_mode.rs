//! Unusual floating-point modes of the calling thread. With `--float-mode`, every call of a test is made in such a
//! mode and must preserve it.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::starve;

/// Modes by name: MXCSR in the low half and the control word of the x87 unit in the high half, without exception
/// flags.
pub const MODES: &[(&str, u64)] = &[
    ("down", 0x077f_0000_3f80),
    ("up", 0x0b7f_0000_5f80),
    ("zero", 0x0f7f_0000_7f80),
    ("flush", 0x037f_0000_9f80),
    ("denormals-are-zero", 0x037f_0000_1fc0),
    ("single-x87", 0x007f_0000_1f80),
    ("trap-invalid", 0x037e_0000_1f00),
    ("trap-denormal", 0x037d_0000_1e80),
    ("trap-division", 0x037b_0000_1d80),
    ("trap-overflow", 0x0377_0000_1b80),
    ("trap-underflow", 0x036f_0000_1780),
    ("trap-inexact", 0x035f_0000_0f80),
    ("odd", 0x0440_0000_a040),
];

/// Mask of the mode bits, without exception flags.
const MODE_BITS: u64 = 0x0f3f_0000_ffc0;

/// Returns the mode named `name`.
pub fn mode(name: &str) -> Option<u64> {
    MODES.iter().find(|(other, _)| *other == name).map(|&(_, mode)| mode)
}

/// Mode in which calls are made, or 0 to keep the current one.
static MODE_FOR_CALLS: AtomicU64 = AtomicU64::new(0);
/// Number of calls that changed the mode.
static CHANGED: AtomicUsize = AtomicUsize::new(0);

/// Sets the mode for all later calls.
pub fn set_mode(mode: u64) {
    MODE_FOR_CALLS.store(mode, Ordering::Relaxed);
}

/// Returns the number of calls that changed the mode so far.
pub fn changed() -> usize {
    CHANGED.load(Ordering::Relaxed)
}

/// Makes a call in the selected mode.
#[inline]
pub fn call<T>(call: impl FnOnce() -> T) -> T {
    let mode = MODE_FOR_CALLS.load(Ordering::Relaxed);
    let call = || starve::call(call);
    if mode == 0 { call() } else { call_in(mode, call) }
}

fn call_in<T>(mode: u64, call: impl FnOnce() -> T) -> T {
    let before = registers::get();
    registers::set(mode);
    let result = call();
    let after = registers::get();
    registers::set(before);
    if after & MODE_BITS != mode & MODE_BITS {
        CHANGED.fetch_add(1, Ordering::Relaxed);
    }
    result
}

/// Returns the mode of the calling thread, in the format of [`MODES`].
pub fn current() -> u64 {
    registers::get() & MODE_BITS
}

/// Clears the bits that [`current`] does not report.
pub fn masked(mode: u64) -> u64 {
    mode & MODE_BITS
}

/// True if modes can be set on this architecture.
pub const SUPPORTED: bool = cfg!(target_arch = "x86_64");

#[cfg(target_arch = "x86_64")]
mod registers {
    pub fn get() -> u64 {
        let (mut sse, mut x87) = (0u32, 0u16);
        // SAFETY: the instructions write the registers to local variables.
        unsafe {
            std::arch::asm!(
                "stmxcsr [{}]",
                "fnstcw [{}]",
                in(reg) &raw mut sse,
                in(reg) &raw mut x87,
                options(nostack)
            );
        }
        u64::from(x87) << 32 | u64::from(sse)
    }

    pub fn set(mode: u64) {
        let (sse, x87) = (mode as u32, (mode >> 32) as u16);
        // SAFETY: only documented bits are set, and no exception flag is set, so no instruction traps here.
        unsafe {
            std::arch::asm!(
                "ldmxcsr [{}]",
                "fldcw [{}]",
                in(reg) &raw const sse,
                in(reg) &raw const x87,
                options(nostack)
            );
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod registers {
    pub fn get() -> u64 {
        0
    }

    pub fn set(_mode: u64) {}
}
