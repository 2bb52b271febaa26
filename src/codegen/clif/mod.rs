//! Code generation from IR with Cranelift.
//!
//! A value of several lanes is translated to parts: 128-bit vectors if its lanes fill them, else one scalar for
//! each lane. Ops without a vector form in Cranelift are translated lane by lane. Comments at the translations have
//! the measurements that led to them.

mod arith;
mod convert;
mod features;
mod flow;
mod half;
mod lanes;
mod mask;
mod memory;
mod packed;
mod parts;
mod translate;

use std::error::Error;
use std::sync::Arc;

use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::ir::LibCall;
use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{Context, FinalizedRelocTarget, LabelValueLoc, ValueLabelsRanges, ir as clif};

use super::{
    CodegenError, Environment, Location, MachineCode, RelocKind, RelocTarget, Relocation, ValueLocation,
};
use features::Features;
use grus_ir::{Function, Value};
use grus_support::fork::Global;
use grus_support::memory as room;

/// Returns the instruction set of the host.
///
/// # Errors
/// If Cranelift cannot generate code for this machine.
pub(super) fn host_isa() -> Result<Arc<dyn TargetIsa>, CodegenError> {
    static ISA: Global<Result<Arc<dyn TargetIsa>, CodegenError>> = Global::fact();
    ISA.get(|| make_isa().map_err(|error| CodegenError::Host(error.into()))).clone()
}

fn make_isa() -> Result<Arc<dyn TargetIsa>, Box<dyn Error + Send + Sync>> {
    let mut flags = settings::builder();
    let verifier = if cfg!(debug_assertions) { "true" } else { "false" };
    let values = [
        ("opt_level", "speed"),
        ("enable_verifier", verifier),
        ("is_pic", "false"),
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
        ("unwind_info", "true"),
    ];
    for (name, value) in values {
        flags.set(name, value)?;
    }
    let builder = cranelift_native::builder()?;
    Ok(builder.finish(settings::Flags::new(flags))?)
}

/// Checks whether this machine has an instruction for fused multiply-add.
pub fn has_fma() -> bool {
    host_isa().is_ok_and(|isa| Features::of(&*isa).fma)
}

/// Estimated memory that Cranelift takes for an instruction, in bytes.
// Source: 0.8 to 1.5 KiB were measured, 2026-11-22.
const BYTES_FOR_INSTRUCTION: usize = 1600;

/// Compiles one function; the first parameter of every function is a pointer. `tracked` lists the values whose
/// locations the caller needs. Tracking costs no instruction.
///
/// # Errors
/// If the function has an op that a pass should have removed, or Cranelift refuses it: an internal error.
pub fn compile(
    func: &Function,
    tracked: &[Value],
    addresses: &Environment<'_>,
    is_printed: bool,
) -> Result<MachineCode, CodegenError> {
    let isa = host_isa()?;
    // Cranelift cannot be interrupted, so memory is checked before.
    room::expect(func.size() * BYTES_FOR_INSTRUCTION);
    room::check();
    let translated = translate::translate(func, tracked, addresses, &*isa)?;
    let mut context = Context::for_function(translated);
    if is_printed {
        eprintln!("; {}\n{}", func.name, context.func.display());
    }
    if let Err(error) = context.compile(&*isa, &mut Default::default()) {
        return Err(CodegenError::Cranelift { function: func.name.clone(), error: Arc::new(error.inner) });
    }
    // Function names of relocations are indices into this list.
    let names: Vec<u32> = context.func.params.user_named_funcs().values().map(|name| name.index).collect();
    let code = context.compiled_code().ok_or(CodegenError::Nothing)?;
    let mut relocs = Vec::new();
    for reloc in code.buffer.relocs() {
        let target = match &reloc.target {
            FinalizedRelocTarget::ExternalName(clif::ExternalName::User(name)) => {
                RelocTarget::Function(names[name.as_u32() as usize])
            }
            FinalizedRelocTarget::ExternalName(clif::ExternalName::LibCall(call)) => {
                RelocTarget::Address(library_function(*call)?)
            }
            target => {
                let (function, target) = (func.name.clone(), target.clone());
                return Err(CodegenError::RelocationTarget { function, target });
            }
        };
        let kind = reloc_kind(reloc.kind)
            .ok_or_else(|| CodegenError::Relocation { function: func.name.clone(), kind: reloc.kind })?;
        relocs.push(Relocation { offset: reloc.offset, kind, target, addend: reloc.addend });
    }
    let positions = code.buffer.get_srclocs_sorted().iter().map(|s| (s.start, s.loc.bits())).collect();
    let frame = code.buffer.frame_layout().map_or(0, |frame| u64::from(frame.frame_to_fp_offset));
    let slots: u64 = context.func.sized_stack_slots.values().map(|slot| u64::from(slot.size)).sum();
    Ok(MachineCode {
        bytes: code.code_buffer().to_vec(),
        alignment: code.buffer.alignment,
        frame_size: frame + LINKAGE_SIZE,
        // Includes the callee-saved registers, which Cranelift does not report separately.
        spill_size: frame.saturating_sub(slots),
        relocs,
        positions,
        locations: locations(&code.value_labels_ranges),
    })
}

/// Converts Cranelift's kind of relocation.
fn reloc_kind(kind: Reloc) -> Option<RelocKind> {
    match kind {
        Reloc::Abs8 => Some(RelocKind::Absolute),
        Reloc::X86CallPCRel4 | Reloc::X86PCRel4 => Some(RelocKind::Relative),
        Reloc::Arm64Call => Some(RelocKind::ArmCall),
        _ => None,
    }
}

/// Size of the return address and the frame pointer, in bytes.
const LINKAGE_SIZE: u64 = 16;

fn locations(ranges: &ValueLabelsRanges) -> Vec<ValueLocation> {
    let mut found = Vec::new();
    for (label, ranges) in ranges {
        for range in ranges {
            let location = match range.loc {
                LabelValueLoc::Reg(reg) => reg.to_real_reg().map(|reg| Location::Register(reg.hw_enc())),
                LabelValueLoc::CFAOffset(offset) => Some(Location::Frame(offset)),
            };
            let (index, start, end) = (label.as_u32(), range.start, range.end);
            found.extend(location.map(|location| ValueLocation { index, start, end, location }));
        }
    }
    found
}

/// Returns the address of a function that Cranelift calls if the machine lacks an instruction.
fn library_function(call: LibCall) -> Result<usize, CodegenError> {
    use crate::rtlib::math;
    Ok(match call {
        LibCall::CeilF32 => math::ceil_f32 as *const () as usize,
        LibCall::CeilF64 => math::ceil_f64 as *const () as usize,
        LibCall::FloorF32 => math::floor_f32 as *const () as usize,
        LibCall::FloorF64 => math::floor_f64 as *const () as usize,
        LibCall::TruncF32 => math::trunc_f32 as *const () as usize,
        LibCall::TruncF64 => math::trunc_f64 as *const () as usize,
        LibCall::NearestF32 => math::nearest_f32 as *const () as usize,
        LibCall::NearestF64 => math::nearest_f64 as *const () as usize,
        LibCall::FmaF32 => math::fma_f32 as *const () as usize,
        LibCall::FmaF64 => math::fma_f64 as *const () as usize,
        other => return Err(CodegenError::LibCall(other)),
    })
}
