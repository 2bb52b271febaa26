// options: -cl-std=CL1.2
// recursion not supported
int h(int x){ return x; } kernel void k(global int*g){ g[0]=h(1); }
