//! What the code of a kernel is, for those who write kernels.

use super::{Artifact, NoCode};
use crate::passes::Forced;
use crate::support::target::Backend;

/// Groups in each direction of a range that stands for long ones.
const GROUPS: u64 = 1024;

/// What is known of the code of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeFacts {
    /// Work-items that run side by side at most.
    pub lanes: u16,
    pub backend: Backend,
    /// Of all its functions.
    pub bytes: usize,
}

impl Artifact {
    /// What the code of kernel `index` is for long ranges in groups of this size, of which it is made now if there is none yet.
    /// Images and samplers may be any.
    ///
    /// # Errors
    /// If code generation fails.
    pub fn code_facts(&self, index: usize, local: [u64; 3]) -> Result<CodeFacts, NoCode> {
        let [x, y, z] = local.map(|size| if size > 1 { size * GROUPS } else { 1 });
        let range = self.range_facts(index, [0; 3], [x.max(GROUPS), y, z], local);
        let code = self.compiled_for(index, &self.likely_key(index, range))?;
        Ok(CodeFacts { lanes: code.lanes, backend: self.choice(Forced::default()).backend, bytes: code.size })
    }
}

impl std::fmt::Display for CodeFacts {
    /// A line for each fact: what it is, and how much or which.
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
        let unoptimised = of("-cl-opt-disable");
        let plain = unoptimised.code_facts(0, [64, 1, 1]).expect("code");
        assert_eq!((plain.lanes, plain.backend), (1, Backend::Cranelift));
        let text = plain.to_string();
        assert_eq!(text, format!("lanes 1\nbackend cranelift\nbytes {}\n", plain.bytes));
        // Tests have lanes there, too.
        let forced = Forced { lanes: Some(8), ..Forced::default() };
        let code = unoptimised.compiled_for(0, &SpecializationKey { forced, ..SpecializationKey::default() });
        assert_eq!(code.expect("code").lanes, 8);
    }
}
