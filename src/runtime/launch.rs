//! Commands that run code: ND-ranges, tasks and native kernels (API s5.10).

use std::sync::Arc;

use super::bound_launch::BoundLaunch;
use super::capture::{self, Snapshot};
use super::command;
use super::device::{MAX_WORK_GROUP_SIZE, local_mem_size};
use super::error::{Error, Result};
use super::event::Events;
use super::kernel::{Buffers, Executable, Kernel};
use super::memory::Mem;
use super::object::Object;
use super::queue::{Enqueued, Queue};
use crate::cl::*;
use crate::compile::KernelInfo;
use grus_exec::{CpuSet, DeviceQueue, EnqueueEnvironment, Fault, NdRange, Program, Runner};
use grus_support::environment::environment;
use grus_support::{timing, trace};

/// Function of the application, called with a copy of its arguments.
pub type NativeFunction = Box<dyn FnOnce(&mut [u128]) + Send>;

/// Memory object (or none), and the byte offset in a native kernel's arguments that receives its address.
pub type NativeMemArg = (Option<Arc<Object<Mem>>>, usize);

/// ND-range as the application describes it. Each slice has one entry per dimension.
#[derive(Clone, Copy, Debug)]
pub struct NdRangeArgs<'a> {
    pub offset: Option<&'a [usize]>,
    pub global: &'a [usize],
    pub local: Option<&'a [usize]>,
}

impl NdRangeArgs<'_> {
    /// Checks whether there are no work-items.
    fn is_empty(&self) -> bool {
        self.global.contains(&0)
    }
}

/// Launch as its command stores it.
pub(super) struct KernelRun {
    /// Code and arguments; none after the launch has run.
    prepared: Option<Arc<BoundLaunch>>,
    range: NdRange,
    /// Environment for device-side enqueue; none if the kernel enqueues nothing.
    parent: Option<Box<ParentKernel>>,
    /// Memory objects among the arguments, which the launch keeps alive.
    buffers: Buffers,
    /// Description for a capture; none unless launches are counted.
    snapshot: Option<Box<Snapshot>>,
}

/// Environment of a kernel that enqueues other kernels.
struct ParentKernel {
    environment: EnqueueEnvironment,
    _queues: Vec<Arc<Object<Queue>>>,
}

impl KernelRun {
    /// Returns the description of the launch for recordings.
    pub fn recorded(&self) -> Option<trace::TracedLaunch> {
        let (code, _) = self.prepared.as_ref()?.parts()?;
        Some(trace::TracedLaunch {
            kernel: trace::name(code.program.kernels[code.index].name.as_bytes()),
            work_dim: self.range.work_dim,
            sizes: [self.range.global, self.range.local, self.range.offset],
            bytes: self.buffers.iter().map(|mem| mem.size() as u64).sum(),
        })
    }

    /// Runs the launch and everything that it enqueues to the end. `ended` is called when the kernel itself has
    /// ended, if that is earlier.
    pub fn run(&mut self, queue: &Object<Queue>, runner: &mut Runner, ended: &mut dyn FnMut()) -> Result<()> {
        let Some(prepared) = self.prepared.take() else { return Ok(()) };
        let result = prepared.parts().map_or(Ok(()), |(code, inputs)| {
            let name = &code.program.kernels[code.index].name;
            let capture = self.snapshot.take().and_then(|snapshot| snapshot.begin());
            let _timed = timing::untraced_span("launch", || describe(name, &self.range));
            let result = match &self.parent {
                None => {
                    let cpu_set = queue.device().cpu_set().map(|set| &**set);
                    runner.run(&code.kernel, &self.range, inputs, cpu_set)
                }
                Some(parent) => {
                    runner.run_tree(&code.kernel, &self.range, inputs, &parent.environment, ended)
                }
            };
            let result = result.map_err(|fault| {
                runner.release_caches();
                queue.report(&fault_line(name, &fault, code.program.source_line(fault.loc)));
                Error::OutOfResources
            });
            if let Some(capture) = capture {
                capture.end(&result);
            }
            result
        });
        prepared.recycle();
        result
    }
}

impl Object<Queue> {
    /// Implements clEnqueueNDRangeKernel, and clEnqueueTask with a range of one work-item. May return an event even
    /// if none is requested.
    pub fn launch(
        self: &Arc<Self>,
        command_type: cl_command_type,
        kernel: &Kernel,
        range: NdRangeArgs,
        events: &Events,
    ) -> Enqueued {
        let executable = self.executable(kernel)?;
        let has_local = range.local.is_some();
        let allows_empty = || environment().empty_launches || kernel.at(executable).allows_empty_launches();
        if range.is_empty() && allows_empty() {
            check_empty_range(kernel.at(executable), range)?;
            kernel.check_args()?;
            return self.enqueue_body(command_type, events, command::CommandBody::Nothing);
        }
        let range = check_range(kernel.at(executable), range)?;
        let (prepared, buffers) = kernel.bind(executable, &range, |message| {
            self.report(&format!("kernel {}: {message}", kernel.info().name));
        })?;
        let parent = self.parent_of(&prepared, kernel, executable).map(Box::new);
        let snapshot = capture::is_on().then(|| Box::new(kernel.snapshot(executable, range, has_local)));
        let run = KernelRun { prepared: Some(prepared), range, parent, buffers, snapshot };
        self.enqueue_body(command_type, events, command::CommandBody::Launch(run))
    }

