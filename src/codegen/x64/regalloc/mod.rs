//! Register allocation. [`spill`] and [`reload`] decide which vectors are in memory, so that the rest fit. [`assign`]
//! assigns registers of all classes, and itself spills general registers, masks and the few vectors that still do not
//! fit. If it fails, regalloc2 allocates (`x64/mod.rs`).

pub(super) mod assign;
pub(super) mod reload;
pub(super) mod spill;
