global int counter = 0; // error: a program-scope variable must be 'constant' before OpenCL C 2.0
int state; // error: a program-scope variable must be 'constant' before OpenCL C 2.0
kernel void k(global int *g) { g[0] = counter; }
