//! State of translating a function, and its instructions one by one.

use std::collections::BTreeMap;
use std::rc::Rc;

use grus_ir::{Attr, Block, Builder, InstId, NoWrap, Op, Target, Type, Value};
use grus_support::{FastMap, FastSet, Id as _};
use smallvec::SmallVec;

use super::contract::contract;
use super::device::is_of_device;
use super::flow::{BlockId, Flow, Placed};
use super::image::is_of_image;
use super::module::Translator;
use super::narrow;
use crate::chain::Chain;
use crate::constants::{ConstForm, ConstId};
use crate::error::{Fault, Mark};
use crate::grammar::{ExtendedSet, Opcode, decoration, loop_control};
use crate::module::{FunctionRange, Id};
use crate::types::{Space, TypeForm, TypeId, ValueType};

pub(super) type Result<T> = std::result::Result<T, Fault>;

/// Values of a composite's leaves.
pub(super) type Leaves = SmallVec<[Value; 4]>;

/// Translated value of an id.
#[derive(Clone, Debug)]
pub(super) enum Translation {
    /// Scalar, vector, pointer or handle.
    One(Value),
    /// Composite, as the values of its leaves.
    Leaves(Leaves),
    /// Composite in memory that is not written while the value is in use.
    Memory(Value),
    /// Address of a built-in variable, or of one of its components: a constant index or a value.
    BuiltIn { variable: Id, component: Option<Value> },
}

/// Edge of the control flow whose block arguments are still to be set.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: BlockId,
    to: BlockId,
    terminator: InstId,
    target: usize,
}

/// Translation of one function.
pub(super) struct FunctionTranslator<'t, 'm> {
    pub t: &'t mut Translator<'m>,
    pub b: Builder<'t>,
    flow: Rc<Flow>,
    /// Values of the function's ids, with their types.
    values: FastMap<Id, (TypeId, Translation)>,
    /// Constants that the current block has computed.
    constants: FastMap<ConstId, Translation>,
    /// Blocks of the IR.
    blocks: Vec<Option<Block>>,
    edges: Vec<Edge>,
    /// Arguments of φ that are not results of instructions: (predecessor, φ) → value.
    constant_arguments: FastMap<(BlockId, Id), Translation>,
    /// Block that allocates memory.
    pub entry: Block,
    /// Address where a composite result is stored.
    result_slot: Option<Value>,
    result: TypeId,
    /// Operands of φ: (φ, predecessor) → operand.
    operands: FastMap<(Id, Id), Id>,
    /// Memory of φ whose type is too large for leaves: what comes in.
    incoming: FastMap<Id, Value>,
    /// Products and sums that may be contracted.
    pub contractible: FastSet<Value>,
    /// Position of the instruction.
    pub place: u32,
}

impl<'t, 'm> FunctionTranslator<'t, 'm> {
    /// Translates the body of a function into `func`, which has no blocks yet.
    pub(super) fn translate(
        t: &'t mut Translator<'m>,
        func: &'t mut grus_ir::Function,
        range: FunctionRange,
        result: TypeId,
    ) -> std::result::Result<(), Placed> {
        let flow = Flow::of(t.module, range)?;
        let entry = func.add_block();
        let blocks = vec![None; flow.blocks.len()];
        let mut translator = FunctionTranslator {
            t,
            b: Builder::new(func, entry),
            flow: Rc::new(flow),
            values: FastMap::default(),
            constants: FastMap::default(),
            blocks,
            edges: Vec::new(),
            constant_arguments: FastMap::default(),
            entry,
            result_slot: None,
            result,
            operands: FastMap::default(),
            incoming: FastMap::default(),
            contractible: FastSet::default(),
            place: range.start,
        };
        translator.function(range).map_err(|fault| (translator.place, fault))?;
        contract(translator.b.func, &translator.contractible);
        Ok(())
    }

