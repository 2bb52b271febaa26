// options: -cl-std=CL1.2
// barrier must be reached by all work-items of a group
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ barrier(CLK_LOCAL_MEM_FENCE); }
