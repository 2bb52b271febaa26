// options: -cl-std=CL1.2
// global local constant private with or without __
kernel void k(__global int*a, __local int*b, __constant int*c){ __private int p=c[0]; a[0]=b[0]+p; }
