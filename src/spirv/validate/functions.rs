//! Functions: signatures and bodies, calls, and entry points.

use grus_support::FastMap;

use super::classes::flag;
use super::environment::Environment;
use super::flow::{Blocks, Seen};
use super::ids::{Facts, Kind, decoded};
use super::rules::Checker;
use super::special::Requests;
use super::{Checked, Stop};
use crate::error::{Fault, Messages};
use crate::grammar::{Opcode, decoration, function_parameter_attribute, linkage_type};
use crate::module::{FunctionRange, Id, string_bytes};
use crate::types::{Space, TypeForm, TypeId};

/// Checks all functions, and entry points.
pub(super) fn check(facts: &Facts<'_>, environment: &Environment, messages: &mut Messages) {
    let mut requests = Requests::default();
    for (function, &range) in facts.module.functions().iter().enumerate() {
        let returned = signature(facts, range, messages);
        if range.body == range.end {
            let linkage = facts.module.decoration(range.id, decoration::LinkageAttributes);
            if linkage.and_then(|operands| operands.last()) != Some(&linkage_type::Import) {
                let fault = Fault::new("the function has no body, and is not imported");
                messages.add(facts.module, range.start, fault);
            }
            continue;
        }
        let blocks = Blocks::of(facts, range, messages);
        let checker = Checker {
            facts,
            environment,
            blocks: &blocks,
            requests: &mut requests,
            function: function as u32,
            returned,
            block: 0,
            place: 0,
        };
        body(checker, messages);
    }
    let entries = check_entries(facts, messages);
    check_calls(facts, &entries, messages);
}

/// Checks OpFunction and its parameters; returns the type of the result if it is valid.
fn signature(facts: &Facts<'_>, range: FunctionRange, messages: &mut Messages) -> Option<TypeId> {
    let module = facts.module;
    let (returned, params) = match function_type(facts, module.raw(range.start as usize)) {
        Ok(found) => found,
        Err(Stop(fault)) => {
            fault.into_iter().for_each(|fault| messages.add(module, range.start, fault));
            return None;
        }
    };
    let mut count = 0;
    for place in module.instructions(range.start, range.body) {
        let (row, words) = decoded(module, place);
        if row.opcode == Opcode::FunctionParameter {
            if let Some(&wanted) = params.get(count)
                && let Err(Stop(Some(fault))) = parameter(facts, words, wanted)
            {
                messages.add(module, place, fault);
            }
            count += 1;
        }
    }
    if count != params.len() {
        let wanted = params.len();
        let text = format!("there are {count} parameters; {wanted} are wanted, by the function's type");
        messages.add(module, range.start, Fault::at(4, text));
    }
    Some(returned)
}

/// Returns the type that an operand of a declaration names.
fn type_at(facts: &Facts<'_>, words: &[u32], at: usize, what: &str) -> Checked<TypeId> {
    let id = Id(words[at]);
    match (facts.types().find(id), facts.definition(id).kind) {
        (Some(ty), _) => Ok(ty),
        (None, Kind::Type) => Err(Stop::KNOWN),
        (None, kind) => {
            let (id, kind) = (facts.named(id), kind.text());
            Err(Fault::at(at, format!("{what} is {id}, {kind}; a type is wanted")).into())
        }
    }
}

/// Returns the types of result and parameters of an OpFunction.
fn function_type<'m>(facts: &Facts<'m>, words: &[u32]) -> Checked<(TypeId, &'m [TypeId])> {
    let returned = type_at(facts, words, 1, "the result's type")?;
    let ty = type_at(facts, words, 4, "the function's type")?;
    let TypeForm::Function { result, params } = facts.types().form(ty) else {
        let found = facts.described(ty);
        return Err(Fault::at(4, format!("operand 2 is {found}; a type of functions is wanted")).into());
    };
    if !facts.is_same(returned, *result) {
        let (found, wanted) = (facts.described(returned), facts.described(*result));
        return Err(Fault::at(1, format!("the result's type is {found}; {wanted} is wanted")).into());
    }
    Ok((*result, params))
}

