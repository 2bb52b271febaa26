// options: -cl-std=CL1.2
// vector condition lanes must match result width/count
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ short4 c=1; short4 r=c?(short4)(1):(short4)(2); g[0]=r.x; }
