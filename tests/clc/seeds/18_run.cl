// options: -cl-std=CL2.0
// All three named spaces belong to one generic space: a generic pointer passed through several calls keeps its target. Expect: g[0]==9 and g[1]==18.
void inner(int *a) { *a *= 3; }
void outer(int *a) { inner(a); inner(a); }
kernel void k(global int *g) { int x = 2; outer(&x); g[0] = 1; outer(g); g[1] = x; }
