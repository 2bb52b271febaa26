//! Lowering of terminators and selects.

use std::borrow::Cow;

use regalloc2::{RegClass, VReg};

use super::super::CodegenBug;
use super::super::inst::{InstBuilder, InstKind, Switch, View};
use super::super::vec_ops::{Size, VecOp};
use super::{Edge, Lower, Lowered, ValueRegs, one};
use grus_ir::{Block, Effect, Inst, InstId, Kind, Op, Terminator, Value};
use grus_support::{FastMap, FastSet};

impl<'a> Lower<'a> {
    /// Returns the instructions of a block in an order in which masks that replace parameters of a loop are computed
    /// behind the last use of the parameter, if their own uses come later still. Both then have one register: copies
    /// between mask registers take time, other than those between vector registers.
    pub fn sink_loop_masks<'b>(&self, block: Block, insts: Cow<'b, [InstId]>) -> Cow<'b, [InstId]> {
        if !self.target.avx512 {
            return insts;
        }
        let source = self.source;
        let targets = &source.terminator(block).targets;
        let replaced: Vec<(Value, Value)> = targets
            .iter()
            .flat_map(|to| source.blocks[to.block].params.iter().copied().zip(to.args.iter().copied()))
            .filter(|&(param, new)| {
                param != new
                    && source.ty(new).is_mask()
                    && self.def_block(new) == Some(block)
                    && source.def_inst(new).is_some_and(|inst| inst.op.effect() == Effect::Pure)
            })
            .collect();
        if replaced.is_empty() {
            return insts;
        }
        // First and last use of each value.
        let values = replaced.iter().flat_map(|&(param, new)| [param, new]);
        let mut uses: FastMap<Value, [usize; 2]> = values.map(|value| (value, [usize::MAX, 0])).collect();
        let mut defs = FastMap::default();
        for (at, &id) in insts.iter().enumerate() {
            let inst = &source.insts[id];
            for value in inst.uses() {
                if let Some([first, last]) = uses.get_mut(&value) {
                    (*first, *last) = ((*first).min(at), at);
                }
            }
            if let Some(result) = inst.result.filter(|result| uses.contains_key(result)) {
                defs.insert(result, at);
            }
        }
        let mut moves: Vec<(usize, usize)> = replaced
            .iter()
            .filter_map(|(param, new)| Some((uses[param][1], *defs.get(new)?, uses[new][0])))
            .filter(|&(last, def, first)| def < last && last < first)
            .map(|(last, def, _)| (last, def))
            .collect();
        moves.sort_unstable();
        moves.dedup();
        let is_moved: FastSet<usize> = moves.iter().map(|&(_, def)| def).collect();
        if is_moved.len() < moves.len() {
            // One mask for two parameters.
            return insts;
        }
        let mut moves = moves.into_iter().peekable();
        let mut order = Vec::with_capacity(insts.len());
        for (at, &id) in insts.iter().enumerate() {
            if !is_moved.contains(&at) {
                order.push(id);
            }
            while let Some((_, def)) = moves.next_if(|&(behind, _)| behind == at) {
                order.push(insts[def]);
            }
        }
        Cow::Owned(order)
    }

    /// Lowers a terminator, and returns the arguments of a jump.
    pub fn terminator(&mut self, inst: &'a Inst, out_edges: &[Edge<'a>]) -> Lowered<Vec<VReg>> {
        match Terminator::of(inst.op) {
            Some(Terminator::Jump | Terminator::Switch) if out_edges.len() == 1 => {
                let args = self.arguments(out_edges[0].target)?;
                self.emitted.push(InstBuilder::new(InstKind::Jump));
                return Ok(args);
            }
            Some(Terminator::BrIf) => self.branch_on(inst.args[0])?,
            Some(Terminator::Switch) => self.switch(inst)?,
            Some(Terminator::Jump) => return Err(CodegenBug("a jump leads nowhere")),
            Some(Terminator::Ret) => self.ret(inst)?,
            Some(Terminator::Unreachable) | None => self.emitted.push(InstBuilder::new(InstKind::Trap)),
        }
        Ok(Vec::new())
    }

    fn switch(&mut self, inst: &'a Inst) -> Lowered<()> {
        let bits = self.source.ty(inst.args[0]).kind.bits();
        let value = self.extended(inst.args[0], bits, false)?;
        let cases: Vec<(u64, u32)> = (1..).zip(inst.cases()).map(|(i, &case)| (case, i)).collect();
        let mut cases = cases;
        cases.sort_unstable();
        cases.dedup_by_key(|case| case.0);
        let spare = [self.general(), self.general()];
        let switch = Switch { cases, bytes: bits.max(32) / 8 };
        let build = InstBuilder::new(InstKind::Switch(Box::new(switch))).late_read(value);
        let build = build.temporary(spare[0]).temporary(spare[1]);
        self.emitted.push(build);
        Ok(())
    }

    /// Moves the bits of a half to a general register.
    pub fn half_bits(&mut self, half: VReg) -> VReg {
        let result = self.general();
        self.emitted.push(InstBuilder::vec_op(VecOp::Vmovds, Size::X).def_as(result, View::Dword).read(half));
        result
    }

    /// Moves bits in a general register to a half.
    pub fn half_of_bits(&mut self, bits: VReg) -> VReg {
        let result = self.code.vreg(RegClass::Float);
        self.emitted.push(InstBuilder::vec_op(VecOp::Vmovd, Size::X).def(result).read_as(bits, View::Dword));
        result
    }

    /// Lowers a select by one truth value or by a mask.
    pub fn select(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let ty = inst.ty;
        let [cond, yes, no] = [inst.args[0], inst.args[1], inst.args[2]];
        if let Some(regs) = self.extremum(inst)? {
            return Ok(regs);
        }
        if self.source.ty(cond).is_mask() {
            return if ty.is_mask() { self.select_masks(inst) } else { self.select_lanes(inst) };
        }
        if !ty.is_vector() && !ty.kind.is_float() {
            let bits = ty.kind.bits().max(32);
            let (yes, no) = (self.scalar(yes)?, self.scalar(no)?);
            let test = self.flags(cond)?;
            return Ok(one(self.choose(test, bits, yes, no)));
        }
        if ty.is_mask() {
            return self.select_whole_masks(inst);
        }
        if let Some(def) = self.source.def_inst(cond)
            && def.op == Op::Fcmp
            && !ty.is_vector()
            && ty.kind != Kind::F16
            && self.use_count(cond) == 1
            && self.is_in_current_block(cond)
        {
            return self.select_by_float_compare(def, yes, no, ty);
        }
        let (yes, no) = (self.value_regs(yes)?, self.value_regs(no)?);
        let shape = self.shape_of(ty)?;
        let truth = if self.sets_flags(cond) {
            let test = self.flags(cond)?;
            self.truth(test)
        } else {
            self.scalar(cond)?
        };
        Ok(self.blend_all(shape, truth, &yes, &no))
    }

    /// Checks whether a value with one use can be computed at that use.
    pub fn is_sunk(&self, value: Value) -> bool {
        self.use_count(value) == 1 && self.is_unrequested(value)
    }

    /// Checks whether the current block defines a value that no instruction behind the current one has requested.
    pub fn is_unrequested(&self, value: Value) -> bool {
        self.first_reg(value).is_none() && self.is_in_current_block(value)
    }

    /// Checks whether the current block defines a value.
    pub fn is_in_current_block(&self, value: Value) -> bool {
        self.def_block(value) == Some(self.memory_version.0)
    }
}
