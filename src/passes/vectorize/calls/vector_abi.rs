//! Calling convention of vectorized functions.
//!
//! ```text
//! scalar      (work-item record, arguments...) -> result
//! vectorized  (work-item record, frame)
//! ```
//!
//! The frame is private memory of the caller. It holds the arguments, the mask of active lanes, and the
//! results: a scalar for uniform and affine arguments, else an array with one element for each lane. So no
//! vector crosses a call, for which not every backend has a convention, and the number of arguments is not
//! limited. The cost is small compared to a function that is too large to be inlined.
//!
//! First the scalar function is rewritten so that its arguments are parameters and its results are stored to
//! addresses that are affine in the lane. That function is widened like a body. Then loads from the frame
//! replace its parameters.

use super::super::divergence::VectorShape;
use super::super::stride::{MAX_I32, Stride};
use super::vectorized_functions::VersionKey;
use crate::work_items::{self, Extent, Record};
use grus_ir::abi::item;
use grus_ir::{
    Attr, Block, Builder, Def, Function, Inst, InstId, IntCond, Kind, Mem, Op, ParamFacts, Target, Type,
    Value, ValueData,
};
use grus_support::FastMap;

/// Vector shape of an argument, as in a Vector Function ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::vectorize) enum ParamShape {
    /// `step` more in each lane than in the one before, 0 if uniform; `is_small` is true for integers from 0 to
    /// 2³¹ - 1.
    Affine { step: u32, is_small: bool },
    /// Any values.
    Varying,
}

impl ParamShape {
    /// Returns the shape of a parameter for an argument of this type and shape.
    pub(in crate::vectorize) fn of(shape: VectorShape, ty: Type) -> ParamShape {
        let is_index = matches!(ty.kind, Kind::I32 | Kind::I64);
        match shape {
            VectorShape::Affine(Stride { step, max, .. }) if step == 0 || is_index || ty.kind.is_ptr() => {
                let is_small = is_index && max.is_some_and(|max| max <= MAX_I32);
                u32::try_from(step).map_or(ParamShape::Varying, |step| ParamShape::Affine { step, is_small })
            }
            _ => ParamShape::Varying,
        }
    }

    /// Shape of a uniform argument.
    pub(in crate::vectorize) const UNIFORM: ParamShape = ParamShape::Affine { step: 0, is_small: false };
    const UNIFORM_SMALL: ParamShape = ParamShape::Affine { step: 0, is_small: true };
    const ITEM_NUMBER: ParamShape = ParamShape::Affine { step: 1, is_small: true };

    fn facts(self) -> ParamFacts {
        match self {
            ParamShape::Affine { step, is_small } => {
                let max = is_small.then_some(ParamFacts::SMALL);
                ParamFacts { stride: Some(step), max, ..ParamFacts::default() }
            }
            ParamShape::Varying => ParamFacts::default(),
        }
    }
}

/// A slot of the frame.
#[derive(Clone, Copy, Debug)]
pub(in crate::vectorize) struct ArgSlot {
    /// Type of the element of one lane in memory: booleans are bytes.
    pub ty: Type,
    pub shape: ParamShape,
    /// Offset in bytes from the start of the frame.
    pub at: u64,
}

/// Layout of the frame of a function.
#[derive(Clone, Debug, Default)]
pub(in crate::vectorize) struct ArgFrame {
    /// Slots of the number of the work-item, of the size of the work-group if local ids are linearized, and of
    /// the arguments, component by component.
    pub params: Vec<ArgSlot>,
    /// Slots of the components of the result.
    pub results: Vec<ArgSlot>,
    /// Slot of the mask of active lanes; none if all are active.
    pub mask: Option<ArgSlot>,
    /// Size in bytes.
    pub size: u64,
}

/// Alignment of vector slots: the width of an SSE register and the alignment of a stack slot.
pub(in crate::vectorize) const VECTOR_ALIGN: u32 = 16;

