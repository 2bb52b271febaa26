// options: -cl-std=CL1.2
// aligned without value = largest alignment
struct S{short s[3];} __attribute__((aligned)); kernel void k(global int*g){ g[0]=sizeof(struct S); }
