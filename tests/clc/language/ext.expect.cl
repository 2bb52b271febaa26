// options: -cl-std=CL2.0
// __builtin_expect/__builtin_assume
kernel void k(global int*g){ if(__builtin_expect(g[0],0)) g[0]=1; }
