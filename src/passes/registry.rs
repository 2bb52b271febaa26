//! All passes by name. In which order they run is said in [`super`].

use super::pass_manager::Pass;
use super::scalar::inline;
use super::workgroup::implicit_barriers;
use super::{gather, image, scalar, specialize, vectorize, workgroup};
use grus_ir::analysis::PreservedAnalyses;

pub(super) const INLINE: Pass = Pass { name: "inline", run: inline::run, preserves: PreservedAnalyses::None };
pub(super) const PROMOTE: Pass =
    Pass { name: "promote", run: scalar::promote::run, preserves: PreservedAnalyses::ControlFlow };
pub(super) const SIMPLIFY: Pass =
    Pass { name: "simplify", run: scalar::simplify::run, preserves: PreservedAnalyses::None };
pub(super) const CONSTANT_LOADS: Pass = Pass {
    name: "constant_loads",
    run: scalar::constant_loads::run,
    preserves: PreservedAnalyses::ControlFlow,
};
pub(super) const DEMANDED_BITS: Pass = Pass {
    name: "demanded_bits",
    run: scalar::demanded_bits::run,
    preserves: PreservedAnalyses::ControlFlow,
};
pub(super) const DERIVED_COUNTERS: Pass = Pass {
    name: "derived_counters",
    run: scalar::derived_counters::run,
    preserves: PreservedAnalyses::ControlFlow,
};
pub(super) const UNROLL_OUTER: Pass =
    Pass { name: "unroll_outer", run: scalar::unroll::unroll_outer, preserves: PreservedAnalyses::None };
pub(super) const UNROLL: Pass =
    Pass { name: "unroll", run: scalar::unroll::run, preserves: PreservedAnalyses::None };
pub(super) const UNROTATE: Pass =
    Pass { name: "unrotate", run: scalar::unrotate::run, preserves: PreservedAnalyses::None };
pub(super) const IF_CONVERT: Pass =
    Pass { name: "if_convert", run: scalar::if_convert::run, preserves: PreservedAnalyses::None };
pub(super) const LOOP_VECTORIZE: Pass =
    Pass { name: "loop_vectorize", run: vectorize::loops::run_forced, preserves: PreservedAnalyses::None };
pub(super) const GVN: Pass =
    Pass { name: "gvn", run: scalar::gvn::run, preserves: PreservedAnalyses::ControlFlow };
pub(super) const LICM: Pass =
    Pass { name: "licm", run: scalar::licm::run, preserves: PreservedAnalyses::None };
pub(super) const DIVIDE: Pass =
    Pass { name: "divide", run: scalar::divide::run, preserves: PreservedAnalyses::ControlFlow };
pub(super) const REASSOCIATE_ADDRESS: Pass = Pass {
    name: "reassociate_address",
    run: scalar::reassociate_address::run,
    preserves: PreservedAnalyses::ControlFlow,
};
pub(super) const REASSOCIATE: Pass =
    Pass { name: "reassociate", run: scalar::reassociate::run, preserves: PreservedAnalyses::ControlFlow };
pub(super) const COMPARE_VECTORIZE: Pass = Pass {
    name: "compare_vectorize",
    run: scalar::compare_vectorize::run,
    preserves: PreservedAnalyses::None,
};
pub(super) const SUBWORD_GATHERS: Pass =
    Pass { name: "subword_gathers", run: gather::subword::run, preserves: PreservedAnalyses::ControlFlow };
pub(super) const MASKED_SUBWORD_GATHERS: Pass = Pass {
    name: "masked_subword_gathers",
    run: gather::subword::run_masked,
    preserves: PreservedAnalyses::ControlFlow,
};
pub(super) const TABLE_LOOKUP: Pass =
    Pass { name: "table_lookup", run: gather::table_lookup::run, preserves: PreservedAnalyses::ControlFlow };
