//! Splits a function that is too large for the register allocator into several functions.
//!
//! The time of Cranelift's register allocator grows faster than the size of the function: long live ranges are
//! tried, split and tried again against all live ranges that overlap them. So a function that is larger than
//! hand-written code becomes chunks of adjacent blocks, with loops kept together if they fit. A chunk is a function
//! `(frame, entry) -> entry`: it begins at the entry block that its argument identifies, and returns the identifier
//! of the next one, which may be in another chunk. The driver, which replaces the original function, calls the
//! chunks in a loop.
//!
//! Values that are live across chunks are kept in a frame in memory, each in its own slot: they are stored where
//! they are defined and loaded where they are used, which costs about as much as spilling them. Constants are
//! rematerialized.

mod chunk;
mod chunk_order;

use grus_ir::analysis::{Cfg, DomTree, Loops};
use grus_ir::{Attr, Block, Builder, FuncId, Function, Inst, InstId, Mem, Op, Target, Type, Value};
use grus_support::target::Backend;
use grus_support::{Id, IdMap};

/// Sizes above which functions are split, and sizes of the chunks, in approximate numbers of instructions that
/// Cranelift receives.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Size up to which a function is not split.
    pub function: usize,
    /// Size of a chunk.
    pub chunk: usize,
}

impl Limits {
    /// Limits for functions whose compile time Cranelift keeps proportional to their size. No kernel of hashcat is
    /// as large.
    // Arbitrary.
    const LARGE: Limits = Limits { function: 60_000, chunk: 8_000 };
    /// Limits for functions with more block parameters than registers, for which the allocator tries each segment
    /// of each live range against all others. DES as written in hashcat took a minute to compile and ran at less
    /// than half the speed.
    // Source: DES in hashcat, 2026-11-22.
    const MANY_BLOCK_PARAMS: Limits = Limits { function: 2_000, chunk: 1_000 };
    /// Limits for kernels whose regions do not begin with barriers: no loop except the work-item loop is longer
    /// than a region, so splitting costs little.
    // Arbitrary.
    pub const DIVERGENT_REGIONS: Limits = Limits { function: 12_000, chunk: 4_000 };
    /// Number of registers for the parameters of one block above which `MANY_BLOCK_PARAMS` applies.
    // Arbitrary.
    const MAX_BLOCK_REGISTERS: usize = 40;

    /// Returns the limits for a function. `chunk` is the chunk size that a test has set.
    pub fn of(func: &Function, backend: Backend, chunk: Option<usize>) -> Limits {
        if let Some(chunk) = chunk {
            return Limits { function: 2 * chunk, chunk };
        }
        let registers = |block: &Block| -> usize {
            let of = |&param: &Value| func.ty(param).bytes().div_ceil(backend.register()).max(1) as usize;
            func.blocks[*block].params.iter().map(of).sum()
        };
        let has_many_block_params =
            func.layout.iter().any(|block| registers(block) > Limits::MAX_BLOCK_REGISTERS);
        if has_many_block_params { Limits::MANY_BLOCK_PARAMS } else { Limits::LARGE }
    }

    /// Returns the smaller of both limits.
    pub fn min(self, other: Limits) -> Limits {
        Limits { function: self.function.min(other.function), chunk: self.chunk.min(other.chunk) }
    }

    /// Checks whether a function is to be split.
    pub fn are_exceeded(self, func: &Function) -> bool {
        // Most functions are so small that the cheap upper bound is enough.
        func.size() * 64 > self.function && size_of(func) > self.function
    }
}

/// Returns the number of 16-byte registers that a value takes.
fn registers(ty: Type) -> usize {
    (ty.bytes() as usize).div_ceil(16).max(1)
}

/// Returns the approximate number of instructions that Cranelift receives for an instruction. A switch counts as
/// the branches that it is lowered to.
fn weight(func: &Function, id: InstId) -> usize {
    let inst = &func.insts[id];
    let lanes = usize::from(inst.ty.lanes);
    let own = match inst.op {
        // Each lane is extracted and inserted.
        Op::Shuffle => 4 * lanes,
        Op::BuildVector => 2 * lanes,
        _ => registers(inst.ty),
    };
    own + inst.targets.len()
}

/// Returns the size of a function.
pub fn size_of(func: &Function) -> usize {
    func.layout.iter().map(|&block| size(func, block)).sum()
}

/// Returns the size of each block.
pub fn sizes(func: &Function) -> IdMap<Block, usize> {
    let mut sizes = IdMap::with_len(0, func.blocks.len());
    func.layout.iter().for_each(|&block| sizes[block] = size(func, block));
    sizes
}

fn size(func: &Function, block: Block) -> usize {
    func.blocks[block].insts.iter().map(|&id| weight(func, id)).sum()
}

