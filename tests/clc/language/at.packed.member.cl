// options: -cl-std=CL1.2
// packed on one field
struct S{char a; int x[2] __attribute__((packed));}; kernel void k(global int*g){ g[0]=sizeof(struct S)==9; }
