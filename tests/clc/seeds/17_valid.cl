// options: -cl-std=CL2.0
// Functions may return generic pointers; the caller may cast the result back.
int *pick(int *a, int *b, int w) { return w ? a : b; }
kernel void k(global int *g, local int *l) { *pick(g, l, g[1]) = 9; }
