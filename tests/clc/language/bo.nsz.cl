// options: -cl-no-signed-zeros
// zeros have no sign
kernel void k(global float*g){ g[0]=g[1]*2; }
