//! Recorded program as a child process: signals for it are passed on, and this process ends as the program does.

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

/// Signals that are passed on to the program when another process sends them to `grus`.
const FORWARDED_SIGNALS: [libc::c_int; 6] =
    [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1, libc::SIGUSR2];

/// Process id of the program; 0 while there is none.
static CHILD: AtomicI32 = AtomicI32::new(0);

extern "C" fn forward_signal(signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // A signal of the terminal reaches the program as well, so it is not passed on.
    // SAFETY: the kernel passes a valid pointer, and a null pointer is handled.
    let is_sent = unsafe { info.as_ref() }.is_some_and(|info| info.si_code <= 0);
    let child = CHILD.load(Ordering::Relaxed);
    if is_sent && child != 0 {
        // SAFETY: `kill` is async-signal-safe. The child has not been waited for, so its process id is still its
        // own.
        unsafe { libc::kill(child, signal) };
    }
}

/// Installs the handler for signals that are passed on. Ignored signals stay ignored, and the program inherits
/// that.
fn handle() {
    for signal in FORWARDED_SIGNALS {
        // SAFETY: an all-zero action is valid, and the handler calls async-signal-safe functions only.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, ptr::null(), &raw mut before);
            if before.sa_sigaction == libc::SIG_IGN {
                continue;
            }
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = forward_signal as *const () as libc::sighandler_t;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigaction(signal, &raw const action, ptr::null_mut());
        }
    }
}

/// Runs a program with Grus as its only vendor and a folder to which the library records, and calls `finish` with
/// that folder. Ends this process as the program has ended.
///
/// # Errors
/// If the program cannot be run, or if it has succeeded but its recording cannot be processed.
pub fn record(
    library: Option<&Path>,
    command_line: &[OsString],
    purpose: &str,
    prepare: impl FnOnce(&mut Command, &Path),
    process_recording: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let folder = Folder::new(purpose)?;
    let mut command = with::command(library, command_line)?;
    prepare(&mut command, &folder.0);
    let status = match run(&mut command) {
        Ok(status) => status,
        Err(error) => {
            drop(folder);
            with::end_without(&command_line[0], &error)
        }
    };
    let result = process_recording(&folder.0);
    drop(folder);
    match result {
        // If the program has failed, its exit status takes precedence.
        Err(problem) if status.success() => Err(problem),
        Err(problem) => {
            crate::report(&problem);
            end_as(status)
        }
        Ok(()) => end_as(status),
    }
}

/// Runs the program and waits for its end.
///
/// # Errors
/// If it cannot be run.
fn run(command: &mut Command) -> io::Result<ExitStatus> {
    // Signals that arrive before the process id is known stay pending. The program itself begins with none blocked.
    // SAFETY: the calls change the signal mask of this thread, which is the only one.
    let mut child = unsafe {
        let mut forwarded: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut forwarded);
        for signal in FORWARDED_SIGNALS {
            libc::sigaddset(&raw mut forwarded, signal);
        }
        libc::sigprocmask(libc::SIG_BLOCK, &raw const forwarded, &raw mut before);
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

/// Waits without reaping the child, so that its process id stays valid for signals that are passed on.
fn wait(child: &mut std::process::Child) -> io::Result<ExitStatus> {
    loop {
        // SAFETY: an all-zero `siginfo_t` is valid.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: `info` is a valid place for the result.
        let code =
            unsafe { libc::waitid(libc::P_PID, child.id(), &raw mut info, libc::WEXITED | libc::WNOWAIT) };
        if code == 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            break;
        }
    }
    CHILD.store(0, Ordering::Relaxed);
    child.wait()
}

/// Ends this process with the program's exit status, or by the signal that ended the program.
fn end_as(status: ExitStatus) -> ! {
    if let Some(signal) = status.signal() {
        // SAFETY: the calls affect this process only: they restore the default action, disable the core file (the
        // program has written its own), and raise the signal.
        unsafe {
            let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
    std::process::exit(status.code().unwrap_or(1))
}
