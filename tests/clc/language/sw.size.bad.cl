// options: -cl-std=CL1.2
// assigned width must match
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 v=0; v.xy=(int4)(1,2,3,4); g[0]=v.x; } // error: cannot assign 'int4' to 'int2'
