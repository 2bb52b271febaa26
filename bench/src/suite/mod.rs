//! The suite that performance is judged by: forty workloads whose results are checked, on all devices in turns, beside
//! what the machine can do at most. `work` says what there is, `turns` who runs when, `report` and `chart` show it.

pub mod chart;
pub mod data;
pub mod machine;
pub mod plan;
pub mod report;
pub mod run;
pub mod turns;
pub mod work;
