// options: -cl-std=CL1.2
// compound assignment with scalar widening
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int x=1; int4 v=1; x+=v; g[0]=x; } // error: invalid operands to '+': 'int' and 'int4': a vector does not fit into a scalar
