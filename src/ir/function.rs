//! Functions, blocks, instructions, values; and the builder.

use smallvec::SmallVec;

use super::interp;
use super::lines::{LineTable, Loc};
use super::op::{
    Arity, Effect, FloatCond, Helper, ImageField, IntCond, MemoryOrder, MemoryScope, Op, Query, Reduction,
    Rmw,
};
use super::types::{Kind, Type};
use crate::image::Format;
use crate::support::{IdMap, IdVec};

crate::define_id! {
    /// A basic block.
    Block, "b"
}
crate::define_id! {
    /// An SSA value: the result of an instruction or a block parameter.
    Value, "v"
}
crate::define_id! {
    /// An instruction.
    InstId, "i"
}
crate::define_id! {
    /// A function of a module.
    FuncId, "f"
}
crate::define_id! {
    /// A variable with static storage of a module.
    GlobalId, "g"
}

/// Functions and static variables that were linked together.
#[derive(Clone, Debug, Default)]
pub struct Module {
    pub funcs: IdVec<FuncId, Function>,
    pub globals: IdVec<GlobalId, Global>,
    /// Until they are defined; none in what runs.
    pub closure_switches: Vec<ClosureSwitch>,
    /// What the positions of instructions mean.
    pub lines: LineTable,
}

/// A function that calls one of several, by the block descriptor of a closure that it is given: a
/// pointer to a closure object whose first word is the address of a variable. It is declared by
/// whoever calls it or has a closure for it, and defined once all closures are known.
#[derive(Clone, Debug)]
pub struct ClosureSwitch {
    /// Without a body.
    pub func: FuncId,
    pub params: Vec<Type>,
    /// The parameter that is the closure.
    pub block: u8,
    /// Block descriptors, and the functions that take their place: same parameters, same result.
    pub blocks: Vec<(GlobalId, FuncId)>,
}

/// Where a static variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalSpace {
    /// One copy for each program and device; writable, persists between launches.
    Global,
    /// As above, read-only.
    Constant,
    /// One copy for each work-group, contents undefined at start.
    Local,
}

/// Whether other units of a program can mean a function or variable by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    External,
    Internal,
}

/// A static variable.
#[derive(Clone, Debug)]
pub struct Global {
    pub name: String,
    pub linkage: Linkage,
    /// Otherwise declared only: another unit has it.
    pub is_defined: bool,
    pub space: GlobalSpace,
    pub size: u64,
    pub align: u64,
    /// `size` bytes, or none for zero.
    pub init: Vec<u8>,
    /// 8-byte addresses inside `init`: offset, variable, addend.
    pub relocs: Vec<(u64, GlobalId, i64)>,
}

/// A function. The parameters are those of the entry block, `layout[0]`.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub linkage: Linkage,
    pub ret: Type,
    pub is_kernel: bool,
    /// Calls of it stay calls, unless it holds a barrier.
    pub no_inline: bool,
    /// Calls of it stay calls until the formats of images and the samplers are known: then most of it goes.
    pub is_deferred: bool,
    /// Hardly ever called.
    pub is_rare: bool,
    /// What is known of the parameters; of those at the end that are not here, nothing.
    pub param_facts: Vec<ParamFacts>,
    /// No blocks: declared, not defined.
    pub layout: Vec<Block>,
    pub blocks: IdVec<Block, BlockData>,
    pub insts: IdVec<InstId, Inst>,
    pub values: IdVec<Value, ValueData>,
}

/// What is known of a parameter: what the program says of a pointer, and of a body what its work-item is. Hints: no result
/// depends on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParamFacts {
    /// What it points at is reached through no other parameter (`restrict`, or as a launch says).
    pub is_restrict: bool,
    /// Points at what is declared `const`; a cast may have taken that away.
    pub is_const: bool,
    /// Alignment of what it points at in bytes; 0 if that is not known.
    pub align: u32,
    /// A number from 0 to this.
    pub max: Option<u32>,
    /// The number of an item in its row: of those side by side, that of the first is a multiple of how many there are.
    pub is_row_id: bool,
    /// By how much it is larger for each work-item than for the one before, 0 if it is the same for all.
    pub stride: Option<u32>,
}

impl ParamFacts {
    /// What 31 bits hold.
    pub const SMALL: u32 = i32::MAX as u32;

    /// A number from 0 to 2³¹ - 1.
    pub fn is_small(self) -> bool {
        self.max.is_some_and(|max| max <= ParamFacts::SMALL)
    }
}

