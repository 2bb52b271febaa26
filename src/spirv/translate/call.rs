//! Calls of functions of the module, and of requests.

use grus_ir::{Attr, FuncId, Function, Linkage, Mem, Op, Type, Value};

use super::function::{FunctionTranslator, Result, Translation};
use super::imports::KnownImport;
use crate::error::Fault;
use crate::module::Id;
use crate::request::Request;
use crate::types::{TypeForm, TypeId};

impl FunctionTranslator<'_, '_> {
    pub(super) fn call(&mut self, words: &[u32]) -> Result<()> {
        let result = self.t.globals.type_at(words, 1)?;
        let callee = Id(words[3]);
        let range = self.t.range_of(callee);
        let range = range.ok_or_else(|| Fault::at(3, format!("{callee} is no function")))?;
        let (returned, params) = self.t.signature(self.t.module.raw(range.start as usize))?;
        if returned != result {
            return Err(Fault::at(1, "the result has another type than that of the function"));
        }
        if params.len() != words.len() - 4 {
            let found = words.len() - 4;
            return Err(Fault::new(format!("{found} arguments are there; {} are wanted", params.len())));
        }
        let mut args = Vec::new();
        let slot = self.t.types().is_composite(result).then(|| self.temporary_of(result));
        args.extend(slot);
        for (at, &param) in (4..).zip(&params) {
            let (ty, value) = self.translation(Id(words[at]))?;
            if ty != param {
                return Err(Fault::at(
                    at,
                    format!("argument {} has another type than the parameter", at - 4),
                ));
            }
            args.push(match value {
                Translation::One(value) => value,
                Translation::BuiltIn { .. } => self.value(words, at)?,
                value => self.spilled(ty, &value)?,
            });
        }
        if let Some(&import) = self.t.known_imports.get(&callee) {
            return self.call_import(import, words, result, &args);
        }
        self.t.define_import(callee)?;
        let func = self.t.functions[&callee];
        let ty = if slot.is_some() { Type::VOID } else { self.t.types().ir(result).unwrap_or(Type::VOID) };
        let inst = self.b.inst(Op::Call, ty, &args, Attr::Func(func), Vec::new());
        let id = Id(words[2]);
        if let Some(slot) = slot {
            let align = self.t.types().get(result).align;
            let value = self.load_composite(result, slot, align, false)?;
            self.define(id, result, value);
        } else if let Some(value) = self.b.func.insts[inst].result {
            self.define(id, result, Translation::One(value));
        } else if !matches!(self.t.types().form(result), TypeForm::Void) {
            return Err(Fault::at(1, "the function has no values of its result's type"));
        }
        Ok(())
    }

    /// Emits the call of an imported function that no unit defines.
    fn call_import(
        &mut self,
        import: KnownImport,
        words: &[u32],
        result: TypeId,
        args: &[Value],
    ) -> Result<()> {
        match import {
            KnownImport::Intrinsic(intrinsic) => {
                let ty = self.t.types().value(result);
                let ty = ty.ok_or_else(|| Fault::at(1, "the intrinsic has another result"))?;
                let value = self.intrinsic(intrinsic, ty, args)?;
                self.result(words, value)
            }
            KnownImport::ToSpace => {
                let (Some(&pointer), Some(space)) = (args.first(), self.t.types().space(result)) else {
                    return Err(Fault::at(1, "the function returns a pointer"));
                };
                let value = self.if_in_space(pointer, space)?;
                self.result(words, value)
            }
        }
    }

    /// Returns the address of private memory that holds a composite.
    pub(super) fn spilled(&mut self, ty: TypeId, value: &Translation) -> Result<Value> {
        if let Translation::Memory(address) = value
            && self.b.func.ty(*address) == Type::PRIVATE
        {
            return Ok(*address);
        }
        let memory = self.temporary_of(ty);
        self.store_any(ty, value, memory, Mem::aligned(self.t.types().get(ty).align))?;
        Ok(memory)
    }

    /// Emits the call of a function of the builtin library; returns its result, of type `ty` in the IR.
    pub(super) fn request(&mut self, request: Request, ty: Type, args: &[Value]) -> Option<Value> {
        let func = self.t.request(request, ty);
        let inst = self.b.inst(Op::Call, ty, args, Attr::Func(func), Vec::new());
        self.b.func.insts[inst].result
    }
}

impl super::module::Translator<'_> {
    /// Returns the function that stands for a request.
    pub(super) fn request(&mut self, request: Request, ty: Type) -> FuncId {
        if let Some(&func) = self.request_functions.get(&request) {
            return func;
        }
        let mut function = Function::new(format!("request {}", self.requests.len()), ty);
        function.linkage = Linkage::EXTERNAL;
        let func = self.out.funcs.push(function);
        self.request_functions.insert(request.clone(), func);
        self.requests.push((func, request));
        func
    }
}
