//! Functions, blocks, instructions and values, and the builder that appends them.

use smallvec::SmallVec;

use super::interp;
use super::lines::{LineTable, Loc};
use super::op::{
    Arity, Effect, FloatCond, Helper, ImageField, IntCond, MemoryOrder, MemoryScope, Op, Query, Reduction,
    Rmw,
};
use super::types::{Kind, Type};
use crate::image::Format;
use grus_support::{IdMap, IdVec};

grus_support::define_id! {
    /// A basic block.
    Block, "b"
}
grus_support::define_id! {
    /// An SSA value: the result of an instruction or a parameter of a block.
    Value, "v"
}
grus_support::define_id! {
    /// An instruction.
    InstId, "i"
}
grus_support::define_id! {
    /// A function of a module.
    FuncId, "f"
}
grus_support::define_id! {
    /// A variable of a module with static storage.
    GlobalId, "g"
}

/// Functions and static variables that were linked together.
#[derive(Clone, Debug, Default)]
pub struct Module {
    pub funcs: IdVec<FuncId, Function>,
    pub globals: IdVec<GlobalId, Global>,
    /// Closure switches that have no definition yet; empty in modules that run.
    pub closure_switches: Vec<ClosureSwitch>,
    /// Source lines that the positions of instructions refer to.
    pub lines: LineTable,
}

/// A function that calls one of several functions, selected by the block descriptor of the closure it gets.
/// The closure object begins with the address of its descriptor, a static variable. A unit that calls a
/// closure or has a function for one declares the switch; it is defined once all closures of the program are
/// known.
#[derive(Clone, Debug)]
pub struct ClosureSwitch {
    /// The function to be defined; it has no body yet.
    pub func: FuncId,
    pub params: Vec<Type>,
    /// Index of the parameter that is the closure.
    pub block: u8,
    /// Block descriptors and the functions they select, whose parameters and result are those of `func`.
    pub blocks: Vec<(GlobalId, FuncId)>,
}

/// Address space of a static variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalSpace {
    /// One copy for each program and device; writable, persists between launches.
    Global,
    /// One read-only copy for each program and device.
    Constant,
    /// One copy for each work-group; its contents are undefined at the start.
    Local,
}

/// Visibility of a function's or variable's name in other units of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// Other units can refer to the name. By the one-definition rule (`is_odr`), several units may define it if
    /// all definitions are equivalent; the linker takes one of them (LLVM's `weak_odr`).
    External {
        is_odr: bool,
    },
    Internal,
}

impl Linkage {
    /// Linkage of a name that one unit defines and others can refer to.
    pub const EXTERNAL: Linkage = Linkage::External { is_odr: false };

    /// Checks whether several units may define the name.
    pub fn is_odr(self) -> bool {
        self == Linkage::External { is_odr: true }
    }
}

/// A static variable.
#[derive(Clone, Debug)]
pub struct Global {
    pub name: String,
    pub linkage: Linkage,
    /// False if the variable is only declared and another unit defines it.
    pub is_defined: bool,
    pub space: GlobalSpace,
    pub size: u64,
    pub align: u64,
    /// Initial contents, `size` bytes; empty if they are zero.
    pub init: Vec<u8>,
    /// Addresses of 8 bytes to be stored in `init`: offset, variable, addend.
    pub relocs: Vec<(u64, GlobalId, i64)>,
}

/// A function. Its parameters are those of the entry block, `layout[0]`.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub linkage: Linkage,
    pub ret: Type,
    pub is_kernel: bool,
    /// True if calls of it are not inlined unless it contains a barrier.
    pub no_inline: bool,
    /// True if calls of it are not inlined before the image formats and samplers are known, because most of
    /// its body is removed then.
    pub is_deferred: bool,
    /// True if it is rarely called, so that calls of it need not be fast.
    pub is_rare: bool,
    /// True if floating-point sums and products may be computed in another order: `-cl-unsafe-math-optimizations`.
    pub may_reassociate: bool,
    /// Facts about the parameters by position; nothing is known of parameters past the end of the list.
    pub param_facts: Vec<ParamFacts>,
    /// Blocks in order of the code, the entry first; empty if the function is only declared.
    pub layout: Vec<Block>,
    pub blocks: IdVec<Block, BlockData>,
    pub insts: IdVec<InstId, Inst>,
    pub values: IdVec<Value, ValueData>,
}

