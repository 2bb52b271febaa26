//! Kernel → group function: a function of one [`GroupContext`] that runs a whole
//! work-group.
//!
//! The kernel is cut at barriers into regions (continuation-based synchronisation:
//! Meyer et al., IWOCL 2023). A region is what a work-item can run from one barrier
//! to the next; around each stands a loop over the work-items of the group. A region
//! ends by naming the region that follows; since a barrier is reached by all items
//! or none, the last item's answer is everyone's. Correct for barriers in loops,
//! branches and inlined functions by construction.
//!
//! Values that live across a barrier are recomputed when that is cheap, else they go
//! through context arrays, one element for each item. Inside the region they are put
//! into private memory again, and `promote`, which runs afterwards, restores SSA.

mod calls;
mod context;
mod cut;
mod emit;
mod items;
mod remat;

pub use context::ContextSize;

use crate::ir::abi::Param;
use crate::ir::{Function, Module, Value};

/// Machine-independent form of a kernel.
#[derive(Clone, Debug)]
pub struct GroupCode {
    /// The group function first, then functions that it calls, called by position.
    pub functions: Vec<Function>,
    /// Bytes of `local` variables.
    pub local_size: u64,
    /// Bytes of private memory outside the stack, once for each worker.
    pub private_size: u64,
    /// Room that the context arrays take.
    pub context: ContextSize,
    /// The work-items may be regrouped: nothing asks for groups or local ids.
    pub flat: bool,
    /// For each region, the values of the group function that are the local ids of the item that runs: what a
    /// report of a fault wants to know.
    pub item_ids: Vec<[Value; 3]>,
}

/// Makes the group function of `func`, a kernel that calls functions of the module and whose parameters lie in the argument block as
/// `params` says.
///
/// # Errors
/// If a function is called that has no body, or calls itself.
pub fn run(module: &Module, func: &Function, params: &[Param]) -> Result<GroupCode, String> {
    if func.params().len() != params.len() {
        return Err("the kernel's parameters and their layout differ".into());
    }
    let cut = cut::cut(func);
    let callees = calls::reachable(module, func)?;
    let mut code = emit::emit(module, &cut, params, &callees);
    for func in &mut code.functions {
        super::after("group", func, None);
        super::image::expand(func);
        super::run(super::SCALAR, func, None);
    }
    Ok(code)
}