impl ArgFrame {
    /// Computes the layout for calls of a function.
    pub(in crate::vectorize) fn of(callee: &Function, key: &VersionKey) -> ArgFrame {
        let (lanes, returned) = (key.lanes, callee.ret);
        let mut frame = ArgFrame::default();
        let mut slots = vec![frame.add(Type::I64, ParamShape::ITEM_NUMBER, lanes)];
        if key.has_linear_ids {
            slots.extend([0; 3].map(|_| frame.add(Type::I64, ParamShape::UNIFORM_SMALL, lanes)));
        }
        let params = callee.params()[1..].iter().map(|&param| callee.ty(param));
        let components = params.flat_map(|ty| std::iter::repeat_n(ty.lane(), ty.lanes.into()));
        slots.extend(components.zip(&key.params).map(|(ty, &shape)| frame.add(in_memory(ty), shape, lanes)));
        frame.params = slots;
        let count = if returned == Type::VOID { 0 } else { returned.lanes };
        frame.results =
            (0..count).map(|_| frame.add(in_memory(returned.lane()), ParamShape::Varying, lanes)).collect();
        frame.mask = key.is_masked.then(|| frame.add(Type::I8, ParamShape::Varying, lanes));
        frame
    }

    fn add(&mut self, ty: Type, shape: ParamShape, lanes: u16) -> ArgSlot {
        let (lanes, align) = match shape {
            ParamShape::Varying => (u64::from(lanes), u64::from(VECTOR_ALIGN)),
            ParamShape::Affine { .. } => (1, 8),
        };
        let at = self.size.next_multiple_of(align);
        self.size = at + lanes * u64::from(ty.bytes());
        ArgSlot { ty, shape, at }
    }
}

/// A scalar function in the form that is widened.
pub(in crate::vectorize) struct VectorForm {
    pub func: Function,
    pub record: Record,
    pub frame: ArgFrame,
}

/// Returns the type in memory of a type.
fn in_memory(ty: Type) -> Type {
    if ty.kind == Kind::I1 { ty.with_kind(Kind::I8) } else { ty }
}

/// Converts a value to its type in memory.
pub(in crate::vectorize) fn to_memory(b: &mut Builder<'_>, value: Value) -> Value {
    let ty = b.func.ty(value);
    if ty.kind == Kind::I1 { b.convert(Op::Zext, in_memory(ty), value) } else { value }
}

/// Converts a loaded value to its type in registers.
pub(in crate::vectorize) fn from_memory(b: &mut Builder<'_>, value: Value, ty: Type) -> Value {
    if ty.kind != Kind::I1 {
        return value;
    }
    let zero = b.zero(b.func.ty(value));
    b.icmp(IntCond::Ne, value, zero)
}

/// Returns the function that is to be widened for a key; none if it uses the work-item record for more than
/// loading from it and passing it on.
pub(in crate::vectorize) fn vector_form(source: &Function, key: &VersionKey) -> Option<VectorForm> {
    let mut func = source.clone();
    func.ret = Type::VOID;
    let frame = ArgFrame::of(source, key);
    let mut writer = FrameWriter { func: &mut func, frame: &frame, next: 0, facts: Vec::new() };
    let record = writer.rewrite(source.ret, key.has_linear_ids)?;
    func.param_facts = writer.facts;
    Some(VectorForm { func, record, frame })
}

struct FrameWriter<'f> {
    func: &'f mut Function,
    frame: &'f ArgFrame,
    /// Number of frame slots that have a parameter already.
    next: usize,
    facts: Vec<ParamFacts>,
}

