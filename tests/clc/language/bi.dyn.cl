// options: -cl-std=CL1.2
// get_global_id etc accept non-constant dimension
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ uint d=g[0]; g[1]=(int)get_global_id(d)+(int)get_global_size(7); }