/// Result of splitting a function.
pub struct SplitFunctions {
    /// The driver, followed by the chunks. The driver calls them by their indices in the module.
    pub functions: Vec<Function>,
    /// Size of the frame in bytes.
    pub frame: u64,
}

/// Callback that emits the address of memory for the frame, given its size in bytes.
pub type FrameAllocator<'a> = &'a dyn Fn(&mut Builder<'_>, u64) -> Value;

/// Entry identifier that ends the driver's loop.
const FINISHED: u32 = u32::MAX;

/// Returns the identifier of an entry: the chunk's index in the upper 16 bits, the entry's index in the lower ones.
fn entry_id(chunk: usize, entry: usize) -> u64 {
    (chunk as u64) << 16 | entry as u64
}

/// Alignment of vectors in the frame.
const VECTOR_ALIGN: u64 = 16;

/// Location of a value's definition.
#[derive(Clone, Copy, PartialEq, Debug)]
enum ValueLocation {
    /// A parameter or alloca, which the driver defines.
    Driver,
    /// A block.
    Block(Block),
    /// A constant, which is rematerialized where it is used.
    Constant,
}

/// Function to split, its chunks, and the layout of the frame.
struct ChunkPlan<'f> {
    func: &'f Function,
    /// Blocks of each chunk. A block comes before those that it dominates.
    chunks: Vec<Vec<Block>>,
    chunk_of: IdMap<Block, u32>,
    /// Entries of each chunk: blocks that other chunks branch to.
    entries: Vec<Vec<Block>>,
    /// Index of each block among the entries of its chunk.
    entry_of: IdMap<Block, Option<u32>>,
    locations: IdMap<Value, ValueLocation>,
    /// Offset in the frame of values that are live across chunks.
    slots: IdMap<Value, Option<u64>>,
    /// Offset in the frame through which an argument of an entry's parameter is passed.
    param_slots: IdMap<Value, Option<u64>>,
    /// Offset of the function's result.
    result: u64,
    /// Size of the frame in bytes.
    size: u64,
}

/// Splits `func`. `first` is the index that the first chunk will have in the module.
pub fn run(
    mut func: Function,
    first: usize,
    limits: Limits,
    frame_memory: FrameAllocator<'_>,
) -> SplitFunctions {
    chunk_order::split_blocks(&mut func, (limits.chunk / 4).max(4));
    let mut plan = ChunkPlan::new(&func, limits);
    let graphs: Vec<chunk::Graph> = (0..plan.chunks.len()).map(|at| chunk::Graph::new(&plan, at)).collect();
    for (at, graph) in graphs.iter().enumerate() {
        chunk::find_crossing(&mut plan, at, graph);
    }
    let mut functions = vec![driver(&plan, first, frame_memory)];
    for (at, graph) in graphs.iter().enumerate() {
        functions.push(chunk::emit(&plan, at, graph));
    }
    SplitFunctions { functions, frame: plan.size }
}

/// Checks whether an instruction is a constant, possibly splatted to a vector, which is rematerialized where it is
/// used.
fn is_rematerialized(func: &Function, inst: &Inst) -> bool {
    let is_constant = |inst: &Inst| matches!(inst.op, Op::Iconst | Op::Fconst | Op::GlobalAddr);
    is_constant(inst) || inst.op == Op::Splat && func.def_inst(inst.args[0]).is_some_and(is_constant)
}

