//! IR → machine code.
//!
//! There are two backends: `clif`, which is Cranelift and takes every function on every machine, and `wide`, our own
//! for x86-64 with AVX2 or AVX-512. What both need and give stands here; what a machine has no instructions for is written
//! with those that it has before (`legalize`).
//!
//! An error is a bug of ours, and the sentence that says which.

mod clif;
mod legalize;
mod majority;
#[cfg(target_arch = "x86_64")]
mod x64;

use crate::ir::{Function, GlobalId, Value};
use crate::support::IdMap;
use crate::support::target::{Backend, Choice};
pub use clif::has_fma;
use legalize::{LegalizeTarget, legalize};

/// Returns whether a fused multiply-add of half floats is one instruction of what code is made for, by the backend that is asked for.
pub fn has_half_fma(asked: Option<Backend>) -> bool {
    Choice::of(asked, false).backend.has_halves()
}

/// Machine code of one function, not yet placed.
#[derive(Debug)]
pub struct MachineCode {
    pub bytes: Vec<u8>,
    pub alignment: u32,
    /// Bytes of the stack that a call of it takes, without those of what it calls.
    pub frame_size: u64,
    /// Bytes of it for values that registers have no room for, at most.
    pub spill_size: u64,
    pub relocs: Vec<Relocation>,
    /// Code offset to source position, ascending.
    pub positions: Vec<(u32, u32)>,
    /// Where tracked values are, as far as they are kept at all.
    pub locations: Vec<ValueLocation>,
}

/// Where a tracked value is while the program counter is between two offsets of the code.
#[derive(Clone, Copy, Debug)]
pub struct ValueLocation {
    /// The value's place in the list of tracked ones.
    pub index: u32,
    pub start: u32,
    pub end: u32,
    pub location: Location,
}

/// Where a value is.
#[derive(Clone, Copy, Debug)]
pub enum Location {
    /// A general register, by its number in instructions.
    Register(u8),
    /// On the stack, at this distance from where the stack pointer was before the call.
    Frame(i64),
}

/// A hole to be filled when the code is placed.
#[derive(Clone, Copy, Debug)]
pub struct Relocation {
    pub offset: u32,
    pub kind: RelocKind,
    pub target: RelocTarget,
    pub addend: i64,
}

/// What is put into a hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocKind {
    /// The address, in 8 bytes.
    Absolute,
    /// The distance from the hole, in 4 bytes.
    Relative,
    /// The distance from the instruction, in the 26 low bits of an `bl` of 64-bit ARM.
    ArmCall,
}

/// What an address refers to.
#[derive(Clone, Copy, Debug)]
pub enum RelocTarget {
    /// Function by position in the group code.
    Function(u32),
    /// Something absolute: a library function.
    Address(usize),
}

/// Addresses that code refers to: static variables, once they are placed.
pub struct Environment<'a> {
    pub globals: &'a IdMap<GlobalId, u64>,
}

/// Instructions of the largest function without vectors that is Cranelift's where the machine has another backend. In
/// larger ones Cranelift computes what does not touch memory as late as it can, so that thousands of values are alive at
/// once, and its register allocator takes time that grows with the square.
// Source: flat sums, chains of `else if` and straight lines of 100 to 10,000 steps, Zen 5, 2026-11-29: from 1,000
// instructions on its code takes 5 to 90 times as long to make as the other backend's, at 10,000 terms 8.5 s for 11 ms.
const MAX_SCALAR_SIZE: usize = 1_000;

/// Compiles one function; the first parameter of every function is a pointer. `tracked` are values whose whereabouts
/// the caller wants to know. Tracking costs no instruction.
///
/// # Errors
/// If the function holds an op that only the group pass can remove, or Cranelift
/// or the x64 backend refuses it: a bug of ours.
pub fn compile(
    func: &Function,
    tracked: &[Value],
    addresses: &Environment<'_>,
    choice: Choice,
) -> Result<MachineCode, String> {
    match wide_code(func, tracked, addresses, choice) {
        Some(code) => code.map_err(|why| format!("{}: {why}", func.name)),
        None => {
            clif::compile(&legalize(func, LegalizeTarget::Cranelift), tracked, addresses, choice.prints_clif)
        }
    }
}

/// Returns code by the x64 backend, where that is chosen.
#[cfg(target_arch = "x86_64")]
fn wide_code(
    func: &Function,
    tracked: &[Value],
    addresses: &Environment<'_>,
    choice: Choice,
) -> Option<Result<MachineCode, &'static str>> {
    // What has no vectors Cranelift does as well, unless it is large.
    let has_vectors = || func.instructions().any(|inst| inst.ty.is_vector());
    let is_wanted = || choice.is_asked || func.size() > MAX_SCALAR_SIZE || has_vectors();
    if choice.backend == Backend::Cranelift || !is_wanted() {
        return None;
    }
    let target = x64::X64Target::here(choice.backend).with(choice.overrides);
    let legal = legalize(func, target.legalize_target());
    let code = x64::compile(&legal, tracked, addresses, target, choice.overrides);
    Some(code.map_err(|x64::Unsupported(why)| why))
}

/// Names of the processors that [`compile_for`] knows.
#[cfg(target_arch = "x86_64")]
pub const X64_TARGETS: [&str; 4] = ["avx2", "avx512", "avx512-slow-gathers", "avx512-fp16"];

/// Compiles one function with the x64 backend for a named processor of [`X64_TARGETS`], which need not be this one: the
/// text tests of instruction selection compare the code with what is expected, on every machine.
///
/// # Errors
/// If the target is unknown, or the backend refuses the function.
#[cfg(target_arch = "x86_64")]
pub fn compile_for(
    func: &Function,
    addresses: &Environment<'_>,
    target: &str,
) -> Result<MachineCode, String> {
    let Some(target) = x64::X64Target::named(target) else { return Err(format!("no target `{target}`")) };
    let legal = legalize(func, target.legalize_target());
    let code = x64::compile(&legal, &[], addresses, target, Default::default());
    code.map_err(|x64::Unsupported(why)| format!("{}: {why}", func.name))
}

/// Other machines have Cranelift only.
#[cfg(not(target_arch = "x86_64"))]
fn wide_code(
    _: &Function,
    _: &[Value],
    _: &Environment<'_>,
    _: Choice,
) -> Option<Result<MachineCode, &'static str>> {
    None
}
