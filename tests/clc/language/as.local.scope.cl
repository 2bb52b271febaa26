// options: -cl-std=CL1.2
// local variables only in kernel outermost scope
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ local int x; if(get_local_id(0)==0) x=1; barrier(CLK_LOCAL_MEM_FENCE); g[0]=x; }
