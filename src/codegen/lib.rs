//! Code generation: from IR to machine code.
//!
//! Input is one [`Function`] of a kernel's group code, after all passes. Output is [`MachineCode`]: bytes with
//! relocations, source positions, the size of the stack frame, and locations of tracked values. The module `jit`
//! places the functions of a kernel in executable memory. The module `rtlib` has the Rust functions that the code
//! calls.
//!
//! ```text
//! ir::Function
//!    │
//!    │  legalize     ops that the target lacks → ops that it has (IR → IR), by one table for all targets
//!    ▼
//! ir::Function
//!    ├──▶ x64        AVX2 or AVX-512: instruction selection, register allocation, encoding
//!    └──▶ clif       Cranelift: everything else, on every machine
//!    ▼
//! MachineCode ──▶ jit::place ──▶ jit::CompiledKernel, which exec runs
//! ```
//!
//! # Backends
//!
//! There are two backends: `clif`, which uses Cranelift and supports every function on every machine, and `x64`,
//! for x86-64 with AVX2 or AVX-512. [`compile`] selects one for each function. Functions without vectors go to
//! Cranelift, unless they are large or the user asked for a backend. Functions of one kernel may come from both
//! backends, since both use the C calling convention in the same way.
//!
//! `support::target` says which backends the processor can run. A [`BackendChoice`] comes from `compile`, with the
//! settings of the user; the backends read no environment variables.
//!
//! # Example
//!
//! [`compile_for`] compiles for a named processor. For `avx2` it turns
//!
//! ```ir
//! func f0 "fadd" void internal {
//! b0(v0: ptr.global, v1: ptr.global, v2: ptr.global, v3: ptr.global):
//!     v4 = load.f32x8 align 4 v1
//!     v5 = load.f32x8 align 4 v2
//!     v6 = fadd.f32x8 v4, v5
//!     store align 4 v0, v6
//!     ret
//! }
//! ```
//!
//! into
//!
//! ```asm
//! push rbp
//! mov rbp, rsp
//! vmovdqu ymm0, [rsi]
//! vaddps ymm0, ymm0, [rdx]
//! vmovdqu [rdi], ymm0
//! vzeroupper
//! leave
//! ret
//! ```
//!
//! # Begin with
//!
//! | Topic | File |
//! |---|---|
//! | lowering of an op | `x64/isel/mod.rs`, `clif/translate.rs`: each has a match over all ops |
//! | machine instructions | `x64/inst.rs`, `x64/vec_ops.rs` |
//! | stages of the x64 backend | `x64/mod.rs` |
//! | spilling | `x64/regalloc/spill.rs` |
//! | ops that are replaced by others | `legalize.rs`, `float_atomics.rs` |
//! | functions that code can call | `rtlib/mod.rs` |
//!
//! `tests/codegen/x64` has the assembly of single ops. `tests/fixtures/generated/ops.rs` runs every op on every type
//! and compares with the interpreter.
//!
//! # Invariants
//!
//! - Backends match on groups of ops and their members without a wildcard, so a new op is a compile error here.
//! - Backends know the IR and the addresses and signatures of `rtlib`, but neither OpenCL C nor a launch.
//! - Integer division does not trap, shifts take their count modulo the width, and conversions from float to
//!   integer saturate, on every target.
//! - Tracking values ([`Location`]) adds no instruction. It tells the report of a fault which work-item ran.
//! - A [`CodegenError`] is an internal error.

mod clif;
mod error;
mod float_atomics;
pub mod jit;
mod legalize;
mod majority;
pub mod rtlib;
mod two_powers;
#[cfg(target_arch = "x86_64")]
mod x64;

pub use clif::has_fma;
pub use error::CodegenError;
use grus_ir::{Function, GlobalId, Value};
use grus_support::IdMap;
use grus_support::target::{Backend, BackendChoice};
use legalize::{LegalizeTarget, legalize};

/// Checks whether the target has an instruction for fused multiply-add of halves, with the backend that was asked
/// for.
pub fn has_half_fma(requested: Option<Backend>) -> bool {
    BackendChoice::of(requested, false).backend.has_halves()
}

/// Machine code of one function before placement.
#[derive(Debug)]
pub struct MachineCode {
    pub bytes: Vec<u8>,
    pub alignment: u32,
    /// Size of the stack frame in bytes, without those of callees.
    pub frame_size: u64,
    /// Upper bound of the bytes of the frame that hold spilled values.
    pub spill_size: u64,
    pub relocs: Vec<Relocation>,
    /// Code offsets with their source positions, ascending.
    pub positions: Vec<(u32, u32)>,
    /// Locations of tracked values, as far as they are known.
    pub locations: Vec<ValueLocation>,
}

/// Location of a tracked value for a range of code offsets.
#[derive(Clone, Copy, Debug)]
pub struct ValueLocation {
    /// Index of the value in the list of tracked ones.
    pub index: u32,
    pub start: u32,
    pub end: u32,
    pub location: Location,
}

/// Location of a value.
#[derive(Clone, Copy, Debug)]
pub enum Location {
    /// General-purpose register, by its number in the instruction encoding.
    Register(u8),
    /// Stack slot, by its offset from the stack pointer before the call.
    Frame(i64),
}

/// Relocation: a field of the code that is filled in when the code is placed.
#[derive(Clone, Copy, Debug)]
pub struct Relocation {
    pub offset: u32,
    pub kind: RelocKind,
    pub target: RelocTarget,
    pub addend: i64,
}

