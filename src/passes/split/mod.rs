//! Cuts a function that is too large for the register allocator into many.
//!
//! Cranelift's allocator takes time that grows faster than a function does: values that live long are tried, split and
//! tried again against all that lives beside them. So what is larger than anything people write becomes chunks of
//! neighbouring blocks, loops kept together where they fit. A chunk is a function `(frame, where) -> where`: it begins
//! at the entry that `where` names and ends by naming the next one, maybe of another chunk. The driver, which takes the
//! place of the function, calls one after the other.
//!
//! What crosses from one chunk to another goes through a frame in memory, each value in a place of its own: stored once
//! where it is defined, loaded where it is used. That costs about what spilling it would. Constants are made anew.

mod chunk;
mod chunk_order;

use crate::ir::analysis::{Cfg, DomTree, Loops};
use crate::ir::{Attr, Block, Builder, FuncId, Function, Inst, InstId, Mem, Op, Target, Type, Value};
use crate::support::target::Backend;
use crate::support::{Id, IdMap};

/// When to cut, and how large the pieces become, in about the instructions that Cranelift is given.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// What is smaller stays whole.
    pub function: usize,
    /// Size of a chunk.
    pub chunk: usize,
}

impl Limits {
    /// For what Cranelift compiles as fast as short functions, piece by piece: hashcat has nothing as large.
    const LARGE: Limits = Limits { function: 60_000, chunk: 8_000 };
    /// For functions in which more values meet than there are registers: the allocator tries each part of each against
    /// all others. DES as hashcat writes it took a minute, and ran at less than half the speed.
    const CROWDED: Limits = Limits { function: 2_000, chunk: 1_000 };
    /// For kernels whose regions begin without barriers: no loop but that over the items is longer than a region, so
    /// cutting costs little.
    pub const REGIONS: Limits = Limits { function: 12_000, chunk: 4_000 };
    /// Parameters of a block, in registers of the machine, that make it crowded.
    const CROWD: usize = 40;

    /// Returns what a function is measured by; tests ask for small chunks.
    pub fn of(func: &Function, backend: Backend, chunk: Option<usize>) -> Limits {
        if let Some(chunk) = chunk {
            return Limits { function: 2 * chunk, chunk };
        }
        let registers = |block: &Block| -> usize {
            let of = |&param: &Value| func.ty(param).bytes().div_ceil(backend.register()).max(1) as usize;
            func.blocks[*block].params.iter().map(of).sum()
        };
        let crowded = func.layout.iter().any(|block| registers(block) > Limits::CROWD);
        if crowded { Limits::CROWDED } else { Limits::LARGE }
    }

    /// The smaller ones.
    pub fn at_most(self, other: Limits) -> Limits {
        Limits { function: self.function.min(other.function), chunk: self.chunk.min(other.chunk) }
    }

    /// Whether to cut a function.
    pub fn are_passed(self, func: &Function) -> bool {
        // Most functions are so small that nobody need look closer.
        func.size() * 64 > self.function && size_of(func) > self.function
    }
}

/// Registers that a value takes.
fn registers(ty: Type) -> usize {
    (ty.bytes() as usize).div_ceil(16).max(1)
}

/// About what Cranelift is given for an instruction. A switch counts as much as the branches it stands for.
fn weight(func: &Function, id: InstId) -> usize {
    let inst = &func.insts[id];
    let lanes = usize::from(inst.ty.lanes);
    let own = match inst.op {
        // Lane by lane, out of one register and into another.
        Op::Shuffle => 4 * lanes,
        Op::BuildVector => 2 * lanes,
        _ => registers(inst.ty),
    };
    own + inst.targets.len()
}

/// The size of a function.
pub fn size_of(func: &Function) -> usize {
    func.layout.iter().map(|&block| size(func, block)).sum()
}

/// The size of each block.
pub fn sizes(func: &Function) -> IdMap<Block, usize> {
    let mut sizes = IdMap::with_len(0, func.blocks.len());
    func.layout.iter().for_each(|&block| sizes[block] = size(func, block));
    sizes
}

