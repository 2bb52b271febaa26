//! Machine instructions over virtual registers: what lowering makes, what registers are assigned to, what is encoded.
//!
//! An instruction is a template of the encoder with holes for registers, and an operand of the allocator for each hole.
//! A few are more than one instruction of the machine: branches, and loops over lanes ([`InstKind`]).

use iced_x86::{Code, Instruction, OpKind, Register};
use regalloc2::{Operand, OperandConstraint, OperandKind, OperandPos, PReg, RegClass, VReg};
use smallvec::SmallVec;

use super::vec_ops::{Size, VecOp};

/// How a register is named in an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    Byte,
    Word,
    Long,
    Quad,
    Vector(Size),
    Mask,
}

/// Where in the template a register goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandSlot {
    /// Nowhere: a register that is read and written, of which the result says where; or one that is implied.
    Nowhere,
    Operand(u8),
    /// The first three operands.
    Everywhere,
    Base,
    Index,
    Predicate,
}

/// A hole.
#[derive(Clone, Copy, Debug)]
pub struct Hole {
    pub place: OperandSlot,
    pub view: View,
}

/// What the displacement of a memory operand counts from, besides registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddrBase {
    Nothing,
    /// A slot of the frame.
    Frame(u32),
    /// A constant behind the code.
    Pool(u32),
    /// What the caller has put on the stack for the function.
    Incoming,
    /// What the function puts there for what it calls.
    Outgoing,
}

/// Conditions of branches, by their number in instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Flag {
    Overflow = 0,
    NoOverflow = 1,
    Below = 2,
    AboveEqual = 3,
    Equal = 4,
    NotEqual = 5,
    BelowEqual = 6,
    Above = 7,
    Sign = 8,
    NoSign = 9,
    Parity = 10,
    NoParity = 11,
    Less = 12,
    GreaterEqual = 13,
    LessEqual = 14,
    Greater = 15,
}

impl Flag {
    /// The opposite.
    pub fn not(self) -> Flag {
        const ALL: [Flag; 16] = [
            Flag::Overflow,
            Flag::NoOverflow,
            Flag::Below,
            Flag::AboveEqual,
            Flag::Equal,
            Flag::NotEqual,
            Flag::BelowEqual,
            Flag::Above,
            Flag::Sign,
            Flag::NoSign,
            Flag::Parity,
            Flag::NoParity,
            Flag::Less,
            Flag::GreaterEqual,
            Flag::LessEqual,
            Flag::Greater,
        ];
        ALL[self as usize ^ 1]
    }
}

/// What flags say: all of one or two flags, or any.
#[derive(Clone, Copy, Debug)]
pub enum Test {
    One(Flag),
    Both(Flag, Flag),
    Either(Flag, Flag),
}

impl Test {
    /// The opposite.
    pub fn not(self) -> Test {
        match self {
            Test::One(flag) => Test::One(flag.not()),
            Test::Both(a, b) => Test::Either(a.not(), b.not()),
            Test::Either(a, b) => Test::Both(a.not(), b.not()),
        }
    }
}

/// What an instruction is.
#[derive(Clone, Debug)]
pub enum InstKind {
    /// The template.
    Plain,
    /// Nothing: it only says where registers are.
    Nothing,
    Jump,
    /// To the first successor if the flags say so, else to the second.
    Branch(Test),
    /// To the successor that the value of the first operand says; the second one, if there is one, is free to use.
    Switch(Box<Switch>),
    Return,
    /// Stops for good.
    Trap,
    CallFunction(u32),
    /// The address is in the first operand.
    CallAddress,
    /// For each bit that is set in the first operand, which is used up: the template-free body (`emit::lanes`).
    Lanes(Box<LaneLoop>),
    /// Read, compute, write if nobody else has written meanwhile.
    Retry(Retry),
    /// Replaces what is in memory if it is what is expected (`loops::Emitter::compare_exchange`).
    CompareExchange(CompareExchange),
    /// Consecutive lanes that are set in the bits of the first operand (`masked::Emitter::masked_load`).
    MaskedLoad(Box<Masked>),
    MaskedStore(Box<Masked>),
    /// A register of this size, with lanes of so many bits, to memory under a mask (`masked::Emitter::masked_part`).
    MaskedPart(Size, u32),
    /// Registers of this size to memory one behind the other, past the caches if the address is a multiple of it. Operands: the
    /// address, the registers.
    Stream(Size),
}

/// A switch: cases in ascending order, each with a successor; the first successor is the default.
#[derive(Clone, Debug)]
pub struct Switch {
    pub cases: Vec<(u64, u32)>,
    /// Bytes of the value.
    pub bytes: u32,
}

