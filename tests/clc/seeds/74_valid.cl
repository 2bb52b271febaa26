// options: -cl-std=CL2.0
// A kernel array argument with a named space is fine.
kernel void k(global int p[4]) { p[0] = 1; }
