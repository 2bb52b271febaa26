// options: -cl-std=CL2.0
// Taking a `constant` object through a generic pointer is illegal.
constant int cv = 1;
kernel void k(void) { int *p; p = &cv; } // error: cannot assign 'constant int *' to 'int *': the address spaces do not convert