    fn function(&mut self, range: FunctionRange) -> Result<()> {
        self.parameters(range)?;
        for index in 0..self.flow.order.len() {
            let id = self.flow.order[index];
            let block = self.b.func.add_block();
            self.blocks[id.index()] = Some(block);
            self.phis(id)?;
        }
        let first = self.blocks[self.flow.order[0].index()].expect("the first block is reachable");
        for index in 0..self.flow.order.len() {
            self.block(self.flow.order[index])?;
        }
        self.b.switch_to(self.entry);
        self.b.jump(first, &[]);
        self.arguments()
    }

    /// Declares the parameters.
    fn parameters(&mut self, range: FunctionRange) -> Result<()> {
        if self.t.types().is_composite(self.result) {
            let slot = self.b.func.add_param(self.entry, Type::PRIVATE);
            self.b.func.param_facts.push(Default::default());
            self.result_slot = Some(slot);
        }
        let module = self.t.module;
        for place in module.instructions(range.start, range.body) {
            let words = module.raw(place as usize);
            if Opcode::from_number(words[0] as u16) != Some(Opcode::FunctionParameter) {
                continue;
            }
            self.place = place;
            let (ty, id) = (self.t.globals.type_at(words, 1)?, Id(words[2]));
            let facts = self.t.param_facts(ty, id);
            self.b.func.param_facts.push(facts);
            let Some(ir) = self.t.types().ir(ty) else {
                let address = self.b.func.add_param(self.entry, Type::PRIVATE);
                let value = self.load_composite(ty, address, self.t.types().get(ty).align, false)?;
                self.define(id, ty, value);
                continue;
            };
            let mut value = self.b.func.add_param(self.entry, ir);
            // The callee may write what it gets by value.
            if let Some(pointee) = self.t.by_value(ty, id) {
                value = self.copied(pointee, value, self.t.types().get(pointee).align);
            }
            self.define(id, ty, Translation::One(value));
        }
        Ok(())
    }

    /// Declares the parameters of a block for its φ.
    fn phis(&mut self, id: BlockId) -> Result<()> {
        let module = self.t.module;
        let block = self.blocks[id.index()].expect("its block was made");
        let flow = Rc::clone(&self.flow);
        for (place, words) in flow.phis(module, id) {
            self.place = place;
            let (ty, id) = (self.t.globals.type_at(words, 1)?, Id(words[2]));
            for pair in words[3..].chunks_exact(2) {
                self.operands.insert((id, Id(pair[1])), Id(pair[0]));
            }
            let translation = if let Some(ir) = self.t.types().ir(ty) {
                Translation::One(self.b.func.add_param(block, ir))
            } else if let Some(leaves) = self.t.types().leaves(ty) {
                let values = leaves.iter().map(|leaf| self.b.func.add_param(block, leaf.ty.ir));
                Translation::Leaves(values.collect())
            } else {
                let (incoming, value) = (self.temporary_of(ty), self.temporary_of(ty));
                self.incoming.insert(id, incoming);
                Translation::Memory(value)
            };
            self.define(id, ty, translation);
        }
        Ok(())
    }

    fn block(&mut self, id: BlockId) -> Result<()> {
        let block = self.blocks[id.index()].expect("its block was made");
        self.b.switch_to(block);
        // To clear the map takes as long as it has been for the largest block.
        self.constants = FastMap::default();
        self.b.loc = 0;
        let module = self.t.module;
        let range = self.flow.blocks[id.index()].clone();
        self.take_incoming(id)?;
        let mut unroll = None;
        for place in module.instructions(range.start, range.end) {
            let words = module.raw(place as usize);
            let opcode = Opcode::from_number(words[0] as u16).expect("reading has checked it");
            self.place = place;
            match opcode {
                Opcode::Line => self.b.loc = self.t.line(Id(words[1]), words[2]),
                Opcode::NoLine => self.b.loc = 0,
                Opcode::ExtInst if self.debug_line(words) => {}
                Opcode::Phi => {}
                Opcode::LoopMerge => unroll = unroll_factor(&words[3..]),
                Opcode::LoopControlINTEL => unroll = unroll_factor(&words[1..]),
                _ => self.instruction(opcode, words)?,
            }
        }
        self.b.func.blocks[block].unroll = unroll;
        self.place = range.end;
        let words = module.raw(range.end as usize);
        let opcode = Opcode::from_number(words[0] as u16).expect("reading has checked it");
        self.terminator(id, opcode, words)
    }

