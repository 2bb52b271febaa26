// options: -cl-std=CL1.2
// packed struct/union/enum and member
struct __attribute__((packed)) S{char c; int i;}; kernel void k(global int*g){ g[0]=sizeof(struct S)==5; }