/// What is done for each lane that is set. All of it is in memory: the pointers, 8 bytes each; elements of `bytes` bytes.
#[derive(Clone, Debug)]
pub struct LaneLoop {
    pub what: LaneWork,
    pub bytes: u32,
    /// The lane that the lowest bit stands for.
    pub first: u32,
    pub pointers: u32,
    pub values: u32,
    /// What is compared with, or nothing.
    pub expected: u32,
    pub results: u32,
    /// Nobody else sees the memory.
    pub alone: bool,
    /// How many lanes there are, if all are certainly set.
    pub all: Option<u32>,
    /// The value of all lanes, if it is small and known.
    pub constant: Option<i8>,
}

/// An access of consecutive lanes under a mask.
#[derive(Clone, Debug)]
pub struct Masked {
    /// Of an element.
    pub bytes: u32,
    pub lanes: u32,
    /// Of a register, and how many they take.
    pub size: Size,
    pub count: u32,
    /// Where lanes go one by one; of a load it holds what the others are, unless that is zero.
    pub slot: u32,
    pub is_zero: bool,
    /// The constants that make bits lanes, if that can be done.
    pub expand: Option<(u32, u32)>,
}

/// See [`LaneLoop`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneWork {
    Load,
    Store,
    Rmw(Modify),
    /// The same where nobody asks what was there, for those that the machine does in memory.
    Change(Modify),
    CompareExchange,
}

/// How memory is modified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modify {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Exchange,
    Smin,
    Smax,
    Umin,
    Umax,
}

/// Operands: address, what is expected, what replaces it, what was there (in rax).
#[derive(Clone, Copy, Debug)]
pub struct CompareExchange {
    pub bytes: u32,
    /// Nobody else can come in between.
    pub alone: bool,
}

/// A loop of load, op and compare-exchange. Operands: address, value, result (in rax), temporary.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    pub modify: Modify,
    pub bytes: u32,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Inst {
    pub kind: InstKind,
    /// Of a vector instruction, the row; the template has the encoding with EVEX if it must be that.
    pub row: Option<(VecOp, Size)>,
    pub template: Instruction,
    /// Operands and holes: first, and how many.
    pub from: u32,
    pub len: u16,
    /// Overwrites what calls may overwrite.
    pub is_call: bool,
    pub anchor: AddrBase,
    pub loc: u32,
}

/// The base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    Nothing,
    Register(VReg),
    Frame(u32),
    Pool(u32),
    Incoming,
    Outgoing,
}

/// A memory operand.
#[derive(Clone, Copy, Debug)]
pub struct Amode {
    pub base: Base,
    pub index: Option<(VReg, u8)>,
    pub disp: i32,
}

impl Amode {
    /// What a register points at.
    pub fn at(register: VReg) -> Amode {
        Amode { base: Base::Register(register), index: None, disp: 0 }
    }
    /// A slot of the frame.
    pub fn frame(slot: u32, disp: i32) -> Amode {
        Amode { base: Base::Frame(slot), index: None, disp }
    }
    /// A constant.
    pub fn pool(constant: u32) -> Amode {
        Amode { base: Base::Pool(constant), index: None, disp: 0 }
    }
    /// An argument on the stack.
    pub fn incoming(at: u32) -> Amode {
        Amode { base: Base::Incoming, index: None, disp: at as i32 }
    }
    /// An argument of what is called.
    pub fn outgoing(at: u32) -> Amode {
        Amode { base: Base::Outgoing, index: None, disp: at as i32 }
    }
    /// So many bytes further. Lowering sees to it that displacements are small.
    pub fn plus(self, bytes: i32) -> Amode {
        Amode { disp: self.disp.wrapping_add(bytes), ..self }
    }
}

/// A source of an instruction.
#[derive(Clone, Copy, Debug)]
pub enum Src {
    Reg(VReg),
    Mem(Amode),
    /// One element of memory in all lanes.
    Broadcast(Amode),
}

impl From<VReg> for Src {
    fn from(register: VReg) -> Src {
        Src::Reg(register)
    }
}

impl From<Amode> for Src {
    fn from(address: Amode) -> Src {
        Src::Mem(address)
    }
}

/// An instruction that is being put together.
#[derive(Debug)]
pub struct InstBuilder {
    pub inst: Inst,
    pub operands: SmallVec<[(Operand, Hole); 6]>,
    next: u8,
}

