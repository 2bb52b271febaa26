// options: -cl-std=CL2.0
// A string literal does not initialize a pointer to another space.
kernel void k(global int *g) { private char *s = "ab"; g[0] = s[1]; } // error: cannot initialize 'private char *' from 'constant char *': the address spaces do not convert
