//! Translation of one function: blocks, parameters, and the match over all ops.

use cranelift_codegen::cursor::{Cursor, CursorPosition, FuncCursor};
use cranelift_codegen::entity::EntityRef;
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use cranelift_codegen::isa::{CallConv, TargetIsa};

use super::super::CodegenError;
use super::Environment;
use super::features::Features;
use super::lanes::LaneAddresses;
use super::mask::MaskForm;
use super::parts::{ClifParts, lane_type, layout};
use crate::rtlib;
use grus_ir::analysis::{Cfg, DomTree, Loops};
use grus_ir::{
    Address, Block, CallOp, Choice, Class, Comparison, Constant, FloatTernary, FuncId, Function, Helper,
    Inst, Kind, LaneOp, MemoryOp, Terminator, Type, Value,
};
use grus_support::{FastMap, FastSet, Id, IdMap};

/// State of the translation of one function.
pub(super) struct Translator<'a> {
    pub source: &'a Function,
    pub environment: &'a Environment<'a>,
    pub cursor: FuncCursor<'a>,
    pub values: IdMap<Value, ClifParts>,
    pub blocks: IdMap<Block, clif::Block>,
    pub loops: Loops,
    pub features: Features,
    /// Floats equal to halves that were computed.
    pub half_floats: FastMap<Value, ClifParts>,
    /// Representations of masks, if not [`MaskForm::of`] their type.
    pub forms: FastMap<Value, MaskForm>,
    /// Words that hold all lanes of packed vectors (`packed.rs`).
    pub packed: FastMap<Value, clif::Value>,
    /// Block parameters that are passed as floats in addition.
    pub carried_halves: FastSet<Value>,
    /// Address to which a result of several parts is written.
    pub result_address: Option<clif::Value>,
    conv: CallConv,
    signatures: FastMap<Helper, clif::SigRef>,
    functions: FastMap<FuncId, clif::FuncRef>,
}

/// Translates a function to Cranelift's IR.
pub(super) fn translate(
    source: &Function,
    tracked: &[Value],
    environment: &Environment<'_>,
    isa: &dyn TargetIsa,
) -> Result<clif::Function, CodegenError> {
    let conv = CallConv::triple_default(isa.triple());
    let params = source.params().iter().map(|&p| source.ty(p));
    let signature = signature(conv, params, source.ret);
    let mut func = clif::Function::with_name_signature(clif::UserFuncName::user(0, 0), signature);
    let cfg = Cfg::new(source);
    let dom = DomTree::new(source, &cfg);
    let loops = Loops::new(source, &cfg, &dom);
    let mut translator = Translator {
        source,
        environment,
        cursor: FuncCursor::new(&mut func),
        values: IdMap::with_len(ClifParts::new(), source.values.len()),
        blocks: IdMap::with_len(clif::Block::new(0), source.blocks.len()),
        loops,
        features: Features::of(isa),
        half_floats: FastMap::default(),
        forms: FastMap::default(),
        packed: FastMap::default(),
        carried_halves: FastSet::default(),
        result_address: None,
        conv,
        signatures: FastMap::default(),
        functions: FastMap::default(),
    };
    translator.find_carried_halves(&cfg);
    translator.declare_blocks(&cfg);
    for &block in cfg.rpo() {
        translator.block(block)?;
    }
    translator.track(tracked);
    Ok(func)
}

/// Checks whether a result is returned through memory, since registers for results are few.
fn returns_by_address(ret: Type) -> bool {
    ret != Type::VOID && layout(ret).count > 1
}

/// Returns the Cranelift signature of a function. Each part of a parameter is a parameter; a result of several
/// parts is written to memory, whose address is the last parameter.
fn signature(conv: CallConv, params: impl Iterator<Item = Type>, ret: Type) -> clif::Signature {
    let mut signature = clif::Signature::new(conv);
    for ty in params {
        let layout = layout(ty);
        signature.params.extend((0..layout.count).map(|_| clif::AbiParam::new(layout.part)));
    }
    if returns_by_address(ret) {
        signature.params.push(clif::AbiParam::new(types::I64));
    } else if ret != Type::VOID {
        signature.returns.push(clif::AbiParam::new(layout(ret).part));
    }
    signature
}

impl<'a> Translator<'a> {
    pub(super) fn func(&mut self) -> &mut clif::Function {
        self.cursor.func
    }

