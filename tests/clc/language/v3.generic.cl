// options: -cl-std=CL3.0
// facts: cl30
// generic space behind its feature macro
#ifdef __opencl_c_generic_address_space
void h(int*p){ *p=1; }
kernel void k(global int*g){ h(g); }
#else
#error
#endif