    /// Returns the environment of a kernel that enqueues other kernels; none if it enqueues none.
    fn parent_of(&self, prepared: &BoundLaunch, kernel: &Kernel, executable: usize) -> Option<ParentKernel> {
        let (code, _) = prepared.parts().filter(|(code, _)| code.kernel.traits().enqueues)?;
        let default = self.context().default_queue(self.device());
        let has_default = default.is_some();
        let mut queues: Vec<_> = default.into_iter().collect();
        let named = kernel.queues().into_iter().filter(|queue| Arc::ptr_eq(queue.device(), self.device()));
        queues.extend(named);
        let device_queue = |queue: &Arc<Object<Queue>>| DeviceQueue {
            handle: queue.handle().addr() as u64,
            room: queue.size().unwrap_or(0).into(),
        };
        let environment = EnqueueEnvironment {
            program: Arc::clone(&code.program) as Arc<dyn Program>,
            queues: queues.iter().map(device_queue).collect(),
            has_default,
            local_mem_size: local_mem_size(),
            uniform: kernel.at(executable).is_uniform(),
            cpu_set: self.device().cpu_set().cloned(),
        };
        Some(ParentKernel { environment, _queues: queues })
    }

    /// Implements clGetKernelSuggestedLocalWorkSize: returns the local size of a launch of this range that names
    /// none.
    pub fn suggested_local_size(&self, kernel: &Kernel, range: NdRangeArgs) -> Result<[u64; 3]> {
        let executable = kernel.at(self.executable(kernel)?);
        let nd_range = check_range(executable, NdRangeArgs { local: None, ..range })?;
        kernel.check_args()?;
        Ok(nd_range.local)
    }

    /// Returns the index of the kernel's executable for this queue's device.
    fn executable(&self, kernel: &Kernel) -> Result<usize> {
        if !Arc::ptr_eq(self.context(), kernel.context()) {
            return Err(Error::InvalidContext);
        }
        kernel.executable(self.device())
    }

    /// Reports details of an error that has only a code, to the application's callback and on standard error.
    fn report(&self, message: &str) {
        eprintln!("grus: {message}");
        self.context().report(message);
    }

    /// Implements clEnqueueNativeKernel. The addresses of `mems` are stored in `args` at the given offsets.
    pub fn launch_native(
        self: &Arc<Self>,
        function: NativeFunction,
        mut args: Vec<u128>,
        mems: Vec<NativeMemArg>,
        events: &Events,
    ) -> Enqueued {
        for mem in mems.iter().filter_map(|(mem, _)| mem.as_ref()) {
            mem.check_buffer()?;
            if !Arc::ptr_eq(mem.context(), self.context()) {
                return Err(Error::InvalidContext);
            }
        }
        for (mem, place) in &mems {
            let address = mem.as_ref().map_or(0, |mem| mem.base().address());
            store(&mut args, *place, address).ok_or(Error::InvalidValue)?;
        }
        let cpu_set = self.device().cpu_set().cloned();
        let work = move || {
            let _in_use = mems;
            let _bound = cpu_set.as_deref().map(CpuSet::enter);
            function(&mut args);
            Ok(())
        };
        self.start(CL_COMMAND_NATIVE_KERNEL, false, events, work)
    }
}

/// Returns a line that describes a fault and its location (docs/faults.md).
fn fault_line(kernel: &str, fault: &Fault, place: Option<(&str, u32)>) -> String {
    // The fault may be in a kernel that this one enqueued.
    let mut line = match &fault.kernel {
        Some(child) => format!("kernel {child} (enqueued by {kernel})"),
        None => format!("kernel {kernel}"),
    };
    if let Some((file, number)) = place {
        line += &format!(", {file}:{number}");
    }
    let triple = |[x, y, z]: [u64; 3]| format!("({x}, {y}, {z})");
    match (fault.item, fault.last.as_deref().copied(), fault.group) {
        (Some(first), Some(last), _) if (0..3).filter(|&dim| first[dim] != last[dim]).count() == 1 => {
            let id = |dim: usize| match (first[dim], last[dim]) {
                (first, last) if first == last => first.to_string(),
                (first, last) => format!("{first} to {last}"),
            };
            line += &format!(", work-items ({}, {}, {})", id(0), id(1), id(2));
        }
        (Some(first), Some(last), _) => {
            line += &format!(", work-items {} to {}", triple(first), triple(last));
        }
        (Some(item), None, _) => line += &format!(", work-item {}", triple(item)),
        (None, _, Some(group)) => line += &format!(", work-group {}", triple(group)),
        (None, _, None) => {}
    }
    format!("{line}: {}", fault.message)
}

