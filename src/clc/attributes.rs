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
    Nothing,
    /// Known attribute that this compiler does not implement.
    Lost,
}

use AttributeKind as M;

/// Attributes by name, without the optional underscores around it.
const ATTRIBUTES: &[(&str, AttributeKind)] = &[
    ("aligned", M::Aligned),
    ("packed", M::Packed),
    ("endian", M::Endian),
    ("overloadable", M::Overloadable),
    ("reqd_work_group_size", M::ReqdWorkGroupSize),
    ("work_group_size_hint", M::WorkGroupSizeHint),
    ("vec_type_hint", M::VecTypeHint),
    ("opencl_unroll_hint", M::UnrollHint),
    ("unroll_hint", M::UnrollHint),
    ("nosvm", M::Nothing),
    // Kernel attributes of other vendors.
    ("intel_reqd_sub_group_size", M::SubGroupSize),
    ("qcom_reqd_sub_group_size", M::Vendor),
    ("uniform_work_group_size", M::Vendor),
    ("amdgpu_flat_work_group_size", M::Vendor),
    ("amdgpu_waves_per_eu", M::Vendor),
    ("amdgpu_num_sgpr", M::Vendor),
    ("amdgpu_num_vgpr", M::Vendor),
    ("amdgpu_max_num_work_groups", M::Vendor),
    // Attributes of GNU C and Clang.
    ("unused", M::Unused),
    ("maybe_unused", M::Unused),
    ("used", M::Unused),
    ("retain", M::Unused),
    ("noinline", M::NoInline),
    ("noreturn", M::NoReturn),
    ("ext_vector_type", M::VectorLanes),
    ("vector_size", M::VectorBytes),
    ("alloc_align", M::Nothing),
    ("alloc_size", M::Nothing),
    ("always_inline", M::Nothing),
    ("annotate", M::Nothing),
    ("artificial", M::Nothing),
    ("assume", M::Nothing),
    ("assume_aligned", M::Nothing),
    ("availability", M::Nothing),
    ("cold", M::Nothing),
    ("const", M::Nothing),
    ("convergent", M::Nothing),
    ("deprecated", M::Nothing),
    ("diagnose_if", M::Nothing),
    ("disable_tail_calls", M::Nothing),
    ("enum_extensibility", M::Nothing),
    ("fallthrough", M::Nothing),
    ("flag_enum", M::Nothing),
    ("flatten", M::Nothing),
    ("format", M::Nothing),
    ("gnu_inline", M::Nothing),
    ("hot", M::Nothing),
    ("internal_linkage", M::Nothing),
    ("leaf", M::Nothing),
    ("likely", M::Nothing),
    ("loader_uninitialized", M::Nothing),
    ("malloc", M::Nothing),
    ("may_alias", M::Nothing),
    ("minsize", M::Nothing),
    ("no_sanitize", M::Nothing),
    ("nodebug", M::Nothing),
    ("noduplicate", M::Nothing),
    ("nodiscard", M::Nothing),
    ("noescape", M::Nothing),
    ("nomerge", M::Nothing),
    ("nonnull", M::Nothing),
    ("nothrow", M::Nothing),
    ("optnone", M::Nothing),
    ("pass_object_size", M::Nothing),
    ("pure", M::Nothing),
    ("returns_nonnull", M::Nothing),
    ("sentinel", M::Nothing),
    ("target", M::Nothing),
    ("uninitialized", M::Nothing),
    ("unlikely", M::Nothing),
    ("unroll", M::Nothing),
    ("nounroll", M::Nothing),
    ("visibility", M::Nothing),
    ("warn_unused_result", M::Nothing),
    ("weak", M::Nothing),
    ("address_space", M::Lost),
    ("alias", M::Lost),
    ("cleanup", M::Lost),
    ("constructor", M::Lost),
    ("destructor", M::Lost),
    ("enable_if", M::Lost),
    ("error", M::Lost),
    ("ifunc", M::Lost),
    ("mode", M::Lost),
    ("ms_struct", M::Lost),
    ("no_instrument_function", M::Nothing),
    ("section", M::Lost),
    ("transparent_union", M::Lost),
    ("unavailable", M::Lost),
    ("vecreturn", M::Lost),
    ("warning", M::Lost),
];

/// Returns `name` without the underscores around it, if it has them on both sides.
pub fn bare(name: &str) -> &str {
    name.strip_prefix("__").and_then(|rest| rest.strip_suffix("__")).unwrap_or(name)
}

/// Returns the meaning of the attribute `name`, or `None` if it is unknown.
pub fn attribute(name: &str) -> Option<AttributeKind> {
    let name = bare(name);
    ATTRIBUTES.iter().find(|row| row.0 == name).map(|row| row.1)
}

/// Checks whether the attribute is known and implemented.
pub fn known_attribute(name: &str) -> bool {
    attribute(name).is_some_and(|meaning| meaning != M::Lost)
}

/// Returns the value of `__has_c_attribute(scope::name)`: the date that the C standard assigns to the attribute, or
/// 0 or 1 for attributes of other scopes.
pub fn standard_attribute(scope: Option<&str>, name: &str) -> u32 {
    match (scope.map(bare), bare(name)) {
        (None, "deprecated" | "fallthrough" | "maybe_unused") => 201_904,
        (None, "nodiscard") => 202_003,
        (None, "noreturn") => 202_202,
        (None, _) => 0,
        (Some("gnu" | "clang" | "_Clang"), name) => u32::from(known_attribute(name)),
        (Some("opencl"), name) => u32::from(matches!(name, "unroll_hint")),
        _ => 0,
    }
}

/// Checks whether `[[scope::name]]` has the meaning of `__attribute__((name))`.
pub fn known_scope(scope: Option<&str>) -> bool {
    scope.is_none_or(|scope| matches!(bare(scope), "gnu" | "clang" | "_Clang" | "opencl"))
}

/// Returns the names of all known attributes, for spelling suggestions.
pub fn names() -> impl Iterator<Item = &'static str> {
    ATTRIBUTES.iter().map(|row| row.0)
}
