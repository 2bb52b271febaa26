//! Emission of one chunk as a function, and the values that are live across its boundary.

use super::{ChunkPlan, FINISHED, ValueLocation, is_rematerialized};
use grus_ir::analysis::{Cfg, DomTree, Loops};
use grus_ir::{Args, Attr, Block, Builder, Function, Inst, InstId, Mem, Op, Target, Type, Value};
use grus_support::FastMap;

/// Control flow graph of a chunk. A start block branches to all entries; the chunk's blocks follow in their order.
pub(super) struct Graph {
    dom: DomTree,
    /// Loops of the graph.
    loops: Loops,
    /// Block of the graph for each block of the function.
    node: FastMap<Block, Block>,
}

impl Graph {
    pub(super) fn new(plan: &ChunkPlan<'_>, at: usize) -> Graph {
        let mut flow = Function::new("", Type::VOID);
        let start = flow.add_block();
        let node: FastMap<Block, Block> =
            plan.chunks[at].iter().map(|&block| (block, flow.add_block())).collect();
        let mut join = |from: Block, to: &mut dyn Iterator<Item = Block>| {
            let targets = to.filter_map(|block| node.get(&block)).map(|&to| Target::new(to, &[])).collect();
            Builder::new(&mut flow, from).inst(Op::Jump, Type::VOID, &[], Attr::None, targets);
        };
        join(start, &mut plan.entries[at].iter().copied());
        for &block in &plan.chunks[at] {
            join(node[&block], &mut plan.func.successors(block));
        }
        let cfg = Cfg::new(&flow);
        let dom = DomTree::new(&flow, &cfg);
        let loops = Loops::new(&flow, &cfg, &dom);
        Graph { dom, loops, node }
    }

    /// Checks whether a definition in `from` dominates `to` within the chunk.
    fn reaches(&self, from: Block, to: Block) -> bool {
        self.node.get(&from).is_some_and(|&from| self.dom.dominates(from, self.node[&to]))
    }

    /// Returns the immediate dominator of the header of the innermost loop around a block.
    fn loop_dominator(&self, block: Block) -> Option<Block> {
        let enclosing_loop = self.loops.of(self.node[&block])?;
        self.dom.idom(self.loops.get(enclosing_loop).header)
    }
}

/// Assigns frame slots to values that the chunk uses and that are not available in it.
pub(super) fn find_crossing(plan: &mut ChunkPlan<'_>, at: usize, graph: &Graph) {
    let func = plan.func;
    for i in 0..plan.chunks[at].len() {
        let block = plan.chunks[at][i];
        for &id in &func.blocks[block].insts {
            for value in func.insts[id].uses() {
                let crosses = match plan.locations[value] {
                    ValueLocation::Constant => false,
                    ValueLocation::Driver => true,
                    ValueLocation::Block(home) => !graph.reaches(home, block),
                };
                if crosses && plan.slots[value].is_none() {
                    let slot = plan.add_slot(func.ty(value));
                    plan.slots[value] = Some(slot);
                }
            }
        }
    }
}

struct Emitter<'p, 'f> {
    plan: &'p ChunkPlan<'f>,
    graph: &'p Graph,
    b: Builder<'p>,
    frame: Value,
    blocks: FastMap<Block, Block>,
    values: FastMap<Value, Value>,
    /// Values that have been loaded or rematerialized, by the block that contains them.
    fetched: FastMap<(Block, Value), Value>,
    /// Blocks of the original function, by those of the chunk.
    sources: FastMap<Block, Block>,
    /// Exit blocks that pass no arguments, by their target.
    exits: FastMap<Block, Block>,
}

/// Emits the function of a chunk.
pub(super) fn emit(plan: &ChunkPlan<'_>, at: usize, graph: &Graph) -> Function {
    let mut func = Function::new(format!("{}.{at}", plan.func.name), Type::I32);
    let start = func.add_block();
    let frame = func.add_param(start, Type::PRIVATE);
    let entry = func.add_param(start, Type::I32);
    let mut emitter = Emitter {
        plan,
        graph,
        b: Builder::new(&mut func, start),
        frame,
        blocks: FastMap::default(),
        values: FastMap::default(),
        fetched: FastMap::default(),
        sources: FastMap::default(),
        exits: FastMap::default(),
    };
    for &block in &plan.chunks[at] {
        emitter.declare(block);
    }
    emitter.start(at, entry);
    for &block in &plan.chunks[at] {
        emitter.block(block);
    }
    func
}

impl Emitter<'_, '_> {
    fn declare(&mut self, block: Block) {
        let new = self.b.func.add_block();
        self.blocks.insert(block, new);
        self.sources.insert(new, block);
        if block != self.plan.func.entry() {
            for &param in &self.plan.func.blocks[block].params {
                let value = self.b.func.add_param(new, self.plan.func.ty(param));
                self.values.insert(param, value);
            }
        }
    }

    /// Branches to the requested entry, and loads the arguments of its parameters.
    fn start(&mut self, at: usize, entry: Value) {
        let mut targets = Vec::new();
        let here = self.b.block;
        for &block in &self.plan.entries[at] {
            let stub = self.b.func.add_block();
            targets.push(Target::new(stub, &[]));
            self.b.switch_to(stub);
            let params =
                if block == self.plan.func.entry() { &[] } else { &self.plan.func.blocks[block].params[..] };
            let args: Vec<Value> = params
                .iter()
                .map(|&param| self.load(self.plan.param_slots[param], self.plan.func.ty(param)))
                .collect();
            self.b.jump(self.blocks[&block], &args);
        }
        self.b.switch_to(here);
        if let [target] = &targets[..] {
            return self.b.jump(target.block, &[]);
        }
        let low = self.b.iconst(Type::I32, 0xffff);
        let entry = self.b.same(Op::And, &[entry, low]);
        let cases = (1..targets.len() as u64).collect();
        self.b.inst(Op::Switch, Type::VOID, &[entry], Attr::Cases(cases), targets);
    }

