// options: -cl-std=CL1.2
// prototypes before definition; empty () means no args
int h(int); int h(int x){ return x; } kernel void k(global int*g){ g[0]=h(2); }
