//! Kernel objects: a kernel of a program and the arguments of its next launch.
//!
//! Arguments are stored in the block of bytes that a launch reads. A kernel holds only weak references to memory
//! objects, to notice when an object is gone; an enqueued command keeps them alive.

use std::ffi::c_void;
use std::sync::{Arc, Weak};
use std::thread::LocalKey;

use smallvec::SmallVec;

use super::bound_launch::BoundLaunch;
use super::capture::{self, Argument, Snapshot};
use super::context::Context;
use super::device::{Device, MAX_WORK_GROUP_SIZE, MAX_WORK_GROUP_SIZE_OF_SUB_GROUPS, local_mem_size};
use super::error::{Error, Result};
use super::launch::check_local;
use super::memory::Mem;
use super::object::{HandleCache, Object, ObjectBody, ParentRef};
use super::program::Program;
use super::queue::Queue;
use super::sampler::Sampler;
use crate::cl::*;
use crate::compile::{
    ArgAccess, ArgInfo, ArgKind, Artifact, CodeError, CodeFacts, KernelInfo, LaunchFacts, RangeFacts,
    SelectedVariant,
};
use grus_exec::{ArgBlock, NdRange};
use grus_ir::image::{ArgumentKey, ImageType};
use grus_support::sync::Mutex;

/// Size of a handle or an address in bytes.
const HANDLE: usize = size_of::<usize>();

/// Body of a cl_kernel.
pub struct Kernel {
    program: ParentRef<Program>,
    /// Executables: one for each device of the program that has one, and at least one. All of them have the same
    /// parameters.
    executables: Vec<Executable>,
    args: Mutex<KernelArgs>,
    /// Addresses that clSetKernelExecInfo has named, if a launch is to be captured.
    shared: Mutex<SharedAddresses>,
}

/// Addresses of memory that a kernel reaches without an argument: those of shared virtual memory, of unified shared
/// memory, and of buffers.
type SharedAddresses = [Vec<usize>; 3];

/// Set of addresses that clSetKernelExecInfo replaces.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SharedSet {
    Svm,
    Usm,
    DeviceAddresses,
}

/// Kernel for one of its devices. The program may have been built with different options for each device.
#[derive(Clone)]
pub(super) struct Executable {
    device: ParentRef<Device>,
    artifact: Arc<Artifact>,
    /// Index of the kernel in the artifact.
    index: usize,
    /// True if all work-groups of a launch must have the same size.
    uniform: bool,
}

impl Executable {
    /// Returns the compiler's description of the kernel.
    pub fn info(&self) -> &Arc<KernelInfo> {
        &self.artifact.kernels[self.index]
    }

    /// Checks whether all work-groups must have the same size (API s5.10).
    pub fn is_uniform(&self) -> bool {
        self.uniform
    }

    /// Checks whether a launch of no work-items is valid.
    pub fn allows_empty_launches(&self) -> bool {
        self.artifact.has_il()
    }

    /// Returns the maximum number of work-items in a work-group.
    pub fn max_work_group_size(&self) -> usize {
        let info = self.info();
        // SYCL takes the device's limit for that of all kernels.
        if !info.uses_sub_groups || self.artifact.has_il() {
            return MAX_WORK_GROUP_SIZE;
        }
        let required = info.reqd_work_group_size.map_or(0, |size| size.map(|n| n as usize).iter().product());
        MAX_WORK_GROUP_SIZE_OF_SUB_GROUPS.max(required).min(MAX_WORK_GROUP_SIZE)
    }
}

thread_local! {
    static HANDLES: HandleCache<Kernel> = const { HandleCache::new() };
}

/// Prepares the thread, see [`super::first_call`].
pub(super) fn init_thread_locals() {
    let _ = HANDLES.try_with(|_| ());
}

impl ObjectBody for Kernel {
    const INVALID: Error = Error::InvalidKernel;

    fn cached() -> Option<&'static LocalKey<HandleCache<Self>>> {
        Some(&HANDLES)
    }

    fn destroyed(&mut self, _handle: *mut c_void) {
        self.program.count_kernel(false);
    }
}

/// Arguments as they are currently set.
#[derive(Clone)]
struct KernelArgs {
    block: ArgBlock,
    set: Vec<Arg>,
    /// Buffers that clSetKernelExecInfo has named by their addresses.
    reached: Vec<Weak<Object<Mem>>>,
    /// Inputs of the last launch. Later launches share them until an argument is set.
    prepared: Option<Arc<BoundLaunch>>,
    changed: bool,
    /// Code of the last launch, and the index of its executable.
    last: Option<(usize, SelectedVariant)>,
}

