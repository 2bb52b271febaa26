//! Rules of variables of functions, of accesses to memory, and of access chains.

use super::classes::Class;
use super::ids::Kind;
use super::rules::{Checker, number};
use super::{Checked, Stop};
use crate::chain::Chain;
use crate::error::Fault;
use crate::grammar::{Instruction, Opcode, memory_access};
use crate::module::Id;
use crate::types::{Space, TypeForm, TypeId};

impl Checker<'_, '_> {
    pub(super) fn variable(&mut self, row: &'static Instruction, words: &[u32]) -> Checked<()> {
        let facts = self.facts;
        self.type_at(words, 1)?;
        let variable = facts.globals.variable(facts.module, row.opcode, words, self.place)?;
        if variable.space != Space::Function {
            return Err(Fault::at(3, "the variable of a function is in memory of the module").into());
        }
        if self.block != 0 {
            return Err(Fault::new("the variable is not in the first block of its function").into());
        }
        let at = if row.opcode == Opcode::Variable { 4 } else { 5 };
        if variable.initializer.is_some() {
            let ty = self.value(words, at)?;
            if !matches!(facts.definition(Id(words[at])).kind, Kind::Constant | Kind::Variable) {
                return Err(self.wrong(words, at, ty, "a constant"));
            }
            self.is_same(words, at, ty, variable.contents)?;
        }
        Ok(())
    }

    pub(super) fn load(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        let result = self.result(words, Class::Any)?;
        let pointer = self.operand(words, 3, Class::Pointer)?;
        self.points_at(words, 3, pointer, result)?;
        self.access(words, 4).map(drop)
    }

    pub(super) fn store(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        let pointer = self.written(words, 1)?;
        let value = self.operand(words, 2, Class::Any)?;
        self.points_at(words, 1, pointer, value)?;
        self.access(words, 3).map(drop)
    }

    pub(super) fn copy(&mut self, row: &'static Instruction, words: &[u32]) -> Checked<()> {
        let to = self.written(words, 1)?;
        let from = self.operand(words, 2, Class::Pointer)?;
        if row.opcode == Opcode::CopyMemorySized {
            self.operand(words, 3, Class::Int)?;
            let next = self.access(words, 4)?;
            return self.access(words, next).map(drop);
        }
        match (self.facts.types().pointee(to), self.facts.types().pointee(from)) {
            (Some(to), Some(_)) => self.points_at(words, 2, from, to)?,
            (None, None) => {
                return Err(self.wrong(words, 1, to, "a pointer to a type that is known"));
            }
            _ => {}
        }
        let next = self.access(words, 3)?;
        self.access(words, next).map(drop)
    }

    /// Returns the type of an address to which the instruction writes.
    fn written(&self, words: &[u32], at: usize) -> Checked<TypeId> {
        let ty = self.operand(words, at, Class::WritablePointer)?;
        self.is_no_constant(words, at)?;
        Ok(ty)
    }

    /// Checks that an address to which the instruction writes is not that of a variable of the module in memory of
    /// functions: each use of it has a copy.
    pub(super) fn is_no_constant(&self, words: &[u32], at: usize) -> Checked<()> {
        let Some(variable) = self.facts.private_constant(Id(words[at])) else { return Ok(()) };
        let (operand, variable) = (number(words, at), self.facts.named(variable));
        let text = format!(
            "operand {operand} is an address in {variable}, a variable of the module in the storage class Function, \
             which is a constant; memory to write is wanted"
        );
        Err(Fault::at(at, text).into())
    }

    /// Checks the operands of an access to memory, if they are there; returns the position behind them.
    fn access(&self, words: &[u32], at: usize) -> Checked<usize> {
        let Some(&mask) = words.get(at) else { return Ok(at) };
        let mut next = at + 1;
        if mask & memory_access::Aligned != 0 {
            // Translators write 0 for copies of which they know nothing.
            if words[next] != 0 && !words[next].is_power_of_two() {
                let text = format!("the alignment is {}; a power of two is wanted", words[next]);
                return Err(Fault::at(next, text).into());
            }
            next += 1;
        }
        for bit in [memory_access::AliasScopeINTELMask, memory_access::NoAliasINTELMask] {
            if mask & bit != 0 {
                self.is_kind(words, next, Kind::Alias, "a list of alias scopes")?;
                next += 1;
            }
        }
        Ok(next)
    }

    pub(super) fn chain(&mut self, row: &'static Instruction, words: &[u32]) -> Checked<()> {
        let chain = Chain::of(row.opcode).ok_or(Stop::KNOWN)?;
        let result = self.result(words, Class::Pointer)?;
        let base_at = 3 + usize::from(chain.is_untyped);
        let base = self.operand(words, base_at, Class::Pointer)?;
        let types = self.facts.types();
        let mut ty = if chain.is_untyped {
            self.type_at(words, 3)?
        } else {
            match *types.form(base) {
                TypeForm::Pointer { pointee: Some(id), .. } => types.find(id).ok_or(Stop::KNOWN)?,
                _ => return Err(self.wrong(words, base_at, base, "a pointer to a type that is known")),
            }
        };
        let mut first = base_at + 1;
        if chain.has_element {
            self.operand(words, first, Class::Int)?;
            first += 1;
        }
        for at in first..words.len() {
            let index = self.operand(words, at, Class::Int)?;
            ty = match *types.form(ty) {
                _ if types.is_packed(ty) => {
                    let (found, operand) = (self.facts.described(ty), number(words, at));
                    let text = format!(
                        "operand {operand} is an index into {found}, whose components have no addresses"
                    );
                    return Err(Fault::at(at, text).into());
                }
                TypeForm::Array { element, .. } | TypeForm::Vector { element, .. } => element,
                TypeForm::Struct { ref members } => {
                    let member = self.facts.globals.constants.bits_of(Id(words[at]));
                    let member = member.ok_or_else(|| self.wrong(words, at, index, "a constant"))?;
                    let found = usize::try_from(member).ok().and_then(|member| members.get(member));
                    let found = found.ok_or_else(|| {
                        let count = members.len();
                        let operand = number(words, at);
                        Fault::at(
                            at,
                            format!(
                                "operand {operand} is the index {member} into a structure of {count} members"
                            ),
                        )
                    })?;
                    found.0
                }
                _ => {
                    let (found, operand) = (self.facts.described(ty), number(words, at));
                    let text = format!("operand {operand} is an index into {found}, which has no parts");
                    return Err(Fault::at(at, text).into());
                }
            };
        }
        self.chain_result(result, base, ty)
    }

    /// Checks that the result of an access chain points at a type in the memory of its base.
    fn chain_result(&self, result: TypeId, base: TypeId, ty: TypeId) -> Checked<()> {
        let types = self.facts.types();
        if self.facts.shape(result).space != self.facts.shape(base).space {
            return Err(self.wrong_result(result, &self.facts.describe(base)));
        }
        match *types.form(result) {
            TypeForm::Pointer { pointee: Some(id), .. } => {
                let pointee = types.find(id).ok_or(Stop::KNOWN)?;
                if self.facts.is_same(pointee, ty) {
                    return Ok(());
                }
                let (found, wanted) = (self.facts.described(pointee), self.facts.described(ty));
                let text = format!("the result points at {found}; the indices lead to {wanted}");
                Err(Fault::at(1, text).into())
            }
            _ => Ok(()),
        }
    }
}
