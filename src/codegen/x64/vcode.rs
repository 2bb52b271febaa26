//! VCode: machine instructions of one function over virtual registers, and the view of it that regalloc2 requires.

use std::ops::Range;

use regalloc2::{Block, Inst as InstIndex, InstRange, MachineEnv, Operand, PReg, PRegSet, RegClass, VReg};
use smallvec::SmallVec;

use super::inst::{Inst, InstBuilder, InstKind, RegField};
use super::vec_ops::Size;
use grus_ir::analysis::LoopId;
use grus_support::FastMap;

/// Basic block of machine instructions.
#[derive(Debug, Default)]
pub struct MachineBlock {
    pub first: u32,
    pub end: u32,
    pub successors: SmallVec<[Block; 2]>,
    pub predecessors: SmallVec<[Block; 2]>,
    pub params: Vec<VReg>,
    /// Arguments that each successor's parameters receive.
    pub args: SmallVec<[Vec<VReg>; 2]>,
    /// Innermost loop that contains the block, and the nesting depth of loops.
    pub innermost_loop: Option<LoopId>,
    pub depth: u32,
    /// True if not every iteration of the innermost loop runs the block.
    pub is_conditional: bool,
}

impl MachineBlock {
    /// Returns a number that is larger for blocks that are likely to run more often. It is odd for conditional blocks,
    /// between the numbers of the loop and of the code around it.
    pub fn frequency_rank(&self) -> u32 {
        2 * self.depth - u32::from(self.is_conditional)
    }
}

/// Stack slot that instruction selection or the spiller has reserved.
#[derive(Clone, Copy, Debug)]
pub struct FrameSlot {
    pub size: u32,
    pub align: u32,
}

/// Constants that are placed behind the code, each once.
#[derive(Debug, Default)]
pub struct ConstantPool {
    indices: FastMap<Vec<u8>, u32>,
    pub constants: Vec<Vec<u8>>,
}

impl ConstantPool {
    /// Returns the index of a constant, which is added if it is new.
    pub fn add(&mut self, bytes: Vec<u8>) -> u32 {
        if let Some(&index) = self.indices.get(&bytes) {
            return index;
        }
        let index = self.constants.len() as u32;
        self.constants.push(bytes.clone());
        self.indices.insert(bytes, index);
        index
    }
}

/// Function in machine instructions over virtual registers.
#[derive(Debug)]
pub struct VCode {
    pub insts: Vec<Inst>,
    pub operands: Vec<Operand>,
    pub reg_fields: Vec<RegField>,
    pub blocks: Vec<MachineBlock>,
    /// Ranges of tracked values for the debugger: register, first instruction, end, index in the list of tracked
    /// values.
    pub debug_labels: Vec<(VReg, InstIndex, InstIndex, u32)>,
    pub vregs: u32,
    /// Registers that are replaced by another one.
    pub aliases: FastMap<VReg, VReg>,
    pub slots: Vec<FrameSlot>,
    /// Bytes of the stack that arguments of calls take.
    pub outgoing: u32,
    pub pool: ConstantPool,
    /// Size of the largest vector register in use.
    pub widest: Size,
    pub has_calls: bool,
    clobbers: PRegSet,
}