fn size(func: &Function, block: Block) -> usize {
    func.blocks[block].insts.iter().map(|&id| weight(func, id)).sum()
}

/// What calls of the driver need.
pub struct Cut {
    /// The driver, then the chunks; the driver calls them by the positions it was told.
    pub functions: Vec<Function>,
    /// Bytes of the frame.
    pub frame: u64,
}

/// Where the driver finds room for the frame.
pub type Room<'a> = &'a dyn Fn(&mut Builder<'_>, u64) -> Value;

/// Ends the driver's loop.
const OVER: u32 = u32::MAX;

/// A number that names an entry: of which chunk, and the place among its entries.
fn code_of(chunk: usize, entry: usize) -> u64 {
    (chunk as u64) << 16 | entry as u64
}

/// Alignment of places in the frame.
const ALIGN: u64 = 16;

/// Where a value is defined.
#[derive(Clone, Copy, PartialEq, Debug)]
enum ValueLocation {
    /// A parameter, or private memory: the driver has it.
    Driver,
    /// In this block.
    Block(Block),
    /// A constant: made where it is used.
    Anywhere,
}

/// A function, how it is cut, and what crosses.
struct CutPlan<'f> {
    func: &'f Function,
    /// Blocks of each chunk, every block before those it dominates.
    chunks: Vec<Vec<Block>>,
    chunk_of: IdMap<Block, u32>,
    /// Blocks that other chunks branch to, by chunk, and the place of each among them.
    entries: Vec<Vec<Block>>,
    entry_of: IdMap<Block, Option<u32>>,
    locations: IdMap<Value, ValueLocation>,
    /// The place in the frame of what crosses, and of parameters of entries.
    places: IdMap<Value, Option<u64>>,
    /// Parameters of entries come through a place of their own.
    handed: IdMap<Value, Option<u64>>,
    result: u64,
    size: u64,
}

/// Cuts `func`. `first` is the position that the first chunk will have.
pub fn run(mut func: Function, first: usize, limits: Limits, room: Room<'_>) -> Cut {
    chunk_order::cut_blocks(&mut func, (limits.chunk / 4).max(4));
    let mut plan = CutPlan::new(&func, limits);
    let graphs: Vec<chunk::Graph> = (0..plan.chunks.len()).map(|at| chunk::Graph::new(&plan, at)).collect();
    for (at, graph) in graphs.iter().enumerate() {
        chunk::find_crossing(&mut plan, at, graph);
    }
    let mut functions = vec![driver(&plan, first, room)];
    for (at, graph) in graphs.iter().enumerate() {
        functions.push(chunk::emit(&plan, at, graph));
    }
    Cut { functions, frame: plan.size }
}

/// A constant, in all lanes if it is a vector: it is made where it is used.
fn is_made_anywhere(func: &Function, inst: &Inst) -> bool {
    let is_constant = |inst: &Inst| matches!(inst.op, Op::Iconst | Op::Fconst | Op::GlobalAddr);
    is_constant(inst) || inst.op == Op::Splat && func.def_inst(inst.args[0]).is_some_and(is_constant)
}

