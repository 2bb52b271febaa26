//! Reads a module and checks its form: all that can be said without knowing types. One pass over the words, and a
//! second look at each OpSwitch, whose selector may be defined later than it.
//!
//! Nothing recurs, and no table is larger than the module: its numbers are compared with the words that are there
//! before anything is allocated by them.
//!
//! Producers break these rules of the specification, and no program depends on them, so they are not checked:
//! the order of the instructions in the debug section, and of declarations and definitions of functions;
//! OpLine anywhere; declarations of alias scopes at module scope; decorations twice, and unknown ones; everything in
//! sets of instructions for debuggers, also between functions; sets `NonSemantic.*` that are unknown.

use std::sync::Arc;

use crate::error::{FormError, Rule, shortened};
use crate::grammar::{
    ExtendedSet, Instruction, Opcode, OperandKind, Section, addressing_model, instruction, is_extension,
    memory_model,
};
use crate::module::{Annotation, FunctionRange, HEADER, Id, Module, string_bytes, text};
use crate::operands::{Broken, walk};
use crate::{MAGIC, MAX_BOUND};

type Result<T> = std::result::Result<T, Box<FormError>>;

impl Module {
    /// Reads a module.
    ///
    /// # Errors
    /// If its form is invalid.
    pub fn read(bytes: &[u8]) -> Result<Module> {
        let words = words_of(bytes)?;
        let count = u32::try_from(words.len()).unwrap_or(u32::MAX);
        if words[1] & 0xff00_00ff != 0 || words[1] >> 16 != 1 || words[1] >> 8 & 0xff > 6 {
            return Err(FormError::of_header(1, Rule::Version(words[1])));
        }
        let bound = words[3];
        if !(1..=MAX_BOUND).contains(&bound) {
            return Err(FormError::of_header(3, Rule::Bound(bound)));
        }
        if bound > count {
            return Err(FormError::of_header(3, Rule::BoundOfWords { bound, words: count }));
        }
        let mut reader = Reader {
            module: Module {
                words,
                places: vec![0; bound as usize],
                capabilities: Vec::new(),
                extensions: Vec::new(),
                entry_points: Vec::new(),
                execution_modes: Vec::new(),
                names: Vec::new(),
                decorations: Vec::new(),
                functions: Vec::new(),
            },
            section: Section::Capability,
            state: State::Module,
            has_model: false,
            line: 0,
            switches: Vec::new(),
        };
        reader.read()?;
        let mut module = reader.module;
        for annotations in [&mut module.names, &mut module.decorations, &mut module.execution_modes] {
            annotations.sort_unstable();
        }
        Ok(module)
    }
}

/// Returns the words in the machine's byte order.
fn words_of(bytes: &[u8]) -> Result<Arc<[u32]>> {
    if !bytes.len().is_multiple_of(4) {
        return Err(FormError::of_header((bytes.len() / 4) as u32, Rule::Length(bytes.len())));
    }
    let count = bytes.len() / 4;
    if count < HEADER || count >= u32::MAX as usize {
        return Err(FormError::of_header(0, Rule::Words(count)));
    }
    let four = |bytes: &[u8]| <[u8; 4]>::try_from(bytes).expect("chunks have four bytes");
    let magic = u32::from_le_bytes(four(&bytes[..4]));
    if magic == MAGIC {
        return Ok(bytes.chunks_exact(4).map(|bytes| u32::from_le_bytes(four(bytes))).collect());
    }
    if magic == MAGIC.swap_bytes() {
        return Ok(bytes.chunks_exact(4).map(|bytes| u32::from_be_bytes(four(bytes))).collect());
    }
    Err(FormError::of_header(0, Rule::Magic(magic)))
}

/// Checks whether this declares a domain, scope or list of scopes of SPV_INTEL_memory_access_aliasing.
fn is_alias_declaration(opcode: Opcode) -> bool {
    use Opcode::{AliasDomainDeclINTEL, AliasScopeDeclINTEL, AliasScopeListDeclINTEL};
    matches!(opcode, AliasDomainDeclINTEL | AliasScopeDeclINTEL | AliasScopeListDeclINTEL)
}

/// Place of the reader in a module.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Outside of functions.
    Module,
    /// In a function, before its first label.
    Parameters,
    /// In a function, behind a label.
    Body,
}

