//! Processor features that the generated code depends on. Cranelift identifies features by the names of its flags;
//! only this file queries them.

use cranelift_codegen::isa::TargetIsa;

/// Features of the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Features {
    /// True if a fused multiply-add is one instruction.
    pub fma: bool,
    /// True if one instruction can move any byte of a register to any position, or clear it.
    pub byte_shuffle: bool,
}

impl Features {
    pub fn of(isa: &dyn TargetIsa) -> Features {
        let is_arm = isa.triple().architecture.to_string().starts_with("aarch64");
        Features { fma: is_arm || is_set(isa, FMA), byte_shuffle: is_set(isa, BYTE_SHUFFLE) }
    }
}

/// Names of Cranelift's flags for x86-64.
const FMA: &str = "has_fma";
const BYTE_SHUFFLE: &str = "has_ssse3";

fn is_set(isa: &dyn TargetIsa, flag: &str) -> bool {
    isa.isa_flags().iter().any(|found| found.name == flag && found.as_bool() == Some(true))
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn cranelift_has_these_flags() {
        let isa = crate::clif::host_isa().expect("code is generated for this machine");
        for wanted in [FMA, BYTE_SHUFFLE] {
            assert!(isa.isa_flags().iter().any(|flag| flag.name == wanted), "{wanted}");
        }
        assert_eq!(Features::of(&*isa).fma, std::arch::is_x86_feature_detected!("fma"));
        assert_eq!(Features::of(&*isa).byte_shuffle, std::arch::is_x86_feature_detected!("ssse3"));
    }
}
