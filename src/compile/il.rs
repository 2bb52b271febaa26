//! Programs in an intermediate language, which is SPIR-V: the counterpart of the functions that build from source.
//!
//! A module is read when the program is created ([`read_il`]), which checks its form. Its rules are checked by the
//! build, since they may depend on the values of specialization constants ([`SpecValues`]).

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use grus_spirv::grammar::decoration;
use grus_spirv::{FormError, FunctionRange, HEADER, Id, MAGIC, Opcode};
use serde::{Deserialize, Serialize};

pub use grus_spirv::Module as IlModule;

use super::{
    Artifact, BuildError, Built, CompiledObject, compiler_options, error_line, executable, guarded,
    panic_text,
};
use grus_support::memory::{self, Building, NoMemory};

/// SPIR-V module with the values of its specialization constants.
#[derive(Clone, Debug)]
pub struct Il {
    pub module: Arc<IlModule>,
    pub spec: SpecValues,
}

/// Values that a program has set for specialization constants, by SpecId. Those that it has not set have the values
/// of the module.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SpecValues(BTreeMap<u32, u64>);

impl SpecValues {
    /// Returns the value of a constant, extended with zeros to 64 bits. A boolean is true unless it is 0.
    pub fn get(&self, spec_id: u32) -> Option<u64> {
        self.0.get(&spec_id).copied()
    }

    /// Sets the value of a constant.
    pub fn set(&mut self, spec_id: u32, value: u64) {
        self.0.insert(spec_id, value);
    }

    /// Checks whether no value is set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the values by ascending SpecIds.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, u64)> {
        self.0.iter().map(|(&spec_id, &value)| (spec_id, value))
    }
}

/// Reason why a module is not read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum IlError {
    /// The bytes are no module, or one whose form is invalid.
    #[error(transparent)]
    Form(#[from] Box<FormError>),
    #[error("not enough memory to read this module")]
    Memory,
    /// A panic, with its message.
    #[error("internal error while reading a module: {0}")]
    Panic(String),
}

/// Memory that reading takes at most for each byte of a module, in bytes: its words, a place for each id, and a list
/// with 12 bytes for each target of a decoration, which doubles.
const BYTES_FOR_BYTE: usize = 12;

/// Reads a module and checks its form. Never panics, and takes memory in proportion to the number of bytes.
///
/// # Errors
/// If the form is invalid, or there is not enough memory.
pub fn read_il(bytes: &[u8]) -> Result<Arc<IlModule>, IlError> {
    let _building = Building::enter();
    let read = || {
        memory::expect(bytes.len().saturating_mul(BYTES_FOR_BYTE));
        IlModule::read(bytes)
    };
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(module) => Ok(Arc::new(module?)),
        Err(panic) if panic.is::<NoMemory>() => Err(IlError::Memory),
        Err(panic) => Err(IlError::Panic(panic_text(&*panic))),
    }
}

/// Checks whether the bytes of a module are in the other byte order than the machine's.
pub fn is_il_swapped(bytes: &[u8]) -> bool {
    bytes.get(..4) == Some(&MAGIC.swap_bytes().to_ne_bytes())
}

/// Returns the size in bytes of each specialization constant, by its SpecId. A boolean takes one byte. If several
/// constants have a SpecId, the size is that of the first.
pub fn spec_constants(module: &IlModule) -> BTreeMap<u32, u8> {
    let end =
        module.functions().first().map_or(module.words().len() as u32, |&FunctionRange { start, .. }| start);
    // Decorations of groups apply to their targets.
    let mut decorated: BTreeMap<Id, u32> = BTreeMap::new();
    let mut sizes = BTreeMap::new();
    for place in module.instructions(HEADER as u32, end) {
        let (row, words) = module.instruction(place);
        match row.opcode {
            Opcode::Decorate if words[2] == decoration::SpecId => {
                decorated.insert(Id(words[1]), words[3]);
            }
            Opcode::GroupDecorate => {
                if let Some(&spec_id) = decorated.get(&Id(words[1])) {
                    let targets = words[2..].iter().map(|&target| Id(target));
                    decorated
                        .extend(targets.filter(|&id| is_spec_constant(module, id)).map(|id| (id, spec_id)));
                }
            }
            Opcode::SpecConstantTrue | Opcode::SpecConstantFalse | Opcode::SpecConstant => {
                let size = match row.opcode {
                    Opcode::SpecConstant => size_of_number(module, Id(words[1])),
                    _ => Some(1),
                };
                if let Some((&spec_id, size)) = decorated.get(&Id(words[2])).zip(size) {
                    sizes.entry(spec_id).or_insert(size);
                }
            }
            _ => {}
        }
    }
    sizes
}

fn is_spec_constant(module: &IlModule, id: Id) -> bool {
    use Opcode::{SpecConstant, SpecConstantFalse, SpecConstantTrue};
    let opcode = module.definition(id).map(|(row, _)| row.opcode);
    matches!(opcode, Some(SpecConstant | SpecConstantFalse | SpecConstantTrue))
}

