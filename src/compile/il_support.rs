//! Lists of what modules may declare, for queries of the device (cl_khr_spirv_queries). All of it is translated, or
//! has no effect. Unknown sets whose names begin with `NonSemantic.` are taken as well, and not listed.

use std::ffi::CStr;

/// Minor numbers of the versions of SPIR-V, which are 1.N.
pub const IL_VERSIONS: std::ops::RangeInclusive<u32> = 0..=6;

/// Sets of extended instructions.
pub const EXTENDED_SETS: &[&CStr] =
    &[c"OpenCL.std", c"OpenCL.DebugInfo.100", c"NonSemantic.Shader.DebugInfo.100"];

/// Extensions of SPIR-V.
pub use grus_spirv::device::EXTENSIONS as IL_EXTENSIONS;

/// Returns the numbers of the capabilities, in ascending order.
pub fn il_capabilities() -> Vec<u32> {
    let mut all = grus_spirv::device::CAPABILITIES.to_vec();
    all.sort_unstable();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use grus_spirv::grammar::OperandKind;

    #[test]
    fn all_names_are_known() {
        let all = il_capabilities();
        assert!(all.is_sorted_by(|a, b| a < b) && all.contains(&6));
        assert!(all.iter().all(|&number| OperandKind::Capability.enumerant(number).is_some()));
        for name in IL_EXTENSIONS {
            assert!(grus_spirv::grammar::is_extension(name.to_bytes()), "{name:?}");
        }
        for name in EXTENDED_SETS {
            let set = grus_spirv::grammar::ExtendedSet::from_name(name.to_bytes());
            assert!(set.is_some_and(|set| !set.instructions().is_empty()), "{name:?}");
        }
    }

    #[test]
    fn capabilities_have_their_extensions() {
        for row in
            il_capabilities().into_iter().filter_map(|number| OperandKind::Capability.enumerant(number))
        {
            let mut extensions = row.conditions.extensions().peekable();
            let is_listed = |name| IL_EXTENSIONS.iter().any(|known| known.to_bytes() == str::as_bytes(name));
            assert!(extensions.peek().is_none() || extensions.any(is_listed), "{}", row.name());
        }
    }
}
