// options: -cl-std=CL2.0
// Functions may take and return pointers to the generic space.
int *h(int *p) { return p + 1; }
kernel void k(global int *g) { *h(g) = 1; }
