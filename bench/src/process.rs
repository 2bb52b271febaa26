//! Time and memory of this process.

/// Returns the processor time of this process in seconds, which does not depend on the load of the machine.
pub fn processor_time() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a valid timespec to write to.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) };
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// Returns the peak memory of this process in MiB.
pub fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.unwrap_or(0.0) / 1024.0
}

/// Makes the present memory of this process its peak.
pub fn reset_peak() {
    // An error is ignored: the peak of the whole process is then an upper bound.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