impl FrameWriter<'_> {
    fn rewrite(&mut self, returned: Type, has_linear_ids: bool) -> Option<Record> {
        let entry = self.func.entry();
        let mut old_params = std::mem::take(&mut self.func.blocks[entry].params);
        let record = old_params.remove(0);
        self.func.blocks[entry].params.push(record);
        self.facts.push(ParamShape::UNIFORM.facts());
        let body = std::mem::take(&mut self.func.blocks[entry].insts);
        let item_number = self.next_param();
        self.facts.last_mut().expect("of the number").is_aligned_to_lanes = true;
        let size = has_linear_ids.then(|| [0; 3].map(|_| self.next_param()));
        self.arguments(old_params);
        let out = self.results();
        let is_active = self.frame.mask.map(|slot| {
            let byte = self.param(slot.ty, slot.shape);
            from_memory(&mut self.at_entry(), byte, Type::I1)
        });
        let ids = match size {
            None => [Some(item_number), None, None],
            Some(size) => {
                work_items::delinearize(&mut Builder::new(self.func, entry), item_number, size).map(Some)
            }
        };
        // Private memory and constants stay in the entry block.
        let is_hoistable = |inst: &Inst| matches!(inst.op, Op::Alloca | Op::Iconst | Op::Fconst);
        let (first, remaining_insts): (Vec<InstId>, _) =
            body.into_iter().partition(|&id| is_hoistable(&self.func.insts[id]));
        self.func.blocks[entry].insts.extend(first);
        let start = self.func.add_block();
        self.func.blocks[start].insts = remaining_insts;
        let end = self.end(returned, &out);
        self.end_entry(entry, start, end, is_active, returned);
        replace_id_loads(self.func, record, ids)?;
        Some(Record { at: record, first: item_number, extents: size.map(|size| size.map(Extent::Param)) })
    }

    fn param(&mut self, ty: Type, shape: ParamShape) -> Value {
        let entry = self.func.entry();
        self.facts.push(shape.facts());
        self.func.add_param(entry, ty)
    }

    /// Appends the parameter of the next slot of the frame.
    fn next_param(&mut self) -> Value {
        let slot = self.frame.params[self.next];
        self.next += 1;
        self.param(slot.ty, slot.shape)
    }

    /// Appends parameters for the components of the arguments, whose values are kept.
    fn arguments(&mut self, old_params: Vec<Value>) {
        for value in old_params {
            let ty = self.func.ty(value);
            if ty.is_vector() {
                let components: Vec<Value> = (0..ty.lanes)
                    .map(|_| {
                        let component = self.next_param();
                        from_memory(&mut self.at_entry(), component, ty.lane())
                    })
                    .collect();
                self.define(value, Op::BuildVector, &components, Attr::None);
            } else if ty.kind == Kind::I1 {
                let byte = self.next_param();
                let zero = self.at_entry().zero(Type::I8);
                self.define(value, Op::Icmp, &[byte, zero], Attr::IntCond(IntCond::Ne));
            } else {
                let param = self.next_param();
                let entry = self.func.entry();
                *self.func.blocks[entry].params.last_mut().expect("it was added") = value;
                self.func.values[value].def = self.func.values[param].def;
            }
        }
    }

    fn at_entry(&mut self) -> Builder<'_> {
        let entry = self.func.entry();
        Builder::new(self.func, entry)
    }

    /// Defines a value that was a parameter by an instruction.
    fn define(&mut self, value: Value, op: Op, args: &[Value], attr: Attr) {
        let ValueData { ty, .. } = self.func.values[value];
        let inst = Inst { op, ty, args: args.into(), attr, targets: Vec::new(), result: Some(value), loc: 0 };
        let id = self.func.insts.push(inst);
        self.func.values[value].def = Def::Inst(id);
        let entry = self.func.entry();
        self.func.blocks[entry].insts.push(id);
    }

    /// Appends parameters for the addresses of the components of the result.
    fn results(&mut self) -> Vec<Value> {
        let steps: Vec<u32> = self.frame.results.iter().map(|slot| slot.ty.bytes()).collect();
        let shape = steps.into_iter().map(|step| ParamShape::Affine { step, is_small: false });
        shape.map(|shape| self.param(Type::PRIVATE, shape)).collect()
    }

    /// Creates the only block that returns. All lanes reach it, including inactive ones, so that stores of
    /// results need no mask.
    fn end(&mut self, returned: Type, out: &[Value]) -> Block {
        let end = self.func.add_block();
        let result = (returned != Type::VOID).then(|| self.func.add_param(end, returned));
        let returns: Vec<InstId> = self
            .func
            .layout
            .iter()
            .filter_map(|&block| self.func.blocks[block].insts.last().copied())
            .collect();
        for id in returns {
            let last = &mut self.func.insts[id];
            if last.op == Op::Ret {
                let args = std::mem::take(&mut last.args);
                (last.op, last.targets) = (Op::Jump, vec![Target::new(end, &args)]);
            }
        }
        let b = &mut Builder::new(self.func, end);
        for (lane, &out) in out.iter().enumerate() {
            let mut component = result.expect("there are components");
            if returned.is_vector() {
                component = b.extract(component, lane as u16);
            }
            component = to_memory(b, component);
            b.store(component, out, Mem::natural(b.func.ty(component)));
        }
        b.ret(&[]);
        end
    }

    fn end_entry(
        &mut self,
        entry: Block,
        start: Block,
        end: Block,
        is_active: Option<Value>,
        returned: Type,
    ) {
        let mut b = Builder::new(self.func, entry);
        let Some(is_active) = is_active else { return b.jump(start, &[]) };
        let zeros: Vec<Value> = (returned != Type::VOID).then(|| b.zero(returned)).into_iter().collect();
        b.br_to(is_active, Target::new(start, &[]), Target::new(end, &zeros));
    }
}