impl<'f> ChunkPlan<'f> {
    fn new(func: &'f Function, limits: Limits) -> ChunkPlan<'f> {
        let chunks = {
            let cfg = Cfg::new(func);
            let dom = DomTree::new(func, &cfg);
            chunk_order::chunks(func, &Loops::new(func, &cfg, &dom), limits.chunk)
        };
        let mut chunk_of = IdMap::with_len(0, func.blocks.len());
        for (number, blocks) in chunks.iter().enumerate() {
            blocks.iter().for_each(|&block| chunk_of[block] = number as u32);
        }
        let mut plan = ChunkPlan {
            func,
            entries: vec![Vec::new(); chunks.len()],
            chunks,
            chunk_of,
            entry_of: IdMap::with_len(None, func.blocks.len()),
            locations: IdMap::with_len(ValueLocation::Driver, func.values.len()),
            slots: IdMap::with_len(None, func.values.len()),
            param_slots: IdMap::with_len(None, func.values.len()),
            result: 0,
            size: 0,
        };
        plan.find_entries();
        plan.find_locations();
        if func.ret != Type::VOID {
            plan.result = plan.add_slot(func.ret);
        }
        plan
    }

    fn find_entries(&mut self) {
        let func = self.func;
        let add = |plan: &mut Self, block: Block| {
            if plan.entry_of[block].is_none() {
                let list = &mut plan.entries[plan.chunk_of[block] as usize];
                list.push(block);
                plan.entry_of[block] = Some(list.len() as u32 - 1);
            }
        };
        add(self, func.entry());
        for at in 0..self.chunks.len() {
            for i in 0..self.chunks[at].len() {
                for next in func.successors(self.chunks[at][i]) {
                    if self.chunk_of[next] as usize != at {
                        add(self, next);
                    }
                }
            }
        }
        for block in self.entries.iter().flatten().copied().collect::<Vec<_>>() {
            if block != func.entry() {
                for &param in &func.blocks[block].params {
                    let slot = self.add_slot(func.ty(param));
                    self.param_slots[param] = Some(slot);
                }
            }
        }
    }

    fn find_locations(&mut self) {
        let func = self.func;
        for &block in self.chunks.iter().flatten() {
            for &param in func.blocks[block].params.iter().filter(|_| block != func.entry()) {
                self.locations[param] = ValueLocation::Block(block);
            }
            for &id in &func.blocks[block].insts {
                let inst = &func.insts[id];
                let Some(result) = inst.result else { continue };
                self.locations[result] = match inst.op {
                    Op::Alloca => ValueLocation::Driver,
                    _ if is_rematerialized(func, inst) => ValueLocation::Constant,
                    _ => ValueLocation::Block(block),
                };
            }
        }
    }

    fn add_slot(&mut self, ty: Type) -> u64 {
        let slot = self.size;
        self.size +=
            u64::from(ty.bytes()).max(1).next_multiple_of(if ty.is_vector() { VECTOR_ALIGN } else { 8 });
        if ty.is_vector() {
            let slot = slot.next_multiple_of(VECTOR_ALIGN);
            self.size = slot + u64::from(ty.bytes()).next_multiple_of(VECTOR_ALIGN);
            return slot;
        }
        slot
    }

    /// Returns the identifier of an entry block.
    fn entry_id_of(&self, block: Block) -> u64 {
        let entry = self.entry_of[block].expect("other chunks branch to it");
        entry_id(self.chunk_of[block] as usize, entry as usize)
    }
}

/// Creates the function that replaces the original one.
fn driver(plan: &ChunkPlan<'_>, first: usize, frame_memory: FrameAllocator<'_>) -> Function {
    let from = plan.func;
    let mut func = Function::new(from.name.clone(), from.ret);
    (func.linkage, func.is_kernel, func.no_inline) = (from.linkage, from.is_kernel, from.no_inline);
    let entry = func.add_block();
    let params: Vec<Value> = from.params().iter().map(|&p| func.add_param(entry, from.ty(p))).collect();
    let mut b = Builder::new(&mut func, entry);
    let frame = frame_memory(&mut b, plan.size);
    let store_to_frame = |b: &mut Builder<'_>, old: Value, new: Value| {
        if let Some(slot) = plan.slots[old] {
            let at = b.ptr_offset(frame, slot);
            b.store(new, at, Mem::natural(b.func.ty(new)));
        }
    };
    for (&old, &new) in from.params().iter().zip(&params) {
        store_to_frame(&mut b, old, new);
    }
    for inst in from.instructions().filter(|inst| inst.op == Op::Alloca) {
        let new = b.value(Op::Alloca, inst.ty, &[], inst.attr.clone());
        store_to_frame(&mut b, inst.result.expect("an alloca has a result"), new);
    }
    let start = b.iconst(Type::I32, plan.entry_id_of(from.entry()));
    let dispatch = b.func.add_block();
    let next = b.func.add_param(dispatch, Type::I32);
    b.jump(dispatch, &[start]);
    let end = b.func.add_block();
    let mut targets = vec![Target::new(end, &[])];
    for at in 0..plan.chunks.len() {
        let block = b.func.add_block();
        targets.push(Target::new(block, &[]));
        b.switch_to(block);
        let callee = Attr::Func(FuncId::new(first + at));
        let id = b.inst(Op::Call, Type::I32, &[frame, next], callee, Vec::new());
        let returned = b.func.insts[id].result.expect("a chunk names the next");
        b.jump(dispatch, &[returned]);
    }
    b.switch_to(dispatch);
    let shift = b.iconst(Type::I32, 16);
    let chunk = b.same(Op::Lshr, &[next, shift]);
    let cases = (0..plan.chunks.len() as u64).collect();
    b.inst(Op::Switch, Type::VOID, &[chunk], Attr::Cases(cases), targets);
    b.switch_to(end);
    if from.ret == Type::VOID {
        b.ret(&[]);
    } else {
        let at = b.ptr_offset(frame, plan.result);
        let value = b.load(from.ret, at, Mem::natural(from.ret));
        b.ret(&[value]);
    }
    func
}
