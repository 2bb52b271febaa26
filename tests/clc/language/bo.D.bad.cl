// options: -D
// refused: '-D' needs an operand
