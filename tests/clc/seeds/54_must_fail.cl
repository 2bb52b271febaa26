// options: -cl-std=CL2.0
// A string literal does not initialize a generic pointer.
kernel void k(global int *g) { char *s = "ab"; g[0] = s[1]; } // error: cannot initialize 'char *' from 'constant char *': the address spaces do not convert
