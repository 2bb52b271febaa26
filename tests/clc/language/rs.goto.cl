// options: -cl-std=CL1.2
// goto/labels allowed; irreducible control flow implementation-defined
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int i=0; again: if(i++<3) goto again; g[0]=i; }
