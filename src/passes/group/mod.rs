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
mod heads;
mod items;
mod remat;

pub use context::ContextSize;

use super::split;
use crate::ir::abi::{AREA_ALIGN, Param, offset};
use crate::ir::{Builder, Function, Module, Op, Query, Type, Value};

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
    /// Bytes behind the context arrays, for what crosses between the chunks of a function that was cut.
    pub frame_size: u64,
    /// The work-items may be regrouped: nothing asks for groups or local ids.
    pub flat: bool,
    /// For each region, the values of the group function that are the local ids of the item that runs: what a
    /// report of a fault wants to know.
    pub item_ids: Vec<[Value; 3]>,
}

/// Makes the group function of `func`, a kernel that calls functions of the module and whose parameters lie in the
/// argument block as `params` says; and when to split it.
///
/// # Errors
/// If a function is called that has no body, or calls itself.
pub fn form(module: &Module, func: &Function, params: &[Param]) -> Result<(GroupCode, SplitAt), String> {
    let cut = cut::cut(func);
    let mut limits = split::Limits::of(&cut.func);
    if cut.apart {
        limits = limits.at_most(split::Limits::REGIONS);
    }
    let is_large = cut.size() > limits.function;
    let callees = calls::reachable(module, func)?;
    let code = emit::emit(module, &cut, params, &callees, is_large);
    Ok((code, SplitAt { limits: is_large.then_some(limits), callees: callees.len() }))
}

/// When to split the functions of a group's code.
#[derive(Clone, Copy, Debug)]
pub struct SplitAt {
    /// Where the group function is cut. The homes of local ids are known in one function only; large ones keep them in
    /// memory, so it was decided when the function was made.
    limits: Option<split::Limits>,
    callees: usize,
}

/// Splits functions that are too large; calls `after` with each part.
pub fn split(code: &mut GroupCode, at: SplitAt, after: &dyn Fn(&Function)) {
    let before = code.functions.len();
    if let Some(limits) = at.limits.filter(|limits| limits.are_passed(&code.functions[0])) {
        split_group(code, limits);
        after(&code.functions[0]);
    }
    for callee in 1..=at.callees {
        let limits = split::Limits::of(&code.functions[callee]);
        if limits.are_passed(&code.functions[callee]) {
            split_callee(code, callee, limits);
            after(&code.functions[callee]);
        }
    }
    code.functions[before..].iter().for_each(after);
}

/// Cuts the group function. The frame lies behind the context arrays.
fn split_group(code: &mut GroupCode, limits: split::Limits) {
    let func = std::mem::replace(&mut code.functions[0], Function::new("", Type::VOID));
    let context = func.params()[0];
    let (private_size, size) = (code.private_size, code.context);
    let room = |b: &mut Builder<'_>, _: u64| {
        let sizes = [0, 1, 2].map(|dim| calls::uniform(b, context, Query::LocalSize, dim));
        let plane = b.same(Op::Imul, &[sizes[0], sizes[1]]);
        let items = b.same(Op::Imul, &[plane, sizes[2]]);
        let area = calls::load(b, Type::PRIVATE, context, offset::PRIVATE);
        let arrays = b.ptr_offset(area, private_size);
        context::end(b, size, arrays, items)
    };
    let cut = split::run(func, code.functions.len(), limits, &room);
    code.frame_size = cut.frame.next_multiple_of(AREA_ALIGN);
    code.item_ids.clear();
    put(code, 0, cut);
}

/// Cuts a function that stayed a call, if its frame is one for the stack.
fn split_callee(code: &mut GroupCode, at: usize, limits: split::Limits) {
    const MOST: u64 = 64 << 10;
    let func = code.functions[at].clone();
    let cut = split::run(func, code.functions.len(), limits, &|b, size| b.alloca(size, 16));
    if cut.frame <= MOST {
        put(code, at, cut);
    }
}

fn put(code: &mut GroupCode, at: usize, cut: split::Cut) {
    let mut functions = cut.functions.into_iter();
    code.functions[at] = functions.next().expect("the driver");
    code.functions.extend(functions);
}
