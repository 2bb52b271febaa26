//! Function with the vector ABI (`vector_abi`) that calls a scalar function for each active lane.
//!
//! ```text
//! for each lane: if it is active: note its work-item, load its arguments from the frame, call, store the result to the frame
//! ```
//!
//! It is used for calls that are rarely executed or that have very many lanes, so that the caller contains one
//! call only.

use super::vector_abi::{ArgFrame, ArgSlot, ParamShape, from_memory, to_memory};
use super::vectorized_functions::VersionKey;
use crate::ir::abi::item;
use crate::ir::{Attr, Block, Builder, Function, IntCond, Mem, Op, Target, Type, Value};
use crate::passes::workgroup;

/// Returns the thunk for calls of `callee`, and the layout of its frame.
pub(in crate::passes::vectorize) fn thunk(callee: &Function, key: &VersionKey) -> (Function, ArgFrame) {
    let frame = ArgFrame::of(callee, key);
    let mut func = Function::new(callee.name.clone(), Type::VOID);
    let entry = func.add_block();
    let [record, base] = [0; 2].map(|_| func.add_param(entry, Type::PRIVATE));
    let [header, test, body, next, end] = [0; 5].map(|_| func.add_block());
    let lane = func.add_param(header, Type::I64);
    let b = &mut Builder::new(&mut func, entry);
    let zero = b.iconst(Type::I64, 0);
    b.jump(header, &[zero]);
    b.switch_to(header);
    let all = b.iconst(Type::I64, key.lanes.into());
    let is_over = b.icmp(IntCond::Uge, lane, all);
    b.br_if(is_over, end, test);
    b.switch_to(test);
    let mut lane_of = OfLane { b, base, lane };
    lane_of.test(frame.mask, body, next);
    lane_of.b.switch_to(body);
    lane_of.note(&frame, record, key);
    lane_of.call(&frame, record, callee, key);
    let b = lane_of.b;
    b.jump(next, &[]);
    b.switch_to(next);
    let one = b.iconst(Type::I64, 1);
    let following = b.same(Op::Iadd, &[lane, one]);
    b.inst(Op::Jump, Type::VOID, &[], Attr::None, vec![Target::new(header, &[following])]);
    b.switch_to(end);
    b.ret(&[]);
    (func, frame)
}

/// Builder of the code for one lane.
struct OfLane<'t, 'f> {
    b: &'t mut Builder<'f>,
    base: Value,
    lane: Value,
}

impl OfLane<'_, '_> {
    /// Branches to `body` if the lane is active, else to `next`.
    fn test(&mut self, mask: Option<ArgSlot>, body: Block, next: Block) {
        let Some(slot) = mask else { return self.b.jump(body, &[]) };
        let byte = self.load(slot);
        let zero = self.b.zero(Type::I8);
        let is_there = self.b.icmp(IntCond::Ne, byte, zero);
        self.b.br_if(is_there, body, next);
    }

    /// Returns the address of the lane's element.
    fn place(&mut self, slot: ArgSlot) -> Value {
        let at = self.b.ptr_offset(self.base, slot.at);
        let ParamShape::Varying = slot.given else { return at };
        let size = self.b.iconst(Type::I64, slot.ty.bytes().into());
        let offset = self.b.same(Op::Imul, &[self.lane, size]);
        self.b.ptr_add(at, offset)
    }

    /// Loads the lane's element.
    fn load(&mut self, slot: ArgSlot) -> Value {
        let at = self.place(slot);
        let value = self.b.load(slot.ty, at, Mem::natural(slot.ty));
        let step = match slot.given {
            ParamShape::Varying | ParamShape::Stride { step: 0, .. } => return value,
            ParamShape::Stride { step, .. } => step,
        };
        let step = self.b.iconst(Type::I64, step.into());
        let more = self.b.same(Op::Imul, &[self.lane, step]);
        if slot.ty.kind.is_ptr() {
            return self.b.ptr_add(value, more);
        }
        let more = if slot.ty == Type::I64 { more } else { self.b.convert(Op::Trunc, slot.ty, more) };
        self.b.same(Op::Iadd, &[value, more])
    }

    /// Notes the work-item of the lane as the one that runs.
    fn note(&mut self, frame: &ArgFrame, record: Value, key: &VersionKey) {
        let number = self.load(frame.given[0]);
        let ids = if key.is_folded {
            let size = [1, 2, 3].map(|at| self.load(frame.given[at]));
            workgroup::ids(self.b, number, size).to_vec()
        } else {
            vec![number]
        };
        for (dim, id) in (0u64..).zip(ids) {
            let at = self.b.ptr_offset(record, item::LOCAL_ID + 8 * dim);
            self.b.store(id, at, Mem::natural(Type::I64));
        }
    }

    fn call(&mut self, frame: &ArgFrame, record: Value, callee: &Function, key: &VersionKey) {
        let mut slots = frame.given[if key.is_folded { 4 } else { 1 }..].iter();
        let mut args = vec![record];
        for ty in callee.params()[1..].iter().map(|&param| callee.ty(param)) {
            let mut parts: Vec<Value> = Vec::new();
            for &slot in slots.by_ref().take(ty.lanes.into()) {
                let part = self.load(slot);
                parts.push(from_memory(self.b, part, ty));
            }
            args.push(if ty.is_vector() {
                self.b.value(Op::BuildVector, ty, &parts, Attr::None)
            } else {
                parts[0]
            });
        }
        let call = self.b.inst(Op::Call, callee.ret, &args, Attr::Func(key.callee), Vec::new());
        let Some(result) = self.b.func.insts[call].result else { return };
        for (lane, &slot) in (0..).zip(&frame.results) {
            let part = if callee.ret.is_vector() { self.b.extract(result, lane) } else { result };
            let part = to_memory(self.b, part);
            let at = self.place(slot);
            self.b.store(part, at, Mem::natural(slot.ty));
        }
    }
}
