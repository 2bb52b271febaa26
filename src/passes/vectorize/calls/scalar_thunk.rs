//! Function with the vector ABI (`vector_abi`) that calls a scalar function for each active lane.
//!
//! ```text
//! for each active lane: note its work-item, load its arguments from the frame, call, store the result
//! ```
//!
//! It is used for calls that are rarely executed or that have very many lanes, so that the caller contains one
//! call only.

use super::vector_abi::{ArgFrame, ArgSlot, ParamShape, from_memory, to_memory};
use super::vectorized_functions::VersionKey;
use crate::work_items;
use grus_ir::abi::item;
use grus_ir::{Attr, Block, Builder, Function, IntCond, Mem, Op, Target, Type, Value};

/// Returns the thunk for calls of `callee`, and the layout of its frame.
pub(in crate::vectorize) fn thunk(callee: &Function, key: &VersionKey) -> (Function, ArgFrame) {
    let frame = ArgFrame::of(callee, key);
    let mut func = Function::new(callee.name.clone(), Type::VOID);
    let entry = func.add_block();
    let [record, base] = [0; 2].map(|_| func.add_param(entry, Type::PRIVATE));
    let [header, branch_if_active, body, next, end] = [0; 5].map(|_| func.add_block());
    let lane = func.add_param(header, Type::I64);
    let b = &mut Builder::new(&mut func, entry);
    let zero = b.iconst(Type::I64, 0);
    b.jump(header, &[zero]);
    b.switch_to(header);
    let all = b.iconst(Type::I64, key.lanes.into());
    let is_done = b.icmp(IntCond::Uge, lane, all);
    b.br_if(is_done, end, branch_if_active);
    b.switch_to(branch_if_active);
    let mut code = LaneCode { b, base, lane };
    code.branch_if_active(frame.mask, body, next);
    code.b.switch_to(body);
    code.note_work_item(&frame, record, key);
    code.call(&frame, record, callee, key);
    let b = code.b;
    b.jump(next, &[]);
    b.switch_to(next);
    let one = b.iconst(Type::I64, 1);
    let next_lane = b.same(Op::Iadd, &[lane, one]);
    b.inst(Op::Jump, Type::VOID, &[], Attr::None, vec![Target::new(header, &[next_lane])]);
    b.switch_to(end);
    b.ret(&[]);
    (func, frame)
}

/// Builder of the code for one lane.
struct LaneCode<'t, 'f> {
    b: &'t mut Builder<'f>,
    base: Value,
    lane: Value,
}

impl LaneCode<'_, '_> {
    /// Branches to `body` if the lane is active, else to `next`.
    fn branch_if_active(&mut self, mask: Option<ArgSlot>, body: Block, next: Block) {
        let Some(slot) = mask else { return self.b.jump(body, &[]) };
        let byte = self.load(slot);
        let zero = self.b.zero(Type::I8);
        let is_active = self.b.icmp(IntCond::Ne, byte, zero);
        self.b.br_if(is_active, body, next);
    }

    /// Returns the address of the lane's element.
    fn element_address(&mut self, slot: ArgSlot) -> Value {
        let address = self.b.ptr_offset(self.base, slot.at);
        let ParamShape::Varying = slot.shape else { return address };
        let size = self.b.iconst(Type::I64, slot.ty.bytes().into());
        let offset = self.b.same(Op::Imul, &[self.lane, size]);
        self.b.ptr_add(address, offset)
    }

    /// Loads the lane's element.
    fn load(&mut self, slot: ArgSlot) -> Value {
        let address = self.element_address(slot);
        let value = self.b.load(slot.ty, address, Mem::natural(slot.ty));
        let step = match slot.shape {
            ParamShape::Varying | ParamShape::Affine { step: 0, .. } => return value,
            ParamShape::Affine { step, .. } => step,
        };
        let step = self.b.iconst(Type::I64, step.into());
        let offset = self.b.same(Op::Imul, &[self.lane, step]);
        if slot.ty.kind.is_ptr() {
            return self.b.ptr_add(value, offset);
        }
        let offset = if slot.ty == Type::I64 { offset } else { self.b.convert(Op::Trunc, slot.ty, offset) };
        self.b.same(Op::Iadd, &[value, offset])
    }

    /// Notes the work-item of the lane as the one that runs.
    fn note_work_item(&mut self, frame: &ArgFrame, record: Value, key: &VersionKey) {
        let number = self.load(frame.params[0]);
        let ids = if key.has_linear_ids {
            let size = [1, 2, 3].map(|at| self.load(frame.params[at]));
            work_items::delinearize(self.b, number, size).to_vec()
        } else {
            vec![number]
        };
        for (dim, id) in (0u64..).zip(ids) {
            let address = self.b.ptr_offset(record, item::LOCAL_ID + 8 * dim);
            self.b.store(id, address, Mem::natural(Type::I64));
        }
    }

    fn call(&mut self, frame: &ArgFrame, record: Value, callee: &Function, key: &VersionKey) {
        let mut slots = frame.params[if key.has_linear_ids { 4 } else { 1 }..].iter();
        let mut args = vec![record];
        for ty in callee.params()[1..].iter().map(|&param| callee.ty(param)) {
            let mut components: Vec<Value> = Vec::new();
            for &slot in slots.by_ref().take(ty.lanes.into()) {
                let component = self.load(slot);
                components.push(from_memory(self.b, component, ty));
            }
            args.push(if ty.is_vector() {
                self.b.value(Op::BuildVector, ty, &components, Attr::None)
            } else {
                components[0]
            });
        }
        let call = self.b.inst(Op::Call, callee.ret, &args, Attr::Func(key.callee), Vec::new());
        let Some(result) = self.b.func.insts[call].result else { return };
        for (lane, &slot) in (0..).zip(&frame.results) {
            let component = if callee.ret.is_vector() { self.b.extract(result, lane) } else { result };
            let component = to_memory(self.b, component);
            let address = self.element_address(slot);
            self.b.store(component, address, Mem::natural(slot.ty));
        }
    }
}