/// Memory objects that a launch keeps alive.
pub(super) type Buffers = SmallVec<[Arc<Object<Mem>>; 4]>;

#[derive(Clone)]
enum Arg {
    Unset,
    /// Value that is only in the block.
    Value,
    Buffer(Weak<Object<Mem>>),
    /// Address in a buffer, which may be gone.
    Address(Weak<Object<Mem>>),
    Image(Weak<Object<Mem>>),
    /// Bits of a sampler, see [`grus_ir::image::Sampler::bits`].
    Sampler(u32),
    /// Size of local memory in bytes.
    Local(u64),
    /// Device-side queue.
    Queue(Weak<Object<Queue>>),
}

impl Kernel {
    /// Creates a kernel with this name, which must be in the program.
    pub(super) fn create(program: &Arc<Object<Program>>, name: &str) -> Result<Arc<Object<Self>>> {
        let mut executables = Vec::new();
        for (device, build) in program.devices().iter().zip(program.builds()) {
            let Some(artifact) = build.executable() else {
                continue;
            };
            let Some(index) = artifact.kernels.iter().position(|k| k.name == name) else {
                return Err(Error::InvalidKernelDefinition);
            };
            artifact.want(index);
            let (device, artifact, uniform) =
                (device.clone(), Arc::clone(artifact), build.wants_uniform_groups());
            executables.push(Executable { device, artifact, index, uniform });
        }
        let first = executables.first().ok_or(Error::InvalidProgramExecutable)?;
        let args = Mutex::new(KernelArgs::unset(first.info()));
        program.count_kernel(true);
        let (program, shared) = (ParentRef::new(program), Mutex::default());
        Ok(Object::new(Self { program, executables, args, shared }))
    }

    /// Implements clCloneKernel: returns the same kernel with the same arguments.
    pub fn duplicate(&self) -> Arc<Object<Self>> {
        self.program.count_kernel(true);
        Object::new(Self {
            program: self.program.clone(),
            executables: self.executables.clone(),
            args: Mutex::new(self.args.lock().clone()),
            shared: Mutex::new(self.shared.lock().clone()),
        })
    }

    /// Returns the program.
    pub fn program(&self) -> &Arc<Object<Program>> {
        self.program.object()
    }

    /// Returns the context.
    pub fn context(&self) -> &Arc<Object<Context>> {
        self.program.context()
    }

    /// Returns the compiler's description of the kernel on its first device. Name and parameters are the same on
    /// all devices.
    pub fn info(&self) -> &KernelInfo {
        self.executables[0].info()
    }

    /// Returns the compiler's description of the kernel on one of its devices.
    pub fn info_on(&self, device: &Object<Device>) -> Result<&KernelInfo> {
        Ok(self.on(device)?.info())
    }

    /// Returns the parameter at `index`.
    pub fn arg(&self, index: cl_uint) -> Result<&ArgInfo> {
        self.info().args.get(index as usize).ok_or(Error::InvalidArgIndex)
    }

    /// Returns the argument information of the parameter at `index`. clGetKernelArgInfo names no device, so any
    /// device's build that has kept the information will do.
    pub fn arg_info(&self, index: cl_uint) -> Result<&ArgInfo> {
        self.arg(index)?;
        // The program was compiled without `-cl-kernel-arg-info`.
        let kept = self.executables.iter().map(Executable::info).find(|info| info.has_arg_info);
        Ok(&kept.ok_or(Error::KernelArgInfoNotAvailable)?.args[index as usize])
    }

    /// Returns the device that a work-group query refers to: `device`, or the kernel's only device.
    pub fn device(&self, device: Option<Arc<Object<Device>>>) -> Result<Arc<Object<Device>>> {
        let mut mine = self.executables.iter().map(|executable| executable.device.object());
        match device {
            Some(device) => mine.find(|d| Arc::ptr_eq(d, &device)).cloned(),
            None if self.executables.len() == 1 => mine.next().cloned(),
            None => None,
        }
        .ok_or(Error::InvalidDevice)
    }

    /// Returns the index of the executable for `device`.
    pub(super) fn executable(&self, device: &Object<Device>) -> Result<usize> {
        let found = self.executables.iter().position(|executable| executable.device.is(device));
        found.ok_or(Error::InvalidProgramExecutable)
    }

