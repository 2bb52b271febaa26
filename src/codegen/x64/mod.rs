//! x64 backend: compiles IR to machine code for x86-64 with AVX2 or AVX-512.
//!
//! ```text
//!   ir::Function           SSA over vectors of the kernel's lanes; `legalize` has expanded unsupported operations
//!        |
//!        |  isel/          instruction selection, backwards over blocks and instructions: folds loads, constants,
//!        |                 addresses and comparisons into their only use, and skips values without uses
//!        v
//!   vcode::VCode           blocks of inst::Inst over virtual registers, still SSA, with block parameters;
//!        |                 vector instructions are entries of the table in vec_ops
//!        |
//!        |  regalloc/spill, regalloc/reload
//!        |                 choose which vectors are in memory; insert stores, reloads and constants
//!        v
//!   VCode                  needs no more vector registers than there are
//!        |
//!        |  regalloc/assign   one walk over the blocks in reverse postorder (dominators first), fast
//!        |  regalloc2         allocates instead, if the walk fails or inserts too many moves
//!        |  regalloc2's checker verifies either result in debug builds, for some functions
//!        v
//!   regalloc2::Output      a location for each operand, and moves between instructions
//!        |
//!        |  block_layout   orders blocks so that most jumps fall through
//!        |  emit           lays out the frame, encodes instructions (iced), chooses VEX or EVEX
//!        |  pseudo_insts, isel/masked, isel/branch
//!        |                 expand pseudo-instructions: loops over lanes and around `cmpxchg`, masked accesses
//!        v
//!   MachineCode            bytes, relocations, source positions, locations of tracked values
//! ```
//!
//! **Targets.** One lowering serves AVX2 and AVX-512 ([`X64Target`]). A vector takes as many registers as it fills, of
//! 256 or 512 bits. A mask is in mask registers with AVX-512, else in vector registers with lanes of -1 and 0
//! (`isel/mask.rs`).
//!
//! **Register classes.** regalloc2 has three classes: `Int` is used for general registers, `Float` for vector registers,
//! and `Vector` for mask registers.
//!
//! **Calls.** Functions use the C calling convention as Cranelift does (`isel/call.rs`), so that code of both backends,
//! which share the functions of a kernel, can call each other.
//!
//! **Errors.** This backend lowers every operation that the passes leave and `legalize` lets through. [`CodegenBug`] is
//! a bug in it, or a stack object that is too large.
//!
//! **Tests.** `tests.rs` compares the table of vector instructions with the encoder's description; `regalloc/assign`
//! is tested with random functions and regalloc2's checker. [`Overrides`] withhold registers, and choose the
//! allocator and the lowering of gathers, so that ordinary kernels exercise spilling and both choices.

mod block_layout;
mod emit;
mod inst;
mod isel;
mod pseudo_insts;
pub mod regalloc;
#[cfg(test)]
mod tests;
mod vcode;
mod vec_ops;

use std::cell::Cell;

use regalloc2::{Algorithm, RegClass, RegallocOptions};

use super::legalize::LegalizeTarget;
use super::{Environment, MachineCode};
use grus_ir::{Function, Value};
use grus_support::memory;
use grus_support::target::{Allocator, Backend, Features, Overrides};
use vec_ops::Size;

/// Reason why a function has no code: a bug in this backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CodegenBug(pub &'static str);

/// Processor features and register sizes that code is generated for.
#[derive(Clone, Copy, Debug)]
pub struct X64Target {
    /// True if mask registers and 32 vector registers are available.
    pub avx512: bool,
    pub features: Features,
    /// Size of the largest vector register.
    pub widest: Size,
}

impl X64Target {
    /// Returns the target for this machine, limited to the features that `backend` uses.
    pub fn host(backend: Backend) -> X64Target {
        let host = Features::host();
        let avx512 = backend.has_masks();
        let features = match backend {
            Backend::Avx512 => host,
            // Extensions that exist only on processors with AVX-512 are not used without it.
            _ => Features {
                avx2: host.avx2,
                avx512: host.avx512 && avx512,
                slow_gathers: host.slow_gathers,
                ..Features::default()
            },
        };
        X64Target { avx512, features, widest: if avx512 { Size::Z } else { Size::Y } }
    }

    /// Returns the target with the features that tests assume.
    pub fn with(self, overrides: Overrides) -> X64Target {
        let slow_gathers = overrides.slow_gathers.unwrap_or(self.features.slow_gathers);
        X64Target { features: Features { slow_gathers, ..self.features }, ..self }
    }

