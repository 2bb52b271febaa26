// options: -cl-std=CL1.2
// kernel/__kernel function, returns void
kernel int k(global int*g){ return 1; } // error: a kernel must return 'void'
