//! Rules of modules whose form is valid: everything that the translation relies on, with the values of
//! specialization constants in place. Each instruction is checked on its own, so that a log names all that is wrong.
//!
//! - `environment.rs`: capabilities, extensions and execution modes, and the scopes that OpenCL allows.
//! - `ids.rs`: the definition of each id. Instructions outside of functions use what suits them.
//! - `classes.rs`, `table.rs`: a row for each instruction with the classes of its operands and a relation between
//!   their types. `rules.rs` applies the rows. `special.rs`, `memory.rs` and `composites.rs` check instructions that do
//!   not fit into one.
//! - `flow.rs`, `dominators.rs`: blocks, predecessors, φ, and definitions that dominate their uses.
//! - `functions.rs`: signatures, calls, entry points.
//!
//! The time is linear in the size of the module, but for dominators (a logarithm more) and sorted cases of switches.
//! Nothing recurs.
//!
//! Producers break these rules of the specification, and no program depends on them, so they are not checked:
//! the order of blocks; structured control flow; everything in sets of instructions for debuggers; declarations of
//! alias scopes at module scope; decorations twice, and unknown ones; interfaces of entry points;
//! OpCompositeExtract of components beyond a vector of three; OpAny and OpAll of integers; the sign of OpTypeInt;
//! OpGenericCastToPtr where the explicit cast is meant; capabilities that gate decorations and hints only; names of
//! ids that nothing defines. Scopes and semantics of memory need not be constant in kernels.

mod classes;
mod composites;
mod dominators;
mod environment;
mod flow;
mod functions;
mod ids;
mod memory;
mod rules;
mod special;
mod table;
#[cfg(test)]
mod tests;

use crate::error::{Fault, Messages};
use crate::globals::Globals;
use crate::module::Module;

/// Checks a module; adds a message for each fault.
pub(crate) fn validate(module: &Module, globals: &Globals, messages: &mut Messages) {
    let environment = environment::Environment::of(module);
    let facts = ids::Facts::of(module, globals);
    environment.check(module, messages);
    ids::check_globals(&facts, &environment, messages);
    functions::check(&facts, &environment, messages);
}

/// Reason to leave an instruction: a fault, or nothing that is not said elsewhere.
#[derive(Debug)]
pub(super) struct Stop(pub Option<Fault>);

impl Stop {
    /// Stop at an operand of which another message tells.
    pub(super) const KNOWN: Stop = Stop(None);
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop(Some(fault))
    }
}

pub(super) type Checked<T> = Result<T, Stop>;
