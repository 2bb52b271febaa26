//! Relations between the conditions of comparisons.

use super::op::{FloatCond, IntCond};

impl IntCond {
    /// Returns the condition that is equivalent after an exchange of the operands.
    pub fn swapped(self) -> IntCond {
        match self {
            IntCond::Eq => IntCond::Eq,
            IntCond::Ne => IntCond::Ne,
            IntCond::Slt => IntCond::Sgt,
            IntCond::Sle => IntCond::Sge,
            IntCond::Sgt => IntCond::Slt,
            IntCond::Sge => IntCond::Sle,
            IntCond::Ult => IntCond::Ugt,
            IntCond::Ule => IntCond::Uge,
            IntCond::Ugt => IntCond::Ult,
            IntCond::Uge => IntCond::Ule,
        }
    }

    /// Checks whether the condition is an order of signed numbers.
    pub fn is_signed(self) -> bool {
        matches!(self, IntCond::Slt | IntCond::Sle | IntCond::Sgt | IntCond::Sge)
    }

    /// Checks whether the condition is an order of unsigned numbers.
    pub fn is_unsigned(self) -> bool {
        matches!(self, IntCond::Ult | IntCond::Ule | IntCond::Ugt | IntCond::Uge)
    }

    /// Returns the condition of unsigned numbers that is equivalent if no operand is negative.
    #[must_use]
    pub fn unsigned(self) -> IntCond {
        match self {
            IntCond::Slt => IntCond::Ult,
            IntCond::Sle => IntCond::Ule,
            IntCond::Sgt => IntCond::Ugt,
            IntCond::Sge => IntCond::Uge,
            _ => self,
        }
    }

    /// Returns the condition that holds if and only if this one does not.
    pub fn negated(self) -> IntCond {
        match self {
            IntCond::Eq => IntCond::Ne,
            IntCond::Ne => IntCond::Eq,
            IntCond::Slt => IntCond::Sge,
            IntCond::Sle => IntCond::Sgt,
            IntCond::Sgt => IntCond::Sle,
            IntCond::Sge => IntCond::Slt,
            IntCond::Ult => IntCond::Uge,
            IntCond::Ule => IntCond::Ugt,
            IntCond::Ugt => IntCond::Ule,
            IntCond::Uge => IntCond::Ult,
        }
    }
}

impl FloatCond {
    /// Outcomes of a comparison, one of which any two operands have: the first is smaller, equal, larger, or
    /// they are unordered.
    pub const LESS: u8 = 1;
    pub const EQUAL: u8 = 2;
    pub const GREATER: u8 = 4;
    pub const UNORDERED: u8 = 8;
    const ALL_OUTCOMES: u8 = 15;

    /// Returns the set of outcomes for which the condition is true.
    pub const fn outcomes(self) -> u8 {
        const LESS: u8 = FloatCond::LESS;
        const EQUAL: u8 = FloatCond::EQUAL;
        const GREATER: u8 = FloatCond::GREATER;
        match self {
            FloatCond::Oeq => EQUAL,
            FloatCond::One => LESS | GREATER,
            FloatCond::Olt => LESS,
            FloatCond::Ole => LESS | EQUAL,
            FloatCond::Ogt => GREATER,
            FloatCond::Oge => GREATER | EQUAL,
            FloatCond::Ord => LESS | EQUAL | GREATER,
            FloatCond::Ueq => FloatCond::Oeq.outcomes() | FloatCond::UNORDERED,
            FloatCond::Une => FloatCond::One.outcomes() | FloatCond::UNORDERED,
            FloatCond::Ult => FloatCond::Olt.outcomes() | FloatCond::UNORDERED,
            FloatCond::Ule => FloatCond::Ole.outcomes() | FloatCond::UNORDERED,
            FloatCond::Ugt => FloatCond::Ogt.outcomes() | FloatCond::UNORDERED,
            FloatCond::Uge => FloatCond::Oge.outcomes() | FloatCond::UNORDERED,
            FloatCond::Uno => FloatCond::UNORDERED,
        }
    }
    /// Returns the condition that is true for a set of outcomes; none for all and for no outcomes, as such a
    /// comparison is a constant.
    pub fn from_outcomes(outcomes: u8) -> Option<FloatCond> {
        Self::ALL.iter().copied().find(|cond| cond.outcomes() == outcomes)
    }
    /// Returns the condition that is equivalent after an exchange of the operands.
    pub fn swapped(self) -> FloatCond {
        match self {
            FloatCond::Oeq
            | FloatCond::One
            | FloatCond::Ord
            | FloatCond::Ueq
            | FloatCond::Une
            | FloatCond::Uno => self,
            FloatCond::Olt => FloatCond::Ogt,
            FloatCond::Ole => FloatCond::Oge,
            FloatCond::Ogt => FloatCond::Olt,
            FloatCond::Oge => FloatCond::Ole,
            FloatCond::Ult => FloatCond::Ugt,
            FloatCond::Ule => FloatCond::Uge,
            FloatCond::Ugt => FloatCond::Ult,
            FloatCond::Uge => FloatCond::Ule,
        }
    }
    /// Returns the condition that is true where this one is false.
    pub fn inverted(self) -> FloatCond {
        Self::from_outcomes(Self::ALL_OUTCOMES ^ self.outcomes()).expect("no condition is constant")
    }
}
