// options: -cl-std=CL1.2
// string literals are constant char arrays
constant char * constant s = "ab"; kernel void k(global int*g){ g[0]=s[0]; }
