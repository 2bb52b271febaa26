// options: -cl-std=CL1.2
// recursion not supported
int h(int x){ return x?h(x-1):0; } kernel void k(global int*g){ g[0]=h(3); } // error: recursion is not supported: 'h' calls itself
