//! Outlining: the body of a loop as a function of one iteration.
//!
//! Its parameters differ by constants from iteration to iteration, or are the same in all of them, as those of the body
//! of a work-item are. Values that an iteration hands to the next one are stored at the end.

use super::super::super::alias::{self, MAX_ADDITIONS};
use super::super::MAX_LANES;
use super::counted::{Change, CountedLoop};
use grus_ir::{
    Attr, Block, Builder, Def, Function, GlobalId, Inst, InstId, Mem, Op, ParamFacts, Target, Type, Value,
};
use grus_support::FastMap;

/// A parameter of the function of one iteration, by what the loop passes to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Parameter of the loop's header.
    Header(usize),
    /// Component of a parameter of the header.
    HeaderLane(usize, u16),
    /// Value from outside of the loop.
    Outside(Value),
    /// Component of such a value.
    OutsideLane(Value, u16),
    /// A copy of an instruction without operands.
    Copy(InstId),
    /// Number of the iteration in the vector, as an integer of this type.
    Lane(Type),
    /// Address of memory for one value of this type of each iteration.
    Slot(Type),
}

/// A value that an iteration hands to the next one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    /// Parameter of the header, and the component of it.
    pub header: (usize, Option<u16>),
    pub ty: Type,
    /// Position of the parameter that is the value at the start of the iteration.
    pub before: usize,
    /// Position of the parameter that says where the value at the end is stored.
    pub after: usize,
}

/// The body of a loop as a function.
pub(super) struct Outlined {
    pub func: Function,
    pub sources: Vec<Source>,
    pub carried: Vec<Carried>,
}

/// Adds a parameter to the entry of a function.
pub(super) fn add_param(func: &mut Function, ty: Type, facts: ParamFacts) -> Value {
    let entry = func.entry();
    func.param_facts.push(facts);
    func.add_param(entry, ty)
}

/// Returns the facts about a slot: those of consecutive iterations follow each other.
pub(super) fn slot_facts(ty: Type) -> ParamFacts {
    ParamFacts { stride: Some(ty.bytes()), ..ParamFacts::default() }
}

struct Outliner<'f> {
    from: &'f Function,
    to: Function,
    sources: Vec<Source>,
    values: FastMap<Value, Value>,
    /// Addresses of variables, which are the same in all iterations.
    variables: FastMap<(Op, GlobalId), Value>,
}

/// Facts about a value that is the same in all iterations.
const UNIFORM: ParamFacts = ParamFacts {
    is_restrict: false,
    is_const: false,
    align: 0,
    max: None,
    is_aligned_to_lanes: false,
    stride: Some(0),
};

/// Returns the body of a loop as a function of one iteration.
pub(super) fn outline(from: &Function, counted: &CountedLoop) -> Outlined {
    let mut to = Function::new(format!("{}.loop", from.name), Type::I32);
    let entry = to.add_block();
    let mut outliner =
        Outliner { from, to, sources: Vec::new(), values: FastMap::default(), variables: FastMap::default() };
    let mut carried = Vec::new();
    for (at, &param) in from.blocks[counted.shape.header].params.iter().enumerate() {
        let value = outliner.header_param(counted, at, &mut carried);
        outliner.values.insert(param, value);
    }
    for carried in &mut carried {
        carried.after = outliner.sources.len();
        outliner.param(carried.ty, Source::Slot(carried.ty));
    }
    // Blocks and their parameters first, since jumps name blocks that follow.
    let mut blocks: FastMap<Block, Block> = FastMap::default();
    for &block in &counted.blocks {
        let copy = outliner.to.add_block();
        blocks.insert(block, copy);
        for &param in from.blocks[block].params.iter().filter(|_| block != counted.shape.header) {
            let new = outliner.to.add_param(copy, from.ty(param));
            outliner.values.insert(param, new);
        }
    }
    let copy_of = |block: Block| blocks[&block];
    for &block in &counted.blocks {
        let copy = copy_of(block);
        for &id in &from.blocks[block].insts {
            let inst = &from.insts[id];
            if block == counted.shape.header && inst.op == Op::BrIf {
                let (body, args) = &counted.body;
                let args: Vec<Value> = args.iter().map(|&arg| outliner.value(arg, 0)).collect();
                Builder::new(&mut outliner.to, copy).jump(copy_of(*body), &args);
            } else if block == counted.shape.latch && inst.op == Op::Jump {
                outliner.finish(counted, copy, &carried);
            } else if let (Op::WorkItem, Some(result)) = (inst.op, inst.result) {
                let new = outliner.param(inst.ty, Source::Copy(id));
                outliner.values.insert(result, new);
            } else if let (Op::LocalAddr | Op::GlobalAddr, Some(result)) = (inst.op, inst.result) {
                outliner.variable(result, inst);
            } else {
                let new = outliner.copy(id, copy, 0);
                for target in &mut outliner.to.insts[new].targets {
                    target.block = copy_of(target.block);
                }
            }
        }
    }
    Builder::new(&mut outliner.to, entry).jump(copy_of(counted.shape.header), &[]);
    Outlined { func: outliner.to, sources: outliner.sources, carried }
}

