// options: -cl-finite-math-only
// no NaN, no infinities
kernel void k(global float*g){ g[0]=g[1]*2; }
