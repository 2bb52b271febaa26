// options: -cl-mad-enable
// a*b+c may be a mad
kernel void k(global float*g){ g[0]=g[1]*2; }
