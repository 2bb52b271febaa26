// options: -cl-kernel-arg-info
// argument info is kept
kernel void k(global float*g){ g[0]=g[1]*2; }
