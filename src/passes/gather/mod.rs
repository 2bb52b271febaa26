//! Lowering of gathers and scatters to accesses that CPUs execute faster.

pub mod coalesce;
pub mod row_loads;
pub mod subword;
pub mod table_lookup;
