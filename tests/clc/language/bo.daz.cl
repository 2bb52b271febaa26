// options: -cl-denorms-are-zero
// denormals may be flushed
kernel void k(global float*g){ g[0]=g[1]*2; }
