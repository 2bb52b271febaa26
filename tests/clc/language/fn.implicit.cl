// options: -cl-std=CL1.2
// declared before use
int f(int); kernel void k(global int*g){ g[0]=f(1); } int f(int x){ return x; }
