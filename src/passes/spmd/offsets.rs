//! Pointers of lanes as one base and an offset for each: numbers of 32 bits, where they are no more, and a factor. That is
//! what instructions take that gather, and less to compute than pointers.

use super::widen::Widener;
use crate::ir::{Inst, Op, Type, Value};

/// Where lanes are: `base` + `index` × `scale`, the index with its sign.
pub(super) struct Offsets {
    /// One for all.
    pub base: Value,
    /// One for each lane, of 32 or 64 bits.
    pub index: Value,
    pub scale: u32,
}

/// Sums that are looked through.
const DEPTH: usize = 4;

impl<'f> Widener<'f, '_> {
    /// The places of a pointer that varies, if it is a base and an offset.
    pub(super) fn offsets(&mut self, pointer: Value) -> Option<Offsets> {
        if self.is_own(pointer) {
            return None;
        }
        let (base, mut index, more) = self.base_of(pointer)?;
        let mut scale = 1;
        if let Some((inst, factor)) = self.seen(index).and_then(|inst| Some((inst, self.factor(inst)?))) {
            (index, scale) = (inst.args[0], factor);
        }
        // What is added to all before it is scaled.
        let mut sum = None;
        if let Some(inst) = self.seen(index).filter(|inst| inst.op == Op::Iadd)
            && let Some(at) = inst.args.iter().position(|&arg| self.shape(arg).is_uniform())
        {
            (sum, index) = (Some(inst.args[at]), inst.args[1 - at]);
        }
        if let Some(inst) = self.seen(index).filter(|inst| inst.op == Op::Sext)
            && self.source.func.ty(inst.args[0]) == Type::I32
        {
            index = inst.args[0];
        }
        let mut place = self.scalar(base);
        for offset in more {
            let offset = self.scalar(offset);
            place = self.b.ptr_add(place, offset);
        }
        if let Some(sum) = sum {
            let factor = self.b.iconst(Type::I64, scale.into());
            let sum = self.scalar(sum);
            let offset = self.b.same(Op::Imul, &[sum, factor]);
            place = self.b.ptr_add(place, offset);
        }
        Some(Offsets { base: place, index: self.vector(index), scale })
    }

    /// A pointer that all lanes share, an offset that varies, and offsets that do not.
    pub(super) fn base_of(&self, mut pointer: Value) -> Option<(Value, Value, Vec<Value>)> {
        let mut more = Vec::new();
        for _ in 0..DEPTH {
            let inst = self.seen(pointer).filter(|inst| inst.op == Op::PtrAdd)?;
            let &[base, offset] = &inst.args[..] else { return None };
            match (self.shape(base).is_uniform(), self.shape(offset).is_uniform()) {
                (true, _) => return Some((base, offset, more)),
                (false, true) => more.push(offset),
                (false, false) => return None,
            }
            pointer = base;
        }
        None
    }

    /// What multiplies an offset, if that is a constant.
    fn factor(&self, inst: &Inst) -> Option<u32> {
        let by = self.source.func.as_const(*inst.args.get(1)?)?;
        match inst.op {
            Op::Imul => u32::try_from(by).ok(),
            Op::Shl => 1u32.checked_shl(u32::try_from(by).ok()?).filter(|_| by < 31),
            _ => None,
        }
    }

    /// What makes a value, if here its operands are what they were there.
    fn seen(&self, value: Value) -> Option<&'f Inst> {
        let source = self.source;
        let inst = source.func.def_inst(value)?;
        let is_here = |&arg: &Value| self.is_defined(arg) && !source.shapes.leaves(arg, self.here);
        inst.args.iter().all(is_here).then_some(inst)
    }
}
