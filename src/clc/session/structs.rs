//! Properties of structs that are not part of their types.

use crate::types::StructId;
use grus_support::FastMap;

/// Structs being parsed, and properties of structs that are not part of their types.
#[derive(Debug, Default)]
pub struct StructInfos {
    /// Structs whose members are being parsed.
    open: Vec<StructId>,
    /// Structs with a member that cannot be passed to a kernel by value, and a description of that member.
    bad_kernel_args: FastMap<StructId, &'static str>,
}

impl StructInfos {
    /// Begins the members of a struct.
    pub fn begin_members(&mut self, id: StructId) {
        self.open.push(id);
    }

    /// Ends the members of the struct that was begun last.
    pub fn end_members(&mut self) {
        self.open.pop();
    }

    /// Checks whether the members of a struct are being parsed.
    pub fn is_open(&self, id: StructId) -> bool {
        self.open.contains(&id)
    }

    /// Returns the description of a member that prevents passing the struct to a kernel by value.
    pub fn bad_kernel_arg(&self, id: StructId) -> Option<&'static str> {
        self.bad_kernel_args.get(&id).copied()
    }

    /// Records a member that prevents passing the struct to a kernel by value, instead of an earlier one.
    pub fn set_bad_kernel_arg(&mut self, id: StructId, member: &'static str) {
        self.bad_kernel_args.insert(id, member);
    }

    /// Records a member that prevents passing the struct to a kernel by value, unless there is an earlier one.
    pub fn add_bad_kernel_arg(&mut self, id: StructId, member: &'static str) {
        self.bad_kernel_args.entry(id).or_insert(member);
    }
}
