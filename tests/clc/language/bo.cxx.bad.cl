// options: -cl-std=CLC++
// refused: '-cl-std=CLC++'