/// Content of the field of a relocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocKind {
    /// The address, in 8 bytes.
    Absolute,
    /// The distance from the field, in 4 bytes.
    Relative,
    /// The distance from the instruction, in the 26 low bits of a `bl` of 64-bit ARM.
    ArmCall,
}

/// Target of a relocation.
#[derive(Clone, Copy, Debug)]
pub enum RelocTarget {
    /// Function, by its index in the group code.
    Function(u32),
    /// Absolute address of a library function.
    Address(usize),
}

/// Addresses that code refers to: those of program-scope variables, which are placed already.
pub struct Environment<'a> {
    pub globals: &'a IdMap<GlobalId, u64>,
}

/// Maximum number of instructions of a function without vectors that Cranelift compiles although the machine
/// supports the other backend. In larger functions Cranelift computes values that do not touch memory as late as
/// possible, so that thousands of values are live at once, and the time of its register allocator grows
/// quadratically.
// Source: flat sums, chains of `else if` and straight lines of 100 to 10,000 steps, Zen 5, 2026-11-29: from 1,000
// instructions on Cranelift takes 5 to 90 times as long as the x64 backend, and at 10,000 terms 8.5 s instead of 11
// ms.
const MAX_SCALAR_SIZE: usize = 1_000;

/// Compiles one function; the first parameter of every function is a pointer. `tracked` lists the values whose
/// locations the caller needs. Tracking costs no instruction.
///
/// # Errors
/// If the function has an op that a pass should have removed, or the backend refuses it: an internal error.
pub fn compile(
    func: &Function,
    tracked: &[Value],
    addresses: &Environment<'_>,
    choice: BackendChoice,
) -> Result<MachineCode, CodegenError> {
    match x64_code(func, tracked, addresses, choice) {
        Some(code) => code,
        None => {
            clif::compile(&legalize(func, LegalizeTarget::Cranelift), tracked, addresses, choice.prints_clif)
        }
    }
}

/// Compiles a function with the x64 backend; `None` if Cranelift is to compile it.
#[cfg(target_arch = "x86_64")]
fn x64_code(
    func: &Function,
    tracked: &[Value],
    addresses: &Environment<'_>,
    choice: BackendChoice,
) -> Option<Result<MachineCode, CodegenError>> {
    // Cranelift's code for functions without vectors is as good, and large ones compile faster with the x64
    // backend.
    let has_vectors = || func.instructions().any(|inst| inst.ty.is_vector());
    let is_profitable = || choice.is_explicit || func.size() > MAX_SCALAR_SIZE || has_vectors();
    if choice.backend == Backend::Cranelift || !is_profitable() {
        return None;
    }
    let target = x64::X64Target::host(choice.backend).with(choice.overrides);
    let legal = legalize(func, target.legalize_target());
    let code = x64::compile(&legal, tracked, addresses, target, choice.overrides);
    Some(code.map_err(|bug| CodegenError::X64 { function: func.name.clone(), bug }))
}

/// Compiles one function with the x64 backend for a processor that `X64Target::named` knows, which need not be the host:
/// text tests of instruction selection compare the code on every machine.
///
/// # Errors
/// If the target is unknown, or the backend refuses the function.
#[cfg(target_arch = "x86_64")]
pub fn compile_for(
    func: &Function,
    addresses: &Environment<'_>,
    target: &str,
) -> Result<MachineCode, CodegenError> {
    let Some(target) = x64::X64Target::named(target) else {
        return Err(CodegenError::UnknownTarget(target.to_owned()));
    };
    let legal = legalize(func, target.legalize_target());
    let code = x64::compile(&legal, &[], addresses, target, Default::default());
    code.map_err(|bug| CodegenError::X64 { function: func.name.clone(), bug })
}

/// Returns `None`: other machines have only Cranelift.
#[cfg(not(target_arch = "x86_64"))]
fn x64_code(
    _: &Function,
    _: &[Value],
    _: &Environment<'_>,
    _: BackendChoice,
) -> Option<Result<MachineCode, CodegenError>> {
    None
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use iced_x86::{Decoder, DecoderOptions};

    use super::{Environment, compile_for};
    use grus_ir::parse_module;
    use grus_support::IdMap;

    /// Returns the code block of the page in this language.
    fn block(language: &str) -> String {
        let page = include_str!("lib.rs").lines().map_while(|line| line.strip_prefix("//!"));
        let lines = page.map(|line| line.strip_prefix(' ').unwrap_or(line));
        let lines = lines.skip_while(|line| line.strip_prefix("```") != Some(language)).skip(1);
        lines.take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn the_example_in_the_documentation_has_this_code() {
        let module = parse_module(&block("ir")).expect("it is IR");
        let func = module.funcs.values().next().expect("a function");
        let globals = IdMap::new(0);
        let code = compile_for(func, &Environment { globals: &globals }, "avx2").expect("code");
        let assembly = block("asm");
        let expected: Vec<&str> = assembly.lines().filter_map(|line| line.split(' ').next()).collect();
        // Padding follows the code.
        let mut decoder = Decoder::new(64, &code.bytes, DecoderOptions::NONE);
        let decoded = decoder.iter().take(expected.len());
        let found: Vec<String> =
            decoded.map(|inst| format!("{:?}", inst.mnemonic()).to_lowercase()).collect();
        assert_eq!(found, expected);
    }
}
