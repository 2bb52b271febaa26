//! Launches: a range, arguments, and the layout of local memory.

use smallvec::SmallVec;

use super::args::ArgBlock;
use super::range::NdRange;
use super::scheduler::profile::ProfiledKernel;
use grus_ir::abi::AREA_ALIGN;

/// Arguments and local memory of a launch. Memory that the arguments point to outlives the launch.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    pub(super) args: ArgBlock,
    /// Bytes of local memory per work-group.
    pub(super) local_size: u64,
    /// Bytes of the memory of each of `KernelTraits::private_updates`.
    pub(super) updated_sizes: SmallVec<[u64; 2]>,
}

impl Inputs {
    /// Wraps arguments, which [`Inputs::prepare`] completes.
    pub(super) fn of(args: ArgBlock) -> Inputs {
        Inputs { args, ..Inputs::default() }
    }

    /// Returns the size of the arguments in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.args.bytes()
    }

    /// Returns the arguments, which [`Inputs::prepare`] completes.
    pub fn args(&mut self) -> &mut ArgBlock {
        &mut self.args
    }

    /// Sets the size of the memory that each thread has a copy of; `size` gets the offset of the pointer in the argument
    /// block.
    pub fn set_updated_sizes(&mut self, kernel: &ProfiledKernel, size: impl Fn(u32) -> u64) {
        let updates = kernel.traits().private_updates.iter();
        self.updated_sizes = updates.map(|update| size(update.place)).collect();
    }

    /// Completes the arguments for `kernel`, each of which is at its `ArgInfo::offset`. `local_args` lists for each
    /// argument in local memory the offset of its 8-byte entry and its size. In local memory they follow the kernel's
    /// own local variables, each aligned for any type.
    pub fn prepare(&mut self, kernel: &ProfiledKernel, local_args: impl IntoIterator<Item = (u32, u64)>) {
        self.local_size = kernel.local_size();
        for (at, size) in local_args {
            self.args.put(at as usize, &self.local_size.to_le_bytes());
            self.local_size += size.next_multiple_of(AREA_ALIGN);
        }
    }
}

/// ND-range with the arguments of its kernel.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    pub(super) range: NdRange,
    pub(super) inputs: Inputs,
}

impl Launch {
    /// Creates a launch of `kernel`; see [`Inputs::prepare`] for `args` and `local_args`.
    pub fn new(
        kernel: &ProfiledKernel,
        range: NdRange,
        args: ArgBlock,
        local_args: impl IntoIterator<Item = (u32, u64)>,
    ) -> Launch {
        let mut inputs = Inputs { args, ..Inputs::default() };
        inputs.prepare(kernel, local_args);
        Launch { range, inputs }
    }

    /// Returns a launch of the same arguments over another range.
    pub fn over(&self, range: NdRange) -> Launch {
        Launch { range, inputs: self.inputs.clone() }
    }

    /// Returns the range.
    pub fn range(&self) -> &NdRange {
        &self.range
    }
}