impl<'f> CutPlan<'f> {
    fn new(func: &'f Function, limits: Limits) -> CutPlan<'f> {
        let chunks = {
            let cfg = Cfg::new(func);
            let dom = DomTree::new(func, &cfg);
            chunk_order::chunks(func, &Loops::new(func, &cfg, &dom), limits.chunk)
        };
        let mut chunk_of = IdMap::with_len(0, func.blocks.len());
        for (number, blocks) in chunks.iter().enumerate() {
            blocks.iter().for_each(|&block| chunk_of[block] = number as u32);
        }
        let mut plan = CutPlan {
            func,
            entries: vec![Vec::new(); chunks.len()],
            chunks,
            chunk_of,
            entry_of: IdMap::with_len(None, func.blocks.len()),
            locations: IdMap::with_len(ValueLocation::Driver, func.values.len()),
            places: IdMap::with_len(None, func.values.len()),
            handed: IdMap::with_len(None, func.values.len()),
            result: 0,
            size: 0,
        };
        plan.find_entries();
        plan.find_homes();
        if func.ret != Type::VOID {
            plan.result = plan.add_place(func.ret);
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
                    let place = self.add_place(func.ty(param));
                    self.handed[param] = Some(place);
                }
            }
        }
    }

    fn find_homes(&mut self) {
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
                    _ if is_made_anywhere(func, inst) => ValueLocation::Anywhere,
                    _ => ValueLocation::Block(block),
                };
            }
        }
    }

    fn add_place(&mut self, ty: Type) -> u64 {
        let place = self.size;
        self.size += u64::from(ty.bytes()).max(1).next_multiple_of(if ty.is_vector() { ALIGN } else { 8 });
        if ty.is_vector() {
            let place = place.next_multiple_of(ALIGN);
            self.size = place + u64::from(ty.bytes()).next_multiple_of(ALIGN);
            return place;
        }
        place
    }

    /// Number of the entry that a block is.
    fn code(&self, block: Block) -> u64 {
        let entry = self.entry_of[block].expect("other chunks branch to it");
        code_of(self.chunk_of[block] as usize, entry as usize)
    }
}

/// The function that takes the place of the one that was cut.
fn driver(plan: &CutPlan<'_>, first: usize, room: Room<'_>) -> Function {
    let from = plan.func;
    let mut func = Function::new(from.name.clone(), from.ret);
    (func.linkage, func.is_kernel, func.no_inline) = (from.linkage, from.is_kernel, from.no_inline);
    let entry = func.add_block();
    let params: Vec<Value> = from.params().iter().map(|&p| func.add_param(entry, from.ty(p))).collect();
    let mut b = Builder::new(&mut func, entry);
    let frame = room(&mut b, plan.size);
    let keep = |b: &mut Builder<'_>, old: Value, new: Value| {
        if let Some(place) = plan.places[old] {
            let at = b.ptr_offset(frame, place);
            b.store(new, at, Mem::natural(b.func.ty(new)));
        }
    };
    for (&old, &new) in from.params().iter().zip(&params) {
        keep(&mut b, old, new);
    }
    for inst in from.instructions().filter(|inst| inst.op == Op::Alloca) {
        let new = b.value(Op::Alloca, inst.ty, &[], inst.attr.clone());
        keep(&mut b, inst.result.expect("an alloca has a result"), new);
    }
    let start = b.iconst(Type::I32, plan.code(from.entry()));
    let turn = b.func.add_block();
    let next = b.func.add_param(turn, Type::I32);
    b.jump(turn, &[start]);
    let over = b.func.add_block();
    let mut targets = vec![Target::new(over, &[])];
    for at in 0..plan.chunks.len() {
        let block = b.func.add_block();
        targets.push(Target::new(block, &[]));
        b.switch_to(block);
        let callee = Attr::Func(FuncId::new(first + at));
        let id = b.inst(Op::Call, Type::I32, &[frame, next], callee, Vec::new());
        let answer = b.func.insts[id].result.expect("a chunk names the next");
        b.jump(turn, &[answer]);
    }
    b.switch_to(turn);
    let half = b.iconst(Type::I32, 16);
    let chunk = b.same(Op::Lshr, &[next, half]);
    let cases = (0..plan.chunks.len() as u64).collect();
    b.inst(Op::Switch, Type::VOID, &[chunk], Attr::Cases(cases), targets);
    b.switch_to(over);
    if from.ret == Type::VOID {
        b.ret(&[]);
    } else {
        let at = b.ptr_offset(frame, plan.result);
        let value = b.load(from.ret, at, Mem::natural(from.ret));
        b.ret(&[value]);
    }
    func
}
