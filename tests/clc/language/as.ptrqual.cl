// options: -cl-std=CL1.2
// T qual1 * qual2 p: first qualifies pointee, second the pointer
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ private int x=1; private int * private p=&x; g[0]=*p; }
