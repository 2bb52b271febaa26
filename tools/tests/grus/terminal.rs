//! Tests of output that appears on terminals only: progress of long operations.

use std::fs::File;
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::Path;
use std::process::Stdio;
use std::ptr::null_mut;

use super::{command, folder, put, said, the_library};

/// Runs a command with standard error on a terminal. Returns the output there, and the exit status.
fn on_terminal(folder: &Path, words: &[&str]) -> (String, Option<i32>) {
    let (mut ours, mut theirs) = (-1, -1);
    let size = libc::winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the call writes the two descriptors and reads the size; the other pointers may be null.
    let opened = unsafe { libc::openpty(&mut ours, &mut theirs, null_mut(), null_mut(), &raw const size) };
    assert_eq!(opened, 0, "a terminal can be made");
    // SAFETY: both descriptors are open and have no other owner.
    let (mut ours, theirs) = unsafe { (File::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs)) };
    let mut grus = command(folder);
    grus.args(words).env("TERM", "xterm").env("OCL_ICD_VENDORS", folder).stdout(Stdio::null());
    let mut child = grus.stderr(Stdio::from(theirs)).spawn().expect("grus runs");
    // The command holds a descriptor of the terminal, which must be closed for the end of the output to be seen.
    drop(grus);
    let mut told = Vec::new();
    let mut part = [0; 4096];
    // Reading fails when the last descriptor of the other side is closed.
    while let Ok(size @ 1..) = ours.read(&mut part) {
        told.extend(&part[..size]);
    }
    (String::from_utf8_lossy(&told).into_owned(), child.wait().expect("it ends").code())
}

#[test]
fn long_work_shows_how_far_it_is() {
    let folder = folder("terminal");
    put(&folder, "grus.icd", format!("{}\n", the_library().display()));
    put(&folder, "a.cl", "kernel void a(global int *x) { x[get_global_id(0)] = 1; }");
    let build = ["build", "a.cl", "a.cl", "a.cl"];
    let run = ["run", "a.cl", "-g", "1M", "zeros", "--repeat", "200"];
    for (words, seen) in [(&build[..], "/3 a.cl"), (&run, "/202 runs"), (&["doctor"], "libgrus.so")] {
        let (told, status) = on_terminal(&folder, words);
        assert_eq!(status, Some(0), "{words:?}: {told}");
        assert!(told.contains(seen), "{words:?}: {told}");
        // Files and pipes show no progress.
        assert!(!said(command(&folder).args(words).env("OCL_ICD_VENDORS", &folder)).err.contains(seen));
    }
}
