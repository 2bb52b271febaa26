//! Properties of a kernel's code that are reported to authors of kernels.

use super::{Artifact, CodeError};
use grus_exec::NdRange;
use grus_passes::Forced;
use grus_support::target::Backend;

/// Number of groups in each direction of a range that represents long ranges.
// Arbitrary.
const GROUPS: u64 = 1024;

/// Properties of a kernel's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeFacts {
    /// Maximum number of work-items that are executed as lanes of one vector.
    pub lanes: u16,
    pub backend: Backend,
    /// Size of the code of all functions of the kernel.
    pub bytes: usize,
}

impl Artifact {
    /// Returns the properties of the code of kernel `index` for long ranges with work-groups of this size. The code
    /// is generated if there is none yet. Images and samplers are not specialized.
    ///
    /// # Errors
    /// If code generation fails.
    pub fn code_facts(&self, index: usize, local: [u64; 3]) -> Result<CodeFacts, CodeError> {
        let [x, y, z] = local.map(|size| if size > 1 { size * GROUPS } else { 1 });
        let range = NdRange { work_dim: 3, offset: [0; 3], global: [x.max(GROUPS), y, z], local };
        let kernel = self.compiled_for(index, &self.specialization_profile(index).likely_key(&range))?;
        let backend = self.choice(Forced::default()).backend;
        Ok(CodeFacts { lanes: kernel.traits().lanes, backend, bytes: kernel.code.size })
    }
}

impl std::fmt::Display for CodeFacts {
    /// Writes one line for each property: its name and value.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let backend = self.backend.name();
        write!(f, "lanes {}\nbackend {backend}\nbytes {}\n", self.lanes, self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Source, SpecializationKey, build};
    use super::*;

    #[test]
    fn lanes_and_bytes_of_a_kernel() {
        let text = "kernel void twice(global float *p) { p[get_global_id(0)] *= 2; }";
        let of = |options: &str| {
            let source = Source { name: "k.cl".into(), text: text.into() };
            build(&source, &[], options).result.expect("it builds")
        };
        let artifact = of("");
        let wide = artifact.code_facts(0, [64, 1, 1]).expect("code");
        assert!(wide.lanes > 1 && wide.bytes > 0, "{wide:?}");
        assert_eq!(wide, artifact.code_facts(0, [64, 1, 1]).expect("the same code"));
        let unoptimized = of("-cl-opt-disable");
        let plain = unoptimized.code_facts(0, [64, 1, 1]).expect("code");
        assert_eq!((plain.lanes, plain.backend), (1, Backend::Cranelift));
        let text = plain.to_string();
        assert_eq!(text, format!("lanes 1\nbackend cranelift\nbytes {}\n", plain.bytes));
        // Tests can force a number of lanes in unoptimized code, too.
        let forced = Forced { lanes: Some(8), ..Forced::default() };
        let code = unoptimized.compiled_for(0, &SpecializationKey { forced, ..SpecializationKey::default() });
        assert_eq!(code.expect("code").traits().lanes, 8);
    }
}
