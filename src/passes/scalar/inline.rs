//! Inlining. Callees are optimized before their callers, so that the copied code is already small.
//!
//! Every call is inlined unless the callee forbids it or the caller would grow beyond [`Limits::max_caller_size`]; such
//! a call is kept. Two kinds of callees are inlined or merged in any case: those with large private arrays, for which
//! the work-group pass finds better storage than the stack, and those with barriers, which must be part of the kernel
//! for the work-group pass to see them (`barrier_functions` merges those that are too large to inline).

use super::super::pass_manager::PassContext;
use grus_ir::{Attr, Block, Builder, Def, FuncId, Function, Inst, InstId, Module, Op, Target, Value};
use grus_support::{FastMap, Id, IdMap, post_order};

/// Limits of inlining.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Number of instructions that a caller may grow to by inlining functions with pointer parameters. The objects
    /// that these point to can be kept in registers only once the functions are inlined.
    pub max_caller_size: usize,
    /// Limit like `max_caller_size` for functions without pointer parameters, which are cheap to call.
    pub max_size_by_value: usize,
    /// Limit like `max_caller_size` for functions with barriers. Larger ones are merged into the kernel once, for all
    /// calls.
    pub max_size_with_barriers: usize,
    /// Size up to which a callee is inlined however large the caller is.
    pub always_inlined_size: usize,
    /// True if functions that are deferred until image formats are known are inlined too.
    pub deferred: bool,
}

impl Limits {
    /// Limits of a normal build.
    // Arbitrary.
    pub const NORMAL: Limits = Limits {
        max_caller_size: 60_000,
        max_size_by_value: 8_000,
        max_size_with_barriers: 4_000,
        always_inlined_size: 40,
        deferred: false,
    };
    /// Limits under `-cl-opt-disable`: only what must be inlined.
    // Arbitrary.
    pub const MINIMAL: Limits = Limits {
        max_caller_size: 0,
        max_size_by_value: 0,
        max_size_with_barriers: 4_000,
        always_inlined_size: 0,
        deferred: false,
    };
    /// Upper bounds of the limits for a program that has grown too much.
    // Arbitrary.
    const REDUCED: Limits = Limits {
        max_caller_size: 1_000,
        max_size_by_value: 400,
        max_size_with_barriers: 100,
        always_inlined_size: 40,
        deferred: false,
    };

    /// Returns the limits of a program of `size` instructions, after inlining has copied `copied` instructions.
    /// `chunk` is the chunk size that a test has set.
    pub fn after(mut self, size: usize, copied: CopiedSize, chunk: Option<usize>) -> Limits {
        /// Number of copied instructions per instruction of the program above which `REDUCED` applies.
        // Arbitrary.
        const MAX_GROWTH_FACTOR: usize = 8;
        /// Number of copied instructions that are always allowed.
        // Arbitrary.
        const ALWAYS_ALLOWED: usize = 400_000;
        /// Growth limit for functions with barriers: a barrier becomes much more code than other instructions.
        // Arbitrary.
        const MAX_GROWTH_FACTOR_WITH_BARRIERS: usize = 2;
        // Arbitrary.
        const ALWAYS_ALLOWED_WITH_BARRIERS: usize = 2_000;
        if copied.all > MAX_GROWTH_FACTOR * size + ALWAYS_ALLOWED {
            self.max_caller_size = self.max_caller_size.min(Limits::REDUCED.max_caller_size);
            self.max_size_by_value = self.max_size_by_value.min(Limits::REDUCED.max_size_by_value);
        }
        if copied.with_barriers > MAX_GROWTH_FACTOR_WITH_BARRIERS * size + ALWAYS_ALLOWED_WITH_BARRIERS {
            self.max_size_with_barriers =
                self.max_size_with_barriers.min(Limits::REDUCED.max_size_with_barriers);
        }
        // Tests that set a chunk size merge as many functions as possible.
        if let Some(chunk) = chunk {
            self.max_size_with_barriers = chunk;
        }
        self
    }
}

/// Number of instructions that inlining has copied.
#[derive(Clone, Copy, Debug, Default)]
pub struct CopiedSize {
    pub all: usize,
    /// Number of copied instructions of functions with barriers.
    pub with_barriers: usize,
}

impl std::ops::AddAssign for CopiedSize {
    fn add_assign(&mut self, more: CopiedSize) {
        self.all += more.all;
        self.with_barriers += more.with_barriers;
    }
}

