// options: -cl-std=CL1.2
// vector ?: selects on MSB of each condition lane
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 c=(int4)(-1,0,1,0x80000000); int4 r=c?(int4)(1):(int4)(2); g[0]=r.z; }
