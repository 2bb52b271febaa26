//! Disassembler: writes modules as `spirv-dis --raw-id` of Khronos does. Comments differ.
//!
//! What the grammar does not describe, such as the parameters of unknown decorations, is written as `!NUMBER`, which
//! assemblers take for a word. Bytes of strings that are not UTF-8 are replaced.

use std::fmt::{self, Write as _};

use crate::float;
use crate::grammar::{Category, OperandKind, instruction};
use crate::module::{Id, Module, NumberType, text};
use crate::operands::{Piece, What, walk};

/// Column at which instructions begin, behind their results.
const COLUMN: usize = 15;

/// Appearance of a disassembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// True if comments with the contents of the header come first.
    pub has_header: bool,
    /// True if instructions begin at one column.
    pub is_indented: bool,
}

/// Text of a module.
#[derive(Clone, Copy, Debug)]
pub struct Disassembly<'m> {
    module: &'m Module,
    style: Style,
}

impl Module {
    /// Returns the module as text.
    pub fn disassemble(&self, style: Style) -> Disassembly<'_> {
        Disassembly { module: self, style }
    }

    /// Writes one instruction without a line end.
    ///
    /// # Errors
    /// If the text cannot be written.
    ///
    /// # Panics
    /// If no instruction begins at the position.
    pub fn print_instruction(&self, f: &mut dyn fmt::Write, place: u32, is_indented: bool) -> fmt::Result {
        let (row, words) = self.instruction(place);
        let column = if is_indented { COLUMN } else { 0 };
        let result = row.has_result.then(|| Id(words[1 + usize::from(row.has_type)]));
        match result {
            Some(id) => {
                let id = id.to_string();
                write!(f, "{id:>width$} = ", width = column.saturating_sub(3))?;
            }
            None => write!(f, "{:column$}", "")?,
        }
        f.write_str(row.name())?;
        let mut written = Ok(());
        let mut each = |piece: Piece| {
            let is_result = piece.what == What::Of(OperandKind::IdResult);
            if written.is_ok() && !is_result {
                written = operand(f, piece, words);
            }
        };
        let walked = walk(self, row, words, &mut each);
        debug_assert_eq!(walked, Ok(()), "reading has checked it");
        written
    }
}

impl fmt::Display for Disassembly<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let module = self.module;
        if self.style.has_header {
            let (generator, version) = module.generator();
            writeln!(f, "; SPIR-V")?;
            writeln!(f, "; Version: 1.{}", module.version())?;
            match generator_name(generator) {
                Some(name) => writeln!(f, "; Generator: {name}; {version}")?,
                None => writeln!(f, "; Generator: Unknown({generator}); {version}")?,
            }
            writeln!(f, "; Bound: {}", module.bound())?;
            writeln!(f, "; Schema: {}", module.words()[4])?;
        }
        for place in module.all_instructions() {
            module.print_instruction(f, place, self.style.is_indented)?;
            f.write_char('\n')?;
        }
        Ok(())
    }
}

/// Returns the name of a tool that writes modules for OpenCL, by its number in SPIRV-Headers' `spir-v.xml`.
fn generator_name(number: u16) -> Option<&'static str> {
    Some(match number {
        0 => "Khronos",
        6 => "Khronos LLVM/SPIR-V Translator",
        7 => "Khronos SPIR-V Tools Assembler",
        8 => "Khronos Glslang Reference Front End",
        17 => "Khronos SPIR-V Tools Linker",
        21 => "Google Clspv",
        43 => "LLVM SPIR-V Backend",
        _ => return None,
    })
}

/// Writes an operand with a blank in front of it.
fn operand(f: &mut dyn fmt::Write, piece: Piece, words: &[u32]) -> fmt::Result {
    let own = &words[piece.at..piece.at + piece.words];
    let first = own[0];
    f.write_char(' ')?;
    match piece.what {
        What::Number(of) => number(f, of, own),
        What::Raw => write!(f, "!{first}"),
        What::Extended(set) => match set.instruction(first) {
            Some(row) => f.write_str(row.name()),
            None => write!(f, "{first}"),
        },
        What::Of(kind) => match kind.category() {
            Category::Id => write!(f, "%{first}"),
            Category::Value => f.write_str(kind.enumerant(first).map_or("?", |row| row.name())),
            Category::Mask => mask(f, kind, first),
            Category::Literal | Category::Pair => literal(f, kind, own),
        },
    }
}

fn literal(f: &mut dyn fmt::Write, kind: OperandKind, words: &[u32]) -> fmt::Result {
    match kind {
        OperandKind::LiteralString => {
            f.write_char('"')?;
            for letter in text(words).chars() {
                if matches!(letter, '"' | '\\') {
                    f.write_char('\\')?;
                }
                f.write_char(letter)?;
            }
            f.write_char('"')
        }
        OperandKind::LiteralSpecConstantOpInteger => {
            let row = instruction(words[0] as u16).expect("reading has checked it");
            f.write_str(row.name().trim_start_matches("Op"))
        }
        OperandKind::LiteralFloat => f.write_str(&float::print(u64::from(words[0]), 32)),
        _ => write!(f, "{}", words[0]),
    }
}

/// Writes the names of the bits of a mask.
fn mask(f: &mut dyn fmt::Write, kind: OperandKind, mask: u32) -> fmt::Result {
    if mask == 0 {
        return match kind.enumerant(0) {
            Some(none) => f.write_str(none.name()),
            None => f.write_char('0'),
        };
    }
    let bits = (0..u32::BITS).map(|bit| 1 << bit).filter(|bit| mask & bit != 0);
    for (index, row) in bits.filter_map(|bit| kind.enumerant(bit)).enumerate() {
        if index > 0 {
            f.write_char('|')?;
        }
        f.write_str(row.name())?;
    }
    Ok(())
}

fn number(f: &mut dyn fmt::Write, of: NumberType, words: &[u32]) -> fmt::Result {
    let high = words.get(1).map_or(0, |&word| u64::from(word) << 32);
    let bits = u64::from(words[0]) | high;
    match of {
        NumberType::Int { width: width @ ..32, is_signed } if !is_extended(words[0], width, is_signed) => {
            write!(f, "!{bits}")
        }
        NumberType::Int { is_signed: true, .. } if words.len() == 1 => write!(f, "{}", words[0] as i32),
        NumberType::Int { is_signed: true, .. } => write!(f, "{}", bits as i64),
        NumberType::Int { .. } => write!(f, "{bits}"),
        NumberType::Float { width: width @ (16 | 32 | 64), has_encoding: false } => {
            // The bits beyond the width of a half are zero, unless a producer has left something there.
            let is_whole = width == 64 || bits >> width == 0;
            if is_whole { f.write_str(&float::print(bits, width)) } else { write!(f, "!{bits}") }
        }
        NumberType::Float { .. } if words.len() == 1 => write!(f, "!{bits}"),
        NumberType::Float { .. } => write!(f, "!{} !{}", words[0], words[1]),
    }
}

/// Checks whether the bits of a word beyond the width of its type are as SPIR-V demands: copies of the sign, or zero.
fn is_extended(word: u32, width: u32, is_signed: bool) -> bool {
    let unused = u32::BITS - width;
    match is_signed {
        true => ((word << unused) as i32 >> unused) as u32 == word,
        false => word << unused >> unused == word,
    }
}
