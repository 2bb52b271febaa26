//! IR → machine code for x86-64 with AVX2 or AVX-512, from one lowering.
//!
//! `lower` makes machine instructions over virtual registers, `spill` says which vectors are in memory, `assign` gives out
//! registers in one walk, regalloc2 where that moves too much, `emit` makes bytes of them. `table` has a row for each vector
//! instruction. Everything that passes leave and `legalize` lets through is done here; [`Unsupported`] is a bug of ours.

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

use super::{Environment, MachineCode};
use crate::ir::{Function, Value};
use crate::support::memory as room;
use crate::support::target::{Allocator, Backend, Features, Overrides};
use vec_ops::Size;

/// Reason why there is no code of a function: a bug of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported(pub &'static str);

/// What code is made for.
#[derive(Clone, Copy, Debug)]
pub struct X64Target {
    /// There are masks and 32 registers.
    pub avx512: bool,
    pub features: Features,
    /// The largest register.
    pub widest: Size,
}

impl X64Target {
    /// This machine, as far as a backend makes use of it.
    pub fn here(backend: Backend) -> X64Target {
        let here = Features::here();
        let avx512 = backend.has_masks();
        let features = match backend {
            Backend::Avx512 => here,
            // What comes with AVX-512 is not asked for without it.
            _ => Features {
                avx2: here.avx2,
                avx512: here.avx512 && avx512,
                slow_gathers: here.slow_gathers,
                ..Features::default()
            },
        };
        X64Target { avx512, features, widest: if avx512 { Size::Z } else { Size::Y } }
    }

    /// Returns the same machine with what tests take it for.
    pub fn with(self, overrides: Overrides) -> X64Target {
        let slow_gathers = overrides.slow_gathers.unwrap_or(self.features.slow_gathers);
        X64Target { features: Features { slow_gathers, ..self.features }, ..self }
    }
}

/// What an instruction takes while it is compiled.
const BYTES_FOR_INSTRUCTION: usize = 1600;

/// Compiles one function, with the registers and the allocator that tests may have chosen.
///
/// # Errors
/// If the function holds something that is not done here.
pub fn compile(
    func: &Function,
    tracked: &[Value],
    addresses: &Environment<'_>,
    target: X64Target,
    overrides: Overrides,
) -> Result<MachineCode, Unsupported> {
    // What would take long is cut into chunks before (`passes::split`): kernels of 80,000 statements were made sooner than by Cranelift.
    room::expect(func.size() * BYTES_FOR_INSTRUCTION);
    room::check();
    let mut code = isel::lower(func, tracked, addresses, target)?;
    let environment = vcode::environment(target.avx512, overrides.withheld);
    let vectors = environment.preferred_regs_by_class[RegClass::Float as usize].into_iter().count();
    crate::codegen::x64::regalloc::spill::run(&mut code, vectors);
    let walks = overrides.allocator != Some(Allocator::Regalloc2);
    let assigned =
        if walks { crate::codegen::x64::regalloc::assign::assign(&code, &environment) } else { None };
    let mut lists = None;
    let output = match &assigned {
        Some(output) => output,
        None => {
            let options = RegallocOptions {
                verbose_log: false,
                validate_ssa: cfg!(debug_assertions),
                algorithm: Algorithm::Ion,
            };
            let lists = lists.insert(LISTS.take().unwrap_or_default());
            regalloc2::run_with_ctx(&code, &environment, &options, lists).map_err(|error| {
                debug_assert!(false, "{}: {error}", func.name);
                Unsupported("registers could not be assigned")
            })?
        }
    };
    if cfg!(debug_assertions) && is_its_turn(func, code.insts.len(), code.blocks.len()) {
        let mut checker = regalloc2::checker::Checker::new(&code, &environment);
        checker.prepare(output);
        if let Err(error) = checker.run() {
            panic!("{}: registers are wrong: {error:?}", func.name);
        }
    }
    let made = emit::emit(&code, output, target.avx512);
    if code.insts.len() <= MOST_KEPT && lists.is_some() {
        LISTS.set(lists);
    }
    made
}

thread_local! {
    /// The register allocator's lists, for the thread's next function.
    static LISTS: Cell<Option<Box<regalloc2::Ctx>>> = const { Cell::new(None) };
}

/// Of longer functions they are given back: they would take more than a few hundred kilobytes of each thread.
const MOST_KEPT: usize = 1000;

/// In debug builds assignments of registers are checked for one of so many functions that have fewer instructions, and fewer
/// times their blocks: the checker keeps what is known of each register for each block.
const SHARE: usize = 8;
const MOST_CHECKED: usize = 4_000;
const MOST_KNOWN: usize = 1 << 17;

/// Pieces of one kernel are often as long as each other, but have names of their own.
fn is_its_turn(func: &Function, insts: usize, blocks: usize) -> bool {
    insts < MOST_CHECKED
        && insts * blocks < MOST_KNOWN
        && (insts + func.name.bytes().map(usize::from).sum::<usize>()).is_multiple_of(SHARE)
}
