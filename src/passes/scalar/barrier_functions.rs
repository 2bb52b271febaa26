//! Functions with barriers that stayed calls become part of the kernel, one copy each.
//!
//! A barrier must be in the kernel for the group pass to see. Inlining every call would double the code with each level
//! of functions that call the next twice. So what is too large to be inlined again stands in the kernel once: a call
//! stores its arguments and the number of where to go on, and jumps; the copy ends in a switch over these numbers. There
//! is no recursion, so at most one call of each function is under way. Values that are alive across such a call are no
//! longer defined on every way to their uses; they go through private memory, and `promote` finds what it can of them.

use super::super::pass_manager::PassContext;
use super::inline::{Copier, callees, reach_barriers};
use crate::ir::analysis::{Cfg, DomTree, prune_unreachable};
use crate::ir::{
    Attr, Block, Builder, Def, FuncId, Function, InstId, Mem, Module, Op, Target, Type, Value, lane_align,
};
use crate::support::{FastMap, IdMap};

/// More functions than this, and what crosses their calls stays in memory: as values, all would pass through all.
const MOST_IN_VALUES: usize = 32;

/// A function's copy in the kernel.
struct Shared {
    entry: Block,
    /// Where it ends; gets its switch when all calls are known.
    end: Block,
    /// Pointers to private memory.
    args: Vec<Value>,
    result: Option<Value>,
    next: Value,
    /// Where calls go on.
    after: Vec<Block>,
}

/// Whether a kernel calls functions with barriers, none of which calls itself.
pub fn is_needed(module: &Module, kernel: &Function) -> bool {
    !callees(kernel).is_empty() && !reachable(module, kernel).is_empty()
}

/// Makes the functions that a kernel needs to hold a part of it.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let Some(module) = context.module else { return false };
    let wanted = reachable(module, func);
    if wanted.is_empty() {
        return false;
    }
    let in_values = wanted.len() <= MOST_IN_VALUES;
    let mut rooms = SharedAllocas { made: Vec::new(), volatile: !in_values };
    let mut shared = FastMap::default();
    for &id in &wanted {
        let copy = rooms.copy(func, &module.funcs[id]);
        shared.insert(id, copy);
    }
    for block in func.layout.clone() {
        rooms.link(func, block, &mut shared);
    }
    for id in &wanted {
        if let Some(shared) = shared.get(id) {
            rooms.end(func, shared);
        }
    }
    prune_unreachable(func);
    rooms.mend(func);
    let entry = func.entry();
    func.blocks[entry].insts.splice(0..0, rooms.made);
    true
}

