//! Merges functions with barriers that were not inlined into the kernel, one copy each.
//!
//! A barrier must be in the kernel for the work-group pass to see it. Inlining every call would double the code
//! with each level of functions that call the next one twice. So a function that is too large to be inlined again
//! is copied into the kernel once: a call stores its arguments and the number of its return block, and jumps to the
//! copy, which ends in a switch over these numbers. There is no recursion, so at most one call of each function is
//! active. Definitions of values that are live across such a call no longer dominate their uses; these values go
//! through private memory, and `promote` turns that back into SSA values where it can.

use super::super::pass_manager::PassContext;
use super::inline::{Copier, callees, reach_barriers};
use grus_ir::analysis::{Cfg, DomTree, prune_unreachable};
use grus_ir::{
    Attr, Block, Builder, Def, FuncId, Function, InstId, Mem, Module, Op, Target, Type, Value, lane_align,
};
use grus_support::{FastMap, IdMap};

/// Maximum number of functions for which values that are live across calls become SSA values; with more functions
/// they stay in memory, since as block parameters all of them would pass through all copies.
// Arbitrary.
const MAX_PROMOTED_FUNCTIONS: usize = 32;

/// Copy of a function in the kernel.
struct MergedFunction {
    entry: Block,
    /// Last block, which gets its switch when all calls are known.
    end: Block,
    /// Pointers to the private memory of the arguments.
    args: Vec<Value>,
    result: Option<Value>,
    return_index: Value,
    /// Blocks that calls return to.
    return_blocks: Vec<Block>,
}

/// Checks whether a kernel calls functions with barriers, none of which is recursive.
pub fn is_needed(module: &Module, kernel: &Function) -> bool {
    !callees(kernel).is_empty() && !reachable(module, kernel).is_empty()
}

/// Merges the functions with barriers that a kernel calls into it.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let Some(module) = context.module else { return false };
    let with_barriers = reachable(module, func);
    if with_barriers.is_empty() {
        return false;
    }
    let is_promoted = with_barriers.len() <= MAX_PROMOTED_FUNCTIONS;
    let mut allocas = SharedAllocas { insts: Vec::new(), volatile: !is_promoted };
    let mut shared = FastMap::default();
    for &id in &with_barriers {
        let copy = allocas.copy(func, &module.funcs[id]);
        shared.insert(id, copy);
    }
    for block in func.layout.clone() {
        allocas.replace_calls(func, block, &mut shared);
    }
    for id in &with_barriers {
        if let Some(shared) = shared.get(id) {
            allocas.emit_return_switch(func, shared);
        }
    }
    prune_unreachable(func);
    allocas.repair_ssa(func);
    let entry = func.entry();
    func.blocks[entry].insts.splice(0..0, allocas.insts);
    true
}

/// Returns the functions with barriers that `kernel` calls, directly or not; none at all if one is recursive.
fn reachable(module: &Module, kernel: &Function) -> Vec<FuncId> {
    let blocked = reach_barriers(module);
    let with_barriers = |func: &Function| -> Vec<FuncId> {
        callees(func).into_iter().filter(|&id| blocked[id] && module.funcs[id].is_defined()).collect()
    };
    let mut order = Vec::new();
    // False while a function is on the stack, true when it is done.
    let mut state: FastMap<FuncId, bool> = FastMap::default();
    let mut stack = vec![(None, with_barriers(kernel))];
    while let Some((func, pending)) = stack.last_mut() {
        match pending.pop() {
            Some(callee) => match state.get(&callee) {
                Some(false) => return Vec::new(),
                Some(true) => {}
                None => {
                    state.insert(callee, false);
                    stack.push((Some(callee), with_barriers(&module.funcs[callee])));
                }
            },
            None => {
                if let Some(func) = *func {
                    state.insert(func, true);
                    order.push(func);
                }
                stack.pop();
            }
        }
    }
    order
}

/// Private memory that the pass allocates.
struct SharedAllocas {
    /// The allocas, which are inserted at the start of the entry block.
    insts: Vec<InstId>,
    volatile: bool,
}

impl SharedAllocas {
    fn slot(&mut self, func: &mut Function, ty: Type) -> Value {
        let attr = Attr::SizeAlign(u64::from(ty.bytes()), lane_align(ty));
        let id = func.make_inst(Op::Alloca, Type::PRIVATE, Default::default(), attr, Vec::new(), 0);
        self.insts.push(id);
        func.insts[id].result.expect("an alloca has a result")
    }

    fn mem(&self, ty: Type) -> Mem {
        Mem { volatile: self.volatile, ..Mem::aligned(lane_align(ty)) }
    }

    fn copy(&mut self, func: &mut Function, callee: &Function) -> MergedFunction {
        let args: Vec<Value> = callee.params().iter().map(|&p| self.slot(func, callee.ty(p))).collect();
        let result = (callee.ret != Type::VOID).then(|| self.slot(func, callee.ret));
        let return_index = self.slot(func, Type::I32);
        let (entry, end) = (func.add_block(), func.add_block());
        let mut b = Builder::new(func, entry);
        let mut values = Vec::new();
        for (&param, &slot) in callee.params().iter().zip(&args) {
            let ty = callee.ty(param);
            values.push(b.load(ty, slot, self.mem(ty)));
        }
        if let Some(slot) = result {
            let value = b.func.add_param(end, callee.ret);
            b.switch_to(end);
            b.store(value, slot, self.mem(callee.ret));
        }
        let body = Copier::copy(func, callee, &values, end, 0, &mut self.insts);
        Builder::new(func, entry).jump(body, &[]);
        MergedFunction { entry, end, args, result, return_index, return_blocks: Vec::new() }
    }

