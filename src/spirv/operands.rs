//! Walks over the operands of an instruction as the grammar describes them. Reading uses the walk for its checks,
//! the printer for its text.

use crate::error::Rule;
use crate::grammar::{
    Category, ExtendedSet, Instruction, Opcode, Operand, OperandKind, Quantifier, instruction,
};
use crate::module::{Id, Module, NumberType, string_words};

/// Operand in an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub what: What,
    /// Position of the first word, counted from the instruction.
    pub at: usize,
    pub words: usize,
}

/// Meaning of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Operand of the grammar. Pairs come as their parts, and masks before their parameters.
    Of(OperandKind),
    /// Number of this type.
    Number(NumberType),
    /// Instruction of an extended set.
    Extended(ExtendedSet),
    /// Word of which nothing is known: it belongs to an unknown decoration or to an instruction for debuggers.
    Raw,
}

/// Broken rule, and the position of the word that breaks it, counted from the instruction.
pub(crate) type Broken = (usize, Rule);

/// Calls `each` for every operand of an instruction.
///
/// # Errors
/// If the instruction does not have the operands that the grammar demands, or an id is not below the bound.
#[inline]
pub(crate) fn walk(
    module: &Module,
    row: &Instruction,
    words: &[u32],
    each: &mut impl FnMut(Piece),
) -> Result<(), Broken> {
    let mut walk = Walk { module, opcode: row.opcode, words, at: 1, each };
    let (ids, rest) = row.operands().split_at(usize::from(row.leading_ids));
    for operand in ids {
        walk.id(operand.kind)?;
    }
    walk.operands(rest)?;
    walk.end()
}

struct Walk<'m, F> {
    module: &'m Module,
    opcode: Opcode,
    words: &'m [u32],
    at: usize,
    each: F,
}

