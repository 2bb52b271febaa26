// options: -cl-std=CL1.2
// mask element size must equal element size
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ short16 a=1; short8 r=shuffle(a,(uint8)(0)); g[0]=r.x; } // error: no built-in function 'shuffle' takes (short16, uint8)
