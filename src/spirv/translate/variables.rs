//! Built-in variables: loads of them become queries of the IR or requests.

use grus_ir::{Attr, Kind, Mem, Op, Query, Type, Value};

use super::arithmetic::resize;
use super::function::{FunctionTranslator, Leaves, Result, Translation};
use crate::error::Fault;
use crate::grammar::built_in;
use crate::module::Id;
use crate::request::{self, ArgType};
use crate::types::{TypeForm, TypeId};

/// Returns the query of a built-in variable of three components.
fn query_of(number: u32) -> Option<Query> {
    Some(match number {
        built_in::GlobalInvocationId => Query::GlobalId,
        built_in::LocalInvocationId => Query::LocalId,
        built_in::WorkgroupId => Query::GroupId,
        built_in::GlobalOffset => Query::GlobalOffset,
        built_in::GlobalSize => Query::GlobalSize,
        built_in::WorkgroupSize => Query::LocalSize,
        built_in::EnqueuedWorkgroupSize => Query::EnqueuedLocalSize,
        built_in::NumWorkgroups => Query::NumGroups,
        _ => return None,
    })
}

impl FunctionTranslator<'_, '_> {
    fn built_in_number(&self, variable: Id) -> Result<u32> {
        let number = self.t.globals.variables[&variable].built_in;
        number.ok_or_else(|| Fault::new(format!("{variable} is an input without BuiltIn")))
    }

    /// Emits the load of a built-in variable, or of one of its components, as type `ty`.
    pub(super) fn load_built_in(
        &mut self,
        ty: TypeId,
        variable: Id,
        component: Option<Value>,
    ) -> Result<Value> {
        let number = self.built_in_number(variable)?;
        let ty = self.t.types().value(ty).filter(|ty| ty.ir.kind.is_int() && !ty.is_narrow());
        let ty = ty.ok_or_else(|| {
            Fault::at(1, "the built-in variable is no integer of 8 to 64 bits, nor a vector of them")
        })?;
        let ir = ty.ir;
        let Some(query) = query_of(number) else {
            if component.is_some() {
                return Err(Fault::new("the built-in variable has no components"));
            }
            return self.scalar_built_in(number, ir);
        };
        match component {
            Some(component) => self.component(query, component, ir),
            None if ir.lanes == 3 => {
                let mut lanes = Leaves::new();
                for dim in 0..3 {
                    let value = self.b.query(query, dim);
                    lanes.push(resize(&mut self.b, Op::Zext, ir.lane(), value));
                }
                Ok(self.b.value(Op::BuildVector, ir, &lanes, Attr::None))
            }
            None => Err(Fault::at(1, "the built-in variable is a vector of three")),
        }
    }

    fn component(&mut self, query: Query, component: Value, ir: Type) -> Result<Value> {
        if ir.is_vector() {
            return Err(Fault::at(1, "a component of the built-in variable is an integer"));
        }
        let value = self.b.query_at(query, component);
        Ok(resize(&mut self.b, Op::Zext, ir, value))
    }

    fn scalar_built_in(&mut self, number: u32, ir: Type) -> Result<Value> {
        let is_number = matches!(number, built_in::WorkDim | built_in::SubgroupLocalInvocationId);
        if ir.kind == Kind::I1 || is_number && ir.is_vector() {
            return Err(Fault::at(1, "the built-in variable is an integer"));
        }
        match number {
            built_in::WorkDim => {
                let value = self.b.query(Query::WorkDim, 0);
                Ok(resize(&mut self.b, Op::Zext, ir, value))
            }
            built_in::SubgroupLocalInvocationId => {
                let value = self.b.value(Op::SubGroupLane, Type::I32, &[], Attr::None);
                Ok(resize(&mut self.b, Op::Zext, ir, value))
            }
            _ => {
                let Some((request, ArgType::Int { bits, lanes })) = request::variable(number) else {
                    return Err(Fault::new("the device does not have this built-in variable"));
                };
                let ty = Type::scalar(Kind::int_of_bits(bits.into())).with_lanes(lanes.into());
                let value = self.request(request, ty, &[]);
                let value = value.ok_or_else(|| Fault::new("the built-in variable has no value"))?;
                if ty.is_vector() && ty == ir {
                    return Ok(value);
                }
                if ty.is_vector() || ir.is_vector() {
                    return Err(Fault::at(1, "the built-in variable has another number of components"));
                }
                Ok(resize(&mut self.b, Op::Zext, ir, value))
            }
        }
    }

    /// Translates an access chain into a built-in variable.
    pub(super) fn chain_of_built_in(
        &mut self,
        words: &[u32],
        at: usize,
        variable: Id,
        result: TypeId,
    ) -> Result<()> {
        let component = match words.len() - at {
            0 => None,
            1 => Some(self.value(words, at)?),
            _ => return Err(Fault::at(at + 1, "a component of a built-in variable has no parts")),
        };
        self.define(Id(words[2]), result, Translation::BuiltIn { variable, component });
        Ok(())
    }

    /// Returns the address of private memory that holds a built-in variable or a component, for uses other than loads.
    pub(super) fn built_in_copy(&mut self, id: Id) -> Result<Value> {
        let (pointer, Translation::BuiltIn { variable, component }) = self.translation(id)? else {
            return Err(Fault::new(format!("{id} is no built-in variable")));
        };
        let contents = self.t.types().pointee(pointer);
        let contents = contents.ok_or_else(|| Fault::new(format!("{id} has no pointee")))?;
        let value = self.load_built_in(contents, variable, component)?;
        let memory = self.temporary_of(contents);
        let ty = self.t.types().value(contents).expect("it is one value");
        self.store_value(ty, value, memory, Mem::aligned(self.t.types().get(contents).align));
        let kind = match *self.t.types().form(pointer) {
            TypeForm::Pointer { space, .. } => space.kind(),
            _ => return Err(Fault::new(format!("{id} is no pointer"))),
        };
        Ok(self.b.convert(Op::Bitcast, Type::scalar(kind), memory))
    }
}
