//! Rules of OpenCL's environment: capabilities, extensions and execution modes that the device has, and what needs a
//! capability. Scopes are classes of operands (`classes.rs`).

use super::classes::{Class, flag};
use super::ids::{Facts, decoded};
use crate::device;
use crate::error::{Fault, Messages, shortened};
use crate::grammar::{
    Category, ExtendedSet, Instruction, Opcode, OperandKind, capability, execution_mode, execution_model,
    memory_semantics, scope,
};
use crate::module::{Id, Module, text};
use crate::operands::{What, walk};
use crate::types::TypeId;

/// Execution modes that kernels may have.
const MODES: &[u32] = &[
    execution_mode::LocalSize,
    execution_mode::LocalSizeHint,
    execution_mode::LocalSizeId,
    execution_mode::LocalSizeHintId,
    execution_mode::VecTypeHint,
    execution_mode::ContractionOff,
    execution_mode::SubgroupSize,
    execution_mode::SubgroupsPerWorkgroup,
    execution_mode::SubgroupsPerWorkgroupId,
    execution_mode::DenormPreserve,
    execution_mode::DenormFlushToZero,
    execution_mode::SignedZeroInfNanPreserve,
    execution_mode::RoundingModeRTE,
    execution_mode::FPFastMathDefault,
    execution_mode::MaxWorkgroupSizeINTEL,
    execution_mode::MaxWorkDimINTEL,
    execution_mode::NoGlobalOffsetINTEL,
];

/// Number above all capabilities.
const CAPABILITY_LIMIT: usize = 1 << 13;

/// Capabilities of a module, with those that they imply.
pub(super) struct Environment {
    declared: Box<[u64; CAPABILITY_LIMIT / 64]>,
}

impl Environment {
    pub(super) fn of(module: &Module) -> Environment {
        let mut environment = Environment { declared: Box::new([0; CAPABILITY_LIMIT / 64]) };
        let mut work: Vec<u32> = module.capabilities().to_vec();
        while let Some(number) = work.pop() {
            let (word, bit) = (number as usize / 64, 1 << (number % 64));
            let Some(word) = environment.declared.get_mut(word) else { continue };
            if *word & bit != 0 {
                continue;
            }
            *word |= bit;
            let row = OperandKind::Capability.enumerant(number);
            work.extend(
                row.iter().flat_map(|row| row.conditions.capabilities()).map(|&next| u32::from(next)),
            );
        }
        environment
    }

    /// Checks whether a capability is declared or implied.
    #[inline]
    pub(super) fn has(&self, number: u32) -> bool {
        self.declared.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
    }

    /// Checks what the module declares.
    pub(super) fn check(&self, module: &Module, messages: &mut Messages) {
        for place in module.all_instructions() {
            let (row, words) = decoded(module, place);
            let fault = match row.opcode {
                Opcode::Capability if !device::CAPABILITIES.contains(&words[1]) => {
                    Some(missing(1, "capability", OperandKind::Capability, words[1]))
                }
                Opcode::Extension => {
                    let name = text(&words[1..]);
                    (!device::has_extension(&name)).then(|| {
                        let name = shortened(&name);
                        Fault::at(1, format!("the device does not have the extension \"{name}\""))
                    })
                }
                Opcode::EntryPoint if words[1] != execution_model::Kernel => {
                    Some(Fault::at(1, "the execution model is another one than Kernel"))
                }
                Opcode::ExecutionMode | Opcode::ExecutionModeId if !MODES.contains(&words[2]) => {
                    Some(missing(2, "execution mode", OperandKind::ExecutionMode, words[2]))
                }
                _ if row.section >= crate::grammar::Section::Debug
                    && row.section != crate::grammar::Section::Any =>
                {
                    break;
                }
                _ => None,
            };
            if let Some(fault) = fault {
                messages.add(module, place, fault);
            }
        }
    }

