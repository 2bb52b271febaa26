// options: -cl-std=CL2.0
// program-scope global variables, zero-initialized
int t; global int u=3; static global int s; kernel void k(global int*g){ g[0]=t+u+s; }
