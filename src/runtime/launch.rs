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
use crate::exec::{self, CpuSet, DeviceQueue, EnqueueEnvironment, Fault, NdRange, Program, Runner};
use crate::support::environment::environment;
use crate::support::{timing, trace};

/// A function of the application, called with a copy of its arguments.
pub type NativeFunction = Box<dyn FnOnce(&mut [u128]) + Send>;

/// A memory object (or none) and the byte of a native kernel's arguments where its address goes.
pub type NativeMemArg = (Option<Arc<Object<Mem>>>, usize);

/// An ND-range as the application describes it; the slices have as many entries as dimensions.
#[derive(Clone, Copy, Debug)]
pub struct NdRangeArgs<'a> {
    pub offset: Option<&'a [usize]>,
    pub global: &'a [usize],
    pub local: Option<&'a [usize]>,
}

impl NdRangeArgs<'_> {
    /// Returns whether there are no work-items.
    fn is_empty(&self) -> bool {
        self.global.contains(&0)
    }
}

/// A launch as its command keeps it.
pub(super) struct KernelRun {
    /// None once it has run.
    prepared: Option<Arc<BoundLaunch>>,
    range: NdRange,
    /// If the kernel may enqueue others.
    parent: Option<Box<ParentKernel>>,
    /// The arguments' memory outlives the launch.
    buffers: Buffers,
    /// Where launches are counted until one is captured.
    snapshot: Option<Box<Snapshot>>,
}

/// What kernels that are enqueued on the device find there.
struct ParentKernel {
    environment: EnqueueEnvironment,
    _queues: Vec<Arc<Object<Queue>>>,
}

impl KernelRun {
    /// What recordings say of it.
    pub fn recorded(&self) -> Option<trace::TracedLaunch> {
        let (code, _) = self.prepared.as_ref()?.parts()?;
        Some(trace::TracedLaunch {
            kernel: trace::name(code.program.kernels[code.index].name.as_bytes()),
            work_dim: self.range.work_dim,
            sizes: [self.range.global, self.range.local, self.range.offset],
            bytes: self.buffers.iter().map(|mem| mem.size() as u64).sum(),
        })
    }

    /// Runs it to its end, and all that it enqueues. `ended` is called when it has ended itself, if that is earlier.
    pub fn run(&mut self, queue: &Object<Queue>, runner: &mut Runner, ended: &mut dyn FnMut()) -> Result<()> {
        let Some(prepared) = self.prepared.take() else { return Ok(()) };
        let result = prepared.parts().map_or(Ok(()), |(code, inputs)| {
            let name = &code.program.kernels[code.index].name;
            let capture = self.snapshot.take().and_then(|snapshot| snapshot.begin());
            let _timed = timing::untraced_span("launch", || describe(name, &self.range));
            let result = match &self.parent {
                None => {
                    let part = queue.device().cores().map(|cores| &**cores);
                    runner.run(&code.kernel, &self.range, inputs, part)
                }
                Some(parent) => {
                    runner.run_tree(&code.kernel, &self.range, inputs, &parent.environment, ended)
                }
            };
            let result = result.map_err(|fault| {
                runner.release_caches();
                queue.report(&fault_line(name, &fault, code.program.place(fault.loc)));
                Error::OutOfResources
            });
            if let Some(capture) = capture {
                capture.end(&result);
            }
            result
        });
        prepared.let_go();
        result
    }
}

impl Object<Queue> {
    /// clEnqueueNDRangeKernel, and clEnqueueTask with a range of one work-item. There may be an event even if none is
    /// wanted.
    pub fn launch(
        self: &Arc<Self>,
        command_type: cl_command_type,
        kernel: &Kernel,
        range: NdRangeArgs,
        events: &Events,
    ) -> Enqueued {
        let executable = self.executable(kernel)?;
        let has_local = range.local.is_some();
        if range.is_empty() && environment().empty_launches {
            check_empty_range(kernel.at(executable), range)?;
            kernel.check_args()?;
            return self.enqueue_code(command_type, events, command::CommandBody::Nothing);
        }
        let range = check_range(kernel.at(executable), range)?;
        let (prepared, buffers) = kernel.bind(executable, &range, |message| {
            self.report(&format!("kernel {}: {message}", kernel.info().name));
        })?;
        let parent = self.parent_of(&prepared, kernel, executable).map(Box::new);
        let snapshot = capture::is_on().then(|| Box::new(kernel.snapshot(executable, range, has_local)));
        let run = KernelRun { prepared: Some(prepared), range, parent, buffers, snapshot };
        self.enqueue_code(command_type, events, command::CommandBody::Launch(run))
    }

