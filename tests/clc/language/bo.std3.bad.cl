// options: -cl-std=CL3.0
// refused: '-cl-std=CL3.0' is not supported by this device
