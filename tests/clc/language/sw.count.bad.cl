// options: -cl-std=CL1.2
// selector length must be 1 2 3 4 8 16
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 v=0; g[0]=v.xxxxx.x; } // error: 'int4' has no component 'xxxxx': a selector has 1, 2, 3, 4, 8 or 16 components
