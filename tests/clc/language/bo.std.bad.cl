// options: -cl-std=CL9.9
// refused: '-cl-std=CL9.9'
