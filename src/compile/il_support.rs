//! Lists of what modules may declare, for queries of the device (cl_khr_spirv_queries). All of it is translated, or
//! has no effect. What needs the declaration of an extension as well is valid with it only.
//!
//! Modules may declare more: unknown sets whose names begin with `NonSemantic.`, and capabilities of which only hints
//! depend. Such are not listed.

use std::ffi::CStr;

use grus_spirv::grammar::OperandKind;

/// Minor numbers of the versions of SPIR-V, which are 1.N.
pub const IL_VERSIONS: std::ops::RangeInclusive<u32> = 0..=6;

/// Sets of extended instructions.
pub const EXTENDED_SETS: &[&CStr] =
    &[c"OpenCL.std", c"OpenCL.DebugInfo.100", c"NonSemantic.Shader.DebugInfo.100"];

/// Extensions of SPIR-V.
pub const IL_EXTENSIONS: &[&CStr] = &[
    c"SPV_EXT_arithmetic_fence",
    c"SPV_EXT_optnone",
    c"SPV_EXT_relaxed_printf_string_address_space",
    c"SPV_EXT_shader_atomic_float16_add",
    c"SPV_EXT_shader_atomic_float_add",
    c"SPV_EXT_shader_atomic_float_min_max",
    c"SPV_EXT_split_barrier",
    c"SPV_INTEL_arithmetic_fence",
    c"SPV_INTEL_bfloat16_conversion",
    c"SPV_INTEL_cache_controls",
    c"SPV_INTEL_float_controls2",
    c"SPV_INTEL_fp_fast_math_mode",
    c"SPV_INTEL_fp_max_error",
    c"SPV_INTEL_kernel_attributes",
    c"SPV_INTEL_memory_access_aliasing",
    c"SPV_INTEL_optnone",
    c"SPV_INTEL_runtime_aligned",
    c"SPV_INTEL_split_barrier",
    c"SPV_INTEL_subgroups",
    c"SPV_INTEL_unstructured_loop_controls",
    c"SPV_INTEL_usm_storage_classes",
    c"SPV_KHR_bit_instructions",
    c"SPV_KHR_expect_assume",
    c"SPV_KHR_float_controls",
    c"SPV_KHR_float_controls2",
    c"SPV_KHR_integer_dot_product",
    c"SPV_KHR_linkonce_odr",
    c"SPV_KHR_no_integer_wrap_decoration",
    c"SPV_KHR_non_semantic_info",
    c"SPV_KHR_poison_freeze",
    c"SPV_KHR_shader_clock",
    c"SPV_KHR_subgroup_rotate",
    c"SPV_KHR_uniform_group_instructions",
    c"SPV_KHR_untyped_pointers",
];

/// Names of the capabilities.
// Source: OpenCL SPIR-V Environment Specification, Required Capabilities and Extensions; those of
// [`IL_EXTENSIONS`].
const CAPABILITIES: &[&str] = &[
    "Addresses",
    "Linkage",
    "Kernel",
    "Vector16",
    "Float16Buffer",
    "Float16",
    "Float64",
    "Int64",
    "Int64Atomics",
    "ImageBasic",
    "ImageReadWrite",
    "Pipes",
    "Groups",
    "DeviceEnqueue",
    "LiteralSampler",
    "Int16",
    "GenericPointer",
    "Int8",
    "Sampled1D",
    "Image1D",
    "SampledBuffer",
    "ImageBuffer",
    "SubgroupDispatch",
    "GroupNonUniform",
    "GroupNonUniformVote",
    "GroupNonUniformArithmetic",
    "GroupNonUniformBallot",
    "GroupNonUniformShuffle",
    "GroupNonUniformShuffleRelative",
    "GroupNonUniformClustered",
    "DenormPreserve",
    "DenormFlushToZero",
    "SignedZeroInfNanPreserve",
    "RoundingModeRTE",
    "UntypedPointersKHR",
    "ShaderClockKHR",
    "PoisonFreezeKHR",
    "SubgroupShuffleINTEL",
    "SubgroupBufferBlockIOINTEL",
    "AtomicFloat32MinMaxEXT",
    "AtomicFloat64MinMaxEXT",
    "AtomicFloat16MinMaxEXT",
    "ExpectAssumeKHR",
    "FunctionFloatControlINTEL",
    "FPFastMathModeINTEL",
    "UnstructuredLoopControlsINTEL",
    "KernelAttributesINTEL",
    "MemoryAccessAliasingINTEL",
    "USMStorageClassesALTERA",
    "RuntimeAlignedAttributeALTERA",
    "DotProductInputAll",
    "DotProductInput4x8Bit",
    "DotProductInput4x8BitPacked",
    "DotProduct",
    "BitInstructions",
    "GroupNonUniformRotateKHR",
    "FloatControls2",
    "AtomicFloat32AddEXT",
    "AtomicFloat64AddEXT",
    "OptNoneEXT",
    "AtomicFloat16AddEXT",
    "BFloat16ConversionINTEL",
    "SplitBarrierEXT",
    "ArithmeticFenceEXT",
    "FPMaxErrorINTEL",
    "GroupUniformArithmeticKHR",
    "CacheControlsINTEL",
];

/// Returns the numbers of the capabilities, in ascending order.
pub fn il_capabilities() -> Vec<u32> {
    let all = OperandKind::Capability.enumerants();
    all.iter().filter(|row| CAPABILITIES.contains(&row.name())).map(|row| row.value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_names_are_known() {
        assert_eq!(il_capabilities().len(), CAPABILITIES.len());
        assert!(il_capabilities().is_sorted() && il_capabilities().contains(&6));
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
            OperandKind::Capability.enumerants().iter().filter(|row| CAPABILITIES.contains(&row.name()))
        {
            let mut extensions = row.conditions.extensions().peekable();
            let is_listed = |name| IL_EXTENSIONS.iter().any(|known| known.to_bytes() == str::as_bytes(name));
            assert!(extensions.peek().is_none() || extensions.any(is_listed), "{}", row.name());
        }
    }
}
