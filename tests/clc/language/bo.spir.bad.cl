// options: -x spir -spir-std=1.2
// refused: '-x'
