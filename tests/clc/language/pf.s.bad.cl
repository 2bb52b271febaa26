// options: -cl-std=CL1.2
// only literals for %s
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ printf("%s\n",(global char*)g); } // warning: %s
