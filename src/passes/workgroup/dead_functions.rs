//! Removal of unreachable functions: scalar bodies where no row has a remainder, and vectorized functions for
//! a number of lanes that is not used.

use super::super::scalar::inline::callees;
use super::GroupCode;
use grus_ir::{Attr, FuncId, Function};
use grus_support::Id;

/// Removes functions that the group function does not reach. Returns the number of remaining ones among the
/// first `behind` functions after it.
pub(super) fn remove_unreachable(code: &mut GroupCode, behind: usize) -> usize {
    let mut reached = vec![false; code.functions.len()];
    let mut work = vec![0];
    while let Some(at) = work.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            work.extend(callees(&code.functions[at]).into_iter().map(Id::index));
        }
    }
    let remaining = reached[1..=behind].iter().filter(|&&is| is).count();
    let mut new = vec![FuncId::new(0); reached.len()];
    for (number, at) in (0..reached.len()).filter(|&at| reached[at]).enumerate() {
        new[at] = FuncId::new(number);
    }
    let mut is_reached = reached.iter().copied();
    code.functions.retain(|_| is_reached.next().expect("one for each"));
    let mut is_reached = reached.into_iter();
    code.tracked.retain(|_| is_reached.next().expect("one for each"));
    code.functions.iter_mut().for_each(|func| renumber(func, &new));
    remaining
}

fn renumber(func: &mut Function, new: &[FuncId]) {
    for &block in &func.layout {
        for &id in &func.blocks[block].insts {
            if let Attr::Func(callee) = &mut func.insts[id].attr {
                *callee = new[callee.index()];
            }
        }
    }
}
