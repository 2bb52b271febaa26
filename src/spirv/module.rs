//! A SPIR-V module that has been read: its words, and tables of what other stages look up in it.

use std::sync::Arc;

use crate::grammar::{self, ExtendedSet, Instruction, Opcode};

grus_support::define_id!(
    /// Result of an instruction.
    Id,
    "%"
);

/// Number of words in front of the first instruction.
pub const HEADER: usize = 5;

/// Module whose form is valid ([`Module::read`]): every instruction lies within the module and has the operands
/// that the grammar demands, ids are below the bound and defined at most once. Types are not checked.
#[derive(Clone, Debug)]
pub struct Module {
    pub(crate) words: Arc<[u32]>,
    /// Position of the instruction that defines each id, or 0.
    pub(crate) places: Vec<u32>,
    pub(crate) capabilities: Vec<u32>,
    pub(crate) extensions: Vec<u32>,
    pub(crate) entry_points: Vec<u32>,
    pub(crate) execution_modes: Vec<Annotation>,
    pub(crate) names: Vec<Annotation>,
    pub(crate) decorations: Vec<Annotation>,
    pub(crate) functions: Vec<FunctionRange>,
}

/// Instruction that says something of an id: a name, a decoration, an execution mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Annotation {
    pub target: Id,
    /// Position of the instruction.
    pub place: u32,
    /// Member of the structure `target`, or [`Annotation::WHOLE`].
    pub member: u32,
}

impl Annotation {
    /// Member of an annotation that concerns all of its target.
    pub const WHOLE: u32 = u32::MAX;
}

/// Words of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionRange {
    pub id: Id,
    /// Position of OpFunction.
    pub start: u32,
    /// Position of the first OpLabel, or `end` for a declaration.
    pub body: u32,
    /// Position behind OpFunctionEnd.
    pub end: u32,
}

/// Type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberType {
    Int {
        width: u32,
        is_signed: bool,
    },
    /// Float; one with an encoding of its own, such as bfloat16, has only its bits.
    Float {
        width: u32,
        has_encoding: bool,
    },
}

impl NumberType {
    /// Returns the number of words of a literal, or `None` if the type has no width that SPIR-V knows.
    pub fn words(self) -> Option<usize> {
        let (Self::Int { width, .. } | Self::Float { width, .. }) = self;
        matches!(width, 1..=64).then(|| width.div_ceil(32) as usize)
    }
}

impl Module {
    /// Returns the words in the machine's byte order.
    pub fn words(&self) -> &Arc<[u32]> {
        &self.words
    }

    /// Returns the minor number of the version, which is 1.N.
    pub fn version(&self) -> u8 {
        (self.words[1] >> 8) as u8
    }

    /// Returns the number of the tool that wrote the module, and its version.
    pub fn generator(&self) -> (u16, u16) {
        ((self.words[2] >> 16) as u16, self.words[2] as u16)
    }

    /// Returns the bound: all ids are below.
    pub fn bound(&self) -> u32 {
        self.places.len() as u32
    }

    /// Returns the instruction at a position, with its words.
    ///
    /// # Panics
    /// If no instruction begins there.
    pub fn instruction(&self, place: u32) -> (&'static Instruction, &[u32]) {
        let words = self.raw(place as usize);
        (grammar::instruction(words[0] as u16).expect("reading has checked it"), words)
    }

    /// Returns the words of the instruction at a position.
    #[inline]
    pub(crate) fn raw(&self, place: usize) -> &[u32] {
        let words = &self.words[place..];
        &words[..(words[0] >> 16) as usize]
    }

    /// Returns the positions of the instructions of a range of words.
    pub fn instructions(&self, start: u32, end: u32) -> impl Iterator<Item = u32> {
        let mut next = start;
        std::iter::from_fn(move || {
            let place = next;
            let is_inside = place < end;
            if is_inside {
                next += self.words[place as usize] >> 16;
            }
            is_inside.then_some(place)
        })
    }

    /// Returns the positions of all instructions.
    pub fn all_instructions(&self) -> impl Iterator<Item = u32> {
        self.instructions(HEADER as u32, self.words.len() as u32)
    }

    /// Returns the position of the instruction that defines an id, or `None` if nothing does.
    #[inline]
    pub fn place(&self, id: Id) -> Option<u32> {
        self.places.get(id.0 as usize).copied().filter(|&place| place != 0)
    }

    /// Returns the instruction that defines an id.
    pub fn definition(&self, id: Id) -> Option<(&'static Instruction, &[u32])> {
        self.place(id).map(|place| self.instruction(place))
    }

    /// Returns the type of a value.
    pub fn type_of(&self, id: Id) -> Option<Id> {
        let (row, words) = self.definition(id)?;
        row.has_type.then(|| Id(words[1]))
    }

