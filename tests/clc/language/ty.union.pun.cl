// options: -cl-std=CL1.2
// reading another union member reinterprets the bytes
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ union{float a; uint b;} u; u.a=1.0f; g[0]=u.b==0x3f800000; }
