//! Versioned code, of which a run-time test selects one of two versions: guards on which all lanes agree,
//! indices within bounds, values that are affine in the lane number unless they wrap.

pub(super) mod affine_bits;
pub(super) mod bounds;
pub(super) mod guards;
pub(super) mod speculative_stride;
