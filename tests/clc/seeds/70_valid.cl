// options: -cl-std=CL2.0
// Function arguments and locals default to private; an explicit `private` means the same.
kernel void k(global int *g) { float x[4]; private float y[4]; x[0] = y[0] = 1.0f; private float *p = x; g[0] = (int)p[0]; }
