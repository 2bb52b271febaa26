// options: -cl-std=CL1.2
// .lo .hi .even .odd halves, chainable
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int x=1; g[0]=x.lo; } // error: 'int' has no member 'lo'
