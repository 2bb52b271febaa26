// options: -unknown-flag
// refused: unknown build option '-unknown-flag'