impl Outliner<'_> {
    /// Adds a parameter that is the same in all iterations; an address of a slot is that of consecutive ones.
    fn param(&mut self, ty: Type, source: Source) -> Value {
        match source {
            Source::Slot(ty) => self.param_with(Type::PRIVATE, source, slot_facts(ty)),
            _ => self.param_with(ty, source, UNIFORM),
        }
    }

    fn param_with(&mut self, ty: Type, source: Source, facts: ParamFacts) -> Value {
        self.sources.push(source);
        add_param(&mut self.to, ty, facts)
    }

    /// Returns the value of a parameter of the header.
    fn header_param(&mut self, counted: &CountedLoop, at: usize, carried: &mut Vec<Carried>) -> Value {
        let ty = self.from.ty(self.from.blocks[counted.shape.header].params[at]);
        match counted.changes[at] {
            Change::Add(step) => {
                let max = (at == counted.counter).then_some(ParamFacts::SMALL);
                let facts = ParamFacts { stride: Some(step), max, ..ParamFacts::default() };
                self.param_with(ty, Source::Header(at), facts)
            }
            Change::Shift(by) => {
                let first = self.param(ty, Source::Header(at));
                let facts =
                    ParamFacts { stride: Some(1), max: Some(MAX_LANES.into()), ..ParamFacts::default() };
                let lane = self.param_with(ty, Source::Lane(ty), facts);
                let b = &mut self.at_entry();
                let step = b.iconst(ty, by.into());
                let count = b.same(Op::Imul, &[lane, step]);
                b.same(Op::Lshr, &[first, count])
            }
            Change::None | Change::Carried if !ty.is_vector() => {
                self.note(counted, (at, None), ty, carried);
                self.param(ty, Source::Header(at))
            }
            Change::None | Change::Carried => {
                let lanes = (0..ty.lanes).map(|lane| {
                    self.note(counted, (at, Some(lane)), ty.lane(), carried);
                    self.param(ty.lane(), Source::HeaderLane(at, lane))
                });
                let lanes: Vec<Value> = lanes.collect();
                self.at_entry().value(Op::BuildVector, ty, &lanes, Attr::None)
            }
        }
    }

    /// Notes that the next parameter is a value that iterations hand on, if it is.
    fn note(
        &self,
        counted: &CountedLoop,
        header: (usize, Option<u16>),
        ty: Type,
        carried: &mut Vec<Carried>,
    ) {
        if counted.changes[header.0] == Change::Carried {
            carried.push(Carried { header, ty, before: self.sources.len(), after: 0 });
        }
    }

    fn at_entry(&mut self) -> Builder<'_> {
        let entry = self.to.entry();
        Builder::new(&mut self.to, entry)
    }

    /// Returns the copy of a value. What is defined outside of the loop becomes a parameter, except constants and
    /// addresses: that they are in different objects has to remain visible. `depth` counts nested addresses.
    fn value(&mut self, old: Value, depth: usize) -> Value {
        if let Some(&new) = self.values.get(&old) {
            return new;
        }
        let ty = self.from.ty(old);
        let new = match (self.from.values[old].def, self.from.def_inst(old).map(|inst| inst.op)) {
            (Def::Inst(id), Some(Op::LocalAddr | Op::GlobalAddr)) => {
                return self.variable(old, &self.from.insts[id]);
            }
            (Def::Inst(id), Some(Op::Iconst | Op::Fconst | Op::PtrAdd)) if depth < MAX_ADDITIONS => {
                let entry = self.to.entry();
                let copy = self.copy(id, entry, depth + 1);
                return self.to.insts[copy].result.expect("it has one");
            }
            _ if ty.is_vector() => {
                let lanes = (0..ty.lanes).map(|lane| self.param(ty.lane(), Source::OutsideLane(old, lane)));
                let lanes: Vec<Value> = lanes.collect();
                self.at_entry().value(Op::BuildVector, ty, &lanes, Attr::None)
            }
            _ => {
                let at = alias::param(self.from, old);
                let facts = at.and_then(|at| self.from.param_facts.get(at)).copied().unwrap_or_default();
                self.param_with(ty, Source::Outside(old), ParamFacts { stride: Some(0), ..facts })
            }
        };
        self.values.insert(old, new);
        new
    }

    /// Returns the address of a variable, which `old` is in the loop.
    fn variable(&mut self, old: Value, inst: &Inst) -> Value {
        let key = (inst.op, inst.global());
        let new = match self.variables.get(&key) {
            Some(&new) => new,
            None => self.at_entry().value(inst.op, inst.ty, &[], inst.attr.clone()),
        };
        self.variables.insert(key, new);
        self.values.insert(old, new);
        new
    }

    /// Copies an instruction to the end of a block.
    fn copy(&mut self, id: InstId, block: Block, depth: usize) -> InstId {
        let Inst { op, ty, ref args, ref attr, ref targets, result, loc } = self.from.insts[id];
        let args = args.iter().map(|&arg| self.value(arg, depth)).collect();
        let targets = targets.iter().map(|target| Target {
            block: target.block,
            args: target.args.iter().map(|&arg| self.value(arg, depth)).collect(),
        });
        let targets = targets.collect();
        let new = self.to.make_inst(op, ty, args, attr.clone(), targets, loc);
        self.to.blocks[block].insts.push(new);
        if let (Some(old), Some(new)) = (result, self.to.insts[new].result) {
            self.values.insert(old, new);
        }
        new
    }

    /// Ends an iteration.
    fn finish(&mut self, counted: &CountedLoop, block: Block, carried: &[Carried]) {
        let nexts: Vec<Value> = counted.shape.nexts(self.from).to_vec();
        for carried in carried {
            let next = self.value(nexts[carried.header.0], 0);
            let at = self.to.params()[carried.after];
            let b = &mut Builder::new(&mut self.to, block);
            let next = carried.header.1.map_or(next, |lane| b.extract(next, lane));
            b.store(next, at, Mem::natural(carried.ty));
        }
        let b = &mut Builder::new(&mut self.to, block);
        let zero = b.iconst(Type::I32, 0);
        b.ret(&[zero]);
    }
}
