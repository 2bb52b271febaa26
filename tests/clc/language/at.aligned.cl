// options: -cl-std=CL1.2
// aligned(n), n power of two
struct S{short s[3];} __attribute__((aligned(8))); kernel void k(global int*g){ g[0]=sizeof(struct S); }
