//! Errors of reading: the rule that a module breaks, and the place.

use std::error::Error;
use std::fmt;

use crate::grammar::{ExtendedSet, Opcode, OperandKind, Section, shader_debug_info_100};
use crate::module::{HEADER, Id, Module, NumberType, text};

/// Maximum number of bytes of a name in a message.
// Arbitrary: longer than names of templates that are still read.
const MAX_NAME: usize = 200;

/// Reason for which bytes are no module of valid form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormError {
    /// Position of the wrong word.
    pub word: u32,
    /// Instruction to which the word belongs.
    pub subject: Option<Subject>,
    pub rule: Rule,
    /// Source line to which the instruction belongs, by the last OpLine.
    pub line: Option<SourceLine>,
}

/// Instruction in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    pub name: &'static str,
    pub result: Option<Id>,
    /// Name that OpName gives to the result.
    pub result_name: Option<String>,
}

/// Source line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    pub file: String,
    pub line: u32,
}

/// Rule that a module breaks, with what is there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The number of bytes is a multiple of 4.
    Length(usize),
    /// The header is there, and positions have 32 bits.
    Words(usize),
    Magic(u32),
    Version(u32),
    /// The bound is between 1 and the universal limit.
    Bound(u32),
    /// Each id takes at least one word.
    BoundOfWords {
        bound: u32,
        words: u32,
    },
    WordCount {
        count: u32,
        left: u32,
    },
    Opcode(u16),
    Missing(OperandKind),
    Excess(usize),
    Enumerant {
        kind: OperandKind,
        value: u32,
    },
    /// A string ends within its instruction.
    StringEnd,
    IdBound {
        id: u32,
        bound: u32,
    },
    DefinedTwice {
        id: Id,
        first: u32,
    },
    /// Sections are in their order.
    SectionOrder {
        found: Section,
        after: Section,
    },
    /// Code belongs to a block, which begins with a label.
    OutsideBlock,
    /// Declarations of the module are not in functions.
    InsideFunction(Section),
    NestedFunction,
    /// Parameters follow OpFunction.
    ParameterPlace,
    EndWithoutFunction,
    UnendedFunction,
    ForeignCapability(&'static str),
    Extension(String),
    ExtendedSet(String),
    NoExtendedSet(Id),
    ExtendedInstruction(u32),
    AddressingModel(&'static str),
    MemoryModel(&'static str),
    NoMemoryModel,
    SecondMemoryModel,
    /// A literal has the width of its type, which is known.
    NumberType(Id),
    /// A selector is an integer whose type is known.
    Selector(Id),
    SpecConstantOp(u32),
}

/// Message of a build log: why a module whose form is valid cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildMessage {
    /// Position of the wrong word.
    pub word: u32,
    /// Instruction to which the word belongs.
    pub subject: Option<Subject>,
    pub text: String,
    /// Source line to which the instruction belongs.
    pub line: Option<SourceLine>,
}

/// Messages of a build, of which the first are kept and the others counted.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    pub list: Vec<BuildMessage>,
    /// Number of messages that were not kept.
    pub more: usize,
}

/// Fault of an instruction: a sentence, and the position of the wrong word, counted from the instruction.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub at: usize,
    pub text: String,
}

/// Maximum number of messages in a log.
// Arbitrary: as many as a person reads.
const MAX_MESSAGES: usize = 20;

impl Messages {
    /// Checks whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds a message about the instruction at `place`.
    pub(crate) fn add(&mut self, module: &Module, place: u32, fault: Fault) {
        if self.list.len() == MAX_MESSAGES {
            self.more += 1;
            return;
        }
        self.list.push(BuildMessage {
            word: place + fault.at as u32,
            subject: Subject::at(module, place as usize),
            text: fault.text,
            line: SourceLine::of(module, place),
        });
    }
}

impl Fault {
    /// Returns the fault of the instruction as a whole.
    pub(crate) fn new(text: impl Into<String>) -> Fault {
        Fault::at(0, text)
    }

    /// Returns the fault of the word at this position.
    pub(crate) fn at(at: usize, text: impl Into<String>) -> Fault {
        Fault { at, text: text.into() }
    }
}

impl fmt::Display for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for message in &self.list {
            writeln!(f, "error: {message}")?;
        }
        if self.more > 0 {
            writeln!(f, "error: and {} more", self.more)?;
        }
        Ok(())
    }
}

impl fmt::Display for BuildMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_message(f, self.word, self.subject.as_ref(), &self.text, self.line.as_ref())
    }
}