pub(super) const LOAD_COMBINE: Pass =
    Pass { name: "load_combine", run: scalar::load_combine::run, preserves: PreservedAnalyses::ControlFlow };
pub(super) const ROW_LOADS: Pass =
    Pass { name: "row_loads", run: gather::row_loads::run, preserves: PreservedAnalyses::ControlFlow };
pub(super) const COALESCE_GATHERS: Pass =
    Pass { name: "coalesce_gathers", run: gather::coalesce::run, preserves: PreservedAnalyses::ControlFlow };
pub(super) const REGISTER_PROMOTION: Pass = Pass {
    name: "register_promotion",
    run: scalar::register_promotion::run,
    preserves: PreservedAnalyses::None,
};
pub(super) const REDUNDANT_LOADS: Pass = Pass {
    name: "redundant_loads",
    run: scalar::redundant_loads::run,
    preserves: PreservedAnalyses::ControlFlow,
};
pub(super) const BARRIER_FUNCTIONS: Pass = Pass {
    name: "barrier_functions",
    run: scalar::barrier_functions::run,
    preserves: PreservedAnalyses::None,
};
pub(super) const IMPLICIT_BARRIERS: Pass =
    Pass { name: "implicit_barriers", run: implicit_barriers::run, preserves: PreservedAnalyses::None };
pub(super) const INDUCTION: Pass =
    Pass { name: "induction", run: workgroup::induction::run, preserves: PreservedAnalyses::ControlFlow };
pub(super) const RANGE: Pass =
    Pass { name: "range", run: specialize::range::run, preserves: PreservedAnalyses::ControlFlow };
pub(super) const UNIT_STRIDES: Pass = Pass {
    name: "unit_strides",
    run: specialize::unit_strides::run,
    preserves: PreservedAnalyses::ControlFlow,
};
pub(super) const NONTEMPORAL: Pass = Pass {
    name: "nontemporal",
    run: specialize::nontemporal::run,
    preserves: PreservedAnalyses::ControlFlow,
};
pub(super) const SPECIALIZE_IMAGES: Pass =
    Pass { name: "specialize_images", run: image::specialize, preserves: PreservedAnalyses::ControlFlow };
pub(super) const EXPAND_TEXELS: Pass =
    Pass { name: "expand_texels", run: image::expand, preserves: PreservedAnalyses::ControlFlow };

/// All passes over one function.
pub const PASSES: &[Pass] = &[
    INLINE,
    PROMOTE,
    CONSTANT_LOADS,
    SIMPLIFY,
    DEMANDED_BITS,
    UNROTATE,
    DERIVED_COUNTERS,
    UNROLL_OUTER,
    UNROLL,
    IF_CONVERT,
    GVN,
    LICM,
    DIVIDE,
    LOAD_COMBINE,
    ROW_LOADS,
    COALESCE_GATHERS,
    SUBWORD_GATHERS,
    MASKED_SUBWORD_GATHERS,
    TABLE_LOOKUP,
    REASSOCIATE_ADDRESS,
    COMPARE_VECTORIZE,
    REASSOCIATE,
    REDUNDANT_LOADS,
    REGISTER_PROMOTION,
    BARRIER_FUNCTIONS,
    LOOP_VECTORIZE,
    IMPLICIT_BARRIERS,
    INDUCTION,
    RANGE,
    UNIT_STRIDES,
    SPECIALIZE_IMAGES,
    NONTEMPORAL,
    EXPAND_TEXELS,
];

/// Names of the stages that make several functions of one; IR is printed after them, too.
pub const STAGES: &[&str] = &["body", "vectorize", "workgroup", "split"];

/// Returns the names after which IR can be printed: passes, stages, and `all`.
pub fn printable() -> impl Iterator<Item = &'static str> {
    PASSES.iter().map(|pass| pass.name).chain(STAGES.iter().copied()).chain(["all"])
}

/// Returns the pass of that name.
pub fn find(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}
