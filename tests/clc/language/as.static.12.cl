// options: -cl-std=CL1.2
// 1.2: static only on program-scope constants and non-kernel functions
static constant int n=5; static int h(void){ return n; } kernel void k(global int*g){ g[0]=h(); }
