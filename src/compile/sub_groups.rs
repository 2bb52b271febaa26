//! How many work-items the sub-groups of a kernel have: what it requires, what the user asks for, or the usual number; one where that
//! cannot be. All code of a kernel has one size, so that queries and launches agree.

use super::{Artifact, NoCode, SpecializationKey, guarded_code};
use crate::ir::abi::SUB_GROUP;
use crate::passes::workgroup::GroupCode;
use crate::passes::{self, Forced};
use crate::support::environment::environment;
use crate::support::timing;

impl Artifact {
    /// Work-items of a sub-group of kernel `index`, but for the last one of a group, which may have fewer.
    ///
    /// # Errors
    /// If the kernel could not be looked at, or requires a size that it cannot have.
    pub fn sub_group_size(&self, index: usize) -> Result<u16, NoCode> {
        let known = self.known_sub_group_size(index);
        known.map_or_else(|| guarded_code(|| Ok(self.find_sub_group_size(index)?)), Ok)
    }

    /// Does the same for a caller who has caught panics already, on a stack that is large enough.
    pub(super) fn sub_group_size_here(&self, index: usize) -> Result<u16, String> {
        self.known_sub_group_size(index).map_or_else(|| self.find_sub_group_size(index), Ok)
    }

    /// Returns the size if no code need be made to know it.
    fn known_sub_group_size(&self, index: usize) -> Option<u16> {
        let func = &self.module.funcs[self.entries[index].func];
        if !passes::asks_for_sub_groups(func) {
            return Some(self.wanted_sub_group_size(index));
        }
        self.sub_groups[index].get().copied()
    }

    fn wanted_sub_group_size(&self, index: usize) -> u16 {
        let named = || environment().sub_group_sizes.of(&self.entries[index].name);
        self.required_sub_group_size(index).or_else(named).unwrap_or(SUB_GROUP)
    }

    fn required_sub_group_size(&self, index: usize) -> Option<u16> {
        self.kernels.get(index).and_then(|kernel| kernel.sub_group_size)
    }

    /// Makes code with sub-groups of the size that is wanted, and keeps what size it is then.
    fn find_sub_group_size(&self, index: usize) -> Result<u16, String> {
        let wanted = self.wanted_sub_group_size(index);
        let found = match self.of_sub_groups(index, wanted) {
            Ok(_) => wanted,
            Err(why) if self.required_sub_group_size(index).is_some() => return Err(why),
            Err(why) => {
                timing::note("sub-groups", || why);
                1
            }
        };
        Ok(*self.sub_groups[index].get_or_init(|| found))
    }

    /// The code of a kernel for any launch with sub-groups of this size.
    fn of_sub_groups(&self, index: usize, size: u16) -> Result<GroupCode, String> {
        let forced = Forced { lanes: Some(size), ..Forced::default() };
        self.formed(index, &SpecializationKey::default(), forced)
    }

    /// Why kernels cannot have the size of sub-groups that they require (cl_intel_required_subgroup_size), for each that cannot. Those
    /// of which there is no doubt are not looked at: that takes as long as the rest of the build.
    pub(super) fn refused_sub_groups(&self) -> Vec<String> {
        let mut refused = Vec::new();
        for (index, kernel) in self.kernels.iter().enumerate() {
            let Some(size) = kernel.sub_group_size.filter(|_| kernel.uses_sub_groups) else { continue };
            let func = &self.module.funcs[self.entries[index].func];
            if !passes::may_lack_sub_groups(func, kernel.private_mem_size, size) {
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
