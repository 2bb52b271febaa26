// options: -cl-std=CL1.2
// & | ^ ~ on integers only
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ float4 a=1.0f; f[0]=(a&a).x; } // error: invalid operands to '&': 'float4' and 'float4': the operands must be integers