    /// Returns the processor of that name, with all features that code for it may use.
    pub fn named(name: &str) -> Option<X64Target> {
        let avx2 = Features { avx2: true, ..Features::default() };
        let avx512 = Features { avx512: true, vbmi: true, vpopcntdq: true, bitalg: true, ..avx2 };
        let features = match name {
            "avx2" => avx2,
            "avx512" => avx512,
            "avx512-slow-gathers" => Features { slow_gathers: true, ..avx512 },
            "avx512-fp16" => Features { fp16: true, ..avx512 },
            _ => return None,
        };
        let widest = if features.avx512 { Size::Z } else { Size::Y };
        Some(X64Target { avx512: features.avx512, features, widest })
    }

    /// Returns the target that ops are legalized for.
    pub fn legalize_target(&self) -> LegalizeTarget {
        match (self.avx512, self.features.fp16) {
            (false, _) => LegalizeTarget::Avx2,
            (true, false) => LegalizeTarget::Avx512,
            (true, true) => LegalizeTarget::Avx512Fp16,
        }
    }
}

/// Estimated memory in bytes that the compilation of one instruction takes.
// Arbitrary.
const INSTRUCTION_BYTES: usize = 1600;

/// Compiles one function. Tests choose registers, allocator and lowering of gathers by `overrides`.
///
/// # Errors
/// If the function holds an unsupported operation, or registers could not be assigned. Both are bugs.
pub fn compile(
    func: &Function,
    tracked: &[Value],
    addresses: &Environment<'_>,
    target: X64Target,
    overrides: Overrides,
) -> Result<MachineCode, CodegenBug> {
    // Large kernels are already split (`passes::split`), so size is no reason to prefer Cranelift here.
    memory::expect(func.size() * INSTRUCTION_BYTES);
    memory::check();
    let mut code = isel::lower(func, tracked, addresses, target)?;
    let environment = vcode::environment(target.avx512, overrides.withheld);
    let vectors = environment.preferred_regs_by_class[RegClass::Float as usize].into_iter().count();
    regalloc::spill::run(&mut code, vectors);
    let tries_assigner = overrides.allocator != Some(Allocator::Regalloc2);
    let assigned = if tries_assigner { regalloc::assign::assign(&code, &environment) } else { None };
    let mut ctx = None;
    let output = match &assigned {
        Some(output) => output,
        None => {
            let options = RegallocOptions {
                verbose_log: false,
                validate_ssa: cfg!(debug_assertions),
                algorithm: Algorithm::Ion,
            };
            let ctx = ctx.insert(ALLOCATOR_CTX.take().unwrap_or_default());
            regalloc2::run_with_ctx(&code, &environment, &options, ctx).map_err(|error| {
                debug_assert!(false, "{}: {error}", func.name);
                CodegenBug("registers could not be assigned")
            })?
        }
    };
    if cfg!(debug_assertions) && is_register_check_due(func, code.insts.len(), code.blocks.len()) {
        let mut checker = regalloc2::checker::Checker::new(&code, &environment);
        checker.prepare(output);
        if let Err(error) = checker.run() {
            panic!("{}: registers are wrong: {error:?}", func.name);
        }
    }
    let machine_code = emit::emit(&code, output, target.avx512);
    if code.insts.len() <= MAX_KEPT_CTX_INSTS && ctx.is_some() {
        ALLOCATOR_CTX.set(ctx);
    }
    machine_code
}

thread_local! {
    /// Allocator state that is reused for the thread's next function.
    static ALLOCATOR_CTX: Cell<Option<Box<regalloc2::Ctx>>> = const { Cell::new(None) };
}

/// Number of instructions above which the allocator state is freed: it would keep more than a few hundred kilobytes for
/// each thread.
// Arbitrary.
const MAX_KEPT_CTX_INSTS: usize = 1000;

/// Period of the check of register assignments in debug builds: one of this many functions is checked.
// Arbitrary.
const CHECK_PERIOD: usize = 8;
/// Number of instructions from which on a function is not checked.
// Arbitrary.
const MAX_CHECKED_INSTS: usize = 4_000;
/// Product of instructions and blocks from which on a function is not checked, since the checker keeps the contents of
/// each register for each block.
// Arbitrary.
const MAX_CHECKED_INST_BLOCKS: usize = 1 << 17;

/// Checks whether a debug build verifies the registers of a function. The name is part of the hash because chunks of
/// one kernel often have equal lengths.
fn is_register_check_due(func: &Function, insts: usize, blocks: usize) -> bool {
    insts < MAX_CHECKED_INSTS
        && insts * blocks < MAX_CHECKED_INST_BLOCKS
        && (insts + func.name.bytes().map(usize::from).sum::<usize>()).is_multiple_of(CHECK_PERIOD)
}
