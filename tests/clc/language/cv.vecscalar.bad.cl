// options: -cl-std=CL1.2
// no implicit vector to scalar
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 a=1; int b=a; g[0]=b; } // error: cannot initialize 'int' from 'int4'
