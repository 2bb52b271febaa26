// options: -cl-std=CL1.2
// .lo/.hi on 3-vector act as 4-vector with undefined w
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float3 v=(float3)(1.0f,2.0f,3.0f); float2 lw=v.lo; float2 hi=v.hi; f[0]=lw.y+hi.x; }