/// Facts about a parameter: the program's declarations for a pointer, and the relation to the work-item for a
/// parameter of a body. They are hints for optimization that no result depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParamFacts {
    /// True if the memory it points at is accessed through no other parameter, because of `restrict` or of
    /// the arguments of the launch.
    pub is_restrict: bool,
    /// True if it points at a `const` type. A cast may have removed the qualifier, so the memory may be
    /// written all the same.
    pub is_const: bool,
    /// Alignment in bytes of the memory it points at; 0 if unknown.
    pub align: u32,
    /// Maximum of the value, an unsigned number.
    pub max: Option<u32>,
    /// True if it is the position of a work-item in its row. In a vector of n work-items the first lane's
    /// position is a multiple of n.
    pub is_aligned_to_lanes: bool,
    /// Difference between the values of consecutive work-items; 0 if it is uniform, none if it is unknown.
    pub stride: Option<u32>,
}

impl ParamFacts {
    /// Maximum of a number of 31 bits.
    pub const SMALL: u32 = i32::MAX as u32;

    /// Maximum of a number of 26 bits.
    pub const SHORT: u32 = (1 << 26) - 1;

    /// Checks whether the value is known to be from 0 to 2³¹ - 1.
    pub fn is_small(self) -> bool {
        self.max.is_some_and(|max| max <= ParamFacts::SMALL)
    }
}

/// A basic block: parameters, then instructions, the last of which is a terminator.
#[derive(Clone, Debug, Default)]
pub struct BlockData {
    pub params: Vec<Value>,
    pub insts: Vec<InstId>,
    /// Unroll factor that the program requests for the loop whose header this is: 0 for full unrolling, 1 for
    /// none.
    pub unroll: Option<u32>,
}

/// Type and definition of a value.
#[derive(Clone, Copy, Debug)]
pub struct ValueData {
    pub ty: Type,
    pub def: Def,
}

/// Definition of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Def {
    Inst(InstId),
    Param(Block, u32),
}

/// Operands of an instruction.
pub type Args = SmallVec<[Value; 3]>;

/// A branch target with the arguments for the block's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub block: Block,
    pub args: SmallVec<[Value; 2]>,
}

impl Target {
    /// Returns a target with arguments.
    pub fn new(block: Block, args: &[Value]) -> Target {
        Target { block, args: args.into() }
    }
}

/// Maximum size in bytes of an object, a copy or a fill in [`Attr::SizeAlign`].
// Arbitrary: memory of one object that a machine of today may have. Sums of sizes below it cannot overflow.
pub const MAX_OBJECT_SIZE: u64 = 1 << 40;

/// Alignment and flags of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mem {
    /// Alignment in bytes, a power of two.
    pub align: u32,
    pub volatile: bool,
    /// True for a store that belongs to more writes than the caches hold, so that full-vector stores may
    /// bypass them. No other thread may read the memory before the work-group has ended.
    pub nontemporal: bool,
}

/// Memory order and scope of an atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consistency {
    pub order: MemoryOrder,
    pub scope: MemoryScope,
}

impl Consistency {
    /// Strongest order and scope, a correct replacement for every other one.
    pub const STRONGEST: Consistency =
        Consistency { order: MemoryOrder::SeqCst, scope: MemoryScope::AllSvmDevices };

    /// Checks whether the processor must complete stores before later loads. This is so only for sequential
    /// consistency that other work-groups can observe: a group runs on one thread, whose accesses keep their
    /// program order.
    pub fn needs_store_load_fence(self) -> bool {
        self.order == MemoryOrder::SeqCst && !self.is_of_group()
    }

    /// Checks whether the scope is no wider than the work-group.
    pub fn is_of_group(self) -> bool {
        matches!(self.scope, MemoryScope::WorkItem | MemoryScope::WorkGroup)
    }
}