/// Returns `roots` and the functions that they call, directly or not, each after its callees. The position of a
/// function in a call cycle is unspecified.
pub fn callees_first(module: &Module, roots: &[FuncId]) -> Vec<FuncId> {
    let is_there = |id: &FuncId| module.funcs.get(*id).is_some();
    let called = |id: FuncId| callees(&module.funcs[id]).into_iter().filter(is_there).collect();
    post_order(roots.iter().copied(), module.funcs.len(), called)
}

/// Returns the functions that `func` calls, in order, with repetitions.
pub fn callees(func: &Function) -> Vec<FuncId> {
    let callee = |inst: &Inst| match inst.attr {
        Attr::Func(callee) => Some(callee),
        _ => None,
    };
    func.instructions().filter_map(callee).collect()
}

/// Checks whether a function contains a convergent instruction, which all work-items of a group must reach
/// together.
pub fn has_barrier(func: &Function) -> bool {
    func.instructions().any(|inst| inst.op.is_convergent())
}

/// Returns for each function whether it or a function that it calls, directly or not, contains a barrier.
pub fn reach_barriers(module: &Module) -> IdMap<FuncId, bool> {
    reach(module, has_barrier)
}

/// Returns for each function whether `is_sought` holds for it or for a function that it calls, directly or not.
pub fn reach(module: &Module, is_sought: fn(&Function) -> bool) -> IdMap<FuncId, bool> {
    let mut callers = IdMap::with_len(Vec::new(), module.funcs.len());
    let mut reach = IdMap::with_len(false, module.funcs.len());
    let mut work = Vec::new();
    for (id, func) in module.funcs.iter() {
        callees(func).into_iter().for_each(|callee| callers[callee].push(id));
        work.extend(is_sought(func).then_some(id));
    }
    while let Some(id) = work.pop() {
        if !std::mem::replace(&mut reach[id], true) {
            work.append(&mut callers[id]);
        }
    }
    reach
}

/// Properties of a callee, computed once for all its calls in a caller.
#[derive(Clone, Copy)]
struct CalleeFacts {
    size: usize,
    /// True if no parameter is a pointer.
    is_by_value: bool,
    /// True if it contains a barrier.
    has_barrier: bool,
    /// True if it must be inlined.
    must_inline: bool,
}

impl CalleeFacts {
    fn of(callee: &Function) -> CalleeFacts {
        CalleeFacts {
            size: callee.size(),
            is_by_value: !callee.params().iter().any(|&p| callee.ty(p).kind.is_ptr()),
            has_barrier: has_barrier(callee),
            must_inline: has_large_memory(callee),
        }
    }
}

/// Options of inlining into one function.
#[derive(Clone, Copy)]
pub struct Inlining<'m> {
    pub limits: Limits,
    /// Functions that are inlined only once their caller has been inlined itself.
    pub postponed: Option<&'m IdMap<FuncId, bool>>,
    /// True if calls of these are left alone for now.
    pub is_postponing: bool,
}

impl Default for Inlining<'_> {
    fn default() -> Self {
        Inlining { limits: Limits::NORMAL, postponed: None, is_postponing: false }
    }
}

/// Inlines with the usual options.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    inline(func, context, &Inlining::default()).all > 0
}

