//! Data caches of the processor, as the operating system describes them, and the fence for stores that bypass them.

use std::fs;

use super::fork::Global;

/// Sizes of the data caches. A field is zero if the operating system does not report it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Caches {
    /// Size of the largest cache in bytes.
    pub largest: u64,
    /// Size of a cache line in bytes.
    pub line: u32,
}

/// Returns the caches of the first processor.
pub fn caches() -> Caches {
    static CACHES: Global<Caches> = Global::fact();
    *CACHES.get(Caches::detect)
}

/// Checks whether `bytes` written bytes are so many that the caches will keep little of them: at least the size of
/// the largest cache. That size is clamped to 16–64 MiB, because the process rarely has a very large cache to
/// itself.
pub fn exceeds_largest(bytes: u64) -> bool {
    // Arbitrary.
    const MIN_BYTES: u64 = 16 << 20;
    const DEFAULT_BYTES: u64 = 32 << 20;
    const MAX_BYTES: u64 = 64 << 20;
    let threshold = match caches().largest {
        0 => DEFAULT_BYTES,
        size => size.clamp(MIN_BYTES, MAX_BYTES),
    };
    bytes >= threshold
}

/// Orders the non-temporal stores that this thread has issued before its later stores.
pub fn store_fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has SSE and therefore `sfence`.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

impl Caches {
    fn detect() -> Caches {
        (0..8).filter_map(cache).fold(Caches::default(), |all, one| Caches {
            largest: all.largest.max(one.largest),
            line: all.line.max(one.line),
        })
    }
}

/// Returns the data or unified cache with the index `index` in sysfs; none for an instruction cache.
fn cache(index: u32) -> Option<Caches> {
    let read = |name: &str| {
        let text = fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}"));
        text.ok().map(|text| text.trim().to_owned())
    };
    let has_data = read("type")? != "Instruction";
    let line = read("coherency_line_size").and_then(|text| text.parse().ok()).unwrap_or(0);
    has_data.then_some(Caches { largest: bytes(&read("size")?)?, line })
}

/// Parses a size such as `32K`, `16M` or a plain number of bytes.
fn bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(['K', 'M', 'G']);
    let unit = match &text[digits.len()..] {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        _ => 1 << 30,
    };
    Some(digits.parse::<u64>().ok()? * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(bytes("32K"), Some(32768));
        assert_eq!(bytes("16M"), Some(16 << 20));
        assert_eq!(bytes("7"), Some(7));
        assert_eq!(bytes(""), None);
    }
}
