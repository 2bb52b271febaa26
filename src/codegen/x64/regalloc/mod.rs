//! Register allocation in two phases: [`spill`] decides which vectors are in memory, [`assign`] gives out registers.

pub(super) mod assign;
pub(super) mod reload;
pub(super) mod spill;