/// Returns the size in bytes of a type of numbers.
fn size_of_number(module: &IlModule, number_type: Id) -> Option<u8> {
    use grus_spirv::NumberType::{Float, Int};
    let (Int { width, .. } | Float { width, .. }) = module.number_type(number_type)?;
    matches!(width, 8 | 16 | 32 | 64).then(|| (width / 8) as u8)
}

/// Builds a program from a module (clBuildProgram). Options of the language have no effect. Never panics: an
/// internal error is reported in the log.
pub fn build_il(il: &Il, options: &str) -> Built<Arc<Artifact>> {
    guarded(|| {
        let compiled = translate(il, options, false);
        let mut log = compiled.log;
        let result = compiled.result.and_then(|object| executable(object, &mut log));
        Built { result, log }
    })
}

/// Compiles a module as a unit, which may use symbols of other units (clCompileProgram). Never panics.
pub fn compile_il(il: &Il, options: &str) -> Built<Arc<CompiledObject>> {
    guarded(|| translate(il, options, true).map(Arc::new))
}

fn translate(_il: &Il, options: &str, _is_unit: bool) -> Built<CompiledObject> {
    match compiler_options(options) {
        Ok(_) => {
            Built { result: Err(BuildError::Program), log: error_line("SPIR-V cannot be translated yet") }
        }
        Err(error) => Built { result: Err(BuildError::Options), log: error_line(error) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(text: &str) -> Vec<u8> {
        let head = "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int8\n\
            OpCapability Int64\nOpCapability Float16\nOpMemoryModel Physical64 OpenCL\n";
        grus_assembler::assemble(&format!("{head}{text}")).expect("no mistakes")
    }

    fn sizes(text: &str) -> Vec<(u32, u8)> {
        let module = read_il(&module(text)).expect("a valid form");
        spec_constants(&module).into_iter().collect()
    }

    const TYPES: &str = "%bool = OpTypeBool\n%char = OpTypeInt 8 0\n%uint = OpTypeInt 32 0\n\
        %ulong = OpTypeInt 64 0\n%half = OpTypeFloat 16\n";

    #[test]
    fn constants_have_the_sizes_of_their_types() {
        let text = format!(
            "OpDecorate %a SpecId 0\nOpDecorate %b SpecId 1\nOpDecorate %c SpecId 2\nOpDecorate %d SpecId 7\n\
             OpDecorate %e SpecId 4294967295\nOpDecorate %f SpecId 5\nOpDecorate %e Restrict\n{TYPES}\
             %a = OpSpecConstantTrue %bool\n%b = OpSpecConstantFalse %bool\n%c = OpSpecConstant %char 1\n\
             %d = OpSpecConstant %uint 2\n%e = OpSpecConstant %ulong 3\n%f = OpSpecConstant %half 0x1p+0\n\
             %g = OpSpecConstant %uint 4\n"
        );
        assert_eq!(sizes(&text), [(0, 1), (1, 1), (2, 1), (5, 2), (7, 4), (u32::MAX, 8)]);
    }

    #[test]
    fn groups_and_shared_numbers() {
        let text = format!(
            "OpDecorate %group SpecId 3\n%group = OpDecorationGroup\nOpGroupDecorate %group %a %b\n\
             OpDecorate %c SpecId 9\n{TYPES}%a = OpSpecConstant %uint 2\n%b = OpSpecConstant %ulong 3\n\
             %c = OpConstant %uint 3\n"
        );
        assert_eq!(sizes(&text), [(3, 4)]);
    }

    #[test]
    fn bytes_that_are_no_module() {
        let good = module("");
        assert!(!is_il_swapped(&good));
        for bad in
            [&[][..], &good[..good.len() - 1], &good[..good.len() - 4], &good[4..], b"kernel void k() {}"]
        {
            assert!(matches!(read_il(bad), Err(IlError::Form(_))));
        }
        let swapped: Vec<u8> = good.chunks_exact(4).flat_map(|word| word.iter().rev().copied()).collect();
        assert!(is_il_swapped(&swapped));
        assert_eq!(read_il(&swapped).expect("a module").words(), read_il(&good).expect("a module").words());
    }

    #[test]
    fn options_are_checked_first() {
        let il = Il { module: read_il(&module("")).expect("a module"), spec: SpecValues::default() };
        for options in ["-no-such-option", "-create-library"] {
            assert_eq!(build_il(&il, options).result.err(), Some(BuildError::Options));
            assert_eq!(compile_il(&il, options).result.err(), Some(BuildError::Options));
        }
    }

    #[test]
    fn the_last_value_counts() {
        let mut values = SpecValues::default();
        for (spec_id, value) in [(7, 1), (0, 2), (7, 3)] {
            values.set(spec_id, value);
        }
        assert_eq!(values.iter().collect::<Vec<_>>(), [(0, 2), (7, 3)]);
        assert_eq!((values.get(7), values.get(1)), (Some(3), None));
    }
}
