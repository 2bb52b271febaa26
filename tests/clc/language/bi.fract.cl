// options: -cl-std=CL2.0
// pointer-result built-ins accept global, local, private (generic in 2.0)
kernel void k(global float*g, local float*l){ float p; float*q=g; g[0]=fract(g[1],g)+fract(g[1],l)+fract(g[1],&p)+fract(g[1],q); }
