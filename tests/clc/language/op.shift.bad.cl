// options: -cl-std=CL1.2
// shift count masked by log2 width; scalar LHS needs scalar RHS
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int a=1; int4 b=2; g[0]=(a<<b).x; } // error: invalid operands to '<<': 'int' and 'int4': a scalar cannot be shifted by a vector
