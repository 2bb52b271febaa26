// options: -cl-std=CL1.2
// functions are called by name
int f(int x){ return x; } kernel void k(global int*g){ g[0]=f(1); }
