//! Rules of instructions with literals, or with a number of operands that depends on types: memory, access chains,
//! composites, calls, and what ends a block.

use grus_support::FastSet;
use smallvec::SmallVec;

use super::classes::{Class, flag};
use super::ids::{Definition, Kind};
use super::rules::{Checker, number};
use super::{Checked, Stop};
use crate::chain::Chain;
use crate::error::Fault;
use crate::grammar::{ExtendedSet, Instruction, Opcode, memory_access, opencl_std, storage_class};
use crate::module::Id;
use crate::operands::{What, walk};
use crate::request;
use crate::translate::arg_type;
use crate::types::{Space, TypeForm, TypeId};

/// Position of the first index of OpCompositeExtract.
const EXTRACTED: usize = 4;

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
        AccessChain
        | InBoundsAccessChain
        | PtrAccessChain
        | InBoundsPtrAccessChain
        | UntypedAccessChainKHR
        | UntypedInBoundsAccessChainKHR
        | UntypedPtrAccessChainKHR
        | UntypedInBoundsPtrAccessChainKHR => |checker, row, words| checker.chain(row, words),
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

    fn variable(&mut self, row: &'static Instruction, words: &[u32]) -> Checked<()> {
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

    fn load(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        let result = self.result(words, Class::Any)?;
        let pointer = self.operand(words, 3, Class::Pointer)?;
        self.points_at(words, 3, pointer, result)?;
        self.access(words, 4).map(drop)
    }

    fn store(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        let pointer = self.operand(words, 1, Class::Pointer)?;
        let value = self.operand(words, 2, Class::Any)?;
        self.points_at(words, 1, pointer, value)?;
        self.access(words, 3).map(drop)
    }

    fn copy(&mut self, row: &'static Instruction, words: &[u32]) -> Checked<()> {
        let to = self.operand(words, 1, Class::Pointer)?;
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

    /// Checks the operands of an access to memory, if they are there; returns the position behind them.
    fn access(&self, words: &[u32], at: usize) -> Checked<usize> {
        let Some(&mask) = words.get(at) else { return Ok(at) };
        let mut next = at + 1;
        if mask & memory_access::Aligned != 0 {
            if !words[next].is_power_of_two() {
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

    fn chain(&mut self, row: &'static Instruction, words: &[u32]) -> Checked<()> {
        let chain = Chain::of(row.opcode);
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

    fn construct(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
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
                // Producers take component 3 of built-in variables.
                TypeForm::Vector { element, lanes: 3 } if index == 3 && from == EXTRACTED => element,
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

    fn extract(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        let result = self.type_at(words, 1)?;
        let composite = self.value(words, 3)?;
        let part = self.part(words, EXTRACTED, composite)?;
        if self.facts.is_same(part, result) {
            return Ok(());
        }
        let wanted = self.facts.described(part);
        Err(self.wrong_result(result, &wanted))
    }

    fn insert(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        let result = self.type_at(words, 1)?;
        let (object, composite) = (self.value(words, 3)?, self.value(words, 4)?);
        self.is_same(words, 4, composite, result)?;
        let part = self.part(words, 5, composite)?;
        self.is_same(words, 3, object, part)
    }

    fn shuffle(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        let result = self.result(words, Class::Vector)?;
        let a = self.operand(words, 3, Class::Vector)?;
        let b = self.operand(words, 4, Class::Vector)?;
        let element = self.facts.element(result);
        for (at, ty) in [(3, a), (4, b)] {
            if !self.facts.is_same(self.facts.element(ty), element) {
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

    fn select(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
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

    fn bitcast(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
        const CLASS: u32 = flag::ANY_INTS | flag::FLOAT | flag::FLOATS | flag::ANY_POINTER;
        let (result, operand) = (self.type_at(words, 1)?, self.value(words, 3)?);
        let (to, from) = (self.facts.shape(result), self.facts.shape(operand));
        if !to.is_any(CLASS) {
            return Err(self.wrong_result(result, "a number, a vector of numbers or a pointer"));
        }
        let bits = |shape: super::classes::Shape| u32::from(shape.bits) * u32::from(shape.lanes);
        if !from.is_any(CLASS) || bits(to) != bits(from) {
            let wanted = format!("a number, vector of numbers or pointer of {} bits", bits(to));
            return Err(self.wrong(words, 3, operand, &wanted));
        }
        if to.is_any(flag::ANY_POINTER) && from.is_any(flag::ANY_POINTER) && to.space != from.space {
            let wanted = self.facts.describe(result);
            return Err(self.wrong(words, 3, operand, &wanted));
        }
        Ok(())
    }

    fn explicit_cast(&mut self, _: &'static Instruction, words: &[u32]) -> Checked<()> {
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
                _ => drop(self.operand(words, at, class)?),
            }
        }
        Ok(())
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
        let mut cases = Vec::with_capacity((words.len() - 3) / (literal + 1));
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