    /// Returns the executable with this index.
    pub(super) fn at(&self, executable: usize) -> &Executable {
        &self.executables[executable]
    }

    /// Returns the executable for `device`.
    fn on(&self, device: &Object<Device>) -> Result<&Executable> {
        self.executable(device).map(|executable| self.at(executable))
    }

    /// Returns the sub-group size in work-items on one of the kernel's devices. Only the last sub-group of a
    /// work-group may be smaller.
    pub fn sub_group_size(&self, device: &Object<Device>) -> Result<u16> {
        let Executable { artifact, index, .. } = self.on(device)?;
        artifact.sub_group_size(*index).map_err(|why| no_code(&why))
    }

    /// Returns CL_KERNEL_WORK_GROUP_SIZE: the maximum number of work-items in a work-group on one of the kernel's
    /// devices.
    pub fn max_work_group_size(&self, device: &Object<Device>) -> Result<usize> {
        self.on(device).map(Executable::max_work_group_size)
    }

    /// Returns CL_KERNEL_CODE_GRUS: facts about the kernel's code on one of its devices, for long ranges with this
    /// local size.
    pub fn code_facts(&self, device: &Object<Device>, local: &[usize]) -> Result<CodeFacts> {
        let executable = self.on(device)?;
        let local = check_local(executable, local, local).map_err(|_| Error::InvalidValue)?;
        executable.artifact.code_facts(executable.index, local).map_err(|why| no_code(&why))
    }

    /// Returns CL_KERNEL_SPILL_MEM_SIZE_INTEL: the number of bytes of the stack used for spilled registers, in the
    /// code for any range, which is generated if it does not exist yet.
    pub fn spill_mem_size(&self, device: &Object<Device>) -> Result<u64> {
        let Executable { artifact, index, .. } = self.on(device)?;
        artifact.compiled(*index).map(|kernel| kernel.code.footprint.spill_size).map_err(|why| no_code(&why))
    }

    /// Returns CL_KERNEL_LOCAL_MEM_SIZE: the kernel's own local memory on one of its devices, plus that of the
    /// arguments set so far.
    pub fn local_mem_size(&self, device: &Object<Device>) -> Result<u64> {
        let own = self.on(device)?.info().local_mem_size;
        let args = self.args.lock();
        let set = args.set.iter().map(|arg| if let Arg::Local(size) = arg { *size } else { 0 });
        Ok(own + set.sum::<u64>())
    }

    /// Implements clSetKernelArg. `value` is the application's memory, which is read only after its size has been
    /// checked.
    pub fn set_arg(&self, index: cl_uint, size: usize, value: Option<&[u8]>) -> Result<()> {
        let info = self.arg(index)?;
        let place = info.offset as usize;
        let index = index as usize;
        match info.kind {
            ArgKind::Value { size: expected } => {
                let value = value.ok_or(Error::InvalidArgValue)?;
                if size != expected as usize {
                    return Err(Error::InvalidArgSize);
                }
                self.args.lock().put(index, place, value, Arg::Value);
            }
            ArgKind::Global | ArgKind::Constant => {
                let (address, arg) = self.buffer_arg(size, value)?;
                self.args.lock().put(index, place, &address.to_ne_bytes(), arg);
            }
            ArgKind::Local => {
                if value.is_some() {
                    return Err(Error::InvalidArgValue);
                }
                if size == 0 {
                    return Err(Error::InvalidArgSize);
                }
                self.args.lock().put(index, place, &[], Arg::Local(size as u64));
            }
            ArgKind::Image(ty) => {
                let mem = self.image_arg(ty, info.access, size, value)?;
                let address = mem.image()?.descriptor();
                let arg = Arg::Image(Arc::downgrade(&mem));
                self.args.lock().put(index, place, &address.to_ne_bytes(), arg);
            }
            ArgKind::Sampler => {
                let bits = self.sampler_arg(size, value)?;
                self.args.lock().put(index, place, &bits.to_ne_bytes(), Arg::Sampler(bits));
            }
            ArgKind::Pipe { size: packet, align } => {
                let mem = self.pipe_arg(packet, align, size, value)?;
                let (address, arg) = (mem.base().address(), Arg::Buffer(Arc::downgrade(&mem)));
                self.args.lock().put(index, place, &address.to_ne_bytes(), arg);
            }
            ArgKind::Queue => {
                let queue = self.queue_arg(size, value)?;
                let number = queue.handle().addr().to_ne_bytes();
                self.args.lock().put(index, place, &number, Arg::Queue(Arc::downgrade(&queue)));
            }
        }
        Ok(())
    }