impl Mem {
    /// Returns an access that is aligned to one lane of `ty`.
    pub fn natural(ty: Type) -> Mem {
        Mem::aligned(ty.kind.bytes())
    }

    /// Returns an access of this alignment without flags.
    pub const fn aligned(align: u32) -> Mem {
        Mem { align, volatile: false, nontemporal: false }
    }
}

/// Static operand of an instruction. [`AttrKind`](super::op::AttrKind) names the variant of each op.
#[derive(Clone, Debug, PartialEq)]
pub enum Attr {
    None,
    Int(u64),
    /// Guarantees of the program about the result; [`Attr::None`] stands for nothing.
    NoWrap(NoWrap),
    Mem(Mem),
    /// An access, and the factor in bytes that its offsets are multiplied by.
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

/// Guarantee of the program that the result of an instruction is that of exact arithmetic on its operands, taken
/// as signed numbers, as unsigned numbers, or as both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoWrap {
    pub signed: bool,
    pub unsigned: bool,
}

impl NoWrap {
    /// Guarantee for signed numbers.
    pub const SIGNED: NoWrap = NoWrap { signed: true, unsigned: false };
    /// Guarantee for unsigned numbers.
    pub const UNSIGNED: NoWrap = NoWrap { signed: false, unsigned: true };

    /// Returns the attribute of instructions with this guarantee.
    pub fn attr(self) -> Attr {
        if self == NoWrap::default() { Attr::None } else { Attr::NoWrap(self) }
    }
    /// Returns what both guarantee.
    pub fn intersection(self, other: NoWrap) -> NoWrap {
        NoWrap { signed: self.signed && other.signed, unsigned: self.unsigned && other.unsigned }
    }
    /// Checks whether the result, extended by `extension`, is that of the op on extended operands.
    pub fn allows(self, extension: Op) -> bool {
        match extension {
            Op::Sext => self.signed,
            Op::Zext => self.unsigned,
            _ => false,
        }
    }
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Inst {
    pub op: Op,
    /// Type of the result; void if there is none.
    pub ty: Type,
    pub args: Args,
    pub attr: Attr,
    /// Successors; empty unless `op` is a terminator.
    pub targets: Vec<Target>,
    pub result: Option<Value>,
    pub loc: Loc,
}

impl Inst {
    /// Returns the operands, then the arguments of the targets.
    pub fn uses(&self) -> impl Iterator<Item = Value> + '_ {
        self.args.iter().chain(self.targets.iter().flat_map(|target| &target.args)).copied()
    }
    /// Returns mutable references to the operands, then to the arguments of the targets.
    pub fn uses_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.args.iter_mut().chain(self.targets.iter_mut().flat_map(|target| &mut target.args))
    }
    /// Returns the operands that hold the order and scope of an atomic operation; none once they are in the
    /// attribute.
    pub fn pending(&self) -> Option<[Value; 2]> {
        let Arity::Ordered(count) = self.op.arity() else { return None };
        self.args.get(usize::from(count)..)?.try_into().ok()
    }
    /// Returns what the program guarantees about the wrapping of the result.
    pub fn no_wrap(&self) -> NoWrap {
        match self.attr {
            Attr::NoWrap(no_wrap) => no_wrap,
            _ => NoWrap::default(),
        }
    }
    /// Checks whether the access must happen even if its result is unused.
    pub fn is_volatile(&self) -> bool {
        matches!(
            self.attr,
            Attr::Mem(Mem { volatile: true, .. }) | Attr::ScaledMem(Mem { volatile: true, .. }, _)
        )
    }
}

