// options: -cl-std=CL2.0
// Calling a helper that was never declared is an error (the listing calls a name it does not define).
void dblGlobal(float *d) { *d *= 2; }
kernel void k(global float *g) { dblOther(g); } // error: use of undeclared identifier 'dblOther'
