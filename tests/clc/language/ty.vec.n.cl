// options: -cl-std=CL1.2
// vector sizes 2 3 4 8 16
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int2 a=1; int3 b=2; int4 c=3; int8 d=4; int16 e=5; g[0]=a.x+b.y+c.z+d.s7+e.sf; }
