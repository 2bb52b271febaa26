//! Terminators.

use cranelift_codegen::cursor::Cursor;
use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use cranelift_codegen::ir::{self as clif, BlockArg, InstBuilder, types};

use super::arith::{float_cc, int_cc};
use super::parts::lane_type;
use super::translate::Translator;
use grus_ir::{Attr, Block, Inst, Op, Target, Terminator, Value};

impl Translator<'_> {
    pub(super) fn terminator(&mut self, block: Block, inst: &Inst, op: Terminator) {
        match op {
            Terminator::Jump => {
                let args = self.target_args(&inst.targets[0]);
                let target = self.blocks[inst.targets[0].block];
                self.ins().jump(target, &args);
            }
            Terminator::BrIf => self.branch(block, inst),
            Terminator::Switch => self.switch(inst, inst.cases()),
            Terminator::Ret => {
                let mut values: Vec<clif::Value> = inst.args.iter().flat_map(|&a| self.crossing(a)).collect();
                if let Some(address) = self.result_address {
                    self.store_parts(&values, address);
                    values.clear();
                }
                self.ins().return_(&values);
            }
            Terminator::Unreachable => {
                self.ins().trap(clif::TrapCode::unwrap_user(1));
            }
        }
    }

    fn target_args(&mut self, target: &Target) -> Vec<BlockArg> {
        let mut args = Vec::new();
        let params = &self.source.blocks[target.block].params;
        for (&arg, param) in target.args.iter().zip(params) {
            args.extend(self.crossing(arg).into_iter().map(BlockArg::Value));
            if self.carried_halves.contains(param) {
                args.extend(self.widen_halves(arg).into_iter().map(BlockArg::Value));
            }
        }
        args
    }

    /// Translates a conditional branch. If the first target stays in the loop and the second one leaves it, the
    /// condition is inverted: Cranelift hoists loop invariants only if it visits the exit edge first (a scoped walk
    /// in reverse postorder; measured at 15 % of a hot loop).
    fn branch(&mut self, block: Block, inst: &Inst) {
        let (mut then, mut otherwise) = (&inst.targets[0], &inst.targets[1]);
        let cond = if self.leaves_second(block, then.block, otherwise.block) {
            std::mem::swap(&mut then, &mut otherwise);
            self.inverted(inst.args[0])
        } else {
            self.values[inst.args[0]][0]
        };
        let (then_args, else_args) = (self.target_args(then), self.target_args(otherwise));
        let (then, otherwise) = (self.blocks[then.block], self.blocks[otherwise.block]);
        self.ins().brif(cond, then, &then_args, otherwise, &else_args);
    }

    fn leaves_second(&self, block: Block, first: Block, second: Block) -> bool {
        let Some(around) = self.loops.of(block) else { return false };
        self.loops.contains(around, first) && !self.loops.contains(around, second)
    }

    fn inverted(&mut self, cond: Value) -> clif::Value {
        let def = self.source.def_inst(cond).cloned();
        if let Some(inst) = def {
            let arg = |t: &Self, i: usize| t.values[inst.args[i]][0];
            match inst.attr {
                Attr::IntCond(cond) if inst.op == Op::Icmp => {
                    let (a, b) = (arg(self, 0), arg(self, 1));
                    return self.ins().icmp(int_cc(cond).complement(), a, b);
                }
                Attr::FloatCond(cond)
                    if inst.op == Op::Fcmp && self.source.ty(inst.args[0]).kind != grus_ir::Kind::F16 =>
                {
                    let (a, b) = (arg(self, 0), arg(self, 1));
                    return self.ins().fcmp(float_cc(cond).complement(), a, b);
                }
                _ => {}
            }
        }
        let truth = self.values[cond][0];
        let zero = self.integer(types::I8, 0);
        self.ins().icmp(IntCC::Equal, truth, zero)
    }

    /// Translates a switch into a jump table if the cases are dense, else into a binary search.
    fn switch(&mut self, inst: &Inst, cases: &[u64]) {
        let value = self.values[inst.args[0]][0];
        let ty = lane_type(self.source.ty(inst.args[0]).kind);
        let mut order: Vec<(u64, usize)> = cases.iter().enumerate().map(|(i, &c)| (c, i + 1)).collect();
        order.sort_unstable();
        order.dedup_by_key(|&mut (case, _)| case);
        if order.is_empty() {
            let (target, args) = (self.blocks[inst.targets[0].block], self.target_args(&inst.targets[0]));
            self.ins().jump(target, &args);
            return;
        }
        let span = order[order.len() - 1].0 - order[0].0;
        if order.len() >= 4 && span < 4 * order.len() as u64 {
            self.table(inst, value, ty, &order, span);
        } else {
            self.search(inst, value, ty, &order);
        }
    }

    fn table(&mut self, inst: &Inst, value: clif::Value, ty: clif::Type, order: &[(u64, usize)], span: u64) {
        let low = self.integer(ty, order[0].0);
        let index = self.ins().isub(value, low);
        // The index is clamped to one past the end, which is the default entry.
        let limit = self.integer(ty, span + 1);
        let in_range = if u64::from(ty.bits()) < 64 && span + 1 > (1 << ty.bits()) - 1 {
            index
        } else {
            self.ins().umin(index, limit)
        };
        let index = match ty.bits() {
            64 => self.ins().ireduce(types::I32, in_range),
            32 => in_range,
            _ => self.ins().uextend(types::I32, in_range),
        };
        // Cranelift rewrites the arguments of a block call in place, so no two entries may share one.
        let default = self.block_call(&inst.targets[0]);
        let mut calls = Vec::with_capacity(span as usize + 1);
        for &(case, target) in order {
            let gap = calls.len()..(case - order[0].0) as usize;
            calls.extend(gap.map(|_| self.block_call(&inst.targets[0])));
            calls.push(self.block_call(&inst.targets[target]));
        }
        let table = self.func().create_jump_table(clif::JumpTableData::new(default, &calls));
        self.ins().br_table(index, table);
    }

    fn block_call(&mut self, target: &Target) -> clif::BlockCall {
        let (block, args) = (self.blocks[target.block], self.target_args(target));
        self.func().dfg.block_call(block, &args)
    }

    fn search(&mut self, inst: &Inst, value: clif::Value, ty: clif::Type, order: &[(u64, usize)]) {
        if let [(case, target)] = order {
            let case = self.integer(ty, *case);
            let hit = self.ins().icmp(IntCC::Equal, value, case);
            let (found, default) = (&inst.targets[*target], &inst.targets[0]);
            let (found_args, default_args) = (self.target_args(found), self.target_args(default));
            let (found, default) = (self.blocks[found.block], self.blocks[default.block]);
            self.ins().brif(hit, found, &found_args, default, &default_args);
            return;
        }
        let (low, high) = order.split_at(order.len() / 2);
        let pivot = self.integer(ty, high[0].0);
        let below = self.ins().icmp(IntCC::UnsignedLessThan, value, pivot);
        let blocks = [self.func().dfg.make_block(), self.func().dfg.make_block()];
        self.ins().brif(below, blocks[0], &[], blocks[1], &[]);
        for (block, half) in blocks.into_iter().zip([low, high]) {
            self.cursor.insert_block(block);
            self.search(inst, value, ty, half);
        }
    }
}
