// options: -cl-std=CL2.0
// constant cannot be cast to generic, even explicitly
kernel void k(constant int*c, global int*g){ constant int*q=c; g[0]=*q; }
