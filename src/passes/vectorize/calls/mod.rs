//! Calls for all lanes.

pub(super) mod scalar_thunk;
pub(super) mod vector_abi;
pub(super) mod vectorized_functions;

use super::super::workgroup::Extent;
use super::Refusal;
use super::widen::{Done, Widener};
use crate::ir::{Attr, Inst, Mem, Op, Type, Value};
use vector_abi::{ALIGN, ArgSlot, ParamShape, from_memory, to_memory};
use vectorized_functions::{Version, VersionKey};

/// A component of an argument.
#[derive(Clone, Copy)]
enum ArgComponent {
    /// A value of the scalar function.
    Source(Value),
    /// A scalar that is uniform.
    Same(Value),
    /// A vector with all lanes.
    Wide(Value),
}

impl Widener<'_, '_> {
    /// Emits one call for all lanes if the callee can be vectorized, else a call for each lane.
    pub(super) fn call(&mut self, inst: &Inst) -> Done {
        match self.call_wide(inst) {
            Some(()) => Ok(()),
            // A work-item that waits for another one inside of a call would keep that one from running.
            None if !self.asked.may_wait && self.callees.may_wait(inst.callee()) => Err(Refusal::Waits),
            None => self.by_itself_noted(inst),
        }
    }

    fn call_wide(&mut self, inst: &Inst) -> Option<()> {
        let parts = self.parts_of_arguments(inst)?;
        let record = self.source.record?;
        let key = VersionKey {
            callee: inst.callee(),
            lanes: self.lanes,
            given: parts.iter().map(|&(part, ty)| self.given(part, ty)).collect(),
            is_masked: self.mask().is_some(),
            is_folded: record.extents.is_some(),
        };
        let asked = self.asked;
        let version = self.callees.version(key, asked)?;
        let frame = self.frame(version.frame.size);
        let mut slots = version.frame.given.iter();
        let mut next = || *slots.next().expect("a place for each");
        let number = next();
        self.hand_over(frame, number, ArgComponent::Source(record.first));
        for extent in record.extents.into_iter().flatten() {
            let length = match extent {
                Extent::Known(length) => self.b.iconst(Type::I64, length.into()),
                Extent::Param(length) => self.scalar(length),
            };
            self.hand_over(frame, next(), ArgComponent::Same(length));
        }
        for (part, _) in parts {
            self.hand_over(frame, next(), part);
        }
        if let Some(slot) = version.frame.mask {
            let mask = self.mask_value();
            self.hand_over(frame, slot, ArgComponent::Wide(mask));
        }
        let item = self.scalar(inst.args[0]);
        self.b.effect(Op::Call, &[item, frame], Attr::Func(version.id));
        self.take_results(inst, frame, &version);
        Some(())
    }

    /// Returns the components of all arguments and their types; none if a component cannot be determined.
    fn parts_of_arguments(&mut self, inst: &Inst) -> Option<Vec<(ArgComponent, Type)>> {
        let func = self.source.func;
        if !inst.args.first().is_some_and(|&item| self.shape(item).is_uniform()) {
            return None;
        }
        let mut all = Vec::new();
        for &arg in &inst.args[1..] {
            let ty = func.ty(arg);
            if !ty.is_vector() {
                all.push((ArgComponent::Source(arg), ty));
                continue;
            }
            let parts: Vec<ArgComponent> = match func.def_inst(arg) {
                Some(def) if def.op == Op::BuildVector => {
                    def.args.iter().map(|&part| ArgComponent::Source(part)).collect()
                }
                Some(def) if def.op == Op::Splat => vec![ArgComponent::Source(def.args[0]); ty.lanes.into()],
                _ if self.shape(arg).is_uniform() => {
                    let vector = self.scalar(arg);
                    (0..ty.lanes).map(|lane| ArgComponent::Same(self.b.extract(vector, lane))).collect()
                }
                _ => self.components.get(&arg)?.iter().map(|&part| ArgComponent::Wide(part)).collect(),
            };
            all.extend(parts.into_iter().map(|part| (part, ty.lane())));
        }
        Some(all)
    }

    fn given(&self, part: ArgComponent, ty: Type) -> ParamShape {
        match part {
            ArgComponent::Source(value) => ParamShape::of(self.shape(value), ty),
            ArgComponent::Same(_) => ParamShape::SAME,
            ArgComponent::Wide(_) => ParamShape::Varying,
        }
    }

    /// Returns the memory for the arguments of a call, which all calls share.
    fn frame(&mut self, size: u64) -> Value {
        let frame = match self.frame {
            Some(frame) => frame,
            None => {
                let frame = self.memory_of(size, ALIGN);
                self.frame = Some(frame);
                frame
            }
        };
        let crate::ir::Def::Inst(id) = self.b.func.values[frame].def else { unreachable!("memory is made") };
        if let Attr::SizeAlign(all, _) = &mut self.b.func.insts[id].attr {
            *all = size.max(*all);
        }
        frame
    }

    fn hand_over(&mut self, frame: Value, slot: ArgSlot, part: ArgComponent) {
        let value = match (slot.given, part) {
            (ParamShape::Stride { .. }, ArgComponent::Source(value)) => self.scalar(value),
            (ParamShape::Stride { .. }, ArgComponent::Same(value) | ArgComponent::Wide(value)) => value,
            (ParamShape::Varying, ArgComponent::Source(value)) => self.vector(value),
            (ParamShape::Varying, ArgComponent::Same(value)) => self.spread(value, 0),
            (ParamShape::Varying, ArgComponent::Wide(value)) => value,
        };
        let value = to_memory(&mut self.b, value);
        let at = self.b.ptr_offset(frame, slot.at);
        self.b.store(value, at, Mem::natural(slot.ty));
    }

    fn take_results(&mut self, inst: &Inst, frame: Value, version: &Version) {
        let Some(result) = inst.result else { return };
        let mut parts = Vec::new();
        for slot in &version.frame.results {
            let (at, ty) = (self.b.ptr_offset(frame, slot.at), self.wide(slot.ty));
            let all = self.b.load(ty, at, Mem::natural(slot.ty));
            parts.push(from_memory(&mut self.b, all, inst.ty));
        }
        if inst.ty.is_vector() {
            self.components.insert(result, parts);
        } else {
            self.define(inst, parts[0]);
        }
    }
}
