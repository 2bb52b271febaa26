// options: -cl-opt-disable
// nothing is optimized
kernel void k(global float*g){ g[0]=g[1]*2; }