    /// Implements clSetKernelArgSVMPointer and clSetKernelArgMemPointerINTEL. Any address of the process is valid,
    /// including addresses inside or outside of allocations.
    pub fn set_pointer_arg(&self, index: cl_uint, address: usize) -> Result<()> {
        let info = self.arg(index)?;
        if !matches!(info.kind, ArgKind::Global | ArgKind::Constant) {
            return Err(Error::InvalidArgValue);
        }
        let place = info.offset as usize;
        self.args.lock().put(index as usize, place, &address.to_ne_bytes(), Arg::Value);
        Ok(())
    }

    /// Implements clSetKernelArgDevicePointerEXT. Any address is valid, as long as the kernel does not follow it.
    pub fn set_device_address_arg(&self, index: cl_uint, address: cl_mem_device_address_ext) -> Result<()> {
        let info = self.arg(index)?;
        if info.kind != ArgKind::Global {
            return Err(Error::InvalidArgIndex);
        }
        let place = info.offset as usize;
        let buffer = self.context().addressed().around(address as usize);
        let arg = buffer.map_or(Arg::Value, Arg::Address);
        self.args.lock().put(index as usize, place, &address.to_ne_bytes(), arg);
        Ok(())
    }

    /// Implements clSetKernelExecInfo: names memory that the kernel reaches without an argument. Kernels may follow
    /// any pointer anyway, so this is only needed for captures, and to keep buffers alive.
    pub fn set_shared(&self, set: SharedSet, addresses: impl Iterator<Item = usize>) {
        if set != SharedSet::DeviceAddresses && !capture::is_on() {
            return;
        }
        let addresses: Vec<usize> = addresses.collect();
        if set == SharedSet::DeviceAddresses {
            self.args.lock().reached = self.context().buffers_around(&addresses);
        }
        self.shared.lock()[set as usize] = addresses;
    }

    /// Returns a description of a launch of one of the executables, for a capture.
    pub(super) fn snapshot(&self, executable: usize, range: NdRange, has_local: bool) -> Snapshot {
        let Executable { device, artifact, .. } = self.at(executable);
        let info = self.at(executable).info();
        let args = self.args.lock();
        Snapshot {
            program: Arc::clone(self.program()),
            artifact: Arc::clone(artifact),
            device: Arc::clone(device.object()),
            kernel: Arc::clone(info),
            arguments: args.set.iter().zip(&info.args).map(|(arg, info)| args.captured(arg, info)).collect(),
            shared: self.shared.lock().concat(),
            range,
            has_local,
        }
    }

    fn buffer_arg(&self, size: usize, value: Option<&[u8]>) -> Result<(usize, Arg)> {
        if size != HANDLE {
            return Err(Error::InvalidArgSize);
        }
        let handle = handle(value);
        if handle.is_null() {
            return Ok((0, Arg::Value));
        }
        let mem = Object::<Mem>::find(handle)?;
        mem.check_buffer()?;
        self.check_context(mem.context())?;
        Ok((mem.base().address(), Arg::Buffer(Arc::downgrade(&mem))))
    }

    fn check_context(&self, context: &Arc<Object<Context>>) -> Result<()> {
        if Arc::ptr_eq(context, self.context()) { Ok(()) } else { Err(Error::InvalidContext) }
    }

    /// Returns the image that `value` names, if it is valid for a parameter of this type and access.
    fn image_arg(
        &self,
        ty: ImageType,
        access: ArgAccess,
        size: usize,
        value: Option<&[u8]>,
    ) -> Result<Arc<Object<Mem>>> {
        if size != HANDLE {
            return Err(Error::InvalidArgSize);
        }
        let mem = Object::<Mem>::find(handle(value))?;
        if mem.image()?.image_type() != ty {
            return Err(Error::InvalidMemObject);
        }
        self.check_context(mem.context())?;
        let reads = access != ArgAccess::WriteOnly;
        let writes = access != ArgAccess::ReadOnly;
        let is_write_only = mem.flags() & CL_MEM_WRITE_ONLY != 0;
        let is_read_only = mem.flags() & CL_MEM_READ_ONLY != 0;
        if reads && is_write_only || writes && is_read_only {
            return Err(Error::InvalidArgValue);
        }
        Ok(mem)
    }

