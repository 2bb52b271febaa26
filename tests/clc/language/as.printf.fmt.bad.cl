// options: -cl-std=CL1.2
// printf format must be a constant-space literal
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ char s[3]; printf(s); } // error: no built-in function 'printf' takes (char *)
