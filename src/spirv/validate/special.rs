//! Rules of instructions that do not fit into rows: extended instructions, calls, φ, and what ends a block. Those of
//! memory and of composites are in files of their own.

use grus_support::FastSet;
use smallvec::SmallVec;

use super::classes::{Class, flag};
use super::ids::{Definition, Kind};
use super::rules::{Checker, number};
use super::{Checked, Stop};
use crate::chain::Chain;
use crate::error::Fault;
use crate::grammar::{ExtendedSet, Instruction, Opcode, opencl_std};
use crate::module::Id;
use crate::operands::{What, walk};
use crate::request;
use crate::translate::arg_type;
use crate::types::{TypeForm, TypeId};

/// Maximum number of cases of a switch, a universal limit of SPIR-V (s2.17).
const MAX_CASES: usize = 16_383;

/// Rule of an instruction that has no row.
type Rule = fn(&mut Checker<'_, '_>, &'static Instruction, &[u32]) -> Checked<()>;

/// Returns the rule of an instruction, or `None` if the device does not have it.
fn rule_of(opcode: Opcode) -> Option<Rule> {
    use Opcode::*;
    let rule: Rule = match opcode {
        Nop
        | Line
        | NoLine
        | Label
        | SelectionMerge
        | LoopMerge
        | LoopControlINTEL
        | Unreachable
        | LifetimeStart
        | LifetimeStop
        | AliasDomainDeclINTEL
        | AliasScopeDeclINTEL
        | AliasScopeListDeclINTEL => |checker, row, words| checker.nothing(row, words),
        Undef | PoisonKHR => |checker, row, words| checker.undefined(row, words),
        ExtInst | ExtInstWithForwardRefsKHR => |checker, row, words| checker.extended(row, words),
        Variable | UntypedVariableKHR => |checker, row, words| checker.variable(row, words),
        Load => |checker, row, words| checker.load(row, words),
        Store => |checker, row, words| checker.store(row, words),
        CopyMemory | CopyMemorySized => |checker, row, words| checker.copy(row, words),
        UntypedPrefetchKHR => |checker, row, words| checker.prefetch(row, words),
        _ if Chain::of(opcode).is_some() => |checker, row, words| checker.chain(row, words),
        CompositeConstruct => |checker, row, words| checker.construct(row, words),
        CompositeExtract => |checker, row, words| checker.extract(row, words),
        CompositeInsert => |checker, row, words| checker.insert(row, words),
        VectorShuffle => |checker, row, words| checker.shuffle(row, words),
        Select => |checker, row, words| checker.select(row, words),
        Bitcast => |checker, row, words| checker.bitcast(row, words),
        GenericCastToPtrExplicit => |checker, row, words| checker.explicit_cast(row, words),
        FunctionCall => |checker, row, words| checker.call(row, words),
        EnqueueKernel => |checker, row, words| checker.enqueue(row, words),
        Phi => |checker, row, words| checker.phi(row, words),
        Branch => |checker, row, words| checker.jump(row, words),
        BranchConditional => |checker, row, words| checker.branch(row, words),
        Switch => |checker, row, words| checker.switch(row, words),
        Return => |checker, row, words| checker.end(row, words),
        ReturnValue => |checker, row, words| checker.end_with_value(row, words),
        _ => return None,
    };
    Some(rule)
}

/// Checks whether an instruction has a rule here.
#[cfg(test)]
pub(super) fn has_rule(opcode: Opcode) -> bool {
    rule_of(opcode).is_some()
}

/// Checks an instruction that has no row.
pub(super) fn check(
    checker: &mut Checker<'_, '_>,
    instruction: &'static Instruction,
    words: &[u32],
) -> Checked<()> {
    match rule_of(instruction.opcode) {
        Some(rule) => rule(checker, instruction, words),
        None => Err(Fault::new("the device does not support this instruction").into()),
    }
}

/// Position of the first size of local memory in OpEnqueueKernel.
const FIRST_LOCAL_SIZE: usize = 13;

/// Types of values that can be printed.
const PRINTED: u32 = flag::SCALAR | flag::VECTOR | flag::ANY_POINTER;

/// Requests of a module that resolve: number of the instruction, type of the result, types of operands, literals.
#[derive(Debug, Default)]
pub(super) struct Requests {
    good: FastSet<SmallVec<[u32; 8]>>,
}

impl Checker<'_, '_> {
    /// Accepts an instruction that is a hint, or is checked elsewhere.
    fn nothing(&mut self, _: &'static Instruction, _: &[u32]) -> Checked<()> {
        Ok(())
    }

    fn undefined(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        self.result(words, Class::Any).map(drop)
    }

    fn prefetch(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        self.operand(words, 1, Class::Pointer).map(drop)
    }

    fn jump(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        self.is_kind(words, 1, Kind::Label, "a label")
    }

    /// Checks an instruction of OpenCL.std. Those for debuggers mean nothing.
    fn extended(&mut self, row: &'static Instruction, words: &[u32]) -> Checked<()> {
        if self.facts.module.extended_set(Id(words[3])) != Some(ExtendedSet::OpenclStd) {
            return Ok(());
        }
        let result = self.type_at(words, 1)?;
        let (mut values, mut literals) = (SmallVec::<[usize; 4]>::new(), SmallVec::<[u32; 2]>::new());
        let walked = walk(self.facts.module, row, words, &mut |piece| match piece.what {
            _ if piece.at < 5 => {}
            What::Of(kind) if kind.category() == crate::grammar::Category::Id => values.push(piece.at),
            _ => literals.push(words[piece.at]),
        });
        walked.map_err(|(at, rule)| Fault::at(at, rule.to_string()))?;
        let types = values.iter().map(|&at| self.operand(words, at, Class::Any));
        let types = types.collect::<Checked<SmallVec<[TypeId; 4]>>>()?;
        if words[4] == opencl_std::printf {
            return self.printf(words, result, &values);
        }
        for (operand, &at) in values.iter().enumerate() {
            if !request::only_reads(words[4], operand) {
                self.is_no_constant(words, at)?;
            }
        }
        let mut key: SmallVec<[u32; 8]> = SmallVec::from_slice(&[words[4], result.0]);
        key.extend(types.iter().map(|ty| ty.0));
        key.extend(literals.iter().copied());
        if self.requests.good.contains(&key) {
            return Ok(());
        }
        let argument = |at: usize, ty: TypeId| {
            arg_type(self.facts.types(), ty).ok_or_else(|| {
                self.wrong(words, at, ty, "a value that a function of the builtin library takes")
            })
        };
        let arguments = values.iter().zip(&types).map(|(&at, &ty)| argument(at, ty));
        let arguments = arguments.collect::<Checked<SmallVec<[request::ArgType; 4]>>>()?;
        let returned = arg_type(self.facts.types(), result);
        let returned = returned.ok_or_else(|| self.wrong_result(result, "another type"))?;
        request::extended(words[4], &returned, &arguments, &literals)
            .map_err(|why| Fault::new(why.to_string()))?;
        self.requests.good.insert(key);
        Ok(())
    }

    fn printf(&self, words: &[u32], result: TypeId, values: &[usize]) -> Checked<()> {
        if !self.facts.shape(result).is_any(flag::INT32) {
            return Err(self.wrong_result(result, Class::Int32.text()));
        }
        self.operand(words, 5, Class::Pointer)?;
        for &at in &values[1..] {
            let ty = self.value(words, at)?;
            if !self.facts.shape(ty).is_any(PRINTED) {
                return Err(self.wrong(words, at, ty, "a number, a vector or a pointer"));
            }
        }
        Ok(())
    }

    fn call(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        self.is_kind(words, 3, Kind::Function, "a function")?;
        let callee = self.facts.definition(Id(words[3]));
        let ty = callee.ty().ok_or(Stop::KNOWN)?;
        let TypeForm::Function { result, params } = self.facts.types().form(ty) else {
            return Err(Stop::KNOWN);
        };
        let found = self.type_at(words, 1)?;
        if !self.facts.is_same(found, *result) {
            return Err(self.wrong_result(found, &self.facts.described(*result)));
        }
        if params.len() != words.len() - 4 {
            let (found, wanted) = (words.len() - 4, params.len());
            return Err(Fault::new(format!("there are {found} arguments; {wanted} are wanted")).into());
        }
        for (at, &param) in (4..).zip(params) {
            let ty = self.value(words, at)?;
            self.is_same(words, at, ty, param)?;
        }
        Ok(())
    }

    fn enqueue(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        use Class::{Any, Function, Int32, Pointer, Queue};
        let classes = [Queue, Int32, Any, Int32, Pointer, Pointer, Function, Pointer, Int32, Int32];
        self.result(words, Int32)?;
        for (at, class) in (3..words.len()).zip(classes.into_iter().chain(std::iter::repeat(Int32))) {
            match class {
                Function => self.is_kind(words, at, Kind::Function, "a function")?,
                // Khronos' translator writes the addresses of sizes.
                Int32 if at >= FIRST_LOCAL_SIZE && self.is_pointer(words, at)? => {}
                _ => drop(self.operand(words, at, class)?),
            }
        }
        Ok(())
    }

    fn is_pointer(&self, words: &[u32], at: usize) -> Checked<bool> {
        Ok(self.facts.shape(self.value(words, at)?).is_any(flag::ANY_POINTER))
    }

    /// Checks the types of a φ; `flow.rs` checks its blocks.
    fn phi(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        let result = self.result(words, Class::Any)?;
        for at in (3..words.len()).step_by(2) {
            let ty = self.incoming(words, at)?;
            self.is_same(words, at, ty, result)?;
        }
        Ok(())
    }

    /// Returns the type of an operand of a φ, whose definition must dominate the predecessor's end.
    fn incoming(&self, words: &[u32], at: usize) -> Checked<TypeId> {
        let definition: Definition = self.facts.definition(Id(words[at]));
        if definition.kind != Kind::Local || definition.function != self.function {
            return self.value(words, at);
        }
        let parent = self.facts.definition(Id(words[at + 1]));
        let is_block = parent.kind == Kind::Label && parent.function == self.function;
        if is_block
            && self.blocks.is_reachable(parent.block)
            && !self.blocks.dominates(definition.block, parent.block)
        {
            let (id, block) = (self.facts.named(Id(words[at])), self.facts.named(Id(words[at + 1])));
            let operand = number(words, at);
            let text =
                format!("operand {operand} is {id}, whose definition does not dominate the block {block}");
            return Err(Fault::at(at, text).into());
        }
        definition.ty().ok_or(Stop::KNOWN)
    }

    fn branch(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        self.operand(words, 1, Class::Bool)?;
        self.is_kind(words, 2, Kind::Label, "a label")?;
        self.is_kind(words, 3, Kind::Label, "a label")
    }

    fn switch(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        let selector = self.operand(words, 1, Class::Int)?;
        let width = self.facts.shape(selector).bits;
        let literal = if width > 32 { 2 } else { 1 };
        self.is_kind(words, 2, Kind::Label, "a label")?;
        let count = (words.len() - 3) / (literal + 1);
        if count > MAX_CASES {
            return Err(Fault::new(format!("there are {count} cases; {MAX_CASES} are the limit")).into());
        }
        let mut cases = Vec::with_capacity(count);
        for at in (3..words.len()).step_by(literal + 1) {
            self.is_kind(words, at + literal, Kind::Label, "a label")?;
            let high = if literal == 2 { u64::from(words[at + 1]) << 32 } else { 0 };
            let mask = u64::MAX >> (64 - u32::from(width));
            cases.push(((high | u64::from(words[at])) & mask, at));
        }
        cases.sort_unstable();
        match cases.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(Fault::at(pair[1].1, format!("the case {} is there twice", pair[0].0)).into()),
            None => Ok(()),
        }
    }

    fn end(&mut self, _: &'static Instruction, _: &[u32]) -> Checked<()> {
        let returned = self.returned.ok_or(Stop::KNOWN)?;
        if self.facts.shape(returned).is_any(flag::VOID) {
            return Ok(());
        }
        let wanted = self.facts.described(returned);
        Err(Fault::new(format!("the function returns {wanted}; OpReturnValue is wanted")).into())
    }

    fn end_with_value(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        let returned = self.returned.ok_or(Stop::KNOWN)?;
        let ty = self.value(words, 1)?;
        if self.facts.shape(returned).is_any(flag::VOID) {
            return Err(Fault::new("the function returns nothing; OpReturn is wanted").into());
        }
        self.is_same(words, 1, ty, returned)
    }
}