/// Checks an OpFunctionParameter, which the function's type says to be of this type.
fn parameter(facts: &Facts<'_>, words: &[u32], wanted: TypeId) -> Checked<()> {
    let found = type_at(facts, words, 1, "the parameter's type")?;
    if facts.shape(found).is_any(flag::VALUE) && facts.is_same(found, wanted) {
        return Ok(());
    }
    let has_values = facts.shape(wanted).is_any(flag::VALUE);
    let wanted = if has_values {
        format!("{} is wanted, by the function's type", facts.described(wanted))
    } else {
        "a value is wanted".to_owned()
    };
    let found = facts.described(found);
    Err(Fault::at(1, format!("the parameter is {found}; {wanted}")).into())
}

fn body(mut checker: Checker<'_, '_>, messages: &mut Messages) {
    let module = checker.facts.module;
    let mut seen = Seen::default();
    for (number, block) in checker.blocks.list.iter().enumerate() {
        checker.block = number as u32;
        for place in module.instructions(block.start, block.end) {
            let (row, words) = decoded(module, place);
            checker.place = place;
            let checked = match row.opcode {
                Opcode::Line => checker.is_kind(words, 1, Kind::String, "a string"),
                Opcode::NoLine => Ok(()),
                _ => checker.check(row, words),
            };
            if let Err(Stop(Some(fault))) = checked {
                messages.add(module, place, fault);
            }
            // `Blocks::of` has refused a φ in the first block.
            if row.opcode == Opcode::Phi
                && number > 0
                && let Err(fault) = seen.check_phi(checker.facts, checker.blocks, checker.block, place, words)
            {
                messages.add(module, place, fault);
            }
        }
    }
}

/// Checks entry points; returns their functions.
fn check_entries(facts: &Facts<'_>, messages: &mut Messages) -> FastMap<Id, ()> {
    let module = facts.module;
    let (mut entries, mut names) = (FastMap::default(), FastMap::default());
    for &place in module.entry_points() {
        let words = module.raw(place as usize);
        let id = Id(words[2]);
        let first = *names.entry(string_bytes(&words[3..])).or_insert(place);
        if first != place {
            let text = format!("the entry point has the name of another, at word {first}");
            messages.add(module, place, Fault::at(3, text));
        }
        // Once for each function, however many entry points name it.
        if entries.insert(id, ()).is_none()
            && let Err(Stop(Some(fault))) = entry(facts, id)
        {
            messages.add(module, place, fault);
        }
    }
    for annotation in &module.execution_modes {
        let is_function = facts.definition(annotation.target).kind == Kind::Function;
        if is_function && !entries.contains_key(&annotation.target) {
            let found = facts.named(annotation.target);
            let text = format!("operand 1 is {found}, which is no entry point");
            messages.add(module, annotation.place, Fault::at(1, text));
        }
    }
    entries
}

/// Checks the function of an entry point.
fn entry(facts: &Facts<'_>, id: Id) -> Checked<()> {
    let definition = facts.definition(id);
    if definition.kind != Kind::Function {
        let (id, kind) = (facts.named(id), definition.kind.text());
        return Err(Fault::at(2, format!("operand 2 is {id}, {kind}; a function is wanted")).into());
    }
    let range = facts.module.functions()[definition.function as usize];
    if range.body == range.end {
        return Err(Fault::at(2, format!("the function {} has no body", facts.named(id))).into());
    }
    let ty = definition.ty().ok_or(Stop::KNOWN)?;
    let TypeForm::Function { result, .. } = facts.types().form(ty) else { return Err(Stop::KNOWN) };
    if *facts.types().form(*result) != TypeForm::Void {
        let (id, found) = (facts.named(id), facts.describe(*result));
        return Err(Fault::at(2, format!("the function {id} returns {found}; void is wanted")).into());
    }
    for place in facts.module.instructions(range.start, range.body) {
        let (row, words) = decoded(facts.module, place);
        if row.opcode == Opcode::FunctionParameter {
            let ty = facts.types().find(Id(words[1])).ok_or(Stop::KNOWN)?;
            argument(facts, Id(words[2]), ty)?;
        }
    }
    Ok(())
}

