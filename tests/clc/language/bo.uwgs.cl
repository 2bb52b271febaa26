// options: -cl-std=CL2.0 -cl-uniform-work-group-size
// groups of one size
kernel void k(global float*g){ g[0]=g[1]*2; }
