// options: -cl-std=CL1.2
// vector ?: selects on MSB of each condition lane
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float4 c=1.0f; int4 r=c?(int4)(1):(int4)(2); g[0]=r.x; } // error: the condition of a vector '?:' must be of integers
