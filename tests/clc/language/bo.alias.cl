// options: -cl-strict-aliasing
// deprecated in 1.1, still accepted
kernel void k(global float*g){ g[0]=g[1]*2; }
