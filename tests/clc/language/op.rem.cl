// options: -cl-std=CL1.2
// % on integers
kernel void k(global int4*g){ g[0]=g[1]%g[2]; g[3]=g[4]%7; g[0].x%=3; }
