//! Profile of a kernel: measurements of its launches, which later launches and the compiler act on.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::super::tier_trial::{TierCompiler, TierTrial};
use super::contention::ContentionHistory;
use grus_codegen::jit::{CompiledKernel, KernelTraits};

/// Machine code of a kernel with the profile of its launches.
#[derive(Debug)]
pub struct ProfiledKernel {
    pub code: CompiledKernel,
    pub profile: KernelProfile,
    /// Time that compiling the code took.
    pub compile_time: Duration,
    /// Trial of further compilation tiers. Launching threads write to it, so it is apart from what workers read.
    trial: OnceLock<Box<TierTrial>>,
}

impl ProfiledKernel {
    /// Wraps code that was never launched, and took `compile_time` to compile.
    pub fn new(code: CompiledKernel, compile_time: Duration) -> ProfiledKernel {
        let profile = KernelProfile::new(&code);
        ProfiledKernel { code, profile, compile_time, trial: OnceLock::new() }
    }

    /// Lets launches try the code of further tiers, if there may be faster code.
    pub fn try_tiers(&self, compiler: impl FnOnce() -> Box<dyn TierCompiler>) {
        if self.traits().next_tier.is_some() {
            self.trial.get_or_init(|| Box::new(TierTrial::new(compiler())));
        }
    }

    /// Returns the trial of further tiers, if there is one.
    pub fn trial(&self) -> Option<&TierTrial> {
        self.trial.get().map(|trial| &**trial)
    }

    /// Returns the properties that decide how the kernel is run.
    pub fn traits(&self) -> &KernelTraits {
        &self.code.traits
    }

    /// Returns the bytes of the kernel's own `local` variables.
    pub fn local_size(&self) -> u64 {
        self.code.footprint.local_size
    }
}

/// Measurements of a kernel's launches. Several threads may launch it at the same time; the last measurement counts.
#[derive(Debug)]
pub struct KernelProfile {
    /// Picoseconds per work-item in the last measured launch; 0 if unknown.
    item_time: AtomicU64,
    /// History of contention probes, if the kernel has atomic operations on memory that groups share.
    contention: Option<ContentionHistory>,
}

impl KernelProfile {
    fn new(code: &CompiledKernel) -> KernelProfile {
        KernelProfile {
            item_time: AtomicU64::new(0),
            contention: code.traits.has_global_atomics.then(ContentionHistory::default),
        }
    }

    /// Returns the picoseconds per work-item in the last measured launch; 0 if unknown.
    pub fn item_time(&self) -> u64 {
        self.item_time.load(Ordering::Relaxed)
    }

    /// Records that `items` work-items, one after the other, take `time`.
    pub fn record_item_time(&self, items: u64, time: Duration) {
        let time = time.as_nanos() * 1000 / u128::from(items.max(1));
        self.item_time.store(u64::try_from(time).unwrap_or(0), Ordering::Relaxed);
    }

    /// Returns the history of contention probes, if the kernel has atomic operations on memory that groups share.
    pub fn contention(&self) -> Option<&ContentionHistory> {
        self.contention.as_ref()
    }
}
