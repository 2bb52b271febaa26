//! Table of the attribute names that this compiler knows, for `__attribute__((name))`, `[[name]]` and
//! `__has_attribute(name)`.

/// Meaning of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeKind {
    Aligned,
    Packed,
    Endian,
    Overloadable,
    ReqdWorkGroupSize,
    WorkGroupSizeHint,
    VecTypeHint,
    UnrollHint,
    SubGroupSize,
    /// Kernel attribute of another vendor: the kernel reports it, and it has no effect.
    Vendor,
    Unused,
    NoInline,
    NoReturn,
    /// `ext_vector_type(lanes)`
    VectorLanes,
    /// `vector_size(bytes)`
    VectorBytes,
    /// Attribute without an observable effect, or one that demands a property that always holds in this compiler.
    NoEffect,
    /// Known attribute that this compiler does not implement.
    Unsupported,
}

use AttributeKind as A;

/// Attributes by name, without the optional underscores around it.
const ATTRIBUTES: &[(&str, AttributeKind)] = &[
    ("aligned", A::Aligned),
    ("packed", A::Packed),
    ("endian", A::Endian),
    ("overloadable", A::Overloadable),
    ("reqd_work_group_size", A::ReqdWorkGroupSize),
    ("work_group_size_hint", A::WorkGroupSizeHint),
    ("vec_type_hint", A::VecTypeHint),
    ("opencl_unroll_hint", A::UnrollHint),
    ("unroll_hint", A::UnrollHint),
    ("nosvm", A::NoEffect),
    // Kernel attributes of other vendors.
    ("intel_reqd_sub_group_size", A::SubGroupSize),
    ("qcom_reqd_sub_group_size", A::Vendor),
    ("uniform_work_group_size", A::Vendor),
    ("amdgpu_flat_work_group_size", A::Vendor),
    ("amdgpu_waves_per_eu", A::Vendor),
    ("amdgpu_num_sgpr", A::Vendor),
    ("amdgpu_num_vgpr", A::Vendor),
    ("amdgpu_max_num_work_groups", A::Vendor),
    // Attributes of GNU C and Clang.
    ("unused", A::Unused),
    ("maybe_unused", A::Unused),
    ("used", A::Unused),
    ("retain", A::Unused),
    ("noinline", A::NoInline),
    ("noreturn", A::NoReturn),
    ("ext_vector_type", A::VectorLanes),
    ("vector_size", A::VectorBytes),
    ("alloc_align", A::NoEffect),
    ("alloc_size", A::NoEffect),
    ("always_inline", A::NoEffect),
    ("annotate", A::NoEffect),
    ("artificial", A::NoEffect),
    ("assume", A::NoEffect),
    ("assume_aligned", A::NoEffect),
    ("availability", A::NoEffect),
    ("cold", A::NoEffect),
    ("const", A::NoEffect),
    ("convergent", A::NoEffect),
    ("deprecated", A::NoEffect),
    ("diagnose_if", A::NoEffect),
    ("disable_tail_calls", A::NoEffect),
    ("enum_extensibility", A::NoEffect),
    ("fallthrough", A::NoEffect),
    ("flag_enum", A::NoEffect),
    ("flatten", A::NoEffect),
    ("format", A::NoEffect),
    ("gnu_inline", A::NoEffect),
    ("hot", A::NoEffect),
    ("internal_linkage", A::NoEffect),
    ("leaf", A::NoEffect),
    ("likely", A::NoEffect),
    ("loader_uninitialized", A::NoEffect),
    ("malloc", A::NoEffect),
    ("may_alias", A::NoEffect),
    ("minsize", A::NoEffect),
    ("no_sanitize", A::NoEffect),
    ("nodebug", A::NoEffect),
    ("noduplicate", A::NoEffect),
    ("nodiscard", A::NoEffect),
    ("noescape", A::NoEffect),
    ("nomerge", A::NoEffect),
    ("nonnull", A::NoEffect),
    ("nothrow", A::NoEffect),
    ("optnone", A::NoEffect),
    ("pass_object_size", A::NoEffect),
    ("pure", A::NoEffect),
    ("returns_nonnull", A::NoEffect),
    ("sentinel", A::NoEffect),
    ("target", A::NoEffect),
    ("uninitialized", A::NoEffect),
    ("unlikely", A::NoEffect),
    ("unroll", A::NoEffect),
    ("nounroll", A::NoEffect),
    ("visibility", A::NoEffect),
    ("warn_unused_result", A::NoEffect),
    ("weak", A::NoEffect),
    ("address_space", A::Unsupported),
    ("alias", A::Unsupported),
    ("cleanup", A::Unsupported),
    ("constructor", A::Unsupported),
    ("destructor", A::Unsupported),
    ("enable_if", A::Unsupported),
    ("error", A::Unsupported),
    ("ifunc", A::Unsupported),
    ("mode", A::Unsupported),
    ("ms_struct", A::Unsupported),
    ("no_instrument_function", A::NoEffect),
    ("section", A::Unsupported),
    ("transparent_union", A::Unsupported),
    ("unavailable", A::Unsupported),
    ("vecreturn", A::Unsupported),
    ("warning", A::Unsupported),
];

/// Returns `name` without the underscores around it, if it has them on both sides.
pub fn without_underscores(name: &str) -> &str {
    name.strip_prefix("__").and_then(|rest| rest.strip_suffix("__")).unwrap_or(name)
}

/// Returns the meaning of the attribute `name`, or `None` if it is unknown.
pub fn attribute(name: &str) -> Option<AttributeKind> {
    let name = without_underscores(name);
    ATTRIBUTES.iter().find(|row| row.0 == name).map(|row| row.1)
}

/// Checks whether the attribute is known and implemented.
pub fn is_supported(name: &str) -> bool {
    attribute(name).is_some_and(|meaning| meaning != A::Unsupported)
}

/// Returns the value of `__has_c_attribute(scope::name)`: the date that the C standard assigns to the attribute, or
/// 0 or 1 for attributes of other scopes.
pub fn c_attribute_version(scope: Option<&str>, name: &str) -> u32 {
    match (scope.map(without_underscores), without_underscores(name)) {
        (None, "deprecated" | "fallthrough" | "maybe_unused") => 201_904,
        (None, "nodiscard") => 202_003,
        (None, "noreturn") => 202_202,
        (None, _) => 0,
        (Some("gnu" | "clang" | "_Clang"), name) => u32::from(is_supported(name)),
        (Some("opencl"), name) => u32::from(matches!(name, "unroll_hint")),
        _ => 0,
    }
}

/// Checks whether `[[scope::name]]` has the meaning of `__attribute__((name))`.
pub fn is_gnu_scope(scope: Option<&str>) -> bool {
    scope.is_none_or(|scope| matches!(without_underscores(scope), "gnu" | "clang" | "_Clang" | "opencl"))
}

/// Returns the names of all known attributes, for spelling suggestions.
pub fn names() -> impl Iterator<Item = &'static str> {
    ATTRIBUTES.iter().map(|row| row.0)
}