struct Reader {
    module: Module,
    /// Last section that has begun.
    section: Section,
    state: State,
    has_model: bool,
    /// Position of the OpLine that holds, or 0.
    line: usize,
    /// Positions of OpSwitch: the widths of their literals are known when all values are.
    switches: Vec<u32>,
}

impl Reader {
    fn read(&mut self) -> Result<()> {
        let words = Arc::clone(&self.module.words);
        let mut place = HEADER;
        while let Some(&first) = words.get(place) {
            let (count, number) = ((first >> 16) as usize, first as u16);
            let left = words.len() - place;
            let Some(row) = instruction(number) else {
                return Err(self.error(place, (0, Rule::Opcode(number))));
            };
            if count == 0 || count > left {
                let rule = Rule::WordCount { count: count as u32, left: left as u32 };
                return Err(self.error(place, (0, rule)));
            }
            let instruction = &words[place..place + count];
            self.instruction(row, instruction, place).map_err(|broken| self.error(place, broken))?;
            place += count;
        }
        if self.state != State::Module {
            let start = self.module.functions.last().map_or(0, |function| function.start);
            return Err(self.error(start as usize, (0, Rule::UnendedFunction)));
        }
        if !self.has_model {
            return Err(FormError::of_header(words.len() as u32, Rule::NoMemoryModel));
        }
        self.line = 0;
        for &place in &self.switches {
            let (row, words) = self.module.instruction(place);
            walk(&self.module, row, words, &mut |_| {})
                .map_err(|broken| self.error(place as usize, broken))?;
        }
        Ok(())
    }

    #[cold]
    fn error(&self, place: usize, (at, rule): Broken) -> Box<FormError> {
        FormError::of_instruction(&self.module, place, at, rule, self.line)
    }

    #[inline]
    fn instruction(
        &mut self,
        row: &Instruction,
        words: &[u32],
        place: usize,
    ) -> std::result::Result<(), Broken> {
        if row.opcode == Opcode::Switch {
            // The operands in front of the literals are there, so that the second walk finds the selector.
            if words.len() < 3 {
                return Err((words.len(), Rule::Missing(OperandKind::IdRef)));
            }
            self.switches.push(place as u32);
        } else {
            walk(&self.module, row, words, &mut |_| {})?;
        }
        self.place(row, words, place)?;
        if row.has_result {
            let at = 1 + usize::from(row.has_type);
            let id = words[at];
            let defined = &mut self.module.places[id as usize];
            if *defined != 0 {
                return Err((at, Rule::DefinedTwice { id: Id(id), first: *defined }));
            }
            *defined = place as u32;
        }
        if row.section < Section::Global || row.section == Section::Any {
            self.declaration(row.opcode, words, place)?;
        }
        Ok(())
    }

    /// Checks that an instruction may stand where it does.
    #[inline]
    fn place(&mut self, row: &Instruction, words: &[u32], place: usize) -> std::result::Result<(), Broken> {
        match row.section {
            Section::Any => Ok(()),
            Section::Code if self.state == State::Body => Ok(()),
            Section::Either if self.state == State::Body => Ok(()),
            Section::Code if row.opcode == Opcode::Label && self.state == State::Parameters => {
                self.state = State::Body;
                let function = self.module.functions.last_mut().expect("a function has begun");
                function.body = place as u32;
                Ok(())
            }
            Section::Code => Err((0, Rule::OutsideBlock)),
            Section::Either if self.is_for_debuggers(row.opcode, words) => {
                self.section = self.section.max(Section::Global);
                Ok(())
            }
            // The translator writes them between names and decorations.
            Section::Either if is_alias_declaration(row.opcode) && self.state == State::Module => {
                self.section = self.section.max(Section::Annotation);
                Ok(())
            }
            Section::Either if row.opcode == Opcode::ExtInst || self.state != State::Module => {
                Err((0, Rule::OutsideBlock))
            }
            Section::Either => self.enter(Section::Global),
            Section::Function => self.function(row.opcode, words, place),
            section if self.state != State::Module => Err((0, Rule::InsideFunction(section))),
            section => self.enter(section),
        }
    }

    fn enter(&mut self, section: Section) -> std::result::Result<(), Broken> {
        if section < self.section {
            return Err((0, Rule::SectionOrder { found: section, after: self.section }));
        }
        self.section = section;
        Ok(())
    }

