// options: -cl-std=CL3.0
// facts: cl30
// program-scope globals behind their feature macro
#ifndef __opencl_c_program_scope_global_variables
#error
#endif
global int t;
kernel void k(void){}
