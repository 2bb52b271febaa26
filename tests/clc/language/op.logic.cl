// options: -cl-std=CL1.2
// && || ! on vectors are component-wise without short circuit
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 a=1,b=0; int4 m=a&&b; g[0]=m.x+(!b).y; }
