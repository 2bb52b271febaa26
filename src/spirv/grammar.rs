//! Grammar of SPIR-V: instructions, operand kinds and their enumerants, extended instruction sets. `build.rs` makes
//! the tables of `grammar.tsv`, which `scripts/spirv-grammar` extracts from the grammar files of Khronos.
//!
//! The tables refer to each other by positions of 16 bits, and to names by places in one string, so that they need
//! neither pointers nor relocations.

#![allow(non_upper_case_globals, reason = "constants have the names of the specification")]

include!(concat!(env!("OUT_DIR"), "/grammar.rs"));

/// Place of a name in `NAMES`.
#[derive(Clone, Copy, Debug)]
struct Name {
    at: u16,
    length: u8,
}

impl Name {
    fn get(self) -> &'static str {
        let at = usize::from(self.at);
        &NAMES[at..at + usize::from(self.length)]
    }
}

/// Range of rows of another table.
#[derive(Clone, Copy, Debug)]
struct Span {
    at: u16,
    length: u16,
}

impl Span {
    #[inline]
    fn of<T>(self, table: &'static [T]) -> &'static [T] {
        let at = usize::from(self.at);
        &table[at..at + usize::from(self.length)]
    }
}

/// Minor version of a row that no version of SPIR-V has without an extension.
const NO_VERSION: u8 = u8::MAX;

/// Conditions under which a module may contain something.
#[derive(Clone, Copy, Debug)]
pub struct Conditions {
    capabilities: Span,
    extensions: Span,
    since: u8,
    until: u8,
}

impl Conditions {
    /// Returns the capabilities, one of which is needed. Those of shaders are left out.
    pub fn capabilities(&self) -> &'static [u16] {
        self.capabilities.of(&NUMBERS)
    }

    /// Returns the names of the extensions, one of which is needed before version [`Self::since`].
    pub fn extensions(&self) -> impl Iterator<Item = &'static str> {
        self.extensions.of(&NUMBERS).iter().map(|&index| EXTENSIONS[usize::from(index)].get())
    }

    /// Returns the minor number of the first version 1.N that has it, or `None` if only extensions have.
    pub fn since(&self) -> Option<u8> {
        (self.since != NO_VERSION).then_some(self.since)
    }

    /// Returns the minor number of the last version 1.N that has it, if there is one.
    pub fn until(&self) -> Option<u8> {
        (self.until != NO_VERSION).then_some(self.until)
    }
}

/// Part of a module to which an instruction belongs, in the order of the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    Capability,
    Extension,
    Import,
    Model,
    Entry,
    Mode,
    Debug,
    Annotation,
    /// Types, constants and variables.
    Global,
    /// Begin, parameters and end of functions.
    Function,
    /// Body of a function.
    Code,
    /// `Global` or `Code`.
    Either,
    /// Any place.
    Any,
}

/// Number of times that an operand may occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    One,
    Optional,
    Any,
}

/// Operand of an instruction, or parameter of an enumerant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    pub kind: OperandKind,
    /// Category of the kind.
    pub category: Category,
    pub quantifier: Quantifier,
}

impl Operand {
    /// Operands of an instruction that is unknown, in a set where all operands are ids.
    pub const IDS: &[Operand] =
        &[Operand { kind: OperandKind::IdRef, category: Category::Id, quantifier: Quantifier::Any }];
}

/// Instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    pub opcode: Opcode,
    name: Name,
    pub section: Section,
    /// True if the first operand is the result's type.
    pub has_type: bool,
    /// True if there is a result: the second operand if there is a type, otherwise the first.
    pub has_result: bool,
    /// Number of operands in front that are ids and always there: nearly all operands of most instructions.
    pub(crate) leading_ids: u8,
    operands: Span,
    pub conditions: Conditions,
}

impl Instruction {
    /// Returns the name, which begins with `Op`.
    pub fn name(&self) -> &'static str {
        self.name.get()
    }

    /// Returns all operands, with type and id of the result.
    #[inline]
    pub fn operands(&self) -> &'static [Operand] {
        self.operands.of(&OPERANDS)
    }

    /// Returns the number of operands that are type and id of the result.
    #[inline]
    pub fn result_operands(&self) -> usize {
        usize::from(self.has_type) + usize::from(self.has_result)
    }
}

