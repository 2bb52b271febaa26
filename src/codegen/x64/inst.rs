//! Machine instructions over virtual registers, as instruction selection creates them, the register allocator sees
//! them, and the emitter encodes them.
//!
//! An instruction is a template of iced's encoder. Each operand of the register allocator comes with a [`RegField`]:
//! the field of the template that its register goes to. Pseudo-instructions ([`InstKind`]) emit more than one machine
//! instruction: branches, loops over lanes, loops around `cmpxchg`.

use iced_x86::{Code, Instruction, OpKind, Register};
use regalloc2::{Operand, OperandConstraint, OperandKind, OperandPos, PReg, RegClass, VReg};
use smallvec::SmallVec;

use super::vec_ops::{Size, VecOp};

/// Part of a register by which an instruction names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    Byte,
    Word,
    Dword,
    Qword,
    Vector(Size),
    Mask,
}

/// Field of the template that a register goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandSlot {
    /// No field: the register is implicit, or its field is set by the result that reuses it.
    Implicit,
    Operand(u8),
    /// The first three operands.
    FirstThree,
    Base,
    Index,
    Predicate,
}

/// Field of an instruction template that the register of an operand goes to.
#[derive(Clone, Copy, Debug)]
pub struct RegField {
    pub slot: OperandSlot,
    pub view: View,
}

/// Origin of the displacement of a memory operand, besides registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddrBase {
    None,
    /// Stack slot.
    Frame(u32),
    /// Constant behind the code.
    Pool(u32),
    /// Arguments of the function on the caller's stack.
    Incoming,
    /// Arguments on the stack of functions that are called.
    Outgoing,
}

/// Condition codes, with their numbers in encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CondCode {
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

impl CondCode {
    /// Returns the opposite condition.
    pub fn not(self) -> CondCode {
        const ALL: [CondCode; 16] = [
            CondCode::Overflow,
            CondCode::NoOverflow,
            CondCode::Below,
            CondCode::AboveEqual,
            CondCode::Equal,
            CondCode::NotEqual,
            CondCode::BelowEqual,
            CondCode::Above,
            CondCode::Sign,
            CondCode::NoSign,
            CondCode::Parity,
            CondCode::NoParity,
            CondCode::Less,
            CondCode::GreaterEqual,
            CondCode::LessEqual,
            CondCode::Greater,
        ];
        ALL[self as usize ^ 1]
    }
}

/// Condition of a branch: one condition code, or a combination of two.
#[derive(Clone, Copy, Debug)]
pub enum Test {
    One(CondCode),
    Both(CondCode, CondCode),
    Either(CondCode, CondCode),
}

impl Test {
    /// Returns the opposite condition.
    pub fn not(self) -> Test {
        match self {
            Test::One(flag) => Test::One(flag.not()),
            Test::Both(a, b) => Test::Either(a.not(), b.not()),
            Test::Either(a, b) => Test::Both(a.not(), b.not()),
        }
    }
}

/// Kind of an instruction: a template, control flow, or a pseudo-instruction.
#[derive(Clone, Debug)]
pub enum InstKind {
    /// Encodes the template.
    Plain,
    /// Emits no code, and defines or constrains registers only.
    NoCode,
    Jump,
    /// Jumps to the first successor if the flags meet the condition, else to the second one.
    Branch(Test),
    /// Jumps to the successor for the value of the first operand; the other operands are temporaries.
    Switch(Box<Switch>),
    Return,
    /// Stops the program.
    Trap,
    CallFunction(u32),
    /// Calls the address in the first operand.
    CallAddress,
    /// Runs a loop over the bits that are set in the first operand, which is clobbered
    /// (`pseudo_insts::Emitter::lane_loop`).
    LaneLoop(Box<LaneLoop>),
    /// Reads, computes, and writes by `cmpxchg`; repeats if another thread has written meanwhile.
    CasLoop(CasLoop),
    /// Replaces a value in memory if it equals the expected one (`pseudo_insts::Emitter::compare_exchange`).
    CompareExchange(CompareExchange),
    /// Loads consecutive lanes whose bits are set in the first operand (`masked::Emitter::masked_load`).
    MaskedLoad(Box<MaskedAccess>),
    MaskedStore(Box<MaskedAccess>),
    /// Stores a register of this size, with lanes of this many bits, under a mask
    /// (`masked::Emitter::masked_store_vector`).
    MaskedStoreVector(Size, u32),
    /// Stores registers of this size to consecutive addresses, non-temporally if the address is aligned. Operands: the
    /// address, the registers.
    NontemporalStore(Size),
}

