//! Facts about this machine from the operating system. Each has a fallback, for systems without /proc and /sys.

use std::fs;

use super::cgroup;
use grus_support::caches::caches;
use grus_support::fork::Global;

/// Facts that do not change while the process runs.
pub struct Host {
    /// Name of the processor.
    pub cpu_name: String,
    /// PCI id of the processor's vendor, 0 if unknown.
    pub vendor_id: u32,
    /// Maximum frequency in MHz.
    pub max_frequency: u32,
    /// Number of bytes of memory that this process may use: the machine's, or the limit of the control groups if
    /// that is less.
    pub memory: u64,
    /// Size of the largest cache in bytes.
    pub cache_size: u64,
    /// Size of a cache line in bytes.
    pub cache_line: u32,
}

/// Returns the facts about the machine that this process runs on.
pub fn host() -> &'static Host {
    static HOST: Global<Host> = Global::fact();
    HOST.get(Host::ask)
}

impl Host {
    fn ask() -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let caches = caches();
        Self {
            cpu_name: cpu_name(&cpuinfo),
            vendor_id: vendor_id(&cpuinfo),
            max_frequency: max_frequency(&cpuinfo),
            memory: memory(),
            cache_size: caches.largest,
            cache_line: if caches.line == 0 { 64 } else { caches.line },
        }
    }
}

/// Returns the value of the first line of the form `key : value`.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

fn cpu_name(cpuinfo: &str) -> String {
    let name =
        field(cpuinfo, "model name").or_else(|| field(cpuinfo, "Hardware")).filter(|name| !name.is_empty());
    name.map_or_else(
        || format!("{} CPU", std::env::consts::ARCH),
        |name| name.split_whitespace().collect::<Vec<_>>().join(" "),
    )
}

fn vendor_id(cpuinfo: &str) -> u32 {
    match field(cpuinfo, "vendor_id").or_else(|| field(cpuinfo, "CPU implementer")) {
        Some("GenuineIntel") => 0x8086,
        Some("AuthenticAMD") => 0x1022,
        Some("0x41") => 0x13b5,
        _ => 0,
    }
}

fn max_frequency(cpuinfo: &str) -> u32 {
    let kilohertz = number("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
    kilohertz
        .and_then(|khz| u32::try_from(khz / 1000).ok())
        .or_else(|| field(cpuinfo, "cpu MHz")?.split('.').next()?.parse().ok())
        .unwrap_or(0)
}

fn memory() -> u64 {
    const FALLBACK: u64 = 1 << 30;
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = field(&meminfo, "MemTotal")
        .and_then(|value| value.split_whitespace().next()?.parse::<u64>().ok())
        .map_or(FALLBACK, |kib| kib * 1024);
    cgroup::memory_limit().map_or(total, |limit| limit.min(total))
}

fn number(path: &str) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read() {
        let text = "vendor_id\t: GenuineIntel\nmodel name\t: A  CPU @ 2.0GHz\ncpu MHz\t\t: 2100.5\n";
        assert_eq!(cpu_name(text), "A CPU @ 2.0GHz");
        assert_eq!(vendor_id(text), 0x8086);
    }

    #[test]
    fn this_machine_has_memory() {
        assert!(host().memory > 1 << 20);
        assert!(!host().cpu_name.is_empty());
        assert!(host().cache_line >= 16);
    }
}