/// A block: parameters, then instructions of which the last is a terminator.
#[derive(Clone, Debug, Default)]
pub struct BlockData {
    pub params: Vec<Value>,
    pub insts: Vec<InstId>,
    /// What the program says of unrolling the loop that begins here: how often, 0 for all of it, 1 for not.
    pub unroll: Option<u32>,
}

/// A value's type and origin.
#[derive(Clone, Copy, Debug)]
pub struct ValueData {
    pub ty: Type,
    pub def: Def,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Def {
    Inst(InstId),
    Param(Block, u32),
}

/// Operands.
pub type Args = SmallVec<[Value; 3]>;

/// A branch target and what it hands to the block's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub block: Block,
    pub args: SmallVec<[Value; 2]>,
}

impl Target {
    /// A target with arguments.
    pub fn new(block: Block, args: &[Value]) -> Target {
        Target { block, args: args.into() }
    }
}

/// How memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mem {
    /// In bytes, a power of two.
    pub align: u32,
    pub volatile: bool,
    /// A store of what is one of so many that caches do not keep it: rows of lanes may go past them. Until the work-group has
    /// ended nobody else may look at it.
    pub nontemporal: bool,
}

/// What an atomic operation orders, and for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consistency {
    pub order: MemoryOrder,
    pub scope: MemoryScope,
}

impl Consistency {
    /// What is right for whatever the program asks for.
    pub const STRONGEST: Consistency =
        Consistency { order: MemoryOrder::SeqCst, scope: MemoryScope::AllSvmDevices };

    /// Whether the processor must finish stores before later loads. Only the strongest order asks for it, and only of what
    /// other work-groups see: a group runs on one thread, where everything happens in the order of the code.
    pub fn holds_loads_back(self) -> bool {
        self.order == MemoryOrder::SeqCst && !self.is_of_group()
    }

    /// Whether nobody else than the work-group is meant.
    pub fn is_of_group(self) -> bool {
        matches!(self.scope, MemoryScope::WorkItem | MemoryScope::WorkGroup)
    }
}

impl Mem {
    /// An access that is aligned to the lanes of what it moves, and no more.
    pub fn natural(ty: Type) -> Mem {
        Mem::aligned(ty.kind.bytes())
    }

    /// An access of which nothing else is said.
    pub const fn aligned(align: u32) -> Mem {
        Mem { align, volatile: false, nontemporal: false }
    }
}

/// Static part of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Attr {
    None,
    Int(u64),
    /// The program lets no signed result wrap.
    NoSignedWrap,
    Mem(Mem),
    /// An access, and the bytes that an offset counts.
    ScaledMem(Mem, u32),
    /// Size and alignment in bytes.
    SizeAlign(u64, u32),
    IntCond(IntCond),
    FloatCond(FloatCond),
    Lanes(Box<[u16]>),
    Func(FuncId),
    Global(GlobalId),
    Rmw(Rmw, Consistency),
    Consistency(Consistency),
    Reduction(Reduction),
    Helper(Helper),
    Query(Query, u8),
    Cases(Box<[u64]>),
    Field(ImageField),
    Format(Option<Format>),
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Inst {
    pub op: Op,
    /// Type of the result; void when there is none.
    pub ty: Type,
    pub args: Args,
    pub attr: Attr,
    /// Successors; empty unless `op` is a terminator.
    pub targets: Vec<Target>,
    pub result: Option<Value>,
    pub loc: Loc,
}

impl Inst {
    /// Operands, and what is handed to the blocks that follow.
    pub fn uses(&self) -> impl Iterator<Item = Value> + '_ {
        self.args.iter().chain(self.targets.iter().flat_map(|target| &target.args)).copied()
    }
    /// The same, to be changed.
    pub fn uses_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.args.iter_mut().chain(self.targets.iter_mut().flat_map(|target| &mut target.args))
    }
    /// The operands that say what order and scope an atomic operation will have, as long as it has them.
    pub fn pending(&self) -> Option<[Value; 2]> {
        let Arity::Ordered(count) = self.op.arity() else { return None };
        self.args.get(usize::from(count)..)?.try_into().ok()
    }
    /// Whether the access must happen even if nobody needs its result.
    pub fn is_volatile(&self) -> bool {
        matches!(
            self.attr,
            Attr::Mem(Mem { volatile: true, .. }) | Attr::ScaledMem(Mem { volatile: true, .. }, _)
        )
    }
}

