// options: -cl-std=CL1.2
// sizeof vector is n*elem, 3 counts as 4
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ g[0]=sizeof(float8)+sizeof(char3); }