    /// Returns the pipe that `value` names, if it supports packets of this size and alignment.
    fn pipe_arg(
        &self,
        packet: u32,
        align: u32,
        size: usize,
        value: Option<&[u8]>,
    ) -> Result<Arc<Object<Mem>>> {
        if size != HANDLE {
            return Err(Error::InvalidArgSize);
        }
        let mem = Object::<Mem>::find(handle(value))?;
        // Modules in SPIR-V do not say what packets a pipe has that they only pass on.
        let pipe = mem.pipe()?;
        let takes = packet == 0 || pipe.takes(packet, align);
        self.check_context(mem.context())?;
        if takes { Ok(mem) } else { Err(Error::InvalidArgValue) }
    }

    /// Returns the device-side queue that `value` names.
    fn queue_arg(&self, size: usize, value: Option<&[u8]>) -> Result<Arc<Object<Queue>>> {
        if size != HANDLE {
            return Err(Error::InvalidArgSize);
        }
        let queue = Object::<Queue>::find(handle(value)).map_err(|_| Error::InvalidDeviceQueue)?;
        self.check_context(queue.context())?;
        if queue.is_on_device() { Ok(queue) } else { Err(Error::InvalidDeviceQueue) }
    }

    /// Returns the queues among the arguments.
    pub(super) fn queues(&self) -> Vec<Arc<Object<Queue>>> {
        let args = self.args.lock();
        let queue = |arg: &Arg| if let Arg::Queue(queue) = arg { queue.upgrade() } else { None };
        args.set.iter().filter_map(queue).collect()
    }

    /// Returns the bits of the sampler that `value` names.
    fn sampler_arg(&self, size: usize, value: Option<&[u8]>) -> Result<u32> {
        if size != HANDLE {
            return Err(Error::InvalidArgSize);
        }
        let sampler = Object::<Sampler>::find(handle(value))?;
        self.check_context(sampler.context())?;
        sampler.bits()
    }

    /// Checks that a launch could be enqueued. Fails if an argument is not set or its memory object is gone.
    pub(super) fn check_args(&self) -> Result<()> {
        // The application may have released the objects meanwhile, so they are dropped after the lock is released.
        let mut buffers = Buffers::new();
        self.args.lock().hold(&mut buffers)
    }

    /// Returns code and arguments for a launch of one of the executables, and the memory objects to keep alive.
    /// Fails if an argument is not set, its memory object is gone, or no code can be generated, whose reason is
    /// passed to `report`.
    pub(super) fn bind(
        &self,
        executable: usize,
        range: &NdRange,
        report: impl Fn(&str),
    ) -> Result<(Arc<BoundLaunch>, Buffers)> {
        let Executable { artifact, index, .. } = self.at(executable);
        let info = self.at(executable).info();
        let profile = artifact.specialization_profile(*index);
        let range_facts = profile.range_facts(range);
        let mut selected: Option<SelectedVariant> = None;
        loop {
            // The objects are dropped after the lock is released, because the application may have released them
            // meanwhile.
            let mut buffers = Buffers::new();
            let mut args = self.args.lock();
            args.hold(&mut buffers)?;
            let range_facts = args.with_iterations(range_facts);
            if let Some(prepared) = args.prepared_for(executable, range_facts) {
                return Ok((prepared, buffers));
            }
            if let Some(selected) = selected.take() {
                args.last = Some((executable, selected));
                args.changed = true;
            }
            let local = args.local(info)?;
            let (written, updated) =
                (profile.no_alias_params(range_facts), profile.updated_params(range_facts));
            let facts = LaunchFacts {
                range,
                range_facts,
                images: args.images()?,
                unit_strides: profile.unit_strides(|at| args.is_one(&info.args[at])),
                no_alias: written != 0 && args.no_alias(&info.args, written),
                private_updates: updated != 0 && args.can_copy(updated) && args.no_alias(&info.args, updated),
            };
            if let Some(prepared) = args.prepare(executable, info, &facts, local) {
                return Ok((prepared, buffers));
            }
            drop(args);
            let found = artifact.select(*index, facts).map_err(|why| {
                report(&why.to_string());
                no_code(&why)
            })?;
            // Usually the arguments have not changed meanwhile; the next iteration checks that.
            selected = Some(found);
        }
    }
}

