// options: -cl-std=CL1.2
// no shifts on float
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ f[0]=1.0f<<1; } // error: invalid operands to '<<': 'float' and 'int': the operands must be integers