/// Replaces loads of the work-item's local ids by values. Loads of what all lanes share stay loads from the
/// record. Returns none if the record is used for more than loads, and for arguments of calls.
fn replace_id_loads(func: &mut Function, record: Value, ids: [Option<Value>; 3]) -> Option<()> {
    let mut offsets: FastMap<Value, u64> = FastMap::default();
    offsets.insert(record, 0);
    for inst in func.instructions().filter(|inst| inst.op == Op::PtrAdd && inst.args[0] == record) {
        offsets.insert(inst.result?, func.as_const(inst.args[1])?);
    }
    let mut found: Vec<(InstId, Value)> = Vec::new();
    for &id in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
        let inst = &func.insts[id];
        if inst.targets.iter().flat_map(|target| &target.args).any(|arg| offsets.contains_key(arg)) {
            return None;
        }
        for (at, arg) in inst.args.iter().enumerate() {
            let Some(&offset) = offsets.get(arg) else { continue };
            match inst.op {
                Op::Load if !inst.is_volatile() => {
                    let word = offset.checked_sub(item::LOCAL_ID).map(|offset| offset / 8);
                    let id_of = word.and_then(|dim| ids.get(dim as usize)).copied().flatten();
                    if id_of.is_some() && (inst.ty != Type::I64 || offset % 8 != 0) {
                        return None;
                    }
                    found.extend(id_of.map(|value| (id, value)));
                }
                Op::PtrAdd if *arg == record && at == 0 => {}
                Op::Call if *arg == record && at == 0 => {}
                _ => return None,
            }
        }
    }
    for (id, value) in found {
        // A copy.
        let inst = &mut func.insts[id];
        (inst.op, inst.attr) = (Op::Bitcast, Attr::None);
        inst.args = smallvec::smallvec![value];
    }
    Some(())
}

/// Replaces the parameters of a widened function by the record and the frame, from which the former parameters
/// are loaded.
pub(in crate::vectorize) fn load_params(func: &mut Function, frame: &ArgFrame) {
    let entry = func.entry();
    let old_params = std::mem::take(&mut func.blocks[entry].params);
    let body = std::mem::take(&mut func.blocks[entry].insts);
    func.blocks[entry].params.push(old_params[0]);
    let base = func.add_param(entry, Type::PRIVATE);
    func.param_facts.clear();
    let slots = frame.params.iter().chain(&frame.results).chain(&frame.mask);
    let is_result = |at: usize| (frame.params.len()..frame.params.len() + frame.results.len()).contains(&at);
    for (at, (slot, &value)) in slots.zip(&old_params[1..]).enumerate() {
        let address = Builder::new(func, entry).ptr_offset(base, slot.at);
        let ty = func.ty(value);
        let (op, args, attr): (Op, [Value; 1], Attr) = if is_result(at) {
            (Op::Bitcast, [address], Attr::None)
        } else {
            (Op::Load, [address], Attr::Mem(Mem::natural(slot.ty)))
        };
        let args = args.as_slice().into();
        let id =
            func.insts.push(Inst { op, ty, args, attr, targets: Vec::new(), result: Some(value), loc: 0 });
        func.values[value].def = Def::Inst(id);
        func.blocks[entry].insts.push(id);
    }
    func.blocks[entry].insts.extend(body);
}
