//! Features of the processor, and its share that this process may use.

use std::fs;

use serde::Serialize;

use super::vendors::ProbedDevice;
use super::{Finding, Level};

const TOPIC: &str = "processor";

/// Facts about the processor.
#[derive(Debug, Default, Serialize)]
pub struct Processor {
    pub name: String,
    pub features: Vec<&'static str>,
    /// Number of hardware threads that are online.
    pub online: usize,
    /// Number of hardware threads in the affinity mask.
    pub allowed: usize,
    /// Quota of the control groups in processors; `None` without a quota.
    pub quota: Option<f64>,
}

/// Reports the facts about the processor.
pub fn examine(devices: &[ProbedDevice], findings: &mut Vec<Finding>) -> Processor {
    let processor = Processor {
        name: name(),
        features: features(),
        online: online(),
        allowed: allowed(),
        quota: quota(),
    };
    findings.push(Finding::new(TOPIC, Level::Ok, format!("{}, {}", processor.name, threads(&processor))));
    findings.push(vectors(&processor.features));
    if processor.allowed < processor.online {
        let text = format!("the affinity mask leaves {} of {} threads", processor.allowed, processor.online);
        findings.push(
            Finding::new(TOPIC, Level::Note, text).advice("taskset and containers set it; Grus obeys it"),
        );
    }
    if let Some(quota) = processor.quota {
        let text = format!("a control group leaves the time of {quota:.2} processors");
        findings.push(
            Finding::new(TOPIC, Level::Note, text)
                .advice("the quota of the container; Grus takes no more threads"),
        );
    }
    if let Some(grus) = devices.iter().find(|device| device.probed.is_grus) {
        let (units, memory) = (grus.probed.compute_units, grus.probed.memory >> 20);
        let text = format!("Grus has {units} compute units and {memory} MiB of memory");
        findings.push(Finding::new(TOPIC, Level::Ok, text));
    }
    processor
}

fn threads(processor: &Processor) -> String {
    let plural = if processor.online == 1 { "" } else { "s" };
    format!("{} hardware thread{plural}", processor.online)
}

/// Returns a finding about the vector instructions that code generation uses.
fn vectors(features: &[&str]) -> Finding {
    let has = |names: &[&str]| names.iter().all(|name| features.contains(name));
    let (level, text) = if !cfg!(target_arch = "x86_64") {
        (Level::Note, "kernels use registers of 128 bits (Cranelift)")
    } else if has(&["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"]) {
        (Level::Ok, "kernels use registers of 512 bits (AVX-512)")
    } else if has(&["avx2", "fma"]) {
        (Level::Ok, "kernels use registers of 256 bits (AVX2); there is no AVX-512")
    } else {
        (Level::Warning, "there is no AVX2: kernels use registers of 128 bits (Cranelift), and are slower")
    };
    let finding = Finding::new(TOPIC, level, text);
    if level == Level::Warning {
        return finding.advice("in a virtual machine, pass the host's processor through (-cpu host)");
    }
    finding
}

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    macro_rules! detected {
        ($($name:tt)*) => {
            [$(($name, std::arch::is_x86_feature_detected!($name))),*]
        };
    }
    let all = detected!("sse4.2" "avx" "avx2" "fma" "f16c" "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl"
        "avx512vbmi" "avx512ifma" "avx512vnni");
    all.into_iter().filter_map(|(name, has)| has.then_some(name)).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn features() -> Vec<&'static str> {
    Vec::new()
}

fn name() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    line.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

fn online() -> usize {
    // SAFETY: the query has no preconditions.
    let count = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    usize::try_from(count).unwrap_or(1).max(1)
}

fn allowed() -> usize {
    // SAFETY: an all-zero set is valid.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `set` has the size that is passed; 0 is the calling process.
    let code = unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) };
    if code != 0 {
        return online();
    }
    // SAFETY: the set has been filled by the call above.
    let count = unsafe { libc::CPU_COUNT(&set) };
    usize::try_from(count).unwrap_or(1)
}

/// Returns the smallest quota of this process's control group (v2, or v1's `cpu`) and its ancestors.
fn quota() -> Option<f64> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let quotas = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let (root, v2) = match controllers {
            "" => ("/sys/fs/cgroup", true),
            list if list.split(',').any(|name| name == "cpu") => ("/sys/fs/cgroup/cpu", false),
            _ => return None,
        };
        smallest(root, path, v2)
    });
    quotas.reduce(f64::min)
}

/// Returns the smallest quota on the path from a control group to the root.
fn smallest(root: &str, path: &str, v2: bool) -> Option<f64> {
    let read = |folder: &str, file: &str| fs::read_to_string(format!("{root}{folder}/{file}")).ok();
    let mut folder = path.trim_end_matches('/');
    let mut found: Option<f64> = None;
    loop {
        let quota = if v2 {
            read(folder, "cpu.max").and_then(|text| of_pair(&text))
        } else {
            let pair = read(folder, "cpu.cfs_quota_us").zip(read(folder, "cpu.cfs_period_us"));
            pair.and_then(|(quota, period)| of_pair(&format!("{} {}", quota.trim(), period.trim())))
        };
        found = found.into_iter().chain(quota).reduce(f64::min);
        match folder.rfind('/') {
            Some(at) => folder = &folder[..at],
            None => return found,
        }
    }
}

/// Parses time and period, both in microseconds, and returns their ratio; `max` or -1 means no limit.
fn of_pair(text: &str) -> Option<f64> {
    let (quota, period) = text.trim().split_once(' ')?;
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas() {
        assert_eq!(of_pair("150000 100000\n"), Some(1.5));
        assert_eq!(of_pair("max 100000"), None);
        assert_eq!(of_pair("-1 100000"), None);
    }

    #[test]
    fn threads_are_counted() {
        assert!(allowed() >= 1 && allowed() <= online());
    }
}
