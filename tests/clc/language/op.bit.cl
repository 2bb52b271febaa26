// options: -cl-std=CL1.2
// & | ^ ~ on integers only
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 a=5; g[0]=(~a&3|8^1).x; }
