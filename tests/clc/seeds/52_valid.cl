// options: -cl-std=CL2.0
// String literals live in the constant space.
kernel void k(global int *g) { constant char *s = "ab"; g[0] = s[1]; }