impl KernelArgs {
    fn unset(info: &KernelInfo) -> Self {
        let end = |arg: &ArgInfo| {
            let size = match arg.kind {
                ArgKind::Value { size } => size as usize,
                ArgKind::Sampler => size_of::<u32>(),
                ArgKind::Global
                | ArgKind::Constant
                | ArgKind::Local
                | ArgKind::Image(_)
                | ArgKind::Pipe { .. }
                | ArgKind::Queue => HANDLE,
            };
            arg.offset as usize + size
        };
        Self {
            block: ArgBlock::zeroed(info.args.iter().map(end).max().unwrap_or(0)),
            set: vec![Arg::Unset; info.args.len()],
            reached: Vec::new(),
            prepared: None,
            changed: false,
            last: None,
        }
    }

    /// Returns the arguments in local memory, in the form that [`grus_exec::Inputs::prepare`] takes.
    fn local(&self, info: &KernelInfo) -> Result<SmallVec<[(u32, u64); 2]>> {
        let mut local = SmallVec::new();
        let mut total = info.local_mem_size;
        for (arg, info) in self.set.iter().zip(&info.args) {
            if let Arg::Local(size) = arg {
                local.push((info.offset, *size));
                total = total.saturating_add(*size);
            }
        }
        // The sum is more than the device has.
        if total > local_mem_size() { Err(Error::OutOfResources) } else { Ok(local) }
    }

    fn put(&mut self, index: usize, place: usize, value: &[u8], arg: Arg) {
        self.block.put(place, value);
        self.set[index] = arg;
        self.changed = true;
    }

    /// Adds the memory objects to `buffers`. Fails if one is gone or an argument is not set.
    fn hold(&self, buffers: &mut Buffers) -> Result<()> {
        for arg in &self.set {
            match arg {
                Arg::Unset => return Err(Error::InvalidKernelArgs),
                Arg::Buffer(mem) | Arg::Image(mem) => {
                    buffers.push(mem.upgrade().ok_or(Error::InvalidKernelArgs)?);
                }
                Arg::Address(mem) => buffers.extend(mem.upgrade()),
                Arg::Queue(queue) if queue.strong_count() == 0 => return Err(Error::InvalidKernelArgs),
                Arg::Value | Arg::Sampler(_) | Arg::Local(_) | Arg::Queue(_) => {}
            }
        }
        buffers.extend(self.reached.iter().filter_map(Weak::upgrade));
        Ok(())
    }

    fn captured(&self, arg: &Arg, info: &ArgInfo) -> Argument {
        match arg {
            Arg::Buffer(mem) | Arg::Image(mem) => mem.upgrade().map_or(Argument::Pointer(0), Argument::Mem),
            Arg::Queue(queue) => queue.upgrade().map_or(Argument::Pointer(0), Argument::Queue),
            Arg::Sampler(bits) => Argument::Sampler(*bits),
            Arg::Local(size) => Argument::Local(*size),
            Arg::Unset | Arg::Value | Arg::Address(_) => {
                let size = if let ArgKind::Value { size } = info.kind { size as usize } else { HANDLE };
                let bytes = self.block.get(info.offset as usize, size);
                match info.kind {
                    ArgKind::Value { .. } => Argument::Value(bytes),
                    _ => Argument::Pointer(bytes.try_into().map_or(0, usize::from_ne_bytes)),
                }
            }
        }
    }

    /// Checks whether an argument is the number one.
    fn is_one(&self, info: &ArgInfo) -> bool {
        matches!(info.kind, ArgKind::Value { size: size @ 1..=8 } if self.block.word(info.offset, size) == Some(1))
    }

    /// Checks that no other argument overlaps the memory of the arguments in `wanted`, which has one bit for each
    /// position. The extent of an application's plain pointer is unknown, so it counts as an overlap.
    fn no_alias(&self, infos: &[ArgInfo], wanted: u64) -> bool {
        let is_pointer = |info: &ArgInfo| matches!(info.kind, ArgKind::Global | ArgKind::Constant);
        let pointers = || infos.iter().enumerate().filter(|(_, info)| is_pointer(info)).map(|(at, _)| at);
        let mut ranges: SmallVec<[(usize, usize, bool); 8]> = SmallVec::new();
        for at in pointers() {
            match &self.set[at] {
                Arg::Buffer(mem) => {
                    let Some(mem) = mem.upgrade() else { return false };
                    let start = mem.base().address();
                    ranges.push((start, start + mem.size(), at < 64 && wanted >> at & 1 == 1));
                }
                _ if self.block.word(infos[at].offset, 8) == Some(0) => {}
                _ => return false,
            }
        }
        ranges.sort_unstable();
        // The largest end so far of all ranges, and of the ranges that must not overlap others.
        let (mut end, mut end_alone) = (0, 0);
        ranges.into_iter().all(|(start, stop, is_alone)| {
            let is_apart = start >= if is_alone { end } else { end_alone };
            end = end.max(stop);
            end_alone = if is_alone { end_alone.max(stop) } else { end_alone };
            is_apart
        })
    }

