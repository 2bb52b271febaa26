//! Commands that run code: ND-ranges, tasks and native kernels (API s5.10).

use std::cell::RefCell;
use std::sync::Arc;

use smallvec::SmallVec;

use super::command;
use super::device::{LOCAL_MEM_SIZE, MAX_WORK_GROUP_SIZE};
use super::error::{Error, Result};
use super::event::Event;
use super::kernel::Kernel;
use super::memory::Mem;
use super::object::Object;
use super::queue::{Order, Queue};
use crate::cl::*;
use crate::compile::{Artifact, KernelInfo};
use crate::exec::{self, ArgBlock, CompiledKernel, Cores, Fault, Launch, NdRange};
use crate::support::timing;

type Waits<'a> = &'a [Arc<Object<Event>>];

/// A function of the application, called with a copy of its arguments.
pub type NativeFunction = Box<dyn FnOnce(&mut [u128]) + Send>;

/// A memory object (or none) and the byte of a native kernel's arguments where its address goes.
pub type Place = (Option<Arc<Object<Mem>>>, usize);

/// An ND-range as the application describes it; the slices have as many entries as dimensions.
#[derive(Clone, Copy, Debug)]
pub struct Range<'a> {
    pub offset: Option<&'a [usize]>,
    pub global: &'a [usize],
    pub local: Option<&'a [usize]>,
}

/// A launch as its command keeps it.
#[derive(Default)]
pub(super) struct KernelRun {
    /// None while this waits to be used again.
    code: Option<KernelCode>,
    /// The arguments' memory outlives the launch.
    buffers: SmallVec<[Arc<Object<Mem>>; 4]>,
    launch: Launch,
}

/// What a launch runs.
struct KernelCode {
    /// The program, with its variables, and the kernel's place in it.
    program: Arc<Artifact>,
    index: usize,
    kernel: Arc<CompiledKernel>,
}

/// Launches that a thread keeps the memory of.
const SPARE: usize = 256;

#[expect(clippy::vec_box, reason = "the boxes are what is kept")]
struct Spares(Vec<Box<KernelRun>>);

thread_local! {
    static SPARES: RefCell<Spares> = const { RefCell::new(Spares(Vec::new())) };
}

impl KernelRun {
    /// An empty one: the memory of one that this thread has run, if there is any.
    fn empty() -> Box<KernelRun> {
        SPARES.try_with(|spares| spares.borrow_mut().0.pop()).ok().flatten().unwrap_or_default()
    }

    /// Runs it to its end and lets go what it kept alive.
    pub fn run(mut self: Box<Self>, queue: &Object<Queue>) -> Result<()> {
        let result = self.code.take().map_or(Ok(()), |KernelCode { program, index, kernel }| {
            let name = &program.kernels[index].name;
            let _timed = timing::span("launch", || describe(name, self.launch.range()));
            exec::run(&kernel, &self.launch, queue.device().cores().map(|cores| &**cores)).map_err(|fault| {
                queue.report(&fault_line(name, &fault, program.place(fault.loc)));
                Error::OutOfResources
            })
        });
        self.buffers.clear();
        // A thread that is ending has none any more.
        let _ = SPARES.try_with(|spares| {
            let spares = &mut spares.borrow_mut().0;
            if spares.len() < SPARE {
                spares.push(self);
            }
        });
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
        range: Range,
        waits: Waits,
        wanted: bool,
    ) -> Result<Option<Arc<Object<Event>>>> {
        let (artifact, index) = self.executable(kernel)?;
        let nd_range = check_range(kernel, range)?;
        let mut run = KernelRun::empty();
        let bound = kernel.bind(run.launch.args())?;
        // More local memory than the device has.
        let local: u64 = bound.local.iter().map(|(_, size)| *size).sum();
        if local.saturating_add(kernel.info().local_mem_size) > LOCAL_MEM_SIZE {
            return Err(Error::OutOfResources);
        }
        let compiled = artifact.compiled_for(index, &bound.known).map_err(|message| {
            self.report(&format!("kernel {}: {message}", kernel.info().name));
            Error::OutOfResources
        })?;
        run.launch.prepare(&compiled, nd_range, bound.local);
        run.buffers = bound.buffers;
        run.code = Some(KernelCode { program: Arc::clone(artifact), index, kernel: compiled });
        Ok(self.enqueue_code(command_type, waits, command::Code::Launch(run), wanted))
    }

