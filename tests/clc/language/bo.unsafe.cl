// options: -cl-unsafe-math-optimizations
// implies the two above
kernel void k(global float*g){ g[0]=g[1]*2; }