    /// Returns the type of a number, or `None` if the id is another type, or none.
    pub fn number_type(&self, id: Id) -> Option<NumberType> {
        let (row, words) = self.definition(id)?;
        match row.opcode {
            Opcode::TypeInt => Some(NumberType::Int { width: words[2], is_signed: words[3] != 0 }),
            Opcode::TypeFloat => Some(NumberType::Float { width: words[2], has_encoding: words.len() > 3 }),
            _ => None,
        }
    }

    /// Returns the extended instruction set of an id, or `None` if it is none.
    pub fn extended_set(&self, id: Id) -> Option<ExtendedSet> {
        let (row, words) = self.definition(id)?;
        if row.opcode != Opcode::ExtInstImport {
            return None;
        }
        ExtendedSet::from_words(&words[2..])
    }

    /// Returns the string of an OpString.
    pub fn string(&self, id: Id) -> Option<String> {
        let (row, words) = self.definition(id)?;
        (row.opcode == Opcode::String).then(|| text(&words[2..]))
    }

    /// Returns the name that OpName gives to an id. It serves people only.
    pub fn name(&self, id: Id) -> Option<String> {
        let found = of_target(&self.names, id).iter().find(|name| name.member == Annotation::WHOLE)?;
        Some(text(&self.raw(found.place as usize)[2..]))
    }

    /// Returns the name that OpMemberName gives to a member of a structure.
    pub fn member_name(&self, id: Id, member: u32) -> Option<String> {
        let found = of_target(&self.names, id).iter().find(|name| name.member == member)?;
        Some(text(&self.raw(found.place as usize)[3..]))
    }

    /// Returns the decorations of an id and of its members, in the order of the module. A decoration group is
    /// one entry, whose instruction is OpGroupDecorate or OpGroupMemberDecorate: expanded, groups may have as many
    /// decorations as the square of the module's size.
    pub fn decorations(&self, id: Id) -> &[Annotation] {
        of_target(&self.decorations, id)
    }

    /// Returns the execution modes of an entry point.
    pub fn execution_modes(&self, id: Id) -> &[Annotation] {
        of_target(&self.execution_modes, id)
    }

    /// Returns the positions of OpEntryPoint.
    pub fn entry_points(&self) -> &[u32] {
        &self.entry_points
    }

    /// Checks whether kernels of the module may launch others.
    pub(crate) fn has_device_enqueue(&self) -> bool {
        self.capabilities.contains(&crate::grammar::capability::DeviceEnqueue)
    }

    /// Returns the capabilities that the module declares.
    pub fn capabilities(&self) -> &[u32] {
        &self.capabilities
    }

    /// Returns the names of the extensions that the module declares.
    pub fn extensions(&self) -> impl Iterator<Item = String> {
        self.extensions.iter().map(|&place| text(&self.raw(place as usize)[1..]))
    }

    /// Returns the functions in the order of the module.
    pub fn functions(&self) -> &[FunctionRange] {
        &self.functions
    }
}

/// Returns the annotations of one target. The list is sorted by targets.
fn of_target(all: &[Annotation], target: Id) -> &[Annotation] {
    let start = all.partition_point(|annotation| annotation.target < target);
    let count = all[start..].partition_point(|annotation| annotation.target == target);
    &all[start..start + count]
}

impl ExtendedSet {
    /// Returns the set whose name is the string at the beginning of these words.
    pub(crate) fn from_words(words: &[u32]) -> Option<ExtendedSet> {
        // Longer names are of unknown sets, of which the first letters decide.
        let mut bytes = [0; 64];
        for (four, word) in bytes.chunks_exact_mut(4).zip(words) {
            four.copy_from_slice(&word.to_le_bytes());
        }
        ExtendedSet::from_name(bytes.split(|&byte| byte == 0).next().unwrap_or_default())
    }
}

/// Returns the number of words of the string at the beginning of these words, or `None` if it does not end.
pub(crate) fn string_words(words: &[u32]) -> Option<usize> {
    let has_zero = |word: &u32| word.wrapping_sub(0x0101_0101) & !word & 0x8080_8080 != 0;
    words.iter().position(has_zero).map(|last| last + 1)
}

/// Returns the bytes of the string at the beginning of these words.
pub(crate) fn string_bytes(words: &[u32]) -> Vec<u8> {
    let count = string_words(words).unwrap_or(words.len());
    let mut bytes: Vec<u8> = words[..count].iter().flat_map(|word| word.to_le_bytes()).collect();
    let length = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    bytes.truncate(length);
    bytes
}

/// Returns the string at the beginning of these words. Bytes that are not UTF-8 are replaced: strings are names.
pub(crate) fn text(words: &[u32]) -> String {
    match String::from_utf8(string_bytes(words)) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}
