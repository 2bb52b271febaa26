// options: 
// no options at all
kernel void k(global float*g){ g[0]=g[1]*2; }
