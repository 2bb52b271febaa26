//! Ends of blocks: which instructions they are, and to which labels they lead.

use crate::grammar::Opcode;
use crate::module::{Id, Module};

impl Opcode {
    /// Checks whether an instruction ends a block.
    pub(crate) fn is_terminator(self) -> bool {
        matches!(self, Opcode::Return | Opcode::ReturnValue | Opcode::Unreachable) || self.has_targets()
    }

    /// Checks whether an instruction ends a block and leads to others.
    pub(crate) fn has_targets(self) -> bool {
        matches!(self, Opcode::Branch | Opcode::BranchConditional | Opcode::Switch)
    }

    /// Checks whether an instruction may stand between blocks and between φ.
    pub(crate) fn is_anywhere(self) -> bool {
        use Opcode::{ExtInst, ExtInstWithForwardRefsKHR, Line, NoLine, Nop};
        matches!(self, Line | NoLine | Nop | ExtInst | ExtInstWithForwardRefsKHR)
    }

    /// Checks whether an instruction says what a branch is for. Khronos' translator puts φ behind those of loops.
    pub(crate) fn is_flow_hint(self) -> bool {
        matches!(self, Opcode::LoopMerge | Opcode::SelectionMerge | Opcode::LoopControlINTEL)
    }
}

impl Module {
    /// Returns the positions of the labels that a terminator names.
    pub(crate) fn targets(&self, opcode: Opcode, words: &[u32]) -> impl DoubleEndedIterator<Item = usize> {
        let (first, step, end) = match opcode {
            Opcode::Branch => (1, 1, 2),
            Opcode::BranchConditional => (2, 1, 4),
            Opcode::Switch => (2, 1 + self.switch_literal_words(words), words.len()),
            _ => (0, 1, 0),
        };
        (first..end).step_by(step)
    }

    /// Returns the number of words of each literal of an OpSwitch.
    pub(crate) fn switch_literal_words(&self, words: &[u32]) -> usize {
        let number = self.type_of(Id(words[1])).and_then(|ty| self.number_type(ty));
        number.and_then(|number| number.words()).unwrap_or(1)
    }
}
