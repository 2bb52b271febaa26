// options: -cl-std=CL1.2
// as_typen same size bit reinterpretation
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ short s=as_short(1); g[0]=s; } // error: no built-in function 'as_short' takes (int)
