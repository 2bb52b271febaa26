//! What machine code can be made for: which backend there is for this processor, and which of its instructions code
//! may use. Asked of the processor once.

use super::fork::Global;

/// Who makes machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Backend {
    /// Cranelift: 128-bit registers, every machine.
    Cranelift,
    /// Our own for x86-64, 256-bit registers.
    Avx2,
    /// The same with 512-bit registers and masks.
    Avx512,
    /// The same with no more of AVX-512 than every processor has that has it.
    Avx512Base,
}

impl Backend {
    /// All of them, by their names.
    pub const NAMES: [(&str, Backend); 4] = [
        ("cranelift", Backend::Cranelift),
        ("avx2", Backend::Avx2),
        ("avx512", Backend::Avx512),
        ("avx512-base", Backend::Avx512Base),
    ];

    /// What users call it.
    pub fn name(self) -> &'static str {
        let named = Backend::NAMES.iter().find(|(_, backend)| *backend == self);
        named.expect("all have names").0
    }

    /// Bytes of a vector register.
    pub fn register(self) -> u32 {
        match self {
            Backend::Cranelift => 16,
            Backend::Avx2 => 32,
            Backend::Avx512 | Backend::Avx512Base => 64,
        }
    }

    /// Whether there are masks and 32 registers.
    pub fn has_masks(self) -> bool {
        matches!(self, Backend::Avx512 | Backend::Avx512Base)
    }

    /// Whether half floats are computed with as they are, and not in float.
    pub fn has_halves(self) -> bool {
        self == Backend::Avx512 && Features::here().fp16
    }

    /// Whether this machine runs its code.
    pub fn is_here(self) -> bool {
        match self {
            Backend::Cranelift => true,
            Backend::Avx2 => Features::here().avx2,
            Backend::Avx512 | Backend::Avx512Base => Features::here().avx512,
        }
    }

    /// The one with the largest registers that this machine runs.
    fn best() -> Backend {
        let here = [Backend::Avx512, Backend::Avx2].into_iter().find(|backend| backend.is_here());
        here.unwrap_or(Backend::Cranelift)
    }
}

/// Maker of the code of a kernel, and how it is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub backend: Backend,
    /// Somebody asks for it: also where another one would do as well.
    pub is_asked: bool,
    pub overrides: Overrides,
    /// IR is printed as it is handed to Cranelift.
    pub prints_clif: bool,
}

impl Choice {
    /// Returns the backend that is asked for, if the machine runs its code; else the best, which for code that is not to be
    /// optimised is Cranelift.
    pub fn of(asked: Option<Backend>, is_plain: bool) -> Choice {
        let asked = asked.filter(|asked| asked.is_here());
        let usual = || if is_plain { Backend::Cranelift } else { Backend::best() };
        Choice {
            backend: asked.unwrap_or_else(usual),
            is_asked: asked.is_some(),
            overrides: Overrides::default(),
            prints_clif: false,
        }
    }
}

/// Choices of the x64 backend that tests make for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Registers of each class that it does without, so that more is kept on the stack.
    pub withheld: usize,
    /// Register allocator; none for the usual order of both.
    pub allocator: Option<Allocator>,
    /// Belief that gathers are slow, or that they are not; none for what is known of the machine.
    pub slow_gathers: Option<bool>,
}

impl Overrides {
    /// Returns these, and those of `others` where these leave the choice.
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
    /// Our own walk over the dominators, as long as it does not move too much; regalloc2 then.
    Walk,
    /// regalloc2 for every function.
    Regalloc2,
}

impl Allocator {
    /// All of them, by their names.
    pub const NAMES: [(&str, Allocator); 2] =
        [("walk", Allocator::Walk), ("regalloc2", Allocator::Regalloc2)];
}

/// Instructions that the x64 backend asks about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// AVX2 with FMA, F16C, BMI1, BMI2, LZCNT and POPCNT.
    pub avx2: bool,
    /// Besides these AVX-512 F, BW, DQ, VL and CD.
    pub avx512: bool,
    /// Bytes are permuted over a whole register.
    pub vbmi: bool,
    /// Bits of words are counted.
    pub vpopcntdq: bool,
    /// Bits of bytes and shorts are counted.
    pub bitalg: bool,
    /// Vectors of half floats are computed with.
    pub fp16: bool,
    /// Gathers, and scatters of 64 bits, take up to twice the time of loads that are put together: AMD's do.
    pub slow_gathers: bool,
}

impl Features {
    /// Those of this processor, as far as the system saves the registers.
    pub fn here() -> Features {
        static HERE: Global<Features> = Global::fact();
        *HERE.get(detect)
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
        slow_gathers: is_of(&[*b"AuthenticAMD", *b"HygonGenuine"]),
    }
}

/// Whether the processor is of one of these makers.
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