/// Generates accessors of the attribute for code that knows the op. The verifier has checked that op and
/// attribute fit, so another attribute is a bug; the accessor panics and names the op.
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
    /// Returns the number: constant bits, a lane, a size or an offset.
    int: Attr::Int(n) => *n, u64;
    /// Returns the alignment and flags of an access.
    mem: Attr::Mem(mem) => *mem, Mem;
    /// Returns the alignment and flags of an access with scaled offsets, and the scale.
    scaled_mem: Attr::ScaledMem(mem, scale) => (*mem, *scale), (Mem, u32);
    /// Returns size and alignment in bytes.
    size_align: Attr::SizeAlign(size, align) => (*size, *align), (u64, u32);
    /// Returns the condition of an integer comparison.
    int_cond: Attr::IntCond(cond) => *cond, IntCond;
    /// Returns the condition of a floating-point comparison.
    float_cond: Attr::FloatCond(cond) => *cond, FloatCond;
    /// Returns the lanes that are selected.
    lanes: Attr::Lanes(lanes) => lanes, &[u16];
    /// Returns the function that is called.
    callee: Attr::Func(func) => *func, FuncId;
    /// Returns the variable.
    global: Attr::Global(global) => *global, GlobalId;
    /// Returns the operation of an atomic read-modify-write.
    rmw: Attr::Rmw(rmw, _) => *rmw, Rmw;
    /// Returns the memory order and scope of an atomic operation.
    consistency: Attr::Rmw(_, consistency) | Attr::Consistency(consistency) => *consistency, Consistency;
    /// Returns the operation that combines values.
    reduction: Attr::Reduction(reduction) => *reduction, Reduction;
    /// Returns the runtime function that is called.
    helper: Attr::Helper(helper) => *helper, Helper;
    /// Returns the work-item query and its dimension.
    query: Attr::Query(query, dim) => (*query, *dim), (Query, u8);
    /// Returns the case values of a switch.
    cases: Attr::Cases(cases) => cases, &[u64];
    /// Returns the field of an image descriptor.
    field: Attr::Field(field) => *field, ImageField;
    /// Returns the format of an image if it is known.
    format: Attr::Format(format) => *format, Option<Format>;
}

