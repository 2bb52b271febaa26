//! Rules of vectors and composites: construction, parts, shuffles, selections, and casts of bits and pointers.

use super::classes::{Class, flag};
use super::rules::{Checker, number};
use super::{Checked, Stop};
use crate::error::Fault;
use crate::grammar::{Instruction, storage_class};
use crate::types::{Space, TypeForm, TypeId};

/// Position of the first index of OpCompositeExtract.
const EXTRACTED: usize = 4;

impl Checker<'_, '_> {
    pub(super) fn construct(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        let result = self.type_at(words, 1)?;
        let types = self.facts.types();
        let shape = self.facts.shape(result);
        if shape.is_any(flag::VECTOR) {
            return self.construct_vector(result, words);
        }
        if !shape.is_any(flag::ARRAY | flag::STRUCT) {
            return Err(self.wrong_result(result, "a vector, structure or array"));
        }
        let (found, wanted) = (words.len() as u64 - 3, types.parts(result));
        if found != wanted {
            let text = format!(
                "there are {found} operands; {wanted} are wanted, the parts of {}",
                self.facts.described(result)
            );
            return Err(Fault::new(text).into());
        }
        for at in 3..words.len() {
            let ty = self.value(words, at)?;
            let (part, _) = types.part(result, at as u64 - 3).ok_or(Stop::KNOWN)?;
            self.is_same(words, at, ty, part)?;
        }
        Ok(())
    }

    fn construct_vector(&self, result: TypeId, words: &[u32]) -> Checked<()> {
        let element = self.facts.element(result);
        let mut lanes = 0;
        for at in 3..words.len() {
            let ty = self.value(words, at)?;
            self.is_same(words, at, self.facts.element(ty), element)?;
            lanes += usize::from(self.facts.shape(ty).lanes);
        }
        let wanted = usize::from(self.facts.shape(result).lanes);
        if lanes == wanted {
            return Ok(());
        }
        Err(Fault::new(format!("the operands have {lanes} components; {wanted} are wanted")).into())
    }

    /// Returns the type of the part of a composite to which literal indices from position `from` on lead.
    fn part(&self, words: &[u32], from: usize, composite: TypeId) -> Checked<TypeId> {
        let types = self.facts.types();
        let mut ty = composite;
        for at in from..words.len() {
            let index = words[at];
            ty = match *types.form(ty) {
                // Producers take other components of built-in variables.
                TypeForm::Vector { element, lanes: 3 } if index >= 3 && from == EXTRACTED => element,
                _ => match types.part(ty, index.into()) {
                    Some((part, _)) => part,
                    None => {
                        let found = self.facts.described(ty);
                        let operand = number(words, at);
                        let text = format!(
                            "operand {operand} is the index {index} into {found}, which has no such part"
                        );
                        return Err(Fault::at(at, text).into());
                    }
                },
            };
        }
        Ok(ty)
    }

    pub(super) fn extract(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        let result = self.type_at(words, 1)?;
        let composite = self.value(words, 3)?;
        let part = self.part(words, EXTRACTED, composite)?;
        if self.facts.is_same(part, result) {
            return Ok(());
        }
        let wanted = self.facts.described(part);
        Err(self.wrong_result(result, &wanted))
    }

    pub(super) fn insert(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        let result = self.type_at(words, 1)?;
        let (object, composite) = (self.value(words, 3)?, self.value(words, 4)?);
        self.is_same(words, 4, composite, result)?;
        let part = self.part(words, 5, composite)?;
        self.is_same(words, 3, object, part)
    }

    pub(super) fn shuffle(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        let result = self.result(words, Class::Vector)?;
        let a = self.operand(words, 3, Class::Vector)?;
        let b = self.operand(words, 4, Class::Vector)?;
        let element = self.facts.element(result);
        // LLVM's back end writes halfs shuffled with undefined integers, of which it takes none.
        let lanes = u32::from(self.facts.shape(a).lanes);
        let is_unused = words[5..].iter().all(|&lane| lane < lanes || lane == u32::MAX);
        for (at, ty) in [(3, a), (4, b)] {
            if !(self.facts.is_same(self.facts.element(ty), element) || at == 4 && is_unused) {
                let wanted = format!("a vector of {}", self.facts.described(element));
                return Err(self.wrong(words, at, ty, &wanted));
            }
        }
        let (found, wanted) = (words.len() - 5, usize::from(self.facts.shape(result).lanes));
        if found != wanted {
            return Err(Fault::new(format!("{found} components are chosen; {wanted} are wanted")).into());
        }
        let count = u32::from(self.facts.shape(a).lanes) + u32::from(self.facts.shape(b).lanes);
        // All bits stand for a component that is not defined.
        match (5..words.len()).find(|&at| words[at] >= count && words[at] != u32::MAX) {
            None => Ok(()),
            Some(at) => {
                let text = format!("operand {} is the component {} of {count}", number(words, at), words[at]);
                Err(Fault::at(at, text).into())
            }
        }
    }

    pub(super) fn select(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        let result = self.result(words, Class::Any)?;
        let condition = self.operand(words, 3, Class::Bools)?;
        let lanes = self.facts.shape(condition).lanes;
        if lanes != 1 && lanes != self.facts.shape(result).lanes {
            let wanted = "a bool, or one for each component,";
            return Err(self.wrong(words, 3, condition, wanted));
        }
        for at in [4, 5] {
            let ty = self.value(words, at)?;
            self.is_same(words, at, ty, result)?;
        }
        Ok(())
    }

    pub(super) fn bitcast(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        // LLVM has vectors of bools as bits of integers.
        const CLASS: u32 = flag::ANY_INTS | flag::FLOAT | flag::VECTOR | flag::ANY_POINTER;
        let (result, operand) = (self.type_at(words, 1)?, self.value(words, 3)?);
        let (to, from) = (self.facts.shape(result), self.facts.shape(operand));
        if !to.is_any(CLASS) {
            return Err(self.wrong_result(result, "a number, a vector or a pointer"));
        }
        let bits = |shape: super::classes::Shape| u32::from(shape.bits) * u32::from(shape.lanes);
        if !from.is_any(CLASS) || bits(to) != bits(from) {
            let wanted = format!("a number, vector or pointer of {} bits", bits(to));
            return Err(self.wrong(words, 3, operand, &wanted));
        }
        if to.is_any(flag::ANY_POINTER) && from.is_any(flag::ANY_POINTER) && to.space != from.space {
            let wanted = self.facts.describe(result);
            return Err(self.wrong(words, 3, operand, &wanted));
        }
        Ok(())
    }

    pub(super) fn explicit_cast(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        let result = self.result(words, Class::NamedPointer)?;
        self.operand(words, 3, Class::GenericPointer)?;
        let is_named = matches!(
            words[4],
            storage_class::Function | storage_class::Workgroup | storage_class::CrossWorkgroup
        );
        if is_named && Space::from_class(words[4]) == self.facts.shape(result).space {
            return Ok(());
        }
        Err(Fault::at(4, "operand 2 is another storage class than that of the result").into())
    }
}
