// options: -cl-std=CL1.2
// facts: nofp64
// double only with fp64
kernel void k(global double *g){ } // error: this device has no 'double'
