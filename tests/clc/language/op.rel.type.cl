// options: -cl-std=CL1.2
// result is signed int of same width as operand
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ uchar4 a=1; char4 m=a>(uchar4)0; short4 n=((ushort4)(1))==((ushort4)(1)); g[0]=m.x+n.x; }
