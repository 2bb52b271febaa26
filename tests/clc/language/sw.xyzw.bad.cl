// options: -cl-std=CL1.2
// x y z w selection
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float2 v=0.0f; v.z=1.0f; f[0]=v.x; } // error: 'float2' has no component 'z': it is out of range