impl Opcode {
    /// Returns the instruction of a number, or `None` if it is unknown.
    #[inline]
    pub fn from_number(number: u16) -> Option<Opcode> {
        instruction(number).map(|row| row.opcode)
    }

    /// Returns the row of the table.
    pub fn instruction(self) -> &'static Instruction {
        instruction(self as u16).expect("every opcode has a row")
    }

    /// Checks whether OpSpecConstantOp may compute it (SPIR-V s3.49.7, and the extensions that add to its list).
    pub fn is_for_spec_constants(self) -> bool {
        use Opcode::*;
        matches!(
            self,
            SConvert
                | UConvert
                | FConvert
                | SNegate
                | Not
                | IAdd
                | ISub
                | IMul
                | UDiv
                | SDiv
                | UMod
                | SRem
                | SMod
                | ShiftRightLogical
                | ShiftRightArithmetic
                | ShiftLeftLogical
                | BitwiseOr
                | BitwiseXor
                | BitwiseAnd
                | VectorShuffle
                | CompositeExtract
                | CompositeInsert
                | LogicalOr
                | LogicalAnd
                | LogicalNot
                | LogicalEqual
                | LogicalNotEqual
                | Select
                | IEqual
                | INotEqual
                | ULessThan
                | SLessThan
                | UGreaterThan
                | SGreaterThan
                | ULessThanEqual
                | SLessThanEqual
                | UGreaterThanEqual
                | SGreaterThanEqual
                | ConvertFToS
                | ConvertSToF
                | ConvertFToU
                | ConvertUToF
                | ConvertPtrToU
                | ConvertUToPtr
                | GenericCastToPtr
                | PtrCastToGeneric
                | Bitcast
                | FNegate
                | FAdd
                | FSub
                | FMul
                | FDiv
                | FRem
                | FMod
                | AccessChain
                | InBoundsAccessChain
                | PtrAccessChain
                | InBoundsPtrAccessChain
                | UntypedAccessChainKHR
                | UntypedInBoundsAccessChainKHR
                | UntypedPtrAccessChainKHR
                | UntypedInBoundsPtrAccessChainKHR
        )
    }
}

/// Number of opcodes that are looked up without a search: nearly all of core SPIR-V.
const DIRECT: usize = 512;

/// Position in `INSTRUCTIONS` of each opcode below `DIRECT`.
static PLACES: [u16; DIRECT] = {
    let mut places = [u16::MAX; DIRECT];
    let mut at = 0;
    while at < INSTRUCTIONS.len() && (INSTRUCTIONS[at].opcode as usize) < DIRECT {
        places[INSTRUCTIONS[at].opcode as usize] = at as u16;
        at += 1;
    }
    places
};

/// Returns the instruction of a number, or `None` if it is unknown.
#[inline]
pub fn instruction(number: u16) -> Option<&'static Instruction> {
    if let Some(&place) = PLACES.get(usize::from(number)) {
        return INSTRUCTIONS.get(usize::from(place));
    }
    let place = INSTRUCTIONS.binary_search_by_key(&number, |row| row.opcode as u16).ok()?;
    Some(&INSTRUCTIONS[place])
}

/// Returns all instructions in the order of their opcodes.
pub fn instructions() -> &'static [Instruction] {
    &INSTRUCTIONS
}

/// Kind of operand kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// Number that stands for one of several enumerants.
    Value,
    /// Set of enumerants, each a bit.
    Mask,
    Id,
    Literal,
    /// Two operands.
    Pair,
}

/// Row of an operand kind.
#[derive(Clone, Copy, Debug)]
struct Kind {
    name: Name,
    category: Category,
    enumerants: Span,
    parts: Span,
}

