// options: -cl-std=CL1.2
// string literals are constant char arrays
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ char *p = "x"; g[0]=p[0]; } // error: cannot initialize 'char *' from 'constant char *': the address spaces do not convert