/// Describes a launch for the user.
fn describe(kernel: &str, range: &NdRange) -> String {
    let text =
        |sizes: [u64; 3]| sizes[..range.work_dim as usize].iter().map(u64::to_string).collect::<Vec<_>>();
    format!("{kernel}: {} in groups of {}", text(range.global).join("x"), text(range.local).join("x"))
}

/// Stores an address at byte `place` of a block; `None` if it does not fit.
fn store(block: &mut [u128], place: usize, address: usize) -> Option<()> {
    for (i, byte) in address.to_ne_bytes().into_iter().enumerate() {
        let at = place.checked_add(i)?;
        let word = block.get_mut(at / 16)?;
        let mut bytes = word.to_ne_bytes();
        bytes[at % 16] = byte;
        *word = u128::from_ne_bytes(bytes);
    }
    Some(())
}

/// Checks the sizes of clEnqueueNDRangeKernel. The result has sizes in all three dimensions.
fn check_range(kernel: &Executable, range: NdRangeArgs) -> Result<NdRange> {
    let global = spread(range.global, 1);
    if range.is_empty() {
        return Err(Error::InvalidGlobalWorkSize);
    }
    let offset = spread(range.offset.unwrap_or(&[]), 0);
    // The last global id does not fit in a size_t.
    if global.iter().zip(offset).any(|(size, offset)| size.checked_add(offset).is_none()) {
        return Err(Error::InvalidGlobalOffset);
    }
    let local = match range.local {
        Some(local) => check_local(kernel, range.global, local)?,
        None => choose_local(kernel, global, range.global)?,
    };
    Ok(NdRange { work_dim: range.global.len() as u32, offset, global, local })
}

/// Checks the sizes of an empty range, which OpenCL 2.1 allows. Only the local size is checked.
fn check_empty_range(kernel: &Executable, range: NdRangeArgs) -> Result<()> {
    let required = kernel.info().reqd_work_group_size.map(|size| size.map(|size| size as usize));
    let required = required.as_ref().map(|size| &size[..range.global.len()]);
    match range.local.or(required) {
        Some(local) => check_local(kernel, range.global, local).map(drop),
        None => Ok(()),
    }
}

/// Checks a local size for a range of one to three dimensions and returns it.
pub(super) fn check_local(kernel: &Executable, global: &[usize], local: &[usize]) -> Result<[u64; 3]> {
    if local.contains(&0) {
        return Err(Error::InvalidWorkGroupSize);
    }
    if local.iter().any(|&size| size > MAX_WORK_GROUP_SIZE) {
        return Err(Error::InvalidWorkItemSize);
    }
    // The product cannot overflow: it has three factors of at most 4096.
    if local.iter().product::<usize>() > kernel.max_work_group_size() {
        return Err(Error::InvalidWorkGroupSize);
    }
    let sizes = spread(local, 1);
    if required(kernel.info()).is_some_and(|required| required != sizes) {
        return Err(Error::InvalidWorkGroupSize);
    }
    // Equal sizes are frequent, and divisions are slow.
    let divides = |(global, local): (&usize, &usize)| global == local || global % local == 0;
    if kernel.is_uniform() && !global.iter().zip(local).all(divides) {
        return Err(Error::InvalidWorkGroupSize);
    }
    Ok(sizes)
}

fn choose_local(kernel: &Executable, sizes: [u64; 3], global: &[usize]) -> Result<[u64; 3]> {
    // A size that the kernel requires is checked as if the application had passed it.
    if let Some(required) = kernel.info().reqd_work_group_size {
        let required = required.map(|size| size as usize);
        return check_local(kernel, global, &required[..global.len()]);
    }
    let limit = kernel.max_work_group_size() as u64;
    Ok(grus_exec::choose_local_size(sizes, global.len() as u32, limit))
}

/// Returns the size of the attribute reqd_work_group_size.
fn required(info: &KernelInfo) -> Option<[u64; 3]> {
    info.reqd_work_group_size.map(|size| size.map(u64::from))
}

/// Extends up to three sizes to three with `rest`.
fn spread(sizes: &[usize], rest: u64) -> [u64; 3] {
    match *sizes {
        [x] => [x as u64, rest, rest],
        [x, y] => [x as u64, y as u64, rest],
        [x, y, z] => [x as u64, y as u64, z as u64],
        _ => [rest; 3],
    }
}
