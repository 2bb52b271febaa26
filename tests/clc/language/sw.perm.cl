// options: -cl-std=CL1.2
// permute and replicate on read
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int4 v=(int4)(1,2,3,4); int4 w=v.wzyx; int4 d=v.xxyy; g[0]=w.x+d.z; }
