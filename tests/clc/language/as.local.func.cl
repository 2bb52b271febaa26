// options: -cl-std=CL1.2
// local variable of a kernel
void f(local int*p){ p[0]=1; } kernel void k(void){ local int x[4]; f(x); }
