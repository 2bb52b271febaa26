// options: -Werror
// nothing to warn of
kernel void k(global float*g){ g[0]=g[1]*2; }
