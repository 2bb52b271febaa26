// options: -cl-std=CL2.0
// the named atomic types
kernel void k(global atomic_int *a){ atomic_store(a, 1); }
