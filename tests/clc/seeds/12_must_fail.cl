// options: -cl-std=CL2.0
// A `constant` pointer does not convert implicitly to generic (argument passing).
void h(int *p) { }
kernel void k(constant int *c) { h(c); } // error: cannot pass 'constant int *' to a parameter of type 'int *': the address spaces do not convert
