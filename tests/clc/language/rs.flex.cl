// options: -cl-std=CL1.2
// flexible array members unsupported
struct S{int n; int a[1];}; kernel void k(global struct S*s){ s->n=1; }
