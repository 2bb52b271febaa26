// options: -cl-std=CL1.2
// kernel/__kernel function, returns void
__kernel void k(global int*g){ g[0]=1; }
