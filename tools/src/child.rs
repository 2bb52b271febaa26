//! The program that is recorded, as a child of this process: signals that are for it are passed on, and this process ends as it does.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::folder::Folder;
use crate::problem::Result;
use crate::with;

/// What somebody may send to the program by sending it to `grus`.
const PASSED_ON: [libc::c_int; 6] =
    [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1, libc::SIGUSR2];

/// The program's process; 0 while there is none.
static CHILD: AtomicI32 = AtomicI32::new(0);

extern "C" fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // What a terminal sends, it sends to the program as well.
    // SAFETY: the kernel gives the information of the signal.
    let is_sent = unsafe { info.as_ref() }.is_some_and(|info| info.si_code <= 0);
    let child = CHILD.load(Ordering::Relaxed);
    if is_sent && child != 0 {
        // SAFETY: may be called in a handler. The child has not been waited for: its number is its own.
        unsafe { libc::kill(child, signal) };
    }
}

/// Handles the signals that are passed on, unless they are ignored: then the program ignores them, too.
fn handle() {
    for signal in PASSED_ON {
        // SAFETY: zeros are a valid action, and the handler does only what handlers may.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, ptr::null(), &raw mut before);
            if before.sa_sigaction == libc::SIG_IGN {
                continue;
            }
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = pass_on as *const () as libc::sighandler_t;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigaction(signal, &raw const action, ptr::null_mut());
        }
    }
}

/// Runs a program with Grus as its only vendor and a folder that the library records to, and has told what is in that. Ends this
/// process as the program has ended.
///
/// # Errors
/// If the program cannot be run; if it has succeeded but what it left cannot be told.
pub fn record(
    library: Option<&Path>,
    words: &[OsString],
    purpose: &str,
    prepare: impl FnOnce(&mut Command, &Path),
    tell: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let folder = Folder::new(purpose)?;
    let mut command = with::command(library, words)?;
    prepare(&mut command, &folder.0);
    let status = match run(&mut command) {
        Ok(status) => status,
        Err(error) => {
            drop(folder);
            with::end_without(&words[0], &error)
        }
    };
    let told = tell(&folder.0);
    drop(folder);
    match told {
        // A program that fails is the worse news.
        Err(problem) if status.success() => Err(problem),
        Err(problem) => {
            crate::tell(&problem);
            end_as(status)
        }
        Ok(()) => end_as(status),
    }
}

/// Runs it to its end.
///
/// # Errors
/// If it cannot be run.
fn run(command: &mut Command) -> io::Result<ExitStatus> {
    // Signals that come before the program's number is known wait. The program itself begins with none blocked.
    // SAFETY: changes which signals this thread blocks, and there is no other.
    let mut child = unsafe {
        let mut passed: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut passed);
        for signal in PASSED_ON {
            libc::sigaddset(&raw mut passed, signal);
        }
        libc::sigprocmask(libc::SIG_BLOCK, &raw const passed, &raw mut before);
        handle();
        let child = command.spawn();
        if let Ok(child) = &child {
            CHILD.store(child.id().cast_signed(), Ordering::Relaxed);
        }
        libc::sigprocmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut());
        child?
    };
    wait(&mut child)
}

/// Waits without taking the child's number from it: until that is done, a signal may still be passed on.
fn wait(child: &mut std::process::Child) -> io::Result<ExitStatus> {
    loop {
        // SAFETY: zeros are a valid answer that says nothing.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: `info` is room for the answer.
        let code =
            unsafe { libc::waitid(libc::P_PID, child.id(), &raw mut info, libc::WEXITED | libc::WNOWAIT) };
        if code == 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            break;
        }
    }
    CHILD.store(0, Ordering::Relaxed);
    child.wait()
}

/// Ends this process as the program has ended: with its exit status, or by its signal.
fn end_as(status: ExitStatus) -> ! {
    if let Some(signal) = status.signal() {
        // SAFETY: the default is what happens to a program that does nothing about a signal; whoever wants a core file has
        // the program's.
        unsafe {
            let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
    std::process::exit(status.code().unwrap_or(1))
}
