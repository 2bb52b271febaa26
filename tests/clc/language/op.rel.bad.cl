// options: -cl-std=CL1.2
// < > <= >= give int 0/1 for scalars, -1/0 for vectors
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ double2 a=1.0,b=2.0; int2 m=a<b; g[0]=m.x; } // error: cannot initialize 'int2' from 'long2'