impl SourceLine {
    /// Returns the line of the instruction at a position, by a walk over the instructions in front of it that are in
    /// its function, or outside of functions: only messages ask, of which there are few.
    fn of(module: &Module, place: u32) -> Option<SourceLine> {
        let functions = module.functions();
        let next = functions.partition_point(|function| function.end <= place);
        let start = next.checked_sub(1).map_or(HEADER as u32, |before| functions[before].end);
        let mut line = None;
        for at in module.instructions(start, place) {
            let (row, words) = module.instruction(at);
            match Mark::of(module, row.opcode, words) {
                Some(Mark::Line) => line = Some(at),
                Some(Mark::NoLine) => line = None,
                None if row.opcode.is_terminator() => line = None,
                None => {}
            }
        }
        SourceLine::at(module, line?)
    }

    /// Returns the line that the instruction at a position says, an OpLine or DebugLine, or `None` if its operands are
    /// no file and no number.
    fn at(module: &Module, line: u32) -> Option<SourceLine> {
        let (row, words) = module.instruction(line);
        let (file, line) = match row.opcode {
            Opcode::Line => (Id(words[1]), words[2]),
            _ => debug_line(module, words)?,
        };
        Some(SourceLine { file: shortened(&module.string(file)?), line })
    }
}

/// Instruction that says from which source line those behind it come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Line,
    NoLine,
}

impl Mark {
    /// Returns the mark that an instruction is, or `None` if it is none.
    pub(crate) fn of(module: &Module, opcode: Opcode, words: &[u32]) -> Option<Mark> {
        use shader_debug_info_100 as debug;
        let is_debug = || module.extended_set(Id(words[3])) == Some(ExtendedSet::ShaderDebugInfo);
        match opcode {
            Opcode::Line => Some(Mark::Line),
            Opcode::NoLine => Some(Mark::NoLine),
            Opcode::ExtInst if words[4] == debug::DebugLine && is_debug() => Some(Mark::Line),
            Opcode::ExtInst if words[4] == debug::DebugNoLine && is_debug() => Some(Mark::NoLine),
            _ => None,
        }
    }
}

/// Returns the string with a file's name, and the line, that a DebugLine names.
pub(crate) fn debug_line(module: &Module, words: &[u32]) -> Option<(Id, u32)> {
    let (_, source) = module.definition(Id(*words.get(5)?))?;
    let (constant, line) = module.definition(Id(*words.get(6)?))?;
    let is_number = |id: u32| module.number_type(Id(id)).is_some_and(NumberType::is_int);
    let is_number = constant.opcode == Opcode::Constant && is_number(line[1]);
    Some((Id(*source.get(5)?), *line.get(3).filter(|_| is_number)?))
}

impl FormError {
    /// Returns the error of a module that cannot be looked into.
    pub(crate) fn of_header(word: u32, rule: Rule) -> Box<FormError> {
        Box::new(FormError { word, subject: None, rule, line: None })
    }

    /// Returns the error of a word of the instruction at `place`. OpLine is at `line`, or nowhere if that is 0.
    pub(crate) fn of_instruction(
        module: &Module,
        place: usize,
        at: usize,
        rule: Rule,
        line: usize,
    ) -> Box<FormError> {
        let subject = Subject::at(module, place);
        let line = (line != 0).then(|| SourceLine::at(module, line as u32)).flatten();
        Box::new(FormError { word: (place + at) as u32, subject, rule, line })
    }
}

impl Subject {
    /// Returns the instruction at a position, of which nothing but the first word was checked.
    fn at(module: &Module, place: usize) -> Option<Subject> {
        let words = module.words.get(place..)?;
        let row = crate::grammar::instruction(*words.first()? as u16)?;
        let position = usize::from(row.has_type) + 1;
        let result = words.get(position).copied().filter(|_| row.has_result);
        let result = result.filter(|&id| (id as usize) < module.places.len()).map(Id);
        // Names are not sorted before the end.
        let name = result
            .and_then(|id| module.names.iter().find(|name| name.target == id && name.member == u32::MAX));
        let result_name = name.map(|name| shortened(&text(&module.raw(name.place as usize)[2..])));
        Some(Subject { name: row.name(), result, result_name })
    }
}

/// Returns the beginning of a name, in which control characters are replaced.
pub(crate) fn shortened(name: &str) -> String {
    let mut end = name.len().min(MAX_NAME);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    let letters = name[..end].chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    letters.chain((end < name.len()).then_some('…')).collect()
}

impl Error for FormError {}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_message(f, self.word, self.subject.as_ref(), &self.rule, self.line.as_ref())
    }
}

