// options: -cl-std=CL1.2
// hh h l (64-bit); z t from 3.1; no ll j L q
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ printf("%hhd %hd %ld\n",(char)1,(short)2,3L); }
