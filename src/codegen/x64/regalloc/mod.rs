//! Register allocation in two phases: [`spill`] and [`reload`] decide which vectors are in memory, [`assign`] assigns
//! registers.

pub(super) mod assign;
pub(super) mod reload;
pub(super) mod spill;
