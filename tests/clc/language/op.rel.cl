// options: -cl-std=CL1.2
// < > <= >= give int 0/1 for scalars, -1/0 for vectors
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float4 a=1.0f,b=2.0f; int4 m=a<b; g[0]=m.x+(1<2); }
