// options: -cl-std=CL1.2
// register unsupported
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ register int x=1; g[0]=x; } // error: the 'auto' and 'register' storage classes are not supported
