//! OpenCL numbers and C layouts.
