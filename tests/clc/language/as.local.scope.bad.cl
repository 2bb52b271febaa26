// options: -cl-std=CL1.2
// local variables only in kernel outermost scope
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ if(g[0]){ local int x; x=1; } } // error: a 'local' variable must be in the outermost scope of its kernel
