// options: -cl-std=CL1.2
// scalar condition with vector operands picks whole vector
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 a=1,b=2; int4 r=g[0]?a:b; g[0]=r.x; }