/// Switch: cases in ascending order, each with a successor; the first successor is the default.
#[derive(Clone, Debug)]
pub struct Switch {
    pub cases: Vec<(u64, u32)>,
    /// Bytes of the value.
    pub bytes: u32,
}

/// Operation on each lane that is set. The operands are in stack slots: pointers of 8 bytes each, and elements of
/// `bytes` bytes.
#[derive(Clone, Debug)]
pub struct LaneLoop {
    pub work: LaneWork,
    pub bytes: u32,
    /// Lane that the lowest bit stands for.
    pub first: u32,
    pub pointers: u32,
    pub values: u32,
    /// Slot of the values to compare with, for [`LaneWork::CompareExchange`].
    pub expected: u32,
    pub results: u32,
    /// True if no other thread accesses the memory meanwhile.
    pub single_thread: bool,
    /// Number of lanes, if the mask is known to be all set.
    pub full_lanes: Option<u32>,
    /// Value of all lanes, if it is a small constant.
    pub constant: Option<i8>,
}

/// Access of consecutive lanes under a mask.
#[derive(Clone, Debug)]
pub struct MaskedAccess {
    /// Bytes of an element.
    pub bytes: u32,
    pub lanes: u32,
    /// Size of a register, and number of registers.
    pub size: Size,
    pub count: u32,
    /// Stack slot for the loop over lanes; for a load it holds the values of inactive lanes, unless these are zero.
    pub slot: u32,
    pub zero_fill: bool,
    /// Constants that expand bits to lanes, if the access can use them.
    pub expansion: Option<(u32, u32)>,
}

/// Operation of a [`LaneLoop`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneWork {
    Load,
    Store,
    Rmw(RmwOp),
    /// Read-modify-write whose result is not used, by an instruction with a memory destination.
    Update(RmwOp),
    CompareExchange,
}

/// Operation of an atomic read-modify-write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RmwOp {
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

/// Compare-exchange. Operands: address, expected value, new value, old value (in `rax`).
#[derive(Clone, Copy, Debug)]
pub struct CompareExchange {
    pub bytes: u32,
    /// True if no other thread accesses the memory meanwhile.
    pub single_thread: bool,
}

/// Loop of load, operation and compare-exchange. Operands: address, value, result (in `rax`), temporary.
#[derive(Clone, Copy, Debug)]
pub struct CasLoop {
    pub op: RmwOp,
    pub bytes: u32,
}

/// Instruction.
#[derive(Clone, Debug)]
pub struct Inst {
    pub kind: InstKind,
    /// Vector instruction and its size. The emitter chooses between VEX and EVEX when registers are known.
    pub vec_op: Option<(VecOp, Size)>,
    pub template: Instruction,
    /// Index of the first operand and register field, and their number.
    pub first: u32,
    pub len: u16,
    /// True if caller-saved registers are clobbered.
    pub is_call: bool,
    pub addr_base: AddrBase,
    pub loc: u32,
}

/// Base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    None,
    Register(VReg),
    Frame(u32),
    Pool(u32),
    Incoming,
    Outgoing,
}

/// Memory operand.
#[derive(Clone, Copy, Debug)]
pub struct Amode {
    pub base: Base,
    pub index: Option<(VReg, u8)>,
    pub disp: i32,
}