    /// Takes the line of an instruction for debuggers, if it is one that says where code comes from.
    fn debug_line(&mut self, words: &[u32]) -> bool {
        if self.t.module.extended_set(Id(words[3])) != Some(ExtendedSet::ShaderDebugInfo) {
            return false;
        }
        match Mark::of(self.t.module, Opcode::ExtInst, words) {
            Some(Mark::Line) => self.b.loc = self.t.debug_line(words).unwrap_or(0),
            Some(Mark::NoLine) => self.b.loc = 0,
            None => {}
        }
        true
    }

    /// Moves large φ from the memory of what comes in to their own, so that predecessors can write the former.
    fn take_incoming(&mut self, block: BlockId) -> Result<()> {
        let flow = Rc::clone(&self.flow);
        for (_, words) in flow.phis(self.t.module, block) {
            if let Some(&incoming) = self.incoming.get(&Id(words[2]))
                && let (ty, Translation::Memory(value)) = self.translation(Id(words[2]))?
            {
                let row = self.t.types().get(ty);
                self.b.copy_bytes(value, incoming, row.size, row.align);
            }
        }
        Ok(())
    }

    /// Keeps the value of an id.
    pub(super) fn define(&mut self, id: Id, ty: TypeId, value: Translation) {
        self.values.insert(id, (ty, value));
    }

    /// Keeps the result of an instruction, which is one value.
    pub(super) fn result(&mut self, words: &[u32], value: Value) -> Result<()> {
        let ty = self.t.globals.type_at(words, 1)?;
        if self.t.types().ir(ty) != Some(self.b.func.ty(value)) {
            let found = self.t.types().describe(ty);
            return Err(Fault::at(
                1,
                format!("the result's type is {found}; the instruction computes another"),
            ));
        }
        self.define(Id(words[2]), ty, Translation::One(value));
        Ok(())
    }

    /// Returns type and value of an id.
    pub(super) fn translation(&mut self, id: Id) -> Result<(TypeId, Translation)> {
        if let Some(found) = self.values.get(&id) {
            return Ok(found.clone());
        }
        if let Some(constant) = self.t.globals.constants.find(id) {
            let ty = self.t.globals.constants.get(constant).ty;
            return Ok((ty, self.constant(constant)?));
        }
        if let Some(variable) = self.t.globals.variables.get(&id) {
            let ty = variable.pointer;
            if variable.is_built_in() {
                return Ok((ty, Translation::BuiltIn { variable: id, component: None }));
            }
            let (space, contents) = (variable.space, variable.contents);
            let global = self.t.global_of(id)?;
            let mut address = self.address(global);
            if space == Space::Function {
                address = self.copied(contents, address, self.t.types().get(contents).align);
            }
            return Ok((ty, Translation::One(address)));
        }
        Err(Fault::new(format!("{id} is no value that is defined before its use")))
    }

    /// Emits the address of a variable of the module.
    pub(super) fn address(&mut self, global: grus_ir::GlobalId) -> Value {
        let (op, ty) = match self.t.out.globals[global].space {
            grus_ir::GlobalSpace::Local => (Op::LocalAddr, Type::LOCAL),
            grus_ir::GlobalSpace::Constant => (Op::GlobalAddr, Type::CONSTANT),
            grus_ir::GlobalSpace::Global => (Op::GlobalAddr, Type::GLOBAL),
        };
        self.b.value(op, ty, &[], Attr::Global(global))
    }

    /// Returns the value of the id at a position, which is a scalar, vector, pointer or handle.
    pub(super) fn value(&mut self, words: &[u32], at: usize) -> Result<Value> {
        self.typed(words, at).map(|(_, value)| value)
    }

