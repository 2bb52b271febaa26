//! Runner of launches that have one work-group.

use std::sync::Arc;

use super::cpu_set::CpuSet;
use super::enqueuing_launch::{EnqueuingLaunch, EnqueuingWorker};
use super::fault::Fault;
use super::launch::Inputs;
use super::range::NdRange;
use super::scheduler::profile::ProfiledKernel;

/// Runner of launches.
#[derive(Default)]
pub struct Runner {
    _caches: (),
}

impl Runner {
    /// Releases caches; the model has none.
    pub fn release_caches(&mut self) {}

    /// Combines copies of memory; the model has none.
    pub(super) fn combine_copies(&mut self) {}

    /// Runs a launch of one work-group.
    pub(super) fn run_one<L: EnqueuingLaunch>(
        &mut self,
        kernel: &Arc<ProfiledKernel>,
        _range: &NdRange,
        _inputs: &Inputs,
        _part: Option<&CpuSet>,
        handle: Option<&L>,
    ) -> Result<(), Fault> {
        let worker = handle.map(L::worker).ok_or_else(Fault::bug)?;
        let result = (kernel.code)(worker.link().0);
        match result {
            Ok(()) => worker.group_ended(),
            Err(_) => worker.group_failed(),
        }
        result
    }
}
