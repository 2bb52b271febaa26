// options: -cl-std=CL1.2
// bit-field members unsupported
struct S{int a;}; kernel void k(global struct S*s){ s->a=1; }
