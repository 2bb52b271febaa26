//! Loads, stores and atomics for all lanes. A lane that is off touches no memory.

use super::Refusal;
use super::shape::Shape;
use super::widen::Widener;
use crate::ir::{Attr, Inst, Kind, Op, Type, Value};

type Done = Result<(), Refusal>;

/// Where lanes' accesses are.
enum Places {
    /// All at one address.
    One(Value),
    /// One after the other.
    Row(Value),
    /// So many bytes apart.
    Apart(Value, i64),
    /// Anywhere.
    Any(Value),
}

impl Widener<'_, '_> {
    fn places(&mut self, pointer: Value, ty: Type) -> Places {
        match self.shape(pointer) {
            Shape::Stride(stride) if stride.step == 0 => Places::One(self.scalar(pointer)),
            Shape::Stride(stride) if stride.step == i64::from(ty.bytes()) => {
                Places::Row(self.scalar(pointer))
            }
            Shape::Stride(stride) => Places::Apart(self.scalar(pointer), stride.step),
            Shape::Varying | Shape::Unknown => Places::Any(self.vector(pointer)),
        }
    }

    /// Numbers as the addresses that they are.
    fn pointers(&mut self, numbers: Value, kind: Kind) -> Value {
        let ty = Type::vector(kind, self.lanes);
        self.b.convert(Op::Bitcast, ty, numbers)
    }

    /// The addresses of all lanes.
    fn addresses(&mut self, pointer: Value) -> Value {
        let kind = self.source.func.ty(pointer).kind;
        let numbers = self.vector(pointer);
        self.pointers(numbers, kind)
    }

    pub(super) fn load(&mut self, inst: &Inst) -> Done {
        let (ty, mem) = (inst.ty, Attr::Mem(inst.mem()));
        if ty.kind == Kind::I1 {
            return Err(Refusal::Op(inst.op));
        }
        let wide = self.wide(ty);
        let new = match (self.places(inst.args[0], ty), self.mask()) {
            (Places::One(at), _) => self.b.value(Op::Load, ty, &[at], mem),
            (Places::Row(at), None) => self.b.value(Op::Load, wide, &[at], mem),
            (Places::Row(at), Some(mask)) => {
                let nothing = self.b.zero(wide);
                self.b.value(Op::MaskedLoad, wide, &[at, mask, nothing], mem)
            }
            (Places::Apart(at, step), None) => self.load_apart(inst, at, step),
            (Places::Apart(at, step), Some(mask)) => {
                let steps = self.steps(Type::vector(Kind::I64, self.lanes), step);
                let nothing = self.b.zero(wide);
                let scaled = Attr::ScaledMem(inst.mem(), 1);
                self.b.value(Op::GatherAt, wide, &[at, steps, mask, nothing], scaled)
            }
            (Places::Any(numbers), _) => {
                let kind = self.source.func.ty(inst.args[0]).kind;
                let (pointers, mask) = (self.pointers(numbers, kind), self.mask_value());
                let nothing = self.b.zero(wide);
                self.b.value(Op::Gather, wide, &[pointers, mask, nothing], mem)
            }
        };
        self.define(inst, new);
        Ok(())
    }

    fn load_apart(&mut self, inst: &Inst, at: Value, step: i64) -> Value {
        let lanes: Vec<Value> = (0..self.lanes)
            .map(|lane| {
                let place = self.b.ptr_offset(at, (step * i64::from(lane)) as u64);
                let loaded = self.b.load(inst.ty, place, inst.mem());
                if inst.ty.kind.is_ptr() { self.b.convert(Op::Bitcast, Type::I64, loaded) } else { loaded }
            })
            .collect();
        let wide = self.wide(inst.ty);
        self.b.value(Op::BuildVector, wide, &lanes, Attr::None)
    }

    pub(super) fn store(&mut self, inst: &Inst) -> Done {
        let value = inst.args[1];
        let (ty, mem) = (self.source.func.ty(value), inst.mem());
        if ty.kind == Kind::I1 {
            return Err(Refusal::Op(inst.op));
        }
        let attr = Attr::Mem(mem);
        match (self.places(inst.args[0], ty), self.mask()) {
            (Places::One(at), mask) => {
                let last = self.last(value, mask);
                self.b.store(last, at, mem);
            }
            (Places::Row(at), None) => {
                let vector = self.vector(value);
                self.b.store(vector, at, mem);
            }
            (Places::Row(at), Some(mask)) => {
                let vector = self.vector(value);
                self.b.effect(Op::MaskedStore, &[at, vector, mask], attr);
            }
            (Places::Apart(at, step), None) => {
                for lane in 0..self.lanes {
                    let place = self.b.ptr_offset(at, (step * i64::from(lane)) as u64);
                    let stored = self.lane(value, lane);
                    self.b.store(stored, place, mem);
                }
            }
            (Places::Apart(at, step), Some(mask)) => {
                let steps = self.steps(Type::vector(Kind::I64, self.lanes), step);
                let vector = self.vector(value);
                self.b.effect(Op::ScatterAt, &[at, steps, vector, mask], Attr::ScaledMem(mem, 1));
            }
            (Places::Any(numbers), _) => {
                let kind = self.source.func.ty(inst.args[0]).kind;
                let (pointers, mask) = (self.pointers(numbers, kind), self.mask_value());
                let vector = self.vector(value);
                self.b.effect(Op::Scatter, &[pointers, vector, mask], attr);
            }
        }
        Ok(())
    }

    /// The value of the last lane that is there.
    fn last(&mut self, value: Value, mask: Option<Value>) -> Value {
        let ty = self.source.func.ty(value);
        if self.shape(value).is_uniform() {
            return self.scalar(value);
        }
        let Some(mask) = mask else { return self.lane(value, self.lanes - 1) };
        let bits = if self.lanes > 32 { Type::I64 } else { Type::I32 };
        let set = self.b.value(Op::Movemask, bits, &[mask], Attr::None);
        let unused = self.b.same(Op::Clz, &[set]);
        let top = self.b.iconst(bits, u64::from(bits.kind.bits()) - 1);
        let last = self.b.same(Op::Isub, &[top, unused]);
        let last = if bits == Type::I64 { self.b.convert(Op::Trunc, Type::I32, last) } else { last };
        let vector = self.vector(value);
        let lane = self.b.value(Op::ExtractAt, self.b.func.ty(vector).lane(), &[vector, last], Attr::None);
        self.b.convert(Op::Bitcast, ty, lane)
    }

    /// An atomic operation of each lane; of all together, if they are at one place and nobody asks what was there.
    pub(super) fn lane_atomic(&mut self, inst: &Inst, op: Op) -> Done {
        let pointers = self.addresses(inst.args[0]);
        let mut args = vec![pointers];
        // An order that is not known by now is the strongest, which the attribute says.
        let known = inst.args.len() - inst.pending().map_or(0, |numbers| numbers.len());
        for &arg in &inst.args[1..known] {
            args.push(self.vector(arg));
        }
        args.push(self.mask_value());
        let ty = self.wide(inst.ty);
        let new = self.b.value(op, ty, &args, inst.attr.clone());
        self.define(inst, new);
        Ok(())
    }
}