    fn load(&mut self, slot: Option<u64>, ty: Type) -> Value {
        let at = self.b.ptr_offset(self.frame, slot.expect("what crosses has a place"));
        self.b.load(ty, at, Mem::natural(ty))
    }

    fn store(&mut self, slot: u64, value: Value) {
        let at = self.b.ptr_offset(self.frame, slot);
        self.b.store(value, at, Mem::natural(self.b.func.ty(value)));
    }

    fn block(&mut self, block: Block) {
        let from = self.plan.func;
        self.b.switch_to(self.blocks[&block]);
        if block != from.entry() {
            for &param in &from.blocks[block].params {
                self.store_to_frame(param);
            }
        }
        for &id in &from.blocks[block].insts {
            let inst = &from.insts[id];
            self.b.loc = inst.loc;
            if inst.op.is_terminator() {
                self.terminator(block, inst);
            } else if inst.op != Op::Alloca && !is_rematerialized(from, inst) {
                let args: Args = inst.args.iter().map(|&arg| self.operand(block, arg)).collect();
                let new = self.b.inst(inst.op, inst.ty, &args, inst.attr.clone(), Vec::new());
                if let (Some(old), Some(new)) = (inst.result, self.b.func.insts[new].result) {
                    self.values.insert(old, new);
                    self.store_to_frame(old);
                }
            }
        }
    }

    /// Stores a value in the frame if other chunks use it.
    fn store_to_frame(&mut self, old: Value) {
        if let Some(slot) = self.plan.slots[old] {
            self.store(slot, self.values[&old]);
        }
    }

    /// Returns an operand of an instruction in `block`, to which the builder's current block belongs.
    fn operand(&mut self, block: Block, value: Value) -> Value {
        let mut here = self.b.block;
        match self.plan.locations[value] {
            ValueLocation::Block(home) if self.graph.reaches(home, block) => return self.values[&value],
            ValueLocation::Block(home) if self.graph.node.contains_key(&home) => {}
            ValueLocation::Constant => {}
            // The value in the frame cannot change while the chunk runs, so it is loaded before the innermost loop.
            _ => here = self.before_loop(block).unwrap_or(here),
        }
        if let Some(&known) = self.fetched.get(&(here, value)) {
            return known;
        }
        let ty = self.plan.func.ty(value);
        let fetched = self.at_end_of(here, |e| match e.plan.locations[value] {
            ValueLocation::Constant => {
                let constant = |value| e.plan.func.def_inst(value).expect("a constant is made");
                let inst = constant(value);
                let of = inst.args.first().map(|&of| constant(of));
                let of = of.map(|of| e.b.value(of.op, of.ty, &[], of.attr.clone()));
                e.b.value(inst.op, inst.ty, of.as_slice(), inst.attr.clone())
            }
            _ => e.load(e.plan.slots[value], ty),
        });
        self.fetched.insert((here, value), fetched);
        fetched
    }

    /// Returns the block before the innermost loop around a block.
    fn before_loop(&self, block: Block) -> Option<Block> {
        let node = self.graph.loop_dominator(block)?;
        let number = node.0.checked_sub(1)?;
        let chunk = self.plan.chunk_of[block] as usize;
        self.blocks.get(&self.plan.chunks[chunk][number as usize]).copied()
    }

    /// Emits code at the end of a block, before its terminator if it has one.
    fn at_end_of(&mut self, block: Block, emit: impl FnOnce(&mut Self) -> Value) -> Value {
        let here = self.b.block;
        self.b.switch_to(block);
        let last: Option<InstId> =
            if self.b.is_terminated() { self.b.func.blocks[block].insts.pop() } else { None };
        let value = emit(self);
        self.b.func.blocks[block].insts.extend(last);
        self.b.switch_to(here);
        value
    }

    fn terminator(&mut self, block: Block, inst: &Inst) {
        if inst.op == Op::Ret {
            if let Some(&value) = inst.args.first() {
                let value = self.operand(block, value);
                self.store(self.plan.result, value);
            }
            return self.return_entry(u64::from(FINISHED));
        }
        let args: Args = inst.args.iter().map(|&arg| self.operand(block, arg)).collect();
        let mut exits = Vec::new();
        let mut targets = Vec::new();
        for target in &inst.targets {
            let is_inside = self.plan.chunk_of[target.block] == self.plan.chunk_of[block];
            targets.push(if is_inside {
                let args: Vec<Value> = target.args.iter().map(|&arg| self.operand(block, arg)).collect();
                Target::new(self.blocks[&target.block], &args)
            } else if let Some(&exit) = self.exits.get(&target.block) {
                Target::new(exit, &[])
            } else {
                let exit = self.b.func.add_block();
                exits.push((exit, target));
                if target.args.is_empty() {
                    self.exits.insert(target.block, exit);
                }
                Target::new(exit, &[])
            });
        }
        self.b.inst(inst.op, Type::VOID, &args, inst.attr.clone(), targets);
        for (exit, target) in exits {
            self.b.switch_to(exit);
            let args: Vec<Value> = target.args.iter().map(|&arg| self.operand(block, arg)).collect();
            for (&param, value) in self.plan.func.blocks[target.block].params.iter().zip(args) {
                self.store(self.plan.param_slots[param].expect("of an entry"), value);
            }
            self.return_entry(self.plan.entry_id_of(target.block));
        }
    }

    fn return_entry(&mut self, id: u64) {
        let id = self.b.iconst(Type::I32, id);
        self.b.ret(&[id]);
    }
}