    /// Returns type and value of the id at a position, which is a scalar, vector, pointer or handle.
    pub(super) fn typed(&mut self, words: &[u32], at: usize) -> Result<(TypeId, Value)> {
        let id = Id(*words.get(at).ok_or_else(|| Fault::new("an operand is missing"))?);
        match self.translation(id).map_err(|fault| Fault { at, ..fault })? {
            (ty, Translation::One(value)) => Ok((ty, value)),
            (ty, Translation::BuiltIn { .. }) => self.built_in_copy(id).map(|value| (ty, value)),
            (ty, _) => {
                let found = self.t.types().describe(ty);
                Err(Fault::at(at, format!("{id} is {found}; a number, vector, pointer or handle is wanted")))
            }
        }
    }

    /// Returns the value of the id at a position; a number is sign-extended to all bits that it has in the IR.
    pub(super) fn signed(&mut self, words: &[u32], at: usize) -> Result<Value> {
        let (of, value) = self.typed(words, at)?;
        let of = self.t.types().value(of).expect("it is one value");
        Ok(narrow::sign_extended(&mut self.b, of, value))
    }

    /// Emits a constant, once for each block.
    fn constant(&mut self, id: ConstId) -> Result<Translation> {
        if let Some(found) = self.constants.get(&id) {
            return Ok(found.clone());
        }
        let value = self.make_constant(id)?;
        self.constants.insert(id, value.clone());
        Ok(value)
    }

    fn make_constant(&mut self, id: ConstId) -> Result<Translation> {
        let row = self.t.globals.constants.get(id);
        let ty = row.ty;
        if let Some(ir) = self.t.types().ir(ty) {
            return Ok(Translation::One(self.constant_value(id, ir)?));
        }
        let Some(leaves) = self.t.types().leaves(ty) else {
            let global = self.t.constant_variable(id)?;
            return Ok(Translation::Memory(self.address(global)));
        };
        let parts = self.t.globals.leaf_constants(id, &leaves);
        let mut values = Leaves::new();
        for (leaf, part) in leaves.iter().zip(parts) {
            values.push(match part {
                Some(part) => self.constant_value(part, leaf.ty.ir)?,
                None => self.b.zero(leaf.ty.ir),
            });
        }
        Ok(Translation::Leaves(values))
    }

    /// Emits a scalar, vector, pointer or handle that is constant.
    fn constant_value(&mut self, id: ConstId, ir: Type) -> Result<Value> {
        let constants = &self.t.globals.constants;
        Ok(match constants.get(id).form {
            ConstForm::Null => self.b.zero(ir),
            ConstForm::Bits(bits) => self.b.constant(ir, bits),
            ConstForm::Sampler(bits) => self.b.iconst(ir, bits.into()),
            ConstForm::Address { variable, offset } => {
                let base = if self.t.globals.variables[&variable].is_built_in() {
                    self.built_in_copy(variable)?
                } else {
                    let global = self.t.global_of(variable)?;
                    self.address(global)
                };
                let address = self.b.ptr_offset(base, offset as u64);
                self.b.convert(Op::Bitcast, ir, address)
            }
            ConstForm::Parts(_) => {
                let lanes = constants.lanes(self.t.types(), id);
                let lanes = lanes.ok_or_else(|| Fault::new("a vector has components that are no numbers"))?;
                self.lanes(ir, &lanes)
            }
        })
    }

    /// Emits a constant vector.
    fn lanes(&mut self, ir: Type, lanes: &[u64]) -> Value {
        if lanes.iter().all(|&bits| bits == lanes[0]) {
            return self.b.constant(ir, lanes[0]);
        }
        let values: Vec<Value> = lanes.iter().map(|&bits| self.b.constant(ir.lane(), bits)).collect();
        self.b.value(Op::BuildVector, ir, &values, Attr::None)
    }

    /// Returns the bits of a constant integer operand, if it is one.
    pub(super) fn constant_operand(&self, words: &[u32], at: usize) -> Option<u64> {
        self.t.globals.constants.bits_of(Id(*words.get(at)?))
    }