impl Function {
    /// Returns a function without blocks.
    pub fn new(name: impl Into<String>, ret: Type) -> Function {
        Function {
            name: name.into(),
            linkage: Linkage::EXTERNAL,
            ret,
            is_kernel: false,
            no_inline: false,
            is_deferred: false,
            is_rare: false,
            may_reassociate: false,
            param_facts: Vec::new(),
            layout: Vec::new(),
            blocks: IdVec::new(),
            insts: IdVec::new(),
            values: IdVec::new(),
        }
    }
    /// Checks whether the function has a body.
    pub fn is_defined(&self) -> bool {
        !self.layout.is_empty()
    }
    /// Removes the body, leaving a declaration.
    pub fn remove_body(&mut self) {
        (self.layout, self.blocks) = (Vec::new(), IdVec::new());
        (self.insts, self.values) = (IdVec::new(), IdVec::new());
    }
    /// Returns the entry block.
    pub fn entry(&self) -> Block {
        self.layout[0]
    }
    /// Returns the parameters of the function.
    pub fn params(&self) -> &[Value] {
        if self.is_defined() { &self.blocks[self.entry()].params } else { &[] }
    }
    /// Returns the type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }
    /// Checks whether no other thread can observe an atomic operation: it accesses local memory, or its scope
    /// is no wider than the work-group, which runs on one thread.
    pub fn is_of_group(&self, inst: &Inst) -> bool {
        self.ty(inst.args[0]).kind == Kind::PtrLocal || inst.consistency().is_of_group()
    }
    /// Appends a new block to the layout.
    pub fn add_block(&mut self) -> Block {
        let block = self.blocks.push(BlockData::default());
        self.layout.push(block);
        block
    }
    /// Creates a block outside the layout.
    pub fn add_detached_block(&mut self) -> Block {
        self.blocks.push(BlockData::default())
    }
    /// Appends a parameter to `block`.
    pub fn add_param(&mut self, block: Block, ty: Type) -> Value {
        let index = self.blocks[block].params.len() as u32;
        let value = self.values.push(ValueData { ty, def: Def::Param(block, index) });
        self.blocks[block].params.push(value);
        value
    }
    /// Creates an instruction, with its result, outside of any block.
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
    /// Returns the terminator of a finished block.
    pub fn terminator(&self, block: Block) -> &Inst {
        let last = self.blocks[block].insts.last().expect("a finished block has a terminator");
        &self.insts[*last]
    }
    /// Returns the terminator of a finished block for modification.
    pub fn terminator_mut(&mut self, block: Block) -> &mut Inst {
        let last = *self.blocks[block].insts.last().expect("a finished block has a terminator");
        &mut self.insts[last]
    }
    /// Returns the successors in the order of the targets; a block may occur twice.
    pub fn successors(&self, block: Block) -> impl Iterator<Item = Block> + '_ {
        self.terminator(block).targets.iter().map(|t| t.block)
    }
    /// Returns the instruction that defines a value; none for a block parameter.
    pub fn def_inst(&self, value: Value) -> Option<&Inst> {
        match self.values[value].def {
            Def::Inst(inst) => Some(&self.insts[inst]),
            Def::Param(..) => None,
        }
    }
    /// Returns the bits of an integer constant.
    pub fn as_const(&self, value: Value) -> Option<u64> {
        let inst = self.def_inst(value)?;
        (inst.op == Op::Iconst).then(|| inst.int())
    }
    /// Returns the parameter of the function that an address is computed from by pointer additions.
    pub fn root(&self, mut address: Value) -> Option<Value> {
        // Arbitrary.
        const MAX_TERMS: usize = 64;
        for _ in 0..MAX_TERMS {
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
    /// Returns the bits of an integer constant or of a splat of one.
    pub fn as_const_of_lanes(&self, value: Value) -> Option<u64> {
        match self.def_inst(value) {
            Some(inst) if inst.op == Op::Splat => self.as_const(inst.args[0]),
            _ => self.as_const(value),
        }
    }
    /// Checks whether a value is a constant zero or a splat of one; its bits must all be 0, so -0.0 is
    /// excluded.
    pub fn is_zero(&self, value: Value) -> bool {
        let splat = self.def_inst(value).filter(|def| def.op == Op::Splat);
        let scalar = self.def_inst(splat.map_or(value, |def| def.args[0]));
        scalar.is_some_and(|def| matches!(def.op, Op::Iconst | Op::Fconst) && def.int() == 0)
    }
    /// Returns all instructions in layout order.
    pub fn instructions(&self) -> impl Iterator<Item = &Inst> {
        self.layout.iter().flat_map(|&b| &self.blocks[b].insts).map(|&i| &self.insts[i])
    }
    /// Counts the uses of each value.
    pub fn use_counts(&self) -> IdMap<Value, u32> {
        let mut uses = IdMap::with_len(0, self.values.len());
        self.instructions().flat_map(Inst::uses).for_each(|value| uses[value] += 1);
        uses
    }
    /// Returns the number of instructions in the layout, a measure of size.
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
    /// Returns a builder at the end of `block`.
    pub fn new(func: &'f mut Function, block: Block) -> Builder<'f> {
        Builder { func, block, loc: 0 }
    }
    /// Continues at the end of another block.
    pub fn switch_to(&mut self, block: Block) {
        self.block = block;
    }
    /// Checks whether the current block has its terminator.
    pub fn is_terminated(&self) -> bool {
        self.func.blocks[self.block]
            .insts
            .last()
            .is_some_and(|inst| self.func.insts[*inst].op.is_terminator())
    }
    /// Appends any instruction; returns its id.
    pub fn inst(&mut self, op: Op, ty: Type, args: &[Value], attr: Attr, targets: Vec<Target>) -> InstId {
        let id = self.func.make_inst(op, ty, args.into(), attr, targets, self.loc);
        self.func.blocks[self.block].insts.push(id);
        id
    }
    /// Appends an instruction with a result. It is folded to a constant if all its operands are constant
    /// scalars.
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
    /// Appends an instruction without a result.
    pub fn effect(&mut self, op: Op, args: &[Value], attr: Attr) {
        self.inst(op, Type::VOID, args, attr, Vec::new());
    }
    /// Appends an integer or pointer constant; in a vector type all lanes have it.
    pub fn iconst(&mut self, ty: Type, bits: u64) -> Value {
        let mask = if ty.kind.bits() == 64 { u64::MAX } else { (1 << ty.kind.bits()) - 1 };
        let scalar = self.value(Op::Iconst, ty.lane(), &[], Attr::Int(bits & mask));
        self.splat(ty, scalar)
    }
    /// Appends a floating-point constant given by its bits; in a vector type all lanes have it.
    pub fn fconst_bits(&mut self, ty: Type, bits: u64) -> Value {
        let scalar = self.value(Op::Fconst, ty.lane(), &[], Attr::Int(bits));
        self.splat(ty, scalar)
    }
    /// Appends a zero of any type.
    pub fn zero(&mut self, ty: Type) -> Value {
        self.constant(ty, 0)
    }
    /// Appends a constant of any number type given by its bits; in a vector type all lanes have it.
    pub fn constant(&mut self, ty: Type, bits: u64) -> Value {
        if ty.kind.is_float() { self.fconst_bits(ty, bits) } else { self.iconst(ty, bits) }
    }
    /// Copies `scalar` to all lanes of `ty`; returns it unchanged if `ty` is a scalar.
    pub fn splat(&mut self, ty: Type, scalar: Value) -> Value {
        if ty.is_vector() { self.value(Op::Splat, ty, &[scalar], Attr::None) } else { scalar }
    }
    /// Appends a signed addition, subtraction or multiplication that the program guarantees not to wrap.
    pub fn signed(&mut self, op: Op, args: &[Value]) -> Value {
        let ty = self.func.ty(args[0]);
        self.value(op, ty, args, NoWrap::SIGNED.attr())
    }
    /// Appends an op whose operands and result have the type of the first operand.
    pub fn same(&mut self, op: Op, args: &[Value]) -> Value {
        let ty = self.func.ty(args[0]);
        self.value(op, ty, args, Attr::None)
    }
    /// Appends a shift by a constant count; returns the operand for a count of 0.
    pub fn shift(&mut self, op: Op, value: Value, count: u32) -> Value {
        if count == 0 {
            return value;
        }
        let ty = self.func.ty(value);
        let count = self.iconst(ty, count.into());
        self.same(op, &[value, count])
    }
    /// Appends a conversion to `ty`; returns the operand if it has that type already.
    pub fn convert(&mut self, op: Op, ty: Type, arg: Value) -> Value {
        if self.func.ty(arg) == ty { arg } else { self.value(op, ty, &[arg], Attr::None) }
    }
    /// Appends an integer comparison.
    pub fn icmp(&mut self, cond: IntCond, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a).compared();
        self.value(Op::Icmp, ty, &[a, b], Attr::IntCond(cond))
    }
    /// Appends a floating-point comparison.
    pub fn fcmp(&mut self, cond: FloatCond, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a).compared();
        self.value(Op::Fcmp, ty, &[a, b], Attr::FloatCond(cond))
    }
    /// Appends a comparison that is true for lanes of an integer vector whose sign bit is set.
    pub fn sign_mask(&mut self, value: Value) -> Value {
        let ty = self.func.ty(value);
        let zero = self.zero(ty);
        self.icmp(IntCond::Slt, value, zero)
    }
    /// Appends `cond ? a : b`, for an `i1` or lane by lane for a mask.
    pub fn select(&mut self, cond: Value, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a);
        self.value(Op::Select, ty, &[cond, a, b], Attr::None)
    }
    /// Appends the extraction of lane `lane` of a vector.
    pub fn extract(&mut self, vector: Value, lane: u16) -> Value {
        let ty = self.func.ty(vector).lane();
        self.value(Op::Extract, ty, &[vector], Attr::Int(u64::from(lane)))
    }
    /// Appends a selection of lanes; numbers from the lane count of `a` on select from `b`.
    pub fn shuffle(&mut self, a: Value, b: Value, lanes: &[u16]) -> Value {
        let ty = Type::vector(self.func.ty(a).kind, lanes.len() as u16);
        self.value(Op::Shuffle, ty, &[a, b], Attr::Lanes(lanes.into()))
    }
    /// Appends the combination of two values, lane by lane, by the operation of a reduction.
    pub fn combine(&mut self, how: Reduction, a: Value, x: Value) -> Value {
        match how.by() {
            Ok(op) => self.same(op, &[a, x]),
            Err(cond) => {
                let better = self.fcmp(cond, x, a);
                self.select(better, x, a)
            }
        }
    }
    /// Appends a comparison that is false where a floating-point value is NaN.
    pub fn is_number(&mut self, value: Value) -> Value {
        self.fcmp(FloatCond::Ord, value, value)
    }
    /// Appends the value that `Rmw::Fmin` or `Rmw::Fmax` stores, in lanes or scalars: the operand or the old
    /// value. `is_number` is [`Builder::is_number`] of the operand.
    pub fn extremum(&mut self, rmw: Rmw, old: Value, operand: Value, is_number: Value) -> Value {
        let replaces = self.fcmp(rmw.replaces(), old, operand);
        let replaces = self.same(Op::And, &[replaces, is_number]);
        self.select(replaces, operand, old)
    }
    /// Reduces a vector to a scalar by combining its first half with its second half until one lane is left.
    /// The number of lanes is a power of two.
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
    /// Appends an allocation of private memory that lives until the function returns.
    pub fn alloca(&mut self, size: u64, align: u32) -> Value {
        self.value(Op::Alloca, Type::PRIVATE, &[], Attr::SizeAlign(size, align))
    }
    /// Appends the addition of bytes to a pointer.
    pub fn ptr_add(&mut self, ptr: Value, bytes: Value) -> Value {
        self.same(Op::PtrAdd, &[ptr, bytes])
    }
    /// Appends the addition of a constant number of bytes to a pointer.
    pub fn ptr_offset(&mut self, ptr: Value, bytes: u64) -> Value {
        if bytes == 0 {
            return ptr;
        }
        let bytes = self.iconst(Type::I64, bytes);
        self.ptr_add(ptr, bytes)
    }
    /// Appends a load.
    pub fn load(&mut self, ty: Type, ptr: Value, mem: Mem) -> Value {
        self.value(Op::Load, ty, &[ptr], Attr::Mem(mem))
    }
    /// Appends a store.
    pub fn store(&mut self, value: Value, ptr: Value, mem: Mem) {
        self.effect(Op::Store, &[ptr, value], Attr::Mem(mem));
    }
    /// Appends a work-item query.
    pub fn query(&mut self, query: Query, dim: u8) -> Value {
        let ty = if query == Query::WorkDim { Type::I32 } else { Type::I64 };
        self.value(Op::WorkItem, ty, &[], Attr::Query(query, dim))
    }
    /// Appends a call of a runtime function; returns its result if it has one.
    pub fn helper(&mut self, helper: Helper, ty: Type, args: &[Value]) -> Option<Value> {
        let id = self.inst(Op::CallHelper, ty, args, Attr::Helper(helper), Vec::new());
        self.func.insts[id].result
    }
    /// Appends a jump.
    pub fn jump(&mut self, block: Block, args: &[Value]) {
        self.inst(Op::Jump, Type::VOID, &[], Attr::None, vec![Target::new(block, args)]);
    }
    /// Appends a conditional branch without block arguments.
    pub fn br_if(&mut self, cond: Value, then: Block, otherwise: Block) {
        self.br_to(cond, Target::new(then, &[]), Target::new(otherwise, &[]));
    }
    /// Appends a conditional branch.
    pub fn br_to(&mut self, cond: Value, then: Target, otherwise: Target) {
        self.inst(Op::BrIf, Type::VOID, &[cond], Attr::None, vec![then, otherwise]);
    }
    /// Appends a return.
    pub fn ret(&mut self, args: &[Value]) {
        self.inst(Op::Ret, Type::VOID, args, Attr::None, Vec::new());
    }
}

/// Returns the natural alignment of one lane of a type in bytes.
pub fn lane_align(ty: Type) -> u32 {
    if ty.kind == Kind::Void { 1 } else { ty.kind.bytes() }
}