/// Replaces calls by the bodies of the callees. Returns the sizes of the copies.
pub fn inline(func: &mut Function, context: &PassContext<'_>, options: &Inlining<'_>) -> CopiedSize {
    let (Some(module), Some(id)) = (context.module, context.id) else { return CopiedSize::default() };
    let &Inlining { limits, postponed, is_postponing } = options;
    let is_postponed = |inst: &Inst| match inst.attr {
        Attr::Func(callee) => postponed.is_some_and(|postponed| postponed[callee]),
        _ => false,
    };
    let mut copied = CopiedSize::default();
    let size = func.size();
    let mut allocas = Vec::new();
    let mut facts: FastMap<FuncId, CalleeFacts> = FastMap::default();
    // Blocks to visit, and whether each is a copy. In a copy only postponed calls are inlined, since all other
    // calls of the callee have been inlined before.
    let mut work: Vec<(Block, bool)> = func.layout.iter().map(|&block| (block, false)).collect();
    let mut next = 0;
    while let Some(&(block, is_copy)) = work.get(next) {
        next += 1;
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut here = block;
        for inst in insts {
            let is_late = is_postponed(&func.insts[inst]);
            let is_considered = if is_copy { is_late } else { !is_late || !is_postponing };
            let found = is_considered
                .then(|| callee_to_inline(func, inst, id, module, size + copied.all, limits, &mut facts));
            match found.flatten() {
                Some((callee, more)) => {
                    copied += more;
                    here = splice(func, here, inst, callee, &mut allocas);
                    if postponed.is_some() {
                        // The blocks of the copy have indices after that of the block that control returns to.
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
    copied
}

/// Returns which functions are postponed: they are inlined once their caller has been inlined itself. So a chain of
/// functions with one call each is copied and simplified once, not once per level. `calls` contains the number of
/// calls of each function, plus one for a root.
pub fn postponed(module: &Module, order: &[FuncId], calls: &IdMap<FuncId, usize>) -> IdMap<FuncId, bool> {
    let blocked = reach_barriers(module);
    let is_chain_link = |id: FuncId| {
        let func = &module.funcs[id];
        calls[id] == 1 && func.is_defined() && !func.no_inline && !func.is_deferred && !blocked[id]
    };
    let mut found = IdMap::with_len(false, module.funcs.len());
    for &caller in order.iter().filter(|&&id| is_chain_link(id)) {
        for callee in callees(&module.funcs[caller]) {
            found[callee] = is_chain_link(callee) && !has_large_memory(&module.funcs[callee]);
        }
    }
    found
}

/// Returns the callee and its size if a call is to be inlined.
fn callee_to_inline<'m>(
    func: &Function,
    inst: InstId,
    caller: FuncId,
    module: &'m Module,
    size: usize,
    limits: Limits,
    facts: &mut FastMap<FuncId, CalleeFacts>,
) -> Option<(&'m Function, CopiedSize)> {
    let Attr::Func(id) = func.insts[inst].attr else { return None };
    let callee = module.funcs.get(id)?;
    if id == caller || !callee.is_defined() {
        return None;
    }
    let facts = *facts.entry(id).or_insert_with(|| CalleeFacts::of(callee));
    let max_caller_size = if facts.is_by_value { limits.max_size_by_value } else { limits.max_caller_size };
    let is_small = facts.size <= limits.always_inlined_size || size + facts.size <= max_caller_size;
    let is_inlinable_now = limits.deferred || !callee.is_deferred;
    let is_inlined = if facts.has_barrier {
        // A larger function is merged into the kernel once (`barrier_functions`).
        size + facts.size <= limits.max_size_with_barriers
    } else {
        is_small && is_inlinable_now && !callee.no_inline
    };
    let copied =
        CopiedSize { all: facts.size, with_barriers: if facts.has_barrier { facts.size } else { 0 } };
    (is_inlined || facts.must_inline).then_some((callee, copied))
}

/// Checks whether a function has more private memory than the stack of a call should hold. The memory of a kernel
/// is not on the stack.
fn has_large_memory(func: &Function) -> bool {
    /// Maximum size of private memory on the stack of a call.
    // Arbitrary.
    const MAX_STACK_BYTES: u64 = 16 << 10;
    let alloca_bytes = |inst: &Inst| match inst.attr {
        Attr::SizeAlign(size, _) if inst.op == Op::Alloca => size,
        _ => 0,
    };
    func.instructions().map(alloca_bytes).sum::<u64>() > MAX_STACK_BYTES
}

/// Inserts the callee's blocks after `here` and returns the block where control continues. The callee's allocas are
/// appended to `allocas`, which belong at the start of the entry block: they exist once, not once per iteration of
/// a loop around the call.
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

/// Copier of the blocks of one function into another.
pub(crate) struct Copier<'a> {
    into: &'a mut Function,
    from: &'a Function,
    values: IdMap<Value, Option<Value>>,
    blocks: IdMap<Block, Option<Block>>,
}

impl<'a> Copier<'a> {
    /// Copies a whole function, with `args` as its parameters, and returns its entry block. Returns become jumps to
    /// `after`, whose parameter is the result. Instructions without a source position get `loc`.
    pub(crate) fn copy(
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
        // Parameters come first, because uses may come before definitions in layout order.
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

    /// Returns the copy of a value, creating it if its definition has not been copied yet.
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

    /// Copies a block. Returns become jumps to `after`.
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