    /// Checks that the capabilities of an instruction, and of its operands, are declared.
    pub(super) fn check_instruction(
        &self,
        module: &Module,
        row: &Instruction,
        words: &[u32],
    ) -> Result<(), Fault> {
        self.check_opcode(row)?;
        let is_plain = row.operands().iter().all(|operand| matches!(operand.category, Category::Id));
        let is_debug = || module.extended_set(Id(words[3])).is_some_and(ExtendedSet::is_debug);
        if is_plain || row.opcode == Opcode::ExtInst && is_debug() {
            return Ok(());
        }
        let mut found = Ok(());
        let walked = walk(module, row, words, &mut |piece| {
            if let What::Of(kind) = piece.what
                && found.is_ok()
                && is_gated(kind)
            {
                found = self.check_enumerant(kind, words[piece.at], piece.at);
            }
        });
        walked.map_err(|(at, rule)| Fault::at(at, rule.to_string()))?;
        found
    }

    /// Checks that one of the capabilities of an instruction is declared.
    #[inline]
    pub(super) fn check_opcode(&self, row: &Instruction) -> Result<(), Fault> {
        let wanted = row.conditions.capabilities();
        if wanted.is_empty() || self.has_any(wanted) || is_hint(row.opcode) {
            return Ok(());
        }
        Err(Fault::new(format!("the instruction needs the capability {}", names(wanted))))
    }

    fn has_any(&self, wanted: &[u16]) -> bool {
        wanted.iter().any(|&number| self.has(number.into()))
    }

    /// Checks that one of the capabilities of an enumerant, or of each bit of a mask, is declared.
    pub(super) fn check_enumerant(&self, kind: OperandKind, value: u32, at: usize) -> Result<(), Fault> {
        let mut left = value;
        loop {
            let part = match kind.category() {
                Category::Mask => left & left.wrapping_neg(),
                _ => left,
            };
            if let Some(row) = kind.enumerant(part) {
                let wanted = row.conditions.capabilities();
                if !wanted.is_empty() && !self.has_any(wanted) {
                    let text = format!("{} needs the capability {}", row.name(), names(wanted));
                    return Err(Fault::at(at, text));
                }
            }
            left ^= part;
            if left == 0 || kind.category() != Category::Mask {
                return Ok(());
            }
        }
    }

    /// Checks that widths of types are declared, of which the grammar does not tell.
    pub(super) fn check_type(&self, facts: &Facts<'_>, opcode: Opcode, words: &[u32]) -> Result<(), Fault> {
        let (at, wanted): (usize, &[u16]) = match (opcode, words.get(2), words.get(3)) {
            (Opcode::TypeInt, Some(8), _) => (2, &[capability::Int8 as u16]),
            (Opcode::TypeInt, Some(16), _) => (2, &[capability::Int16 as u16]),
            (Opcode::TypeInt, Some(64), _) => (2, &[capability::Int64 as u16]),
            (Opcode::TypeInt, Some(bits), _) if *bits != 32 => {
                (2, &[capability::ArbitraryPrecisionIntegersALTERA as u16])
            }
            (Opcode::TypeFloat, Some(16), _) => {
                (2, &[capability::Float16 as u16, capability::Float16Buffer as u16])
            }
            (Opcode::TypeFloat, Some(64), _) => (2, &[capability::Float64 as u16]),
            (Opcode::TypeVector, _, Some(8 | 16)) => (3, &[capability::Vector16 as u16]),
            _ => return Ok(()),
        };
        // A type that is not valid has a message of its own.
        if facts.types().find(Id(words[1])).is_none() || self.has_any(wanted) {
            return Ok(());
        }
        Err(Fault::at(at, format!("the type needs the capability {}", names(wanted))))
    }

