// options: -cl-std=CL1.2
// cl_mem_fence_flags bitfield type
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ barrier(CLK_LOCAL_MEM_FENCE|CLK_GLOBAL_MEM_FENCE); }
