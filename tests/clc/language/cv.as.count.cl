// options: -cl-std=CL1.2
// different counts of the same size
kernel void k(global int4*g){ short8 s=as_short8(g[0]); g[1]=as_int4(s); long2 l=as_long2(s); }
