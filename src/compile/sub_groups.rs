//! Sub-group sizes of kernels: the size that the kernel requires, the user asks for, or the default, and one if
//! that is impossible. All code of a kernel has the same size, so that queries and launches agree.

use super::artifact::guarded_code;
use super::{Artifact, CodeError, SpecializationKey};
use grus_ir::abi::SUB_GROUP;
use grus_ir::group_code::GroupCode;
use grus_passes::{Forced, GroupCodeError};
use grus_support::environment::environment;
use grus_support::timing;

impl Artifact {
    /// Returns the size of a sub-group of kernel `index`. The last one of a work-group may be smaller.
    ///
    /// # Errors
    /// If the passes fail, or the kernel requires a size that is impossible.
    pub fn sub_group_size(&self, index: usize) -> Result<u16, CodeError> {
        let known = self.known_sub_group_size(index);
        known.map_or_else(|| guarded_code(|| Ok(self.find_sub_group_size(index)?)), Ok)
    }

    /// Returns the size like [`Artifact::sub_group_size`], for a caller that catches panics and runs on a large
    /// stack.
    pub(super) fn sub_group_size_here(&self, index: usize) -> Result<u16, GroupCodeError> {
        self.known_sub_group_size(index).map_or_else(|| self.find_sub_group_size(index), Ok)
    }

    /// Returns the size if it is known without running the passes.
    fn known_sub_group_size(&self, index: usize) -> Option<u16> {
        if !self.has_sub_group_ops(index) {
            return Some(self.wanted_sub_group_size(index));
        }
        self.sub_groups[index].get().copied()
    }

    /// Checks whether kernel `index`, or a function that it calls, has sub-group operations.
    pub(super) fn has_sub_group_ops(&self, index: usize) -> bool {
        grus_passes::uses_sub_groups(&self.module, self.entries[index].func)
    }

    fn wanted_sub_group_size(&self, index: usize) -> u16 {
        let named = || environment().sub_group_sizes.of(&self.entries[index].name);
        self.required_sub_group_size(index).or_else(named).unwrap_or(SUB_GROUP)
    }

    fn required_sub_group_size(&self, index: usize) -> Option<u16> {
        self.kernels.get(index).and_then(|kernel| kernel.sub_group_size)
    }

    /// Runs the passes with the preferred size, and stores the resulting size.
    fn find_sub_group_size(&self, index: usize) -> Result<u16, GroupCodeError> {
        let wanted = self.wanted_sub_group_size(index);
        let found = match self.of_sub_groups(index, wanted) {
            Ok(_) => wanted,
            Err(why) if self.required_sub_group_size(index).is_some() => return Err(why),
            Err(why) => {
                timing::note("sub-groups", || why.to_string());
                1
            }
        };
        Ok(*self.sub_groups[index].get_or_init(|| found))
    }

    /// Runs the passes for the generic code with sub-groups of this size.
    fn of_sub_groups(&self, index: usize, size: u16) -> Result<GroupCode, GroupCodeError> {
        let forced = Forced { lanes: Some(size), ..Forced::default() };
        self.formed(index, &SpecializationKey::default(), forced)
    }

    /// Returns the reason for each kernel that cannot have the sub-group size it requires
    /// (cl_intel_required_subgroup_size). Kernels that certainly can are skipped, since the test takes as long as
    /// the rest of the build.
    pub(super) fn refused_sub_groups(&self) -> Vec<GroupCodeError> {
        let mut refused = Vec::new();
        for (index, kernel) in self.kernels.iter().enumerate() {
            let Some(size) = kernel.sub_group_size.filter(|_| kernel.uses_sub_groups) else { continue };
            let func = &self.module.funcs[self.entries[index].func];
            if !grus_passes::may_lack_sub_groups(func, kernel.private_mem_size, size) {
                continue;
            }
            match self.of_sub_groups(index, size) {
                Ok(_) => {
                    self.sub_groups[index].get_or_init(|| size);
                }
                Err(why) => refused.push(why),
            }
        }
        refused
    }
}
