//! Inlining: callees first, so that what is copied is already small.
//!
//! Everything is inlined but what says that it must not be, and what would make a caller
//! larger than [`Limits::most`]; such a call stays a call, unless the callee holds large
//! arrays, which the group pass finds better places for than the stack, or a barrier, which
//! must be part of the kernel for the group pass to see, be it by `share`.

use super::super::pass_manager::PassContext;
use crate::ir::{Attr, Block, Builder, Def, FuncId, Function, Inst, InstId, Module, Op, Target, Value};
use crate::support::{FastMap, Id, IdMap, post_order};

/// How much is inlined.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Instructions that a caller may grow to by functions that take pointers: what they
    /// point at can be kept in registers only once they are inlined.
    pub most: usize,
    /// The same for functions that take values only, of which a call costs little.
    pub most_by_value: usize,
    /// The same for functions with barriers, which otherwise are shared by all calls of a kernel.
    pub most_with_barriers: usize,
    /// A callee of up to this size is inlined however large the caller is.
    pub small: usize,
    /// Functions that wait for what is known of images are inlined too.
    pub deferred: bool,
}

impl Limits {
    /// What programs are built with.
    pub const NORMAL: Limits =
        Limits { most: 60_000, most_by_value: 8_000, most_with_barriers: 4_000, small: 40, deferred: false };
    /// Only what must be (`-cl-opt-disable`).
    pub const LEAST: Limits =
        Limits { most: 0, most_by_value: 0, most_with_barriers: 4_000, small: 0, deferred: false };
    /// What a program that has grown too much goes on with.
    const GROWN: Limits =
        Limits { most: 1_000, most_by_value: 400, most_with_barriers: 100, small: 40, deferred: false };

    /// The limits of a program of `size` instructions, after these copies have come from inlining; tests ask for small chunks.
    pub fn after(mut self, size: usize, copied: Copied, chunk: Option<usize>) -> Limits {
        /// Copies for each instruction of the program, and for all.
        const GROWTH: usize = 8;
        const FREE: usize = 400_000;
        /// What a barrier becomes takes far more room than what it comes from.
        const GROWTH_WITH_BARRIERS: usize = 2;
        const FREE_WITH_BARRIERS: usize = 2_000;
        if copied.all > GROWTH * size + FREE {
            self.most = self.most.min(Limits::GROWN.most);
            self.most_by_value = self.most_by_value.min(Limits::GROWN.most_by_value);
        }
        if copied.with_barriers > GROWTH_WITH_BARRIERS * size + FREE_WITH_BARRIERS {
            self.most_with_barriers = self.most_with_barriers.min(Limits::GROWN.most_with_barriers);
        }
        // Tests share all they can.
        if let Some(chunk) = chunk {
            self.most_with_barriers = chunk;
        }
        self
    }
}

/// Instructions that inlining has copied.
#[derive(Clone, Copy, Debug, Default)]
pub struct Copied {
    pub all: usize,
    /// Those of functions with barriers.
    pub with_barriers: usize,
}

impl std::ops::AddAssign for Copied {
    fn add_assign(&mut self, more: Copied) {
        self.all += more.all;
        self.with_barriers += more.with_barriers;
    }
}

/// What `roots` call, directly or not, and they themselves, each after those it calls. A
/// function of a call cycle comes somewhere.
pub fn callees_first(module: &Module, roots: &[FuncId]) -> Vec<FuncId> {
    let is_there = |id: &FuncId| module.funcs.get(*id).is_some();
    let called = |id: FuncId| callees(&module.funcs[id]).into_iter().filter(is_there).collect();
    post_order(roots.iter().copied(), module.funcs.len(), called)
}

/// Functions that `func` calls, in order, repeated as they are.
pub fn callees(func: &Function) -> Vec<FuncId> {
    let callee = |inst: &Inst| match inst.attr {
        Attr::Func(callee) => Some(callee),
        _ => None,
    };
    func.instructions().filter_map(callee).collect()
}

/// Whether items must come together for any instruction.
pub fn has_barrier(func: &Function) -> bool {
    func.instructions().any(|inst| inst.op.is_convergent())
}

/// Functions that hold a barrier or call, by any way, one that does.
pub fn reach_barriers(module: &Module) -> IdMap<FuncId, bool> {
    let mut callers = IdMap::with_len(Vec::new(), module.funcs.len());
    let mut reach = IdMap::with_len(false, module.funcs.len());
    let mut work = Vec::new();
    for (id, func) in module.funcs.iter() {
        callees(func).into_iter().for_each(|callee| callers[callee].push(id));
        work.extend(has_barrier(func).then_some(id));
    }
    while let Some(id) = work.pop() {
        if !std::mem::replace(&mut reach[id], true) {
            work.append(&mut callers[id]);
        }
    }
    reach
}

