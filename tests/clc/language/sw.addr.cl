// options: -cl-std=CL1.2
// address of a component is illegal
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 v=0; int4 *p=&v; g[0]=p->x; }
