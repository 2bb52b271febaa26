// options: -cl-std=CL2.0

// cl_khr_subgroups functions
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void k(global int*g){ g[0]=(int)get_sub_group_size()+sub_group_reduce_add(1)+sub_group_broadcast(2,0); sub_group_barrier(CLK_LOCAL_MEM_FENCE); }