impl Amode {
    /// Returns the address in a register.
    pub fn at(register: VReg) -> Amode {
        Amode { base: Base::Register(register), index: None, disp: 0 }
    }
    /// Returns the address `disp` bytes into a stack slot.
    pub fn frame(slot: u32, disp: i32) -> Amode {
        Amode { base: Base::Frame(slot), index: None, disp }
    }
    /// Returns the address of a constant.
    pub fn pool(constant: u32) -> Amode {
        Amode { base: Base::Pool(constant), index: None, disp: 0 }
    }
    /// Returns the address of an argument on the caller's stack.
    pub fn incoming(at: u32) -> Amode {
        Amode { base: Base::Incoming, index: None, disp: at as i32 }
    }
    /// Returns the address of an argument of a function that is called.
    pub fn outgoing(at: u32) -> Amode {
        Amode { base: Base::Outgoing, index: None, disp: at as i32 }
    }
    /// Adds a displacement. Lowering keeps displacements small enough not to wrap.
    pub fn plus(self, bytes: i32) -> Amode {
        Amode { disp: self.disp.wrapping_add(bytes), ..self }
    }
}

/// Source of an instruction.
#[derive(Clone, Copy, Debug)]
pub enum Src {
    Reg(VReg),
    Mem(Amode),
    /// Element in memory that is broadcast to all lanes.
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

/// Builder of an instruction and its operands.
#[derive(Debug)]
pub struct InstBuilder {
    pub inst: Inst,
    pub operands: SmallVec<[(Operand, RegField); 6]>,
    next: u8,
}

impl InstBuilder {
    /// Starts an instruction of the given kind without operands.
    pub fn new(kind: InstKind) -> InstBuilder {
        let inst = Inst {
            kind,
            vec_op: None,
            template: Instruction::default(),
            first: 0,
            len: 0,
            is_call: false,
            addr_base: AddrBase::None,
            loc: 0,
        };
        InstBuilder { inst, operands: SmallVec::new(), next: 0 }
    }
    /// Copies an instruction with other operands.
    pub fn from_inst(inst: Inst, operands: impl IntoIterator<Item = (Operand, RegField)>) -> InstBuilder {
        InstBuilder { inst, operands: operands.into_iter().collect(), next: 0 }
    }
    /// Starts an instruction with a fixed encoding.
    pub fn code(code: Code) -> InstBuilder {
        let mut build = InstBuilder::new(InstKind::Plain);
        build.inst.template.set_code(code);
        build
    }
    /// Starts a vector instruction.
    pub fn vec_op(vec_op: VecOp, size: Size) -> InstBuilder {
        let mut build = InstBuilder::new(InstKind::Plain);
        build.inst.vec_op = Some((vec_op, size));
        build
    }

