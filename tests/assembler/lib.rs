//! Assembler of SPIR-V, for tests: the text of Khronos's `spirv-as` in, modules out. It knows what the grammar of
//! `grus-spirv` has.
//!
//! An instruction is one line. A number that follows `%` is the id itself, other names take the lowest ids that are
//! free. `!NUMBER` is a word as it is, in place of an opcode or an operand; behind it the operands of the instruction are
//! words, numbers, strings and ids, whatever the grammar says. Comments `; Version: 1.4` and `; Bound: 100`, as
//! disassemblers write them, set the header's words, and the version is 1.6 without one.

mod text;

use std::collections::{HashMap, HashSet};
use std::fmt;

use grus_spirv::grammar::{
    self, AliasOf, Category, Enumerant, ExtendedSet, Instruction, Operand, OperandKind, Quantifier,
};
use grus_spirv::{MAGIC, NumberType, Opcode, float};

use text::{Line, Token};

/// Mistake in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Number of the line, from 1.
    pub line: usize,
    pub text: String,
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.text)
    }
}

type Result<T> = std::result::Result<T, String>;

/// Assembles a module. Its words are little-endian.
///
/// # Errors
/// If the text has a mistake. Texts of invalid modules are none, as long as every operand can be written.
pub fn assemble(source: &str) -> std::result::Result<Vec<u8>, Error> {
    let lines = text::lines(source).map_err(|(line, text)| Error { line, text })?;
    let header = text::header(source);
    let mut assembler = Assembler::new(&lines);
    let mut words = vec![MAGIC, 0x0001_0000 | header.minor.unwrap_or(6) << 8, 0, 0, 0];
    for line in &lines {
        let own = assembler.line(line).map_err(|text| Error { line: line.number, text })?;
        words.extend(own);
    }
    words[3] = header.bound.unwrap_or(assembler.bound);
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

struct Assembler<'t> {
    opcodes: HashMap<&'static str, &'static Instruction>,
    /// Ids of names that are not numbers.
    named: HashMap<&'t str, u32>,
    /// Ids that the text uses by their numbers.
    numbered: HashSet<u32>,
    next: u32,
    bound: u32,
    /// Types of numbers, and the types of values: later lines may have them, so all are collected first.
    numbers: HashMap<&'t str, NumberType>,
    types: HashMap<&'t str, &'t str>,
    sets: HashMap<&'t str, ExtendedSet>,
}