impl OperandKind {
    #[inline]
    fn row(self) -> &'static Kind {
        &KINDS[self as usize]
    }

    /// Returns the name of the grammar.
    pub fn name(self) -> &'static str {
        self.row().name.get()
    }

    /// Returns the category.
    #[inline]
    pub fn category(self) -> Category {
        self.row().category
    }

    /// Returns the operands of which a pair consists.
    pub fn parts(self) -> &'static [Operand] {
        self.row().parts.of(&OPERANDS)
    }

    /// Returns the enumerants in the order of their values.
    pub fn enumerants(self) -> &'static [Enumerant] {
        self.row().enumerants.of(&ENUMERANTS)
    }

    /// Returns the enumerant of a value, or of a bit of a mask.
    pub fn enumerant(self, value: u32) -> Option<&'static Enumerant> {
        let rows = self.enumerants();
        // Most kinds have the values from 0 on.
        if let Some(row) = rows.get(value as usize).filter(|row| row.value == value) {
            return Some(row);
        }
        rows.binary_search_by_key(&value, |row| row.value).ok().map(|place| &rows[place])
    }
}

/// Value of an operand kind.
#[derive(Clone, Copy, Debug)]
pub struct Enumerant {
    pub value: u32,
    name: Name,
    /// True for capabilities of shaders or other devices, whose instructions are not in the table.
    pub is_foreign: bool,
    parameters: Span,
    pub conditions: Conditions,
}

impl Enumerant {
    /// Returns the name.
    pub fn name(&self) -> &'static str {
        self.name.get()
    }

    /// Returns the operands that follow the value.
    #[inline]
    pub fn parameters(&self) -> &'static [Operand] {
        self.parameters.of(&OPERANDS)
    }
}

/// Row of an extended instruction set.
#[derive(Clone, Copy, Debug)]
struct Set {
    name: Name,
    instructions: Span,
}

/// Instruction of an extended set.
#[derive(Clone, Copy, Debug)]
pub struct Extended {
    pub number: u32,
    name: Name,
    operands: Span,
}

impl Extended {
    /// Returns the name.
    pub fn name(&self) -> &'static str {
        self.name.get()
    }

    /// Returns the operands behind the number of the instruction.
    pub fn operands(&self) -> &'static [Operand] {
        self.operands.of(&OPERANDS)
    }
}

/// Extended instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExtendedSet {
    OpenclStd,
    OpenclDebugInfo,
    ShaderDebugInfo,
    /// Another set whose name begins with `NonSemantic.`: its instructions mean nothing to a program.
    NonSemantic,
}

impl ExtendedSet {
    /// Returns the set of a name, or `None` if it is unknown.
    pub fn from_name(name: &[u8]) -> Option<ExtendedSet> {
        let sets = [Self::OpenclStd, Self::OpenclDebugInfo, Self::ShaderDebugInfo];
        let known =
            sets.into_iter().find(|set| set.row().is_some_and(|row| row.name.get().as_bytes() == name));
        known.or_else(|| name.starts_with(b"NonSemantic.").then_some(Self::NonSemantic))
    }

    fn row(self) -> Option<&'static Set> {
        let index = match self {
            Self::OpenclStd => 0,
            Self::OpenclDebugInfo => 1,
            Self::ShaderDebugInfo => 2,
            Self::NonSemantic => return None,
        };
        SETS.get(index)
    }

    /// Returns the instructions in the order of their numbers; none of a set that is not in the table.
    pub fn instructions(self) -> &'static [Extended] {
        self.row().map_or(&[], |row| row.instructions.of(&EXTENDED))
    }

    /// Returns the instruction of a number.
    pub fn instruction(self, number: u32) -> Option<&'static Extended> {
        let rows = self.instructions();
        if let Some(row) = rows.get(number as usize).filter(|row| row.number == number) {
            return Some(row);
        }
        rows.binary_search_by_key(&number, |row| row.number).ok().map(|place| &rows[place])
    }

    /// Checks whether the set computes nothing: it describes the program to debuggers and other tools.
    pub fn is_debug(self) -> bool {
        self != Self::OpenclStd
    }
}

/// Checks whether an extension of SPIR-V is known.
pub fn is_extension(name: &[u8]) -> bool {
    // Extensions are in the order of their names.
    EXTENSIONS.binary_search_by(|row| row.get().as_bytes().cmp(name)).is_ok()
}

/// Owner of an alias.
#[derive(Clone, Copy, Debug)]
pub enum AliasOf {
    Opcode(Opcode),
    Enumerant(OperandKind, u32),
}