    /// Replaces the calls in a block by jumps.
    fn replace_calls(
        &mut self,
        func: &mut Function,
        block: Block,
        shared: &mut FastMap<FuncId, MergedFunction>,
    ) {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut here = block;
        for id in insts {
            let target = match func.insts[id].attr {
                Attr::Func(callee) => shared.get_mut(&callee),
                _ => None,
            };
            let Some(target) = target else {
                func.blocks[here].insts.push(id);
                continue;
            };
            let args = func.insts[id].args.clone();
            let number = target.return_blocks.len() as u64;
            let return_block = func.add_block();
            target.return_blocks.push(return_block);
            let mut b = Builder::new(func, here);
            b.loc = b.func.insts[id].loc;
            for (&slot, &arg) in target.args.iter().zip(&args) {
                let mem = self.mem(b.func.ty(arg));
                b.store(arg, slot, mem);
            }
            let number = b.iconst(Type::I32, number);
            b.store(number, target.return_index, self.mem(Type::I32));
            b.jump(target.entry, &[]);
            here = return_block;
            // The call becomes the load of its result.
            if let (Some(slot), Some(_)) = (target.result, func.insts[id].result) {
                let mem = self.mem(func.insts[id].ty);
                let inst = &mut func.insts[id];
                (inst.op, inst.attr, inst.args) = (Op::Load, Attr::Mem(mem), [slot].as_slice().into());
                func.blocks[here].insts.push(id);
            }
        }
    }

    fn emit_return_switch(&self, func: &mut Function, shared: &MergedFunction) {
        let mut b = Builder::new(func, shared.end);
        let return_index = b.load(Type::I32, shared.return_index, self.mem(Type::I32));
        let cases: Box<[u64]> = (1..shared.return_blocks.len() as u64).collect();
        let targets: Vec<Target> =
            shared.return_blocks.iter().map(|&block| Target::new(block, &[])).collect();
        match &targets[..] {
            [] => drop(b.inst(Op::Unreachable, Type::VOID, &[], Attr::None, Vec::new())),
            [target] => b.jump(target.block, &[]),
            _ => drop(b.inst(Op::Switch, Type::VOID, &[return_index], Attr::Cases(cases), targets)),
        }
    }

    /// Repairs SSA form: values whose definitions no longer dominate a use go through memory, and constants are
    /// rematerialized.
    fn repair_ssa(&mut self, func: &mut Function) {
        let cfg = Cfg::new(func);
        let dom = DomTree::new(func, &cfg);
        let mut home: IdMap<Value, Option<Block>> = IdMap::with_len(None, func.values.len());
        for &block in &func.layout {
            for &param in &func.blocks[block].params {
                home[param] = Some(block);
            }
            for &id in &func.blocks[block].insts {
                if let Some(result) = func.insts[id].result {
                    home[result] = Some(block);
                }
            }
        }
        let mut allocas: FastMap<Value, Value> = FastMap::default();
        for block in func.layout.clone() {
            let insts = std::mem::take(&mut func.blocks[block].insts);
            for id in insts {
                let mut inst = func.insts[id].clone();
                for arg in inst.uses_mut() {
                    let broken = home[*arg].is_some_and(|home| !dom.dominates(home, block));
                    if broken {
                        *arg = self.reload(func, block, *arg, &mut allocas);
                    }
                }
                func.insts[id] = inst;
                func.blocks[block].insts.push(id);
            }
        }
        self.store_definitions(func, &allocas);
    }

    fn reload(
        &mut self,
        func: &mut Function,
        block: Block,
        value: Value,
        allocas: &mut FastMap<Value, Value>,
    ) -> Value {
        let ty = func.ty(value);
        if let Some(def) = func.def_inst(value)
            && matches!(def.op, Op::Iconst | Op::Fconst | Op::GlobalAddr | Op::LocalAddr | Op::WorkItem)
        {
            let (op, attr) = (def.op, def.attr.clone());
            return Builder::new(func, block).value(op, ty, &[], attr);
        }
        let slot = match allocas.get(&value) {
            Some(&slot) => slot,
            None => {
                let slot = self.slot(func, ty);
                allocas.insert(value, slot);
                slot
            }
        };
        let mem = self.mem(ty);
        Builder::new(func, block).load(ty, slot, mem)
    }

    /// Stores values where they are defined.
    fn store_definitions(&self, func: &mut Function, allocas: &FastMap<Value, Value>) {
        for block in func.layout.clone() {
            let insts = std::mem::take(&mut func.blocks[block].insts);
            for param in func.blocks[block].params.clone() {
                self.store(func, block, param, allocas);
            }
            for id in insts {
                func.blocks[block].insts.push(id);
                if let Some(result) = func.insts[id].result {
                    debug_assert!(matches!(func.values[result].def, Def::Inst(_)));
                    self.store(func, block, result, allocas);
                }
            }
        }
    }

    fn store(&self, func: &mut Function, block: Block, value: Value, allocas: &FastMap<Value, Value>) {
        if let Some(&slot) = allocas.get(&value) {
            let mem = self.mem(func.ty(value));
            Builder::new(func, block).store(value, slot, mem);
        }
    }
}
