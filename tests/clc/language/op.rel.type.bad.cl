// options: -cl-std=CL1.2
// result is signed int of same width as operand
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ uchar4 a=1; int4 m=a>(uchar4)0; g[0]=m.x; } // error: cannot initialize 'int4' from 'char4'