    /// Allocates private memory in the entry.
    pub(super) fn temporary(&mut self, size: u64, align: u32) -> Value {
        self.b.temporary(self.entry, size, align.into())
    }

    /// Allocates private memory for a value of a type.
    pub(super) fn temporary_of(&mut self, ty: TypeId) -> Value {
        let row = self.t.types().get(ty);
        let (size, align) = (row.size, row.align);
        self.temporary(size, align)
    }

    /// Emits the copy of a value in memory of this alignment; returns its address.
    pub(super) fn copied(&mut self, ty: TypeId, from: Value, align: u32) -> Value {
        let copy = self.temporary_of(ty);
        let size = self.t.types().get(ty).size;
        self.b.copy_bytes(copy, from, size, align);
        copy
    }

    fn instruction(&mut self, opcode: Opcode, words: &[u32]) -> Result<()> {
        if self.t.places_by_word && may_fault(opcode) {
            self.b.loc = self.t.word_line(self.place);
        }
        if let Some(chain) = Chain::of(opcode) {
            return self.chain(chain, words);
        }
        match opcode {
            Opcode::Nop
            | Opcode::SelectionMerge
            | Opcode::LoopControlINTEL
            | Opcode::LifetimeStart
            | Opcode::LifetimeStop
            | Opcode::AssumeTrueKHR
            | Opcode::UntypedPrefetchKHR
            | Opcode::AliasDomainDeclINTEL
            | Opcode::AliasScopeDeclINTEL
            | Opcode::AliasScopeListDeclINTEL => Ok(()),
            Opcode::Undef | Opcode::PoisonKHR => self.undefined(words),
            Opcode::ExtInst | Opcode::ExtInstWithForwardRefsKHR => self.extended(words),
            Opcode::FunctionCall => self.call(words),
            Opcode::Variable | Opcode::UntypedVariableKHR => self.variable(opcode, words),
            Opcode::Load => self.load(words),
            Opcode::Store => self.store(words),
            Opcode::CopyMemory | Opcode::CopyMemorySized => self.copy(opcode, words),
            Opcode::PtrEqual | Opcode::PtrNotEqual | Opcode::PtrDiff => self.compare_pointers(opcode, words),
            Opcode::GenericPtrMemSemantics | Opcode::GenericCastToPtrExplicit => self.generic(opcode, words),
            Opcode::SizeOf => self.size_of(words),
            Opcode::Select => self.select(words),
            Opcode::CopyObject | Opcode::CopyLogical | Opcode::FreezeKHR | Opcode::ArithmeticFenceEXT => {
                self.copy_object(words, 3)
            }
            Opcode::ExpectKHR => self.copy_object(words, 3),
            Opcode::CompositeConstruct => self.construct(words),
            Opcode::CompositeExtract => self.extract(words),
            Opcode::CompositeInsert => self.insert(words),
            Opcode::VectorShuffle => self.shuffle(words),
            Opcode::VectorExtractDynamic => self.extract_dynamic(words),
            Opcode::VectorInsertDynamic => self.insert_dynamic(words),
            Opcode::IAddCarry | Opcode::ISubBorrow | Opcode::UMulExtended | Opcode::SMulExtended => {
                self.extended_arithmetic(opcode, words)
            }
            Opcode::SampledImage | Opcode::Image => self.sampled_image(opcode, words),
            _ if super::atomic::is_atomic(opcode) => self.atomic(opcode, words),
            Opcode::GroupAsyncCopy => self.async_copy(words),
            _ if is_of_device(opcode) => self.device(opcode, words),
            _ if is_of_image(opcode) => self.image(opcode, words),
            _ if self.is_request(opcode, words) => self.core_request(opcode, words),
            _ => self.arithmetic(opcode, words),
        }
    }

    fn undefined(&mut self, words: &[u32]) -> Result<()> {
        let ty = self.t.globals.type_at(words, 1)?;
        let value = self.zero(ty)?;
        self.define(Id(words[2]), ty, value);
        Ok(())
    }