/// Writes a message: word, instruction, text, and the source line if it is known.
fn write_message(
    f: &mut fmt::Formatter<'_>,
    word: u32,
    subject: Option<&Subject>,
    text: &dyn fmt::Display,
    line: Option<&SourceLine>,
) -> fmt::Result {
    write!(f, "word {word}: ")?;
    if let Some(subject) = subject {
        write!(f, "{subject}: ")?;
    }
    write!(f, "{text}")?;
    if let Some(line) = line {
        write!(f, " ({}:{})", line.file, line.line)?;
    }
    Ok(())
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(id) = self.result {
            write!(f, "{id} ")?;
            if let Some(name) = &self.result_name {
                write!(f, "({name}) ")?;
            }
            f.write_str("= ")?;
        }
        f.write_str(self.name)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::Length(bytes) => write!(f, "the module has {bytes} bytes; a multiple of 4 is wanted"),
            Rule::Words(words) => write!(f, "the module has {words} words; 5 to 4294967295 are wanted"),
            Rule::Magic(word) => write!(f, "the magic number is {word:#010x}; 0x07230203 is wanted"),
            Rule::Version(word) => {
                let (major, minor) = (word >> 16, word >> 8 & 0xff);
                write!(f, "the version is {major}.{minor} ({word:#010x}); 1.0 to 1.6 are wanted")
            }
            Rule::Bound(bound) => write!(f, "the bound is {bound}; 1 to {} are wanted", crate::MAX_BOUND),
            Rule::BoundOfWords { bound, words } => {
                write!(f, "the bound is {bound}; at most the number of words, {words}, is wanted")
            }
            Rule::WordCount { count, left } => {
                write!(f, "the instruction has {count} words; 1 to {left} are wanted, the rest of the module")
            }
            Rule::Opcode(number) => write!(f, "the opcode {number} is unknown"),
            Rule::Missing(kind) => write!(f, "the instruction ends; an operand {} is wanted", kind.name()),
            Rule::Excess(words) => write!(f, "words follow the last operand ({words}); none is wanted"),
            Rule::Enumerant { kind, value } => write!(f, "{value:#x} is no known {}", kind.name()),
            Rule::StringEnd => f.write_str("the string has no end"),
            Rule::IdBound { id, bound } => {
                write!(f, "the id is {id}; 1 to {} are wanted, below the bound", bound.saturating_sub(1))
            }
            Rule::DefinedTwice { id, first } => {
                write!(f, "{id} is defined again, after the instruction at word {first}")
            }
            Rule::SectionOrder { found, after } => write!(f, "{found} are wanted in front of {after}"),
            Rule::OutsideBlock => f.write_str("code is outside of a block; OpLabel is wanted before"),
            Rule::InsideFunction(section) => write!(f, "{section} are wanted in front of functions"),
            Rule::NestedFunction => f.write_str("the function is in another; OpFunctionEnd is wanted before"),
            Rule::ParameterPlace => f.write_str("the parameter does not follow OpFunction or a parameter"),
            Rule::EndWithoutFunction => f.write_str("there is no function to end"),
            Rule::UnendedFunction => {
                f.write_str("the module ends within the function; OpFunctionEnd is wanted")
            }
            Rule::ForeignCapability(name) => {
                write!(f, "the capability {name} is not for OpenCL, or not known here")
            }
            Rule::Extension(name) => write!(f, "the extension \"{name}\" is unknown"),
            Rule::ExtendedSet(name) => write!(f, "the extended instruction set \"{name}\" is unknown"),
            Rule::NoExtendedSet(id) => write!(f, "{id} is no extended instruction set"),
            Rule::ExtendedInstruction(number) => write!(f, "OpenCL.std has no instruction {number}"),
            Rule::AddressingModel(name) => write!(f, "the addressing model is {name}; Physical64 is wanted"),
            Rule::MemoryModel(name) => write!(f, "the memory model is {name}; OpenCL is wanted"),
            Rule::NoMemoryModel => f.write_str("the module has no OpMemoryModel"),
            Rule::SecondMemoryModel => f.write_str("the module has a second OpMemoryModel"),
            Rule::NumberType(id) => {
                write!(f, "{id} is no earlier type of integers or floats; one of at most 64 bits is wanted")
            }
            Rule::Selector(id) => write!(f, "{id} is no value of an integer type of at most 64 bits"),
            Rule::SpecConstantOp(number) => {
                write!(f, "the opcode {number} is not among those that a specialization constant may compute")
            }
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Section::Capability => "capabilities",
            Section::Extension => "extensions",
            Section::Import => "imports of extended instruction sets",
            Section::Model => "memory models",
            Section::Entry => "entry points",
            Section::Mode => "execution modes",
            Section::Debug => "names and sources",
            Section::Annotation => "decorations",
            Section::Global => "types, constants and variables",
            Section::Function => "functions",
            Section::Code => "instructions of functions",
            Section::Either => "declarations",
            Section::Any => "lines",
        })
    }
}

impl NumberType {
    /// Checks whether this is an integer.
    pub fn is_int(self) -> bool {
        matches!(self, NumberType::Int { .. })
    }
}
