// options: -cl-std=CL1.2
// .lo .hi .even .odd halves, chainable
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int8 v=(int8)(0,1,2,3,4,5,6,7); int2 h=v.even.hi; g[0]=v.lo.hi.x+h.y+v.odd.lo.lo; }
