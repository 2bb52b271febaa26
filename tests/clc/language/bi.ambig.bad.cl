// options: -cl-std=CL1.2
// mixed scalar argument types to a gentype built-in are ambiguous
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ g[0]=max(g[0],1u); } // error: the call of 'max' is ambiguous with (int, uint)