impl InstBuilder {
    /// An instruction of any kind without holes.
    pub fn of(kind: InstKind) -> InstBuilder {
        let inst = Inst {
            kind,
            row: None,
            template: Instruction::default(),
            from: 0,
            len: 0,
            is_call: false,
            anchor: AddrBase::Nothing,
            loc: 0,
        };
        InstBuilder { inst, operands: SmallVec::new(), next: 0 }
    }
    /// One that there is already, with other operands.
    pub fn again(inst: Inst, operands: impl IntoIterator<Item = (Operand, Hole)>) -> InstBuilder {
        InstBuilder { inst, operands: operands.into_iter().collect(), next: 0 }
    }
    /// One with a fixed encoding.
    pub fn code(code: Code) -> InstBuilder {
        let mut build = InstBuilder::of(InstKind::Plain);
        build.inst.template.set_code(code);
        build
    }
    /// A vector instruction.
    pub fn row(row: VecOp, size: Size) -> InstBuilder {
        let mut build = InstBuilder::of(InstKind::Plain);
        build.inst.row = Some((row, size));
        build
    }

    fn operand(&mut self, vreg: VReg, constraint: OperandConstraint, kind: OperandKind, pos: OperandPos) {
        self.operands.push((
            Operand::new(vreg, constraint, kind, pos),
            Hole { place: OperandSlot::Nowhere, view: View::Quad },
        ));
    }
    fn place(&mut self, place: OperandSlot, view: View) {
        if let Some((_, hole)) = self.operands.last_mut() {
            *hole = Hole { place, view };
        }
    }
    fn next_operand(&mut self) -> u8 {
        let index = self.next;
        self.next += 1;
        self.inst.template.set_op_kind(u32::from(index), OpKind::Register);
        index
    }
    /// The view of vector operand `index` of a row.
    fn view_of(&self, vreg: VReg, index: u8) -> View {
        match (vreg.class(), self.inst.row) {
            (RegClass::Vector, _) => View::Mask,
            (RegClass::Float, Some((row, size))) => {
                View::Vector(size.less(row.form().shifts[usize::from(index)]))
            }
            _ => View::Quad,
        }
    }
    /// A result.
    pub fn def(self, vreg: VReg) -> InstBuilder {
        let view = self.view_of(vreg, self.next);
        self.def_as(vreg, view)
    }
    /// A result that is so named.
    pub fn def_as(mut self, vreg: VReg, view: View) -> InstBuilder {
        let index = self.next_operand();
        self.operand(vreg, OperandConstraint::Reg, OperandKind::Def, OperandPos::Late);
        self.place(OperandSlot::Operand(index), view);
        self
    }
    /// What is read and replaced.
    pub fn change(self, from: VReg, to: VReg) -> InstBuilder {
        let view = self.view_of(from, self.next);
        self.change_as(from, to, view)
    }
    /// The same, so named.
    pub fn change_as(mut self, from: VReg, to: VReg, view: View) -> InstBuilder {
        let index = self.next_operand();
        self.operand(from, OperandConstraint::Reg, OperandKind::Use, OperandPos::Early);
        let reused = self.operands.len() - 1;
        self.operand(to, OperandConstraint::Reuse(reused), OperandKind::Def, OperandPos::Late);
        self.place(OperandSlot::Operand(index), view);
        self
    }
    /// What is read and used up: a new register takes what is left of it. No operand of the instruction.
    pub fn used_up(mut self, from: VReg, left: VReg, place: OperandSlot, view: View) -> InstBuilder {
        self.operand(from, OperandConstraint::Reg, OperandKind::Use, OperandPos::Early);
        let reused = self.operands.len() - 1;
        self.operand(left, OperandConstraint::Reuse(reused), OperandKind::Def, OperandPos::Late);
        self.place(place, view);
        self
    }
    /// A register that is read.
    pub fn read(self, vreg: VReg) -> InstBuilder {
        let view = self.view_of(vreg, self.next);
        self.read_as(vreg, view)
    }
    /// The same, so named.
    pub fn read_as(mut self, vreg: VReg, view: View) -> InstBuilder {
        let index = self.next_operand();
        self.operand(vreg, OperandConstraint::Reg, OperandKind::Use, OperandPos::Early);
        self.place(OperandSlot::Operand(index), view);
        self
    }
    /// A register that is read until the end, and is no operand of the template.
    pub fn held(mut self, vreg: VReg) -> InstBuilder {
        self.operand(vreg, OperandConstraint::Reg, OperandKind::Use, OperandPos::Late);
        self
    }
    /// A register that is free to use.
    pub fn temporary(mut self, vreg: VReg) -> InstBuilder {
        self.operand(vreg, OperandConstraint::Reg, OperandKind::Def, OperandPos::Early);
        self
    }
    /// A fixed register that is read.
    pub fn fixed_read(mut self, vreg: VReg, register: PReg) -> InstBuilder {
        self.operand(vreg, OperandConstraint::FixedReg(register), OperandKind::Use, OperandPos::Early);
        self
    }
    /// A fixed register that is written before all operands are read, and is free to use.
    pub fn fixed_early(mut self, vreg: VReg, register: PReg) -> InstBuilder {
        self.operand(vreg, OperandConstraint::FixedReg(register), OperandKind::Def, OperandPos::Early);
        self
    }
    /// A result that is also what is read: it does not matter what it holds before.
    pub fn def_everywhere(mut self, vreg: VReg, view: View) -> InstBuilder {
        for index in 0..3 {
            self.inst.template.set_op_kind(index, OpKind::Register);
        }
        self.next = 3;
        self.operand(vreg, OperandConstraint::Reg, OperandKind::Def, OperandPos::Late);
        self.place(OperandSlot::Everywhere, view);
        self
    }
    /// The count of a shift, which is in `cl`.
    pub fn in_cl(mut self) -> InstBuilder {
        let index = self.next_operand();
        self.inst.template.set_op_register(u32::from(index), Register::CL);
        self
    }
    /// A fixed register that is written.
    pub fn fixed_def(mut self, vreg: VReg, register: PReg) -> InstBuilder {
        self.operand(vreg, OperandConstraint::FixedReg(register), OperandKind::Def, OperandPos::Late);
        self
    }
    /// A source: a register or memory.
    pub fn src(self, src: impl Into<Src>) -> InstBuilder {
        match src.into() {
            Src::Reg(vreg) => self.read(vreg),
            Src::Mem(address) => self.mem(address),
            Src::Broadcast(address) => self.broadcast(address),
        }
    }
    /// A memory operand.
    pub fn mem(self, address: Amode) -> InstBuilder {
        self.vector_mem(address, View::Quad)
    }
    /// A memory operand whose index is so named: the index of a gather is a vector.
    pub fn vector_mem(mut self, address: Amode, index_view: View) -> InstBuilder {
        let index = self.next_operand();
        let template = &mut self.inst.template;
        template.set_op_kind(u32::from(index), OpKind::Memory);
        template.set_memory_displacement64(i64::from(address.disp) as u64);
        template.set_memory_displ_size(u32::from(address.disp != 0));
        if let Some((_, scale)) = address.index {
            template.set_memory_index_scale(u32::from(scale));
        }
        match address.base {
            Base::Nothing => {}
            Base::Register(base) => {
                self.operand(base, OperandConstraint::Reg, OperandKind::Use, OperandPos::Early);
                self.place(OperandSlot::Base, View::Quad);
            }
            Base::Frame(slot) => self.inst.anchor = AddrBase::Frame(slot),
            Base::Pool(constant) => self.inst.anchor = AddrBase::Pool(constant),
            Base::Incoming => self.inst.anchor = AddrBase::Incoming,
            Base::Outgoing => self.inst.anchor = AddrBase::Outgoing,
        }
        if let Some((vreg, _)) = address.index {
            // A gather's result must not be in the register of its offsets.
            let is_vector = matches!(index_view, View::Vector(_));
            let pos = if is_vector { OperandPos::Late } else { OperandPos::Early };
            self.operand(vreg, OperandConstraint::Reg, OperandKind::Use, pos);
            self.place(OperandSlot::Index, index_view);
        }
        self
    }
    /// A memory operand of which one element goes to all lanes.
    pub fn broadcast(self, address: Amode) -> InstBuilder {
        let mut build = self.mem(address);
        build.inst.template.set_is_broadcast(true);
        build
    }
    /// An immediate byte.
    pub fn imm8(mut self, value: u8) -> InstBuilder {
        let index = self.next;
        self.next += 1;
        self.inst.template.set_op_kind(u32::from(index), OpKind::Immediate8);
        self.inst.template.set_immediate8(value);
        self
    }
    /// An immediate of this kind.
    pub fn imm(mut self, kind: OpKind, value: i64) -> InstBuilder {
        let index = self.next;
        self.next += 1;
        let template = &mut self.inst.template;
        template.set_op_kind(u32::from(index), kind);
        match kind {
            OpKind::Immediate8 => template.set_immediate8(value as u8),
            OpKind::Immediate16 => template.set_immediate16(value as u16),
            OpKind::Immediate32 => template.set_immediate32(value as u32),
            OpKind::Immediate64 => template.set_immediate64(value as u64),
            OpKind::Immediate8to16 => template.set_immediate8to16(value as i16),
            OpKind::Immediate8to32 => template.set_immediate8to32(value as i32),
            OpKind::Immediate8to64 => template.set_immediate8to64(value),
            _ => template.set_immediate32to64(value),
        }
        self
    }
    /// Only the lanes of this mask are written.
    pub fn mask(mut self, mask: VReg) -> InstBuilder {
        self.operand(mask, OperandConstraint::Reg, OperandKind::Use, OperandPos::Early);
        self.place(OperandSlot::Predicate, View::Mask);
        self
    }
    /// The others become zero.
    pub fn zeroing(mut self) -> InstBuilder {
        self.inst.template.set_zeroing_masking(true);
        self
    }
}
