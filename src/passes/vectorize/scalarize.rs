//! Splits OpenCL vectors into components, so that vectors are vectors of work-items only.
//!
//! The component accesses of a vector load or store are recorded: where the vectors of neighboring lanes are
//! adjacent, they are loaded as a whole and the components are shuffled into lanes (`memory`).

use smallvec::SmallVec;

use super::Refusal;
use grus_ir::analysis::Cfg;
use grus_ir::{
    Attr, Block, Builder, Class, Function, Inst, InstId, IntCond, LaneOp, MaskOp, Mem, MemoryOp, Op, Target,
    Type, Value,
};
use grus_support::{FastMap, IdMap};

/// Accesses that were one access of an OpenCL vector, in the order of their addresses.
#[derive(Clone, Debug, Default)]
pub(super) struct AccessGroups {
    groups: Vec<Vec<InstId>>,
    of: FastMap<InstId, usize>,
}

impl AccessGroups {
    fn add(&mut self, group: Vec<InstId>) {
        group.iter().for_each(|&id| {
            self.of.insert(id, self.groups.len());
        });
        self.groups.push(group);
    }

    /// Dissolves the group of an access.
    pub(super) fn remove(&mut self, id: InstId) {
        let Some(&at) = self.of.get(&id) else { return };
        for id in std::mem::take(&mut self.groups[at]) {
            self.of.remove(&id);
        }
    }

    /// Records the copies of groups that have been copied completely.
    pub(super) fn copy(&mut self, copies: &FastMap<InstId, InstId>) {
        for at in 0..self.groups.len() {
            let group: Option<Vec<InstId>> =
                self.groups[at].iter().map(|id| copies.get(id).copied()).collect();
            group.filter(|group| !group.is_empty()).into_iter().for_each(|group| self.add(group));
        }
    }

    /// Returns the group of an access.
    pub(super) fn of(&self, id: InstId) -> Option<&[InstId]> {
        self.of.get(&id).map(|&at| &self.groups[at][..])
    }
}

type Components = SmallVec<[Value; 4]>;

/// Splits all vectors of a function.
///
/// # Errors
/// The operation that cannot be split.
pub(super) fn run(func: &mut Function, cfg: &Cfg) -> Result<AccessGroups, Refusal> {
    let mut pass = Scalarizer {
        components: IdMap::with_len(Components::new(), func.values.len()),
        groups: AccessGroups::default(),
        b: Builder::new(func, Block(0)),
    };
    // Parameters first: a block may pass arguments to blocks that come later.
    for &block in cfg.rpo() {
        pass.params(block);
    }
    for &block in cfg.rpo() {
        pass.block(block)?;
    }
    Ok(pass.groups)
}

/// Checks whether a function has vectors.
pub(super) fn has_vectors(func: &Function) -> bool {
    let params = func.layout.iter().flat_map(|&block| &func.blocks[block].params);
    let results = func.instructions().filter_map(|inst| inst.result.as_ref());
    params.chain(results).any(|&value| func.ty(value).is_vector())
}

struct Scalarizer<'f> {
    /// Components of each vector.
    components: IdMap<Value, Components>,
    groups: AccessGroups,
    b: Builder<'f>,
}