/// Further name of an instruction or an enumerant.
#[derive(Clone, Copy, Debug)]
pub struct Alias {
    pub of: AliasOf,
    name: Name,
}

impl Alias {
    /// Returns the name.
    pub fn name(&self) -> &'static str {
        self.name.get()
    }
}

/// Returns all aliases.
pub fn aliases() -> &'static [Alias] {
    &ALIASES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_by_its_number() {
        for row in instructions() {
            let found = instruction(row.opcode as u16).expect("known");
            assert_eq!(found.name(), row.name());
            assert_eq!(Opcode::from_number(row.opcode as u16), Some(row.opcode));
        }
        assert!(instruction(9).is_none() && instruction(511).is_none() && instruction(u16::MAX).is_none());
        for kind in KINDS.iter().enumerate().map(|(index, _)| index) {
            let row = &KINDS[kind];
            for enumerant in row.enumerants.of(&ENUMERANTS) {
                let operand = OPERANDS.iter().find(|operand| operand.kind as usize == kind);
                let Some(operand) = operand else { continue };
                let found = operand.kind.enumerant(enumerant.value).expect("known");
                assert_eq!(found.name(), enumerant.name());
            }
        }
        for set in [ExtendedSet::OpenclStd, ExtendedSet::OpenclDebugInfo, ExtendedSet::ShaderDebugInfo] {
            assert!(!set.instructions().is_empty());
            for row in set.instructions() {
                assert_eq!(set.instruction(row.number).expect("known").name(), row.name());
            }
        }
        assert!(ExtendedSet::OpenclStd.instruction(u32::MAX).is_none());
    }

    #[test]
    fn names_of_the_tables() {
        assert_eq!(Opcode::FAdd.instruction().name(), "OpFAdd");
        assert_eq!(OperandKind::Decoration.enumerant(decoration::CPacked).expect("known").name(), "CPacked");
        assert_eq!(dim::Dim1D, 0);
        let std = ExtendedSet::from_name(b"OpenCL.std").expect("known");
        assert_eq!(std.instruction(opencl_std::half_cos).expect("known").name(), "half_cos");
        assert_eq!(ExtendedSet::from_name(b"NonSemantic.Other"), Some(ExtendedSet::NonSemantic));
        assert_eq!(ExtendedSet::from_name(b"GLSL.std.450"), None);
        assert_eq!(ExtendedSet::OpenclDebugInfo.row().expect("a set").name.get(), "OpenCL.DebugInfo.100");
        assert_eq!(
            ExtendedSet::ShaderDebugInfo.row().expect("a set").name.get(),
            "NonSemantic.Shader.DebugInfo.100"
        );
    }

    #[test]
    fn extensions_are_sorted() {
        assert!(EXTENSIONS.iter().zip(&EXTENSIONS[1..]).all(|(a, b)| a.get() < b.get()));
        assert!(is_extension(b"SPV_KHR_expect_assume") && !is_extension(b"SPV_INTEL_fpga_reg"));
    }

    #[test]
    fn conditions_of_a_row() {
        let conditions = Opcode::GroupNonUniformElect.instruction().conditions;
        assert_eq!(conditions.capabilities(), [capability::GroupNonUniform as u16]);
        assert_eq!(conditions.since(), Some(3));
        assert_eq!(conditions.until(), None);
        let conditions =
            OperandKind::Capability.enumerant(capability::ExpectAssumeKHR).expect("known").conditions;
        assert_eq!(conditions.since(), None);
        assert_eq!(conditions.extensions().collect::<Vec<_>>(), ["SPV_KHR_expect_assume"]);
    }

    /// Sums up the sizes of all tables: they are part of the library.
    #[test]
    fn the_tables_are_small() {
        let size = size_of_val(&INSTRUCTIONS)
            + size_of_val(&OPERANDS)
            + size_of_val(&NUMBERS)
            + size_of_val(&ENUMERANTS)
            + size_of_val(&KINDS)
            + size_of_val(&EXTENDED)
            + size_of_val(&EXTENSIONS)
            + size_of_val(&ALIASES)
            + size_of_val(&PLACES)
            + NAMES.len();
        assert!(size < 64 << 10, "{size} bytes");
    }
}
