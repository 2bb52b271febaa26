//! Code generation for the functions of a kernel, in parallel if there are many.

use std::panic::resume_unwind;
use std::sync::Arc;

use super::CodeError;
use super::artifact::guarded_code;
use grus_codegen::jit;
use grus_codegen::{Environment, MachineCode};
use grus_exec as exec;
use grus_ir::group_code::GroupCode;
use grus_ir::{Function, GlobalId};
use grus_support::IdMap;
use grus_support::memory::{self, NoMemory};
use grus_support::sync::Mutex;
use grus_support::target::BackendChoice;

/// Number of instructions (some milliseconds of work) from which on the work is given to several threads.
// Arbitrary.
const MIN_PARALLEL_SIZE: usize = 1500;

/// Number of chunks that the list of functions is divided into: chunks are small enough that all threads end at
/// about the same time.
// Arbitrary.
const MAX_CHUNKS: u64 = 16;

/// Generates the code of all functions, in their order.
///
/// # Errors
/// The first error; code of the remaining functions is dropped. Unwinds with [`NoMemory`] if memory has run out.
pub(super) fn functions(
    code: &Arc<GroupCode>,
    globals: &IdMap<GlobalId, u64>,
    choice: BackendChoice,
) -> Result<Vec<MachineCode>, CodeError> {
    let count = code.functions.len();
    let size: usize = code.functions.iter().map(Function::size).sum();
    if count < 2 || size < MIN_PARALLEL_SIZE || !memory::is_plentiful() {
        let environment = Environment { globals };
        let one = |index| jit::generate(code, index, &environment, choice).map_err(CodeError::from);
        return (0..count).map(one).collect();
    }
    let made: Arc<Mutex<Vec<Option<MachineCode>>>> = Arc::new(Mutex::new((0..count).map(|_| None).collect()));
    let failed: Arc<Mutex<Option<CodeError>>> = Arc::default();
    let what = {
        let (code, globals, made, failed) =
            (Arc::clone(code), globals.clone(), Arc::clone(&made), Arc::clone(&failed));
        move |from: u64, to: u64| {
            let environment = Environment { globals: &globals };
            let all = || {
                for index in from as usize..to as usize {
                    let function = jit::generate(&code, index, &environment, choice)?;
                    made.lock()[index] = Some(function);
                }
                Ok(())
            };
            if failed.lock().is_none()
                && let Err(why) = guarded_code(all)
            {
                *failed.lock() = Some(why);
            }
        }
    };
    exec::in_chunks(count as u64, (count as u64 / MAX_CHUNKS).clamp(1, 4), None, what);
    match failed.lock().take() {
        // This error must not be stored: a later attempt may succeed.
        Some(CodeError::Memory) => resume_unwind(Box::new(NoMemory)),
        Some(why) => return Err(why),
        None => {}
    }
    let made = std::mem::take(&mut *made.lock());
    made.into_iter().collect::<Option<_>>().ok_or(CodeError::MissingFunction)
}

#[cfg(test)]
mod tests {
    use crate::compile::{Source, SpecializationKey, build};
    use grus_passes::Forced;
    use grus_support::target::Backend;

    #[test]
    fn no_backend_is_given_an_object_that_no_stack_has_room_for() {
        let text = "__attribute__((noinline)) float f(global float *p, ulong n) {
                float a[1ul << 32];
                a[n] = p[0];
                a[n + 5] = p[1];
                return a[n * 7];
            }
            kernel void k(global float *p, ulong n) { p[2] = f(p, n); }";
        let source = Source { name: "k.cl".into(), text: text.into() };
        let artifact = build(&source, &[], "").result.expect("it builds");
        for (_, backend) in Backend::NAMES.into_iter().filter(|(_, backend)| backend.is_supported()) {
            let forced = Forced { lanes: Some(1), backend: Some(backend), ..Forced::default() };
            let kernel =
                artifact.compiled_for(0, &SpecializationKey { forced, ..SpecializationKey::default() });
            let kernel = kernel.unwrap_or_else(|why| panic!("{backend:?}: {why}"));
            let footprint = &kernel.code.footprint;
            assert!(footprint.private_size(1) >= 1 << 34 && footprint.stack_size < 1 << 20);
        }
    }
}