/// Checks that a parameter of a kernel is one that arguments can be set for.
fn argument(facts: &Facts<'_>, id: Id, ty: TypeId) -> Checked<()> {
    let types = facts.types();
    let is_taken = match *types.form(ty) {
        TypeForm::Pointer { space: Space::Function, .. } => {
            let is_by_value = facts.module.has_attribute(id, function_parameter_attribute::ByVal);
            let is_sized = types.pointee(ty).is_some_and(|to| types.get(to).is_sized);
            if !is_by_value || !is_sized {
                let id = facts.named(id);
                let text = format!("the parameter {id} points at private memory, and is not ByVal");
                return Err(Fault::at(2, text).into());
            }
            true
        }
        // Kernels that only other kernels launch take the address of a block.
        TypeForm::Pointer { space: Space::Generic, .. } => facts.module.has_device_enqueue(),
        TypeForm::Pointer { space, .. } => space != Space::Input,
        TypeForm::Int { bits } => matches!(bits, 8 | 16 | 32 | 64),
        TypeForm::Float { .. }
        | TypeForm::Array { .. }
        | TypeForm::Struct { .. }
        | TypeForm::Image(_)
        | TypeForm::Sampler
        | TypeForm::Queue
        | TypeForm::Pipe { .. } => true,
        TypeForm::Vector { .. } => !types.is_bool(ty) && !types.is_packed(ty),
        _ => false,
    };
    if is_taken {
        return Ok(());
    }
    let (id, found) = (facts.named(id), facts.described(ty));
    Err(Fault::at(2, format!("the parameter {id} is {found}, which no argument of a kernel can be")).into())
}

/// Checks that no entry point is called, and no function calls itself through others.
fn check_calls(facts: &Facts<'_>, entries: &FastMap<Id, ()>, messages: &mut Messages) {
    let module = facts.module;
    for call in facts.calls.iter().filter(|call| entries.contains_key(&call.callee)) {
        let callee = facts.named(call.callee);
        let text = format!("operand 1 is {callee}, an entry point, which nothing may call");
        messages.add(module, call.place, Fault::at(3, text));
    }
    for place in recursive_calls(facts) {
        let callee = facts.named(Id(module.raw(place as usize)[3]));
        let text = format!("the call of {callee} is part of a recursion");
        messages.add(module, place, Fault::at(3, text));
    }
}

/// Returns the positions of calls that lead back to a function on the way to them, by a walk in depth.
fn recursive_calls(facts: &Facts<'_>) -> Vec<u32> {
    let count = facts.module.functions().len();
    let mut starts = vec![0; count + 1];
    for call in &facts.calls {
        starts[call.caller as usize + 1] += 1;
    }
    for at in 1..=count {
        starts[at] += starts[at - 1];
    }
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let (mut states, mut found) = (vec![State::New; count], Vec::new());
    for root in 0..count {
        if states[root] != State::New {
            continue;
        }
        states[root] = State::Open;
        let mut path = vec![(root, starts[root])];
        while let Some((function, next)) = path.last_mut() {
            if *next == starts[*function + 1] {
                states[*function] = State::Done;
                path.pop();
                continue;
            }
            let call = facts.calls[*next];
            *next += 1;
            let callee = facts.definition(call.callee);
            let callee_at = callee.function as usize;
            if callee.kind != Kind::Function {
                continue;
            }
            match states[callee_at] {
                State::New => {
                    states[callee_at] = State::Open;
                    path.push((callee_at, starts[callee_at]));
                }
                State::Open => found.push(call.place),
                State::Done => {}
            }
        }
    }
    found
}
