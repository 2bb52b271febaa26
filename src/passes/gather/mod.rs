//! Lowering of gathers and scatters to accesses that machines do faster.

pub mod coalesce;
pub mod row_loads;
pub mod subword;
