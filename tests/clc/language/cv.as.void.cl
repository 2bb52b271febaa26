// options: -cl-std=CL1.2
// as_ for numbers
kernel void k(global int*g){ g[0]=as_int(1.0f); }