    /// clGetKernelSuggestedLocalWorkSize: the sizes of groups that a launch of this range would have if it named none.
    pub fn suggested_local_size(&self, kernel: &Kernel, range: Range) -> Result<[u64; 3]> {
        self.executable(kernel)?;
        let nd_range = check_range(kernel, Range { local: None, ..range })?;
        kernel.bind(&mut ArgBlock::default())?;
        Ok(nd_range.local)
    }

    /// The artifact of a kernel for this queue's device and the kernel's place in it.
    fn executable<'a>(&self, kernel: &'a Kernel) -> Result<(&'a Arc<Artifact>, usize)> {
        if !Arc::ptr_eq(self.context(), kernel.context()) {
            return Err(Error::InvalidContext);
        }
        kernel.executable(self.device())
    }

    /// Tells the application, and whoever reads standard error, about a failure that has only a number otherwise.
    fn report(&self, message: &str) {
        eprintln!("grus: {message}");
        self.context().report(message);
    }

    /// clEnqueueNativeKernel: `args` has the addresses of `mems` at the given places.
    pub fn launch_native(
        self: &Arc<Self>,
        function: NativeFunction,
        mut args: Vec<u128>,
        mems: Vec<Place>,
        waits: Waits,
    ) -> Result<Arc<Object<Event>>> {
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
        let work = Box::new(move || {
            let _in_use = mems;
            let _bound = cores.as_deref().map(Cores::enter);
            function(&mut args);
            Ok(())
        });
        Ok(self.enqueue(CL_COMMAND_NATIVE_KERNEL, waits, Order::Free, Some(work)))
    }
}

/// What went wrong, and where, in one line (docs/faults.md).
fn fault_line(kernel: &str, fault: &Fault, place: Option<(&str, u32)>) -> String {
    let mut line = format!("kernel {kernel}");
    if let Some((file, number)) = place {
        line += &format!(", {file}:{number}");
    }
    let triple = |[x, y, z]: [u64; 3]| format!("({x}, {y}, {z})");
    match (fault.item, fault.group) {
        (Some(item), _) => line += &format!(", work-item {}", triple(item)),
        (None, Some(group)) => line += &format!(", work-group {}", triple(group)),
        (None, None) => {}
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
fn check_range(kernel: &Kernel, range: Range) -> Result<NdRange> {
    let global = spread(range.global, 1);
    if range.global.contains(&0) {
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

fn check_local(kernel: &Kernel, global: &[usize], local: &[usize]) -> Result<[u64; 3]> {
    if local.contains(&0) {
        return Err(Error::InvalidWorkGroupSize);
    }
    if local.iter().any(|&size| size > MAX_WORK_GROUP_SIZE) {
        return Err(Error::InvalidWorkItemSize);
    }
    // No overflow: three factors of at most 4096.
    if local.iter().product::<usize>() > MAX_WORK_GROUP_SIZE {
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

fn choose_local(kernel: &Kernel, sizes: [u64; 3], global: &[usize]) -> Result<[u64; 3]> {
    // What the kernel requires is checked as if the application had asked for it.
    if let Some(required) = kernel.info().reqd_work_group_size {
        let required = required.map(|size| size as usize);
        return check_local(kernel, global, &required[..global.len()]);
    }
    let limit = MAX_WORK_GROUP_SIZE as u64;
    Ok(exec::choose_local_size(sizes, global.len() as u32, limit))
}

/// reqd_work_group_size.
fn required(info: &KernelInfo) -> Option<[u64; 3]> {
    info.reqd_work_group_size.map(|size| size.map(u64::from))
}

/// Up to three sizes, the missing ones filled up.
fn spread(sizes: &[usize], rest: u64) -> [u64; 3] {
    std::array::from_fn(|i| sizes.get(i).map_or(rest, |&size| size as u64))
}
