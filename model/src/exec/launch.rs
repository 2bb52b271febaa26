//! Arguments of launches.

use super::args::ArgBlock;
use super::scheduler::profile::ProfiledKernel;

/// Arguments of a launch.
#[derive(Default)]
pub struct Inputs {
    args: ArgBlock,
}

impl Inputs {
    pub fn of(args: ArgBlock) -> Inputs {
        Inputs { args }
    }

    pub fn bytes(&self) -> usize {
        self.args.bytes()
    }

    pub fn args(&mut self) -> &mut ArgBlock {
        &mut self.args
    }

    pub fn prepare(&mut self, _kernel: &ProfiledKernel, _local_args: impl IntoIterator<Item = (u32, u64)>) {}
}
