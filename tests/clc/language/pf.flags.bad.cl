// options: -cl-std=CL1.2
// a width of '*' is not supported
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ printf("%*d\n",5,1); } // warning: *
