// options: -cl-std=CL1.2
// unary + - on scalars and vectors
kernel void k(global int4*g, global float*f){ g[0]=-g[1]+(+g[2]); f[0]=-f[1]; }
