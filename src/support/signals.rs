//! Which signals a thread takes.
//!
//! A fault in a kernel can only be contained if its signal is not blocked: the system ends a process that faults with it
//! blocked, whatever handlers there are. So a thread that runs kernels takes these for that time ([`Faults`]), whatever
//! the host has blocked. Threads of ours take nothing else: a handler of the application runs on the application's
//! threads ([`OnlyFaults`]).

use std::ffi::c_int;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

/// The signals that a fault in a kernel can be.
pub const FAULTS: [c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE];

/// Other signals that a thread brings upon itself: blocking them would end the process as well.
const OWN: [c_int; 2] = [libc::SIGTRAP, libc::SIGSYS];

/// Changes the calling thread's mask; the one before.
fn change(how: c_int, set: &libc::sigset_t) -> libc::sigset_t {
    let mut before = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: a valid set, and room for another one; all zeros is one, too, should the call fail.
    unsafe {
        libc::pthread_sigmask(how, set, before.as_mut_ptr());
        before.assume_init()
    }
}

/// Sets the mask back when dropped, on the thread that it was made on.
struct Back {
    mask: libc::sigset_t,
    _thread: PhantomData<*const ()>,
}

impl Drop for Back {
    fn drop(&mut self) {
        // SAFETY: a mask that the system has written.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.mask, null_mut()) };
    }
}

/// A mask as the kernel has it: a bit for each signal, from 1.
type SignalMask = u64;

const fn mask_of(signals: &[c_int]) -> SignalMask {
    let (mut mask, mut at) = (0, 0);
    while at < signals.len() {
        mask |= 1 << (signals[at] - 1);
        at += 1;
    }
    mask
}

/// The system call itself: a launch is short, and this is most of what it takes. The mask before; 0 if it fails.
fn change_fast(how: c_int, mask: SignalMask) -> SignalMask {
    let mut before: SignalMask = 0;
    // SAFETY: both are masks of the size that is named.
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

/// As long as it lives, signals of faults reach its thread.
pub struct Faults {
    /// The mask to go back to, if any of them was blocked.
    before: Option<SignalMask>,
    /// It stays on its thread.
    _thread: PhantomData<*const ()>,
}

impl Faults {
    /// From here on. Costs a system call, and a second one at the end where the host had blocked any.
    pub fn enter() -> Faults {
        const WANTED: SignalMask = mask_of(&FAULTS);
        let before = change_fast(libc::SIG_UNBLOCK, WANTED);
        Faults { before: (before & WANTED != 0).then_some(before), _thread: PhantomData }
    }
}

impl Drop for Faults {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            change_fast(libc::SIG_SETMASK, before);
        }
    }
}

/// As long as it lives, threads that its thread starts are born with all signals blocked but those that a thread brings upon
/// itself, and so is this one.
pub struct OnlyFaults {
    _back: Back,
}

impl OnlyFaults {
    /// From here on.
    pub fn enter() -> OnlyFaults {
        let mut all = MaybeUninit::<libc::sigset_t>::zeroed();
        // SAFETY: fills the set.
        let mut wanted = unsafe {
            libc::sigfillset(all.as_mut_ptr());
            all.assume_init()
        };
        for signal in FAULTS.into_iter().chain(OWN) {
            // SAFETY: a valid set.
            unsafe { libc::sigdelset(&raw mut wanted, signal) };
        }
        OnlyFaults { _back: Back { mask: change(libc::SIG_SETMASK, &wanted), _thread: PhantomData } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(set: &libc::sigset_t, signal: c_int) -> bool {
        // SAFETY: a valid set.
        unsafe { libc::sigismember(set, signal) == 1 }
    }

    fn set_of(signals: &[c_int]) -> libc::sigset_t {
        let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
        // SAFETY: it is made empty before anything is added.
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
            let faults = Faults::enter();
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
        let only = OnlyFaults::enter();
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