/// What the attribute of an instruction holds, for those who know its op. The verifier has compared attribute and op, so
/// that another attribute is a bug: it ends the build and names the op.
macro_rules! attributes {
    ($($(#[$doc:meta])* $name:ident: $pattern:pat => $value:expr, $ty:ty;)*) => {
        impl Inst {
            $(
                $(#[$doc])*
                pub fn $name(&self) -> $ty {
                    match &self.attr {
                        $pattern => $value,
                        other => unreachable!("{} carries {other:?}", self.op.name()),
                    }
                }
            )*
        }
    };
}

attributes! {
    /// Constant bits, a lane, a size, an offset.
    int: Attr::Int(n) => *n, u64;
    /// Alignment and volatility of an access.
    mem: Attr::Mem(mem) => *mem, Mem;
    /// The same where offsets are scaled, and what by.
    scaled_mem: Attr::ScaledMem(mem, scale) => (*mem, *scale), (Mem, u32);
    /// Bytes, and their alignment.
    size_align: Attr::SizeAlign(size, align) => (*size, *align), (u64, u32);
    /// An integer comparison.
    int_cond: Attr::IntCond(cond) => *cond, IntCond;
    /// A floating comparison.
    float_cond: Attr::FloatCond(cond) => *cond, FloatCond;
    /// Lanes that are picked.
    lanes: Attr::Lanes(lanes) => lanes, &[u16];
    /// The function that is called.
    callee: Attr::Func(func) => *func, FuncId;
    /// A variable.
    global: Attr::Global(global) => *global, GlobalId;
    /// What an atomic operation does.
    rmw: Attr::Rmw(rmw, _) => *rmw, Rmw;
    /// What it orders, and for whom.
    consistency: Attr::Rmw(_, consistency) | Attr::Consistency(consistency) => *consistency, Consistency;
    /// How a group operation combines values.
    reduction: Attr::Reduction(reduction) => *reduction, Reduction;
    /// A runtime function.
    helper: Attr::Helper(helper) => *helper, Helper;
    /// A work-item query and its dimension.
    query: Attr::Query(query, dim) => (*query, *dim), (Query, u8);
    /// Values of a switch.
    cases: Attr::Cases(cases) => cases, &[u64];
    /// A field of an image descriptor.
    field: Attr::Field(field) => *field, ImageField;
    /// The format of an image, where it is known.
    format: Attr::Format(format) => *format, Option<Format>;
}

impl Function {
    /// A function without blocks.
    pub fn new(name: impl Into<String>, ret: Type) -> Function {
        Function {
            name: name.into(),
            linkage: Linkage::External,
            ret,
            is_kernel: false,
            no_inline: false,
            is_deferred: false,
            is_rare: false,
            param_facts: Vec::new(),
            layout: Vec::new(),
            blocks: IdVec::new(),
            insts: IdVec::new(),
            values: IdVec::new(),
        }
    }
    /// Whether it has a body.
    pub fn is_defined(&self) -> bool {
        !self.layout.is_empty()
    }
    /// Leaves a declaration.
    pub fn remove_body(&mut self) {
        (self.layout, self.blocks) = (Vec::new(), IdVec::new());
        (self.insts, self.values) = (IdVec::new(), IdVec::new());
    }
    /// The entry block.
    pub fn entry(&self) -> Block {
        self.layout[0]
    }
    /// Parameters of the function.
    pub fn params(&self) -> &[Value] {
        if self.is_defined() { &self.blocks[self.entry()].params } else { &[] }
    }
    /// Type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }
    /// Whether nobody can come in between an atomic operation who is not in the work-group, which runs on one thread: it is on
    /// local memory, or meant for the group only.
    pub fn is_of_group(&self, inst: &Inst) -> bool {
        self.ty(inst.args[0]).kind == Kind::PtrLocal || inst.consistency().is_of_group()
    }
    /// A new block at the end of the layout.
    pub fn add_block(&mut self) -> Block {
        let block = self.blocks.push(BlockData::default());
        self.layout.push(block);
        block
    }
    /// A new block that is not in the layout yet.
    pub fn add_detached_block(&mut self) -> Block {
        self.blocks.push(BlockData::default())
    }
    /// A new parameter of `block`.
    pub fn add_param(&mut self, block: Block, ty: Type) -> Value {
        let index = self.blocks[block].params.len() as u32;
        let value = self.values.push(ValueData { ty, def: Def::Param(block, index) });
        self.blocks[block].params.push(value);
        value
    }
    /// A new instruction that is in no block yet, with its result.
    pub fn make_inst(
        &mut self,
        op: Op,
        ty: Type,
        args: Args,
        attr: Attr,
        targets: Vec<Target>,
        loc: Loc,
    ) -> InstId {
        let id = self.insts.next_id();
        let result = (ty != Type::VOID).then(|| self.values.push(ValueData { ty, def: Def::Inst(id) }));
        self.insts.push(Inst { op, ty, args, attr, targets, result, loc })
    }
    /// The terminator of a finished block.
    pub fn terminator(&self, block: Block) -> &Inst {
        let last = self.blocks[block].insts.last().expect("a finished block has a terminator");
        &self.insts[*last]
    }
    /// The terminator of a finished block, to be changed.
    pub fn terminator_mut(&mut self, block: Block) -> &mut Inst {
        let last = *self.blocks[block].insts.last().expect("a finished block has a terminator");
        &mut self.insts[last]
    }
    /// Successor blocks in order of the targets; one may occur twice.
    pub fn successors(&self, block: Block) -> impl Iterator<Item = Block> + '_ {
        self.terminator(block).targets.iter().map(|t| t.block)
    }
    /// The instruction that made a value.
    pub fn def_inst(&self, value: Value) -> Option<&Inst> {
        match self.values[value].def {
            Def::Inst(inst) => Some(&self.insts[inst]),
            Def::Param(..) => None,
        }
    }
    /// The bits of an integer constant.
    pub fn as_const(&self, value: Value) -> Option<u64> {
        let inst = self.def_inst(value)?;
        (inst.op == Op::Iconst).then(|| inst.int())
    }
    /// The parameter of the function that an address is computed from.
    pub fn root(&self, mut address: Value) -> Option<Value> {
        const MOST_TERMS: usize = 64;
        for _ in 0..MOST_TERMS {
            match self.values[address].def {
                Def::Param(block, _) => return (block == self.entry()).then_some(address),
                Def::Inst(id) => match self.insts[id].op {
                    Op::PtrAdd | Op::Bitcast => address = self.insts[id].args[0],
                    _ => return None,
                },
            }
        }
        None
    }
    /// The bits of an integer constant, or of that of which all lanes are.
    pub fn as_const_of_lanes(&self, value: Value) -> Option<u64> {
        match self.def_inst(value) {
            Some(inst) if inst.op == Op::Splat => self.as_const(inst.args[0]),
            _ => self.as_const(value),
        }
    }
    /// Whether every lane of a value is visibly made of zero bits.
    pub fn is_zero(&self, value: Value) -> bool {
        let splat = self.def_inst(value).filter(|def| def.op == Op::Splat);
        let scalar = self.def_inst(splat.map_or(value, |def| def.args[0]));
        scalar.is_some_and(|def| matches!(def.op, Op::Iconst | Op::Fconst) && def.int() == 0)
    }
    /// All instructions in layout order.
    pub fn instructions(&self) -> impl Iterator<Item = &Inst> {
        self.layout.iter().flat_map(|&b| &self.blocks[b].insts).map(|&i| &self.insts[i])
    }
    /// How often each value is used.
    pub fn use_counts(&self) -> IdMap<Value, u32> {
        let mut uses = IdMap::with_len(0, self.values.len());
        self.instructions().flat_map(Inst::uses).for_each(|value| uses[value] += 1);
        uses
    }
    /// Instructions in layout order, to judge size by.
    pub fn size(&self) -> usize {
        self.layout.iter().map(|b| self.blocks[*b].insts.len()).sum()
    }
}

/// Appends instructions to a block of a function.
pub struct Builder<'f> {
    pub func: &'f mut Function,
    pub block: Block,
    pub loc: Loc,
}

impl<'f> Builder<'f> {
    /// A builder at the end of `block`.
    pub fn new(func: &'f mut Function, block: Block) -> Builder<'f> {
        Builder { func, block, loc: 0 }
    }
    /// Goes on at the end of another block.
    pub fn switch_to(&mut self, block: Block) {
        self.block = block;
    }
    /// Whether the current block has its terminator.
    pub fn is_terminated(&self) -> bool {
        self.func.blocks[self.block]
            .insts
            .last()
            .is_some_and(|inst| self.func.insts[*inst].op.is_terminator())
    }
    /// Any instruction; returns its id.
    pub fn inst(&mut self, op: Op, ty: Type, args: &[Value], attr: Attr, targets: Vec<Target>) -> InstId {
        let id = self.func.make_inst(op, ty, args.into(), attr, targets, self.loc);
        self.func.blocks[self.block].insts.push(id);
        id
    }
    /// An instruction with a result; a constant where all operands are constant scalars.
    pub fn value(&mut self, op: Op, ty: Type, args: &[Value], attr: Attr) -> Value {
        let id = self.func.make_inst(op, ty, args.into(), attr, Vec::new(), self.loc);
        if op.effect() == Effect::Pure
            && let Some(bits) = interp::fold(self.func, id)
        {
            let inst = &mut self.func.insts[id];
            inst.op = if ty.kind.is_float() { Op::Fconst } else { Op::Iconst };
            inst.attr = Attr::Int(bits);
            inst.args.clear();
        }
        self.func.blocks[self.block].insts.push(id);
        self.func.insts[id].result.expect("the type is not void")
    }
    /// An instruction without a result or attribute.
    pub fn effect(&mut self, op: Op, args: &[Value], attr: Attr) {
        self.inst(op, Type::VOID, args, attr, Vec::new());
    }
    /// An integer or pointer constant; a vector type is filled with it.
    pub fn iconst(&mut self, ty: Type, bits: u64) -> Value {
        let mask = if ty.kind.bits() == 64 { u64::MAX } else { (1 << ty.kind.bits()) - 1 };
        let scalar = self.value(Op::Iconst, ty.lane(), &[], Attr::Int(bits & mask));
        self.splat(ty, scalar)
    }
    /// A floating constant from its bits; a vector type is filled with it.
    pub fn fconst_bits(&mut self, ty: Type, bits: u64) -> Value {
        let scalar = self.value(Op::Fconst, ty.lane(), &[], Attr::Int(bits));
        self.splat(ty, scalar)
    }
    /// Zero of any type.
    pub fn zero(&mut self, ty: Type) -> Value {
        self.constant(ty, 0)
    }
    /// A constant of any number type from its bits; a vector type is filled with it.
    pub fn constant(&mut self, ty: Type, bits: u64) -> Value {
        if ty.kind.is_float() { self.fconst_bits(ty, bits) } else { self.iconst(ty, bits) }
    }
    /// `scalar` in all lanes of `ty`.
    pub fn splat(&mut self, ty: Type, scalar: Value) -> Value {
        if ty.is_vector() { self.value(Op::Splat, ty, &[scalar], Attr::None) } else { scalar }
    }
    /// Addition, subtraction or multiplication of signed numbers, whose results the program lets not wrap.
    pub fn signed(&mut self, op: Op, args: &[Value]) -> Value {
        let ty = self.func.ty(args[0]);
        self.value(op, ty, args, Attr::NoSignedWrap)
    }
    /// An op whose operands and result share the type of the first operand.
    pub fn same(&mut self, op: Op, args: &[Value]) -> Value {
        let ty = self.func.ty(args[0]);
        self.value(op, ty, args, Attr::None)
    }
    /// A shift by a known count; nothing by 0.
    pub fn shift(&mut self, op: Op, value: Value, count: u32) -> Value {
        if count == 0 {
            return value;
        }
        let ty = self.func.ty(value);
        let count = self.iconst(ty, count.into());
        self.same(op, &[value, count])
    }
    /// Conversion to `ty`; nothing when the type is that already.
    pub fn convert(&mut self, op: Op, ty: Type, arg: Value) -> Value {
        if self.func.ty(arg) == ty { arg } else { self.value(op, ty, &[arg], Attr::None) }
    }
    /// Integer comparison.
    pub fn icmp(&mut self, cond: IntCond, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a).compared();
        self.value(Op::Icmp, ty, &[a, b], Attr::IntCond(cond))
    }
    /// Floating comparison.
    pub fn fcmp(&mut self, cond: FloatCond, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a).compared();
        self.value(Op::Fcmp, ty, &[a, b], Attr::FloatCond(cond))
    }
    /// Where a lane of an integer vector has its top bit set.
    pub fn sign_mask(&mut self, value: Value) -> Value {
        let ty = self.func.ty(value);
        let zero = self.zero(ty);
        self.icmp(IntCond::Slt, value, zero)
    }
    /// `cond ? a : b` on an `i1`, or lane by lane on a mask.
    pub fn select(&mut self, cond: Value, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a);
        self.value(Op::Select, ty, &[cond, a, b], Attr::None)
    }
    /// Lane `lane` of a vector.
    pub fn extract(&mut self, vector: Value, lane: u16) -> Value {
        let ty = self.func.ty(vector).lane();
        self.value(Op::Extract, ty, &[vector], Attr::Int(u64::from(lane)))
    }
    /// Lanes picked from `a` (first) and `b`.
    pub fn shuffle(&mut self, a: Value, b: Value, lanes: &[u16]) -> Value {
        let ty = Type::vector(self.func.ty(a).kind, lanes.len() as u16);
        self.value(Op::Shuffle, ty, &[a, b], Attr::Lanes(lanes.into()))
    }
    /// Two values combined as a group does, lane by lane.
    pub fn combine(&mut self, how: Reduction, a: Value, x: Value) -> Value {
        match how.by() {
            Ok(op) => self.same(op, &[a, x]),
            Err(cond) => {
                let better = self.fcmp(cond, x, a);
                self.select(better, x, a)
            }
        }
    }
    /// Combines the lanes of a vector: those of the first half with the second's, until one is left.
    pub fn halve(&mut self, vector: Value, mut combine: impl FnMut(&mut Self, [Value; 2]) -> Value) -> Value {
        let mut rest = vector;
        let mut lanes = self.func.ty(vector).lanes;
        while lanes > 1 {
            lanes /= 2;
            let halves = [0, lanes].map(|from| {
                let picks: Vec<u16> = (from..from + lanes).collect();
                if lanes == 1 { self.extract(rest, from) } else { self.shuffle(rest, rest, &picks) }
            });
            rest = combine(self, halves);
        }
        rest
    }
    /// Private memory that lives as long as the call.
    pub fn alloca(&mut self, size: u64, align: u32) -> Value {
        self.value(Op::Alloca, Type::PRIVATE, &[], Attr::SizeAlign(size, align))
    }
    /// Pointer plus bytes.
    pub fn ptr_add(&mut self, ptr: Value, bytes: Value) -> Value {
        self.same(Op::PtrAdd, &[ptr, bytes])
    }
    /// Pointer plus a constant number of bytes.
    pub fn ptr_offset(&mut self, ptr: Value, bytes: u64) -> Value {
        if bytes == 0 {
            return ptr;
        }
        let bytes = self.iconst(Type::I64, bytes);
        self.ptr_add(ptr, bytes)
    }
    /// A load.
    pub fn load(&mut self, ty: Type, ptr: Value, mem: Mem) -> Value {
        self.value(Op::Load, ty, &[ptr], Attr::Mem(mem))
    }
    /// A store.
    pub fn store(&mut self, value: Value, ptr: Value, mem: Mem) {
        self.effect(Op::Store, &[ptr, value], Attr::Mem(mem));
    }
    /// Work-item query.
    pub fn query(&mut self, query: Query, dim: u8) -> Value {
        let ty = if query == Query::WorkDim { Type::I32 } else { Type::I64 };
        self.value(Op::WorkItem, ty, &[], Attr::Query(query, dim))
    }
    /// Call of a runtime function.
    pub fn helper(&mut self, helper: Helper, ty: Type, args: &[Value]) -> Option<Value> {
        let id = self.inst(Op::CallHelper, ty, args, Attr::Helper(helper), Vec::new());
        self.func.insts[id].result
    }
    /// Jump.
    pub fn jump(&mut self, block: Block, args: &[Value]) {
        self.inst(Op::Jump, Type::VOID, &[], Attr::None, vec![Target::new(block, args)]);
    }
    /// Two-way branch without arguments.
    pub fn br_if(&mut self, cond: Value, then: Block, otherwise: Block) {
        self.br_to(cond, Target::new(then, &[]), Target::new(otherwise, &[]));
    }
    /// Two-way branch.
    pub fn br_to(&mut self, cond: Value, then: Target, otherwise: Target) {
        self.inst(Op::BrIf, Type::VOID, &[cond], Attr::None, vec![then, otherwise]);
    }
    /// Return.
    pub fn ret(&mut self, args: &[Value]) {
        self.inst(Op::Ret, Type::VOID, args, Attr::None, Vec::new());
    }
}

/// The natural alignment of a type's lane, in bytes.
pub fn lane_align(ty: Type) -> u32 {
    if ty.kind == Kind::Void { 1 } else { ty.kind.bytes() }
}