    /// Checks whether the memory of the arguments in `wanted`, a bit mask, is small enough for a copy for each thread.
    fn can_copy(&self, wanted: u64) -> bool {
        /// Maximum bytes of a copy.
        // Arbitrary: half of the smallest first-level caches, and little work beside that of
        // `MIN_PRIVATE_UPDATES` work-items.
        const MAX_COPY_BYTES: usize = 16 << 10;
        let args = self.set.iter().take(64).enumerate();
        let total: Option<usize> =
            args.filter(|(at, _)| wanted >> at & 1 == 1).map(|(_, arg)| size_of_buffer(arg)).sum();
        total.is_some_and(|total| total <= MAX_COPY_BYTES)
    }

    /// Adds to the facts about a range what only the code of the last launch knows.
    fn with_iterations(&self, range: RangeFacts) -> RangeFacts {
        self.last.as_ref().map_or(range, |(_, last)| last.with_iterations(range, &self.block))
    }

    /// Returns the inputs of the last launch, if they are valid for a launch of this executable.
    fn prepared_for(&mut self, executable: usize, range: RangeFacts) -> Option<Arc<BoundLaunch>> {
        let is_for = |(of, last): &(usize, SelectedVariant)| *of == executable && last.serves_range(range);
        let is_right = !self.changed && self.last.as_ref().is_some_and(is_for);
        if is_right { self.prepared.clone() } else { None }
    }

    /// Returns the keys of the image and sampler arguments.
    fn images(&self) -> Result<SmallVec<[ArgumentKey; 4]>> {
        let mut known = SmallVec::new();
        for arg in &self.set {
            match arg {
                Arg::Image(mem) => {
                    let mem = mem.upgrade().ok_or(Error::InvalidKernelArgs)?;
                    known.push(ArgumentKey::Image(mem.image()?.format()));
                }
                Arg::Sampler(bits) => known.push(ArgumentKey::Sampler(*bits)),
                Arg::Unset
                | Arg::Value
                | Arg::Buffer(_)
                | Arg::Address(_)
                | Arg::Local(_)
                | Arg::Queue(_) => {}
            }
        }
        Ok(known)
    }

    /// Prepares a launch, if the code it needs is that of the last one.
    fn prepare(
        &mut self,
        executable: usize,
        info: &KernelInfo,
        facts: &LaunchFacts<'_>,
        local: SmallVec<[(u32, u64); 2]>,
    ) -> Option<Arc<BoundLaunch>> {
        let (_, last) = self.last.as_ref().filter(|(of, last)| *of == executable && last.serves(facts))?;
        let size = |place: u32| {
            let at = info.args.iter().position(|arg| arg.offset == place);
            at.and_then(|at| size_of_buffer(&self.set[at])).unwrap_or(0) as u64
        };
        let prepared = BoundLaunch::new(self.prepared.take(), &last.code, &self.block, local, size);
        self.prepared = Some(Arc::clone(&prepared));
        self.changed = false;
        Some(prepared)
    }
}

/// Returns the bytes of an argument's memory; none if it is not a buffer.
fn size_of_buffer(arg: &Arg) -> Option<usize> {
    match arg {
        Arg::Buffer(mem) => Some(mem.upgrade()?.size()),
        _ => None,
    }
}

fn no_code(why: &CodeError) -> Error {
    if matches!(why, CodeError::Memory) { Error::OutOfHostMemory } else { Error::OutOfResources }
}

/// Returns the handle in an argument's value; null if there is none.
fn handle(value: Option<&[u8]>) -> *const c_void {
    let address = value.and_then(|v| v.try_into().ok()).map_or(0, usize::from_ne_bytes);
    std::ptr::without_provenance(address)
}
