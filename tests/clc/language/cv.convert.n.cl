// options: -cl-std=CL1.2
// operand and result counts must match
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int2 i=convert_int2((float2)(1.5f)); g[0]=i.x; }
