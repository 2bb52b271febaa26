// options: -cl-std=CL1.2
// built-ins are overloaded; no implicit scalar widening of arguments
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ f[0]=max((float4)(1.0f),2.0f).x; g[0]=min((int2)(1),2).x; }