    /// Checks whether this is an extended instruction for debuggers.
    fn is_for_debuggers(&self, opcode: Opcode, words: &[u32]) -> bool {
        let is_extended = matches!(opcode, Opcode::ExtInst | Opcode::ExtInstWithForwardRefsKHR);
        is_extended && self.module.extended_set(Id(words[3])).is_some_and(ExtendedSet::is_debug)
    }

    /// Keeps begin and end of a function.
    fn function(&mut self, opcode: Opcode, words: &[u32], place: usize) -> std::result::Result<(), Broken> {
        let place = place as u32;
        match (opcode, self.state) {
            (Opcode::Function, State::Module) => {
                self.enter(Section::Function)?;
                self.state = State::Parameters;
                let id = Id(words[2]);
                self.module.functions.push(FunctionRange { id, start: place, body: 0, end: 0 });
                Ok(())
            }
            (Opcode::Function, _) => Err((0, Rule::NestedFunction)),
            (Opcode::FunctionParameter, State::Parameters) => Ok(()),
            (Opcode::FunctionParameter, _) => Err((0, Rule::ParameterPlace)),
            (_, State::Module) => Err((0, Rule::EndWithoutFunction)),
            _ => {
                self.state = State::Module;
                self.line = 0;
                let function = self.module.functions.last_mut().expect("a function has begun");
                function.end = place + words.len() as u32;
                if function.body == 0 {
                    function.body = function.end;
                }
                Ok(())
            }
        }
    }

    /// Keeps what an instruction in front of the types says, and checks what it demands.
    fn declaration(
        &mut self,
        opcode: Opcode,
        words: &[u32],
        place: usize,
    ) -> std::result::Result<(), Broken> {
        let module = &mut self.module;
        let annotation = |target: u32| {
            let place = place as u32;
            Annotation { target: Id(target), place, member: Annotation::WHOLE }
        };
        match opcode {
            Opcode::Line => self.line = place,
            Opcode::NoLine => self.line = 0,
            Opcode::Capability => module.capabilities.push(words[1]),
            Opcode::Extension => {
                if !is_extension(&string_bytes(&words[1..])) {
                    return Err((1, Rule::Extension(shortened(&text(&words[1..])))));
                }
                module.extensions.push(place as u32);
            }
            Opcode::ExtInstImport if ExtendedSet::from_words(&words[2..]).is_none() => {
                return Err((2, Rule::ExtendedSet(shortened(&text(&words[2..])))));
            }
            Opcode::MemoryModel => return self.memory_model(words),
            Opcode::EntryPoint => module.entry_points.push(place as u32),
            Opcode::ExecutionMode | Opcode::ExecutionModeId => {
                module.execution_modes.push(annotation(words[1]))
            }
            Opcode::Name => module.names.push(annotation(words[1])),
            Opcode::MemberName => {
                module.names.push(Annotation { member: words[2], ..annotation(words[1]) });
            }
            Opcode::Decorate | Opcode::DecorateId | Opcode::DecorateString => {
                module.decorations.push(annotation(words[1]));
            }
            Opcode::MemberDecorate | Opcode::MemberDecorateString => {
                module.decorations.push(Annotation { member: words[2], ..annotation(words[1]) });
            }
            Opcode::GroupDecorate => {
                module.decorations.extend(words[2..].iter().map(|&target| annotation(target)));
            }
            Opcode::GroupMemberDecorate => {
                let members = words[2..].chunks_exact(2);
                let members = members.map(|pair| Annotation { member: pair[1], ..annotation(pair[0]) });
                module.decorations.extend(members);
            }
            _ => {}
        }
        Ok(())
    }

    fn memory_model(&mut self, words: &[u32]) -> std::result::Result<(), Broken> {
        let name = |kind: OperandKind, value: u32| kind.enumerant(value).map_or("unknown", |row| row.name());
        if self.has_model {
            return Err((0, Rule::SecondMemoryModel));
        }
        if words[1] != addressing_model::Physical64 {
            return Err((1, Rule::AddressingModel(name(OperandKind::AddressingModel, words[1]))));
        }
        if words[2] != memory_model::OpenCL {
            return Err((2, Rule::MemoryModel(name(OperandKind::MemoryModel, words[2]))));
        }
        self.has_model = true;
        Ok(())
    }
}