    fn operand(&mut self, vreg: VReg, constraint: OperandConstraint, kind: OperandKind, pos: OperandPos) {
        self.operands.push((
            Operand::new(vreg, constraint, kind, pos),
            RegField { slot: OperandSlot::Implicit, view: View::Qword },
        ));
    }
    fn set_field(&mut self, slot: OperandSlot, view: View) {
        if let Some((_, field)) = self.operands.last_mut() {
            *field = RegField { slot, view };
        }
    }
    fn next_operand(&mut self) -> u8 {
        let index = self.next;
        self.next += 1;
        self.inst.template.set_op_kind(u32::from(index), OpKind::Register);
        index
    }
    /// Returns the view of vector operand `index`.
    fn view_of(&self, vreg: VReg, index: u8) -> View {
        match (vreg.class(), self.inst.vec_op) {
            (RegClass::Vector, _) => View::Mask,
            (RegClass::Float, Some((vec_op, size))) => {
                View::Vector(size.narrower(vec_op.form().size_shifts[usize::from(index)]))
            }
            _ => View::Qword,
        }
    }
    /// Adds a result.
    pub fn def(self, vreg: VReg) -> InstBuilder {
        let view = self.view_of(vreg, self.next);
        self.def_as(vreg, view)
    }
    /// Adds a result with the given view.
    pub fn def_as(mut self, vreg: VReg, view: View) -> InstBuilder {
        let index = self.next_operand();
        self.operand(vreg, OperandConstraint::Reg, OperandKind::Def, OperandPos::Late);
        self.set_field(OperandSlot::Operand(index), view);
        self
    }
    /// Adds an operand that is read and overwritten by the result.
    pub fn reuse_def(self, from: VReg, to: VReg) -> InstBuilder {
        let view = self.view_of(from, self.next);
        self.reuse_def_as(from, to, view)
    }
    /// Adds an operand with the given view that is read and overwritten by the result.
    pub fn reuse_def_as(mut self, from: VReg, to: VReg, view: View) -> InstBuilder {
        let index = self.next_operand();
        self.operand(from, OperandConstraint::Reg, OperandKind::Use, OperandPos::Early);
        let reused = self.operands.len() - 1;
        self.operand(to, OperandConstraint::Reuse(reused), OperandKind::Def, OperandPos::Late);
        self.set_field(OperandSlot::Operand(index), view);
        self
    }
    /// Adds an operand that is read and clobbered: the register `left` receives its remains.
    pub fn clobbered_read(mut self, from: VReg, left: VReg, slot: OperandSlot, view: View) -> InstBuilder {
        self.operand(from, OperandConstraint::Reg, OperandKind::Use, OperandPos::Early);
        let reused = self.operands.len() - 1;
        self.operand(left, OperandConstraint::Reuse(reused), OperandKind::Def, OperandPos::Late);
        self.set_field(slot, view);
        self
    }
    /// Adds a register that is read.
    pub fn read(self, vreg: VReg) -> InstBuilder {
        let view = self.view_of(vreg, self.next);
        self.read_as(vreg, view)
    }
    /// Adds a register that is read with the given view.
    pub fn read_as(mut self, vreg: VReg, view: View) -> InstBuilder {
        let index = self.next_operand();
        self.operand(vreg, OperandConstraint::Reg, OperandKind::Use, OperandPos::Early);
        self.set_field(OperandSlot::Operand(index), view);
        self
    }
    /// Adds a register that is read until the end of the instruction, and is not in the template.
    pub fn late_read(mut self, vreg: VReg) -> InstBuilder {
        self.operand(vreg, OperandConstraint::Reg, OperandKind::Use, OperandPos::Late);
        self
    }
    /// Adds a temporary.
    pub fn temporary(mut self, vreg: VReg) -> InstBuilder {
        self.operand(vreg, OperandConstraint::Reg, OperandKind::Def, OperandPos::Early);
        self
    }
    /// Adds a fixed register that is read.
    pub fn fixed_read(mut self, vreg: VReg, register: PReg) -> InstBuilder {
        self.operand(vreg, OperandConstraint::FixedReg(register), OperandKind::Use, OperandPos::Early);
        self
    }
    /// Adds a fixed register that is written before all operands are read.
    pub fn fixed_early_def(mut self, vreg: VReg, register: PReg) -> InstBuilder {
        self.operand(vreg, OperandConstraint::FixedReg(register), OperandKind::Def, OperandPos::Early);
        self
    }
    /// Adds a result that is also both sources, whose previous contents do not matter.
    pub fn def_all_operands(mut self, vreg: VReg, view: View) -> InstBuilder {
        for index in 0..3 {
            self.inst.template.set_op_kind(index, OpKind::Register);
        }
        self.next = 3;
        self.operand(vreg, OperandConstraint::Reg, OperandKind::Def, OperandPos::Late);
        self.set_field(OperandSlot::FirstThree, view);
        self
    }
    /// Adds the count of a shift, which is in `cl`.
    pub fn count_in_cl(mut self) -> InstBuilder {
        let index = self.next_operand();
        self.inst.template.set_op_register(u32::from(index), Register::CL);
        self
    }
    /// Adds a fixed register that is written.
    pub fn fixed_def(mut self, vreg: VReg, register: PReg) -> InstBuilder {
        self.operand(vreg, OperandConstraint::FixedReg(register), OperandKind::Def, OperandPos::Late);
        self
    }
    /// Adds a source: a register or memory.
    pub fn src(self, src: impl Into<Src>) -> InstBuilder {
        match src.into() {
            Src::Reg(vreg) => self.read(vreg),
            Src::Mem(address) => self.mem(address),
            Src::Broadcast(address) => self.broadcast(address),
        }
    }
    /// Adds a memory operand.
    pub fn mem(self, address: Amode) -> InstBuilder {
        self.vector_mem(address, View::Qword)
    }
    /// Adds a memory operand whose index has the given view: the index of a gather is a vector.
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
            Base::None => {}
            Base::Register(base) => {
                self.operand(base, OperandConstraint::Reg, OperandKind::Use, OperandPos::Early);
                self.set_field(OperandSlot::Base, View::Qword);
            }
            Base::Frame(slot) => self.inst.addr_base = AddrBase::Frame(slot),
            Base::Pool(constant) => self.inst.addr_base = AddrBase::Pool(constant),
            Base::Incoming => self.inst.addr_base = AddrBase::Incoming,
            Base::Outgoing => self.inst.addr_base = AddrBase::Outgoing,
        }
        if let Some((vreg, _)) = address.index {
            // The result of a gather must not be in the register of its offsets.
            let is_vector = matches!(index_view, View::Vector(_));
            let pos = if is_vector { OperandPos::Late } else { OperandPos::Early };
            self.operand(vreg, OperandConstraint::Reg, OperandKind::Use, pos);
            self.set_field(OperandSlot::Index, index_view);
        }
        self
    }
    /// Adds a memory operand of which one element is broadcast to all lanes.
    pub fn broadcast(self, address: Amode) -> InstBuilder {
        let mut build = self.mem(address);
        build.inst.template.set_is_broadcast(true);
        build
    }
    /// Adds an immediate byte.
    pub fn imm8(mut self, value: u8) -> InstBuilder {
        let index = self.next;
        self.next += 1;
        self.inst.template.set_op_kind(u32::from(index), OpKind::Immediate8);
        self.inst.template.set_immediate8(value);
        self
    }
    /// Adds an immediate of the given kind.
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
    /// Adds a mask: only its lanes are written.
    pub fn mask(mut self, mask: VReg) -> InstBuilder {
        self.add_mask(mask);
        self
    }
    /// Adds a mask to an instruction that has all other operands.
    pub fn add_mask(&mut self, mask: VReg) {
        self.operand(mask, OperandConstraint::Reg, OperandKind::Use, OperandPos::Early);
        self.set_field(OperandSlot::Predicate, View::Mask);
    }
    /// Makes the result, which is the first operand, overwrite `from`, whose lanes outside the mask it keeps.
    pub fn keep_lanes_of(&mut self, from: VReg) {
        let (result, field) = self.operands[0];
        let read = Operand::new(from, OperandConstraint::Reg, OperandKind::Use, OperandPos::Early);
        let implicit = RegField { slot: OperandSlot::Implicit, view: View::Qword };
        let written =
            Operand::new(result.vreg(), OperandConstraint::Reuse(0), OperandKind::Def, OperandPos::Late);
        self.operands[0] = (written, field);
        self.operands.insert(0, (read, implicit));
    }
    /// Sets lanes outside the mask to zero.
    pub fn zeroing(mut self) -> InstBuilder {
        self.inst.template.set_zeroing_masking(true);
        self
    }
}
