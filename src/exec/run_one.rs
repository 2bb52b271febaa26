//! Runs one kernel over its range: chooses the grid of groups, and hands it to the scheduler.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::cpu_set::CpuSet;
use super::enqueuing_launch::EnqueuingLaunch;
use super::fault::Fault;
use super::launch::Inputs;
use super::range::{Grid, Merging, NdRange};
use super::runner::{LaunchWork, RunParts, Runner};
use super::scheduler::profile::ProfiledKernel;
use super::tier_trial::{Measured, TierTrial};
use super::tuning::trial::{COMPARED_PART, FIRST_PART, MIN_GROUPS_PER_THREAD, MIN_MEASURED, PART};
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
        let outcome = kernel.trial().and_then(TierTrial::outcome);
        let trial = kernel.trial().filter(|_| outcome.is_none());
        let kernel = outcome.and_then(Option::as_ref).unwrap_or(kernel);
        let ProfiledKernel { code, profile, .. } = &**kernel;
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
        let trial = trial.filter(|_| is_worth_measuring(profile.item_time(), items()));
        let merging = || match &traits.strided_access {
            None => {
                let (threads, item, may_contend) =
                    (threads as u64, profile.item_time(), traits.has_global_atomics);
                if trial.is_some() {
                    Merging::for_parts(threads, items(), item)
                } else {
                    Merging::for_independent_items(threads, items(), traits.lanes.into(), item, may_contend)
                }
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
        let work = LaunchWork { first: 0, count: grid.len(), grid, printed };
        let parts = (kernel, inputs, handle);
        let result = match trial {
            None => scheduler::run(parts, &work, self, threads, cpu_set),
            Some(trial) => self.run_by_turns(trial, parts, &work, threads, cpu_set),
        };
        if let Some(printed) = work.printed {
            printed.flush();
        }
        result.map_err(|fault| if iterations.is_some() { fault.at_work_item(requested_items) } else { fault })
    }

    /// Runs a launch in parts, with the code that the trial of the kernel's tiers chooses for each.
    fn run_by_turns<L: EnqueuingLaunch>(
        &mut self,
        trial: &TierTrial,
        (kernel, inputs, handle): RunParts<'_, L>,
        work: &LaunchWork,
        threads: usize,
        cpu_set: Option<&CpuSet>,
    ) -> Result<(), Fault> {
        let group_items: u64 = work.grid.local().iter().product();
        let picos = kernel.profile.item_time().saturating_mul(group_items) / threads as u64;
        let mut group_time = Duration::from_nanos(picos / 1000);
        let mut first = 0;
        while first < work.count {
            let turn = trial.next();
            let left = work.count - first;
            let count = if trial.has_ended() {
                left
            } else {
                part(work.count, left, group_time, turn.is_compared(), threads as u64)
            };
            let part = LaunchWork { first, count, ..work.clone() };
            let begin = Instant::now();
            let code = turn.code.as_ref().unwrap_or(kernel);
            let result = scheduler::run((code, inputs, handle), &part, self, threads, cpu_set);
            let time = begin.elapsed();
            let items = count * group_items;
            let busy = Duration::from_nanos(code.profile.item_time().saturating_mul(items) / 1000);
            let busy = busy.clamp(time, time.saturating_mul(threads as u32));
            trial.record(kernel, &turn, Measured { items, time, busy });
            result?;
            group_time = time / u32::try_from(count).unwrap_or(u32::MAX);
            first += count;
        }
        Ok(())
    }
}

/// Checks whether a launch of so many work-items, each of which takes `item_time` picoseconds (0 if unknown), is so long
/// that it may be measured.
fn is_worth_measuring(item_time: u64, items: u64) -> bool {
    item_time == 0 || Duration::from_nanos(item_time.saturating_mul(items) / 1000) >= MIN_MEASURED
}

/// Returns the number of groups of the next part of a launch of `total` groups, of which `left` are left and each takes
/// `group_time` of wall-clock time, 0 if unknown.
fn part(total: u64, left: u64, group_time: Duration, is_compared: bool, threads: u64) -> u64 {
    let time = if is_compared { COMPARED_PART } else { PART };
    let wanted = match group_time.as_nanos() {
        0 => total / FIRST_PART,
        group_nanos => u64::try_from(time.as_nanos() / group_nanos).unwrap_or(u64::MAX),
    };
    let count = wanted.max(threads * MIN_GROUPS_PER_THREAD);
    // No short part remains.
    if left / 2 < count { left } else { count }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_take_the_wanted_time_and_keep_threads_busy() {
        let micros = Duration::from_micros;
        assert_eq!(part(6400, 6400, Duration::ZERO, false, 2), 100);
        assert_eq!(part(6400, 6300, micros(5), false, 2), 2000);
        assert_eq!(part(6400, 6300, micros(5), true, 2), 200);
        assert_eq!(part(6400, 6300, micros(500), true, 16), 32);
        assert_eq!(part(6400, 399, micros(5), true, 2), 399);
        assert_eq!(part(20, 20, Duration::ZERO, false, 16), 20);
    }
}