impl VCode {
    /// Creates an empty function.
    pub fn new() -> VCode {
        VCode {
            insts: Vec::new(),
            operands: Vec::new(),
            reg_fields: Vec::new(),
            blocks: Vec::new(),
            debug_labels: Vec::new(),
            vregs: 0,
            aliases: FastMap::default(),
            slots: Vec::new(),
            outgoing: 0,
            pool: ConstantPool::default(),
            widest: Size::X,
            has_calls: false,
            clobbers: caller_saved(),
        }
    }
    /// Creates a virtual register.
    pub fn vreg(&mut self, class: RegClass) -> VReg {
        self.vregs += 1;
        VReg::new(self.vregs as usize - 1, class)
    }
    /// Appends an instruction.
    pub fn push(&mut self, build: InstBuilder, loc: u32) {
        let mut inst = build.inst;
        inst.first = self.operands.len() as u32;
        inst.len = build.operands.len() as u16;
        inst.loc = loc;
        for (operand, field) in build.operands {
            self.operands.push(operand);
            self.reg_fields.push(field);
        }
        self.has_calls |= inst.is_call;
        self.insts.push(inst);
    }
    /// Returns the register that replaces `vreg`, or `vreg` itself.
    pub fn resolve(&self, mut vreg: VReg) -> VReg {
        while let Some(&other) = self.aliases.get(&vreg) {
            vreg = other;
        }
        vreg
    }
    /// Replaces all registers in operands, blocks and labels by their aliases.
    pub fn resolve_all(&mut self) {
        if self.aliases.is_empty() {
            return;
        }
        let mut operands = std::mem::take(&mut self.operands);
        for operand in &mut operands {
            let vreg = self.resolve(operand.vreg());
            if vreg != operand.vreg() {
                *operand = Operand::new(vreg, operand.constraint(), operand.kind(), operand.pos());
            }
        }
        self.operands = operands;
        let mut blocks = std::mem::take(&mut self.blocks);
        for vreg in
            blocks.iter_mut().flat_map(|block| block.params.iter_mut().chain(block.args.iter_mut().flatten()))
        {
            *vreg = self.resolve(*vreg);
        }
        self.blocks = blocks;
        let mut labels = std::mem::take(&mut self.debug_labels);
        for label in &mut labels {
            label.0 = self.resolve(label.0);
        }
        labels.sort_unstable_by_key(|label| (label.0, label.3));
        self.debug_labels = labels;
    }
    /// Returns the indices of a block's instructions.
    pub fn insts_of(&self, block: usize) -> Range<u32> {
        self.blocks[block].first..self.blocks[block].end
    }
    /// Returns the indices of an instruction's operands.
    pub fn operands_at(&self, inst: u32) -> Range<usize> {
        let inst = &self.insts[inst as usize];
        inst.first as usize..inst.first as usize + usize::from(inst.len)
    }
    /// Returns the operands of a block's instructions.
    pub fn operands_of(&self, block: &MachineBlock) -> &[Operand] {
        // Lowering proceeds backwards, so the operands of earlier instructions may come later.
        let insts = &self.insts[block.first as usize..block.end as usize];
        let ends = insts.first().into_iter().chain(insts.last());
        let from = ends.clone().map(|inst| inst.first as usize).min().unwrap_or(0);
        let end = ends.map(|inst| inst.first as usize + usize::from(inst.len)).max().unwrap_or(0);
        &self.operands[from..end]
    }
    /// Returns the register fields of an instruction.
    pub fn reg_fields(&self, inst: &Inst) -> &[RegField] {
        &self.reg_fields[inst.first as usize..][..usize::from(inst.len)]
    }
}

