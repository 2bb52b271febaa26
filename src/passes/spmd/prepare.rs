//! What linearisation wants of a body: one return, and for each loop one block that does nothing but lead back to its header.

use crate::ir::analysis::Analyses;
use crate::ir::{Attr, Block, Function, Op, Target, Type};

/// Brings a function into that form.
pub(super) fn run(func: &mut Function, analyses: &mut Analyses) {
    one_return(func);
    *analyses = Analyses::default();
    dedicated_latches(func, analyses);
    *analyses = Analyses::default();
}

fn one_return(func: &mut Function) {
    let returns: Vec<Block> =
        func.layout.iter().copied().filter(|&block| func.terminator(block).op == Op::Ret).collect();
    if returns.len() < 2 {
        return;
    }
    let end = func.add_block();
    let result = (func.ret != Type::VOID).then(|| func.add_param(end, func.ret));
    for block in returns {
        let last = func.terminator_mut(block);
        let args = std::mem::take(&mut last.args);
        (last.op, last.attr, last.targets) = (Op::Jump, Attr::None, vec![Target::new(end, &args)]);
    }
    let args = result.into_iter().collect();
    let ret = func.make_inst(Op::Ret, Type::VOID, args, Attr::None, Vec::new(), 0);
    func.blocks[end].insts.push(ret);
}

/// Gives each loop a block that does nothing but lead back to its header.
pub fn dedicated_latches(func: &mut Function, analyses: &mut Analyses) {
    let loops = analyses.loops(func);
    for id in loops.ids() {
        let (header, latches) = (loops.get(id).header, loops.get(id).latches.clone());
        let params: Vec<Type> = func.blocks[header].params.iter().map(|&param| func.ty(param)).collect();
        let latch = func.add_block();
        for from in latches {
            for target in &mut func.terminator_mut(from).targets {
                if target.block == header {
                    target.block = latch;
                }
            }
        }
        let args: Vec<_> = params.into_iter().map(|ty| func.add_param(latch, ty)).collect();
        let jump = func.make_inst(
            Op::Jump,
            Type::VOID,
            smallvec::SmallVec::new(),
            Attr::None,
            vec![Target::new(header, &args)],
            0,
        );
        func.blocks[latch].insts.push(jump);
    }
}
