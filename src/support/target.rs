//! Backends that exist for this processor, and the instructions that their code may use. The processor is queried
//! once.

use super::fork::Global;

/// Code generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Backend {
    /// Cranelift: 128-bit registers, on every machine.
    Cranelift,
    /// The library's x86-64 backend with 256-bit registers.
    Avx2,
    /// The x86-64 backend with 512-bit registers and mask registers.
    Avx512,
    /// The x86-64 backend with the subset of AVX-512 that every processor with AVX-512 has.
    Avx512Base,
}

impl Backend {
    /// All backends with their names.
    pub const NAMES: [(&str, Backend); 4] = [
        ("cranelift", Backend::Cranelift),
        ("avx2", Backend::Avx2),
        ("avx512", Backend::Avx512),
        ("avx512-base", Backend::Avx512Base),
    ];

    /// Returns the name by which users select the backend.
    pub fn name(self) -> &'static str {
        let named = Backend::NAMES.iter().find(|(_, backend)| *backend == self);
        named.expect("all have names").0
    }

    /// Returns the size of a vector register in bytes.
    pub fn register(self) -> u32 {
        match self {
            Backend::Cranelift => 16,
            Backend::Avx2 => 32,
            Backend::Avx512 | Backend::Avx512Base => 64,
        }
    }

    /// Checks whether the backend has mask registers and 32 vector registers.
    pub fn has_masks(self) -> bool {
        matches!(self, Backend::Avx512 | Backend::Avx512Base)
    }

    /// Checks whether the backend computes in half precision natively instead of through `float`.
    pub fn has_halves(self) -> bool {
        self == Backend::Avx512 && Features::host().fp16
    }

    /// Checks whether this machine can run the backend's code.
    pub fn is_supported(self) -> bool {
        match self {
            Backend::Cranelift => true,
            Backend::Avx2 => Features::host().avx2,
            Backend::Avx512 | Backend::Avx512Base => Features::host().avx512,
        }
    }

    /// Returns the backend with the largest registers that this machine can run.
    fn best() -> Backend {
        let host = [Backend::Avx512, Backend::Avx2].into_iter().find(|backend| backend.is_supported());
        host.unwrap_or(Backend::Cranelift)
    }
}

/// Backend for a kernel, with its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackendChoice {
    pub backend: Backend,
    /// True if the user has requested this backend; then it is used even if another one would do as well.
    pub is_explicit: bool,
    pub overrides: Overrides,
    /// True if IR is printed when it is handed to Cranelift.
    pub prints_clif: bool,
}

impl BackendChoice {
    /// Chooses the requested backend if this machine can run it. Otherwise chooses Cranelift for code that is not
    /// to be optimized (`is_unoptimized`), and the best backend for all other code.
    pub fn of(requested: Option<Backend>, is_unoptimized: bool) -> BackendChoice {
        let requested = requested.filter(|requested| requested.is_supported());
        let default = || if is_unoptimized { Backend::Cranelift } else { Backend::best() };
        BackendChoice {
            backend: requested.unwrap_or_else(default),
            is_explicit: requested.is_some(),
            overrides: Overrides::default(),
            prints_clif: false,
        }
    }
}

/// Settings of the x64 backend that tests override.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Number of registers of each class that the allocator must not use, so that more values are spilled.
    pub withheld: usize,
    /// Register allocator; none tries both in the usual order.
    pub allocator: Option<Allocator>,
    /// True if gathers are assumed to be slow, false if fast; none queries the processor.
    pub slow_gathers: Option<bool>,
}

impl Overrides {
    /// Returns these settings, completed by those of `others`.
    pub fn or(self, others: Overrides) -> Overrides {
        Overrides {
            withheld: if self.withheld > 0 { self.withheld } else { others.withheld },
            allocator: self.allocator.or(others.allocator),
            slow_gathers: self.slow_gathers.or(others.slow_gathers),
        }
    }
}

/// Register allocators of the x64 backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocator {
    /// The library's allocator, which walks the dominator tree; regalloc2 if that inserts too many moves.
    Walk,
    /// regalloc2 for every function.
    Regalloc2,
}

impl Allocator {
    /// All allocators with their names.
    pub const NAMES: [(&str, Allocator); 2] =
        [("walk", Allocator::Walk), ("regalloc2", Allocator::Regalloc2)];
}

/// Instruction set extensions that the x64 backend distinguishes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// True for AVX2 with FMA, F16C, BMI1, BMI2, LZCNT and POPCNT.
    pub avx2: bool,
    /// True for all of `avx2`, and AVX-512 F, BW, DQ, VL and CD.
    pub avx512: bool,
    /// True for AVX-512 VBMI: permutation of bytes in a whole register.
    pub vbmi: bool,
    /// True for AVX-512 VPOPCNTDQ: population count of 32- and 64-bit elements.
    pub vpopcntdq: bool,
    /// True for AVX-512 BITALG: population count of 8- and 16-bit elements.
    pub bitalg: bool,
    /// True for AVX-512 FP16: arithmetic on vectors of half.
    pub fp16: bool,
    /// True if gathers, and scatters of 64-bit elements, take up to twice the time of separate accesses: on AMD's
    /// processors, and where microcode delays gathers because they leak data ("Downfall": Intel's before Sapphire Rapids).
    pub slow_gathers: bool,
}

impl Features {
    /// Returns the features of this processor whose registers the operating system saves.
    pub fn host() -> Features {
        static HOST: Global<Features> = Global::fact();
        *HOST.get(detect)
    }
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Features {
    use std::arch::is_x86_feature_detected as has;
    let avx2 = has!("avx2")
        && has!("fma")
        && has!("f16c")
        && has!("bmi1")
        && has!("bmi2")
        && has!("lzcnt")
        && has!("popcnt");
    let avx512 = avx2
        && has!("avx512f")
        && has!("avx512bw")
        && has!("avx512dq")
        && has!("avx512vl")
        && has!("avx512cd");
    Features {
        avx2,
        avx512,
        vbmi: avx512 && has!("avx512vbmi"),
        vpopcntdq: avx512 && has!("avx512vpopcntdq"),
        bitalg: avx512 && has!("avx512bitalg"),
        fp16: avx512 && has!("avx512fp16"),
        slow_gathers: is_of(&[*b"AuthenticAMD", *b"HygonGenuine"]) || has_delayed_gathers(),
    }
}

/// Checks whether Linux reports that microcode delays gathers.
#[cfg(target_arch = "x86_64")]
fn has_delayed_gathers() -> bool {
    let report = std::fs::read_to_string("/sys/devices/system/cpu/vulnerabilities/gather_data_sampling");
    report.is_ok_and(|report| report.starts_with("Mitigation: Microcode"))
}

/// Checks whether the processor is from one of these vendors.
#[cfg(target_arch = "x86_64")]
fn is_of(makers: &[[u8; 12]]) -> bool {
    let leaf = std::arch::x86_64::__cpuid(0);
    let mut maker = [0; 12];
    for (part, word) in maker.chunks_mut(4).zip([leaf.ebx, leaf.edx, leaf.ecx]) {
        part.copy_from_slice(&word.to_le_bytes());
    }
    makers.contains(&maker)
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Features {
    Features::default()
}
