// options: -I
// refused: '-I' needs an operand
