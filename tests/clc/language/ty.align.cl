// options: -cl-std=CL1.2
// built-in types align to their size; non power of two rounds up
struct S{char c; int4 v;}; kernel void k(global int*g){ g[0]=sizeof(struct S)==32; }