impl<'t> Assembler<'t> {
    fn new(lines: &'t [Line]) -> Assembler<'t> {
        let mut opcodes: HashMap<_, _> =
            grammar::instructions().iter().map(|row| (row.name(), row)).collect();
        for alias in grammar::aliases() {
            if let AliasOf::Opcode(opcode) = alias.of {
                opcodes.insert(alias.name(), opcode.instruction());
            }
        }
        let mut assembler = Assembler {
            opcodes,
            named: HashMap::new(),
            numbered: HashSet::new(),
            next: 1,
            bound: 1,
            numbers: HashMap::new(),
            types: HashMap::new(),
            sets: HashMap::new(),
        };
        for line in lines {
            let ids = line.tokens.iter().chain(&line.result).filter_map(Token::id);
            assembler.numbered.extend(ids.filter_map(|id| id.parse::<u32>().ok()));
            assembler.collect(line);
        }
        assembler
    }

    /// Keeps what literals of other lines depend on.
    fn collect(&mut self, line: &'t Line) {
        let Some(result) = line.result.as_ref().and_then(Token::id) else { return };
        let operand = |index: usize| line.tokens.get(index + 1);
        let number = |index| operand(index).and_then(|token| integer(token.word()?).ok());
        match line.tokens.first().and_then(Token::word) {
            Some("OpTypeInt") => {
                if let (Some(width), Some(sign)) = (number(0), number(1)) {
                    self.numbers.insert(result, NumberType::Int { width, is_signed: sign != 0 });
                }
            }
            Some("OpTypeFloat") => {
                if let Some(width) = number(0) {
                    let has_encoding = operand(1).is_some();
                    self.numbers.insert(result, NumberType::Float { width, has_encoding });
                }
            }
            Some("OpExtInstImport") => {
                let name = operand(0).and_then(Token::string).unwrap_or_default();
                // Instructions of unknown sets are written as numbers, as those of unknown `NonSemantic.` sets are.
                let set = ExtendedSet::from_name(name.as_bytes()).unwrap_or(ExtendedSet::NonSemantic);
                self.sets.insert(result, set);
            }
            Some(name) if self.opcodes.get(name).is_some_and(|row| row.has_type) => {
                if let Some(of) = operand(0).and_then(Token::id) {
                    self.types.insert(result, of);
                }
            }
            _ => {}
        }
    }

    fn id(&mut self, name: &'t str) -> u32 {
        let id = name.parse::<u32>().ok().or_else(|| self.named.get(name).copied());
        let id = id.unwrap_or_else(|| {
            while self.numbered.contains(&self.next) {
                self.next += 1;
            }
            self.next += 1;
            self.named.insert(name, self.next - 1);
            self.next - 1
        });
        self.bound = self.bound.max(id.saturating_add(1));
        id
    }

    /// Returns the words of a line.
    fn line(&mut self, line: &'t Line) -> Result<Vec<u32>> {
        let (first, operands) = line.tokens.split_first().expect("a line has an instruction");
        let name = first.word().ok_or("an instruction is wanted")?;
        if let Some(word) = name.strip_prefix('!') {
            let mut words = vec![integer(word)?];
            self.raw(&line.result.iter().chain(operands).collect::<Vec<_>>(), &mut words)?;
            return Ok(words);
        }
        let row = *self.opcodes.get(name).ok_or_else(|| format!("`{name}` is unknown"))?;
        if row.has_result != line.result.is_some() {
            let wanted = if row.has_result { "needs" } else { "has no" };
            return Err(format!("`{name}` {wanted} a result"));
        }
        let mut encoder = Encoder { assembler: self, row, line, operands, at: 0, words: vec![0] };
        encoder.operands(row.operands())?;
        encoder.end()?;
        let mut words = encoder.words;
        let count = u32::try_from(words.len()).ok().filter(|&count| count <= 0xffff);
        words[0] = count.ok_or("the instruction has more than 65535 words")? << 16 | row.opcode as u32;
        Ok(words)
    }

    /// Adds the words of operands of which the grammar says nothing.
    fn raw(&mut self, operands: &[&'t Token], words: &mut Vec<u32>) -> Result<()> {
        for &token in operands {
            match token {
                Token::Text(text) => push_string(words, text),
                Token::Word(word) => match (word.strip_prefix('%'), word.strip_prefix('!')) {
                    (Some(id), _) => words.push(self.id(id)),
                    (_, Some(word)) => words.push(integer(word)?),
                    _ if word.contains('.') => {
                        words.push(
                            float::parse(word, 32).ok_or_else(|| format!("`{word}` is no float"))? as u32
                        );
                    }
                    _ => words.push(integer(word)?),
                },
            }
        }
        Ok(())
    }
}

/// Writer of one instruction.
struct Encoder<'a, 't> {
    assembler: &'a mut Assembler<'t>,
    row: &'static Instruction,
    line: &'t Line,
    operands: &'t [Token],
    at: usize,
    words: Vec<u32>,
}

impl<'t> Encoder<'_, 't> {
    fn operands(&mut self, operands: &[Operand]) -> Result<()> {
        for operand in operands {
            match operand.quantifier {
                Quantifier::One => self.operand(operand.kind)?,
                Quantifier::Optional if self.at < self.operands.len() => self.operand(operand.kind)?,
                Quantifier::Optional => {}
                Quantifier::Any => {
                    while self.at < self.operands.len() {
                        self.operand(operand.kind)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds the words that follow the last operand of the grammar.
    fn end(&mut self) -> Result<()> {
        match self.operands.get(self.at) {
            Some(token) if is_raw(token) => self.raw(),
            Some(token) => Err(format!("{token} follows the last operand")),
            None => Ok(()),
        }
    }

    /// Adds all operands that are left as they are.
    fn raw(&mut self) -> Result<()> {
        let rest: Vec<&Token> = self.operands[self.at..].iter().collect();
        self.at = self.operands.len();
        self.assembler.raw(&rest, &mut self.words)
    }

    /// Adds the words of an operand and its parameters.
    fn operand(&mut self, kind: OperandKind) -> Result<()> {
        if kind == OperandKind::IdResult {
            let name = self.line.result.as_ref().and_then(Token::id).ok_or("the result is no id")?;
            let id = self.assembler.id(name);
            self.words.push(id);
            return Ok(());
        }
        // Behind a word as it is, the instruction may end early.
        if self.at == self.operands.len() && self.operands.iter().any(is_raw) {
            return Ok(());
        }
        let token =
            self.operands.get(self.at).ok_or_else(|| format!("an operand {} is missing", kind.name()))?;
        if is_raw(token) {
            return self.raw();
        }
        match kind.category() {
            Category::Id => {
                let name = token.id().ok_or_else(|| format!("{token} is no id"))?;
                self.at += 1;
                let id = self.assembler.id(name);
                self.words.push(id);
                Ok(())
            }
            Category::Literal => self.literal(kind, token),
            Category::Value => {
                let row = enumerant(kind, token.word().unwrap_or_default())?;
                self.at += 1;
                self.words.push(row.value);
                self.operands(row.parameters())
            }
            Category::Mask => self.mask(kind, token.word().unwrap_or_default()),
            Category::Pair if self.row.opcode == Opcode::Switch => {
                let selector = self.operands[0].id().unwrap_or_default();
                let of =
                    self.assembler.types.get(selector).and_then(|of| self.assembler.numbers.get(of)).copied();
                self.number(of.ok_or("the selector has no known type")?, token)?;
                self.operand(OperandKind::IdRef)
            }
            Category::Pair => kind.parts().iter().try_for_each(|part| self.operand(part.kind)),
        }
    }

    fn literal(&mut self, kind: OperandKind, token: &'t Token) -> Result<()> {
        let word = token.word().unwrap_or_default();
        match kind {
            OperandKind::LiteralString => {
                let text = token.string().ok_or_else(|| format!("{token} is no string"))?;
                push_string(&mut self.words, text);
                self.at += 1;
                Ok(())
            }
            OperandKind::LiteralFloat => {
                self.words.push(float::parse(word, 32).ok_or_else(|| format!("{token} is no float"))? as u32);
                self.at += 1;
                Ok(())
            }
            OperandKind::LiteralContextDependentNumber => {
                let of = self.operands[0].id().unwrap_or_default();
                let of = self.assembler.numbers.get(of).copied();
                self.number(of.ok_or("the type is no type of numbers")?, token)
            }
            OperandKind::LiteralSpecConstantOpInteger => {
                let row = self.assembler.opcodes.get(format!("Op{word}").as_str()).copied();
                let row = row.ok_or_else(|| format!("{token} is no instruction"))?;
                self.words.push(row.opcode as u32);
                self.at += 1;
                self.operands(&row.operands()[row.result_operands()..])
            }
            OperandKind::LiteralExtInstInteger => self.extended(word),
            _ => {
                self.words.push(integer(word)?);
                self.at += 1;
                Ok(())
            }
        }
    }

    fn extended(&mut self, word: &str) -> Result<()> {
        let set = self.operands[self.at - 1].id().and_then(|set| self.assembler.sets.get(set));
        let set = *set.ok_or("the set is not imported")?;
        let row = set.instructions().iter().find(|row| row.name() == word);
        let number = row.map_or_else(|| integer(word), |row| Ok(row.number));
        self.words.push(number.map_err(|_| format!("the set has no instruction `{word}`"))?);
        self.at += 1;
        match row {
            Some(row) => self.operands(row.operands()),
            None => self.operands(Operand::IDS),
        }
    }

    fn mask(&mut self, kind: OperandKind, names: &str) -> Result<()> {
        let rows: Result<Vec<&Enumerant>> = names.split('|').map(|name| enumerant(kind, name)).collect();
        let mut rows = rows?;
        rows.sort_by_key(|row| row.value);
        rows.dedup_by_key(|row| row.value);
        self.at += 1;
        self.words.push(rows.iter().fold(0, |mask, row| mask | row.value));
        rows.iter().try_for_each(|row| self.operands(row.parameters()))
    }

    /// Adds the words of a number.
    fn number(&mut self, of: NumberType, token: &Token) -> Result<()> {
        let word = token.word().ok_or_else(|| format!("{token} is no number"))?;
        let wrong = || format!("{token} is no number of the type, or too large for it");
        let bits = match of {
            NumberType::Int { width, is_signed } => wide_integer(word, width, is_signed).ok_or_else(wrong)?,
            NumberType::Float { width: width @ (16 | 32 | 64), has_encoding: false } => {
                float::parse(word, width).ok_or_else(wrong)?
            }
            NumberType::Float { .. } => return Err(format!("{token} has a type without a text")),
        };
        self.words.push(bits as u32);
        if of.words() == Some(2) {
            self.words.push((bits >> 32) as u32);
        }
        self.at += 1;
        Ok(())
    }
}

/// Checks whether a token is a word as it is.
fn is_raw(token: &Token) -> bool {
    token.word().is_some_and(|word| word.starts_with('!'))
}

/// Returns the value of an operand kind with this name.
fn enumerant(kind: OperandKind, name: &str) -> Result<&'static Enumerant> {
    let row = kind.enumerants().iter().find(|row| row.name() == name);
    let alias = || {
        grammar::aliases().iter().find_map(|alias| match alias.of {
            AliasOf::Enumerant(of, value) if of == kind && alias.name() == name => kind.enumerant(value),
            _ => None,
        })
    };
    row.or_else(alias).ok_or_else(|| format!("`{name}` is no {}", kind.name()))
}

fn push_string(words: &mut Vec<u32>, text: &str) {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    words.extend(bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])));
}

/// Returns the word of a number.
fn integer(word: &str) -> Result<u32> {
    let is_negative = word.starts_with('-');
    let bits =
        wide_integer(word, 32, is_negative).ok_or_else(|| format!("`{word}` is no number of 32 bits"))?;
    Ok(bits as u32)
}

/// Returns the bits of a number of this width, sign-extended to whole words if the type is signed.
fn wide_integer(word: &str, width: u32, is_signed: bool) -> Option<u64> {
    let (is_negative, digits) = word.strip_prefix('-').map_or((false, word), |digits| (true, digits));
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let magnitude = match hexadecimal {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None if digits.starts_with(|c: char| c.is_ascii_digit()) => digits.parse::<u64>().ok()?,
        None => return None,
    };
    let bits = if is_negative { magnitude.wrapping_neg() } else { magnitude };
    let unused = 64 - width;
    // Hexadecimal digits are bits, of signed types as well.
    let is_fitting = match (is_negative, is_signed && hexadecimal.is_none()) {
        (true, _) => is_signed && magnitude <= 1 << (width - 1),
        (false, true) => magnitude < 1 << (width - 1),
        (false, false) => magnitude << unused >> unused == magnitude,
    };
    let extended = if is_signed { ((bits << unused) as i64 >> unused) as u64 } else { bits };
    let words = if width > 32 { extended } else { extended & 0xffff_ffff };
    is_fitting.then_some(words)
}