    /// Checks that a type of values that are accessed at once is one that the module may access so.
    pub(super) fn check_atomic(
        &self,
        facts: &Facts<'_>,
        opcode: Opcode,
        ty: TypeId,
        at: usize,
    ) -> Result<(), Fault> {
        use Opcode::{AtomicCompareExchangeWeak, AtomicFAddEXT, AtomicFMaxEXT, AtomicFMinEXT};
        use capability::*;
        let shape = facts.shape(ty);
        let is_float = shape.is_any(flag::FLOAT);
        let wanted = match (is_float, shape.bits, opcode) {
            (false, 32, _) => return Ok(()),
            (false, 64, AtomicCompareExchangeWeak) => return Ok(()),
            (false, 64, _) => Int64Atomics,
            (true, 16, AtomicFAddEXT) => AtomicFloat16AddEXT,
            (true, 32, AtomicFAddEXT) => AtomicFloat32AddEXT,
            (true, 64, AtomicFAddEXT) => AtomicFloat64AddEXT,
            (true, 16, AtomicFMinEXT | AtomicFMaxEXT) => AtomicFloat16MinMaxEXT,
            (true, 32, AtomicFMinEXT | AtomicFMaxEXT) => AtomicFloat32MinMaxEXT,
            (true, 64, AtomicFMinEXT | AtomicFMaxEXT) => AtomicFloat64MinMaxEXT,
            // LLVM's back end declares nothing for weak exchanges, nor for loads, stores and exchanges of 64-bit floats.
            (true, ..) => return Ok(()),
            _ => {
                let found = facts.described(ty);
                return Err(Fault::at(at, format!("the access is to {found}; 32 or 64 bits are wanted")));
            }
        };
        if self.has(wanted) {
            return Ok(());
        }
        let found = facts.described(ty);
        let text = format!("the access to {found} needs the capability {}", names(&[wanted as u16]));
        Err(Fault::at(at, text))
    }
}

/// Checks whether a scope, or semantics of memory, is one that an operand of this class may be.
pub(super) fn suits(class: Class, number: u64) -> bool {
    use memory_semantics::{Acquire, AcquireRelease, Release, SequentiallyConsistent};
    let Ok(number) = u32::try_from(number) else { return false };
    match class {
        Class::Execution => matches!(number, scope::Workgroup | scope::Subgroup),
        Class::WorkGroup => number == scope::Workgroup,
        Class::SubGroup => number == scope::Subgroup,
        Class::Clock => matches!(number, scope::Device | scope::Workgroup | scope::Subgroup),
        Class::MemoryScope => number <= scope::Invocation,
        Class::LoadOrder => true,
        _ => {
            let orders = number & (Acquire | Release | AcquireRelease | SequentiallyConsistent);
            let known = OperandKind::MemorySemantics.enumerants();
            let known = known.iter().fold(0, |all, row| all | row.value);
            // The other kinds of memory are those of shaders.
            orders.count_ones() <= 1 && number & !known & !SHADER_MEMORY == 0
        }
    }
}

/// Bits of memory semantics for memory that only shaders have: uniform memory, atomic counters, output.
const SHADER_MEMORY: u32 = 0x40 | 0x400 | 0x1000;

/// Checks whether an instruction may be dropped.
fn is_hint(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        LifetimeStart
            | LifetimeStop
            | AssumeTrueKHR
            | ExpectKHR
            | LoopControlINTEL
            | AliasDomainDeclINTEL
            | AliasScopeDeclINTEL
            | AliasScopeListDeclINTEL
            | ArithmeticFenceEXT
            | UntypedPrefetchKHR
    )
}

/// Checks whether the enumerants of a kind have a meaning that needs a capability: they are neither hints nor
/// decorations, and not checked elsewhere.
fn is_gated(kind: OperandKind) -> bool {
    use OperandKind::*;
    matches!(
        kind,
        StorageClass
            | Dim
            | AccessQualifier
            | GroupOperation
            | ImageOperands
            | PackedVectorFormat
            | SamplerAddressingMode
            | SamplerFilterMode
    )
}

fn names(numbers: &[u16]) -> String {
    let name =
        |&number: &u16| OperandKind::Capability.enumerant(number.into()).map_or("unknown", |row| row.name());
    numbers.iter().map(name).collect::<Vec<_>>().join(" or ")
}

fn missing(at: usize, what: &str, kind: OperandKind, value: u32) -> Fault {
    let name = kind.enumerant(value).map_or_else(|| value.to_string(), |row| row.name().to_owned());
    Fault::at(at, format!("the device does not have the {what} {name}"))
}

/// Returns the names of all capabilities that the device has.
#[cfg(test)]
pub(super) fn names_of_capabilities() -> Vec<&'static str> {
    let name = |&number: &u32| OperandKind::Capability.enumerant(number).map_or("", |row| row.name());
    device::CAPABILITIES.iter().map(name).collect()
}
