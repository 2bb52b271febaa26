//! Suite that measures performance: forty workloads whose results are checked, run by all devices alternately,
//! beside the machine's peak performance. `work` defines the workloads, `turns` schedules the devices, `report` and
//! `chart` present the results.

pub mod chart;
pub mod data;
pub mod machine;
pub mod plan;
pub mod report;
pub mod run;
pub mod scheduler;
pub mod work;
