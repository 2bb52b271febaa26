// options: -cl-std=CL1.2
// constant allowed in kernel outermost scope
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ constant int t[2]={1,2}; g[0]=t[1]; }
