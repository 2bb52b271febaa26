// options: -cl-std=CL1.2
// printf gives an int
kernel void k(global int*g){ g[0]=printf("%d\n", 1); }
