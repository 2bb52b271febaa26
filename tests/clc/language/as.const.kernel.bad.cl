// options: -cl-std=CL1.2
// constant allowed in kernel outermost scope
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ if(g[0]){ constant int t=1; g[0]=t; } } // error: a 'constant' variable must be in the outermost scope of its kernel