/// What inlining looks at of a callee; looked up once for all its calls in a caller.
#[derive(Clone, Copy)]
struct Facts {
    size: usize,
    by_value: bool,
    /// It holds a barrier.
    barrier: bool,
    /// It must be part of its caller.
    must: bool,
}

impl Facts {
    fn of(callee: &Function) -> Facts {
        Facts {
            size: callee.size(),
            by_value: !callee.params().iter().any(|&p| callee.ty(p).kind.is_ptr()),
            barrier: has_barrier(callee),
            must: has_large_memory(callee),
        }
    }
}

/// Replaces calls by the bodies of the callees.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let (Some(module), Some(id)) = (context.module, context.id) else { return false };
    let limits = context.limits;
    let (postponed, postpones) = (context.postponed, context.postpones);
    let is_postponed = |inst: &Inst| match inst.attr {
        Attr::Func(callee) => postponed.is_some_and(|postponed| postponed[callee]),
        _ => false,
    };
    let mut copied = Copied::default();
    let size = func.size();
    let mut allocas = Vec::new();
    let mut facts: FastMap<FuncId, Facts> = FastMap::default();
    // Blocks whose calls are to be looked at, and whether they are copies: in those only postponed calls are looked at, since the callee
    // has had its others inlined.
    let mut work: Vec<(Block, bool)> = func.layout.iter().map(|&block| (block, false)).collect();
    let mut next = 0;
    while let Some(&(block, is_copy)) = work.get(next) {
        next += 1;
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut here = block;
        for inst in insts {
            let is_late = is_postponed(&func.insts[inst]);
            let looks = if is_copy { is_late } else { !is_late || !postpones };
            let found = looks.then(|| wanted(func, inst, id, module, size + copied.all, limits, &mut facts));
            match found.flatten() {
                Some((callee, more)) => {
                    copied += more;
                    here = splice(func, here, inst, callee, &mut allocas);
                    if postponed.is_some() {
                        // The copy's blocks come after the one that control returns to.
                        let copies = here.index() + 1..func.blocks.len();
                        work.extend(copies.map(|block| (Block::new(block), true)));
                    }
                }
                None => func.blocks[here].insts.push(inst),
            }
        }
    }
    let entry = func.entry();
    func.blocks[entry].insts.splice(0..0, allocas);
    context.copied += copied;
    copied.all > 0
}

/// Which functions are inlined together with their caller, once that is inlined itself: a chain of functions that are each called from one
/// place is copied and simplified once, not once for each function above it. `calls` counts the places, and one more for a root.
pub fn postponed(module: &Module, order: &[FuncId], calls: &IdMap<FuncId, usize>) -> IdMap<FuncId, bool> {
    let blocked = reach_barriers(module);
    let goes_on = |id: FuncId| {
        let func = &module.funcs[id];
        calls[id] == 1 && func.is_defined() && !func.no_inline && !func.is_deferred && !blocked[id]
    };
    let mut found = IdMap::with_len(false, module.funcs.len());
    for &caller in order.iter().filter(|&&id| goes_on(id)) {
        for callee in callees(&module.funcs[caller]) {
            found[callee] = goes_on(callee) && !has_large_memory(&module.funcs[callee]);
        }
    }
    found
}

/// The callee if it is to be inlined, and what that copies.
fn wanted<'m>(
    func: &Function,
    inst: InstId,
    caller: FuncId,
    module: &'m Module,
    size: usize,
    limits: Limits,
    facts: &mut FastMap<FuncId, Facts>,
) -> Option<(&'m Function, Copied)> {
    let Attr::Func(id) = func.insts[inst].attr else { return None };
    let callee = module.funcs.get(id)?;
    if id == caller || !callee.is_defined() {
        return None;
    }
    let facts = *facts.entry(id).or_insert_with(|| Facts::of(callee));
    let most = if facts.by_value { limits.most_by_value } else { limits.most };
    let small = facts.size <= limits.small || size + facts.size <= most;
    let now = limits.deferred || !callee.is_deferred;
    let wanted = if facts.barrier {
        // What is too large to be copied is part of the kernel once (`share`).
        size + facts.size <= limits.most_with_barriers
    } else {
        small && now && !callee.no_inline
    };
    let copied = Copied { all: facts.size, with_barriers: if facts.barrier { facts.size } else { 0 } };
    (wanted || facts.must).then_some((callee, copied))
}

