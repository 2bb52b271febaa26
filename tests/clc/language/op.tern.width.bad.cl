// options: -cl-std=CL1.2
// vector condition lanes must match result width/count
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int2 c=1; int4 r=c?(int4)(1):(int4)(2); g[0]=r.x; } // error: a condition of type 'int2' cannot choose lanes of 'int4'
