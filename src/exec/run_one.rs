//! Runs one kernel over its range: chooses the grid of groups, and hands it to the scheduler.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::cpu_set::CpuSet;
use super::enqueuing_launch::EnqueuingLaunch;
use super::fault::Fault;
use super::launch::Inputs;
use super::range::{Grid, Merging, NdRange};
use super::runner::{LaunchWork, Runner};
use super::scheduler::profile::ProfiledKernel;
use super::{grid_stride, scheduler};
use grus_codegen::rtlib::print::PrintfBuffer;

impl Runner {
    /// Runs one kernel to its end, on this thread and on pool threads; `handle` is its place in a launch graph if it
    /// may enqueue others.
    pub(super) fn run_one<L: EnqueuingLaunch>(
        &mut self,
        kernel: &Arc<ProfiledKernel>,
        range: &NdRange,
        inputs: &Inputs,
        cpu_set: Option<&CpuSet>,
        handle: Option<&L>,
    ) -> Result<(), Fault> {
        let _bound = cpu_set.map(CpuSet::enter);
        let ProfiledKernel { code, profile } = &**kernel;
        let traits = &code.traits;
        let threads = scheduler::threads(cpu_set);
        let mut range = if code.mode.is_interchanged { range.interchanged() } else { *range };
        let requested_items = range.global[0];
        let iterations = traits.strided_access.as_ref().and_then(|strided| strided.grid_stride.as_ref());
        let iterations =
            iterations.filter(|_| threads > 1).and_then(|it| grid_stride::items(it, &range, &inputs.args));
        if let Some(iterations) = iterations {
            range.global[0] = iterations;
        }
        let items = || range.global.iter().product();
        let merging = || match &traits.strided_access {
            None => {
                let (item, may_contend) = (profile.item_time(), traits.has_global_atomics);
                Merging::for_independent_items(
                    threads as u64,
                    items(),
                    traits.lanes.into(),
                    item,
                    may_contend,
                )
            }
            Some(strided) => Merging::for_strided_items(
                threads as u64,
                items(),
                code.footprint.has_item_context(),
                strided.streams,
            ),
        };
        let merging = traits.is_group_agnostic.then(|| merging().with_rows(traits.rows.into()));
        let grid = Grid::new(range, merging);
        let printed = traits.prints.then(Arc::<PrintfBuffer>::default);
        let work = LaunchWork { grid, printed };
        let begin = traits.has_optimized_tier.then(Instant::now);
        let result = scheduler::run((kernel, inputs, handle), &work, self, threads, cpu_set);
        if let Some(begin) = begin {
            let elapsed = begin.elapsed();
            let on_all_threads = Duration::from_nanos(profile.item_time().saturating_mul(items()) / 1000);
            profile.add_run_time(on_all_threads.min(elapsed.saturating_mul(threads as u32)).max(elapsed));
        }
        if let Some(printed) = work.printed {
            printed.flush();
        }
        result.map_err(|fault| if iterations.is_some() { fault.at_work_item(requested_items) } else { fault })
    }
}
