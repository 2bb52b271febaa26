// options: -cl-std=CL1.2
// prototypes before definition; empty () means no args
int h(); kernel void k(global int*g){ g[0]=h(2); } // error: too many arguments to function 'h': 1 given, 0 wanted