impl<F: FnMut(Piece)> Walk<'_, F> {
    #[inline]
    fn operands(&mut self, operands: &[Operand]) -> Result<(), Broken> {
        for operand in operands {
            match operand.quantifier {
                Quantifier::One => self.operand(operand)?,
                Quantifier::Optional if self.at < self.words.len() => self.operand(operand)?,
                Quantifier::Optional => {}
                Quantifier::Any => {
                    while self.at < self.words.len() {
                        self.operand(operand)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn end(&self) -> Result<(), Broken> {
        match self.words.len() - self.at {
            0 => Ok(()),
            // LLVM's back end writes words behind a null of a composite.
            _ if self.opcode == Opcode::ConstantNull => Ok(()),
            more => Err((self.at, Rule::Excess(more))),
        }
    }

    /// Walks over one operand and its parameters. The depth is that of the grammar, three.
    #[inline]
    fn operand(&mut self, operand: &Operand) -> Result<(), Broken> {
        let kind = operand.kind;
        match operand.category {
            Category::Id => self.id(kind),
            Category::Literal => self.literal(kind),
            Category::Value => self.value(kind),
            Category::Mask => self.mask(kind),
            Category::Pair => {
                if self.opcode == Opcode::Switch {
                    let number = self.selector_type()?;
                    self.number(kind, number)?;
                    return self.id(OperandKind::IdRef);
                }
                kind.parts().iter().try_for_each(|part| self.operand(part))
            }
        }
    }

    #[inline]
    fn id(&mut self, kind: OperandKind) -> Result<(), Broken> {
        let id = self.next(kind)?;
        let bound = self.module.bound();
        if id.wrapping_sub(1) >= bound - 1 {
            return Err((self.at, Rule::IdBound { id, bound }));
        }
        self.piece(What::Of(kind), 1);
        Ok(())
    }

    /// Returns the next word.
    #[inline]
    fn next(&self, kind: OperandKind) -> Result<u32, Broken> {
        self.words.get(self.at).copied().ok_or((self.at, Rule::Missing(kind)))
    }

    #[inline]
    fn piece(&mut self, what: What, words: usize) {
        (self.each)(Piece { what, at: self.at, words });
        self.at += words;
    }

    /// Walks over all words that are left.
    fn raw(&mut self) {
        while self.at < self.words.len() {
            self.piece(What::Raw, 1);
        }
    }

    fn literal(&mut self, kind: OperandKind) -> Result<(), Broken> {
        let word = self.next(kind)?;
        match kind {
            OperandKind::LiteralString => {
                let count = string_words(&self.words[self.at..]).ok_or((self.at, Rule::StringEnd))?;
                self.piece(What::Of(kind), count);
                Ok(())
            }
            OperandKind::LiteralContextDependentNumber => {
                let of = Id(self.words[1]);
                let number = self.module.number_type(of).filter(|number| number.words().is_some());
                self.number(kind, number.ok_or((1, Rule::NumberType(of)))?)
            }
            OperandKind::LiteralSpecConstantOpInteger => {
                let row = u16::try_from(word).ok().and_then(instruction);
                let row = row.filter(|row| row.opcode.is_for_spec_constants());
                let row = row.ok_or((self.at, Rule::SpecConstantOp(word)))?;
                self.piece(What::Of(kind), 1);
                self.operands(&row.operands()[row.result_operands()..])
            }
            OperandKind::LiteralExtInstInteger => self.extended(word),
            _ => {
                self.piece(What::Of(kind), 1);
                Ok(())
            }
        }
    }

    fn number(&mut self, kind: OperandKind, number: NumberType) -> Result<(), Broken> {
        let count = number.words().unwrap_or(1);
        if self.words.len() - self.at < count {
            return Err((self.words.len(), Rule::Missing(kind)));
        }
        self.piece(What::Number(number), count);
        Ok(())
    }

    fn selector_type(&self) -> Result<NumberType, Broken> {
        let selector = Id(self.words[1]);
        let of = self.module.type_of(selector).and_then(|of| self.module.number_type(of));
        let number = of.filter(|number| number.is_int() && number.words().is_some());
        number.ok_or((1, Rule::Selector(selector)))
    }

    /// Walks over the number of an extended instruction and its operands. Producers differ in what they write
    /// for debuggers, and nothing depends on it: there, anything goes.
    fn extended(&mut self, number: u32) -> Result<(), Broken> {
        let id = Id(self.words[self.at - 1]);
        let set = self.module.extended_set(id).ok_or((self.at - 1, Rule::NoExtendedSet(id)))?;
        let row = set.instruction(number);
        if row.is_none() && !set.is_debug() {
            return Err((self.at, Rule::ExtendedInstruction(number)));
        }
        self.piece(What::Extended(set), 1);
        // All operands of an unknown instruction for debuggers are ids.
        let operands = row.map_or(Operand::IDS, |row| row.operands());
        if set.is_debug() {
            let (module, opcode, words, at) = (self.module, self.opcode, self.words, self.at);
            let mut trial = Walk { module, opcode, words, at, each: drop::<Piece> as fn(Piece) };
            if trial.operands(operands).and_then(|()| trial.end()).is_err() {
                self.raw();
                return Ok(());
            }
        }
        self.operands(operands)
    }

    fn value(&mut self, kind: OperandKind) -> Result<(), Broken> {
        let value = self.next(kind)?;
        let Some(row) = kind.enumerant(value) else {
            return match kind {
                // Decorations are hints; those that are not carry a capability, which is then unknown.
                OperandKind::Decoration => {
                    self.raw();
                    Ok(())
                }
                OperandKind::SourceLanguage => {
                    self.piece(What::Raw, 1);
                    Ok(())
                }
                _ => Err((self.at, Rule::Enumerant { kind, value })),
            };
        };
        if row.is_foreign {
            return Err((self.at, Rule::ForeignCapability(row.name())));
        }
        self.piece(What::Of(kind), 1);
        self.operands(row.parameters())
    }

    fn mask(&mut self, kind: OperandKind) -> Result<(), Broken> {
        let mask = self.next(kind)?;
        let at = self.at;
        self.piece(What::Of(kind), 1);
        let mut left = mask;
        while left != 0 {
            let bit = left & left.wrapping_neg();
            left ^= bit;
            let row = kind.enumerant(bit).ok_or((at, Rule::Enumerant { kind, value: bit }))?;
            self.operands(row.parameters())?;
        }
        Ok(())
    }
}