/// Private memory that the stack of a call should not hold; a kernel's is elsewhere.
fn has_large_memory(func: &Function) -> bool {
    const LARGE: u64 = 16 << 10;
    let room = |inst: &Inst| match inst.attr {
        Attr::SizeAlign(size, _) if inst.op == Op::Alloca => size,
        _ => 0,
    };
    func.instructions().map(room).sum::<u64>() > LARGE
}

/// Puts the callee's blocks after `here`; returns the block where control goes on.
/// Private memory of the callee goes to `allocas`, which belong to the start of the entry:
/// it exists once, not in every turn of a loop around the call.
fn splice(
    func: &mut Function,
    here: Block,
    call: InstId,
    callee: &Function,
    allocas: &mut Vec<InstId>,
) -> Block {
    let call = func.insts[call].clone();
    let after = func.add_block();
    if let Some(result) = call.result {
        // The call's result becomes the parameter of the block that control returns to.
        func.blocks[after].params.push(result);
        func.values[result].def = Def::Param(after, 0);
    }
    let entry = Copier::copy(func, callee, &call.args, after, call.loc, allocas);
    Builder::new(func, here).jump(entry, &[]);
    after
}

/// Copies blocks of one function into another.
pub(in crate::passes) struct Copier<'a> {
    into: &'a mut Function,
    from: &'a Function,
    values: IdMap<Value, Option<Value>>,
    blocks: IdMap<Block, Option<Block>>,
}

impl<'a> Copier<'a> {
    /// Copies a whole function, whose parameters become `args`; returns the block that it begins with. It goes on with
    /// `after`, whose parameter is the result. What has no position gets `loc`.
    pub(in crate::passes) fn copy(
        into: &'a mut Function,
        from: &'a Function,
        args: &[Value],
        after: Block,
        loc: u32,
        allocas: &mut Vec<InstId>,
    ) -> Block {
        let mut copy = Copier::new(into, from);
        for (&param, &arg) in from.params().iter().zip(args) {
            copy.values[param] = Some(arg);
        }
        let entry = copy.block(from.entry());
        for &block in &from.layout {
            copy.copy_block(block, after, loc, allocas);
        }
        entry
    }

    fn new(into: &'a mut Function, from: &'a Function) -> Self {
        into.insts.reserve(from.size());
        into.values.reserve(from.size());
        let values = IdMap::with_len(None, from.values.len());
        let mut copier = Copier { into, from, values, blocks: IdMap::with_len(None, from.blocks.len()) };
        // Parameters first: uses may come before definitions in layout order.
        for &block in &from.layout {
            let new = copier.block(block);
            copier.into.blocks[new].unroll = from.blocks[block].unroll;
            if block != from.entry() {
                for &param in &from.blocks[block].params {
                    let ty = from.ty(param);
                    copier.values[param] = Some(copier.into.add_param(new, ty));
                }
            }
        }
        copier
    }

    fn block(&mut self, block: Block) -> Block {
        match self.blocks[block] {
            Some(new) => new,
            None => {
                let new = self.into.add_block();
                self.blocks[block] = Some(new);
                new
            }
        }
    }

    /// The copy of a value; made before its definition is copied if need be.
    fn value(&mut self, value: Value) -> Value {
        match self.values[value] {
            Some(new) => new,
            None => {
                let data = self.from.values[value];
                let new = self.into.values.push(data);
                self.values[value] = Some(new);
                new
            }
        }
    }

    /// Copies a block; returns become jumps to `after`.
    fn copy_block(&mut self, block: Block, after: Block, call_loc: u32, allocas: &mut Vec<InstId>) {
        let new_block = self.block(block);
        let from = self.from;
        for &id in &from.blocks[block].insts {
            let inst = &from.insts[id];
            let args = inst.args.iter().map(|&a| self.value(a));
            let mut copy = Inst {
                op: inst.op,
                ty: inst.ty,
                args: args.collect(),
                attr: inst.attr.clone(),
                targets: Vec::new(),
                result: None,
                loc: if inst.loc == 0 { call_loc } else { inst.loc },
            };
            if inst.op == Op::Ret {
                copy.op = Op::Jump;
                copy.targets = vec![Target::new(after, &std::mem::take(&mut copy.args))];
            } else if !inst.targets.is_empty() {
                let target = |t: &Target| Target {
                    block: self.block(t.block),
                    args: t.args.iter().map(|&a| self.value(a)).collect(),
                };
                copy.targets = inst.targets.iter().map(target).collect();
            }
            copy.result = inst.result.map(|r| self.value(r));
            let new = self.into.insts.push(copy);
            if let Some(result) = self.into.insts[new].result {
                self.into.values[result].def = Def::Inst(new);
            }
            if inst.op == Op::Alloca {
                allocas.push(new);
            } else {
                self.into.blocks[new_block].insts.push(new);
            }
        }
    }
}
