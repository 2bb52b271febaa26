// options: -cl-std=CL1.2
// kernel pointer args are global, local or constant
kernel void k(global int*g, local int*l, constant int*c){ l[0]=c[0]; g[0]=l[0]; }
