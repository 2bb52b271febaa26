// options: -cl-std=CL2.0
// constant cannot be cast to generic, even explicitly
kernel void k(constant int*c, global int*g){ int*q=(int*)c; g[0]=*q; } // error: cannot cast 'constant int *' to 'int *': the address spaces do not convert
