//! Code in two versions, of which a test at run time takes one: guards on which all lanes agree, indices within bounds,
//! values that are affine in the lane number unless they wrap.

pub(super) mod affine_bits;
pub(super) mod bounds;
pub(super) mod guards;
pub(super) mod speculative_stride;