/// Functions with barriers that `kernel` calls, directly or not; none at all if one calls itself.
fn reachable(module: &Module, kernel: &Function) -> Vec<FuncId> {
    let blocked = reach_barriers(module);
    let wanted = |func: &Function| -> Vec<FuncId> {
        callees(func).into_iter().filter(|&id| blocked[id] && module.funcs[id].is_defined()).collect()
    };
    let mut order = Vec::new();
    // Under way, or done.
    let mut state: FastMap<FuncId, bool> = FastMap::default();
    let mut stack = vec![(None, wanted(kernel))];
    while let Some((func, pending)) = stack.last_mut() {
        match pending.pop() {
            Some(callee) => match state.get(&callee) {
                Some(false) => return Vec::new(),
                Some(true) => {}
                None => {
                    state.insert(callee, false);
                    stack.push((Some(callee), wanted(&module.funcs[callee])));
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

/// Private memory that is made on the way.
struct SharedAllocas {
    /// The allocas, which belong to the start of the entry.
    made: Vec<InstId>,
    volatile: bool,
}

impl SharedAllocas {
    fn room(&mut self, func: &mut Function, ty: Type) -> Value {
        let attr = Attr::SizeAlign(u64::from(ty.bytes()), lane_align(ty));
        let id = func.make_inst(Op::Alloca, Type::PRIVATE, Default::default(), attr, Vec::new(), 0);
        self.made.push(id);
        func.insts[id].result.expect("an alloca has a result")
    }

    fn mem(&self, ty: Type) -> Mem {
        Mem { volatile: self.volatile, ..Mem::aligned(lane_align(ty)) }
    }

    fn copy(&mut self, func: &mut Function, callee: &Function) -> Shared {
        let args: Vec<Value> = callee.params().iter().map(|&p| self.room(func, callee.ty(p))).collect();
        let result = (callee.ret != Type::VOID).then(|| self.room(func, callee.ret));
        let next = self.room(func, Type::I32);
        let (entry, end) = (func.add_block(), func.add_block());
        let mut b = Builder::new(func, entry);
        let mut values = Vec::new();
        for (&param, &room) in callee.params().iter().zip(&args) {
            let ty = callee.ty(param);
            values.push(b.load(ty, room, self.mem(ty)));
        }
        if let Some(room) = result {
            let value = b.func.add_param(end, callee.ret);
            b.switch_to(end);
            b.store(value, room, self.mem(callee.ret));
        }
        let body = Copier::copy(func, callee, &values, end, 0, &mut self.made);
        Builder::new(func, entry).jump(body, &[]);
        Shared { entry, end, args, result, next, after: Vec::new() }
    }

    /// Makes jumps of the calls in a block.
    fn link(&mut self, func: &mut Function, block: Block, shared: &mut FastMap<FuncId, Shared>) {
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
            let number = target.after.len() as u64;
            let after = func.add_block();
            target.after.push(after);
            let mut b = Builder::new(func, here);
            b.loc = b.func.insts[id].loc;
            for (&room, &arg) in target.args.iter().zip(&args) {
                let mem = self.mem(b.func.ty(arg));
                b.store(arg, room, mem);
            }
            let number = b.iconst(Type::I32, number);
            b.store(number, target.next, self.mem(Type::I32));
            b.jump(target.entry, &[]);
            here = after;
            // The call becomes the load of its result.
            if let (Some(room), Some(_)) = (target.result, func.insts[id].result) {
                let mem = self.mem(func.insts[id].ty);
                let inst = &mut func.insts[id];
                (inst.op, inst.attr, inst.args) = (Op::Load, Attr::Mem(mem), [room].as_slice().into());
                func.blocks[here].insts.push(id);
            }
        }
    }

    fn end(&self, func: &mut Function, shared: &Shared) {
        let mut b = Builder::new(func, shared.end);
        let next = b.load(Type::I32, shared.next, self.mem(Type::I32));
        let cases: Box<[u64]> = (1..shared.after.len() as u64).collect();
        let targets: Vec<Target> = shared.after.iter().map(|&after| Target::new(after, &[])).collect();
        match &targets[..] {
            [] => drop(b.inst(Op::Unreachable, Type::VOID, &[], Attr::None, Vec::new())),
            [target] => b.jump(target.block, &[]),
            _ => drop(b.inst(Op::Switch, Type::VOID, &[next], Attr::Cases(cases), targets)),
        }
    }

    /// Values whose definitions are no longer on every way to a use go through memory, constants are made again.
    fn mend(&mut self, func: &mut Function) {
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
        let mut rooms: FastMap<Value, Value> = FastMap::default();
        for block in func.layout.clone() {
            let insts = std::mem::take(&mut func.blocks[block].insts);
            for id in insts {
                let mut inst = func.insts[id].clone();
                for arg in inst.uses_mut() {
                    let broken = home[*arg].is_some_and(|home| !dom.dominates(home, block));
                    if broken {
                        *arg = self.fetch(func, block, *arg, &mut rooms);
                    }
                }
                func.insts[id] = inst;
                func.blocks[block].insts.push(id);
            }
        }
        self.keep(func, &rooms);
    }

    fn fetch(
        &mut self,
        func: &mut Function,
        block: Block,
        value: Value,
        rooms: &mut FastMap<Value, Value>,
    ) -> Value {
        let ty = func.ty(value);
        if let Some(def) = func.def_inst(value)
            && matches!(def.op, Op::Iconst | Op::Fconst | Op::GlobalAddr | Op::LocalAddr | Op::WorkItem)
        {
            let (op, attr) = (def.op, def.attr.clone());
            return Builder::new(func, block).value(op, ty, &[], attr);
        }
        let room = match rooms.get(&value) {
            Some(&room) => room,
            None => {
                let room = self.room(func, ty);
                rooms.insert(value, room);
                room
            }
        };
        let mem = self.mem(ty);
        Builder::new(func, block).load(ty, room, mem)
    }

    /// Stores values where they are defined.
    fn keep(&self, func: &mut Function, rooms: &FastMap<Value, Value>) {
        for block in func.layout.clone() {
            let insts = std::mem::take(&mut func.blocks[block].insts);
            for param in func.blocks[block].params.clone() {
                self.store(func, block, param, rooms);
            }
            for id in insts {
                func.blocks[block].insts.push(id);
                if let Some(result) = func.insts[id].result {
                    debug_assert!(matches!(func.values[result].def, Def::Inst(_)));
                    self.store(func, block, result, rooms);
                }
            }
        }
    }

    fn store(&self, func: &mut Function, block: Block, value: Value, rooms: &FastMap<Value, Value>) {
        if let Some(&room) = rooms.get(&value) {
            let mem = self.mem(func.ty(value));
            Builder::new(func, block).store(value, room, mem);
        }
    }
}
