//! Signal masks of threads.
//!
//! A fault in a kernel can only be contained if its signal is not blocked: the kernel of the operating system kills
//! a process that faults while the signal is blocked, whatever handlers are installed. A thread therefore unblocks
//! these signals while it runs kernels ([`UnblockFaults`]). Threads of the library block all other signals, so that
//! handlers of the application run on the application's threads ([`BlockAllButFaults`]).

use std::ffi::c_int;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

/// Signals that a fault in a kernel can raise.
pub const FAULT_SIGNALS: [c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE];

/// Other synchronous signals. Blocking them would let the process be killed as well.
const OTHER_SYNCHRONOUS: [c_int; 2] = [libc::SIGTRAP, libc::SIGSYS];

/// Changes the calling thread's mask and returns the previous one.
fn change(how: c_int, set: &libc::sigset_t) -> libc::sigset_t {
    let mut before = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: `set` is a valid set and `before` has room for one. All zeros are a valid set too, should the call
    // fail.
    unsafe {
        libc::pthread_sigmask(how, set, before.as_mut_ptr());
        before.assume_init()
    }
}

/// Guard that restores the mask when dropped, on the thread that created it.
struct RestoreMask {
    mask: libc::sigset_t,
    _thread: PhantomData<*const ()>,
}

impl Drop for RestoreMask {
    fn drop(&mut self) {
        // SAFETY: the mask was written by the system.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.mask, null_mut()) };
    }
}

/// Mask in the kernel's layout: one bit for each signal, from signal 1.
type SignalMask = u64;

const fn mask_of(signals: &[c_int]) -> SignalMask {
    let (mut mask, mut at) = (0, 0);
    while at < signals.len() {
        mask |= 1 << (signals[at] - 1);
        at += 1;
    }
    mask
}

/// Changes the mask by the bare system call, because launches are short and this is most of the guard's cost.
/// Returns the previous mask; 0 if the call fails.
fn change_fast(how: c_int, mask: SignalMask) -> SignalMask {
    let mut before: SignalMask = 0;
    // SAFETY: both masks have the size that is passed.
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigprocmask,
            how,
            &raw const mask,
            &raw mut before,
            size_of::<SignalMask>(),
        );
    }
    before
}

/// Guard during whose lifetime the signals of faults reach its thread.
pub struct UnblockFaults {
    /// Mask to restore, if any of the signals was blocked.
    before: Option<SignalMask>,
    /// Marker that keeps the guard on its thread.
    _thread: PhantomData<*const ()>,
}

impl UnblockFaults {
    /// Unblocks the signals. Costs one system call, and another one at the end if the host had blocked any of them.
    pub fn enter() -> UnblockFaults {
        const FAULT_MASK: SignalMask = mask_of(&FAULT_SIGNALS);
        let before = change_fast(libc::SIG_UNBLOCK, FAULT_MASK);
        UnblockFaults { before: (before & FAULT_MASK != 0).then_some(before), _thread: PhantomData }
    }
}

impl Drop for UnblockFaults {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            change_fast(libc::SIG_SETMASK, before);
        }
    }
}

/// Guard during whose lifetime its thread has all signals blocked except synchronous ones. Threads started
/// meanwhile inherit the mask.
pub struct BlockAllButFaults {
    _restore: RestoreMask,
}

impl BlockAllButFaults {
    /// Blocks the signals.
    pub fn enter() -> BlockAllButFaults {
        let mut all = MaybeUninit::<libc::sigset_t>::zeroed();
        // SAFETY: the call fills the set.
        let mut blocked = unsafe {
            libc::sigfillset(all.as_mut_ptr());
            all.assume_init()
        };
        for signal in FAULT_SIGNALS.into_iter().chain(OTHER_SYNCHRONOUS) {
            // SAFETY: the set was filled above.
            unsafe { libc::sigdelset(&raw mut blocked, signal) };
        }
        BlockAllButFaults {
            _restore: RestoreMask { mask: change(libc::SIG_SETMASK, &blocked), _thread: PhantomData },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(set: &libc::sigset_t, signal: c_int) -> bool {
        // SAFETY: the set was written by the system.
        unsafe { libc::sigismember(set, signal) == 1 }
    }

    fn set_of(signals: &[c_int]) -> libc::sigset_t {
        let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
        // SAFETY: the set is emptied before anything is added.
        unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            for &signal in signals {
                libc::sigaddset(set.as_mut_ptr(), signal);
            }
            set.assume_init()
        }
    }

    fn mask() -> libc::sigset_t {
        change(libc::SIG_BLOCK, &set_of(&[]))
    }

    #[test]
    fn faults_are_taken_for_a_time() {
        std::thread::spawn(|| {
            change(libc::SIG_BLOCK, &set_of(&[libc::SIGSEGV, libc::SIGUSR1]));
            let faults = UnblockFaults::enter();
            assert!(!has(&mask(), libc::SIGSEGV) && has(&mask(), libc::SIGUSR1));
            drop(faults);
            assert!(has(&mask(), libc::SIGSEGV) && !has(&mask(), libc::SIGFPE));
        })
        .join()
        .unwrap();
    }

    #[test]
    fn threads_that_are_started_take_nothing_else() {
        let before = has(&mask(), libc::SIGALRM);
        let only = BlockAllButFaults::enter();
        std::thread::spawn(|| {
            assert!(has(&mask(), libc::SIGALRM) && has(&mask(), libc::SIGTERM));
            assert!(!has(&mask(), libc::SIGSEGV) && !has(&mask(), libc::SIGTRAP));
        })
        .join()
        .unwrap();
        drop(only);
        assert_eq!(has(&mask(), libc::SIGALRM), before);
    }
}
