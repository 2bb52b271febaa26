// options: -cl-std=CL1.2
// vector literals in constant program-scope initializers
constant int4 c4=(int4)(1,2,3,4); kernel void k(global int*g){ g[0]=c4.y; }
