//! Separate returns: in kernels with barriers, each branch to a block that only returns gets a copy of it.
//!
//! Compilers merge the returns of a function. In `if (i >= n) return; ... barrier(...); ...` the work-items that return
//! early would then meet those behind the barrier again, in the block with the return. With returns of their own they end
//! where they leave, as the source says, and take no part in what follows.

use grus_ir::{Block, Builder, Function, Op};
use grus_support::FastSet;

/// Checks whether a kernel with barriers has a block that only returns, and several branches to it.
pub fn are_merged(func: &Function) -> bool {
    let returns = only_returning(func);
    let mut seen = FastSet::default();
    let mut is_merged = |to: Block| returns.contains(&to) && !seen.insert(to);
    !returns.is_empty()
        && func.layout.iter().any(|&block| func.successors(block).any(&mut is_merged))
        && func.instructions().any(|inst| inst.op.is_group_barrier())
}

/// Returns the blocks that only return.
fn only_returning(func: &Function) -> FastSet<Block> {
    let only_returns = |block: &Block| {
        let data = &func.blocks[*block];
        matches!(data.insts[..], [id] if func.insts[id].op == Op::Ret) && data.params.is_empty()
    };
    func.layout.iter().copied().filter(only_returns).collect()
}

/// Gives each branch to a block that only returns a block of its own.
pub fn separate(func: &mut Function) {
    let returns = only_returning(func);
    let mut taken = FastSet::default();
    for at in 0..func.layout.len() {
        let block = func.layout[at];
        let Some(&terminator) = func.blocks[block].insts.last() else { continue };
        for target in 0..func.insts[terminator].targets.len() {
            let to = func.insts[terminator].targets[target].block;
            if !returns.contains(&to) || taken.insert(to) {
                continue;
            }
            let copy = func.add_block();
            Builder::new(func, copy).ret(&[]);
            func.insts[terminator].targets[target].block = copy;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_branch_gets_a_return() {
        let text = "func f0 \"k\" void kernel {\nb0(v0: i1):\n    brif v0 -> b1, b2\nb1():\n    barrier\n    jump -> b2\n\
            b2():\n    ret\n}\n";
        let mut module = grus_ir::parse_module(text).expect("it is IR");
        let func = module.funcs.values_mut().next().expect("there is a function");
        assert!(are_merged(func));
        separate(func);
        assert_eq!(func.instructions().filter(|inst| inst.op == Op::Ret).count(), 2);
        assert!(!are_merged(func));
        assert_eq!(grus_ir::verify_module(&module), Ok(()));
    }

    #[test]
    fn kernels_without_barriers_stay() {
        let text = "func f0 \"k\" void kernel {\nb0(v0: i1):\n    brif v0 -> b1, b1\nb1():\n    ret\n}\n";
        let module = grus_ir::parse_module(text).expect("it is IR");
        assert!(!are_merged(module.funcs.values().next().expect("there is a function")));
    }
}
