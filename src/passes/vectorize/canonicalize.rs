//! Canonical form for linearization: one return, and for each loop one latch block that only jumps to the
//! header (LLVM: `loop-simplify`).

use grus_ir::analysis::Analyses;
use grus_ir::{Attr, Block, Builder, Function, Inst, IntCond, Op, Target, Type};

/// Brings a function into canonical form.
pub(super) fn run(func: &mut Function, analyses: &mut Analyses) {
    merge_returns(func);
    *analyses = Analyses::default();
    dedicated_latches(func, analyses);
    *analyses = Analyses::default();
}

/// Rewrites loads and stores of booleans as those of bytes, which can be loaded and stored as vectors.
pub(super) fn store_booleans_as_bytes(func: &mut Function) {
    for block in func.layout.clone() {
        // Memory that is a parameter is shared with other functions of the work-group, which access it as
        // booleans.
        let is_private_memory = |func: &Function, inst: &Inst| func.def_inst(inst.args[0]).is_some();
        let is_boolean_access = |func: &Function, inst: &Inst| match inst.op {
            Op::Load => inst.ty == Type::I1 && is_private_memory(func, inst),
            Op::Store => func.ty(inst.args[1]) == Type::I1 && is_private_memory(func, inst),
            _ => false,
        };
        if !func.blocks[block].insts.iter().any(|&id| is_boolean_access(func, &func.insts[id])) {
            continue;
        }
        for id in std::mem::take(&mut func.blocks[block].insts) {
            let inst = func.insts[id].clone();
            let b = &mut Builder { func, block, loc: inst.loc };
            if !is_boolean_access(b.func, &inst) {
                b.func.blocks[block].insts.push(id);
            } else if inst.op == Op::Store {
                let byte = b.convert(Op::Zext, Type::I8, inst.args[1]);
                b.effect(Op::Store, &[inst.args[0], byte], inst.attr);
            } else {
                let byte = b.value(Op::Load, Type::I8, &inst.args, inst.attr);
                let zero = b.zero(Type::I8);
                // The result keeps its value id, with another definition.
                let load = &mut b.func.insts[id];
                (load.op, load.attr) = (Op::Icmp, Attr::IntCond(IntCond::Ne));
                load.args = smallvec::smallvec![byte, zero];
                b.func.blocks[block].insts.push(id);
            }
        }
    }
}

fn merge_returns(func: &mut Function) {
    let returns: Vec<Block> =
        func.layout.iter().copied().filter(|&block| func.terminator(block).op == Op::Ret).collect();
    if returns.len() < 2 {
        return;
    }
    let end = func.add_block();
    // Most of them return the constant for the end of the work-item. A constant is uniform, a block parameter
    // would vary.
    let mut results =
        returns.iter().map(|&block| func.terminator(block).args.first().and_then(|&arg| func.as_const(arg)));
    let first = results.next().flatten();
    let constant = first.filter(|_| results.all(|other| other == first));
    let result = match constant {
        Some(bits) => {
            let ty = func.ret;
            Some(Builder::new(func, end).iconst(ty, bits))
        }
        None => (func.ret != Type::VOID).then(|| func.add_param(end, func.ret)),
    };
    for block in returns {
        let last = func.terminator_mut(block);
        let mut args = std::mem::take(&mut last.args);
        if constant.is_some() {
            args.clear();
        }
        (last.op, last.attr, last.targets) = (Op::Jump, Attr::None, vec![Target::new(end, &args)]);
    }
    let args = result.into_iter().collect();
    let ret = func.make_inst(Op::Ret, Type::VOID, args, Attr::None, Vec::new(), 0);
    func.blocks[end].insts.push(ret);
}

/// Gives each loop one latch block that only jumps to the header.
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
