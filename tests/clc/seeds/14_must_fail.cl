// options: -cl-std=CL2.0
// A generic pointer cannot be cast or assigned to `constant`. Expect: seed states one direction only; the symmetric rule is in the later text (cp = p is an error).
kernel void k(global int *g) { int *p = g; constant int *c = (constant int *)p; g[1] = *c; } // error: cannot cast 'int *' to 'constant int *': the address spaces do not convert