    pub(super) fn ins(&mut self) -> impl InstBuilder<'_> {
        self.cursor.ins()
    }

    /// Makes Cranelift report the locations of these values: only of scalars, and only of those that are not
    /// optimized away.
    fn track(&mut self, tracked: &[Value]) {
        if tracked.is_empty() {
            return;
        }
        self.func().dfg.collect_debug_info();
        for (index, &value) in tracked.iter().enumerate() {
            let Some(&value) = self.values[value].first() else { continue };
            let label = clif::ValueLabel::from_u32(index as u32);
            let from = clif::RelSourceLoc::default();
            let start = clif::ValueLabelStart { from, label };
            if let Some(labels) = &mut self.func().dfg.values_labels {
                match labels.entry(value).or_insert_with(|| clif::ValueLabelAssignments::Starts(Vec::new())) {
                    clif::ValueLabelAssignments::Starts(starts) => starts.push(start),
                    clif::ValueLabelAssignments::Alias { .. } => {}
                }
            }
        }
    }

    fn declare_blocks(&mut self, cfg: &Cfg) {
        for &block in cfg.rpo() {
            let new = self.func().dfg.make_block();
            self.func().layout.append_block(new);
            self.blocks[block] = new;
            for &param in &self.source.blocks[block].params {
                let layout = layout(self.source.ty(param));
                let append = |_| self.cursor.func.dfg.append_block_param(new, layout.part);
                self.values[param] = (0..layout.count).map(append).collect();
                self.append_carried(param, new);
            }
            if block == self.source.entry() && returns_by_address(self.source.ret) {
                self.result_address = Some(self.func().dfg.append_block_param(new, types::I64));
            }
        }
    }

    fn block(&mut self, block: Block) -> Result<(), CodegenError> {
        let new = self.blocks[block];
        self.cursor.set_position(CursorPosition::Before(new));
        self.cursor.goto_bottom(new);
        for &id in &self.source.blocks[block].insts {
            let inst = &self.source.insts[id];
            self.cursor.set_srcloc(clif::SourceLoc::new(inst.loc));
            if let Some(op) = Terminator::of(inst.op) {
                self.terminator(block, inst, op);
            } else {
                let parts = self.inst(inst)?;
                if let Some(result) = inst.result {
                    self.values[result] = parts;
                }
            }
        }
        Ok(())
    }

    /// Returns the parts of operand `index`.
    pub(super) fn arg(&self, inst: &Inst, index: usize) -> ClifParts {
        self.values[inst.args[index]].clone()
    }

    /// Returns a scalar operand.
    pub(super) fn scalar(&self, inst: &Inst, index: usize) -> clif::Value {
        self.values[inst.args[index]][0]
    }

    pub(super) fn arg_type(&self, inst: &Inst, index: usize) -> Type {
        self.source.ty(inst.args[index])
    }

    /// Translates any op that is not a terminator; returns no parts if it has no result.
    fn inst(&mut self, inst: &Inst) -> Result<ClifParts, CodegenError> {
        let one = |value: clif::Value| -> ClifParts { ClifParts::from_slice(&[value]) };
        Ok(match inst.op.class() {
            Class::Constant(Constant::Iconst) => one(self.integer(lane_type(inst.ty.kind), inst.int())),
            Class::Constant(Constant::Fconst) => one(self.float(inst.ty, inst.int())),
            Class::IntBinary(op) => self.int_binary(inst, op),
            Class::IntUnary(op) => self.int_unary(inst, op),
            Class::FloatBinary(op) => self.float_binary(inst, op),
            Class::FloatUnary(op) => self.float_unary(inst, op),
            Class::FloatTernary(FloatTernary::Fma) => self.fma(inst),
            Class::Comparison(Comparison::Icmp) => self.icmp(inst),
            Class::Comparison(Comparison::Fcmp) => self.fcmp(inst),
            Class::Conversion(op) => self.convert(inst, op),
            Class::LaneOp(op) => self.lane_op(inst, op),
            Class::MaskOp(op) => one(self.mask_op(inst, op)),
            Class::Choice(Choice::Select) if self.arg_type(inst, 0).is_mask() => self.select_lanes(inst),
            Class::Choice(Choice::Select) if inst.ty.is_mask() => self.select_mask(inst),
            Class::Choice(Choice::Select) => {
                let (cond, a, b) = (self.scalar(inst, 0), self.arg(inst, 1), self.arg(inst, 2));
                a.iter().zip(&b).map(|(&a, &b)| self.ins().select(cond, a, b)).collect()
            }
            Class::Address(Address::Alloca) => one(self.alloca(inst)),
            Class::Address(Address::GlobalAddr) => {
                one(self.integer(types::I64, self.environment.globals[inst.global()]))
            }
            Class::Address(Address::PtrAdd) => {
                let (ptr, bytes) = (self.scalar(inst, 0), self.scalar(inst, 1));
                one(self.ins().iadd(ptr, bytes))
            }
            Class::MemoryOp(op) => self.memory_op(inst, op)?,
            Class::CallOp(CallOp::Call) => self.call(inst),
            Class::Address(Address::LocalAddr)
            | Class::ItemOp(_)
            | Class::GroupOp(_)
            | Class::SubGroupOp(_) => {
                return Err(CodegenError::Unsupported(inst.op));
            }
            Class::Terminator(_) => return Err(CodegenError::Terminator),
        })
    }

    fn lane_op(&mut self, inst: &Inst, op: LaneOp) -> ClifParts {
        if inst.ty.is_mask() {
            return self.mask_lanes(inst, op);
        }
        match op {
            LaneOp::Bitcast => self.bitcast(inst),
            LaneOp::Splat => self.splat(inst),
            LaneOp::Extract if self.arg_type(inst, 0).is_mask() => {
                ClifParts::from_slice(&[self.mask_lane(inst.args[0], inst.int() as usize)])
            }
            LaneOp::Extract => {
                let lane = self.lane(self.arg_type(inst, 0), &self.arg(inst, 0), inst.int() as usize);
                ClifParts::from_slice(&[lane])
            }
            LaneOp::Iota => {
                let lane = lane_type(inst.ty.kind);
                let lanes: Vec<clif::Value> =
                    (0..u64::from(inst.ty.lanes)).map(|number| self.integer(lane, number)).collect();
                self.join_lanes(inst.ty, &lanes)
            }
            LaneOp::ExtractAt => {
                let ty = self.arg_type(inst, 0);
                let lanes: Vec<clif::Value> = if ty.is_mask() {
                    self.mask(inst.args[0], MaskForm::Bytes).into_vec()
                } else {
                    self.split_lanes(ty, &self.arg(inst, 0))
                };
                ClifParts::from_slice(&[self.extract_at(&lanes, self.scalar(inst, 1))])
            }
            LaneOp::Permute => self.permute(inst),
            LaneOp::InsertAt => {
                let lanes = self.split_lanes(inst.ty, &self.arg(inst, 0));
                let lanes = self.insert_at(lanes.into(), self.scalar(inst, 1), self.scalar(inst, 2));
                self.join_lanes(inst.ty, &lanes)
            }
            LaneOp::Insert => {
                let value = self.scalar(inst, 1);
                self.with_lane(inst.ty, &self.arg(inst, 0), inst.int() as usize, value)
            }
            LaneOp::Shuffle => {
                let (a, b) = (self.arg(inst, 0), self.arg(inst, 1));
                self.shuffle(self.arg_type(inst, 0), &a, &b, inst.lanes(), inst.ty)
            }
            LaneOp::BuildVector => {
                let lanes: Vec<clif::Value> = (0..inst.args.len()).map(|i| self.scalar(inst, i)).collect();
                self.join_lanes(inst.ty, &lanes)
            }
        }
    }

    fn memory_op(&mut self, inst: &Inst, op: MemoryOp) -> Result<ClifParts, CodegenError> {
        let one = |value: clif::Value| -> ClifParts { ClifParts::from_slice(&[value]) };
        Ok(match op {
            MemoryOp::Load => self.load(inst),
            MemoryOp::Store => self.store(inst),
            MemoryOp::MaskedLoad => {
                let addresses = LaneAddresses::Contiguous(self.scalar(inst, 0));
                self.gather(inst, &addresses, inst.args[1], inst.args[2])
            }
            MemoryOp::MaskedStore => {
                let addresses = LaneAddresses::Contiguous(self.scalar(inst, 0));
                self.scatter(&addresses, inst.args[1], inst.args[2])
            }
            MemoryOp::Gather => self.gather(inst, &self.pointers(inst, 0), inst.args[1], inst.args[2]),
            MemoryOp::Scatter => self.scatter(&self.pointers(inst, 0), inst.args[1], inst.args[2]),
            MemoryOp::GatherAt => {
                let addresses = self.scaled_addresses(inst);
                self.gather(inst, &addresses, inst.args[2], inst.args[3])
            }
            MemoryOp::ScatterAt => {
                let addresses = self.scaled_addresses(inst);
                self.scatter(&addresses, inst.args[2], inst.args[3])
            }
            MemoryOp::LaneRmw => self.lane_rmw(inst),
            MemoryOp::LaneCas => self.lane_cas(inst),
            MemoryOp::MemCopy => self.mem_copy(inst),
            MemoryOp::MemZero => self.mem_zero(inst),
            MemoryOp::AtomicRmw => one(self.atomic_rmw(inst)),
            MemoryOp::AtomicCas => one(self.atomic_cas(inst)),
            MemoryOp::AtomicLoad => {
                let ptr = self.scalar(inst, 0);
                one(self.atomic_load(lane_type(inst.ty.kind), ptr))
            }
            MemoryOp::AtomicStore => self.atomic_store(inst),
            MemoryOp::Fence => self.fence(inst),
            MemoryOp::Trap => {
                // Without the sequence point, a block that only traps would be merged into the branch to it, and
                // have the line of that.
                self.ins().sequence_point();
                self.ins().trap(clif::TrapCode::unwrap_user(1));
                // The code after the trap is in an unreachable block.
                let rest = self.func().dfg.make_block();
                self.cursor.insert_block(rest);
                ClifParts::new()
            }
            MemoryOp::CallHelper => {
                let args: Vec<clif::Value> = (0..inst.args.len()).flat_map(|i| self.arg(inst, i)).collect();
                self.call_helper(inst.helper(), &args)
            }
            MemoryOp::ImageQuery | MemoryOp::ImageLoad | MemoryOp::ImageStore => {
                return Err(CodegenError::Unsupported(inst.op));
            }
        })
    }

    pub(super) fn integer(&mut self, ty: clif::Type, bits: u64) -> clif::Value {
        // Cranelift expects immediates sign-extended from the type's width or masked to it.
        let width = ty.bits();
        let masked = if width == 64 { bits } else { bits & ((1 << width) - 1) };
        self.ins().iconst(ty, masked as i64)
    }

    fn float(&mut self, ty: Type, bits: u64) -> clif::Value {
        match lane_type(ty.kind) {
            types::F32 => self.ins().f32const(clif::immediates::Ieee32::with_bits(bits as u32)),
            types::F64 => self.ins().f64const(clif::immediates::Ieee64::with_bits(bits)),
            other => self.integer(other, bits),
        }
    }

    fn splat(&mut self, inst: &Inst) -> ClifParts {
        let layout = layout(inst.ty);
        let value = self.scalar(inst, 0);
        if layout.lanes_per_part == 1 {
            return ClifParts::from_elem(value, layout.count);
        }
        let vector = self.ins().splat(layout.part, value);
        ClifParts::from_elem(vector, layout.count)
    }

    fn call(&mut self, inst: &Inst) -> ClifParts {
        let callee = inst.callee();
        let reference = match self.functions.get(&callee) {
            Some(&reference) => reference,
            None => {
                let params = inst.args.iter().map(|&a| self.source.ty(a));
                let signature = signature(self.conv, params, inst.ty);
                let signature = self.func().import_signature(signature);
                let name = clif::UserExternalName::new(1, callee.index() as u32);
                let name = self.func().declare_imported_user_function(name);
                let data = clif::ExtFuncData {
                    name: clif::ExternalName::user(name),
                    signature,
                    colocated: true,
                    patchable: false,
                };
                let reference = self.func().import_function(data);
                self.functions.insert(callee, reference);
                reference
            }
        };
        let mut args: Vec<clif::Value> = inst.args.iter().flat_map(|&arg| self.crossing(arg)).collect();
        if !returns_by_address(inst.ty) {
            let call = self.ins().call(reference, &args);
            return ClifParts::from_slice(self.func().dfg.inst_results(call));
        }
        let result = layout(inst.ty);
        let address = self.scratch(result.part.bytes() * result.count as u32);
        args.push(address);
        self.ins().call(reference, &args);
        self.load_parts(inst.ty, address)
    }

    /// Calls a runtime function by its address.
    pub(super) fn call_helper(&mut self, helper: Helper, args: &[clif::Value]) -> ClifParts {
        let declaration = rtlib::declaration(helper);
        let signature = match self.signatures.get(&helper) {
            Some(&signature) => signature,
            None => {
                let signature = self.helper_signature(declaration);
                let reference = self.func().import_signature(signature);
                self.signatures.insert(helper, reference);
                reference
            }
        };
        let address = self.integer(types::I64, declaration.address as u64);
        let call = self.ins().call_indirect(signature, address, args);
        ClifParts::from_slice(self.func().dfg.inst_results(call))
    }

    fn helper_signature(&self, declaration: rtlib::Declaration) -> clif::Signature {
        let param = |&kind: &Kind| clif::AbiParam::new(lane_type(kind));
        let mut signature = clif::Signature::new(self.conv);
        signature.params.extend(declaration.params.iter().map(param));
        signature.returns.extend(Some(&declaration.result).filter(|&&kind| kind != Kind::Void).map(param));
        signature
    }
}
