//! The data caches of the processor, as the system describes them, and stores that go past them.

use std::fs;

use super::fork::Global;

/// What is known of them; zeros if the system does not say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Caches {
    /// Bytes of the largest one.
    pub largest: u64,
    /// Bytes of a line.
    pub line: u32,
}

/// Those of the first processor.
pub fn caches() -> Caches {
    static CACHES: Global<Caches> = Global::fact();
    *CACHES.get(Caches::ask)
}

/// Whether caches keep little of so many bytes that are written: as many as the largest one has, as far as it is likely that
/// this process has all of it.
pub fn overflow(bytes: u64) -> bool {
    const LEAST: u64 = 16 << 20;
    const UNKNOWN: u64 = 32 << 20;
    const MOST: u64 = 64 << 20;
    let kept = match caches().largest {
        0 => UNKNOWN,
        size => size.clamp(LEAST, MOST),
    };
    bytes >= kept
}

/// What this thread has stored past the caches is seen before what it stores from now on.
pub fn settle() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: all processors have the instruction.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

impl Caches {
    fn ask() -> Caches {
        (0..8).filter_map(cache).fold(Caches::default(), |all, one| Caches {
            largest: all.largest.max(one.largest),
            line: all.line.max(one.line),
        })
    }
}

/// One cache, if it has data.
fn cache(index: u32) -> Option<Caches> {
    let read = |name: &str| {
        let text = fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}"));
        text.ok().map(|text| text.trim().to_owned())
    };
    let has_data = read("type")? != "Instruction";
    let line = read("coherency_line_size").and_then(|text| text.parse().ok()).unwrap_or(0);
    has_data.then_some(Caches { largest: bytes(&read("size")?)?, line })
}

/// `32K`, `16M` or a plain number.
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
