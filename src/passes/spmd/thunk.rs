//! A function that calls another, which is for one item, for each lane that calls (`convention`).
//!
//! ```text
//! for each lane: if it calls: note its item, take its arguments from the frame, call, put the result into the frame
//! ```
//!
//! What hardly ever happens, or is done for very many lanes, is one call for who does it: so that stays small.

use super::convention::{Frame, Given, Slot, in_memory};
use crate::ir::abi::item;
use crate::ir::{Attr, Block, Builder, FuncId, Function, IntCond, Kind, Mem, Op, Target, Type, Value};
use crate::passes::group;

/// The function that calls `callee`, whose place is `id`, and the frame it wants.
pub(super) fn thunk(
    callee: &Function,
    id: FuncId,
    given: &[Given],
    lanes: u16,
    is_masked: bool,
    is_folded: bool,
) -> (Function, Frame) {
    let types: Vec<Type> = callee.params()[1..].iter().map(|&param| callee.ty(param)).collect();
    let frame = Frame::of(&types, callee.ret, given, lanes, is_masked, is_folded);
    let mut func = Function::new(callee.name.clone(), Type::VOID);
    let entry = func.add_block();
    let [record, base] = [0; 2].map(|_| func.add_param(entry, Type::PRIVATE));
    let [header, test, body, next, end] = [0; 5].map(|_| func.add_block());
    let lane = func.add_param(header, Type::I64);
    let b = &mut Builder::new(&mut func, entry);
    let zero = b.iconst(Type::I64, 0);
    b.jump(header, &[zero]);
    b.switch_to(header);
    let all = b.iconst(Type::I64, lanes.into());
    let is_over = b.icmp(IntCond::Uge, lane, all);
    b.br_if(is_over, end, test);
    b.switch_to(test);
    let mut lane_of = OfLane { b, base, lane };
    lane_of.test(frame.mask, body, next);
    lane_of.b.switch_to(body);
    lane_of.note(&frame, record, is_folded);
    lane_of.call(&frame, id, record, &types, callee.ret, is_folded);
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

/// What is done for one lane.
struct OfLane<'t, 'f> {
    b: &'t mut Builder<'f>,
    base: Value,
    lane: Value,
}

impl OfLane<'_, '_> {
    /// Goes on only if the lane calls.
    fn test(&mut self, mask: Option<Slot>, body: Block, next: Block) {
        let Some(slot) = mask else { return self.b.jump(body, &[]) };
        let byte = self.load(slot);
        let zero = self.b.zero(Type::I8);
        let is_there = self.b.icmp(IntCond::Ne, byte, zero);
        self.b.br_if(is_there, body, next);
    }

    /// Where the lane's element is.
    fn place(&mut self, slot: Slot) -> Value {
        let at = self.b.ptr_offset(self.base, slot.at);
        let Given::Varying = slot.given else { return at };
        let size = self.b.iconst(Type::I64, slot.ty.bytes().into());
        let offset = self.b.same(Op::Imul, &[self.lane, size]);
        self.b.ptr_add(at, offset)
    }

    /// The lane's element.
    fn load(&mut self, slot: Slot) -> Value {
        let at = self.place(slot);
        let value = self.b.load(slot.ty, at, Mem::natural(slot.ty));
        let step = match slot.given {
            Given::Varying | Given::Stride { step: 0, .. } => return value,
            Given::Stride { step, .. } => step,
        };
        let step = self.b.iconst(Type::I64, step.into());
        let more = self.b.same(Op::Imul, &[self.lane, step]);
        if slot.ty.kind.is_ptr() {
            return self.b.ptr_add(value, more);
        }
        let more = if slot.ty == Type::I64 { more } else { self.b.convert(Op::Trunc, slot.ty, more) };
        self.b.same(Op::Iadd, &[value, more])
    }

    /// Notes which item runs.
    fn note(&mut self, frame: &Frame, record: Value, is_folded: bool) {
        let number = self.load(frame.given[0]);
        let ids = if is_folded {
            let size = [1, 2, 3].map(|at| self.load(frame.given[at]));
            group::ids(self.b, number, size).to_vec()
        } else {
            vec![number]
        };
        for (dim, id) in (0u64..).zip(ids) {
            let at = self.b.ptr_offset(record, item::LOCAL_ID + 8 * dim);
            self.b.store(id, at, Mem::natural(Type::I64));
        }
    }

    fn call(
        &mut self,
        frame: &Frame,
        id: FuncId,
        record: Value,
        types: &[Type],
        returned: Type,
        is_folded: bool,
    ) {
        let mut slots = frame.given[if is_folded { 4 } else { 1 }..].iter();
        let mut args = vec![record];
        for &ty in types {
            let mut parts: Vec<Value> = Vec::new();
            for &slot in slots.by_ref().take(ty.lanes.into()) {
                let part = self.load(slot);
                parts.push(self.truth(part, ty));
            }
            args.push(if ty.is_vector() {
                self.b.value(Op::BuildVector, ty, &parts, Attr::None)
            } else {
                parts[0]
            });
        }
        let call = self.b.inst(Op::Call, returned, &args, Attr::Func(id), Vec::new());
        let Some(result) = self.b.func.insts[call].result else { return };
        for (lane, &slot) in (0..).zip(&frame.results) {
            let part = if returned.is_vector() { self.b.extract(result, lane) } else { result };
            let part = if is_of_truths(returned) {
                self.b.convert(Op::Zext, in_memory(returned.lane()), part)
            } else {
                part
            };
            let at = self.place(slot);
            self.b.store(part, at, Mem::natural(slot.ty));
        }
    }

    /// A byte as the truth value that it is.
    fn truth(&mut self, value: Value, ty: Type) -> Value {
        if !is_of_truths(ty) {
            return value;
        }
        let zero = self.b.zero(Type::I8);
        self.b.icmp(IntCond::Ne, value, zero)
    }
}

/// Whether a type is that of truth values.
fn is_of_truths(ty: Type) -> bool {
    ty.kind == Kind::I1
}
