// options: -cl-std=CL2.0
// program-scope initializers constant; address of another global ok
global int a=1; global int * global p=&a; kernel void k(global int*g){ g[0]=*p; }
