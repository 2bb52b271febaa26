// options: -cl-std=CL1.2
// controlling expressions must be scalar
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 v=1; if(v) g[0]=1; } // error: a condition must be a scalar, not 'int4'