impl Scalarizer<'_> {
    fn params(&mut self, block: Block) {
        let func = &mut *self.b.func;
        if block == func.entry() || func.blocks[block].params.iter().all(|&param| !func.ty(param).is_vector())
        {
            return;
        }
        let old = std::mem::take(&mut func.blocks[block].params);
        for param in old {
            let ty = func.ty(param);
            if !ty.is_vector() {
                let index = func.blocks[block].params.len() as u32;
                func.values[param].def = grus_ir::Def::Param(block, index);
                func.blocks[block].params.push(param);
                continue;
            }
            self.components[param] = (0..ty.lanes).map(|_| func.add_param(block, ty.lane())).collect();
        }
    }

    /// Extracts the components of the function's own parameters, which stay vectors.
    fn arguments(&mut self) {
        for param in self.b.func.params().to_vec() {
            let ty = self.b.func.ty(param);
            if ty.is_vector() {
                self.components[param] = (0..ty.lanes).map(|lane| self.b.extract(param, lane)).collect();
            }
        }
    }

    fn block(&mut self, block: Block) -> Result<(), Refusal> {
        let insts = std::mem::take(&mut self.b.func.blocks[block].insts);
        self.b.switch_to(block);
        if block == self.b.func.entry() {
            self.arguments();
        }
        for id in insts {
            let inst = self.b.func.insts[id].clone();
            self.b.loc = inst.loc;
            let is_plain = inst.uses().chain(inst.result).all(|value| !self.b.func.ty(value).is_vector());
            if is_plain {
                self.b.func.blocks[block].insts.push(id);
            } else if inst.op.is_terminator() {
                self.terminator(id, &inst);
            } else {
                self.inst(id, &inst)?;
            }
        }
        Ok(())
    }

    fn terminator(&mut self, id: InstId, inst: &Inst) {
        let scalarized = |target: &Target| {
            let args = target.args.iter().flat_map(|&arg| self.of(arg)).collect();
            Target { block: target.block, args }
        };
        let targets = inst.targets.iter().map(scalarized).collect();
        self.b.func.insts[id].targets = targets;
        let block = self.b.block;
        self.b.func.blocks[block].insts.push(id);
    }

    /// Returns the components of a value; of a scalar, the value itself.
    fn of(&self, value: Value) -> Components {
        if self.b.func.ty(value).is_vector() {
            self.components[value].clone()
        } else {
            smallvec::smallvec![value]
        }
    }

    fn inst(&mut self, id: InstId, inst: &Inst) -> Result<(), Refusal> {
        let lanes = usize::from(inst.ty.lanes);
        let components: Components = match inst.op.class() {
            Class::MemoryOp(MemoryOp::CallHelper) | Class::CallOp(_) => {
                self.call(id, inst);
                return Ok(());
            }
            Class::MemoryOp(op) => return self.memory(inst, op),
            Class::LaneOp(op) => self.lane_op(inst, op)?,
            Class::MaskOp(op) => smallvec::smallvec![self.mask_op(inst, op)],
            Class::IntBinary(_)
            | Class::IntUnary(_)
            | Class::FloatBinary(_)
            | Class::FloatUnary(_)
            | Class::FloatTernary(_)
            | Class::Comparison(_)
            | Class::Conversion(_)
            | Class::Choice(_) => {
                let args: Vec<Components> = inst.args.iter().map(|&arg| self.of(arg)).collect();
                let each = |lane: usize| {
                    // A scalar condition selects all components.
                    let args: Vec<Value> = args.iter().map(|arg| arg[lane % arg.len()]).collect();
                    self.b.value(inst.op, inst.ty.lane(), &args, inst.attr.clone())
                };
                (0..lanes).map(each).collect()
            }
            Class::Constant(_)
            | Class::Address(_)
            | Class::ItemOp(_)
            | Class::GroupOp(_)
            | Class::SubGroupOp(_)
            | Class::Terminator(_) => return Err(Refusal::Op(inst.op)),
        };
        self.define_components(id, inst, components);
        Ok(())
    }

    /// Defines the components of a result. A scalar result keeps its value id.
    fn define_components(&mut self, id: InstId, inst: &Inst, components: Components) {
        let Some(result) = inst.result else { return };
        if inst.ty.is_vector() {
            self.components[result] = components;
            return;
        }
        // A copy, which `simplify` removes.
        let true_value = self.b.iconst(Type::I1, 1);
        let same = &mut self.b.func.insts[id];
        (same.op, same.attr) = (Op::Select, Attr::None);
        same.args = smallvec::smallvec![true_value, components[0], components[0]];
        let block = self.b.block;
        self.b.func.blocks[block].insts.push(id);
    }

    fn lane_op(&mut self, inst: &Inst, op: LaneOp) -> Result<Components, Refusal> {
        let args: Vec<Components> = inst.args.iter().map(|&arg| self.of(arg)).collect();
        let lanes = usize::from(inst.ty.lanes);
        Ok(match op {
            LaneOp::Splat => SmallVec::from_elem(args[0][0], lanes),
            LaneOp::Extract => smallvec::smallvec![args[0][inst.int() as usize]],
            LaneOp::Insert => {
                let mut all = args[0].clone();
                all[inst.int() as usize] = args[1][0];
                all
            }
            LaneOp::Shuffle => {
                let both: Vec<Value> = args[0].iter().chain(&args[1]).copied().collect();
                inst.lanes().iter().map(|&select_component| both[usize::from(select_component)]).collect()
            }
            LaneOp::BuildVector => args.iter().map(|arg| arg[0]).collect(),
            LaneOp::Iota => (0..lanes as u64).map(|lane| self.b.iconst(inst.ty.lane(), lane)).collect(),
            LaneOp::ExtractAt => smallvec::smallvec![self.select_component(&args[0], args[1][0])],
            LaneOp::Permute => {
                let mut all = Components::new();
                for &number in &args[1] {
                    let number = self.b.convert(Op::Trunc, Type::I32, number);
                    all.push(self.select_component(&args[0], number));
                }
                all
            }
            LaneOp::InsertAt => {
                let at = self.lane_number(args[1][0], lanes);
                let replaced = |lane: usize| {
                    let is_it = self.is_lane(at, lane);
                    self.b.select(is_it, args[2][0], args[0][lane])
                };
                (0..lanes).map(replaced).collect()
            }
            LaneOp::Bitcast => self.bitcast(self.b.func.ty(inst.args[0]), inst.ty, &args[0]),
        })
    }

    /// Selects a component by a run-time index.
    fn select_component(&mut self, components: &Components, number: Value) -> Value {
        let at = self.lane_number(number, components.len());
        let mut found = components[0];
        for (lane, &value) in components.iter().enumerate().skip(1) {
            let is_it = self.is_lane(at, lane);
            found = self.b.select(is_it, value, found);
        }
        found
    }

    fn lane_number(&mut self, at: Value, lanes: usize) -> Value {
        let lanes = self.b.iconst(Type::I32, lanes as u64);
        self.b.same(Op::Urem, &[at, lanes])
    }

    fn is_lane(&mut self, at: Value, lane: usize) -> Value {
        let lane = self.b.iconst(Type::I32, lane as u64);
        self.b.icmp(IntCond::Eq, at, lane)
    }

    /// Emits the same bits in other lanes; lower ones first.
    fn bitcast(&mut self, from: Type, to: Type, args: &Components) -> Components {
        if from.lanes == to.lanes {
            return args.iter().map(|&arg| self.b.convert(Op::Bitcast, to.lane(), arg)).collect();
        }
        let (from_bits, to_bits) = (from.lane().bits_type(), to.lane().bits_type());
        let numbers: Vec<Value> =
            args.iter().map(|&arg| self.b.convert(Op::Bitcast, from_bits, arg)).collect();
        let numbers: Vec<Value> = if from_bits.kind.bits() < to_bits.kind.bits() {
            let per = (to_bits.kind.bits() / from_bits.kind.bits()) as usize;
            numbers.chunks(per).map(|parts| self.concat_bits(parts, to_bits)).collect()
        } else {
            let per = from_bits.kind.bits() / to_bits.kind.bits();
            let mut all = Vec::new();
            for number in numbers {
                for part in 0..per {
                    let by = self.b.iconst(from_bits, u64::from(part * to_bits.kind.bits()));
                    let moved = self.b.same(Op::Lshr, &[number, by]);
                    all.push(self.b.convert(Op::Trunc, to_bits, moved));
                }
            }
            all
        };
        numbers.into_iter().map(|number| self.b.convert(Op::Bitcast, to.lane(), number)).collect()
    }

    /// Concatenates integers to one integer, the lowest first.
    fn concat_bits(&mut self, parts: &[Value], ty: Type) -> Value {
        let bits = self.b.func.ty(parts[0]).kind.bits();
        let mut all = self.b.convert(Op::Zext, ty, parts[0]);
        for (at, &part) in (1u32..).zip(&parts[1..]) {
            let wide = self.b.convert(Op::Zext, ty, part);
            let by = self.b.iconst(ty, u64::from(at * bits));
            let moved = self.b.same(Op::Shl, &[wide, by]);
            all = self.b.same(Op::Or, &[all, moved]);
        }
        all
    }

    fn mask_op(&mut self, inst: &Inst, op: MaskOp) -> Value {
        let bits = self.of(inst.args[0]);
        match op {
            MaskOp::Any | MaskOp::All => {
                let op = if op == MaskOp::Any { Op::Or } else { Op::And };
                bits.iter().copied().reduce(|a, b| self.b.same(op, &[a, b])).expect("a mask has lanes")
            }
            MaskOp::Movemask => {
                let mut all = self.b.zero(inst.ty);
                for (lane, &true_value) in bits.iter().enumerate() {
                    let bit = self.b.convert(Op::Zext, inst.ty, true_value);
                    let by = self.b.iconst(inst.ty, lane as u64);
                    let moved = self.b.same(Op::Shl, &[bit, by]);
                    all = self.b.same(Op::Or, &[all, moved]);
                }
                all
            }
            MaskOp::MaskFirstSet => {
                let mut first = self.b.iconst(Type::I32, bits.len() as u64);
                for (lane, &true_value) in bits.iter().enumerate().rev() {
                    let this = self.b.iconst(Type::I32, lane as u64);
                    first = self.b.select(true_value, this, first);
                }
                first
            }
        }
    }

    /// Keeps a call, which takes and returns whole vectors.
    fn call(&mut self, id: InstId, inst: &Inst) {
        for (at, &arg) in inst.args.iter().enumerate() {
            let ty = self.b.func.ty(arg);
            if ty.is_vector() {
                let components = self.of(arg);
                let vector = self.b.value(Op::BuildVector, ty, &components, Attr::None);
                self.b.func.insts[id].args[at] = vector;
            }
        }
        let block = self.b.block;
        self.b.func.blocks[block].insts.push(id);
        if let Some(result) = inst.result.filter(|_| inst.ty.is_vector()) {
            self.components[result] = (0..inst.ty.lanes).map(|lane| self.b.extract(result, lane)).collect();
        }
    }

    fn memory(&mut self, inst: &Inst, op: MemoryOp) -> Result<(), Refusal> {
        if !matches!(op, MemoryOp::Load | MemoryOp::Store) || inst.is_volatile() {
            return Err(Refusal::Op(inst.op));
        }
        let ty = if op == MemoryOp::Load { inst.ty } else { self.b.func.ty(inst.args[1]) };
        if ty.is_mask() {
            return Err(Refusal::Op(inst.op));
        }
        let size = ty.kind.bytes();
        let mem = Attr::Mem(Mem { align: inst.mem().align.min(size), ..inst.mem() });
        let stored = if op == MemoryOp::Store { self.of(inst.args[1]) } else { Components::new() };
        let addresses: Vec<Value> = (0..u64::from(ty.lanes))
            .map(|lane| self.b.ptr_offset(inst.args[0], lane * u64::from(size)))
            .collect();
        let mut ids = Vec::new();
        for (lane, &address) in addresses.iter().enumerate() {
            ids.push(if op == MemoryOp::Load {
                self.b.inst(Op::Load, ty.lane(), &[address], mem.clone(), Vec::new())
            } else {
                self.b.inst(Op::Store, Type::VOID, &[address, stored[lane]], mem.clone(), Vec::new())
            });
        }
        if let Some(result) = inst.result {
            let loaded = ids.iter().map(|&id| self.b.func.insts[id].result.expect("a value")).collect();
            self.components[result] = loaded;
        }
        self.groups.add(ids);
        Ok(())
    }
}
