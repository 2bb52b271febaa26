// options: -cl-std=CL1.2
// no shifts on float
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ g[0]=8>>1; }
