// options: -cl-std=CL1.2
// vectors with a length, and as many lanes as the argument
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ printf("%v4d %v4hld\n",(int4)(1),(int2)(1)); } // warning: v4