    /// Returns the zero of a type.
    pub(super) fn zero(&mut self, ty: TypeId) -> Result<Translation> {
        if let Some(ir) = self.t.types().ir(ty) {
            return Ok(Translation::One(self.b.zero(ir)));
        }
        if !self.t.types().is_composite(ty) {
            return Err(Fault::at(1, format!("{} has no values", self.t.types().describe(ty))));
        }
        if let Some(leaves) = self.t.types().leaves(ty) {
            return Ok(Translation::Leaves(leaves.iter().map(|leaf| self.b.zero(leaf.ty.ir)).collect()));
        }
        let memory = self.temporary_of(ty);
        let row = self.t.types().get(ty);
        let (size, align) = (row.size, row.align);
        self.b.effect(Op::MemZero, &[memory], Attr::SizeAlign(size, align));
        Ok(Translation::Memory(memory))
    }

    fn copy_object(&mut self, words: &[u32], at: usize) -> Result<()> {
        let ty = self.t.globals.type_at(words, 1)?;
        let id = Id(words[at]);
        let (_, value) = self.translation(id)?;
        self.define(Id(words[2]), ty, value);
        Ok(())
    }

    /// Translates an instruction of numbers.
    fn arithmetic(&mut self, opcode: Opcode, words: &[u32]) -> Result<()> {
        let row = opcode.instruction();
        if !row.has_result || !row.has_type {
            return Err(Fault::new("the device does not support this instruction"));
        }
        let ty = self.t.globals.type_at(words, 1)?;
        let ty = self.t.types().value(ty);
        let ty = ty.ok_or_else(|| Fault::at(1, "the result is no number, vector or pointer"))?;
        let mut args = SmallVec::<[(ValueType, Value); 4]>::new();
        for at in 3..words.len() {
            let (of, value) = self.typed(words, at)?;
            args.push((self.t.types().value(of).expect("it is one value"), value));
        }
        let value = match (self.no_wrap(opcode, Id(words[2])), &args[..]) {
            // Whether the number itself wraps does not matter to the wider one.
            (Some((op, no_wrap)), &[(of_a, a), (of_b, b)]) if of_a == ty && of_b == ty && !ty.is_narrow() => {
                self.b.value(op, ty.ir, &[a, b], no_wrap.attr())
            }
            _ => narrow::op(&mut self.b, opcode, ty, &args)?,
        };
        self.note_contractible(opcode, Id(words[2]), value);
        self.result(words, value)
    }

    /// Returns the op of an instruction that is decorated as not wrapping, and the guarantee.
    fn no_wrap(&self, opcode: Opcode, id: Id) -> Option<(Op, NoWrap)> {
        let op = match opcode {
            Opcode::IAdd => Op::Iadd,
            Opcode::ISub => Op::Isub,
            Opcode::IMul => Op::Imul,
            Opcode::ShiftLeftLogical => Op::Shl,
            _ => return None,
        };
        // NoUnsignedWrap is not kept: it holds for work-items that reach the instruction. `63 - i` below `i < 64` wraps in
        // the first lane of a vector, from which strided values are computed, if that lane takes no part.
        let mut no_wrap = NoWrap::default();
        self.t.module.each_decoration(id, |found| {
            no_wrap.signed |= found.number == decoration::NoSignedWrap;
        });
        (no_wrap != NoWrap::default()).then_some((op, no_wrap))
    }

    fn terminator(&mut self, id: BlockId, opcode: Opcode, words: &[u32]) -> Result<()> {
        match opcode {
            Opcode::Branch => {
                self.leave(id)?;
                let target = self.target(words[1]);
                self.end(id, Op::Jump, &[], Attr::None, &[target]);
            }
            Opcode::BranchConditional => {
                let cond = self.value(words, 1)?;
                if self.b.func.ty(cond) != Type::I1 {
                    return Err(Fault::at(1, "the condition is no bool"));
                }
                self.leave(id)?;
                let targets = [self.target(words[2]), self.target(words[3])];
                self.end(id, Op::BrIf, &[cond], Attr::None, &targets);
            }
            Opcode::Switch => self.switch(id, words)?,
            Opcode::Return => {
                if !matches!(self.t.types().form(self.result), TypeForm::Void) {
                    return Err(Fault::new("the function has a result"));
                }
                self.b.ret(&[]);
            }
            Opcode::ReturnValue => self.return_value(words)?,
            _ => self.b.effect(Op::Unreachable, &[], Attr::None),
        }
        Ok(())
    }

