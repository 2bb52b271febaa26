// options: -cl-std=CL1.2
// vectors over char uchar short ushort int uint long ulong float double
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ uchar2 a=1; ushort3 b=2; ulong4 c=3; g[0]=a.x+b.y+(int)c.w; }
