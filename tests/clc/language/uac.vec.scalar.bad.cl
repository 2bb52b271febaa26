// options: -cl-std=CL1.2
// scalar of lower or equal rank widens to vector type
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ char4 v=1; int i=2; v=v+i; g[0]=v.x; } // error: invalid operands to '+': 'char4' and 'int': the scalar's type has a higher rank than the vector's element
