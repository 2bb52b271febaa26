// options: -cl-std=CL2.0
// Constant is not part of the generic space although it is logically global memory.
float h(float *p) { return *p; }
kernel void k(constant float *c, global float *g) { g[0] = h(c); } // error: cannot pass 'constant float *' to a parameter of type 'float *': the address spaces do not convert
