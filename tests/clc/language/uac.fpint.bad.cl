// options: -cl-std=CL1.2
// any float rank exceeds any int
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 v=1; float s=2.0f; v=v+s; g[0]=v.x; } // error: invalid operands to '+': 'int4' and 'float': the scalar's type has a higher rank than the vector's element
