//! Calls for all lanes.

pub(super) mod scalar_thunk;
pub(super) mod vector_abi;
pub(super) mod vectorized_functions;

use super::super::work_items::Extent;
use super::Refusal;
use super::widen::{WidenResult, Widener};
use grus_ir::{Attr, Inst, Mem, Op, Type, Value};
use vector_abi::{ArgSlot, ParamShape, VECTOR_ALIGN, from_memory, to_memory};
use vectorized_functions::{Version, VersionKey};

/// A component of an argument.
#[derive(Clone, Copy)]
enum ArgComponent {
    /// A value of the scalar function.
    Source(Value),
    /// A scalar that is uniform.
    Uniform(Value),
    /// A vector with all lanes.
    Vector(Value),
}

impl Widener<'_, '_> {
    /// Emits one call for all lanes if the callee can be vectorized, else a call for each lane.
    pub(super) fn call(&mut self, inst: &Inst) -> WidenResult {
        match self.call_vectorized(inst) {
            Some(()) => Ok(()),
            // A work-item that waits for another one inside of a call would keep that one from running.
            None if !self.options.may_wait && self.callees.may_wait(inst.callee()) => Err(Refusal::SpinWaits),
            None => self.repeat_noted(inst),
        }
    }

    fn call_vectorized(&mut self, inst: &Inst) -> Option<()> {
        let components = self.arg_components(inst)?;
        let record = self.source.record?;
        let key = VersionKey {
            callee: inst.callee(),
            lanes: self.lanes,
            params: components.iter().map(|&(component, ty)| self.param_shape(component, ty)).collect(),
            is_masked: self.mask().is_some(),
            has_linear_ids: record.extents.is_some(),
        };
        let options = self.options;
        let version = self.callees.version(key, options)?;
        let frame = self.call_frame(version.frame.size);
        let mut slots = version.frame.params.iter();
        let mut next = || *slots.next().expect("a place for each");
        let number = next();
        self.store_arg(frame, number, ArgComponent::Source(record.first));
        for extent in record.extents.into_iter().flatten() {
            let length = match extent {
                Extent::Known(length) => self.b.iconst(Type::I64, length.into()),
                Extent::Param(length) => self.scalar(length),
            };
            self.store_arg(frame, next(), ArgComponent::Uniform(length));
        }
        for (component, _) in components {
            self.store_arg(frame, next(), component);
        }
        if let Some(slot) = version.frame.mask {
            let mask = self.mask_value();
            self.store_arg(frame, slot, ArgComponent::Vector(mask));
        }
        let record_address = self.scalar(inst.args[0]);
        self.b.effect(Op::Call, &[record_address, frame], Attr::Func(version.id));
        self.load_results(inst, frame, &version);
        Some(())
    }

    /// Returns the components of all arguments and their types; none if a component cannot be determined.
    fn arg_components(&mut self, inst: &Inst) -> Option<Vec<(ArgComponent, Type)>> {
        let func = self.source.func;
        if !inst.args.first().is_some_and(|&record_address| self.shape(record_address).is_uniform()) {
            return None;
        }
        let mut all = Vec::new();
        for &arg in &inst.args[1..] {
            let ty = func.ty(arg);
            if !ty.is_vector() {
                all.push((ArgComponent::Source(arg), ty));
                continue;
            }
            let components: Vec<ArgComponent> = match func.def_inst(arg) {
                Some(def) if def.op == Op::BuildVector => {
                    def.args.iter().map(|&component| ArgComponent::Source(component)).collect()
                }
                Some(def) if def.op == Op::Splat => vec![ArgComponent::Source(def.args[0]); ty.lanes.into()],
                _ if self.shape(arg).is_uniform() => {
                    let vector = self.scalar(arg);
                    (0..ty.lanes).map(|lane| ArgComponent::Uniform(self.b.extract(vector, lane))).collect()
                }
                _ => self
                    .values
                    .components
                    .get(&arg)?
                    .iter()
                    .map(|&component| ArgComponent::Vector(component))
                    .collect(),
            };
            all.extend(components.into_iter().map(|component| (component, ty.lane())));
        }
        Some(all)
    }

    fn param_shape(&self, component: ArgComponent, ty: Type) -> ParamShape {
        match component {
            ArgComponent::Source(value) => ParamShape::of(self.shape(value), ty),
            ArgComponent::Uniform(_) => ParamShape::UNIFORM,
            ArgComponent::Vector(_) => ParamShape::Varying,
        }
    }

    /// Returns the memory for the arguments of a call, which all calls share.
    fn call_frame(&mut self, size: u64) -> Value {
        let frame = match self.memory_state.call_frame {
            Some(frame) => frame,
            None => {
                let frame = self.new_object(size, VECTOR_ALIGN);
                self.memory_state.call_frame = Some(frame);
                frame
            }
        };
        let grus_ir::Def::Inst(id) = self.b.func.values[frame].def else { unreachable!("memory is made") };
        if let Attr::SizeAlign(all, _) = &mut self.b.func.insts[id].attr {
            *all = size.max(*all);
        }
        frame
    }

    fn store_arg(&mut self, frame: Value, slot: ArgSlot, component: ArgComponent) {
        let value = match (slot.shape, component) {
            (ParamShape::Affine { .. }, ArgComponent::Source(value)) => self.scalar(value),
            (ParamShape::Affine { .. }, ArgComponent::Uniform(value) | ArgComponent::Vector(value)) => value,
            (ParamShape::Varying, ArgComponent::Source(value)) => self.vector(value),
            (ParamShape::Varying, ArgComponent::Uniform(value)) => self.affine_vector(value, 0),
            (ParamShape::Varying, ArgComponent::Vector(value)) => value,
        };
        let value = to_memory(&mut self.b, value);
        let at = self.b.ptr_offset(frame, slot.at);
        self.b.store(value, at, Mem::natural(slot.ty));
    }

    fn load_results(&mut self, inst: &Inst, frame: Value, version: &Version) {
        let Some(result) = inst.result else { return };
        let mut components = Vec::new();
        for slot in &version.frame.results {
            let (at, ty) = (self.b.ptr_offset(frame, slot.at), self.widened_type(slot.ty));
            let all = self.b.load(ty, at, Mem::natural(slot.ty));
            components.push(from_memory(&mut self.b, all, inst.ty));
        }
        if inst.ty.is_vector() {
            self.values.components.insert(result, components);
        } else {
            self.define(inst, components[0]);
        }
    }
}
