// options: -cl-std=CL2.0
// atomic types go through their functions
kernel void k(global atomic_int*a){ atomic_fetch_add(a,1); }
