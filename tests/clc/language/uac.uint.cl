// options: -cl-std=CL1.2
// unsigned of same width ranks above signed
constant int a[(-1 < 1u) == 0 ? 1 : -1] = {0};
kernel void k(global uint4*g){ g[0]=g[1]+1; }
