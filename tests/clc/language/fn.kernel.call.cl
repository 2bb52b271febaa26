// options: -cl-std=CL1.2
// a kernel may be called from a kernel
kernel void a(global int*g){ g[0]=1; } kernel void k(global int*g){ a(g); }
