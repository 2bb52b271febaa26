// options: -cl-std=CL2.0
// atomic_int, atomic_uint, atomic_flag, atomic_float; 64-bit with int64 atomics
kernel void k(global atomic_int*a){ *a = *a + 1; } // error: an atomic variable can only be used through the atomic functions // error: an atomic variable can only be used through the atomic functions
