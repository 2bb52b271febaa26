// options: -cl-std=CL1.2
// compound assignment with scalar widening
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 v=1; v+=2; v<<=1; v*=(int4)(3); g[0]=v.x; }
