// options: -cl-std=CL2.0
// Two functions with one name differing only in pointee address space do not compile (no overloading in OpenCL C).
void dbl(global float *d, int i) { d[i] *= 2; }
void dbl(local float *d, int i) { d[i] *= 2; } // error: conflicting types for 'dbl'; functions cannot be overloaded
kernel void k(void) { }