    /// What a kernel needs that may enqueue others.
    fn parent_of(&self, prepared: &BoundLaunch, kernel: &Kernel, executable: usize) -> Option<ParentKernel> {
        let (code, _) = prepared.parts().filter(|(code, _)| code.kernel.enqueues)?;
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
            part: self.device().cores().cloned(),
        };
        Some(ParentKernel { environment, _queues: queues })
    }

    /// clGetKernelSuggestedLocalWorkSize: the sizes of groups that a launch of this range would have if it named none.
    pub fn suggested_local_size(&self, kernel: &Kernel, range: NdRangeArgs) -> Result<[u64; 3]> {
        let executable = kernel.at(self.executable(kernel)?);
        let nd_range = check_range(executable, NdRangeArgs { local: None, ..range })?;
        kernel.check_args()?;
        Ok(nd_range.local)
    }

    /// Which of the kernel's executables is for this queue's device.
    fn executable(&self, kernel: &Kernel) -> Result<usize> {
        if !Arc::ptr_eq(self.context(), kernel.context()) {
            return Err(Error::InvalidContext);
        }
        kernel.executable(self.device())
    }

    /// Reports a failure that has only a number otherwise to the application, and on standard error.
    fn report(&self, message: &str) {
        eprintln!("grus: {message}");
        self.context().report(message);
    }

    /// clEnqueueNativeKernel: `args` has the addresses of `mems` at the given places.
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
        let cores = self.device().cores().cloned();
        let work = move || {
            let _in_use = mems;
            let _bound = cores.as_deref().map(CpuSet::enter);
            function(&mut args);
            Ok(())
        };
        self.start(CL_COMMAND_NATIVE_KERNEL, false, events, work)
    }
}

/// What went wrong, and where, in one line (docs/faults.md).
fn fault_line(kernel: &str, fault: &Fault, place: Option<(&str, u32)>) -> String {
    // The fault may be of a kernel that this one enqueued.
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

/// A launch as the user reads of it.
fn describe(kernel: &str, range: &NdRange) -> String {
    let text =
        |sizes: [u64; 3]| sizes[..range.work_dim as usize].iter().map(u64::to_string).collect::<Vec<_>>();
    format!("{kernel}: {} in groups of {}", text(range.global).join("x"), text(range.local).join("x"))
}

/// Writes an address at byte `place` of a block; `None` if it does not fit.
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

/// The checks of clEnqueueNDRangeKernel that concern sizes; the result has no unused or unknown dimension.
fn check_range(kernel: &Executable, range: NdRangeArgs) -> Result<NdRange> {
    let global = spread(range.global, 1);
    if range.is_empty() {
        return Err(Error::InvalidGlobalWorkSize);
    }
    let offset = spread(range.offset.unwrap_or(&[]), 0);
    // The last global id is not a size_t.
    if global.iter().zip(offset).any(|(size, offset)| size.checked_add(offset).is_none()) {
        return Err(Error::InvalidGlobalOffset);
    }
    let local = match range.local {
        Some(local) => check_local(kernel, range.global, local)?,
        None => choose_local(kernel, global, range.global)?,
    };
    Ok(NdRange { work_dim: range.global.len() as u32, offset, global, local })
}

/// The checks of sizes for a range of no work-items, which 2.1 allows: they are those of the size of groups.
fn check_empty_range(kernel: &Executable, range: NdRangeArgs) -> Result<()> {
    let required = kernel.info().reqd_work_group_size.map(|size| size.map(|size| size as usize));
    let required = required.as_ref().map(|size| &size[..range.global.len()]);
    match range.local.or(required) {
        Some(local) => check_local(kernel, range.global, local).map(drop),
        None => Ok(()),
    }
}

/// Groups of this size for a range of one to three dimensions.
pub(super) fn check_local(kernel: &Executable, global: &[usize], local: &[usize]) -> Result<[u64; 3]> {
    if local.contains(&0) {
        return Err(Error::InvalidWorkGroupSize);
    }
    if local.iter().any(|&size| size > MAX_WORK_GROUP_SIZE) {
        return Err(Error::InvalidWorkItemSize);
    }
    // No overflow: three factors of at most 4096.
    if local.iter().product::<usize>() > kernel.max_work_group_size() {
        return Err(Error::InvalidWorkGroupSize);
    }
    let sizes = spread(local, 1);
    if required(kernel.info()).is_some_and(|required| required != sizes) {
        return Err(Error::InvalidWorkGroupSize);
    }
    // Equal sizes are frequent, divisions slow.
    let divides = |(global, local): (&usize, &usize)| global == local || global % local == 0;
    if kernel.is_uniform() && !global.iter().zip(local).all(divides) {
        return Err(Error::InvalidWorkGroupSize);
    }
    Ok(sizes)
}

fn choose_local(kernel: &Executable, sizes: [u64; 3], global: &[usize]) -> Result<[u64; 3]> {
    // What the kernel requires is checked as if the application had asked for it.
    if let Some(required) = kernel.info().reqd_work_group_size {
        let required = required.map(|size| size as usize);
        return check_local(kernel, global, &required[..global.len()]);
    }
    let limit = kernel.max_work_group_size() as u64;
    Ok(exec::choose_local_size(sizes, global.len() as u32, limit))
}

/// reqd_work_group_size.
fn required(info: &KernelInfo) -> Option<[u64; 3]> {
    info.reqd_work_group_size.map(|size| size.map(u64::from))
}

/// Up to three sizes, the missing ones filled up.
fn spread(sizes: &[usize], rest: u64) -> [u64; 3] {
    match *sizes {
        [x] => [x as u64, rest, rest],
        [x, y] => [x as u64, y as u64, rest],
        [x, y, z] => [x as u64, y as u64, z as u64],
        _ => [rest; 3],
    }
}