    fn target(&self, label: u32) -> BlockId {
        self.flow.labels[&Id(label)]
    }

    fn switch(&mut self, id: BlockId, words: &[u32]) -> Result<()> {
        let (of, selector) = self.typed(words, 1)?;
        let &TypeForm::Int { bits } = self.t.types().form(of) else {
            return Err(Fault::at(1, "the selector is no integer"));
        };
        self.leave(id)?;
        let width = self.t.module.switch_literal_words(words);
        let mask = u64::MAX >> (64 - bits);
        let mut targets = vec![self.target(words[2])];
        let mut cases = Vec::new();
        for case in words[3..].chunks_exact(width + 1) {
            let high = if width == 2 { u64::from(case[1]) << 32 } else { 0 };
            cases.push((high | u64::from(case[0])) & mask);
            targets.push(self.target(case[width]));
        }
        let mut sorted = cases.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Fault::new(format!("the case {} is there twice", pair[0])));
        }
        self.end(id, Op::Switch, &[selector], Attr::Cases(cases.into()), &targets);
        Ok(())
    }

    fn return_value(&mut self, words: &[u32]) -> Result<()> {
        let (ty, value) = self.translation(Id(words[1]))?;
        if ty != self.result {
            return Err(Fault::at(1, "the value has another type than the function's result"));
        }
        match (self.result_slot, value) {
            (Some(slot), value) => {
                self.store_composite(ty, &value, slot, self.t.types().get(ty).align, false)?;
                self.b.ret(&[]);
            }
            (None, Translation::One(value)) => self.b.ret(&[value]),
            _ => return Err(Fault::at(1, "the value cannot be returned")),
        }
        Ok(())
    }

    /// Ends a block with a terminator whose block arguments follow later.
    fn end(&mut self, from: BlockId, op: Op, args: &[Value], attr: Attr, to: &[BlockId]) {
        let joined = self.joined_targets(to);
        let block =
            |to: &BlockId| self.blocks[to.index()].expect("targets of a reachable block are reachable");
        let target = |to: &BlockId| Target::new(joined.get(to).copied().unwrap_or_else(|| block(to)), &[]);
        let targets: Vec<Target> = to.iter().map(target).collect();
        let terminator = self.b.inst(op, Type::VOID, args, attr, targets);
        let direct = to.iter().enumerate().filter(|(_, to)| !joined.contains_key(to));
        self.edges.extend(direct.map(|(target, &to)| Edge { from, to, terminator, target }));
        for (to, joint) in joined {
            let target = Target::new(self.blocks[to.index()].expect("as above"), &[]);
            self.b.switch_to(joint);
            let terminator = self.b.inst(Op::Jump, Type::VOID, &[], Attr::None, vec![target]);
            self.edges.push(Edge { from, to, terminator, target: 0 });
        }
    }

    /// Makes a block in front of each target that is named very often and has φ: each edge has arguments of its own, so
    /// that many edges to a block of many φ would take space by the product of both.
    fn joined_targets(&mut self, to: &[BlockId]) -> BTreeMap<BlockId, Block> {
        let mut counts: BTreeMap<BlockId, usize> = BTreeMap::new();
        if to.len() > MAX_EQUAL_TARGETS {
            to.iter().for_each(|&to| *counts.entry(to).or_default() += 1);
        }
        counts.retain(|&to, count| *count > MAX_EQUAL_TARGETS && self.flow.has_phis(to));
        counts.into_keys().map(|to| (to, self.b.func.add_block())).collect()
    }

    /// Emits what the φ of the following blocks take from this one and no instruction computes.
    fn leave(&mut self, from: BlockId) -> Result<()> {
        let module = self.t.module;
        let label = self.flow.blocks[from.index()].label;
        let flow = Rc::clone(&self.flow);
        let mut targets: Vec<BlockId> = flow.targets(module, from).collect();
        targets.sort_unstable();
        targets.dedup();
        for to in targets {
            for (place, words) in flow.phis(module, to) {
                let here = std::mem::replace(&mut self.place, place);
                let operand = self.operand_of(Id(words[2]), label)?;
                let phi = Id(words[2]);
                if let Some(&memory) = self.incoming.get(&phi) {
                    let (ty, value) = self.translation(operand)?;
                    self.store_composite(ty, &value, memory, self.t.types().get(ty).align, false)?;
                } else if !self.values.contains_key(&operand)
                    && (self.t.globals.constants.find(operand).is_some()
                        || self.t.globals.variables.contains_key(&operand))
                {
                    let (_, value) = self.translation(operand)?;
                    self.constant_arguments.insert((from, phi), value);
                }
                self.place = here;
            }
        }
        Ok(())
    }

    /// Returns the operand of a φ for a predecessor.
    fn operand_of(&self, phi: Id, label: Id) -> Result<Id> {
        let found = self.operands.get(&(phi, label)).copied();
        found.ok_or_else(|| Fault::new(format!("the phi has no operand for block {label}")))
    }

    /// Sets the arguments of all blocks.
    fn arguments(&mut self) -> Result<()> {
        let module = self.t.module;
        let flow = Rc::clone(&self.flow);
        for index in 0..self.edges.len() {
            let edge = self.edges[index];
            let label = flow.blocks[edge.from.index()].label;
            let mut args: SmallVec<[Value; 2]> = SmallVec::new();
            for (place, words) in flow.phis(module, edge.to) {
                if self.incoming.contains_key(&Id(words[2])) {
                    continue;
                }
                self.place = place;
                let ty = self.t.globals.type_at(words, 1)?;
                let operand = self.operand_of(Id(words[2]), label)?;
                let constant = self.constant_arguments.get(&(edge.from, Id(words[2]))).cloned();
                let value = match constant {
                    Some(value) => value,
                    None => match self.values.get(&operand) {
                        Some((of, value)) if *of == ty => value.clone(),
                        Some(_) => {
                            return Err(Fault::new(format!("{operand} has another type than the phi")));
                        }
                        None => return Err(Fault::new(format!("{operand} is no value of the function"))),
                    },
                };
                match value {
                    Translation::One(value) => args.push(value),
                    Translation::Leaves(values) => args.extend(values),
                    Translation::Memory(_) | Translation::BuiltIn { .. } => {
                        return Err(Fault::new(format!("{operand} cannot be the operand of a phi")));
                    }
                }
            }
            let inst = &mut self.b.func.insts[edge.terminator];
            inst.targets[edge.target].args = args;
        }
        Ok(())
    }
}

/// Maximum number of targets of a switch that name one block with φ, and are edges of their own.
// Arbitrary: more than most switches have.
const MAX_EQUAL_TARGETS: usize = 16;

/// Returns the unroll factor that the controls of a loop ask for: a mask, and the parameters of its bits.
fn unroll_factor(controls: &[u32]) -> Option<u32> {
    use loop_control::{
        DependencyLength, DontUnroll, IterationMultiple, MaxIterations, MinIterations, PartialCount,
        PeelCount, Unroll,
    };
    let mask = *controls.first()?;
    if mask & DontUnroll != 0 {
        return Some(1);
    }
    if mask & PartialCount != 0 {
        let before = DependencyLength | MinIterations | MaxIterations | IterationMultiple | PeelCount;
        return controls.get(1 + (mask & before).count_ones() as usize).copied();
    }
    (mask & Unroll != 0).then_some(0)
}

/// Checks whether an instruction accesses memory, so that reports of faults name it.
fn may_fault(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Load | Opcode::Store | Opcode::CopyMemory | Opcode::CopyMemorySized)
        || super::atomic::is_atomic(opcode)
}
