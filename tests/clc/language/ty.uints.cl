// options: -cl-std=CL1.2
// uchar ushort uint ulong and unsigned spellings name the same types
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ unsigned char a=1; uchar b=a; unsigned long d=2; ulong e=d; g[0]=b+(int)e; }