impl regalloc2::Function for VCode {
    fn num_insts(&self) -> usize {
        self.insts.len()
    }
    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }
    fn entry_block(&self) -> Block {
        Block::new(0)
    }
    fn block_insns(&self, block: Block) -> InstRange {
        let block = &self.blocks[block.index()];
        InstRange::new(InstIndex::new(block.first as usize), InstIndex::new(block.end as usize))
    }
    fn block_succs(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].successors
    }
    fn block_preds(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].predecessors
    }
    fn block_params(&self, block: Block) -> &[VReg] {
        &self.blocks[block.index()].params
    }
    fn is_ret(&self, inst: InstIndex) -> bool {
        matches!(self.insts[inst.index()].kind, InstKind::Return | InstKind::Trap)
    }
    fn is_branch(&self, inst: InstIndex) -> bool {
        matches!(self.insts[inst.index()].kind, InstKind::Jump | InstKind::Branch(_) | InstKind::Switch(_))
    }
    fn branch_blockparams(&self, block: Block, _: InstIndex, successor: usize) -> &[VReg] {
        &self.blocks[block.index()].args[successor]
    }
    fn inst_operands(&self, inst: InstIndex) -> &[Operand] {
        let inst = &self.insts[inst.index()];
        &self.operands[inst.first as usize..][..usize::from(inst.len)]
    }
    fn inst_clobbers(&self, inst: InstIndex) -> PRegSet {
        let inst = &self.insts[inst.index()];
        if !inst.is_call {
            return PRegSet::empty();
        }
        // A register that holds a result of the call is not clobbered.
        let mut clobbers = self.clobbers;
        for operand in &self.operands[inst.first as usize..][..usize::from(inst.len)] {
            if let (regalloc2::OperandKind::Def, regalloc2::OperandConstraint::FixedReg(register)) =
                (operand.kind(), operand.constraint())
            {
                clobbers.remove(register);
            }
        }
        clobbers
    }
    fn num_vregs(&self) -> usize {
        self.vregs as usize
    }
    fn debug_value_labels(&self) -> &[(VReg, InstIndex, InstIndex, u32)] {
        &self.debug_labels
    }
    fn spillslot_size(&self, class: RegClass) -> usize {
        match class {
            RegClass::Float => self.widest.bytes() as usize / 8,
            _ => 1,
        }
    }
}

/// General registers that instructions use implicitly.
pub const RAX: PReg = PReg::new(0, RegClass::Int);
pub const RCX: PReg = PReg::new(1, RegClass::Int);
pub const RDX: PReg = PReg::new(2, RegClass::Int);
/// Numbers of the general registers that a callee preserves.
pub const CALLEE_SAVED: [u8; 5] = [3, 12, 13, 14, 15];
/// Numbers of the general registers that hold the first integer arguments.
pub const ARGUMENTS: [u8; 6] = [7, 6, 2, 1, 8, 9];
const RSP: u8 = 4;
const RBP: u8 = 5;

fn caller_saved() -> PRegSet {
    let mut set = PRegSet::empty();
    for number in (0..16u8).filter(|n| *n != RSP && *n != RBP && !CALLEE_SAVED.contains(n)) {
        set.add(PReg::new(usize::from(number), RegClass::Int));
    }
    for number in 0..32 {
        set.add(PReg::new(number, RegClass::Float));
    }
    for number in 1..8 {
        set.add(PReg::new(number, RegClass::Vector));
    }
    set
}

/// Returns the registers that code may use. Mask registers exist with AVX-512 only. `withheld` removes that many
/// registers of each class, for tests.
pub fn environment(avx512: bool, withheld: usize) -> MachineEnv {
    let all = |range: std::ops::Range<usize>, class, kept: usize| {
        let kept = (range.len() - withheld.min(range.len())).max(kept.min(range.len()));
        range.take(kept).map(|number| PReg::new(number, class)).collect::<PRegSet>()
    };
    let saved = |number: &usize| CALLEE_SAVED.contains(&(*number as u8));
    let free = |number: &usize| *number != usize::from(RSP) && *number != usize::from(RBP) && !saved(number);
    let general = |numbers: Vec<usize>| numbers.into_iter().map(|n| PReg::new(n, RegClass::Int)).collect();
    let others: Vec<usize> = (0..16).filter(saved).collect();
    let others = others[..others.len() - withheld.min(others.len())].to_vec();
    let vectors = if avx512 { 0..32 } else { 0..16 };
    MachineEnv {
        preferred_regs_by_class: [
            general((0..16).filter(free).collect()),
            all(vectors, RegClass::Float, 6),
            if avx512 { all(1..8, RegClass::Vector, 3) } else { PRegSet::empty() },
        ],
        non_preferred_regs_by_class: [general(others), PRegSet::empty(), PRegSet::empty()],
        scratch_by_class: [None, None, None],
        fixed_stack_slots: Vec::new(),
    }
}
